"""Eight bytes at a time: numbers, stamps and texts of many lines at once, as 64-bit words in numpy.

A word holds the bytes of the file in their order, the first lowest. Digits are found and turned into numbers
with the usual tricks of "SIMD within a register" (Lemire, "Quickly parsing eight digits", 2018). A number is
kept as integer mantissa and power of ten, so that one exact division gives the float that float() gives.
"""

import re
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from pandas.api.extensions import take

from instrumentgpt.instruments.reading.clocks import SECOND, micros
from instrumentgpt.instruments.reading.layouts import TIMES

Words = NDArray[np.uint64]
Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.signedinteger]  # of digits
PADDING = 256  # zero bytes behind the text, so that a word may be read anywhere in it
SLICE = 1 << 16  # letters, a multiple of 8
MOST_DIGITS = 18  # of a number, so that its digits fit an integer

_HIGH = np.uint64(0x8080808080808080)
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_PAST_NINE = np.uint64(0x7676767676767676)
_EIGHT = np.uint64(8)
_ONE = np.uint64(1)
MINUS, POINT, COMMA = ord("-"), ord("."), ord(",")
_BYTE = np.uint64(0xFF)
_BLANKS = np.uint64(0x2020202020202020)
_POWERS = 10.0 ** np.arange(MOST_DIGITS + 1)
_EXACT = 1 << 53  # integers below are floats; divided by a power of ten they round once, as float() does
WHOLE_POWERS = 10 ** np.arange(MOST_DIGITS + 1, dtype=np.int64)
CLOCK = re.compile(rb"(\d\d?):\d\d:\d\d(?:[.,](\d+))?$")
MIDNIGHT = b"00:00:00"
_CLOCK = np.uint64(int.from_bytes(b"00:00:00", "little"))
_AT_COLONS = np.uint64(int.from_bytes(b"\0\0\xff\0\0\xff\0\0", "little"))
_SIXTY = np.uint64(60)


