"""A loop made ready to be judged: clock mended, direction of action known, steps and holds found."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.signals import (
    Floats,
    HalfCycles,
    Mask,
    constant_runs,
    digit,
    half_cycles,
    noise,
    runs,
    smooth,
)

BAND = 0.3  # °C around the setpoint that counts as on setpoint; loops.md section 1
SHORTEST_HOLD = 60.0  # s of constant setpoint; loops.md section 1
SETTLED_FOR = 30.0  # s inside the band before a loop counts as settled
SMALLEST_STEP = 1.0  # °C of setpoint change that starts a transient
AT_LIMIT = 0.6  # percent from a limit that still counts as pinned: half a digit of an integer output
RAILS = np.array(  # what converters read with the sensor off: Pt100, thermocouples, 16 bit limits, firmware
    (-200.0, -242.0, -250.0, -270.0, -127.0, 0.0, 300.0, 327.67, 850.0, 999.0, 999.9, -999.0, -999.9)
    + (1000.0, 1370.0, 1372.0, 1820.0, 3276.7, -3276.8, 3276.8, 6553.5, 9999.0)
)
FAR = 20.0  # units of pv from the median, or of one jump, before a reading is taken for a rail
RAIL_HELD = 20.0  # s a value that is no known rail must stay the same
IMPOSSIBLE = 5000.0  # units of pv no instrument of this kind reaches
REVERSED = -0.5  # correlation of output moves with error moves below which a loop acts in reverse


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

    size  °C from where pv stood to the new setpoint, positive upwards (mirrored for reverse acting loops)
    stop  index at which the setpoint changes again, or the end
    """

    index: int
    stop: int
    setpoint: float
    size: float


@dataclass(frozen=True, eq=False)
class Track:
    """A loop in °C, as one that heats: reverse acting loops are mirrored, so more output always raises `pv`.

    loop           as logged; what is quoted comes from it
    scale          °C per logged unit, negative if mirrored; 1 or -1 where pv is no temperature
    time           (n,) s, increasing: jumps of the clock are taken out
    setpoint, pv   (n,) °C; pv nan where the sensor reads nothing believable
    output         (n,) percent
    usable         (n,) False within reach of a gap in the log
    controlled     (n,) True where a setpoint is given and the loop is switched on
    period         s between samples, median
    low, high      output limits, percent
    """

    loop: Loop
    scale: float
    time: Floats
    setpoint: Floats
    pv: Floats
    output: Floats
    usable: Mask
    controlled: Mask
    period: float
    low: float
    high: float

    def __len__(self) -> int:
        return len(self.time)

    def shown(self, degrees: float) -> float:
        """Return a temperature difference in the unit of the log."""
        return degrees / abs(self.scale)

    def samples(self, seconds: float) -> int:
        """Return how many samples `seconds` are, at least 1."""
        return max(1, round(seconds / self.period)) if self.period > 0 else 1

    def after(self, index: int, seconds: float) -> int:
        """Return the first index at least `seconds` after `index`; the length if the log ends before."""
        return int(np.searchsorted(self.time, self.time[index] + seconds))

    @cached_property
    def error(self) -> Floats:
        return self.setpoint - self.pv

    @cached_property
    def smooth_error(self) -> Floats:
        """Return setpoint - mean pv of about 5 s: digits and noise do not take a loop out of its band."""
        return self.setpoint - smooth(self.pv, self.samples(5.0) | 1)

    @cached_property
    def digit(self) -> float:
        """Return the coarseness of pv in °C, 0 where it never moves."""
        found = digit(self.loop.pv[np.isfinite(self.pv)])
        return 0.0 if math.isnan(found) else abs(found * self.scale)

    @cached_property
    def output_digit(self) -> float:
        """Return the coarseness of the output, percent; 0 where it never moves."""
        found = digit(self.output)
        return 0.0 if math.isnan(found) else found

    @cached_property
    def noise(self) -> float:
        """Return the white noise of pv, °C (standard deviation)."""
        return noise(self.pv)

    @cached_property
    def at_low(self) -> Mask:
        return self.output <= self.low + AT_LIMIT

    @cached_property
    def at_high(self) -> Mask:
        return self.output >= self.high - AT_LIMIT

    @cached_property
    def two_point(self) -> bool:
        """Return whether the output only switches between two values: on/off control has no gains."""
        known = self.output[np.isfinite(self.output)]
        return len(known) > 0 and len(np.unique(known)) <= 2 and float(np.ptp(known)) > 1.0

    @cached_property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """Return (first, past-the-last) of each stretch of constant setpoint under control."""
        return tuple((int(a), int(b)) for a, b in constant_runs(self.setpoint) if self.controlled[a])

    @cached_property
    def holds(self) -> tuple[Hold, ...]:
        return tuple(
            Hold(a, b, float(self.setpoint[a]), self._settled(a, b))
            for a, b in self.levels
            if self.time[b - 1] - self.time[a] >= SHORTEST_HOLD
        )

    def _settled(self, first: int, stop: int) -> int:
        inside = np.abs(self.smooth_error[first:stop]) < BAND
        for a, b in runs(inside):
            if self.time[first + b - 1] - self.time[first + a] >= SETTLED_FOR:
                return first + int(a)
        return stop

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return the setpoint steps of at least `SMALLEST_STEP`, ramps left out, switching on included."""
        found = []
        for first, stop in self.levels:
            if first == 0 or self.time[stop - 1] - self.time[first] < 20.0:
                continue
            before = self.pv[max(0, first - 5) : first + 1]
            start = float(np.nanmedian(before)) if np.isfinite(before).any() else math.nan
            jumped = (not self.controlled[first - 1]) or (
                abs(self.setpoint[first] - self.setpoint[first - 1]) >= SMALLEST_STEP
            )
            size = float(self.setpoint[first]) - start
            if jumped and abs(size) >= SMALLEST_STEP:
                found.append(Step(first, stop, float(self.setpoint[first]), size))
        return tuple(found)

    @cached_property
    def quiet(self) -> Mask:
        """Return where the loop holds: settled in a hold, and usable (transients and ramps are out)."""
        mask = np.zeros(len(self), dtype=bool)
        for hold in self.holds:
            mask[hold.settled : hold.stop] = True
        return mask & self.usable

    def swings(self, first: int, stop: int, hysteresis: float) -> HalfCycles:
        """Return the half cycles of the error between two indices, indices counted from the track's start."""
        error = self.setpoint[first:stop] - smooth(self.pv[first:stop], self.samples(2.0) | 1)
        cycles = half_cycles(np.nan_to_num(error), hysteresis)
        return replace(cycles, first=cycles.first + first, peak=cycles.peak + first)


