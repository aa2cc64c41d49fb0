"""The offline analyst: it understands few kinds of question, and answers them from logs without a model."""
