"""Our own moments (s since 1970) in the zone that people chose; a log's own clock is never shifted by it."""

import os
from contextvars import ContextVar
from datetime import date, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

VARIABLE = "INSTRUMENTGPT_TIMEZONE"  # what runs that a page starts inherit
AUTO = "auto"
_zone: ContextVar[tzinfo | None] = ContextVar("zone", default=None)  # None: the machine's


def choose_zone(*names: str | None) -> None:
    """Show moments in the first of the zones `names` that is known; the machine's where none is."""
    _zone.set(next((zone for name in names if (zone := zone_named(name))), None))


def zone_named(name: str | None) -> ZoneInfo | None:
    """Return the zone that IANA calls `name`, None if none is.

    >>> zone_named("Asia/Taipei"), zone_named("auto"), zone_named("../etc/passwd")
    (zoneinfo.ZoneInfo(key='Asia/Taipei'), None, None)
    """
    try:
        return ZoneInfo(name) if name and name != AUTO else None
    except (ValueError, OSError, LookupError):
        return None


@cache
def zone_names() -> tuple[str, ...]:
    """Return the zones to choose from, UTC first, then by their places."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name))


def zone_for_runs() -> dict[str, str]:
    """Return what tells a process that we start in which zone moments are shown."""
    zone = _zone.get()
    return {VARIABLE: zone.key} if isinstance(zone, ZoneInfo) else {}


def local(at: float) -> datetime:
    """Return the moment `at` (s since 1970) in the zone that was chosen.

    >>> choose_zone("Asia/Taipei"); moment(0.0), day(0.0); choose_zone()
    ('1970-01-01 08:00', '1970-01-01')
    """
    return datetime.fromtimestamp(at, _zone.get() or zone_named(os.environ.get(VARIABLE)))


def now() -> datetime:
    """Return this moment in the zone that was chosen."""
    return local(datetime.now().timestamp())


def today() -> date:
    """Return the day that it is in the zone that was chosen."""
    return now().date()


def moment(at: float) -> str:
    """Return the local day and time of `at`, s since 1970, as "2026-02-19 23:24"."""
    return local(at).strftime("%Y-%m-%d %H:%M")


def day(at: float) -> str:
    """Return the local date of `at`, s since 1970, as "2026-02-19"."""
    return local(at).strftime("%Y-%m-%d")


def log_moment(at: float) -> str:
    """Return the day and time of a log's own clock, which is kept as if it were this machine's."""
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")
