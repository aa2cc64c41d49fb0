"""Which file a log's name means, that file read and diagnosed once, and what is said if it cannot be."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import kept_verdicts
from instrumentgpt.instruments.conversation import NoConversation, inventory_of, opened
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.language import phrase
from instrumentgpt.instruments.language import plain as plain
from instrumentgpt.instruments.lognames import device_folder as device_folder
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.sources import chunks, open_source, text_of
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as, recalled
from instrumentgpt.instruments.shown import AUTO
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.settings import settings_in_force

PROBLEMS = Path(__file__).with_name("problems.toml")


class ToolProblem(InstrumentGPTError):
    """What a tool could not do: a sentence of problems.toml and its fields. As text it is English."""

    def __init__(self, key: str, **fields: Any) -> None:
        self.key, self.fields = key, fields
        super().__init__(self.message("en"))

    def message(self, language: str) -> str:
        """Return what could not be done, and what helps, in `language`."""
        return phrase(PROBLEMS, self.key, "zh" if language == "zh" else "en", **self.fields)


FRAMES = "frames"  # folder of parsed logs below the cache
KEPT_LOGS = 4  # read logs kept in memory: one question touches at most two


class UnknownLog(ToolProblem, LookupError):
    """A log that was neither fetched nor dropped into the conversation."""


class UnknownChannel(ToolProblem, LookupError):
    """A channel that the log does not have."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A log, its file, its name as people and links give it, its device ("": dropped), and how it is read."""

    log: Log
    path: Path
    name: str
    device: str
    stated: Stated | None = None


def find_log(workspace: Workspace, log: str, device: str = "") -> Path:
    """Return the file that `log` names: a dropped file, or a fetched log, of `device` if that is given.

    log  "run.log", "run.log.gz", or with its device as links have it: "zspr 052/run.log"

    Raises UnknownLog; names never lead out of the workspace.
    """
    folder, _, name = log.rpartition("/")
    device = device or folder
    dropped = [] if device else [path for path in workspace.attachments if bare(path.name) == bare(name)]
    kept = dropped or [path for path in _fetched(workspace, device) if bare(path.name) == bare(name)]
    existing = [path for path in kept if path.exists()]
    if not existing:
        raise UnknownLog("log_not_here" if device else "file_not_here", log=repr(name), device=device)
    return existing[-1]


def bare(name: str) -> str:
    """Return the name of a log whether or not it is compressed.

    >>> bare("run.log.gz")
    'run.log'
    """
    return name.removesuffix(".gz")


def _fetched(workspace: Workspace, device: str) -> list[Path]:
    if not device:
        return sorted(path for path in workspace.cache.glob("*/*") if path.parent.name != FRAMES)
    name = inventory_of(workspace).find(device).name
    return sorted(device_folder(workspace.cache, name).glob("*"))


def open_log(workspace: Workspace, log: str, device: str = "") -> Opened:
    """Return the log that `log` names, read; a log that has not changed is read once in a process.

    It is shown in the unit that is set.
    """
    path = find_log(workspace, log, device)
    kept = frames(workspace)
    read, unit = _read(path, _version(path), kept, None, AUTO), settings_in_force({}).temperatures
    stated = None
    with suppress(NoConversation), opened(workspace) as database:
        stated = recalled(database, device or log.rpartition("/")[0] or workspace.conversation, read)
        unit = settings_in_force(db.get_settings(database)).temperatures
    unit = workspace.unit or unit
    if stated or unit != AUTO:
        read = _read(path, _version(path), kept, stated, unit)
    return Opened(read, path, bare(path.name), device, stated)


def frames(workspace: Workspace) -> Path:
    """Return the folder for parsed logs: with it the second question on a log costs milliseconds."""
    return workspace.cache / FRAMES


def diagnosed(opened: Opened) -> Diagnosis:
    """Return the diagnosis of an opened log, made once in a process."""
    return _diagnosed(opened.log)


def known_channel(opened: Opened, channel: int) -> int:
    """Return `channel`, or raise UnknownChannel with those that the log has."""
    channels = sorted(int(number) for number in opened.log.samples["channel"].unique())
    if channel not in channels:
        has = ", ".join(map(str, channels)) or "none"
        raise UnknownChannel("no_channel", log=opened.name, channel=channel, has=has)
    return channel


def texts_of(path: Path, numbers: Iterable[int]) -> dict[int, str]:
    """Return the text of the lines `numbers` (1-based) of the log at `path`, read in one pass."""
    left, texts = sorted(set(numbers), reverse=True), {}
    for chunk in chunks(open_source(path)):
        count = chunk.content.count(b"\n") + 1
        if not left or left[-1] >= chunk.first_line + count:
            continue
        lines = chunk.content.split(b"\n")
        while left and left[-1] < chunk.first_line + count:
            number = left.pop()
            texts[number] = text_of(lines[number - chunk.first_line])
    return texts


def _version(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(KEPT_LOGS)
def _read(path: Path, version: tuple[int, int], kept: Path, stated: Stated | None, unit: str) -> Log:
    return read_as(path, stated, kept, unit=unit)


_diagnosed = lru_cache(KEPT_LOGS)(kept_verdicts.diagnosed)
