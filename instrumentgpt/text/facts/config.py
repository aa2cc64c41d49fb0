"""Values in blocks of code that are configurations: JSON, YAML, sections, `key = value`; no programs."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from instrumentgpt.text.facts.devices import (
    CHANNEL,
    Names,
    channel_in,
    device_named,
    device_of_key,
    devices_named,
)
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.labels import key_and_unit, label_and_unit, parameter_named
from instrumentgpt.text.facts.tables import cells_of, facts_of_table
from instrumentgpt.text.facts.values import VALUE, fits, quantity

BLOCK_CHARS = 20_000
LOGGED = 3  # times that one key comes in a log
ITEMS = 200  # of a list in JSON
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+\-]*)[^\n]*\n(.*?)^[ \t]*\1", re.M | re.S)
CONFIGURATIONS = frozenset(  # languages of blocks of code
    (
        "",
        "json",
        "jsonc",
        "ini",
        "toml",
        "yaml",
        "yml",
        "conf",
        "cfg",
        "config",
        "properties",
        "env",
        "text",
        "txt",
    )
)
PROGRAM = re.compile(
    r"^\s*(?:def|class|import|from|for|while|if|elif|else|return|function|const|let|var|public|void"
    r"|static|try|except"
    r"|with|end|do|then|case|switch|echo|print|#include|lambda|assert|raise|yield|async"
    r"|await)\b(?!\s*[=:]\s*[\"'\d.+-])"
    r"|^\s*\w[\w.]*\s*\([^()]*\)\s*[;:{]?\s*$|[{;]\s*$|=\s*\w[\w.]*\(|\+=|-=|==|&&|\|\|",
    re.M,
)
_CLOCK = re.compile(r"^\W*(?:\d{4}[-/]\d\d?[-/]\d\d?[ T])?\d{1,2}:\d\d(?::\d\d)?")
_SECTION = re.compile(r"^\s*\[+\s*([^\[\]=]{1,40}?)\s*\]+\s*(?:[#;].*)?$")
_GROUP = re.compile(r"^(\s*)(?:-\s+)?[\"']?([^\s:=#][^:=#]{0,40}?)[\"']?\s*:\s*(?:[#;].*)?$")
_PAIR = re.compile(
    r"(?P<key>[^\W\d][^\s:=#,;]*(?:[ ][^\s:=#,;]+){0,2}|\d+\.[^\s:=#,;]+)\s*(?:=|:(?!\d\d\b))\s*"
    r"[\"']?(?P<value>[^\s\"',;#](?:[^\"',;#=:\t]|(?<=\d):(?=\d))*?)[\"']?"
    r"(?=\s*(?:[,;#]|//|$|\t|\s{2,})|\s+[^\W\d][\w.]*\s*[=:])"
)
_LEADING_DEVICE = re.compile(r"^\s*[\"']?([\w .\-]{1,20}?)[\"']?\s*:\s+(?=\S)")


class _Entry(NamedTuple):
    """A value of a configuration: `group` are the names of what it stands in, the innermost last."""

    device: str
    channel: str
    group: tuple[str, ...]
    key: str
    value: str


def facts_of_blocks(text: str, device: str, names: Names) -> Iterator[Fact]:
    """Yield the values of the configurations in `text`.

    They belong to the device of their section, else of the line above the block or the sentence below it.
    """
    for block in _FENCED.finditer(text):
        told = block[3][:BLOCK_CHARS]
        if block[2].casefold() not in CONFIGURATIONS:
            continue
        before = text[: block.start()].rstrip().rpartition("\n")[2]
        after = text[block.end() :].lstrip("`~ \n").partition("\n")[0]
        scope = _only(before, names) or _only(after, names) or device
        entries = _settings(_entries_of(told, scope, names))
        yield from _facts(entries, names)
        if not entries and not PROGRAM.search(told):
            rows = [cells_of(line) for line in told.splitlines() if line.strip() and not _CLOCK.match(line)]
            yield from facts_of_table([row for row in rows if len(row) > 1], scope, names)


def _settings(entries: Iterable[_Entry]) -> list[_Entry]:
    """Return the entries; none if a key comes again and again, for then they are a log."""
    listed = list(entries)
    often = Counter((entry.device, entry.channel, entry.group, entry.key) for entry in listed)
    return [] if max(often.values(), default=0) >= LOGGED else listed


def _only(line: str, names: Names) -> str:
    """Return the device that a line names; "" if it names none or several."""
    named = {name for _, _, name in devices_named(line, names)}
    return named.pop() if len(named) == 1 else ""


def _entries_of(told: str, device: str, names: Names) -> Iterator[_Entry]:
    try:
        data = json.loads(told)
    except (ValueError, RecursionError):
        if not PROGRAM.search(told):
            yield from _of_lines(told.splitlines(), device, names)
        return
    yield from _of_object(data, device, "", (), names)


def _of_object(
    told: object, device: str, channel: str, group: tuple[str, ...], names: Names
) -> Iterator[_Entry]:
    if isinstance(told, list):
        for item in told[:ITEMS]:
            yield from _of_object(item, device, channel, group, names)
    if not isinstance(told, Mapping):
        return
    for value in told.values():
        if isinstance(value, str) and device_named(value, names):
            device = device_named(value, names)
    number = next(
        (str(value) for key, value in told.items() if re.fullmatch(r"(?i)channel|ch|zone", key)), ""
    )
    channel = number if re.fullmatch(r"\d{1,2}", number) else channel
    for label, value in told.items():
        scope = device_of_key(label, names)
        if isinstance(value, Mapping | list):
            inner = (*group, label) if not scope and not channel_in(label.replace("_", " ")) else group
            yield from _of_object(
                value, scope or device, channel_in(label.replace("_", " ")) or channel, inner, names
            )
        elif _is_plain(value) and not device_named(str(value), names):
            yield _Entry(scope or device, channel, group, label, str(value))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _of_lines(lines: Sequence[str], device: str, names: Names) -> Iterator[_Entry]:
    """Yield the entries of `key = value` lines, nested by sections or by how far they are indented."""
    section: tuple[str, ...] = ()
    own = device
    nested: list[tuple[int, str]] = []  # how far it is indented, its name
    for line in lines:
        if not line.strip() or _CLOCK.match(line) or line.lstrip().startswith(("#", ";", "//")):
            continue
        if found := _SECTION.match(line):
            named = device_of_key(found[1], names)
            own, section, nested = named or device, () if named else (found[1],), []
            continue
        depth = len(line) - len(line.lstrip())
        nested = [row for row in nested if row[0] < depth]
        if found := _GROUP.match(line):
            nested.append((depth, found[2]))
            continue
        yield from _of_line(line, own, (*section, *(name for _, name in nested)), names)


def _of_line(line: str, device: str, group: tuple[str, ...], names: Names) -> Iterator[_Entry]:
    scopes = [device_of_key(name, names) for name in group]
    device = next((name for name in reversed(scopes) if name), device)
    channel = next((channel_in(name.replace("_", " ")) for name in reversed(group)), "")
    outer = tuple(name for name, scope in zip(group, scopes, strict=True) if not scope)
    leading = _LEADING_DEVICE.match(line)
    if leading and (named := device_of_key(leading[1], names)):
        device, line = named, line[leading.end() :]
    for pair in _PAIR.finditer(line):
        head, dot, rest = pair["key"].partition(".")
        if dot and (named := device_of_key(head, names)):
            yield _Entry(named, channel, outer, rest, pair["value"])
        else:
            yield _Entry(device, channel, outer, pair["key"], pair["value"])


def _facts(entries: Sequence[_Entry], names: Names) -> Iterator[Fact]:
    """Yield the facts of entries; a key that stands in several groups is told with its group's name."""
    shared = Counter((entry.device, entry.channel, entry.key) for entry in entries)
    for entry in entries:
        label, unit = key_and_unit(entry.key)
        if not unit:
            label, unit = label_and_unit(label)
        if shared[entry.device, entry.channel, entry.key] > 1 and entry.group:
            label = f"{key_and_unit(entry.group[-1])[0]} {label}"
        channel = entry.channel or channel_in(label)
        parameter = parameter_named(CHANNEL.sub(" ", label))
        found = VALUE.fullmatch(entry.value.strip())
        if parameter and found and fits(parameter, found):
            yield Fact(entry.device, channel, parameter, *quantity(found, unit))
