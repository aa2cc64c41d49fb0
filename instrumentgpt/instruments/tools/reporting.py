"""A tool that writes a report on one log or several: one page with findings, charts and figures."""

import uuid
from collections.abc import Sequence
from typing import Any

from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import SEVERITIES, worst
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.tools.opened import Opened, ToolProblem, diagnosed, open_log
from instrumentgpt.instruments.workspace import Workspace

MOST_LOGS = 12  # of one report: more make a page that no browser likes


class NothingToReport(ToolProblem, ValueError):
    """A report without a log, or with too many."""


def write_report(
    workspace: Workspace, logs: Sequence[str], title: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Write a report on `logs`, the worst first; the answer has it by itself, and only the user saves it.

    logs  names as links have them: "run.log" of a dropped file, "zspr 052/run.log" of a device's
    """
    if not 0 < len(logs) <= MOST_LOGS:
        raise NothingToReport("report_logs", most=MOST_LOGS, logs=len(logs))
    from instrumentgpt.instruments.report import report  # plotly: 0.3 s, only where something is drawn

    opened = [_opened(workspace, log) for log in logs]
    page = report(sorted(map(diagnosed, opened), key=_severity), language)
    workspace.artifacts.mkdir(parents=True, exist_ok=True)
    file = f"report-{uuid.uuid4().hex[:8]}.html"
    (workspace.artifacts / file).write_text(page, encoding="utf-8")
    names = ", ".join(f"{one.device} · {one.name}" if one.device else one.name for one in opened)
    named = title or ", ".join(dict.fromkeys(one.device or one.name for one in opened))
    return {
        "summary": f"report on {names}: {len(page) / 1e6:.1f} MB, not saved",
        "logs": list(logs),
        "artifact": {"kind": "html", "file": file, "title": named, "alt": names},
    }


def _severity(diagnosis: Diagnosis) -> int:
    return SEVERITIES.index(worst(one.severity for one in diagnosis.findings))


def _opened(workspace: Workspace, log: str) -> Opened:
    device, _, name = log.rpartition("/")
    return open_log(workspace, name, device)
