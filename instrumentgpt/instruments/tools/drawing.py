"""A tool that draws a log as a chart for the page."""

import uuid
from collections.abc import Sequence
from typing import Any

from instrumentgpt.instruments import segment_wording
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.tools.opened import diagnosed, known_channel, open_log
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

    channels      several of them, where `channel` is not given
    since, until  the stretch that is shown: "14:20", or with a date; "": the log's ends
    chart  "loop": setpoint, pv and output of each channel; "error": pv less setpoint of all in one row;
           "trend": duty, cycle, noise and offset of each segment, over days
    """
    from instrumentgpt.instruments import charts  # plotly: 0.3 s, only where something is drawn

    drawn = charts.chart_named(chart)
    opened = open_log(workspace, log, device)
    chosen = [
        known_channel(opened, one) for one in ([channel] if channel is not None else channels or ())
    ] or None
    window = window_of(opened.log, since, until) if since or until else None
    found = diagnosed(opened)
    title = f"{device} · {opened.name}" if device else opened.name
    figure = drawn(
        opened.log,
        found.findings,
        chosen,
        language,
        window=window,
        title=title,
        **charts.judged_for(chart, found),
    )
    alt = charts.text_alternative(opened.log, found.findings, language, chosen, found.excursions)
    alt = " ".join([alt, *segment_wording.trend_sentences(found, language, chosen)])
    workspace.artifacts.mkdir(parents=True, exist_ok=True)
    file = f"chart-{uuid.uuid4().hex[:8]}.json"
    (workspace.artifacts / file).write_text(figure.to_json(), encoding="utf-8")
    return {
        "summary": alt,
        "log": opened.name,
        "device": opened.device,
        "artifact": {"kind": "plotly", "file": file, "title": title, "alt": alt},
    }
