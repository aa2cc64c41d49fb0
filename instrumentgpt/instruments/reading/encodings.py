"""The encoding of a text that is no UTF-8, told once from its start by how common its letters would be."""

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

SIGN = re.compile(
    r"°(?=[CFK]\b|\W|$)|[µμ](?=[A-Za-z])|(?<=[a-zA-Z])[²³](?![a-z])|±(?=\s?\d)|(?<=\W)[Ωø·×–](?=\W)"
)
WESTERN = "àáâãäåæçèéêëìíîïñòóôõöøùúûüß"
CENTRAL = "áâäăąćčçďđéęěëíîĺľłńňóôöőŕřśšťúůüűýźżžß"  # of Windows-1250
TURKISH = "âçğıîöşüû"  # of Windows-1254
SIGNS = frozenset("℃℉°Ω±×·%（），。：；、「」－—～％ー")
KANA = range(0x3041, 0x3100)
LEAST_LETTERS = 2  # beyond ASCII: one alone may be damage, but in a line of words in the first codec
WORD = re.compile(r"[A-Za-z]{4}")
COMMON = 0.9  # share of the letters beyond ASCII that are common ones in the right encoding
WIDE = 0.7  # share of the odd bytes of text in UTF-16 that are 0
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CONTROLS = [bytes([letter]) for letter in range(9)]
BLOCK_LETTERS = 4 << 20


def _listed_first(codec: str, low: int, high: int, text: str) -> int:
    """Return how many letters of `text` are frequent ideographs of a code page, which lists them first."""
    codes = ((letter, letter.encode(codec, "ignore")) for letter in text if letter > "\x7f")
    return sum(letter in SIGNS or (len(code) == 2 and low <= code[0] <= high) for letter, code in codes)


def _in_words(letters: str, text: str) -> int:
    """Return how many letters of `text` beyond ASCII are `letters` in words, or signs of units."""
    own = letters + letters.upper()
    words: list[str] = re.findall(rf"(?=[{own}]*[A-Za-z])[A-Za-z{own}]+|\bà\b", text)
    return sum(letter > "\x7f" for word in words for letter in word) + len(SIGN.findall(text))


CODECS: Mapping[str, Callable[[str], int]] = {  # codec → how many common letters a text has; Western first
    "Windows-1252": partial(_in_words, WESTERN),
    "Windows-1250": partial(_in_words, CENTRAL),
    "Windows-1254": partial(_in_words, TURKISH),
    "Windows-1251": lambda text: sum(map(len, re.findall(r"[А-Яа-яё][а-яё]{2,}|[А-Я]{3,}|[°±№]", text))),
    "GB18030": partial(_listed_first, "gb2312", 0xB0, 0xD7),
    "Big5": partial(_listed_first, "big5", 0xA4, 0xC6),
    "Shift_JIS": lambda text: (
        _listed_first("shift_jis", 0x88, 0x97, text) + sum(ord(letter) in KANA for letter in text)
    ),
}


def encoding_of(head: bytes) -> str:
    """Return the codec of the text that starts with `head`; "" if that is UTF-8, or cannot be told.

    >>> encoding_of("時間,溫度(℃)\\n".encode("big5")), encoding_of("時間,溫度(℃)\\n".encode())
    ('Big5', '')
    """
    if head.isascii() and b"\0" not in head:
        return ""
    if head.startswith(UTF16):
        return "UTF-16"
    for codec, odd in (("UTF-16-LE", head[1::2]), ("UTF-16-BE", head[::2])):
        if len(odd) > 1 and odd.count(0) > WIDE * len(odd) and head.count(0) < len(odd) * (2 - WIDE):
            return codec
    if any(head.count(control) for control in CONTROLS):
        return ""  # no text: packed, a picture
    lines = [line for line in head.split(b"\n")[: None if head.endswith(b"\n") else -1] if not line.isascii()]
    text = b"\n".join(lines)
    decoded = text.decode("utf-8", "replace")
    beyond = sum(letter > "\x7f" for letter in decoded)
    if not beyond or decoded.count("\ufffd") <= beyond / 2:
        return ""
    texts = {codec: text.decode(codec, "replace") for codec in CODECS}
    letters = {codec: sum(letter > "\x7f" for letter in texts[codec]) for codec in CODECS}
    shares = {codec: common(texts[codec]) / letters[codec] for codec, common in CODECS.items()}
    best = max(shares, key=shares.__getitem__)
    is_plain = letters[best] >= LEAST_LETTERS or (best == next(iter(CODECS)) and WORD.search(texts[best]))
    return best if shares[best] >= COMMON and is_plain else ""


def decoded(part: Path, codec: str, letters: int = BLOCK_LETTERS) -> Iterator[bytes]:
    """Yield the text of the file `part`, which is in `codec`, as UTF-8, `letters` at once."""
    with part.open(encoding=codec, errors="replace", newline="") as file:
        while block := file.read(letters):
            yield block.encode()