def track_of(loop: Loop, degrees_per_unit: float = 1.0, usable: Mask | None = None) -> Track:
    """Return `loop` made ready; `usable` is False where the log has a gap nearby."""
    scale = 1.0 if math.isnan(degrees_per_unit) else degrees_per_unit
    output = loop.output
    if _acts_in_reverse(loop):
        scale = -scale
    time, period = _mended(loop.time)
    controlled = np.isfinite(loop.setpoint) & ~_switched_off(loop)
    low, high = output_limits(output)
    return Track(
        loop,
        scale,
        time,
        loop.setpoint * scale,
        np.where(believable(loop.pv, time), loop.pv * scale, np.nan),
        output,
        np.ones(len(loop), dtype=bool) if usable is None else usable,
        controlled,
        period,
        low,
        high,
    )


def _mended(time: Floats) -> tuple[Floats, float]:
    """Return `time` with backward and far forward jumps replaced by the usual period, and that period."""
    steps = np.diff(time)
    forward = steps[steps > 0]
    period = float(np.median(forward)) if forward.size else 1.0
    mended = np.where(steps < 0, period, steps)
    return np.concatenate((time[:1], time[:1] + np.cumsum(mended))), period


def _switched_off(loop: Loop) -> Mask:
    """Return where a setpoint of exactly 0 goes with an output of exactly 0: how firmware says "off"."""
    off = np.zeros(len(loop), dtype=bool)
    for first, stop in constant_runs(loop.setpoint):
        if loop.setpoint[first] == 0 and not np.nan_to_num(loop.output[first:stop]).any():
            off[first:stop] = True
    return off


def _acts_in_reverse(loop: Loop) -> bool:
    """Return whether output falls as the error (setpoint - pv) rises, as in a loop whose output cools."""
    error = loop.setpoint - loop.pv
    moves = np.diff(error)
    answers = np.diff(loop.output)
    both = np.isfinite(moves) & np.isfinite(answers) & (moves != 0) & (answers != 0)
    if both.sum() < 50:
        return False
    moves, answers = np.sign(moves[both]), np.sign(answers[both])
    return float(np.mean(moves * answers)) < REVERSED


def output_limits(output: Floats) -> tuple[float, float]:
    """Return the limits an output works between, percent: 0 or -100 to 100, or a lower top it keeps meeting.

    >>> output_limits(np.array([0.0, 35.0, 100.0]))
    (0.0, 100.0)
    >>> output_limits(np.array([-20.0, 35.0]))
    (-100.0, 100.0)
    >>> output_limits(np.array([10.0, 65.0, 65.0, 40.0, 65.0, 60.0, 65.0]))
    (0.0, 65.0)
    """
    known = output[np.isfinite(output)]
    if not known.size:
        return 0.0, 100.0
    low = -100.0 if known.min() < -1.0 else 0.0
    top = float(known.max())
    pinned = known >= top - 1e-9
    limited = 5.0 < top < 99.0 and float(pinned.mean()) > 0.2 and len(runs(pinned)) >= 3
    return low, top if limited else 100.0


def believable(pv: Floats, time: Floats) -> Mask:
    """Return where `pv` (as logged) can be a reading: not nan, not a rail, not a constant far from the rest.

    A value of `RAILS` counts if it lies `FAR` from the median, any other if it was reached in one jump
    of more than `FAR` and then stayed the same to the last digit for `RAIL_HELD`.

    >>> believable(np.array([20.0, 20.1, 999.9, 20.0]), np.arange(4.0)).tolist()
    [True, True, False, True]
    """
    good = np.isfinite(pv) & (np.abs(pv) < IMPOSSIBLE)
    if not good.any():
        return good
    middle = float(np.median(pv[good]))
    far = np.abs(pv - middle) > FAR
    good &= ~(far & np.isclose(pv[:, None], RAILS, atol=0.06).any(axis=1))
    for first, stop in constant_runs(pv):
        jump = abs(pv[first] - pv[first - 1]) if first and good[first - 1] else 0.0
        if jump > FAR and time[stop - 1] - time[first] >= RAIL_HELD:
            good[first:stop] = False
    return good
