"""Alerts: each fault of a device that a watch has told of, from when it came to when it went."""

import time
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.storage.connection import Value, change, insert, rows, select

SILENT = "silent"  # the fault of a device that writes no logs any more
WEEK = 7 * 86_400.0  # s


@dataclass(frozen=True)
class Alert:
    """One fault of one device; times in s since 1970, `gone_at` None while it lasts.

    verdict  what a person said of it: "real", "false", "" while nobody has looked
    """

    id: int
    device: str
    fault: str
    channel: int | None
    severity: str
    text: str
    log: str
    line: int | None
    raised_at: float
    sent_at: float | None = None
    gone_at: float | None = None
    verdict: str = ""
    seen_by: str = ""


def open_alerts(database: Database) -> list[Alert]:
    """Return the alerts that last, the newest first."""
    return select(database, Alert, "alerts WHERE gone_at IS NULL ORDER BY id DESC")


def untold_alerts(database: Database) -> tuple[list[Alert], list[Alert]]:
    """Return (those that came, those that went) since people were told last, oldest first."""
    went = "alerts WHERE gone_at IS NOT NULL AND gone_at > coalesce(sent_at, 0) ORDER BY id"
    return select(database, Alert, "alerts WHERE sent_at IS NULL ORDER BY id"), select(database, Alert, went)


def raise_alert(
    database: Database,
    device: str,
    fault: str,
    channel: int | None,
    severity: str,
    text: str,
    log: str,
    line: int | None,
) -> None:
    """Keep a new alert."""
    row: dict[str, Value] = {"device": device, "fault": fault, "channel": channel, "severity": severity}
    row |= {"text": text, "log": log, "line": line, "raised_at": time.time(), "verdict": "", "seen_by": ""}
    insert(database, "alerts", "INSERT", **row)


def end_alert(database: Database, alert_id: int) -> None:
    """Note that the fault has gone."""
    change(database, "UPDATE alerts SET gone_at = ? WHERE id = ?", (time.time(), alert_id))


def note_sent(database: Database, alert_id: int) -> None:
    """Note that people have been told of the alert as it is now."""
    change(database, "UPDATE alerts SET sent_at = ? WHERE id = ?", (time.time(), alert_id))


def acknowledge(database: Database, alert_id: int, verdict: str, who: str) -> None:
    """Keep what `who` said of the alert: "real" or "false"."""
    change(database, "UPDATE alerts SET verdict = ?, seen_by = ? WHERE id = ?", (verdict, who, alert_id))


def false_alarms(database: Database) -> dict[str, int]:
    """Return device → how many alerts of the last seven days were found to be false."""
    sql = "SELECT device, count(*) FROM alerts WHERE verdict = 'false' AND raised_at > ? GROUP BY device"
    return dict(rows(database, sql, (time.time() - WEEK,)))
