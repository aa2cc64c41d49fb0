"""What messages say in words: their parts, which bear on a question, what later words make of them."""
