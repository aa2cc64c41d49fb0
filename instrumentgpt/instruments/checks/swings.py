"""The sustained swing of a loop: half cycles, period, size, regularity, shape, output at a limit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from instrumentgpt.instruments.analysis.signals import HalfCycles, noise, periodicity, runs, smooth
from instrumentgpt.instruments.analysis.tracks import Hold, Track
from instrumentgpt.instruments.language import DAY
from instrumentgpt.instruments.loops import Floats, Indices, Mask

STRIKING_CROSSINGS = 12  # half cycles from which a swing is too long to be a settling
DECAYED = 0.6  # of the early amplitude left at the end: a swing that dies away is a settling
LONG_BEGINNING = 4.0  # periods
PARTS = 8  # of a hold, in each of which a swing may be all there is
AMPLITUDE = 0.95  # band, half peak to peak
SMALL_AMPLITUDE = 0.75  # band, from which no hold is healthy; a swing that small must be strikingly regular
STRIKING = 0.8  # regularity, over at least `STRIKING_CROSSINGS`
CROSSINGS = 8  # half cycles; loops.md section 1
FILLS = 0.15  # of the time on setpoint: a loop whose gains or valve make it swing does not stop for long
AT_REST, RESTS = 0.3, 0.35  # of the amplitude; share of the time nearer: sines have 0.19, valves to 0.3
ALIKE = 0.5  # of the time on setpoint in between, that the cycles of one swing fill
CALM = 0.1  # of a period, over which pv is averaged there
STILL_ON = 2.0  # periods before the end of it
FEW_CROSSINGS = 4  # half cycles, where pv has corners or the output meets a limit in every whole cycle
IRREGULAR = 0.45  # coefficient of variation of the half cycles; loops.md section 1
AT_LIMIT_SHARE = 0.5  # of the cycles, for the gains to be the cause; loops.md section 1
ABOVE_NOISE = 6.0  # times the noise, where no band says more
SMOOTH = 0.2  # straightness below which a swing turns as smoothly as a linear loop does
PUSHED = 3.0  # times: loops that swing by themselves make 0.8 to 2.1, loads 4.7 and more
SHARP = 0.05  # of a period, over which pv and output are averaged for it
QUICK, LEAST_SAMPLES = 20.0, 4  # lags in which a quick swing has one period; samples of a regular one
WIDE = 0.25  # of its range, half peak to peak, that the output then swings
OF_DAYS = 0.03  # of a day, by which a period is that of people, weather and rooms, and no loop's
FOUND: WeakKeyDictionary[Track, "Swing | None"] = WeakKeyDictionary()  # several checks ask for it


@dataclass(frozen=True)
class Swing:
    """A sustained oscillation of one channel.

    first, last  indices
    period       s
    amplitude    bands, half peak to peak
    cycles       whole cycles seen
    regularity   1 - coefficient of variation of its half cycles
    at_limit     share of the cycles in which the output met a limit (two-sided: changed sign)
    output       percent, half peak to peak of the output
    peaks        indices of the two largest extremes
    """

    first: int
    last: int
    period: float
    amplitude: float
    cycles: float
    regularity: float
    at_limit: float
    output: float
    peaks: tuple[int, int]
    straightness: float = 0.0  # of the way between the extremes: 1 a line, 0 half a cosine


def trains_of(track: Track, hold: Hold, smallest: float) -> list[HalfCycles]:
    """Return the trains of large half cycles of like length within `hold`, four or more, the best first."""
    start = track.reached(hold)
    error = track.error[start : hold.stop]
    errors = error[track.usable[start : hold.stop] & np.isfinite(error)]
    if len(errors) < 20 or np.ptp(errors) < 1.2 * smallest:  # no part of it is large either
        return []
    noise = 0.0 if np.isnan(track.noise) else track.noise
    for parts in (1, PARTS):  # a swing that began late is small in all of a long hold
        half = max(float(np.ptp(np.percentile(part, (5, 95)))) / 2 for part in np.array_split(errors, parts))
        if half < 0.6 * smallest:
            continue
        hysteresis = max(0.4 * smallest, min(2 * noise, 0.6 * half), 0.25 * half)
        if trains := _trains(track, track.swings(start, hold.stop, hysteresis), smallest):
            return trains
    return []


def _trains(track: Track, cycles: HalfCycles, smallest: float) -> list[HalfCycles]:
    large = np.abs(cycles.extreme) > 0.8 * smallest
    times = track.time[cycles.first]
    lengths = np.diff(times, append=times[-1:] + 0.0)
    trains, start = [], 0
    for i in range(1, len(cycles) + 1):
        ends = i == len(cycles) or not large[i]
        unlike = not ends and i - start >= 3 and not 0.4 < lengths[i - 1] / max(lengths[i - 3], 1e-9) < 2.5
        if ends or unlike or not large[start]:
            trains.append((start, i))
            start = i

    def regular_first(train: tuple[int, int]) -> tuple[bool, int]:
        first, stop = train
        return pair_variation(lengths[first : stop - 1]) <= IRREGULAR, stop - first

    best = sorted((train for train in trains if train[1] - train[0] >= 4), key=regular_first, reverse=True)
    parts = (slice(*train) for train in best)
    return [HalfCycles(cycles.first[part], cycles.peak[part], cycles.extreme[part]) for part in parts]


def beginning_of(track: Track, train: HalfCycles, period: float, smallest: float) -> int:
    """Return where the swing began: excursions up to `LONG_BEGINNING` before belong to it."""
    first = int(train.first[0])
    earlier: list[int] = []
    for hold in track.holds:
        start, stop = track.reached(hold), min(hold.stop, first)
        if start < stop:
            earlier += track.swings(start, stop, 0.8 * smallest).first.tolist()
    for start in reversed(earlier):
        if track.time[first] - track.time[start] > LONG_BEGINNING * period:
            break
        first = start
    return first


def period_of(track: Track, train: HalfCycles) -> float:
    """Return the period in s: twice the mean half cycle."""
    return 2.0 * float(track.time[train.first[-1]] - track.time[train.first[0]]) / (len(train) - 1)


def pair_variation(lengths: Floats) -> float:
    """Return the coefficient of variation of whole cycles: a lopsided swing is as regular as an even one."""
    if len(lengths) < 3:
        return 1.0
    pairs = lengths[:-1] + lengths[1:]
    return float(np.std(pairs) / np.mean(pairs))


def decays(train: HalfCycles) -> bool:
    """Return whether the swing dies away, as a settling does; no long one."""
    size = np.abs(train.extreme)
    if size[0] > 2 * np.median(size):
        size = size[1:]  # the step that set it off
    third = max(2, len(size) // 3)
    if np.median(size[-third:]) >= DECAYED * np.median(size[:third]):
        return False
    return len(size) < STRIKING_CROSSINGS


def any_swing_of(track: Track) -> Swing | None:
    """Return the swing of `track`, large, or small and strikingly regular; None if there is none."""
    if track not in FOUND:
        middle = about_its_middle(track)
        swing = swing_of(track) or _small_swing(track) or swing_of(middle) or _quick_swing(track)
        FOUND[track] = None if swing and abs(swing.period / DAY - 1) < OF_DAYS else swing
    return FOUND[track]


def about_its_middle(track: Track) -> Track:
    """Return `track` with its setpoint where pv mostly is: it may have none, or a swing lopsided about it."""
    if not np.isfinite(track.setpoint).any():
        middle = np.full(len(track), float(np.nanmedian(track.pv)))
        return replace(track, setpoint=middle, controlled=np.ones(len(track), dtype=bool))
    held = track.error[track.holding & np.isfinite(track.error)]
    return replace(track, setpoint=track.setpoint - np.median(held)) if held.size else track


def swing_of(track: Track, least: float = AMPLITUDE) -> Swing | None:
    """Return the sustained oscillation of `track`, None if there is none; holds of one period are joined.

    least  bands, half peak to peak, of a temperature; of anything else it must stand above noise and digits
    """
    smallest = least * track.is_thermal or max(ABOVE_NOISE * track.noise, 3 * track.digit)
    trains = [
        found for hold in track.holds or _following(track) if (found := trains_of(track, hold, smallest))
    ]
    if not trains:
        return None
    longest = max((found[0] for found in trains), key=len)
    period = period_of(track, longest)
    regular = 1.0 - pair_variation(np.diff(track.time[longest.first])) >= STRIKING
    by_itself = regular and _share_at_limit(track, longest, crossing=True) > AT_LIMIT_SHARE
    groups = [train for found in trains for train in (found if by_itself else found[:1])]
    groups.sort(key=lambda train: int(train.first[0]))  # what pushes it now and then does not end it
    alike = [group for group in groups if 0.6 < period_of(track, group) / period < 1.6]
    straight = straightness(track.error, longest.peak)
    at_limit = _mean_share_at_limit(track, alike, crossing=not straight > STRAIGHT)
    sticks = straight > STRAIGHT and at_limit <= AT_LIMIT_SHARE
    needed = FEW_CROSSINGS if sticks or at_limit == 1.0 else CROSSINGS
    if sum(len(group) for group in alike) < needed or decays(longest):
        return None
    durations = np.concatenate([np.diff(track.time[group.first]) for group in alike])
    regularity = 1.0 - pair_variation(durations)
    extremes = np.concatenate([np.abs(group.extreme) for group in alike])
    amplitude = float(np.median(extremes))
    if regularity < 1.0 - IRREGULAR or amplitude < smallest:
        return None
    first, last = beginning_of(track, alike[0], period, smallest), int(alike[-1].peak[-1])
    calm = smooth(track.error[first : last + 1], track.samples(period * CALM) | 1)
    pushed = (np.abs(calm) < AT_REST * amplitude).mean() > RESTS  # with quiet between
    between = track.period * np.count_nonzero(track.holding[first : last + 1])
    pushed |= len(extremes) / 2 * period < ALIKE * between
    if pushed or not _lasts(track, first, last, period):
        return None
    return Swing(
        first,
        last,
        period,
        amplitude,
        len(extremes) / 2,
        regularity,
        at_limit,
        _output_swing(track, longest),
        (int(longest.peak[len(longest) // 2]), int(longest.peak[len(longest) // 2 - 1])),
        straight,
    )


def _following(track: Track) -> list[Hold]:
    """Return the stretches in which a setpoint is followed that never stands still, as that of a cascade."""
    stretches = runs(track.controlled & track.usable)
    return [Hold(a, b, math.nan, a) for a, b in stretches.tolist()]


def _lasts(track: Track, first: int, last: int, period: float) -> bool:
    """Return whether a swing fills its share of the time on setpoint, or goes on to the end of it."""
    held = np.flatnonzero(track.holding)
    if not held.size or track.time[held[-1]] - track.time[last] < STILL_ON * period:
        return True
    return bool(np.count_nonzero(track.holding[first : last + 1]) >= FILLS * held.size)


def _mean_share_at_limit(track: Track, groups: Sequence[HalfCycles], crossing: bool) -> float:
    """Return the share of cycles in which the output met a limit; `crossing`: or changed sign (Peltier)."""
    shares = [_share_at_limit(track, group, crossing) for group in groups]
    return float(np.average(shares, weights=[len(group) for group in groups]))


def _share_at_limit(track: Track, group: HalfCycles, crossing: bool) -> float:
    met = []
    for start, stop in zip(group.first[:-2:2], group.first[2::2], strict=False):
        output = track.output[start:stop]
        if not np.isfinite(output).any():
            continue
        touches = bool((track.at_low[start:stop] | track.at_high[start:stop]).any())
        lowest, highest = float(np.nanmin(output)), float(np.nanmax(output))
        crosses = crossing and track.low < 0 and lowest < -1.0 and highest > 1.0
        met.append(touches or crosses)
    return float(np.mean(met)) if met else 0.0


def _output_swing(track: Track, group: HalfCycles) -> float:
    output = track.output[group.first[0] : group.peak[-1] + 1]
    if not np.isfinite(output).any():
        return math.nan
    return float(np.nanpercentile(output, 95) - np.nanpercentile(output, 5)) / 2


def is_pushed(track: Track, swing: Swing) -> bool:
    """Return whether something outside moves pv again and again, and the output only brings it back.

    A plant that its output swings goes either way as fast as the output stands to that side of its mean; a
    cold load, a shot, a lid takes it one way `PUSHED` times as fast as the way back tells.
    """
    part, width = slice(swing.first, swing.last + 1), track.samples(swing.period * SHARP) | 1
    output = smooth(track.output[part], width)
    slope = np.gradient(smooth(track.pv[part], width), track.time[part])
    size = min(track.samples(swing.period), len(output))
    cycles = (each[: len(each) // size * size].reshape(-1, size) for each in (slope, output - output.mean()))
    (fall, rise), (down, up) = ((np.median(each.min(1)), np.median(each.max(1))) for each in cycles)
    told = track.is_thermal and fall * down > 0 < rise * up
    return bool(told and abs(math.log(fall * up / (rise * down))) > math.log(PUSHED))


def _small_swing(track: Track) -> Swing | None:
    """Return a swing between what is healthy and what counts, if it is strikingly regular and long."""
    swing = swing_of(track, SMALL_AMPLITUDE)
    if swing is None or swing.regularity < STRIKING or 2 * swing.cycles < STRIKING_CROSSINGS:
        return None
    if swing.at_limit <= AT_LIMIT_SHARE and swing.straightness < SMOOTH:
        return None  # smooth and inside the limits: the room can do that
    return swing


def _quick_swing(track: Track) -> Swing | None:
    """Return a wide swing of few samples a cycle, which its period tells from noise in block after block."""
    size, rest = track.samples(track.lags(QUICK)), track.pv - smooth(track.pv, track.samples(track.lag) | 1)
    blocks = [slice(a, a + size) for a in range(0, len(track) - size + 1, size)]
    blocks = [part for part in blocks if track.holding[part].all() and np.isfinite(rest[part]).all()]
    told = [(part, *periodicity(rest[part])) for part in blocks]
    told = [each for each in told if each[1] >= LEAST_SAMPLES and each[2] >= STRIKING]
    output = float(np.median([np.ptp(track.output[part]) / 2 for part, *_ in told])) if told else 0.0
    if len(told) < max(2, ALIKE * len(blocks)) or not output >= WIDE * (track.high - track.low):
        return None
    lengths, limited = np.array([length for _, length, _ in told]), track.at_low | track.at_high
    met = [smooth(limited[part].astype(float), int(length)) > 0 for part, length, _ in told]
    amplitude = float(np.median([np.std(rest[part]) for part, *_ in told])) * math.sqrt(2.0)
    worst = max((part for part, *_ in told), key=lambda part: float(np.std(rest[part])))
    peaks = worst.start + int(np.argmax(rest[worst])), worst.start + int(np.argmin(rest[worst]))
    period, cycles = float(np.median(lengths)) * track.period, float(np.sum(size / lengths))
    regularity, at_limit = float(np.median([share for *_, share in told])), float(np.mean(met))
    ends = told[0][0].start, told[-1][0].stop - 1
    return Swing(*ends, period, amplitude, cycles, regularity, at_limit, output, peaks)


# An actuator that sticks or moves in steps, a valve too: few, slow, lopsided swings with corners. While it
# stands still pv goes straight (or as the plant relaxes) until the integral has moved the output far
# enough; then it jumps and pv turns round at once. Gains or a room that breathes make pv turn gradually. So
# the halves of a swing are compared with a straight line and with half a cosine: the curve fitting method
# of He, Wang, Pottmann, Qin, Ind. Eng. Chem. Res. 46 (2007) 4549-4560, from extreme to extreme here: the
# mean of a slow swing need not be at its setpoint.
STRAIGHT = 0.6  # index from which a swing has corners; He et al. 2007
SMOOTHED = 0.04  # of a leg, over which pv is averaged before it is judged
SHORTEST_LEG = 8  # samples, for its shape to be told
BLOCK = 6  # samples averaged: noise goes down, and what follows at once has followed
STILL = 3.0  # standard deviations of a block mean by which pv may move and count as still
STANDING = 2.0  # standard deviations of pv by which the error must stand off
UNANSWERED = 0.5  # share of the output's travel; half of it or more is no lag
LEAST_TRAVEL = 1.0  # percent of output travelled unanswered, in one direction
FEWEST_BLOCKS = 40


@dataclass(frozen=True)
class Stuck:
    """How much the output travelled without an answer.

    first, last  indices of the longest stretch of it
    travel       percent, in that stretch
    share        of all the travel of the output, 0 to 1
    error        unit of pv, mean over that stretch
    """

    first: int
    last: int
    travel: float
    share: float
    error: float


def straightness(values: Floats, turns: Indices) -> float:
    """Return the median over the legs of how much better a line fits than half a cosine: 0 to 1, nan if none.

    >>> x = np.arange(100)
    >>> round(straightness(np.abs(x % 50 - 25.0), np.array([0, 25, 50, 75])), 2)
    1.0
    >>> round(straightness(np.cos(np.pi * x / 25), np.array([0, 25, 50, 75])), 2)
    0.0
    """
    legs = [values[a : b + 1] for a, b in pairwise(turns.tolist()) if b - a >= SHORTEST_LEG]
    return float(np.median([*map(_straight, legs)])) if legs else float("nan")


def _straight(leg: Floats) -> float:
    leg = smooth(leg, max(1, round(SMOOTHED * len(leg))))
    way = np.linspace(0.0, 1.0, len(leg))
    by_line, by_cosine = (_misfit(shape, way, leg) for shape in (way, np.cos(np.pi * way)))
    return by_cosine / (by_line + by_cosine) if by_line + by_cosine > 0 else 0.5


def _misfit(shape: Floats, way: Floats, leg: Floats) -> float:
    """Return the squares left by `shape`, bent as far as it takes: a plant relaxes along a curve."""
    design = np.column_stack([np.ones(len(leg)), shape, way * (1.0 - way)])
    return float(np.sum((leg - design @ np.linalg.lstsq(design, leg, rcond=None)[0]) ** 2))


def stuck_of(track: Track) -> Stuck | None:
    """Return how the output of `track` moved unanswered, as by a valve that sticks; None if it did not."""
    count = len(track) // BLOCK
    usable = np.isfinite(track.output) & np.isfinite(track.error) & track.usable
    if count < FEWEST_BLOCKS or not usable.all() or not track.noise > 0:
        return None
    output, pv, error = (
        values[: count * BLOCK].reshape(count, BLOCK).mean(axis=1)
        for values in (track.output, track.pv, track.error)
    )
    moves, changes = np.diff(output), np.diff(pv)
    level = STILL * track.noise * np.sqrt(2.0 / BLOCK)
    moved = np.abs(moves) > max(STILL * noise(track.output) * np.sqrt(2.0 / BLOCK), 1e-9)
    standing = np.abs(error[1:]) > STANDING * track.noise
    demanded = np.sign(moves) == np.sign(error[1:])
    unanswered = moved & standing & demanded & (np.abs(changes) < level)
    travelled = float(np.abs(moves[moved]).sum())
    if not unanswered.any() or not travelled > 0:
        return None
    first, stop = _longest(unanswered, moves)
    travel, share = float(abs(moves[first:stop].sum())), float(np.abs(moves[unanswered]).sum()) / travelled
    if share <= UNANSWERED or travel <= LEAST_TRAVEL:
        return None
    last = min(stop + 1, count) * BLOCK - 1
    return Stuck(first * BLOCK, last, travel, share, float(error[first + 1 : stop + 1].mean()))


def _longest(unanswered: Mask, moves: Floats) -> tuple[int, int]:
    """Return (first, past-the-last) block of the stretch in one direction with the most travel."""
    signs = np.where(unanswered, np.sign(moves), 0)
    edges = np.flatnonzero(np.diff(signs, prepend=0, append=0))
    pieces = [(a, b) for a, b in pairwise(edges.tolist()) if signs[a]]
    return max(pieces, key=lambda piece: float(abs(moves[piece[0] : piece[1]].sum())))
