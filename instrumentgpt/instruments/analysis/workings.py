"""How a loop works, fault or none: its cycle, its power and what is left of it, its end, what it does."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.metrics import REGULAR, Metrics
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.analysis.signals import constant_runs, runs
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT
from instrumentgpt.instruments.language import MINUTE
from instrumentgpt.instruments.loops import Indices, Loop, Mask

ABOVE_NOISE, ABOVE_DIGIT = 3.0, 2.0  # times, from which pv was seen to move
HALF = 50.0  # percent: of an output that only switches, on from here
LAST, LAST_LAGS = 0.05, 5.0  # share of a record, and lags, whichever is longer, that its end is told of
MOST_LAST = 0.25  # of the record, at most
PARTS = 3  # of what was held; the first and the last are compared
MOST_OF_IT = (10, 90)  # percentiles: a door that opens once is no swing
LARGER = 1.5  # times, from which one part swings more than another
OF_OUTPUT = 5.0  # percent, from which the output of one part is another
FOLLOWS = 0.6  # correlation of output and error, from which the output is told as following it
FEWEST = 20  # samples of which anything is told
SWINGS = 2.0  # times the noise, beyond its band, that pv moves about its mean, for it to swing
AROUND_LAGS = 0.5  # on either side of a moment, of which the rate there is told …
WIDER = (1, 2, 4, 8)  # … times as much where pv is not seen to move, as by a coarse digit


@dataclass(frozen=True)
class Working:
    """A fact on how a loop works: its sentence in workings.toml, what it is about, and its numbers.

    about  "cycle", "coast", "power", "offset", "throttle", "ends", "ageing" or "now"
    start, end  s since the log's first line; line: where it begins
    """

    about: str
    key: str
    start: float
    end: float
    line: int
    numbers: dict[str, float] = field(default_factory=dict)


def workings_of(
    loop: Loop, kind: LoopKind, segments: Sequence[Segment], figures: Metrics | None
) -> tuple[Working, ...]:
    """Return what the record shows of how `loop` works.

    segments  of its channel, in order
    figures   of its channel, None where it has none
    """
    loop = _asked(loop, segments)
    if np.count_nonzero(np.isfinite(loop.pv)) < FEWEST:
        return ()
    held, cycle = _held(loop, segments), _cycle(loop, kind) or _swing(loop, figures)
    period = cycle.numbers["period"] if cycle else figures.period if figures else 0.0
    own = float(np.nanmax([LAST_LAGS * kind.lag, period]))
    facts = [cycle, _coast(loop, kind), _power(loop, kind, held), _offset(loop, kind, held, own)]
    facts += [_throttle(loop, kind), _end(loop, kind, own), _ageing(loop, kind, held, own)]
    return tuple(fact for fact in facts if fact is not None)


def _asked(loop: Loop, segments: Sequence[Segment]) -> Loop:
    """Return `loop` without the setpoints of what was switched off: none was asked of it."""
    idle = np.zeros(len(loop), bool)
    for one in segments:
        idle |= (one.kind == "unasked") & (loop.time >= one.onset) & (loop.time <= one.end)
    return replace(loop, setpoint=np.where(idle, np.nan, loop.setpoint)) if idle.any() else loop


def _held(loop: Loop, segments: Sequence[Segment]) -> Mask:
    """Return which samples hold the setpoint that is held longest, settled."""
    settled = [one for one in segments if one.kind == "hold" and one.settled > 0]
    lengths = dict[float, float]()
    for one in settled:
        lengths[one.setpoint] = lengths.get(one.setpoint, 0.0) + one.end - one.settled_at
    main, inside = max(lengths, key=lambda at: lengths[at], default=math.nan), np.zeros(len(loop), bool)
    for one in settled:
        if one.setpoint == main:
            inside |= (loop.time >= one.settled_at) & (loop.time <= one.end)
    return np.asarray(inside & np.isfinite(loop.pv))


def _moved(kind: LoopKind) -> float:
    """Return from what on pv was seen to move, in its unit."""
    return float(np.nanmax([ABOVE_NOISE * kind.noise, ABOVE_DIGIT * kind.digit, 1e-9]))


def _up(kind: LoopKind) -> float:
    """Return 1.0 where more output raises pv, else -1.0."""
    return -1.0 if kind.reverse else 1.0


def _is_off(loop: Loop, kind: LoopKind) -> Mask:
    least = HALF if kind.drive == "on_off" else max(kind.low, 0.0) + AT_LIMIT
    return np.asarray(loop.output < least)


def _whole(mask: Mask) -> Indices:
    """Return the runs of `mask` that begin and end within the record."""
    found = runs(mask)
    return found[(found[:, 0] > 0) & (found[:, 1] < len(mask))]


def _cycle(loop: Loop, kind: LoopKind) -> Working | None:
    """Return how long an output that switches is on and off, and at which pv it does."""
    if kind.drive != "on_off":
        return None
    off = _is_off(loop, kind)
    ons, offs = _whole(~off & np.isfinite(loop.output)), _whole(off)
    if not len(ons) or not len(offs):
        return None
    last = len(loop) - 1
    lengths = [
        float(np.median(loop.time[np.minimum(part[:, 1], last)] - loop.time[part[:, 0]]))
        for part in (ons, offs)
    ]
    at_on, at_off = (float(np.nanmedian(loop.pv[part[:, 0]])) for part in (ons, offs))
    numbers = {"on": lengths[0], "off": lengths[1], "at_on": at_on, "at_off": at_off, "count": len(ons)}
    numbers |= {"period": sum(lengths), "share": 100 * lengths[0] / sum(lengths)}
    return _working("cycle", "cycle", loop, ons[0, 0], ons[-1, 1], numbers)


def _swing(loop: Loop, figures: Metrics | None) -> Working | None:
    """Return the regular swing of a loop while it holds."""
    if figures is None or not figures.regularity >= REGULAR:
        return None
    numbers = {"size": figures.half_peak_to_peak, "period": figures.period}
    return _working("cycle", "swing", loop, 0, len(loop) - 1, numbers)


def _coast(loop: Loop, kind: LoopKind) -> Working | None:
    """Return how far pv goes on after the output was switched off, and for how long: stored heat and lag."""
    sizes, times, places = list[float](), list[float](), list[tuple[int, int]]()
    for first, stop in (
        _whole(_is_off(loop, kind)) if kind.drive in ("on_off", "continuous", "manual") else ()
    ):
        part = _up(kind) * loop.pv[first:stop]
        if stop - first < ABOVE_NOISE or not np.isfinite(part).all():
            continue
        peak = int(part.argmax())
        if part[peak] - part[0] > _moved(kind) and peak < len(part) - 1:
            sizes.append(float(part[peak] - part[0]))
            times.append(float(loop.time[first + peak] - loop.time[first]))
            places.append((first, first + peak))
    if not sizes:
        return None
    most = int(np.argmax(sizes))
    numbers = {"size": float(np.median(sizes)), "seconds": float(np.median(times)), "count": len(sizes)}
    numbers |= {"most": sizes[most], "to": float(loop.pv[places[most][1]])}
    return _working("coast", "coast", loop, *places[most], numbers)


def _power(loop: Loop, kind: LoopKind, held: Mask) -> Working | None:
    """Return what the full output does, and how much of it holding takes."""
    if kind.drive not in ("continuous", "on_off", "manual") or kind.high <= kind.low:
        return None
    given = np.maximum(loop.output[held], max(kind.low, 0.0))
    duty = float(np.nanmean(given)) if np.isfinite(given).any() else math.nan
    numbers = {"high": kind.high, "duty": duty, "left": kind.high - duty}
    full = [
        (first, stop)
        for first, stop in runs(loop.output >= kind.high - AT_LIMIT).tolist()
        if stop - first > ABOVE_NOISE and loop.time[stop - 1] - loop.time[first] >= 2 * kind.lag
    ]
    if not full:
        if kind.drive == "on_off" or math.isnan(duty):
            return None
        numbers["most"] = float(np.nanmax(loop.output))
        return _working("power", "power_unused", loop, 0, len(loop) - 1, numbers)
    first, stop = max(full, key=lambda ends: loop.time[ends[1] - 1] - loop.time[ends[0]])
    read = first + np.flatnonzero(np.isfinite(loop.pv[first:stop]))
    first, stop = (int(read[0]), int(read[-1]) + 1) if read.size else (first, stop)
    whole = slice(first, stop)
    later = loop.time[whole] >= (loop.time[first] + loop.time[stop - 1]) / 2
    rate, late = _rate(loop, whole), _rate(loop, slice(stop - max(2, int(later.sum())), stop))
    short = _up(kind) * float(loop.setpoint[stop - 1] - loop.pv[stop - 1])
    span = float(loop.time[stop - 1] - loop.time[first])
    numbers |= {"seconds": span, "rate": rate * MINUTE, "late": late * MINUTE, "short": short}
    numbers |= {"from": float(loop.pv[first]), "to": float(loop.pv[stop - 1])}
    is_flat = abs(late) * span / 2 < max(kind.band, _moved(kind))
    is_short = short > max(kind.band, _moved(kind))
    is_over = stop < len(loop)
    key = "power_enough" if not is_short or (is_over and not is_flat) else "power_going"
    key = "power_short" if is_short and is_flat else "power_rate" if math.isnan(short) else key
    return _working("power", key, loop, first, stop - 1, numbers)


def _offset(loop: Loop, kind: LoopKind, held: Mask, own: float) -> Working | None:
    """Return how far from its setpoint pv is held on average, over more than its `own` time, s."""
    if not held.any() or np.ptp(loop.time[held]) < own:
        return None
    error = float(np.nanmean(loop.setpoint[held] - loop.pv[held]))
    duty = float(np.nanmean(loop.output[held])) if np.isfinite(loop.output[held]).any() else math.nan
    at_limit = duty >= kind.high - OF_OUTPUT or duty <= kind.low + OF_OUTPUT
    if abs(error) <= max(kind.band / 2, _moved(kind) / 2):
        key = "offset_none"
    else:
        key = "offset" if math.isnan(duty) or kind.drive != "continuous" else "offset_p"
        key = "offset_limit" if at_limit and key == "offset_p" else key
    setpoint = float(np.nanmedian(loop.setpoint[held]))
    numbers = {
        "error": error,
        "size": max(abs(error), kind.digit),
        "duty": duty,
        "setpoint": setpoint,
        "side": np.sign(-error),
    }
    first, last = np.flatnonzero(held)[[0, -1]]
    return _working("offset", key, loop, int(first), int(last), numbers)


def _throttle(loop: Loop, kind: LoopKind) -> Working | None:
    """Return by how much a continuous output goes down for each unit that pv comes nearer its setpoint."""
    if kind.drive != "continuous":
        return None
    error = _up(kind) * (loop.setpoint - loop.pv)
    between = (loop.output > kind.low + AT_LIMIT) & (loop.output < kind.high - AT_LIMIT) & np.isfinite(error)
    if np.count_nonzero(between) < FEWEST or not (np.ptp(error[between]) and np.ptp(loop.output[between])):
        return None
    if np.corrcoef(error[between], loop.output[between])[0, 1] < FOLLOWS:
        return None
    slope, at_zero = np.polyfit(error[between], loop.output[between], 1).tolist()
    numbers = {"slope": slope, "at_zero": at_zero, "full_at": (kind.high - at_zero) / slope}
    first, last = np.flatnonzero(between)[[0, -1]]
    return _working("throttle", "throttle", loop, int(first), int(last), numbers)


def _end(loop: Loop, kind: LoopKind, own: float) -> Working | None:
    """Return whether pv holds, swings or is on its way as the record ends, in no less than `own`, s."""
    length = float(np.ptp(loop.time))
    window = min(max(LAST * length, own), MOST_LAST * length)
    begin = max(loop.time[-1] - window, loop.time[constant_runs(np.nan_to_num(loop.setpoint))[-1, 0]])
    inside = np.isfinite(loop.pv) & (loop.time >= begin)
    if np.count_nonzero(inside) < ABOVE_NOISE or not np.ptp(loop.time[inside]):
        return None
    time, pv = loop.time[inside], loop.pv[inside]
    slope, base = np.polyfit(time - time[0], pv, 1).tolist()
    left = pv - base - slope * (time - time[0])
    swing, moves = float(np.ptp(left)) / 2, abs(slope) * float(np.ptp(time))
    error = (
        float(np.nanmean(loop.setpoint[inside] - pv))
        if np.isfinite(loop.setpoint[inside]).any()
        else math.nan
    )
    limit = max(kind.band, SWINGS * kind.noise, _moved(kind))
    numbers = {
        "seconds": float(np.ptp(time)),
        "rate": slope * MINUTE,
        "swing": swing,
        "error": error,
        "pv": float(pv[-1]),
    }
    numbers |= {"size": max(abs(error), kind.digit), "side": math.copysign(1.0, -error), "band": limit}
    key = "ends_swings" if swing > limit else "ends_goes" if moves > limit else "ends_rests"
    if key == "ends_rests" and math.isfinite(error):
        key = "ends_holds" if abs(error) <= limit else "ends_off"
    return _working("ends", key, loop, int(np.flatnonzero(inside)[0]), len(loop) - 1, numbers)


def _ageing(loop: Loop, kind: LoopKind, held: Mask, own: float) -> Working | None:
    """Return how the first third of what was held differs from the last, each longer than `own`, s."""
    rows = np.flatnonzero(held)
    if len(rows) < PARTS * FEWEST:
        return None
    first, last = (rows[: len(rows) // PARTS], rows[-(len(rows) // PARTS) :])
    if min(np.ptp(loop.time[first]), np.ptp(loop.time[last])) < own:
        return None
    numbers = dict[str, float]()
    for name, part in (("first", first), ("last", last)):
        low, high = np.percentile(loop.pv[part], MOST_OF_IT).tolist()
        output = np.maximum(loop.output[part], max(kind.low, 0.0))
        output = output[np.isfinite(output)]
        numbers |= {f"mean_{name}": float(loop.pv[part].mean()), f"swing_{name}": (high - low) / 2}
        numbers[f"duty_{name}"] = float(output.mean()) if output.size else math.nan
    limit = max(kind.band, _moved(kind))
    ratio = numbers["swing_last"] / max(numbers["swing_first"], limit / LARGER, 1e-9)
    grew = ratio >= LARGER and numbers["swing_last"] - numbers["swing_first"] > limit / 2
    shrank = numbers["swing_first"] > max(LARGER * numbers["swing_last"], limit)
    shifted = abs(numbers["mean_last"] - numbers["mean_first"]) > limit
    works = abs(numbers["duty_last"] - numbers["duty_first"]) > OF_OUTPUT
    key = "grew" if grew else "shrank" if shrank else "shifted" if shifted or works else "alike"
    return _working("ageing", f"ageing_{key}", loop, int(rows[0]), int(rows[-1]), numbers)


def at_moment(loop: Loop, kind: LoopKind, segments: Sequence[Segment], time: float) -> Iterator[Working]:
    """Yield what a loop does at `time`, s: how far off it is and going, what its output does, and why."""
    loop, at = _asked(loop, segments), max(0, int(np.searchsorted(loop.time, time, side="right")) - 1)
    if not np.isfinite(loop.pv[at]):
        return
    beside = max(AROUND_LAGS * kind.lag, ABOVE_NOISE * kind.period)
    for wider in WIDER:  # until it is seen to move
        rows = np.flatnonzero(np.isfinite(loop.pv) & (np.abs(loop.time - loop.time[at]) <= wider * beside))
        rate = _rate(loop, slice(rows[0], rows[-1] + 1))
        if moves := bool(abs(rate) * np.ptp(loop.time[rows]) > _moved(kind)):
            break
    error, output = float(loop.setpoint[at] - loop.pv[at]), float(loop.output[at])
    numbers = {"rate": rate * MINUTE, "way": math.copysign(1.0, rate) if moves else 0.0, "error": error}
    numbers |= {
        "size": abs(error),
        "side": math.copysign(1.0, -error),
        "pv": float(loop.pv[at]),
        "output": output,
    }
    key = "now_free" if math.isnan(error) else "now" if abs(error) > kind.band else "now_at"
    if moves or key != "now_at":
        yield _working("now", key, loop, at, at, numbers)
    rising = _up(kind) * rate > 0 and moves
    if math.isnan(output) or kind.drive not in ("continuous", "on_off", "manual"):
        return
    states = {
        "counter": (loop.output < -AT_LIMIT) & kind.two_sided,
        "off": _is_off(loop, kind),
        "full": loop.output >= kind.high - AT_LIMIT,
    }
    state = next((name for name, mask in states.items() if mask[at]), "between")
    same = runs(states.get(state, np.zeros(len(loop), bool)))
    since = next((int(first) for first, stop in same if first <= at < stop), at)
    numbers["seconds"] = float(loop.time[at] - loop.time[since])
    nearing, far = _up(kind) * error, max(kind.band, _moved(kind))
    whys = {  # the first that holds
        "now_wound": (state == "counter" and nearing > far) or (state == "full" and nearing < -far),
        "now_counter": state == "counter",
        "now_coasts": state == "off" and rising,
        "now_past": state == "off" and nearing <= 0,
        "now_lets_fall": state == "off" and nearing > far,
        "now_full": state == "full" and nearing > far,
        "now_eases": state == "between" and rising and nearing > 0 and _falls(loop, rows),
    }
    if key := next((key for key, holds in whys.items() if holds), ""):
        yield _working("now", key, loop, since, at, numbers)


def _falls(loop: Loop, rows: Indices) -> bool:
    output = loop.output[rows]
    return bool(np.isfinite(output).all() and output[-1] < output[0] - AT_LIMIT)


def _rate(loop: Loop, part: slice) -> float:
    """Return the slope of pv in a part of the record, per second; nan for less than two samples."""
    time, pv = loop.time[part], loop.pv[part]
    known = np.isfinite(pv)
    if np.count_nonzero(known) < 2 or not np.ptp(time[known]):
        return math.nan
    return float(np.polyfit(time[known] - time[0], pv[known], 1)[0])


def _working(about: str, key: str, loop: Loop, first: int, last: int, numbers: dict[str, float]) -> Working:
    last = min(last, len(loop) - 1)
    return Working(
        about, key, float(loop.time[first]), float(loop.time[last]), int(loop.line[first]), numbers
    )
