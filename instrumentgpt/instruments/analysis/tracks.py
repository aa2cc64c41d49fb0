"""A loop as it is judged: in its own units, heating, with its steps, its holds, and where it is quiet.

A size of 1 is the loop's band, and times are compared with its lag (`own_units`).
"""

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis import signals
from instrumentgpt.instruments.analysis.kind import DRIVES, LoopKind, drive_of, program_of
from instrumentgpt.instruments.loops import Floats, Loop, Mask
from instrumentgpt.instruments.reading.record import UNSTATED, StatedLoop

BAND = 1.0  # band: the error that counts as on setpoint
SHORTEST_HOLD = 6.0  # lags of constant setpoint
SETTLED_FOR = 3.0  # lags inside the band before a loop counts as settled
SETTLING = 12.0  # lags after a loop has settled on a step in which its humps are its own
SMALLEST_STEP = 3.0  # bands of setpoint change that start a transient
HELD_STEP = 2.0  # lags that a setpoint must stand, or it is a point of a ramp
FEWEST_CYCLES = 4  # of an on/off loop, that show how it swings by itself
CYCLES = 1.8  # times their swing, from which it is out of its own band
AT_LIMIT = 0.6  # percent from a limit that still counts as pinned: half a digit of an integer output


@dataclass(frozen=True)
class Hold:
    """A stretch of constant setpoint of at least `SHORTEST_HOLD`: indices, and where pv had settled.

    settled  first index from which pv stayed in the band for `SETTLED_FOR`; `stop` if it never did
    """

    first: int
    stop: int
    setpoint: float
    settled: int


@dataclass(frozen=True)
class Step:
    """A change of setpoint between two constant values: index of the first sample with the new one.

    size  bands from where pv stood to the new setpoint, positive upwards (mirrored for reverse acting loops)
    stop  index at which the setpoint changes again, or the end
    """

    index: int
    stop: int
    setpoint: float
    size: float


