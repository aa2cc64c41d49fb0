"""The evaluation: cases as data, run through real turns, judged without a judge (docs/evaluation.md)."""
