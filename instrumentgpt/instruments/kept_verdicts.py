"""What was judged of a log, kept beside its frame by content: no program judges it again.

Without a frame (`Log.kept`) it is judged each time. A file that cannot be read counts as none.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.compare import Duties, duties
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose, spoiled
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.reading.frame_cache import VERDICT, restored, version_of, write_whole
from instrumentgpt.instruments.shown import as_logged

if TYPE_CHECKING:
    from instrumentgpt.instruments.plant import Identification, Refusal
    from instrumentgpt.instruments.tuning.gains import Advice

Verdict = TypeVar("Verdict")


def diagnosed(log: Log) -> Diagnosis:
    """Return the diagnosis of `log`."""
    return _cached_verdict(
        log, "diagnosis", lambda row: restored(Diagnosis, {**row, "log": log}), lambda: diagnose(log)
    )


def held_duties(log: Log) -> dict[int, Duties]:
    """Return channel → the mean output at each setpoint that it held, in the unit of `log`."""
    return _cached_verdict(
        log,
        "duties",
        partial(restored, Mapping[int, Duties]),
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
        lambda row: restored(plant.Refusal if "reason" in row else plant.Identification, row),
        lambda: plant.identify(part, exclude, log.logged_unit_of(channel)),
    )


def advised(log: Log, model: "Identification | Refusal") -> "Advice":
    """Return what is advised for the plant of `log` that was `identified` as `model`."""
    from instrumentgpt.instruments import advice
    from instrumentgpt.instruments.tuning.gains import Advice

    return _cached_verdict(
        log, f"advice-{model.channel}", partial(restored, Advice), lambda: advice.advise(model)
    )


def _cached_verdict(
    log: Log,
    name: str,
    verdict: Callable[[Any], Any],
    judge: Callable[[], Verdict],
) -> Verdict:
    if log.kept is None:
        return judge()
    stated = repr(sorted(log.stated_loops.items())) if log.stated_loops else ""
    stated += log.unit if log.logged_units else ""
    judged_as = blake2b(f"{judging_version()}{stated}".encode(), digest_size=8).hexdigest()
    path = log.kept.with_name(f"{log.kept.name}-{name}-{judged_as}{VERDICT}")
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        found: Verdict = verdict(json.loads(path.read_text(encoding="utf-8")))
        return found
    judged = judge()
    text = json.dumps(judged, ensure_ascii=False, default=_json_ready)
    write_whole(path, lambda file: file.write(text.encode()))
    return judged


@cache
def judging_version() -> str:
    """Return a name for the code and data that judge logs: another version judges anew."""
    folder = Path(__file__).parent
    return version_of(*folder.rglob("*.py"), *folder.rglob("*.toml"))


def _json_ready(value: Any) -> Any:
    """Return `value`, a dataclass or of numpy, as JSON can carry it; of a diagnosis all but its log."""
    if isinstance(value, Diagnosis):
        return {part.name: getattr(value, part.name) for part in fields(value) if part.name != "log"}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value.tolist()
