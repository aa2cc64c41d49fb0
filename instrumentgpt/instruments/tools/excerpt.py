"""A tool that explains two readings far apart on neighbouring lines, of a log or pasted."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.analysis.jumps import Jump, Reading, find_jump, largest_jump
from instrumentgpt.instruments.logs import Log, UnreadableLog, read_lines, read_log
from instrumentgpt.instruments.tools.opened import open_log
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.tools.problems import ToolProblem
from instrumentgpt.instruments.workspace import Workspace

TOLD = ("spike", "stays", "ends", "rail")  # kinds of jumps that are a finding
MOST_PASTED = 5000  # lines; more belong in a file


class NothingToCompare(ToolProblem, ValueError):
    """Fewer than two readings."""


def explain_jump(
    workspace: Workspace,
    log: str = "",
    device: str = "",
    before: float | None = None,
    after: float | None = None,
    tolerance: float = 0.05,
    lines: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return why the reading `after` follows `before` on the next line of `log`, or in the pasted `lines`.

    Without the two values the greatest difference between neighbouring lines is explained.
    """
    if lines:
        return _pasted(lines, before, after, tolerance)
    opened = open_log(workspace, log, device)
    return _explained(opened.log, opened.path, opened.name, before, after, tolerance)


def _pasted(
    lines: tuple[str, ...], before: float | None, after: float | None, tolerance: float
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pasted.log"
        path.write_text("\n".join(lines[:MOST_PASTED]) + "\n", encoding="utf-8")
        try:
            log = read_log(path)
        except UnreadableLog as problem:
            raise NothingToCompare("pasted_unreadable", lines=len(lines), problem=problem) from None
        return _explained(log, path, "", before, after, tolerance)


def _explained(
    log: Log, path: Path, name: str, before: float | None, after: float | None, tolerance: float
) -> dict[str, Any]:
    found = None
    if before is not None and after is not None:
        found = find_jump(log.samples, before, after, tolerance, log.unit)
    elif len(log.samples) >= 2:
        found = largest_jump(log.samples, log.unit)
    return {
        "summary": f"{found.kind}: lines {found.before.line} and {found.after.line}"
        if found
        else "not found",
        "log": name,
        "samples": len(log.samples),
        "total_lines": log.lines,
        "jump": _jump(log, path, found) if found else None,
        "findings": [_finding(log, path, found)] if found and found.kind in TOLD and name else [],
    }


def _finding(log: Log, path: Path, jump: Jump) -> dict[str, Any]:
    """Return the jump as a finding, so that it is remembered in a sentence and not as the lines quoted."""
    before, after = jump.before, jump.after
    readings = [_reading(log, path, one) for one in (before, after)]
    change = f"pv {before.pv:g} → {after.pv:g} in {jump.seconds:.2f} s"
    return {
        "text": f"Channel {after.channel}: {change} ({jump.kind})",
        "evidence": [{"line": one["line"], "text": one["text"]} for one in readings],
    }


def _jump(log: Log, path: Path, jump: Jump) -> dict[str, Any]:
    values = {name: plain(value) for name, value in asdict(jump).items() if not isinstance(value, dict)}
    readings = {name: getattr(jump, name) for name in ("before", "after", "back", "own")}
    return values | {name: one and _reading(log, path, one) for name, one in readings.items()}


def _reading(log: Log, path: Path, reading: Reading) -> dict[str, Any]:
    ((_, text),) = read_lines(path, reading.line, reading.line)
    return {**plain(asdict(reading)), "clock": log.clock(reading.time), "text": text}
