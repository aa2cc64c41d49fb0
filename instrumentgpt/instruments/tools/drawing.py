"""Tools that draw a log as a chart for the page, and write a report."""

import uuid
from collections.abc import Sequence
from typing import Any

from instrumentgpt.instruments import segment_wording
from instrumentgpt.instruments.findings import SEVERITIES, worst
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.tools.opened import ToolProblem, diagnosed, known_channel, open_log
from instrumentgpt.instruments.tools.window import window_of
from instrumentgpt.instruments.workspace import Workspace


def plot_log(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    language: Language = "en",
    chart: str = "loop",
    channels: Sequence[int] | None = None,
    since: str = "",
    until: str = "",
) -> dict[str, Any]:
    """Draw `log`, or one channel, for the user, and say what it shows: the answer has the chart by itself.

    Once in an answer, for the channel that matters; not to look at a curve yourself.
    Example: plot_log(log="run.log", device="zspr 052", channel=2).

    channels      several of them, where `channel` is not given
    since, until  of what is shown: "14:20", or with a date; "-1 h" from the end, "20 min" from the start
    chart  "loop": setpoint, pv and output of each channel; "error": pv less setpoint of all in one row;
           "trend": duty, cycle, noise and offset of each segment, over days
    """
    from instrumentgpt.instruments import charts  # plotly: 0.3 s, only where something is drawn

    drawn = charts.chart_named(chart)
    opened = open_log(workspace, log, device)
    chosen = [
        known_channel(opened, number) for number in ([channel] if channel is not None else channels or ())
    ] or None
    window = window_of(opened.log, since, until) if since or until else None
    diagnosis = diagnosed(opened)
    title = f"{device} · {opened.name}" if device else opened.name
    figure = drawn(
        opened.log,
        diagnosis.findings,
        chosen,
        language,
        window=window,
        title=title,
        diagnosis=diagnosis,
    )
    alt = charts.text_alternative(opened.log, diagnosis.findings, language, chosen, diagnosis.excursions)
    alt = " ".join([alt, *segment_wording.trend_sentences(diagnosis, language, chosen)])
    workspace.artifacts.mkdir(parents=True, exist_ok=True)
    file = f"chart-{uuid.uuid4().hex[:8]}.json"
    (workspace.artifacts / file).write_text(figure.to_json(), encoding="utf-8")
    return {
        "summary": alt,
        "log": opened.name,
        "device": opened.device,
        "artifact": {"kind": "plotly", "file": file, "title": title, "alt": alt},
    }


MOST_LOGS = 12  # of one report: more make a page that no browser likes


class NothingToReport(ToolProblem, ValueError):
    """A report without a log, or with too many."""


def write_report(
    workspace: Workspace, logs: Sequence[str], title: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Write a report on `logs`, the worst first; the answer has it by itself, and only the user saves it.

    Only when a report is asked for.
    Example: write_report(logs=["zspr 052/run.log"], title="Ovens, week 8").

    logs  names as links have them: "run.log" of a dropped file, "zspr 052/run.log" of a device's
    """
    if not 0 < len(logs) <= MOST_LOGS:
        raise NothingToReport("report_logs", most=MOST_LOGS, logs=len(logs))
    from instrumentgpt.instruments.report import report  # plotly: 0.3 s, only where something is drawn

    opened = [open_log(workspace, log, device=log.rpartition("/")[0]) for log in logs]
    diagnoses = [diagnosed(log) for log in opened]
    diagnoses.sort(key=lambda judged: SEVERITIES.index(worst(one.severity for one in judged.findings)))
    page = report(diagnoses, language)
    workspace.artifacts.mkdir(parents=True, exist_ok=True)
    file = f"report-{uuid.uuid4().hex[:8]}.html"
    (workspace.artifacts / file).write_text(page, encoding="utf-8")
    names = ", ".join(f"{log.device} · {log.name}" if log.device else log.name for log in opened)
    named = title or ", ".join(dict.fromkeys(log.device or log.name for log in opened))
    return {
        "summary": f"report on {names}: {len(page) / 1e6:.1f} MB, not saved",
        "logs": list(logs),
        "artifact": {"kind": "html", "file": file, "title": named, "alt": names},
    }
