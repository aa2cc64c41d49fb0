"""How much text a log may be, before anyone reads all of it: the one place that decides, for every reader.

A file of 3 MB can hold 3 GB of zeros, one of no blocks at all 50 GB: they cost their reader nothing but the
seconds until this module says no.
"""

import errno
import os
from pathlib import Path

from instrumentgpt.errors import InstrumentGPTError

MOST_MEGABYTES = 4096  # of text: what the parser has been measured on (bench/parse.py) with room to spare
MEGABYTES_VARIABLE = "INSTRUMENTGPT_LOG_MEGABYTES"
# Real logs become 2 to 16 times smaller (the 190 labelled and real ones, gzip -6), dull ones 100 times; only
# a repeated line gets near the 1,032 that DEFLATE can do.
MOST_RATIO = 200
ANY_RATIO_BYTES = 64_000_000  # of text at any ratio: unpacked in 0.2 s
LONGEST_LINE = 16_000_000  # bytes; NULs that a power cut leaves are part of a line


class OversizedLog(InstrumentGPTError, ValueError):
    """A log that is more text than may be read, or more than a log of its size is."""


def most_text() -> int:
    """Return the bytes of text that a log may have, packed or not."""
    text = os.environ.get(MEGABYTES_VARIABLE) or str(MOST_MEGABYTES)
    try:
        return int(float(text) * 1_000_000)
    except (ValueError, OverflowError):
        raise OversizedLog(
            f"{MEGABYTES_VARIABLE} is {text!r}, no number. Set it to megabytes, such as {MOST_MEGABYTES}"
        ) from None


def check_size(name: str, text: int, packed: int | None = None) -> None:
    """Raise OversizedLog if `text` bytes, that came out of `packed` compressed ones, are too many."""
    most = most_text()
    if text > most:
        raise OversizedLog(
            f"{name} is more than {most / 1e6:,.0f} MB of text. Cut the part you need out of it, or raise "
            f"{MEGABYTES_VARIABLE}, the limit in MB",
        )
    if packed is not None and text > max(ANY_RATIO_BYTES, MOST_RATIO * packed):
        little, much, times = f"{packed / 1e6:,.2f} MB", f"{text / 1e6:,.0f} MB", text // max(packed, 1)
        raise OversizedLog(
            f"{name}: its first {little} unpack to {much}, {times:,} times as much; a log unpacks to at most "
            f"{MOST_RATIO} times its size. If it is a log all the same, unpack it yourself and read that",
        )


def check_line(name: str, number: int, length: int) -> None:
    """Raise OversizedLog if a line is too long to be one; `number` 0: not counted."""
    if length > LONGEST_LINE:
        line = f"line {number:,}" if number else "a line"
        raise OversizedLog(
            f"{name}: {line} is longer than {LONGEST_LINE / 1e6:,.0f} MB. A log has a line for each sample "
            "or event: export it as text with line ends, or cut that line out",
        )


def check_is_file(path: Path) -> None:
    """Raise OversizedLog if `path` is a pipe or a device, which may never end; OSError if it is no file."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.stat() and not path.is_file():
        raise OversizedLog(
            f"{path.name} is a pipe or a device, which may never end. Save it as a file and read that",
        )
