"""One question from its opening to its saved answer: whoever answers, in whatever process."""
