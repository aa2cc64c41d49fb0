"""How each instrument stands: its newest verdict in a word, since when, and what is open; worst first.

A lab is watched by it: after each scan what came, what went and who is silent; people are told once, of all.
"""

import json
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import quote, urlencode

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.findings import SEVERITIES
from instrumentgpt.instruments.language import Language, span_text
from instrumentgpt.storage import alerts
from instrumentgpt.storage.cases import InShort, cases_in_short
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.verdicts import Verdict, log_ends, standings

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
    cases   None if it has none
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
    cases: InShort | None = None
    band: float | None = None
    silent: float = 0.0
    room: str = ""

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
    by_device, cases_of = standings(database), cases_in_short(database)
    silent = silences(database, time.time())
    table = []
    for device in devices:
        cases = cases_of.get(device.name)
        row = Row(device.name, device.label, device.model, "unseen", cases=cases, room=device.room)
        if standing := by_device.get(device.name):
            verdict, figures = standing.verdict, json.loads(standing.verdict.figures)
            of_loop: dict[str, Any] = figures.get(str(verdict.channel)) or next(iter(figures.values()), {})
            row = Row(
                device.name, device.label, device.model, verdict.state, verdict.fault, verdict.severity,
                verdict.channel, verdict.line, verdict.text_en, verdict.text_zh, verdict.log, standing.logs,
                verdict.ended, standing.since, tuple(json.loads(verdict.errors)), cases,
                of_loop.get("band"), silent.get(device.name, 0.0), device.room,
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
        "SELECT id, title, updated_at,"
        " coalesce(json_extract(diagnostic_state, '$.root_causes[#-1]'), '') FROM conversations"
        " WHERE deleted_at IS NULL AND json_valid(diagnostic_state)"
        " AND json_extract(diagnostic_state, '$.device_name') = ? ORDER BY updated_at DESC LIMIT 20"
    )
    return [Talk(*row) for row in rows(database, sql, (device,))]


def _badness(row: Row) -> tuple[int, int, float]:
    order = ("fault", "open", "unreadable", "healthy", "unseen")
    largest = max((abs(error) for error in row.errors if error is not None), default=0.0)
    return order.index(row.state), SEVERITIES.index(row.severity), -largest


ALERTED = ("medium", "high", "critical")  # severities that somebody is told of
USUAL = 4  # logs from which on a device has a usual time between two, and somebody is told of its silence
SILENCE = 3.0  # usual times without a log, and a day at least: nights and weekends are no silence
DAY, WEEK = 86_400.0, 604_800.0  # s
ADDRESS = "http://127.0.0.1:8501"  # of the page, where INSTRUMENTGPT_ADDRESS names no other
Key = tuple[str, str, int | None]  # device, fault, channel


class NotSent(InstrumentGPTError, OSError):
    """Nobody could be told of an alert."""


def compare_with_alerts(
    database: Database, devices: Sequence[Device], now: float
) -> tuple[list[alerts.Alert], list[alerts.Alert]]:
    """Raise an alert for each fault that is new in the newest verdicts, and end those that are gone.

    Returns (those that came, those that went) since people were told last. A fault that lasts is raised
    once; one that comes back after it was gone is a new one.
    """
    by_device, silent = standings(database), silences(database, now, written=True)
    faults: dict[Key, Verdict] = {}
    texts: dict[Key, str] = {}
    for device in devices:
        if device.name not in by_device:
            continue
        verdict = by_device[device.name].verdict
        if verdict.state == "fault" and verdict.severity in ALERTED:
            key = (verdict.device, verdict.fault, verdict.channel)
            faults[key], texts[key] = verdict, verdict.text_en
        if device.name in silent and by_device[device.name].logs >= USUAL:
            key, span = (verdict.device, alerts.SILENT, None), span_text(silent[device.name])
            faults[key], texts[key] = verdict, f"No log for {span}, longer than usual"
    raised = {(alert.device, alert.fault, alert.channel): alert for alert in alerts.open_alerts(database)}
    for key in faults.keys() - raised.keys():
        verdict = faults[key]
        severity, line = ("high", None) if key[1] == alerts.SILENT else (verdict.severity, verdict.line)
        alerts.raise_alert(database, *key, severity, texts[key], verdict.log, line)
    watched = {device.name for device in devices}
    for key, alert in raised.items():
        if key not in faults and alert.device in watched:
            alerts.end_alert(database, alert.id)
    return alerts.untold_alerts(database)


def silences(database: Database, now: float, written: bool = False) -> dict[str, float]:
    """Return device → for how long, in s, it has had no log, for those where that is longer than usual.

    Usual is what SILENCE says; with fewer than USUAL logs the longest time between two, and a week at least.

    written  by when the files were written, as they come to be here; else by the logs' own clocks
    """
    silent = {}
    for device, ends in log_ends(database, written).items():
        gaps = [later - earlier for earlier, later in pairwise(ends)]
        many = len(ends) >= USUAL
        usual = max(SILENCE * statistics.median(gaps), DAY) if many else max([WEEK, *gaps])
        if (quiet := now - ends[-1]) > usual:
            silent[device] = quiet
    return silent


def tell(
    database: Database, new: Sequence[alerts.Alert], gone: Sequence[alerts.Alert], places: Sequence[str]
) -> None:
    """Tell the `places` (apprise URLs) of all together, once; without one, alerts stay on the page alone.

    Raises NotSent; what could not be told is told with the next.
    """
    if (new or gone) and places:
        import apprise  # a third of a second

        messenger = apprise.Apprise()
        unknown = [place for place in places if not messenger.add(place)]
        if unknown:
            raise NotSent(
                f"{len(unknown)} of the alert addresses cannot be used. See docs/settings.md, Alerts"
            )
        counts = [f"{len(rows)} {word}" for rows, word in ((new, "new"), (gone, "gone")) if rows]
        body = "\n".join([*map(_alert_line, new), *(f"gone: {alert.device}: {alert.text}" for alert in gone)])
        if not messenger.notify(title=f"InstrumentGPT: {', '.join(counts)}", body=body):
            raise NotSent("The alert could not be delivered. It is tried again with the next look")
    for alert in {alert.id: alert for alert in (*new, *gone)}.values():
        alerts.note_sent(database, alert.id)


def _alert_line(alert: alerts.Alert) -> str:
    query = {"device": alert.device, "log": alert.log, **({"line": alert.line} if alert.line else {})}
    address = os.environ.get("INSTRUMENTGPT_ADDRESS", ADDRESS)
    return (
        f"{alert.severity}: {alert.device}: {alert.text}\n{address}/logs?{urlencode(query, quote_via=quote)}"
    )
