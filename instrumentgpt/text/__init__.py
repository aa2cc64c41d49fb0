"""Pure functions on text: language, tokens, filtering, statements. Knows nothing of the rest."""
