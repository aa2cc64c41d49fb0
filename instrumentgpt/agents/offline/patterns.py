"""How patterns are looked for in the words of a question."""

import re

FLAGS = re.IGNORECASE | re.ASCII  # ASCII: a Chinese character beside "kp" is no part of the word


def find(pattern: str, words: str) -> re.Match[str] | None:
    """Return the first place in a question's words that `pattern` fits, None if there is none."""
    return re.search(pattern, words, FLAGS)
