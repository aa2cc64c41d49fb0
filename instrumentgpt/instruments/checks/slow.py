"""Changes over many minutes, or runs: a heater that weakens, a sensor that drifts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from instrumentgpt.instruments.analysis.departures import NEEDED
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT, BAND, Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.language import DAY
from instrumentgpt.instruments.loops import Floats, Indices, Mask
from instrumentgpt.instruments.reading.headers import heading_of

BLOCK = 2.0  # lags over which the output is averaged
FEWEST_BLOCKS = 15  # at one setpoint: thirty lags
FEWEST_CYCLES = 8  # of an on/off loop
DAYS, WEEKS = 2.0, 1.9  # of a record, from which its days, its weeks are compared
BESIDE_REFERENCE = 5  # blocks, the fewest
MOVES, ALONG = 5.0, 0.3  # bands that pv moves; share of that by which a reading that goes along is from it
OFF = 2.0  # bands by which a sensor is off beside a reference
FEW = 4  # blocks whose median says what the output was
WARM_UP = 18.0  # lags after settling on a step in which the plant still soaks
ON_SETPOINT = 1.7  # bands of error that a block may have
MORE_OUTPUT = 1.14  # times the output for the same setpoint: a weak heater; loops.md section 1
LESS_OUTPUT = 0.9  # times: a sensor reading ever higher; loops.md section 1
SMALLEST_DUTY = 3.0  # percent below which a ratio means nothing
BEGUN = 0.15  # share of the whole change that counts as begun
DRIFT_SEEN = 0.3  # share for a drift: a plant that is let cool needs less at once, before pv has drifted far
SOAKED = 0.25, 0.75  # shares of a fall after a quarter and half of the record: who soaks slows down
REVERSED = 0.5  # share of the change that had been there before and went away again: a load, not wear
SMALLEST_CHANGE = 2.5  # percent of output


@dataclass(frozen=True, eq=False)
class Duty:
    """The output needed at one setpoint, in blocks of `size` samples: first index, time (s), percent."""

    size: int
    index: list[int]
    time: Floats
    output: Floats


@dataclass(frozen=True)
class Change:
    """The output for the same setpoint before and after, percent, from index `first` on, `clear` later."""

    first: int
    clear: int
    last: int
    before: float
    after: float
    before_index: int
    same_hours: bool

    @property
    def ratio(self) -> float:
        """The size of the output after over that before."""
        return abs(self.after) / abs(self.before)


def duty_at_equal_setpoint(track: Track) -> Duty | None:
    """Return the output at the setpoint held longest, in blocks or cycles; None if that is too short."""
    if track.kind.drive == "on_off":
        return _duty_of_cycles(track)
    kept = _blocks_on_setpoint(track)
    return None if kept is None else _in_blocks(track, kept, track.output)


def _duty_of_cycles(track: Track) -> Duty | None:
    """Return the share of each cycle of an on/off loop in which it was on."""
    steady = _at_one_setpoint(track, track.holding)
    cycles = [(a, b) for a, b in track.cycles if steady[a:b].all()]
    if len(cycles) < FEWEST_CYCLES:
        return None
    output = np.array([float(np.mean(track.output[a:b])) for a, b in cycles])
    first = [a for a, _ in cycles]
    return Duty(int(np.median([b - a for a, b in cycles])), first, track.time[first], output)


def _in_blocks(track: Track, kept: Indices, values: Floats) -> Duty:
    return Duty(kept.shape[1], kept[:, 0].tolist(), track.time[kept[:, 0]], values[kept].mean(axis=1))


def _blocks_on_setpoint(track: Track) -> Indices | None:
    """Return the indices of the blocks (k, size) at the setpoint held longest, soaked; None if too few."""
    steady = track.quiet.copy()
    for hold in track.holds:
        if hold.first > 0 and hold.settled < hold.stop:
            steady[hold.settled : track.after(hold.settled, track.lags(WARM_UP))] = False
    is_finite = np.isfinite(track.output) & np.isfinite(track.pv)
    blocks = _blocks(track, _at_one_setpoint(track, steady & is_finite))
    kept = blocks[np.abs(np.median(track.smooth_error[blocks], axis=1)) < ON_SETPOINT]
    return kept if len(kept) >= FEWEST_BLOCKS else None


def _blocks(track: Track, steady: Mask) -> Indices:
    """Return the indices of the blocks (k, size) of what is `steady`."""
    index, size = np.flatnonzero(steady), track.samples(track.lags(BLOCK))
    return index[: max(0, len(index) - 1) // size * size].reshape(-1, size)


def _ends(values: Floats) -> tuple[Floats, Floats]:
    """Return the first and the last fifth of what was found in blocks."""
    count = max(FEW, len(values) // 5)
    return values[:count], values[-count:]


def _at_one_setpoint(track: Track, steady: Mask) -> Mask:
    """Return where `track` is `steady` at the setpoint at which it mostly is."""
    values, counts = np.unique(track.setpoint[steady], return_counts=True)
    return steady & (track.setpoint == values[np.argmax(counts)]) if values.size else steady


def _over(duty: Duty, length: float) -> Duty:
    """Return `duty` with the means of `length` s before each block, at first of the first `length`."""
    starts = np.maximum(duty.time - length, duty.time[0])
    first, stop = np.searchsorted(duty.time, starts), np.searchsorted(duty.time, starts + length, "right")
    total = np.append(0.0, np.cumsum(duty.output))
    return replace(duty, output=(total[stop] - total[first]) / (stop - first))


def lasting_change(duty: Duty, least: float = SMALLEST_CHANGE) -> Change | None:
    """Return the change that lasts to the end of the record; None if it does not stand clear, by `least`.

    What a day brings is no change, nor a week. It begins after the last block that was where the early ones
    are, and is clear after the last that had made less than `BEGUN` of it (`DRIFT_SEEN` of a fall). One that
    had come and gone before comes from what the loop is used for.
    """
    periods = [each for each, n in ((DAY, DAYS), (7 * DAY, WEEKS)) if np.ptp(duty.time) > n * each]
    parts = (_over(duty, length) for length in periods) if periods else [duty]
    return next(filter(None, (_lasting(part, least, bool(periods)) for part in parts)), None)


def _lasting(duty: Duty, least: float, of_days: bool) -> Change | None:
    count = len(duty.output)
    early, late = duty.output[: max(FEW, count // 5)], duty.output[-max(FEW, count // 5) :]
    before, after = float(np.median(early)), float(np.median(late))
    sign = np.sign(after - before)
    if abs(after - before) < least or np.min(sign * late) <= np.max(sign * early):
        return None
    moved = sign * (duty.output - before) / abs(after - before)
    begun = BEGUN if abs(after) > abs(before) else DRIFT_SEEN
    not_begun = np.flatnonzero(moved < begun)
    first = int(not_begun[-1]) + 1 if not_begun.size else count  # of blocks without readings none has
    if first >= count - 3:
        return None
    if np.count_nonzero(moved[:first] > REVERSED) >= FEW:
        return None
    parts = (float(np.median(moved[count * part // 4 :][: count // 5])) for part in (1, 2))
    if abs(after) < abs(before) and all(there > share for there, share in zip(parts, SOAKED, strict=True)):
        return None
    begins = int(np.flatnonzero(moved <= min(begun, np.max(moved[: len(early)])))[-1]) + 1
    start, clear = (duty.index[block - 1] + duty.size for block in (begins, first))
    return Change(start, clear, duty.index[-1], before, after, duty.index[max(0, begins - 2)], of_days)


def _changes(study: Study) -> list[tuple[Track, Change, float | None]]:
    """Return each channel's change of output and what the others did meanwhile (their median ratio)."""
    duties = {track.loop.channel: (track, duty_at_equal_setpoint(track)) for track in study.active}
    found_changes = []
    for channel, (track, duty) in duties.items():
        change = None if duty is None else lasting_change(duty)
        if change and (abs(change.before) < SMALLEST_DUTY or change.before * change.after < 0):
            change = None
        if change is None:
            continue
        rest = [d for other, (_, d) in duties.items() if other != channel and d is not None]
        found_changes.append((track, change, _others(rest, float(track.time[change.clear]))))
    return found_changes


