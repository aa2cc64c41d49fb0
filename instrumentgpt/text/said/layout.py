"""What each line of a message is: prose, a row of a table, a line of a configuration or of a log."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from instrumentgpt.text.facts.config import CONFIGURATIONS, PROGRAM
from instrumentgpt.text.facts.tables import cells_of
from instrumentgpt.text.filtering import is_log_line, languages, without_markers

ALIKE = 4  # so many lines of one form are data; others beside them are events
NEAR = 2  # lines
BEGINNING = 4  # characters of a form that the lines of one log have in common
FORM_CHARS = 80
LOGS = frozenset({"log", "logs", "console", "output", "syslog", "csv", "tsv"})  # languages of blocks
PROGRAM_SHARE = 3  # a block without a language is a program if one line in so many is of one
_QUOTED = re.compile(r"\s*[>＞]")
_RULE = re.compile(r"[\s|:\-+=_]+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[-+]?\d+")
_ITEM = re.compile(r"\s*(?:[-*•·+–]|\d{1,2}[.)、])\s+[^\W\d]")


def kinds_of(lines: Sequence[str]) -> list[str]:
    """Return what each line is: "prose", "row", "code", "log", "blank", "fence" or "skip".

    code  a line of a configuration; programs, quotations, rules and lines of data are skipped
    log   an event: a line with date and time, or unlike the lines of data around it

    >>> kinds_of(["Set:", "```ini", "kp = 9", "```", "", "| a | b |", "|---|---|", "> never"])
    ['prose', 'fence', 'code', 'fence', 'blank', 'row', 'row', 'skip']
    """
    blocks = _blocks(lines)
    forms = [_form(line) for line in lines]
    often = Counter(forms)
    data = [bool(form) and often[form] >= ALIKE for form in forms]
    rows = _rows(lines, blocks, data)
    has_data = any(data)
    return [
        _kind(line, blocks[at], at in rows, data[at], has_data and _is_event(at, forms, data))
        for at, line in enumerate(lines)
    ]


def own_lines(text: str) -> list[str]:
    """Return the lines of `text` that its author says himself: none of a log, or between two lines of one.

    >>> own_lines("[2026-02-19 23:24:45] a\\nnever restart\\n[2026-02-19 23:24:46] b\\n\\nWhy?")
    ['Why?']
    """
    lines = without_markers(text).split("\n")
    kinds, blocks = kinds_of(lines), _blocks(lines)
    kept: list[str] = []
    for is_blank, block in groupby(range(len(lines)), key=lambda at: kinds[at] == "blank"):
        places = [] if is_blank else list(block)
        logged = [at for at in places if not blocks[at] and _is_logged(lines[at], kinds[at])]
        pasted = range(logged[0], logged[-1]) if logged else range(0)
        kept += [lines[at] for at in places if kinds[at] in ("prose", "row") and at not in pasted]
    return kept


def _is_logged(line: str, kind: str) -> bool:
    """Return whether a line outside of blocks of code is one of a log: an event, or data."""
    data = kind == "skip" and _form(line) and not _QUOTED.match(line) and not _RULE.fullmatch(line.strip())
    return kind == "log" or bool(data)


def _kind(line: str, block: str, is_row: bool, is_data: bool, is_event: bool) -> str:
    bare = line.strip()
    if not bare:
        return "skip" if block else "blank"
    if block and bare.lstrip("> \t").startswith(("```", "~~~")):
        return "fence"
    if is_row:
        return "row"
    if is_data or block == "program" or _RULE.fullmatch(bare):
        return "skip"
    if is_event or block == "log":
        return "log"
    if block:
        return block
    if _QUOTED.match(line):
        return "skip"
    return "log" if is_log_line(line) else "prose"


def _blocks(lines: Sequence[str]) -> list[str]:
    """Return of what each line's block of code is: "code", "log" or "program"; "" outside."""
    if not any("```" in line or "~~~" in line for line in lines):
        return [""] * len(lines)
    found: list[str] = []
    for language, group in groupby(zip(languages(lines), lines, strict=True), key=lambda pair: pair[0]):
        block = [line for _, line in group]
        found += [_block(language, block)] * len(block)
    return found


def _block(language: str | None, block: Sequence[str]) -> str:
    if language is None:
        return ""
    if language in LOGS:
        return "log"
    return "code" if language in CONFIGURATIONS and not (language == "" and _is_program(block)) else "program"


def _is_program(block: Sequence[str]) -> bool:
    told = [line.rstrip() for line in block[1:] if line.strip()]
    steps = sum(not line.endswith(("{", "[")) and PROGRAM.search(line) is not None for line in told)
    return steps > 0 and steps * PROGRAM_SHARE >= len(told)


def _form(line: str) -> str:
    """Return the line without what differs between lines of data; "" if it can be none of them."""
    if not _DIGIT.search(line) or line.lstrip().startswith("|") or _ITEM.match(line):
        return ""
    return _NUMBER.sub("0", line[: 2 * FORM_CHARS].rstrip().replace(" ", "").replace("\t", ""))[:FORM_CHARS]


def _is_event(at: int, forms: Sequence[str], data: Sequence[bool]) -> bool:
    """Return whether the line stands among lines of data, or beside them and begins as they do."""
    first, last = max(0, at - NEAR), at + 1 + NEAR
    if any(data[first:at]) and any(data[at + 1 : last]):
        return True
    begins = forms[at][:BEGINNING]
    beside = (form for form, is_data in zip(forms[first:last], data[first:last], strict=True) if is_data)
    return bool(begins) and any(form[:BEGINNING] == begins for form in beside)


def _rows(lines: Sequence[str], blocks: Sequence[str], data: Sequence[bool]) -> set[int]:
    """Return the places of the lines of tables, with bars at their ends or without, or with tabs."""
    if not any("|" in line or "\t" in line for line in lines):
        return set()
    parted = ["" if block else _parted(line) for line, block in zip(lines, blocks, strict=True)]
    found: set[int] = set()
    for mark, group in groupby(range(len(lines)), key=parted.__getitem__):
        places = list(group)
        is_plain = len(places) > 1 and not any(data[at] for at in places)
        if mark and (is_plain or (mark == "|" and _is_table([lines[at] for at in places]))):
            found.update(places)
    return found


def _parted(line: str) -> str:
    """Return by what the line's cells are parted, "" if it has none."""
    for mark in ("|", "\t"):
        if mark in line and not _QUOTED.match(line) and len(cells_of(line)) > 1 and mark in line.strip():
            return mark
    return ""


def _is_table(block: Sequence[str]) -> bool:
    return any(line.lstrip().startswith("|") or _RULE.fullmatch(line) for line in block)
