"""What our own analyst says in a panel: the brief, the decomposition, each expert, the synthesis."""
