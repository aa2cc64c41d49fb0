"""Which language a text is written in."""

import re
from typing import Literal

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
WORDS_PER_HAN = 1.5  # a Chinese word is about 1.5 characters long


def language_of(text: str) -> Language:
    """Return "zh" if `text` is mostly Chinese words, else "en".

    Names, units and file names are Latin in both languages, so a few Chinese words decide.

    >>> language_of("10.1.1.47 為什麼溫度波動？"), language_of("那 kp 可以調高嗎？"), language_of("why?")
    ('zh', 'zh', 'en')
    >>> language_of("why does the log of 溫控 say heater timeout on channel 3")
    'en'
    """
    han = len(_HAN.findall(text)) / WORDS_PER_HAN
    return "zh" if han and han >= 0.4 * len(_LATIN_WORD.findall(text)) else "en"
