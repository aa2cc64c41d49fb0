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
from instrumentgpt.instruments.reading.cells import Shape
from instrumentgpt.instruments.reading.frame_cache import restored
from instrumentgpt.instruments.reading.sources import Progress, Source, chunks, open_source
from instrumentgpt.instruments.reading.stated import TIMES_TEN, Stated, loops_of_channels
from instrumentgpt.instruments.reading.tables import layout_of, named_values, table_shape
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
    given = (columns, reading.period, progress, cache, reading.setpoint, reading.unit, dict(reading.heads))
    log = read_log(path, *given)
    if reading.loops:
        log = replace(log, stated_loops=loops_of_channels(reading, log.samples["channel"].unique().tolist()))
    return shown_in(log, unit)


def remember(database: Database, owner: str, log: Log, stated: Stated | None) -> None:
    """Keep how the logs of `owner` that are laid out as `log` are read; None forgets.

    owner  a device; of files without one the conversation, or on the command line their folder
    """
    value = json.dumps(asdict(stated), ensure_ascii=False) if stated else None
    db.save_setting(database, _name(owner, log), value)


def remember_said(
    database: Database, owner: str, path: Path, heads: Mapping[int, str], unit: str = ""
) -> None:
    """Keep what `owner` says of tables laid out as that at `path`: the unit, and heads where it has none."""
    shape = shape_of(path)
    if shape is None:
        return
    heads = {} if shape.headings and all(heading.text for heading in shape.headings) else heads
    if not (heads or unit):
        return
    name = f"{PREFIX}{owner} {_digest(layout_of(shape))}"
    kept = db.get_settings(database).get(name)
    before = cast(Stated, restored(Stated, json.loads(kept))) if kept else Stated()
    named = dict(before.heads)
    for at, head in heads.items():  # which it is says nothing against how many times its unit
        scale = TIMES_TEN.search(named.get(at, ""))
        named[at] = head if TIMES_TEN.search(head) or not scale else head + scale[0]
    stated = replace(before, heads=tuple(named.items()), unit=unit or before.unit)
    db.save_setting(database, name, json.dumps(asdict(stated), ensure_ascii=False))


def shape_of(path: Path) -> Shape | None:
    """Return how the table at `path` is written, None if it is none."""
    for chunk in chunks(open_source(path), chunk_bytes=1 << 18):
        return table_shape(chunk.content, path.name) or named_values(chunk.content)
    return None


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
    return f"{PREFIX}{owner} {_digest(log.layout)}"


def _digest(layout: str) -> str:
    return hashlib.blake2b(layout.encode(), digest_size=8).hexdigest()