@dataclass(frozen=True, eq=False)
class Track:
    """A loop in bands, as one that heats: reverse acting loops are mirrored, more output always raises `pv`.

    loop           as shown; what is quoted comes from it
    logged         as in its file, which its gains are per: `loop`, if that is its unit
    scale          bands per shown unit, negative if mirrored
    per_logged     bands per unit of the file
    time           (n,) s, increasing: jumps of the clock are taken out
    setpoint       (n,) bands
    raw            (n,) bands; nan where nothing believable was read for long, spikes still in it
    pv             (n,) bands, spikes and short drop-outs bridged
    output         (n,) percent
    usable         (n,) False within reach of a gap in the log
    controlled     (n,) True where a setpoint is given and the loop is switched on
    period         s between samples, median
    low, high      output limits, percent
    lag            s in which the loop can show that it does something
    span           bands it works in
    rest           bands: where it stands without power, a room's temperature; None where that is not known
    stated         what people said of it
    """

    loop: Loop
    logged: Loop
    scale: float
    per_logged: float
    time: Floats
    setpoint: Floats
    raw: Floats
    pv: Floats
    output: Floats
    usable: Mask
    controlled: Mask
    period: float
    low: float
    high: float
    lag: float
    span: float
    is_thermal: bool = True
    rest: float | None = None
    stated: StatedLoop = UNSTATED

    def __len__(self) -> int:
        return len(self.time)

    def shown(self, bands: float) -> float:
        """Return a difference of pv in the unit it is shown in."""
        return bands / abs(self.scale)

    def lags(self, lags: float) -> float:
        """Return how many seconds `lags` are."""
        return lags * self.lag

    def samples(self, seconds: float) -> int:
        """Return how many samples `seconds` are, at least 1."""
        return max(1, round(seconds / self.period)) if self.period > 0 else 1

    def after(self, index: int, seconds: float) -> int:
        """Return the first index at least `seconds` after `index`; the length if the log ends before."""
        return int(np.searchsorted(self.time, self.time[index] + seconds))

    @cached_property
    def error(self) -> Floats:
        """Return setpoint less pv, in bands, (n,)."""
        return self.setpoint - self.pv

    @cached_property
    def smooth_error(self) -> Floats:
        """Return setpoint - mean pv of half a lag: digits and noise do not take a loop out of its band."""
        return self.setpoint - self.smooth_pv

    @cached_property
    def smooth_pv(self) -> Floats:
        """Return the mean pv of half a lag, in bands."""
        return signals.smooth(self.pv, self.samples(self.lag / 2) | 1)

    @cached_property
    def digit(self) -> float:
        """Return the coarseness of pv in bands, 0 where it never moves."""
        step = signals.digit(self.loop.pv[np.isfinite(self.pv)])
        return 0.0 if math.isnan(step) else abs(step * self.scale)

    @cached_property
    def output_digit(self) -> float:
        """Return the coarseness of the output, percent; 0 where it never moves."""
        step = signals.digit(self.output)
        return 0.0 if math.isnan(step) else step

    @cached_property
    def noise(self) -> float:
        """Return the white noise of pv, bands (standard deviation)."""
        return signals.noise(self.pv)

    @cached_property
    def at_low(self) -> Mask:
        """Return where the output stands at its lower limit, (n,)."""
        return self.output <= self.low + AT_LIMIT

    @cached_property
    def at_high(self) -> Mask:
        """Return where the output stands at its upper limit, (n,)."""
        return self.output >= self.high - AT_LIMIT

    @cached_property
    def kind(self) -> LoopKind:
        """Return what kind of loop this is, with the numbers it is told from."""
        drive, switches, two_values = drive_of(self.setpoint, self.output, self.controlled)
        return LoopKind(
            next((stated for stated in DRIVES if stated == self.stated.drive), drive),
            reverse=self.scale < 0,
            two_sided=self.low < 0,
            low=self.low,
            high=self.high,
            program=program_of(self.loop.setpoint[self.controlled]),
            switches=switches,
            two_values=two_values,
            period=self.period,
            digit=self.shown(self.digit),
            noise=self.shown(self.noise),
            band=self.shown(BAND),
            lag=self.lag,
            not_read=int(np.count_nonzero(~np.isfinite(self.raw))),
            stated=tuple(name for name, value in asdict(self.stated).items() if value not in ("", None)),
            thermal=self.is_thermal,
        )

    @cached_property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """Return (first, past-the-last) of each stretch of constant setpoint under control."""
        return tuple((int(a), int(b)) for a, b in signals.constant_runs(self.setpoint) if self.controlled[a])

    @cached_property
    def holds(self) -> tuple[Hold, ...]:
        """Return the stretches of constant setpoint that are long enough to judge."""
        return tuple(
            Hold(a, b, float(self.setpoint[a]), self.settled(a, b))
            for a, b in self.levels
            if self.time[b - 1] - self.time[a] >= self.lags(SHORTEST_HOLD)
        )

    def settled(self, first: int, stop: int) -> int:
        """Return the first index from which pv stayed in the band for `SETTLED_FOR`; `stop` if never."""
        first = self.let_cool(first, stop)
        inside = np.abs(self.smooth_error[first:stop]) < BAND
        for a, b in signals.runs(inside):
            if self.time[first + b - 1] - self.time[first + a] >= self.lags(SETTLED_FOR):
                return first + int(a)
        return stop

    def let_cool(self, first: int, stop: int) -> int:
        """Return the end of the passive cool-down that a constant setpoint begins with; `first` if none.

        The output of a heater stands at its lower limit, pv is above the setpoint and falls by itself.
        """
        if self.low < 0 or first >= stop or not self.smooth_error[first] < -BAND:
            return first
        arrived = np.append(self.smooth_error[first:stop] >= -BAND, True)
        rests = signals.runs(self.at_low[first:stop])
        rests = rests[rests[:, 0] <= int(np.argmax(arrived))] + first
        if not rests.size or not self.smooth_pv[rests[-1, 1] - 1] < self.smooth_pv[rests[0, 0]] - BAND:
            return first
        return int(rests[-1, 1])

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return the setpoint steps of at least `SMALLEST_STEP`, no ramps; switching on counts as one."""
        steps = []
        for first, stop in self.levels:
            if self.time[stop - 1] - self.time[first] < self.lags(HELD_STEP):
                continue
            before = self.pv[max(0, first - 5) : first + 1]
            start = float(np.nanmedian(before)) if np.isfinite(before).any() else math.nan
            jumped = (
                first == 0
                or not self.controlled[first - 1]
                or abs(self.setpoint[first] - self.setpoint[first - 1]) >= SMALLEST_STEP
            )
            size = float(self.setpoint[first]) - start
            if jumped and abs(size) >= SMALLEST_STEP:
                steps.append(Step(first, stop, float(self.setpoint[first]), size))
        return tuple(steps)

    def answered(self, step: Step) -> int:
        """Return the end of `step` in `smooth_pv`: its last quarter of a lag has the next step in it."""
        half = self.samples(self.lag / 2) // 2
        return max(step.stop - half, step.index + 1) if step.stop < len(self) else step.stop

    def over(self, step: Step) -> int:
        """Return the end of the answer to `step`: what moves pv long after it had settled is none."""
        settled = self.settled(step.index, step.stop)
        end = self.after(settled, self.lags(SETTLING)) if settled < step.stop else len(self)
        return min(self.answered(step), end)

    @cached_property
    def quiet(self) -> Mask:
        """Return where the loop holds: settled in a hold, and usable (transients and ramps are out)."""
        mask = np.zeros(len(self), dtype=bool)
        for hold in self.holds:
            mask[hold.settled : hold.stop] = True
        return mask & self.usable

    @cached_property
    def at_rest(self) -> Mask:
        """Return where the loop holds and is over its last step: what moves pv there is not its own humps.

        A thermostat that swings beyond the band holds from when pv first reached the setpoint.
        """
        switches = self.kind.drive == "on_off"
        mask = (self.holding if switches else self.quiet).copy()
        for hold in self.holds:
            first = self.reached(hold) if switches else hold.settled
            if first < hold.stop:
                mask[first : self.after(first, self.lags(SETTLING))] = False
        return mask

    @cached_property
    def settling(self) -> Mask:
        """Return where the loop has just settled, or come, for `SETTLING`; not where the log begins so."""
        mask = np.zeros(len(self), dtype=bool)
        for hold in self.holds:
            come = hold.settled if hold.settled < hold.stop else self.reached(hold)
            if 0 < come < hold.stop:
                mask[come : min(self.after(come, self.lags(SETTLING)), hold.stop)] = True
        return mask

    def reached(self, hold: Hold) -> int:
        """Return the index at which pv first reached the setpoint of `hold`: its band, or past it.

        Where it never did, that is where it began; its end, if it was let cool.
        """
        first = self.let_cool(hold.first, hold.stop)
        error = self.smooth_error[first : hold.stop]
        there = (np.abs(error) < BAND) | (np.sign(error) != np.sign(error[:1]))
        never = hold.stop - first if first > hold.first else 0
        return first + (int(np.argmax(there)) if there.any() else never)

    def arrived(self, hold: Hold) -> bool:
        """Return whether pv ever was at the setpoint of `hold`, or past it."""
        reached = self.reached(hold)
        return hold.first < reached < hold.stop or abs(self.smooth_error[hold.first]) < BAND

    @cached_property
    def holding(self) -> Mask:
        """Return where the loop should hold: from when it settled, or from when pv reached the setpoint.

        The latter where it never settles, or only after it has swung to either side for `SETTLING`, and of a
        thermostat, which swings beyond the band. Where others arrived, one that never did holds nothing.
        """
        mask = np.zeros(len(self), dtype=bool)
        for hold in [hold for hold in self.holds if self.arrived(hold)] or self.holds:
            reached = self.reached(hold)
            away = self.smooth_error[reached + self.samples(self.lags(SETTLING)) : hold.settled]
            swings = (away > BAND).any() and (away < -BAND).any()
            from_there = swings or hold.settled == hold.stop or self.kind.drive == "on_off"
            mask[reached if from_there else hold.settled : hold.stop] = True
        return mask & self.usable

    @cached_property
    def cycles(self) -> list[tuple[int, int]]:
        """Return (first, past-the-last) of each cycle of an on/off loop that holds, from one switch-on on."""
        if self.kind.drive != "on_off":
            return []
        starts = np.flatnonzero(np.diff((self.output > self.high / 2).astype(int)) > 0) + 1
        return [(int(a), int(b)) for a, b in pairwise(starts) if self.holding[a:b].all()]

    @cached_property
    def own_swing(self) -> float:
        """Return half of what pv moves in `cycles` for most of the time, bands; 0 where they are too few."""
        sizes = [np.full(b - a, np.ptp(self.pv[a:b]) / 2) for a, b in self.cycles]
        return float(np.nanmedian(np.concatenate(sizes))) if len(sizes) >= FEWEST_CYCLES else 0.0

    @property
    def own_band(self) -> float:
        """Return how far pv may be from its setpoint, bands: further, where its own cycles take it there."""
        return max(BAND, CYCLES * self.own_swing)

    def swings(self, first: int, stop: int, hysteresis: float) -> signals.HalfCycles:
        """Return the half cycles of the error between two indices."""
        error = self.setpoint[first:stop] - signals.smooth(
            self.pv[first:stop], self.samples(self.lag / 5) | 1
        )
        cycles = signals.half_cycles(np.nan_to_num(error), hysteresis)
        return replace(cycles, first=cycles.first + first, peak=cycles.peak + first)
