"""Log formats as data: the files formats/*.toml, compiled into line prefixes and sample patterns.

A line is described as it looks, with placeholders: `PID[{channel}] SetPoint={setpoint} ProcessValue={pv}C`.
`{}` is a number that is not kept. Where the order of fields varies, `find` takes a regular expression with
the same placeholders, searched for anywhere in the line.
"""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.settings import home

FOLDER = Path(__file__).parents[1] / "formats"
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
NO_NUMBER = rb"[-+]?(?:nan|inf|infinity)|null|none|n/a|error|err|open|-{2,}|\?+"  # a sensor without a reading
VALUE = NUMBER + rb"|" + NO_NUMBER
PLACEHOLDER = re.compile(r"\{([a-z]*)\}")
TIMES: Mapping[str, bytes] = {
    "datetime": rb"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?",
    "clock": rb"\d\d?:\d\d:\d\d(?:[.,]\d+)?",
    "syslog": rb"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d",
    "seconds": rb"\d+(?:\.\d+)?",
    "milliseconds": rb"\d+",
}
FIELDS: Mapping[str, bytes] = {
    **dict.fromkeys(("setpoint", "pv", "output", "kp", "ki", "kd"), VALUE),
    "channel": rb"\d{1,4}",
    "level": rb"[A-Za-z]+",
    "name": rb"[A-Za-z]\w*(?: \w+)*",
}


class FormatError(InstrumentGPTError, ValueError):
    """A file of the user's own formats that cannot be used as it is."""


@dataclass(frozen=True)
class Prefix:
    """What stands before the message, and the `kind` of its time ("" without)."""

    regex: re.Pattern[bytes]
    kind: str


@dataclass(frozen=True)
class Pattern:
    """One kind of message.

    A message that starts with `anchor` and then a number, or ends there, matches `start`: it is meant as one.
    `regex` matches it whole; where `each` is set, every match of that within it is a channel of its own.
    A searched pattern has no `anchor`: every match of `regex` is a channel.
    """

    name: str
    layout: str  # as written, "" for a searched pattern
    each_layout: str
    anchor: bytes
    start: re.Pattern[bytes]
    regex: re.Pattern[bytes]
    each: re.Pattern[bytes]
    output_scale: float  # percent per unit of the output
    channel_name: str = ""


@dataclass(frozen=True, eq=False)
class Format:
    """A log format: its prefixes (the first that fits a line counts), its samples and its gains messages."""

    name: str
    prefixes: tuple[Prefix, ...]
    samples: tuple[Pattern, ...]
    gains: tuple[Pattern, ...]
    unit: str
    boot: bytes  # a message with these words starts a new boot
    wall: re.Pattern[bytes] | None  # a line that says the epoch at a time of the log's own clock
    last_of_stamp: bool  # of several samples of a channel in a row with one stamp only the last counts
    last_resort: bool  # used only where no other format reads a line
    beginnings: tuple[bytes, ...]  # of each message that says something; none if it may start in any way
    needs: str  # an RE2 expression found in every line that says something, "" if there is none
    examples: tuple[Mapping[str, Any], ...]


def formats() -> dict[str, Format]:
    """Return the formats by name: the user's own, then ours, each in the order of the files."""
    return _formats(own_files())


def own_files() -> tuple[tuple[Path, int], ...]:
    """Return the user's own formats, and when each was changed."""
    paths = sorted((home() / "formats").glob("*.toml"))
    return tuple((path, path.stat().st_mtime_ns) for path in paths if path.is_file())


@lru_cache(2)
def _formats(own: tuple[tuple[Path, int], ...]) -> dict[str, Format]:
    found: dict[str, Format] = {}
    for path, _ in own:
        with suppress(FormatError):  # told by `textlogs.format_problems`: the other logs are read
            found[path.stem] = own_format(path)
    ours = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
    return found | {name: load_format(path) for name, path in ours.items() if name not in found}


