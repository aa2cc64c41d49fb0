"""Watching a lab: after each scan what came, what went and who is silent; people are told once, of all."""

import os
import statistics
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import quote, urlencode

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.language import span_text
from instrumentgpt.storage import alerts
from instrumentgpt.storage.verdicts import Verdict, log_ends, standings

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
        _send(new, gone, places)
    for alert in {alert.id: alert for alert in (*new, *gone)}.values():
        alerts.note_sent(database, alert.id)


def _send(new: Sequence[alerts.Alert], gone: Sequence[alerts.Alert], places: Sequence[str]) -> None:
    import apprise  # a third of a second

    messenger = apprise.Apprise()
    unknown = [place for place in places if not messenger.add(place)]
    if unknown:
        raise NotSent(f"{len(unknown)} of the alert addresses cannot be used. See docs/settings.md, Alerts")
    counts = [f"{len(rows)} {word}" for rows, word in ((new, "new"), (gone, "gone")) if rows]
    body = "\n".join([*map(_line, new), *(f"gone: {alert.device}: {alert.text}" for alert in gone)])
    if not messenger.notify(title=f"InstrumentGPT: {', '.join(counts)}", body=body):
        raise NotSent("The alert could not be delivered. It is tried again with the next look")


def _line(alert: alerts.Alert) -> str:
    query = {"device": alert.device, "log": alert.log, **({"line": alert.line} if alert.line else {})}
    address = os.environ.get("INSTRUMENTGPT_ADDRESS", ADDRESS)
    return (
        f"{alert.severity}: {alert.device}: {alert.text}\n{address}/logs?{urlencode(query, quote_via=quote)}"
    )
