"""What was judged of each log of each device: a row a log, written by a scan, read by everybody."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby, takewhile
from operator import attrgetter

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, select, transaction


@dataclass(frozen=True)
class Verdict:
    """What a scan said of one log.

    size, modified  of the file then: bytes, and the time as its folder tells it
    begun, ended  by the log's own clock, s since 1970; None: the log has no date
    state    "fault", "healthy", "open" (nothing could be judged, or it is unexplained), "unreadable"
    fault, severity, channel, line  of the likeliest root cause; text_en, text_zh: its sentence
    figures  JSON: channel → its figures; errors: JSON list, pv − setpoint through the log's last day
    judged_at  s since 1970
    onset    of the fault, as `begun`; None: there is none, or no date
    """

    device: str
    log: str
    size: int
    modified: str
    begun: float | None
    ended: float | None
    state: str
    fault: str
    severity: str
    channel: int | None
    line: int | None
    text_en: str
    text_zh: str
    figures: str
    errors: str
    judged_at: float
    onset: float | None = None


@dataclass(frozen=True)
class Standing:
    """A device's newest verdict, of a log that has not only begun.

    since   when its logs began to say the same: as `onset`, else `begun`
    """

    verdict: Verdict
    since: float | None
    logs: int


_AGE = "coalesce(begun, judged_at)"
SMALL_PART = 4  # a newest log under one part of the one before, too short to judge, lets that one speak


def store_verdicts(database: Database, verdicts: Iterable[Verdict]) -> None:
    """Store verdicts, each in place of an earlier one on the same log."""
    with transaction(database):
        database.table("verdicts").upsert_all([asdict(verdict) for verdict in verdicts], pk=("device", "log"))


def judged_files(database: Database) -> dict[tuple[str, str], tuple[int, str]]:
    """Return (device, log) → (size, modified) of every file that was judged."""
    stored = rows(database, "SELECT device, log, size, modified FROM verdicts")
    return {(device, log): (size, modified) for device, log, size, modified in stored}


def verdicts_of(database: Database, device: str, limit: int = 5_000) -> list[Verdict]:
    """Return the verdicts on a device's logs, the newest log first."""
    source = f"verdicts WHERE device = ? ORDER BY {_AGE} DESC LIMIT ?"
    return select(database, Verdict, source, (device, limit))


def standings(database: Database) -> dict[str, Standing]:
    """Return device → its newest verdict."""
    newest_first = select(database, Verdict, f"verdicts ORDER BY device, {_AGE} DESC")
    return {device: _standing(list(logs)) for device, logs in groupby(newest_first, attrgetter("device"))}


def _standing(logs: list[Verdict]) -> Standing:
    told = logs[_has_only_begun(*logs[:2]) :]
    newest = told[0]
    same = takewhile(lambda log: (log.state, log.fault) == (newest.state, newest.fault), told)
    begins = [log.begun if log.onset is None else log.onset for log in same if log.begun is not None]
    return Standing(newest, min(begins) if newest.begun is not None else None, len(logs))


def _has_only_begun(newest: Verdict, before: Verdict | None = None) -> bool:
    short = newest.size == 0 or newest.fault == "insufficient_data"
    return before is not None and newest.size * SMALL_PART < before.size and short


def log_ends(database: Database, written: bool) -> dict[str, list[float]]:
    """Return device → when its logs were `written`, else ended by their own clock, s since 1970, in order."""
    ends: dict[str, list[float]] = {}
    end = "strftime('%s', modified) + 0.0" if written else "coalesce(ended, strftime('%s', modified) + 0.0)"
    for device, at in rows(database, f"SELECT device, {end} AS at FROM verdicts ORDER BY at"):
        if at is not None:
            ends.setdefault(device, []).append(at)
    return ends


def all_verdicts(database: Database) -> list[Verdict]:
    """Return every verdict, by device and log."""
    return select(database, Verdict, "verdicts ORDER BY device, log")


def last_judged(database: Database, devices: Iterable[str]) -> float | None:
    """Return when a log of these devices was judged last, s since 1970; None if none ever was."""
    query = "SELECT max(judged_at) FROM verdicts WHERE device IN (SELECT value FROM json_each(?))"
    [[moment]] = rows(database, query, [json.dumps(list(devices))])
    return None if moment is None else float(moment)
