"""A tool that compares two logs of a device."""

from dataclasses import asdict
from typing import Any

from instrumentgpt.instruments.compare import Comparison, compare
from instrumentgpt.instruments.comparison_wording import comparison_sentences, event_sentence, row_sentence
from instrumentgpt.instruments.tools.opened import open_log
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.text.language import Language


def compare_logs(
    workspace: Workspace, log: str, before: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return what differs in `log` from the earlier log `before`: gains, setpoints, output, noise, events."""
    later, earlier = open_log(workspace, log, device), open_log(workspace, before, device)
    found = compare(earlier.log, later.log)
    return {
        "summary": " ".join(comparison_sentences(found, language)),
        "log": later.name,
        "logs": [earlier.name, later.name],
        "before": earlier.name,
        "changes": _changes(found, language),
        "compared": [plain(asdict(row)) for row in found.rows],
    }


def _changes(found: Comparison, language: Language) -> list[dict[str, Any]]:
    rows = [{**plain(asdict(row)), "text": row_sentence(row, found.unit, language)} for row in found.notable]
    events = [
        {**plain(asdict(one)), "quantity": "events", "text": event_sentence(one, language)}
        for one in found.events
    ]
    return rows + events
