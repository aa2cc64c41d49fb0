"""What the analyst, the command line and CLI agents can do with devices and logs, as plain functions.

Each takes the workspace and plain arguments, and returns JSON-ready data that is small enough for a prompt:
a `summary` in words, and the rest as docs/tools.md says.
What cannot be done raises an InstrumentGPTError whose text holds the remedy.
"""

from collections.abc import Callable
from typing import Any

from instrumentgpt.instruments.tools.analysis import (
    channel_metrics,
    diagnose_log,
    next_test,
    survey_devices,
    survey_logs,
)
from instrumentgpt.instruments.tools.columns import other_columns
from instrumentgpt.instruments.tools.drawing import plot_log, write_report
from instrumentgpt.instruments.tools.events import explain_jump, look_at_time, read_log_lines, search_events
from instrumentgpt.instruments.tools.gains import advise_gains
from instrumentgpt.instruments.tools.library import fetch_log, list_devices, list_logs
from instrumentgpt.instruments.tools.notes import (
    confirm_root_cause,
    device_history,
    lift_constraint,
    note,
    recall,
    record_constraint,
    record_finding,
    record_hypothesis,
    record_value,
    rule_out,
)
from instrumentgpt.instruments.tools.pairs import compare_logs, output_over_logs
from instrumentgpt.instruments.tools.settled import find_cases, shift_report

TOOLS: dict[str, Callable[..., dict[str, Any]]] = {
    "list_devices": list_devices,
    "list_logs": list_logs,
    "fetch_log": fetch_log,
    "diagnose_log": diagnose_log,
    "next_test": next_test,
    "channel_metrics": channel_metrics,
    "other_columns": other_columns,
    "plot_log": plot_log,
    "search_events": search_events,
    "read_lines": read_log_lines,
    "look_at_time": look_at_time,
    "explain_jump": explain_jump,
    "compare_logs": compare_logs,
    "output_over_logs": output_over_logs,
    "advise_gains": advise_gains,
    "survey_devices": survey_devices,
    "survey_logs": survey_logs,
    "shift_report": shift_report,
    "write_report": write_report,
    "recall": recall,
    "device_history": device_history,
    "find_cases": find_cases,
    "record_finding": record_finding,
    "record_hypothesis": record_hypothesis,
    "rule_out": rule_out,
    "confirm_root_cause": confirm_root_cause,
    "record_value": record_value,
    "record_constraint": record_constraint,
    "lift_constraint": lift_constraint,
    "note": note,
}
