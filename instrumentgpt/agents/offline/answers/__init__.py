"""What the offline analyst says to each kind of question."""
