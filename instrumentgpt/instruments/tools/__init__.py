"""What the analyst, the command line and CLI agents can do with devices and logs, as plain functions.

Each takes the workspace and plain arguments, and returns JSON-ready data that is small enough for a prompt:
a `summary` in words, and the rest as docs/tools.md says.
What cannot be done raises an InstrumentGPTError whose text holds the remedy.
"""

from collections.abc import Callable
from typing import Any

from instrumentgpt.instruments.tools import (
    analysis,
    drawing,
    events,
    gains,
    library,
    notes,
    pairs,
    series,
)

TOOLS: dict[str, Callable[..., dict[str, Any]]] = {
    "list_devices": library.list_devices,
    "list_logs": library.list_logs,
    "fetch_log": library.fetch_log,
    "diagnose_log": analysis.diagnose_log,
    "channel_metrics": analysis.channel_metrics,
    "column_figures": series.column_figures,
    "plot_log": drawing.plot_log,
    "search_events": events.search_events,
    "read_lines": events.read_log_lines,
    "look_at_time": events.look_at_time,
    "compare_logs": pairs.compare_logs,
    "output_over_logs": pairs.output_over_logs,
    "advise_gains": gains.advise_gains,
    "survey_devices": analysis.survey_devices,
    "survey_logs": analysis.survey_logs,
    "shift_report": library.shift_report,
    "write_report": drawing.write_report,
    "recall": notes.recall,
    "device_history": notes.device_history,
    "record_finding": notes.record_finding,
    "record_hypothesis": notes.record_hypothesis,
    "rule_out": notes.rule_out,
    "confirm_root_cause": notes.confirm_root_cause,
    "record_value": notes.record_value,
    "record_constraint": notes.record_constraint,
    "lift_constraint": notes.lift_constraint,
    "note": notes.note,
}