def _others(duties: list[Duty], time: float) -> float | None:
    """Return the median factor by which the other channels' outputs changed at `time`, if there are any."""
    ratios = []
    for duty in duties:
        earlier, later = duty.output[duty.time < time], duty.output[duty.time >= time]
        if len(earlier) >= 4 and len(later) >= 4 and abs(np.median(earlier)) >= SMALLEST_DUTY:
            ratios.append(float(np.median(later[-10:]) / np.median(earlier)))
    return float(np.median(ratios)) if ratios else None


def output_changed(study: Study, before: Sequence[Finding], fault: str) -> list[Finding]:
    """Find a channel that needs lastingly more (or less) output for one setpoint while others do not."""
    sign, limit = (1, MORE_OUTPUT) if fault == "heater_degradation" else (-1, 1 / LESS_OUTPUT)
    return [
        _finding(study, track, change, others, fault)
        for track, change, others in _changes(study)
        if change.ratio**sign > (peers := max((others or 1.0) ** sign, 1.0)) * max(limit, peers)
        and (others is not None or fault != "sensor_bias")
    ]


def _finding(study: Study, track: Track, change: Change, others: float | None, fault: str) -> Finding:
    numbers: dict[str, float | str] = {
        "kind": "drift",
        "before": change.before,
        "after": change.after,
        "ratio": change.ratio,
        "same_hours": change.same_hours,
        "setpoint": float(track.loop.setpoint[change.last]),
    }
    if fault == "heater_degradation":
        ruled_out = [
            RuledOut("ambient_disturbance", "others_unchanged", {"others": others, "ratio": change.ratio})
            if others
            else RuledOut("ambient_disturbance", "untold"),
            RuledOut("sensor_bias", "not_separable", {"ratio": change.ratio}),
        ]
    else:
        ruled_out = [RuledOut("heater_degradation", "less_output", {"ratio": change.ratio})]
    lines = (change.before_index, change.last)
    return finding_of(study, fault, track, change.first, len(track) - 1, lines, numbers, ruled_out)


