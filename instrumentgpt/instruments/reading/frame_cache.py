"""Parsed logs kept as Parquet, by content: the second question on a log costs milliseconds."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, replace
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
from numpy.typing import NDArray

from instrumentgpt.files import whole
from instrumentgpt.instruments.reading.clocks import ClockStep
from instrumentgpt.instruments.reading.placeholders import Placeholder
from instrumentgpt.instruments.reading.record import Broken, Log, nothing
from instrumentgpt.instruments.reading.sources import Source

WHOLE_BYTES = 64 << 20  # a larger log is known by its size, its date and samples of its content
SAMPLE_BYTES, SAMPLES = 1 << 16, 32
MOST_BYTES = 2 << 30  # of the folder; the frames unused for longest go first
DESCRIPTION = b"instrumentgpt"
VERDICT = ".verdict"  # ending of what was judged of a log, kept beside its frame (`kept_verdicts`)
BY_CHANNEL = ("channel_names", "channel_units", "of_loops")
NOT_KEPT = frozenset(("path", "name", "samples", "load_events", "stated_loops", "kept"))  # of a Log


def cached_log(source: Source, key: str, folder: Path, read: Callable[[], Log]) -> Log:
    """Return the log of `source` from `folder`, else from `read`, keeping it there.

    key  what the reading depends on besides the content: columns, period
    """
    name = fingerprint(source, key)
    events = folder / f"{name}-events.parquet"
    log = _load(folder / f"{name}.parquet", source.path)
    if log:
        load_events = partial(_events, events, lambda: read().load_events())
    else:
        log = read()
        _store(folder / f"{name}.parquet", log.samples, _described(log))
        load_events = partial(_events, events, log.load_events)
    return replace(log, load_events=load_events, kept=folder / name)


def fingerprint(source: Source, key: str) -> str:
    """Return a name for the content of `source` as this version of the reader reads it with `key`."""
    digest = hashlib.blake2b(f"{reader_version()}\n{key}".encode(), digest_size=20)
    for part, size in zip(source.parts, source.sizes, strict=True):
        digest.update(f"\n{part.name} {size}".encode())
        with part.open("rb") as file:
            if size <= WHOLE_BYTES:
                digest.update(file.read(size))
                continue
            digest.update(str(part.stat().st_mtime_ns).encode())
            for at in range(SAMPLES):
                file.seek((size - SAMPLE_BYTES) * at // (SAMPLES - 1))
                digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()


@cache
def reader_version() -> str:
    """Return a name for the code and data that read logs: another version never takes over old frames."""
    digest = hashlib.blake2b(digest_size=8)
    folder = Path(__file__).parent
    for path in sorted([*folder.glob("*.py"), *folder.glob("*.toml"), *folder.parent.glob("formats/*.toml")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _described(log: Log) -> dict[str, Any]:
    described = {field.name: getattr(log, field.name) for field in fields(log) if field.name not in NOT_KEPT}
    described["start"] = None if log.start is None else log.start.isoformat()
    return described | {name: list(getattr(log, name).items()) for name in BY_CHANNEL}


def _load(path: Path, source_path: Path) -> Log | None:
    """Return the log kept at `path`, None if there is none or it cannot be read."""
    try:
        with parquet.ParquetFile(path) as file:
            described = json.loads(file.schema_arrow.metadata[DESCRIPTION])
            columns = {field.name: _column(file, field) for field in file.schema_arrow}
        os.utime(path)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return None
    broken = described.pop("broken")
    examples = tuple((number, text, reason) for number, text, reason in broken["examples"])
    start = described.pop("start")
    steps = tuple(ClockStep(**step) for step in described.pop("clock_steps"))
    described["missing"], described["notes"] = tuple(described["missing"]), tuple(described["notes"])
    described |= {name: dict(map(tuple, described[name])) for name in BY_CHANNEL}
    described["placeholders"] = tuple(
        Placeholder(**{**row, "spans": tuple(map(tuple, row["spans"]))}) for row in described["placeholders"]
    )
    return Log(
        path=source_path,
        samples=pd.DataFrame(columns, copy=False),
        start=None if start is None else pd.Timestamp(start),
        broken=Broken(broken["count"], examples),
        clock_steps=steps,
        name=source_path.name.removesuffix(".gz"),
        **described,
    )


def _column(file: parquet.ParquetFile, field: pa.Field) -> NDArray[np.generic]:
    """Return one column, so that no two copies of a long log are in memory; half floats stand for nothing."""
    if pa.types.is_float16(field.type):
        return nothing(file.metadata.num_rows)
    column, at = np.empty(file.metadata.num_rows, dtype=field.type.to_pandas_dtype()), 0
    for batch in file.iter_batches(1 << 20, columns=[field.name]):
        column[at : at + len(batch)] = batch.column(0)
        at += len(batch)
    return column


def _events(path: Path, load: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    with contextlib.suppress(OSError, pa.ArrowException):
        return pd.DataFrame(parquet.read_table(path).to_pandas())
    events = load()
    _store(path, events, {})
    return events


def _store(path: Path, frame: pd.DataFrame, described: Mapping[str, Any]) -> None:
    """Write `frame` whole or not at all; a full or read-only disk costs the cache, not the answer."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = {
        **(table.schema.metadata or {}),
        DESCRIPTION: json.dumps(described, ensure_ascii=False, default=asdict).encode(),
    }
    table = table.replace_schema_metadata(metadata)
    write_whole(path, lambda file: parquet.write_table(table, file, compression="zstd"))


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file that is then `path`, and make room; what cannot be written is not kept."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as file:
            write(file)
        prune([*path.parent.glob("*.parquet"), *path.parent.glob(f"*{VERDICT}")], MOST_BYTES)


def prune(kept: Iterable[Path], most_bytes: int) -> None:
    """Remove those of the files `kept` that were not used for longest, down to `most_bytes` together."""
    newest_first = sorted(kept, key=lambda path: -path.stat().st_mtime)
    sizes = accumulate(path.stat().st_size for path in newest_first)
    for path, total in zip(newest_first, sizes, strict=True):
        if total > most_bytes:
            path.unlink(missing_ok=True)
