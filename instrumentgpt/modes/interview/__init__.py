"""The interview: one question at a time until what is wrong, or wanted, can be stated (docs/interview.md)."""