def left_reference(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a sensor that another reading leaves while the output goes with that one: the plant does, too."""
    others = [other for other in study.every.values() if not other.controlled.any()]
    found = [_from_reference(study, track, other) for track in study.active for other in others]
    by_size = sorted(filter(None, found), key=lambda finding: abs(float(finding.numbers["size"])))
    return list({finding.channel: finding for finding in by_size}.values())


def _from_reference(study: Study, track: Track, other: Track) -> Finding | None:
    """Return how the sensor of `track` reads beside `other`: it drifts, or is off; None if neither shows.

    What the log calls the reference is right; another reading is where the output goes with it, as only then
    the plant did.
    """
    is_read = np.isfinite(other.pv)
    if study.log.unit_of(other.loop.channel) != study.log.unit_of(track.loop.channel) or not is_read.any():
        return None
    name = study.log.channel_names.get(other.loop.channel) or f"channel {other.loop.channel}"
    there = np.interp(track.time, other.time[is_read], other.pv[is_read]) / other.scale
    is_named = heading_of(name).says("pv", "reference") and _goes_along(track, there * track.scale)
    judge = _beside_reference if is_named else _beside_another
    return judge(study, track, name, there - track.pv / track.scale)


def _beside_reference(study: Study, track: Track, name: str, apart: Floats) -> Finding | None:
    """Return that pv is off, or drifts, by what is `apart` from it (n,), as shown, whatever its output."""
    kept = _blocks(track, track.quiet & np.isfinite(apart))
    if len(kept) < BESIDE_REFERENCE:
        return None
    duty = _in_blocks(track, kept, apart)
    most = int(np.argmax(np.abs(duty.output)))
    early, late = (float(np.median(part)) for part in _ends(duty.output))
    largest, is_off = float(duty.output[most]), _is_off(track, duty, kept)
    change = lasting_change(_at_equal_pv(track, kept, duty), track.shown(max(3 * track.digit, BAND / 4)))
    in_time = change and duty.index[0] < change.first and abs(change.after - change.before)
    drifts = change if in_time and not (is_off and in_time < abs(largest) / 2) else None
    if not drifts and not is_off:
        return None
    first, at = (drifts.first, drifts.last) if drifts else (int(kept[0, 0]), int(kept[most, 0]))
    numbers: dict[str, float | str] = {
        "kind": "named_drift" if drifts else "named",
        "reference": name,
        "size": late - early if drifts else largest,
        "early": early,
        "late": late,
        "setpoint": float(track.loop.setpoint[at]),
    }
    return finding_of(study, "sensor_bias", track, first, len(track) - 1, (first, at), numbers)


def _beside_another(study: Study, track: Track, name: str, apart: Floats) -> Finding | None:
    """Return that pv drifts, where another reading agreed with it at first and the output goes with that."""
    kept = _blocks_on_setpoint(track)
    if kept is None or track.rest is None:
        return None
    duty, needed = _in_blocks(track, kept, apart), _in_blocks(track, kept, track.output)
    change = lasting_change(duty, track.shown(BAND))
    was, now = (float(part.mean()) for part in _ends(needed.output))
    agreed = np.ptp(np.percentile(_ends(duty.output)[0], (10, 90))) < track.shown(BAND)
    if not (change and agreed and duty.index[0] < change.first and _goes_with(track, change, was, now)):
        return None
    numbers: dict[str, float | str] = {
        "kind": "reference",
        "reference": name,
        "size": change.after - change.before,
        "early": change.before,
        "late": change.after,
        "before": was,
        "after": now,
        "setpoint": float(track.loop.setpoint[change.last]),
    }
    lines, out = (change.before_index, change.last), RuledOut("heater_degradation", "goes_with", numbers)
    return finding_of(study, "sensor_bias", track, change.first, len(track) - 1, lines, numbers, [out])


def _goes_with(track: Track, change: Change, was: float, now: float) -> bool:
    """Return whether the output went from `was` to `now` with a reading that left pv, no heater's own."""
    size = change.after - change.before
    driven = abs(float(track.setpoint[change.last]) - (track.rest or 0.0))
    due = NEEDED * abs(size * track.scale / driven * was)
    if not math.copysign(1.0, size * track.scale) * (now - was) >= max(due, track.output_digit, AT_LIMIT):
        return False
    return not abs(change.before * (now - was)) > abs(size * was) / 2  # a heater's is as far as that is high


def _at_equal_pv(track: Track, kept: Indices, duty: Duty) -> Duty:
    """Return `duty` without what of it goes with pv: a wrong span grows with the setpoint, not in time."""
    pv = track.pv[kept].mean(axis=1)
    if np.ptp(pv) < MOVES:
        return duty
    return replace(duty, output=duty.output - np.polyval(np.polyfit(pv, duty.output, 1), pv))


def _goes_along(track: Track, other: Floats) -> bool:
    """Return whether a reading (n,), bands, goes where pv goes, and is near it where pv stays."""
    both = np.isfinite(other) & np.isfinite(track.pv)
    one, two = track.pv[both], other[both]
    if not len(one) or np.ptp(one) < MOVES:
        return bool(len(one) and abs(np.median(two - one)) < MOVES)
    low, high = np.percentile(two - one, (1, 99))
    return bool(max(high - low, abs(low), abs(high)) < ALONG * np.ptp(one))


def _is_off(track: Track, duty: Duty, kept: Indices) -> bool:
    """Return whether pv is out of its band beside a reference that goes its way, at one setpoint at least."""
    setpoints = track.setpoint[kept[:, 0]]
    of = [duty.output[setpoints == setpoint] for setpoint in np.unique(setpoints)]
    return any(abs(np.median(part)) - np.ptp(np.percentile(part, (10, 90))) > track.shown(OFF) for part in of)