@dataclass(frozen=True)
class Text:
    """A chunk of text as bytes and as the word at every byte; only the first `size` bytes are text."""

    letters: NDArray[np.uint8]
    words: Words
    size: int

    @classmethod
    def of(cls, content: bytes) -> "Text":
        """Return `content` with padding."""
        letters = np.frombuffer(content + bytes(PADDING), dtype=np.uint8)
        words = np.lib.stride_tricks.as_strided(
            letters[:8].view(np.uint64), shape=(len(letters) - 7,), strides=(1,), writeable=False
        )
        return cls(letters, words, len(content))

    @cached_property
    def _digits(self) -> Words:
        """Return 64 bits from every eighth letter on: which of the letters are digits, the first lowest."""
        bits = np.zeros(len(self.letters) // 8 + 9, dtype=np.uint8)
        for start in range(0, len(self.letters), SLICE):  # which stays in the processor's own memory
            digits = self.letters[start : start + SLICE] - np.uint8(ord("0")) < np.uint8(10)
            packed = np.packbits(digits, bitorder="little")
            bits[start // 8 : start // 8 + len(packed)] = packed
        return np.lib.stride_tricks.as_strided(
            bits[:8].view(np.uint64), shape=(len(bits) - 7,), strides=(1,), writeable=False
        )

    def word_at(self, position: Positions) -> Words:
        """Return the eight letters from each `position` on."""
        return _words_at(self.words, position)

    def digits_from(self, position: Positions) -> Words:
        """Return bits that tell which of the letters from `position` on, at least 57, are digits."""
        digits: Words = _words_at(self._digits, position >> 3) >> (position & 7).view(np.uint64)
        return digits

    def is_at(self, literal: bytes, position: Positions) -> Flags:
        """Return where `literal` stands at `position` (ascending)."""
        if len(position) and position[-1] + len(literal) + 8 > len(self.words):  # a cut line at the very end
            within = position + len(literal) + 8 <= len(self.words)
            within[within] = self.is_at(literal, position[within])
            return within
        is_here = np.ones(len(position), dtype=bool)
        for start in range(0, len(literal), 8):
            if len(literal) >= 8:
                start = min(start, len(literal) - 8)
                is_here &= self.word_at(position + start) == word_and_mask(literal[start : start + 8])[0]
            else:
                word, mask = word_and_mask(literal)
                is_here &= (self.word_at(position) & mask) == word
        return is_here


@dataclass(frozen=True)
class Numbers:
    """The numbers at some positions: digits before the point (`whole`) and behind it, and where they end.

    `ok` tells where there is a number at all that this way of reading takes.
    """

    mantissa: NDArray[np.int64]
    whole: Counts
    decimals: Counts
    negative: Flags
    end: Positions
    ok: Flags

    def values(self) -> NDArray[np.float64]:
        """Return the numbers as floats, exact as float() reads them."""
        alike = len(self.decimals) and self.decimals.min() == self.decimals.max()
        size: NDArray[np.float64] = self.mantissa / _POWERS[self.decimals[0] if alike else self.decimals]
        return np.where(self.negative, -size, size) if self.negative.any() else size

    def exact(self) -> Flags:
        """Return which of `values` are exactly what float() reads."""
        return self.mantissa < _EXACT

    def where(self, kept: Flags) -> "Numbers":
        """Return those of the numbers that are `kept`."""
        return Numbers(*(getattr(self, part.name)[kept] for part in fields(self)))


def _words_at(words: Words, at: Positions) -> Words:
    """Return the words at these places; numpy's own way takes 4 times longer, as they are not aligned."""
    return np.asarray(take(words, at, allow_fill=True, fill_value=np.uint64(0)), dtype=np.uint64)


def word_and_mask(literal: bytes) -> tuple[np.uint64, np.uint64]:
    """Return up to 8 bytes as a word, and the mask of the bytes it has."""
    word = int.from_bytes(literal, "little")
    return np.uint64(word), np.uint64((1 << (8 * len(literal))) - 1)


def lowest_bit(bits: Words) -> Words:
    """Return the words with only the lowest of their bits."""
    return bits & (~bits + _ONE)


def ones(bits: Words) -> Positions:
    """Return how many of the lowest bits of each word are set."""
    return np.bitwise_count(bits ^ (bits + _ONE)).astype(np.int64) - 1


def not_digits(digits: Words) -> Words:
    """Return the words with the high bit marked of each byte that is no digit's value."""
    return (((digits & _LOW7) + _PAST_NINE) | digits) & _HIGH


def eight_digits(digits: Words, above: "NDArray[np.uint64] | np.uint64") -> NDArray[np.int64]:
    """Return the number that the digits' values in the bytes of each word make, without the bits `above`."""
    aligned = digits << above
    pairs = aligned * np.uint64(10) + (aligned >> _EIGHT)
    outer = (pairs & np.uint64(0x000000FF000000FF)) * np.uint64(0x000F424000000064)
    inner = ((pairs >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(0x0000271000000001)
    number: NDArray[np.int64] = ((outer + inner) >> np.uint64(32)).view(np.int64)
    return number


def blanks_at(text: Text, position: Positions) -> Positions:
    """Return the number of blanks at `position`, 8 if there are more."""
    others = text.word_at(position) ^ _BLANKS
    first = lowest_bit((((others & _LOW7) + _LOW7) | others) & _HIGH)
    count: Positions = np.bitwise_count(first - _ONE).astype(np.int64) >> 3
    return count


def numbers_at(text: Text, position: Positions, with_values: bool = True) -> Numbers:
    """Return the numbers at `position`: perhaps a minus, digits, perhaps a point and digits.

    with_values  False where only how many digits there are is of use
    Those of more than MOST_DIGITS are not ok, nor exponents, a leading + and words like nan.
    """
    word = text.word_at(position)
    negative = (word & _BYTE) == np.uint64(MINUS)
    if negative.any():
        position = position + negative
        word = text.word_at(position)
    digits = word ^ ZEROS
    marks = not_digits(digits)
    first = lowest_bit(marks)
    at = first >> np.uint64(7)  # the lowest bit of the first byte that is no digit
    below, behind = at - _ONE, (lowest_bit(marks ^ first) >> np.uint64(7)) - _ONE
    whole, end = np.bitwise_count(below), np.bitwise_count(behind)  # 8 times the number of bytes
    pointed = (digits & (at * _BYTE)) == at * np.uint64(POINT ^ ord("0"))
    pointed &= end > whole + np.uint8(8)  # a point without digits behind it is none of the number's
    pointed &= at > 0
    count = np.where(pointed, end - np.uint8(8), whole)
    if with_values:
        digits = np.where(pointed, (digits & below) | ((digits >> _EIGHT) & ~below), digits)
        mantissa = eight_digits(digits, (np.uint8(64) - count).astype(np.uint64))
    else:
        mantissa = np.zeros(len(word), dtype=np.int64)
    long = (count + np.uint8(8) * pointed > 56) | (whole > 48)
    whole, count = (whole >> np.uint8(3)).view(np.int8), (count >> np.uint8(3)).view(np.int8)
    numbers = Numbers(mantissa, whole, count - whole, negative, position + (count + pointed), whole > 0)
    return _with_long(text, position, numbers, np.flatnonzero(long)) if long.any() else numbers


def spans_at(text: Text, position: Positions) -> Numbers:
    """Return the numbers at `position` as `numbers_at` does, of any length, without their digits' values."""
    digits = text.digits_from(position)
    whole = ones(digits)
    ok = whole > 0
    negative = ~ok
    if not ok.all():
        negative &= text.letters[position] == MINUS
        position = position + negative
        digits = text.digits_from(position)
        whole = ones(digits)
        ok = whole > 0
    end, decimals, size = position + whole, np.zeros_like(whole), whole
    pointed = text.letters[end] == POINT
    if pointed.any():
        decimals = ones(digits >> (whole + 1).view(np.uint64)) * pointed
        end += decimals + (decimals > 0)  # a point without digits behind it is none of the number's
        size = whole + decimals
    if size.max(initial=0) > MOST_DIGITS:
        ok &= size <= MOST_DIGITS
        decimals = np.minimum(decimals, MOST_DIGITS)
    return Numbers(decimals, whole, decimals, negative, end, ok)


def _with_long(text: Text, position: Positions, numbers: Numbers, long: Positions) -> Numbers:
    """Return `numbers` with those that take more than one word, at the indices `long`."""
    spans = spans_at(text, position[long])  # behind their minus
    fraction = digits_at(text, position[long] + spans.whole + 1, spans.decimals)
    shifted = digits_at(text, position[long], spans.whole) * WHOLE_POWERS[spans.decimals]
    numbers.mantissa[long] = shifted + fraction
    for part in ("whole", "decimals", "end", "ok"):
        getattr(numbers, part)[long] = getattr(spans, part)
    return numbers


def digits_at(text: Text, position: Positions, count: Counts) -> NDArray[np.int64]:
    """Return the integer that `count` digits at `position` make; of more than MOST_DIGITS any."""
    number = np.zeros(len(position), dtype=np.int64)
    for done in range(0, min(int(count.max(initial=0)), MOST_DIGITS), 8):
        more = np.clip(count - done, 0, min(8, MOST_DIGITS - done))
        piece = eight_digits(text.word_at(position + done) ^ ZEROS, 64 - _EIGHT * more.astype(np.uint64))
        number = number * WHOLE_POWERS[more] + piece
    return number


@dataclass(frozen=True)
class StampLayout:
    """How a stamp is written: letters of its date, digits of its hour and behind its point."""

    kind: str
    date: int
    hour: int
    fraction: int

    @classmethod
    def of(cls, kind: str, stamp: bytes) -> "StampLayout | None":
        """Return how `stamp` is written, None if not with a clock time.

        >>> StampLayout.of("datetime", b"2026-03-04 17:50:13.786")
        StampLayout(kind='datetime', date=11, hour=2, fraction=3)
        """
        clock = CLOCK.search(stamp)
        if not clock or kind not in ("datetime", "clock", "syslog"):
            return None
        hour, fraction = 2 if clock.start() else len(clock[1]), len(clock[2] or b"")
        return cls(kind, clock.start(), hour, fraction) if fraction <= MOST_DIGITS else None

    @property
    def size(self) -> int:
        """Return the number of letters."""
        return self.date + self.hour + 6 + (self.fraction + 1 if self.fraction else 0)


def stamps_at(text: Text, position: Positions, layout: StampLayout) -> tuple[NDArray[np.int64], Flags]:
    """Return the stamps (µs) at `position` that are written as `layout`, and where there are such."""
    word = text.word_at(position + layout.date)
    if layout.hour == 1:
        word = (word << _EIGHT) | np.uint64(ord("0"))
    digits = word ^ _CLOCK
    good = not_digits(digits) == 0
    good &= (digits & _AT_COLONS) == 0
    pairs = digits * np.uint64(10) + (digits >> _EIGHT)
    hour, minute, second = ((pairs >> np.uint64(at)) & _BYTE for at in (0, 24, 48))
    good &= (minute < 60) & (second < 60)
    stamp = (((hour * _SIXTY + minute) * _SIXTY + second) * np.uint64(SECOND)).view(np.int64)
    if layout.date:
        day = _days(text, position, layout)
        good &= (hour < 24) & (day >= 0)
        stamp += day
    if layout.fraction:
        stamp += _fraction(text, position + (layout.size - layout.fraction - 1), layout.fraction, good)
    return stamp, good


def _fraction(text: Text, position: Positions, count: int, good: Flags) -> NDArray[np.int64]:
    """Return the µs behind the point at `position`; `good` loses where there are not `count` digits."""
    point = text.letters[position]
    good &= (point == POINT) | (point == COMMA)
    digits = text.word_at(position + 1) ^ ZEROS
    if count < 8:
        marked = not_digits(digits) & np.uint64((1 << (8 * count + 8)) - 1)
        good &= marked == np.uint64(1 << (8 * count + 7))
    else:
        good &= ones(text.digits_from(position + 1)) == count
    used = min(count, 6)
    scale: int = 10 ** (6 - used)
    return eight_digits(digits, np.uint64(64 - 8 * used)) * scale


def _days(text: Text, position: Positions, layout: StampLayout) -> NDArray[np.int64]:
    """Return µs since 1970 of the dates at `position`; -1 for one that does not exist."""
    first = text.word_at(position)
    second = text.word_at(position + (layout.date - 8)) if layout.date > 8 else first
    mask = np.uint64((1 << (8 * min(layout.date, 8))) - 1)
    changed = ((np.diff(first) & mask) != 0) | ((np.diff(second) & mask) != 0)
    runs = np.concatenate([[0], np.flatnonzero(changed) + 1]) if len(position) else position
    starts = position[runs].tolist()
    days = [_day(layout.kind, text.letters[at : at + layout.date].tobytes()) for at in starts]
    return np.repeat(np.array(days, dtype=np.int64), np.diff(np.append(runs, len(position))))


@lru_cache(maxsize=4096)
def _day(kind: str, letters: bytes) -> int:
    midnight = letters + MIDNIGHT
    stamp = micros(kind, midnight) if re.fullmatch(TIMES[kind], midnight) else None
    return -1 if stamp is None else stamp
