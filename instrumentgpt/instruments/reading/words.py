"""Eight bytes at a time: number and text fields of many lines at once, as 64-bit words in numpy.

A word holds the bytes of the file in their order, the first lowest. Digits are found and turned into numbers
with the usual tricks of "SIMD within a register" (Lemire, "Quickly parsing eight digits", 2018). A number is
kept as integer mantissa and power of ten, so that one exact division gives the float that float() gives.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]
PADDING = 64  # zero bytes behind the text, so that a word may be read anywhere in it

_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_PAST_NINE = np.uint64(0x7676767676767676)
_BYTE = np.uint64(0xFF)
_EIGHT = np.uint64(8)
_ONE = np.uint64(1)
_MINUS, _POINT = np.uint64(ord("-")), np.uint64(ord("."))
_POWERS = 10.0 ** np.arange(9)
_WHOLE_POWERS = 10 ** np.arange(9, dtype=np.int64)


@dataclass(frozen=True)
class Text:
    """A chunk of text as bytes and as the word at every byte; only the first `size` bytes are text."""

    letters: NDArray[np.uint8]
    words: Words
    size: int

    @classmethod
    def of(cls, content: bytes) -> "Text":
        """Return `content` with padding."""
        return cls.padded(content + bytes(PADDING), 0, len(content))

    @classmethod
    def padded(cls, buffer: bytes | bytearray, start: int, size: int) -> "Text":
        """Return `size` bytes of `buffer` from `start`; at least PADDING bytes must follow them."""
        letters = np.frombuffer(buffer, dtype=np.uint8, offset=start, count=size + PADDING)
        words = np.lib.stride_tricks.as_strided(
            letters[:8].view(np.uint64), shape=(len(letters) - 7,), strides=(1,), writeable=False
        )
        return cls(letters, words, size)

    def is_at(self, literal: bytes, position: Positions) -> Flags:
        """Return where `literal` stands at `position`."""
        found = np.ones(len(position), dtype=bool)
        for start in range(0, len(literal), 8):
            word, mask = word_and_mask(literal[start : start + 8])
            found &= (self.words[position + start] & mask) == word
        return found


@dataclass(frozen=True)
class Numbers:
    """The numbers at some positions: `end` behind them, and where there is one of this plain kind at all."""

    mantissa: NDArray[np.int64]
    decimals: NDArray[np.int64]
    negative: Flags
    end: Positions
    ok: Flags

    def values(self) -> NDArray[np.float64]:
        """Return the numbers as floats, exact as float() reads them."""
        size = self.mantissa / _POWERS[self.decimals]
        return np.where(self.negative, -size, size)


def word_and_mask(literal: bytes) -> tuple[np.uint64, np.uint64]:
    """Return up to 8 bytes as a word, and the mask of the bytes it has."""
    word = int.from_bytes(literal, "little")
    return np.uint64(word), np.uint64((1 << (8 * len(literal))) - 1)


def first_byte(marks: Words) -> Positions:
    """Return which byte of each word has its high bit marked first; 8 if none."""
    lowest = marks & (~marks + np.uint64(1))
    return (np.bitwise_count(lowest - np.uint64(1)) >> np.uint8(3)).astype(np.int64)


def find_byte(words: Words, byte: int) -> Positions:
    """Return the place of the first `byte` in each word; 8 if there is none."""
    different = words ^ (_ONES * np.uint64(byte))
    return first_byte((different - _ONES) & ~different & _HIGH)


def not_digits(words: Words) -> Words:
    """Return the words with the high bit marked of each byte that is no digit."""
    offset = words ^ _ZEROS
    return (((offset & _LOW7) + _PAST_NINE) | offset) & _HIGH


def _eight_digits(digits: Words, count: Positions) -> NDArray[np.int64]:
    """Return the number that the first `count` (1 to 8) bytes of each word make, each a digit's value."""
    aligned = digits << (_EIGHT * (8 - count).astype(np.uint64))
    pairs = aligned * np.uint64(10) + (aligned >> _EIGHT)
    outer = (pairs & np.uint64(0x000000FF000000FF)) * np.uint64(0x000F424000000064)
    inner = ((pairs >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(0x0000271000000001)
    return ((outer + inner) >> np.uint64(32)).astype(np.int64)


def numbers_at(text: Text, position: Positions, kept: bool = True) -> Numbers:
    """Return the numbers at `position`: up to 7 digits, then perhaps a point and up to 6 more.

    kept  False if only their ends are wanted

    Longer ones, exponents, a leading + and words like nan are not ok: they need the plain reader.
    """
    word = text.words[position]
    negative = (word & _BYTE) == _MINUS
    if negative.any():
        position = position + negative
        word = np.where(negative, text.words[position], word)
    marks = not_digits(word)
    whole = first_byte(marks)
    pointed = ((word >> (_EIGHT * np.minimum(whole, 7).astype(np.uint64))) & _BYTE) == _POINT
    end = np.where(pointed, first_byte(marks & (marks - np.uint64(1))), whole)
    decimals = end - whole - pointed
    ok = (whole > 0) & (end < 8) & (~pointed | (decimals > 0))
    long = np.flatnonzero(end >= 8)
    if not kept and not len(long):
        return Numbers(decimals, decimals, negative, position + end, ok)
    below = (_ONE << (_EIGHT * np.minimum(whole, 7).astype(np.uint64))) - _ONE
    digits = word ^ _ZEROS
    joined = np.where(pointed, (digits & below) | ((digits >> _EIGHT) & ~below), digits)
    count = whole + decimals
    found = Numbers(_eight_digits(joined, np.clip(count, 1, 8)), decimals, negative, position + end, ok)
    return _with_long(text, position, found, long) if len(long) else found


def _with_long(text: Text, position: Positions, found: Numbers, long: Positions) -> Numbers:
    """Return `found` with the numbers that take more than one word, at the indices `long`."""
    start = position[long]
    word = text.words[start]
    whole = first_byte(not_digits(word))
    point_at = start + whole
    behind = text.words[point_at]
    fraction = behind >> _EIGHT  # 7 letters behind the point; the eighth is no digit
    decimals = first_byte(not_digits(fraction))
    found.ok[long] = (
        (whole > 0) & (whole < 8) & ((behind & _BYTE) == _POINT) & (decimals > 0) & (decimals < 7)
    )
    decimals = np.clip(decimals, 1, 7)
    mantissa = _eight_digits(word ^ _ZEROS, np.clip(whole, 1, 8)) * _WHOLE_POWERS[decimals]
    found.mantissa[long] = mantissa + _eight_digits(fraction ^ _ZEROS, decimals)
    found.decimals[long] = decimals
    found.end[long] = point_at + decimals + 1
    return found
