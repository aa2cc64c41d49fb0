"""How each instrument stands: its newest verdict in a word, since when, and what is open; worst first."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.fleet.watch import silences
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.findings import SEVERITIES
from instrumentgpt.instruments.language import Language
from instrumentgpt.storage.cases import unsettled_cases
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.verdicts import standings

WORDS = {  # state → its word
    "fault": {"en": "Fault", "zh": "故障"},
    "open": {"en": "Unclear", "zh": "不明"},
    "unreadable": {"en": "Unreadable", "zh": "無法讀取"},
    "healthy": {"en": "Healthy", "zh": "正常"},
    "unseen": {"en": "Not judged", "zh": "尚未判斷"},
}
GRAVE = ("critical", "high")  # severities of a fault that is told as one; what is less is a warning
WARNING = {"en": "Warning", "zh": "注意"}


@dataclass(frozen=True)
class Row:
    """One device: `state` is one of WORDS; times in s since 1970 by the log's own clock, None if it has none.

    since   the onset of its fault, else the beginning, in the oldest log in a row that says the same
    errors  pv − setpoint through the newest log's last day; band: the deviation that is worth a word
    open    its cases that are not settled
    silent  for how long, in s, it has written no log, where that is longer than usual
    """

    device: str
    label: str
    model: str
    state: str
    fault: str = ""
    severity: str = "none"
    channel: int | None = None
    line: int | None = None
    text_en: str = ""
    text_zh: str = ""
    log: str = ""
    logs: int = 0
    ended: float | None = None
    since: float | None = None
    errors: tuple[float | None, ...] = ()
    open: int = 0
    band: float | None = None
    silent: float = 0.0

    def word(self, language: Language) -> str:
        """Return the state in a word."""
        return word_of(self.state, language, self.severity)

    def title(self, language: Language) -> str:
        """Return the name of its fault, "" if it has none."""
        is_fault = any(check.fault == self.fault for check in CHECKS.values())
        return wording.title(self.fault, language) if is_fault else ""


def word_of(state: str, language: Language, severity: str = "high") -> str:
    """Return the word for a state of WORDS."""
    return WARNING[language] if state == "fault" and severity not in GRAVE else WORDS[state][language]


def rows_of(database: Database, devices: Sequence[Device]) -> list[Row]:
    """Return a row for each device, the worst first; those that were never judged last."""
    by_device, unsettled = standings(database), unsettled_cases(database)
    silent = silences(database, time.time())
    table = []
    for device in devices:
        row = Row(device.name, device.label, device.model, "unseen", open=unsettled.get(device.name, 0))
        if standing := by_device.get(device.name):
            verdict, figures = standing.verdict, json.loads(standing.verdict.figures)
            of_loop: dict[str, Any] = figures.get(str(verdict.channel)) or next(iter(figures.values()), {})
            row = Row(
                device.name, device.label, device.model, verdict.state, verdict.fault, verdict.severity,
                verdict.channel, verdict.line, verdict.text_en, verdict.text_zh, verdict.log, standing.logs,
                verdict.ended, standing.since, tuple(json.loads(verdict.errors)), row.open,
                of_loop.get("band"), silent.get(device.name, 0.0),
            )  # fmt: skip
        table.append(row)
    return sorted(table, key=_badness)


@dataclass(frozen=True)
class Talk:
    """A conversation about a device; `cause` is the root cause that it named last, "" if none."""

    id: str
    title: str
    updated_at: float
    cause: str


def talks_about(database: Database, device: str) -> list[Talk]:
    """Return the newest conversations about a device, the newest first."""
    sql = (
        "SELECT id, coalesce(title, ''), CAST(updated_at AS REAL),"
        " coalesce(json_extract(diagnostic_state, '$.root_causes[#-1]'), '') FROM conversations"
        " WHERE deleted_at IS NULL AND json_valid(diagnostic_state)"
        " AND json_extract(diagnostic_state, '$.device_name') = ? ORDER BY updated_at DESC LIMIT 20"
    )
    return [Talk(*row) for row in rows(database, sql, (device,))]


def _badness(row: Row) -> tuple[int, int, float]:
    order = ("fault", "open", "unreadable", "healthy", "unseen")
    largest = max((abs(error) for error in row.errors if error is not None), default=0.0)
    return order.index(row.state), SEVERITIES.index(row.severity), -largest
