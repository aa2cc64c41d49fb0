"""Whether a sentence asks; what is asked is neither stated nor laid down."""

import re

_ASKED = re.compile(
    r"[?？]\s*\W*$|[嗎吗呢][。.]?$|^\W*(?:what|why|how|which|who|is|are|does|did|can|could)\b", re.I
)
ASKS = (  # words that ask, wherever they stand
    r"\?|\bwhy\b|\bcan\b|\bcould\b|\bshould\b|\bmay\b|\bsafe|\bwhat if\b"
    r"|為什麼|为什么|原因|可以|能否|能不能|可否|[嗎吗]|是否|如果"
)


def is_asked(sentence: str) -> bool:
    """Return whether `sentence` asks, with or without a question mark.

    >>> is_asked("how bad is the overshoot of 055"), is_asked("kp 可以調高嗎"), is_asked("The kp is 0.12.")
    (True, True, False)
    """
    return bool(_ASKED.search(sentence))
