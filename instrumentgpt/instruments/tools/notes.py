"""Tools by which an agent puts on record what it found: data for the memory, with its evidence.

They store nothing: the turn takes what they return into the state, as it takes any tool's result.
"""

from collections.abc import Sequence
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools.events import NoSuchLine
from instrumentgpt.instruments.tools.opened import bare, find_log, texts_of
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.text.language import language_of
from instrumentgpt.text.statements import STATEMENT_CHARS

MOST_LINES = 6  # quoted as evidence of one statement


class NotOnRecord(InstrumentGPTError, ValueError):
    """A statement that cannot be put on record as it is."""


def record_finding(
    workspace: Workspace, text: str, log: str, lines: Sequence[int], device: str = ""
) -> dict[str, Any]:
    """Return a finding as data: what was seen, in one sentence with its numbers, and the lines that show."""
    stated = _stated(text)
    evidence = _evidence(workspace, log, lines, device)
    if not evidence:
        raise NotOnRecord("A finding needs the log and the lines that show it: give lines=[…] of that log")
    finding = {"text": stated, "evidence": evidence}
    return {"summary": f"on record: {stated}", "log": bare(log.rpartition("/")[2]), "findings": [finding]}


def record_hypothesis(
    workspace: Workspace, text: str, log: str = "", lines: Sequence[int] = (), device: str = ""
) -> dict[str, Any]:
    """Return a possible cause as data, in one sentence: not shown yet, and not ruled out."""
    return _cause(workspace, "hypotheses", text, log, lines, device)


def confirm_root_cause(
    workspace: Workspace, text: str, log: str = "", lines: Sequence[int] = (), device: str = ""
) -> dict[str, Any]:
    """Return the root cause as data, in one sentence: the hypothesis that the evidence has confirmed."""
    return _cause(workspace, "root_causes", text, log, lines, device)


def rule_out(workspace: Workspace, hypothesis: str, because: str) -> dict[str, Any]:
    """Return that `hypothesis` is no longer one, and why, as data: remembered, it saves looking again."""
    stated, reason = _stated(hypothesis), _stated(because)
    text = f"{stated}（{reason}）" if language_of(stated) == "zh" else f"{stated} ({reason})"
    return {"summary": text, "ruled_out": [stated]}


def _cause(
    workspace: Workspace, field: str, text: str, log: str, lines: Sequence[int], device: str
) -> dict[str, Any]:
    stated = _stated(text)
    item = {"text": stated, "evidence": _evidence(workspace, log, lines, device)}
    named = {"log": bare(log.rpartition("/")[2])} if log else {}
    return {"summary": f"on record: {stated}", **named, field: [item]}


def _stated(text: str) -> str:
    stated = " ".join(text.split())
    if not stated:
        raise NotOnRecord("There is no text. Say it in one sentence, with its numbers")
    if len(stated) > STATEMENT_CHARS:
        raise NotOnRecord(
            f"The text has {len(stated):,} characters; memory keeps {STATEMENT_CHARS}. "
            "Say it in one sentence, or record several"
        )
    return stated


def _evidence(workspace: Workspace, log: str, lines: Sequence[int], device: str) -> list[dict[str, Any]]:
    """Return the `lines` of `log` as they stand there; NoSuchLine for one that it does not have."""
    if lines and not log:
        raise NotOnRecord("Which log are these lines of? Give log=…")
    if len(lines) > MOST_LINES:
        raise NotOnRecord(f"{len(lines)} lines are too many to quote. Give the {MOST_LINES} that tell most")
    if not log:
        return []
    texts = texts_of(find_log(workspace, log, device), [number for number in lines if number > 0])
    for number in lines:
        if number not in texts:
            raise NoSuchLine("line_not_found", log=log, line=number)
    return [{"line": number, "text": texts[number]} for number in lines]