def own_format(path: Path) -> Format:
    """Return the format that a user described at `path`; FormatError, which says what to change, without."""
    try:
        return load_format(path)
    except KeyError as problem:
        why = f"it lacks {problem}, or that is no placeholder"
    except (OSError, ValueError, TypeError, AttributeError, re.error) as problem:
        why = reason(problem)
    raise FormatError(f"{path} is no format: {why}. See docs/add-a-log-format.md, or move it away")


def load_format(path: Path) -> Format:
    """Return the format described by the TOML file at `path`."""
    written = tomllib.loads(path.read_text(encoding="utf-8"))
    samples = tuple(_pattern(entry) for entry in written["samples"])
    gains = tuple(_pattern(entry) for entry in written.get("gains", []))
    boot = written.get("boot", "").encode()
    anchors = tuple(pattern.anchor for pattern in samples + gains)
    beginnings = (*anchors, *[boot] * bool(boot)) if all(anchors) else ()
    return Format(
        name=path.stem,
        prefixes=tuple(_prefix(entry) for entry in written.get("prefix", [{"line": ""}])),
        samples=samples,
        gains=gains,
        unit=written.get("unit", "°C"),
        boot=boot,
        wall=re.compile(written["wall"].encode()) if "wall" in written else None,
        last_of_stamp=written.get("last_of_stamp", False),
        last_resort=written.get("last_resort", False),
        beginnings=beginnings,
        needs=written.get("needs") or "|".join(re.escape(anchor.decode()) for anchor in beginnings),
        examples=tuple(written["examples"]),
    )


def _prefix(entry: Mapping[str, Any]) -> Prefix:
    kind = entry.get("time", "")
    expression = entry["find"].encode() if "find" in entry else _escape(entry["line"])
    return Prefix(re.compile(_filled(expression, TIMES.get(kind, b""))), kind)


def _pattern(entry: Mapping[str, Any]) -> Pattern:
    layout, each = entry.get("line", ""), entry.get("each", "")
    within = _filled(_escape(each)) if each else b""
    if "find" in entry:
        anchor, whole = b"", _filled(entry["find"].encode())
    elif each:
        bare = re.sub(rb"\(\?P<\w+>", b"(?:", within)
        anchor = (layout + PLACEHOLDER.split(each)[0]).encode()
        whole = _escape(layout) + bare + rb"(?:[ ,;]+" + bare + rb")*"
    else:
        anchor, whole = PLACEHOLDER.split(layout)[0].encode(), _filled(_escape(layout))
    first = PLACEHOLDER.search(layout + each)
    start = re.escape(anchor) + rb"(?:" + _filled(first[0].encode()) + rb"|$)" if first else rb"(?!)"
    return Pattern(
        name=entry.get("name", ""),
        layout=layout,
        each_layout=each,
        anchor=anchor,
        start=re.compile(start),
        regex=re.compile(whole + rb"\s*", re.IGNORECASE) if anchor else re.compile(whole),
        each=re.compile(within, re.IGNORECASE),
        output_scale=entry.get("percent_per_unit", 1.0),
        channel_name=entry.get("channel_name", ""),
    )


def _escape(layout: str) -> bytes:
    """Return `layout` as a regular expression that still has its placeholders."""
    parts = re.split(r"(\{[a-z]*\})", layout)
    return b"".join(
        part.encode() if PLACEHOLDER.fullmatch(part) else re.escape(part).replace("\\ ", " ").encode()
        for part in parts
    )


def _filled(expression: bytes, time: bytes = b"") -> bytes:
    """Return `expression` with a group for each named placeholder."""

    def group(match: re.Match[bytes]) -> bytes:
        name = match[1].decode()
        if not name:
            return b"(?:" + VALUE + b")"
        return b"(?P<" + match[1] + b">" + (time if name == "time" else FIELDS[name]) + b")"

    return re.sub(rb"\{([a-z]*)\}", group, expression)
