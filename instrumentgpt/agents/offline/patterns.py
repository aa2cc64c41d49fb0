"""How patterns are looked for in the words of a question, and the one for whatever asks."""

import re

FLAGS = re.IGNORECASE | re.ASCII  # ASCII: a Chinese character beside "kp" is no part of the word
ASKS = (
    r"\?|\bwhy\b|\bcan\b|\bcould\b|\bshould\b|\bmay\b|\bsafe|\bwhat if\b"
    r"|為什麼|为什么|原因|可以|能否|能不能|可否|[嗎吗]|是否|如果"
)


def find(pattern: str, words: str) -> re.Match[str] | None:
    """Return the first place in a question's words that `pattern` fits, None if there is none."""
    return re.search(pattern, words, FLAGS)
