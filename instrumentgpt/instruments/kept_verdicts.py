"""What was judged of a log, kept beside its frame by content: no program judges it again.

Without a frame (`Log.kept`) it is judged each time. A file that cannot be read counts as none.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.metrics import Metrics
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.compare import Duties, duties
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose, spoiled
from instrumentgpt.instruments.findings import Evidence, Excursion, Finding, RuledOut, Withheld
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.reading.frame_cache import VERDICT, write_whole
from instrumentgpt.instruments.shown import as_logged

if TYPE_CHECKING:
    from instrumentgpt.instruments.plant import Identification, Refusal
    from instrumentgpt.instruments.tuning.verdicts import Advice

Row = dict[str, Any]
Verdict = TypeVar("Verdict")


def diagnosed(log: Log) -> Diagnosis:
    """Return the diagnosis of `log`."""
    return _cached_verdict(log, "diagnosis", lambda row: _diagnosis(log, row), _row_of, lambda: diagnose(log))


def held_duties(log: Log) -> dict[int, Duties]:
    """Return channel → the mean output at each setpoint that it held, in the unit of `log`."""
    return _cached_verdict(
        log,
        "duties",
        lambda row: {int(channel): {at: tuple(told) for at, told in held} for channel, held in row.items()},
        lambda found: {str(channel): [*held.items()] for channel, held in found.items()},
        lambda: {channel: duties(study, channel) for study in [study_of(log)] for channel in study.tracks},
    )


def identified(diagnosis: Diagnosis, loop: Loop) -> "Identification | Refusal":
    """Return the model set of the plant behind `loop`, without the stretches that the findings spoil.

    All of it is in the unit of the log's file, which gains are per.
    """
    from instrumentgpt.instruments import plant  # scipy: only where a model has to be searched

    log, channel = diagnosis.log, loop.channel
    exclude, part = spoiled(diagnosis, channel), plant.telling(as_logged(loop, log), diagnosis.segments)
    return _cached_verdict(
        log,
        f"model-{channel}",
        _model,
        asdict,
        lambda: plant.identify(part, exclude, log.logged_unit_of(channel)),
    )


def advised(log: Log, model: "Identification | Refusal") -> "Advice":
    """Return what is advised for the plant of `log` that was `identified` as `model`."""
    from instrumentgpt.instruments import advice

    return _cached_verdict(log, f"advice-{model.channel}", _advice, asdict, lambda: advice.advise(model))


def _cached_verdict(
    log: Log,
    name: str,
    verdict: Callable[[Row], Verdict],
    row: Callable[[Verdict], Row],
    judge: Callable[[], Verdict],
) -> Verdict:
    if log.kept is None:
        return judge()
    stated = repr(sorted(log.stated_loops.items())) if log.stated_loops else ""
    stated += log.unit if log.logged_units else ""
    judged_as = blake2b(f"{judging_version()}{stated}".encode(), digest_size=8).hexdigest()
    path = log.kept.with_name(f"{log.kept.name}-{name}-{judged_as}{VERDICT}")
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        return verdict(json.loads(path.read_text(encoding="utf-8")))
    judged = judge()
    text = json.dumps(row(judged), ensure_ascii=False, default=_plain)
    write_whole(path, lambda file: file.write(text.encode()))
    return judged


@cache
def judging_version() -> str:
    """Return a name for the code and data that judge logs: another version judges anew."""
    digest = blake2b(digest_size=8)
    folder = Path(__file__).parent
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _row_of(diagnosis: Diagnosis) -> Row:
    return {
        "channels": [asdict(metrics) for metrics in diagnosis.channels.values()],
        "kinds": [[channel, asdict(kind)] for channel, kind in diagnosis.kinds.items()],
        "excursions": [asdict(excursion) for excursion in diagnosis.excursions],
        "segments": [asdict(segment) for segment in diagnosis.segments],
        "findings": [asdict(finding) for finding in diagnosis.findings],
        "withheld": {name: asdict(reason) for name, reason in diagnosis.withheld.items()},
    }


def _diagnosis(log: Log, row: Row) -> Diagnosis:
    channels = [Metrics(**metrics) for metrics in row["channels"]]
    withheld = {name: Withheld(**_with_tuples(reason, "missing")) for name, reason in row["withheld"].items()}
    findings = tuple(map(_finding, row["findings"]))
    kinds = {channel: LoopKind(**_with_tuples(kind, "stated")) for channel, kind in row["kinds"]}
    excursions = tuple(map(_excursion, row["excursions"]))
    by_channel = {metrics.channel: metrics for metrics in channels}
    segments = tuple(Segment(**segment) for segment in row["segments"])
    return Diagnosis(log, by_channel, findings, withheld, kinds, excursions, segments)


def _excursion(row: Row) -> Excursion:
    return Excursion(**{**row, "evidence": tuple(Evidence(**line) for line in row["evidence"])})


def _finding(row: Row) -> Finding:
    row["evidence"] = [Evidence(**line) for line in row["evidence"]]
    row["ruled_out"] = [RuledOut(**other) for other in row["ruled_out"]]
    return Finding(
        **_with_tuples(row, "evidence", "ruled_out", "consequences", "moments", "signs", "channels")
    )


def _model(row: Row) -> "Identification | Refusal":
    from instrumentgpt.instruments.plant import Identification, Refusal
    from instrumentgpt.instruments.tuning.gains import Gains

    row["gains"] = row["gains"] and Gains(**row["gains"])
    row["held"] = row["held"] and (Gains(**row["held"][0]), row["held"][1])
    if "reason" in row:
        return Refusal(**row)
    arrays = {name: np.array(row[name], dtype=float) for name in ("best", "models")}
    return Identification(**{**row, **arrays})


def _advice(row: Row) -> "Advice":
    from instrumentgpt.instruments.tuning.gains import Gains
    from instrumentgpt.instruments.tuning.verdicts import Advice

    return Advice(**row | {name: row[name] and Gains(**row[name]) for name in ("present", "proposed")})


def _with_tuples(row: Mapping[str, Any], *names: str) -> Row:
    return {**row, **{name: tuple(row[name]) for name in names}}


def _plain(value: Any) -> Any:
    return value.tolist()  # of numpy
