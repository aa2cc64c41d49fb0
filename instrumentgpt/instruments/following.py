"""A log that is still being written: its copy here grows by what the instrument has added at each look."""

import time
from dataclasses import replace
from pathlib import Path

from instrumentgpt.instruments.fetch import Copy, RemoteLog, alone, copy_of
from instrumentgpt.instruments.reading.line_index import LineIndex, extended, line_index
from instrumentgpt.instruments.reading.sources import Source, is_packed, open_source
from instrumentgpt.instruments.remotes import LIMITS, FetchError, Limits, told

BLOCK_BYTES = 1 << 16
REWRITTEN = 10.0  # s: replaced twice within, a log is written anew each time, not added to


class Following:
    """One log that is followed; its connection is kept between looks, until `close`.

    source  the whole lines there are by now: a half-written one is not among them
    index   of these lines
    before  where the copy was kept that the log of this name had before it was replaced, None: it was not
    """

    def __init__(self, log: RemoteLog, cache: Path, frames: Path, limits: Limits = LIMITS) -> None:
        self.copy: Copy = copy_of(log, cache, None, limits)
        self.frames = frames
        self.source: Source | None = None
        self.index: LineIndex | None = None
        self.before: Path | None = None
        self.replaced = float("-inf")  # by the monotonic clock

    def look(self) -> bool:
        """Bring the copy up to date; return whether whole lines came. Raises FetchError.

        A log that was cut off or replaced begins a new copy; the old one is kept, as `before`.
        """
        copy = self.copy
        copy.deadline = time.monotonic() + copy.limits.total
        try:
            with told(copy.device, copy.url, copy.limits):
                copy.target.parent.mkdir(parents=True, exist_ok=True)
                with alone(copy.target):
                    if not copy.target.exists():
                        copy.bring_up_to_date()
                    elif not copy.extend():
                        self._begin_anew()
        except FetchError:
            copy.close()
            raise
        return self._take_lines()

    def close(self) -> None:
        """End the connection; the next look makes another."""
        self.copy.close()

    def _begin_anew(self) -> None:
        now = time.monotonic()
        if now - self.replaced < REWRITTEN:
            raise FetchError(
                f"{self.copy.name} was replaced twice within {REWRITTEN:g} s: it is written anew each time, "
                "not added to. Look at it without following"
            )
        self.replaced, self.source = now, None
        self.before = self.copy.set_aside()
        self.copy.bring_up_to_date()

    def _take_lines(self) -> bool:
        opened = open_source(self.copy.target)
        if is_packed(opened.path):
            raise FetchError(
                f"{self.copy.name} is no plain text, to which lines are added. Look at it without following"
            )
        source = replace(opened, sizes=(*opened.sizes[:-1], _end_of_lines(opened.path)))
        if self.source is None or self.index is None:
            self.index = line_index(source, self.frames)
        elif source.sizes == self.source.sizes:
            return False
        else:
            self.index = extended(self.index, source, self.frames)
        self.source = source
        return True


def _end_of_lines(path: Path) -> int:
    """Return the bytes up to the last line's end."""
    with path.open("rb") as file:
        at = file.seek(0, 2)
        while at:
            start = max(0, at - BLOCK_BYTES)
            file.seek(start)
            end = file.read(at - start).rfind(b"\n") + 1
            if end:
                return start + end
            at = start
    return 0
