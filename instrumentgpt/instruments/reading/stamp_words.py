"""The stamps of many lines at once, each read as three words of eight letters."""

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.clocks import SECOND, day_micros
from instrumentgpt.instruments.reading.words import Flags, Positions, Text, not_digits

STAMP = 23  # letters of "2026-03-04 17:50:13.786"
POINT_OR_COMMA = 0xFD  # the bits that "." and "," have in common


def _stamp_word(letters: bytes) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return masks of a word of a stamp: high bits of its digits, bits of its separators, the separators."""
    digits = bytes(0x80 if letter == ord("0") else 0 for letter in letters)
    kept = bytes({ord("0"): 0, ord("?"): 0, ord("."): POINT_OR_COMMA}.get(letter, 0xFF) for letter in letters)
    separators = bytes(letter & keep for letter, keep in zip(letters, kept, strict=True))
    masks = [np.uint64(int.from_bytes(mask, "little")) for mask in (digits, kept, separators)]
    return masks[0], masks[1], masks[2]


STAMP_WORDS = tuple(_stamp_word(letters) for letters in (b"0000-00-", b"00 00:00", b":00.000?"))


def stamps_at(text: Text, position: Positions) -> tuple[NDArray[np.int64], Flags]:
    """Return the stamps (µs) like “2026-03-04 17:50:13.786” at `position`, and where there are such."""
    words = [text.words[position + 8 * at] for at in range(3)]
    good = np.ones(len(position), dtype=bool)
    for word, (digits, kept, separators) in zip(words, STAMP_WORDS, strict=True):
        good &= ((not_digits(word) & digits) == 0) & ((word & kept) == separators)
    day = _days(words[0], words[1] & np.uint64(0xFFFF), good)
    hour, minute = _two(words[1], 3), _two(words[1], 6)
    second, milli = _two(words[2], 1), _two(words[2], 4) * 10 + _digit(words[2], 6)
    good &= (hour < 24) & (minute < 60) & (second < 60) & (day >= 0)
    return day + ((hour * 60 + minute) * 60 + second) * SECOND + milli * 1000, good


def _digit(word: NDArray[np.uint64], at: int) -> NDArray[np.int64]:
    return ((word >> np.uint64(8 * at)) & np.uint64(15)).astype(np.int64)


def _two(word: NDArray[np.uint64], at: int) -> NDArray[np.int64]:
    return _digit(word, at) * 10 + _digit(word, at + 1)


def _days(first: NDArray[np.uint64], second: NDArray[np.uint64], good: Flags) -> NDArray[np.int64]:
    """Return µs since 1970 of the dates whose letters the two words hold; -1 for one that does not exist."""
    changes = np.flatnonzero((np.diff(first) != 0) | (np.diff(second) != 0)) + 1
    runs = np.concatenate([[0], changes])
    days = np.empty(len(runs), dtype=np.int64)
    for number, at in enumerate(runs.tolist()):
        letters = int(first[at]).to_bytes(8, "little") + int(second[at]).to_bytes(2, "little")
        days[number] = day_micros(letters) if good[at] else -1
    return np.repeat(days, np.diff(np.append(runs, len(first))))
