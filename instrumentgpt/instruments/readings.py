"""How logs of one make are to be read, as people said: asked for once, remembered per device and layout."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from sqlite_utils import Database

import db
from instrumentgpt.instruments.logs import Log, read_log
from instrumentgpt.instruments.reading.frame_cache import restored
from instrumentgpt.instruments.reading.sources import Progress, Source
from instrumentgpt.instruments.reading.stated import Stated, loops_of_channels
from instrumentgpt.instruments.shown import AUTO, shown_in

PREFIX = "reading "  # of the settings that hold them


def read_as(
    path: Path | Source,
    stated: Stated | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
    unit: str = AUTO,
) -> Log:
    """Return the log at `path`, read as `stated`, shown in `unit`; see `read_log` and `shown_in`."""
    reading = stated or Stated()
    columns = dict(reading.columns) or None
    log = read_log(path, columns, reading.period, progress, cache, reading.setpoint, reading.unit)
    if reading.loops:
        log = replace(log, stated_loops=loops_of_channels(reading, log.samples["channel"].unique().tolist()))
    return shown_in(log, unit)


def remember(database: Database, owner: str, log: Log, stated: Stated | None) -> None:
    """Keep how the logs of `owner` that are laid out as `log` are read; None forgets.

    owner  a device; of files without one the conversation, or on the command line their folder
    """
    value = json.dumps(asdict(stated), ensure_ascii=False) if stated else None
    db.save_setting(database, _name(owner, log), value)


def recalled(database: Database, owner: str, log: Log) -> Stated | None:
    """Return what was remembered of logs of `owner` laid out as `log`, None if nothing was."""
    return recalled_of(all_readings(database), owner, log)


def all_readings(database: Database) -> dict[str, str]:
    """Return all that was remembered, for processes that have no database."""
    return {name: value for name, value in db.get_settings(database).items() if name.startswith(PREFIX)}


def recalled_of(readings: Mapping[str, str], owner: str, log: Log) -> Stated | None:
    """Return what `readings` say of logs of `owner` laid out as `log`, None if nothing."""
    kept = readings.get(_name(owner, log))
    return cast(Stated, restored(Stated, json.loads(kept))) if kept else None


def _name(owner: str, log: Log) -> str:
    return f"{PREFIX}{owner} {hashlib.blake2b(log.layout.encode(), digest_size=8).hexdigest()}"
