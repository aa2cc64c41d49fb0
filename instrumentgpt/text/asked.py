"""Whether a sentence asks; what is asked is neither stated nor laid down."""

import re

_ASKED = re.compile(
    r"[?？]\s*\W*$|[嗎吗呢][。.]?$|^\W*(?:what|why|how|which|who|is|are|does|did|can|could)\b", re.I
)


def is_asked(sentence: str) -> bool:
    """Return whether `sentence` asks, with or without a question mark.

    >>> is_asked("how bad is the overshoot of 055"), is_asked("kp 可以調高嗎"), is_asked("The kp is 0.12.")
    (True, True, False)
    """
    return bool(_ASKED.search(sentence))
