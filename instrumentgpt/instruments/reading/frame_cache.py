"""Parsed logs kept as Parquet, by content: the second question on a log costs milliseconds."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from functools import cache, partial
from itertools import accumulate, cycle
from pathlib import Path
from types import UnionType
from typing import IO, Any, cast, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

from instrumentgpt.files import whole
from instrumentgpt.instruments.reading.record import Log
from instrumentgpt.instruments.reading.sources import Source

WHOLE_BYTES = 64 << 20  # a larger log is known by its size, its date and samples of its content
SAMPLE_BYTES, SAMPLES = 1 << 16, 32
MOST_BYTES = 2 << 30  # of the folder; the frames unused for longest go first
DESCRIPTION = b"instrumentgpt"
VERDICT = ".verdict"  # ending of what was judged of a log, kept beside its frame (`kept_verdicts`)
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
        described = {part.name: getattr(log, part.name) for part in fields(log) if part.name not in NOT_KEPT}
        described["start"] = None if log.start is None else log.start.isoformat()
        _store(folder / f"{name}.parquet", log.samples, described)
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
    folder = Path(__file__).parent
    return version_of(*folder.glob("*.py"), *folder.glob("*.toml"), *folder.parent.glob("formats/*.toml"))


def version_of(*files: Path) -> str:
    """Return a name for the content of `files`, in whatever order."""
    return hashlib.blake2b(b"".join(map(Path.read_bytes, sorted(files))), digest_size=8).hexdigest()


def _load(path: Path, source_path: Path) -> Log | None:
    """Return the log kept at `path`, None if there is none or it cannot be read."""
    try:
        table = parquet.read_table(path)
        described = json.loads(table.schema.metadata[DESCRIPTION])
        os.utime(path)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return None
    start = described.pop("start")
    found = {"path": source_path, "name": source_path.name.removesuffix(".gz")}
    found |= {
        "samples": table.to_pandas(split_blocks=True, self_destruct=True),
        "start": start and pd.Timestamp(start),
    }
    return cast(Log, restored(Log, {**described, **found}))


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


Maker = Callable[[Any], Any]


def restored(kind: Any, kept: Any) -> Any:
    """Return the `kind` that was `kept`; TypeError, ValueError or AttributeError if it is none.

    >>> restored(Mapping[int, tuple[str, ...]], {"2": ["kp", "ki"]})
    {2: ('kp', 'ki')}
    """
    make = _maker(kind)
    return make(kept) if make else kept


@cache
def _maker(kind: Any) -> Maker | None:
    """Return what makes a `kind` of what JSON gives back; None if that is one already."""
    origin, parts = get_origin(kind), [part for part in get_args(kind) if part is not Ellipsis]
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind).items()
        return partial(_dataclass, kind, {name: make for name, hint in hints if (make := _maker(hint))})
    if origin is tuple:
        return lambda values: tuple(map(restored, cycle(parts), values))
    if origin in (dict, Mapping) and (parts[0] is not str or _maker(parts[1])):
        return lambda row: {parts[0](name): restored(parts[1], value) for name, value in row.items()}
    if origin is np.ndarray:
        return partial(np.array, dtype=float)
    if origin is UnionType and (make := next(filter(None, map(_maker, parts)), None)):
        return lambda value: None if value is None else make(value)
    return None


def _dataclass(kind: type[Any], makers: Mapping[str, Maker], row: Any) -> Any:
    if isinstance(row, kind):  # what was not kept, such as the log of a diagnosis
        return row
    made = {name: make(row[name]) for name, make in makers.items() if name in row}
    return kind(**{**row, **made})
