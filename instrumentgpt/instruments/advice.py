"""Gains: can one be raised, and which would be better; by the worst of all models that the log accepts.

Better ones are tried by Skogestad's rules, as fast as every model allows, and compared by predicted IAE.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.loops import Floats, Mask
from instrumentgpt.instruments.plant import Identification, Refusal
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES, Advice, Answer, GainName, Gains, Verdict
from instrumentgpt.instruments.tuning.margins import Margins, margins

IAE_FALL = 0.25  # advise only if the predicted IAE falls by more than this share, on every model
FRAGILE_IAE_FALL = 0.05  # likewise, where every model says that the present margins are too small
MOST_PINNED = 0.5  # share of the log at a limit of the output without a break: there no gains matter
DEFAULT_FACTOR = 1.3  # what "raised" means when the question names no number (loops.md section 2)
STEP_BANDS = 10.0  # of the setpoint step that would prove an answer: 12 % of the span the loop works in


class UnknownGain(InstrumentGPTError, ValueError):
    """A gain that no controller here has."""


EXPERIMENTS = {  # what a refused identification needs
    "no_output": "log_output",
    "short": "longer",
    "quiet": "setpoint_step",
    "poor_fit": "undisturbed_step",
    "no_gains": "name_gains",
    "wrong_sign": "undisturbed_step",
    "unstable_model": "undisturbed_step",
    "oscillates": "name_gains",
    "other_period": "setpoint_step",
    "no_temperature": "",
    "switches": "",
}


def can_raise(
    plant: Identification | Refusal,
    gain: GainName = "kp",
    factor: float = DEFAULT_FACTOR,
    target: float | None = None,
) -> Answer:
    """Return whether `gain` may become `target`, or `factor` times what it is; the other gains stay.

    plant   what `identify` returned
    target  in the unit of the gain (parallel form): kp %/°C, ki %/(°C·s), kd %·s/°C
    """
    if gain not in GAIN_NAMES:
        raise UnknownGain(f"{gain!r} is no gain of a PID controller. Ask for kp, ki or kd.")
    is_open = plant.gains is not None and plant.gains.source == "none"
    present = float(getattr(plant.gains, gain)) if plant.gains and not is_open else math.nan
    target = present * factor if target is None else target
    if isinstance(plant, Refusal) or is_open:
        reason, known = (plant.reason, plant.numbers) if isinstance(plant, Refusal) else ("no_gains", {})
        numbers: dict[str, float | str] = {**known, "step": STEP_BANDS * plant.band}
        why = (reason, EXPERIMENTS[reason], numbers)
        return Answer(plant.channel, gain, "not_proven", present, target, math.nan, math.nan, *why)
    return _judged(plant, gain, present, target)


def _judged(plant: Identification, gain: GainName, present: float, target: float) -> Answer:
    proposed = plant.gains.with_gain(gain, target)
    at = margins_of(plant, proposed)
    numbers = model_numbers(plant) | {"proven": highest_proven(plant, gain)}
    enough = are_enough(at)
    verdict: Verdict
    if enough.all():
        verdict, reason, experiment = "yes", "every_model", ""
    elif any(are_enough(margins).any() for margins in margins_tried(plant, proposed)):
        verdict, reason, experiment = "not_proven", "some_models", "setpoint_step"
        numbers |= {"keeping": int(enough.sum()), "judged": len(enough), "step": STEP_BANDS * plant.band}
    else:
        verdict, reason, experiment = "no", "no_model", ""
        best = int(np.argmax(np.minimum(at.phase / LEAST_PHASE, at.gain / LEAST_GAIN)))
        numbers |= {"best_phase": float(at.phase[best]), "best_gain": float(at.gain[best])}
    return Answer(plant.channel, gain, verdict, present, target, *at.worst(), reason, experiment, numbers)


def advise(plant: Identification | Refusal) -> Advice:
    """Return gains that are better on every accepted model, or why none are given.

    SIMC (Skogestad 2003) on the best model, with the fastest closed loop of 1..6 dead times at which every
    accepted model keeps 48 degrees and a gain margin of 2.3; given only if the IAE of a setpoint step and
    a load step is predicted to fall by more than 25 % on every model.
    """
    if plant.held and plant.gains:
        now, (held, within) = plant.gains, plant.held
        nan, told = math.nan, {"kp": now.kp, "ki": now.ki, "kd": now.kd, "within": within}
        return Advice(plant.channel, now, held, nan, nan, nan, "back", "", {**told})
    if isinstance(plant, Refusal):
        numbers = {**plant.numbers, "step": STEP_BANDS * plant.band}
        return _no_advice(plant.channel, None, plant.reason, EXPERIMENTS[plant.reason], numbers)
    about = model_numbers(plant)
    if plant.pinned > MOST_PINNED and plant.gains.source != "none":
        about |= {"pinned": 100 * plant.pinned}
        return _no_advice(plant.channel, plant.gains, "pinned", "", about)
    candidates = candidates_for(plant)
    if not candidates:
        about |= {"step": STEP_BANDS * plant.band}
        return _no_advice(plant.channel, plant.gains, "too_uncertain", "setpoint_step", about)
    return _best_of(plant, candidates, about)


def _no_advice(
    channel: int, present: Gains | None, reason: str, experiment: str, numbers: Mapping[str, float | str]
) -> Advice:
    return Advice(channel, present, None, math.nan, math.nan, math.nan, reason, experiment, dict(numbers))


def _best_of(plant: Identification, candidates: Sequence[Gains], about: dict[str, float | str]) -> Advice:
    """Return the candidate with the lowest predicted IAE, if it is better enough than what is set."""
    models, present = extreme_models(plant.models), plant.gains
    now, *then = predicted_iae(models, [present, *candidates], plant.reach).T
    if present.source == "none":
        _, proposed = min(zip(map(np.max, then), candidates, strict=True), key=lambda one: float(one[0]))
        worst = margins_of(plant, proposed).worst()
        return Advice(plant.channel, None, proposed, *worst, math.nan, "from_step", "", about)
    ratio, place = min((float(np.max(iae / now)), place) for place, iae in enumerate(then))
    proposed = candidates[place]
    phase, size = margins_of(plant, proposed).worst()
    numbers = {**about, "fall": 100 * (1 - ratio)}
    fragile = bool((margins_of(plant, present).phase < LEAST_PHASE).all())
    if ratio < 1 - (FRAGILE_IAE_FALL if fragile else IAE_FALL):
        reason = "steadier" if fragile else "better"
        return Advice(plant.channel, present, proposed, phase, size, ratio, reason, "", numbers)
    return Advice(plant.channel, present, None, phase, size, ratio, "good_enough", "", numbers)


LEAST_PHASE, LEAST_GAIN = 45.0, 2.0  # degrees, factor: "yes" needs both on every model (loops.md section 2)
REGRESSED_ERROR = 1.3  # factor by which gains regressed from the output may be wrong either way
DEAD_TIME_SHARE = 0.25  # of the delay beyond the first lag, at the least
HIGHEST_FACTOR = 10.0  # no further is searched for what is proven


def are_enough(at: Margins) -> Mask:
    """Return for each model whether it keeps both margins that a "yes" needs, (m,)."""
    return (at.phase >= LEAST_PHASE) & (at.gain >= LEAST_GAIN)


def margins_of(plant: Identification, gains: Gains) -> Margins:
    """Return the margins of `gains` around every model; of uncertain gains those of the worst they may be."""
    return Margins(*np.min(margins_tried(plant, gains), axis=0))


def margins_tried(plant: Identification, gains: Gains) -> list[Margins]:
    """Return the margins of `gains`, or, where they are regressed, of gains 1.3 times both ways."""
    models = with_dead_time(plant.models)
    if gains.source not in ("regressed", "disagrees"):
        return [margins(models, gains.kp, gains.ki, gains.kd)]
    sides = (1 / REGRESSED_ERROR, REGRESSED_ERROR)
    return [margins(models, gains.kp * a, gains.ki * b, gains.kd * a) for a, b in product(sides, sides)]


def with_dead_time(models: Floats) -> Floats:
    """Return `models` with at least a quarter of tau2 + dead_time as dead time: real plants have more lags.

    >>> with_dead_time(np.array([[1.0, 100.0, 7.0, 1.0]])).tolist()
    [[1.0, 100.0, 6.0, 2.0]]
    """
    gain, tau1, tau2, dead_time = models.T
    least = np.maximum(dead_time, DEAD_TIME_SHARE * (tau2 + dead_time))
    changed: Floats = np.stack([gain, tau1, tau2 + dead_time - least, least], axis=1)
    return changed


def keeps_margins(
    plant: Identification, gains: Gains, phase: float = LEAST_PHASE, gain: float = LEAST_GAIN
) -> bool:
    """Return whether `gains` keep at least `phase` (degrees) and `gain` (factor) on every accepted model."""
    worst_phase, worst_gain = margins_of(plant, gains).worst()
    return worst_phase >= phase and worst_gain >= gain


def highest_proven(plant: Identification, gain: GainName) -> float:
    """Return the highest value of `gain` at which every model keeps its margins, nan if not even now."""
    low, high = 1.0, HIGHEST_FACTOR
    present = float(getattr(plant.gains, gain))
    if present == 0 or not keeps_margins(plant, plant.gains):
        return math.nan
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        ok = keeps_margins(plant, plant.gains.with_gain(gain, present * middle))
        low, high = (middle, high) if ok else (low, middle)
    return present * low


def model_numbers(plant: Identification) -> dict[str, float | str]:
    """Return what a reader should know of the models: best gain, lags, dead time, R², count, margins now."""
    gain, tau1, tau2, dead_time = (float(value) for value in plant.best)
    controlled = plant.gains.source != "none"
    phase, size = margins_of(plant, plant.gains).worst() if controlled else (math.nan, math.nan)
    return {
        "plant_gain": gain, "tau1": tau1, "tau2": tau2, "dead_time": dead_time, "r2": plant.r2,
        "models": len(plant.models), "samples": plant.samples, "start": plant.start, "end": plant.end,
        "phase_now": phase, "gain_now": size, "kp": plant.gains.kp, "ki": plant.gains.ki,
        "kd": plant.gains.kd, "source": plant.gains.source,
    }  # fmt: skip


def extreme_models(models: Floats) -> Floats:
    """Return the best of `models` (m, 4) and those at the ends of each parameter, slope and total delay."""
    views = [*models.T, models[:, 0] / models[:, 1], models[:, 2] + models[:, 3]]
    rows = {0, *(int(end(view)) for view in views for end in (np.argmin, np.argmax))}
    return models[sorted(rows)]


DESIGN_PHASE, DESIGN_GAIN = 48.0, 2.3  # degrees, factor: for gains we propose (loops.md section 3)
TAU_C = np.linspace(1.0, 6.0, 21)  # closed-loop time constants tried, in dead times (loops.md section 3)
INTEGRAL_STRETCH = (1.0, 1.5, 2.2)  # times SIMC's integral time: a longer one leaves room for kp


def candidates_for(plant: Identification) -> list[Gains]:
    """Return for each integral time the fastest gains that keep the design margins on every model."""
    both_sides = len(plant.models) > 1 and bool((plant.models[1, 1:] == plant.models[0, 1:]).all())
    nominal = plant.models[: 2 if both_sides else 1]
    model = nominal[np.argmax(np.abs(nominal[:, 0]))]
    fastest = []
    for stretch in INTEGRAL_STRETCH:
        tried = (simc(model, float(multiple), plant.gains.kd != 0, stretch) for multiple in TAU_C)
        kept = (gains for gains in tried if keeps_margins(plant, gains, DESIGN_PHASE, DESIGN_GAIN))
        fastest += [gains for gains in [next(kept, None)] if gains is not None]
    return fastest


def simc(model: Floats, multiple: float, derivative: bool, stretch: float = 1.0) -> Gains:
    """Return Skogestad's gains for `model` (gain, tau1, tau2, dead_time) with tau_c = `multiple` dead times.

    Without `derivative` half of the shorter lag counts as dead time, the other half as lag (half rule);
    with it the shorter lag is cancelled, the series form being turned into the parallel one.
    `stretch` lengthens the integral time.

    >>> gains = simc(np.array([1.0, 100.0, 0.0, 5.0]), 1.0, derivative=False)
    >>> gains.kp, gains.ti
    (10.0, 40.0)
    """
    gain, tau1, tau2, dead_time = (float(value) for value in model)
    lag = 0.0 if derivative else tau2 / 2
    delay = max(dead_time + lag, tau2 / 4)
    closed = multiple * delay
    kp = (tau1 + lag) / gain / (closed + delay)
    ti = min(tau1 + lag, 4 * stretch * (closed + delay))
    td = tau2 if derivative else 0.0
    return Gains(kp * (1 + td / ti), kp / ti, kp * td, "proposed")


STEPS = 2400  # of the simulation
LAGS, DELAYS = 8.0, 40.0  # times the lag and the delay of the first model that are simulated: two settlings
SETPOINT_STEP = 0.05  # of the reach of the output, which it takes at rest; at the start
LOAD_STEP = 0.1  # of the reach of the output, half-way
OUTPUT_LOW, OUTPUT_HIGH = -0.4, 0.6  # of the reach, around a working point of 40 %


def predicted_iae(models: Floats, tried: Sequence[Gains], reach: float = 100.0) -> Floats:
    """Return the IAE (°C·s) of each of `models` with each of the gains that are `tried`, (m, k).

    models  (m, 4) gain, tau1, tau2, dead_time; the first tells how long is simulated
    reach   percent between the limits of the output
    The setpoint steps by what 5 % of the reach hold at rest, the load by 10 % of it half-way.
    The output is limited to 40 % of it below and 60 % above its working point, the integral held at a limit.

    >>> slow, fast = predicted_iae(np.array([[1.0, 100, 0, 5]]), [Gains(1.0, 0.02), Gains(5.0, 0.1)])[0]
    >>> bool(fast < slow / 2)
    True
    """
    gain, tau1, tau2, dead_time = np.asarray(models, dtype=float).T[:, :, np.newaxis]
    kp, ki, kd = np.array([(gains.kp, gains.ki, gains.kd) for gains in tried]).T
    pace = float(LAGS * tau1[0, 0] + DELAYS * (tau2[0, 0] + dead_time[0, 0])) / STEPS
    share1, share2 = 1 - np.exp(-pace / tau1), 1 - np.exp(-pace / np.maximum(tau2, pace / 500))
    delay = np.clip(np.rint(dead_time[:, 0] / pace).astype(int), 0, STEPS)
    shape, every, sign = (len(gain), len(tried)), np.arange(len(gain)), np.sign(gain)
    setpoint = SETPOINT_STEP * reach * abs(float(gain[0, 0]))
    low, high = np.sort([sign[0, 0] * reach * OUTPUT_LOW, sign[0, 0] * reach * OUTPUT_HIGH])
    applied = np.zeros((STEPS + int(delay.max()), *shape))  # the longest delay before the start, too
    slow, pv, integral, total, last = (np.zeros(shape) for _ in range(5))
    for step in range(STEPS):
        error = setpoint - pv
        demand = kp * error + integral - kd * (pv - last) / pace
        output = np.minimum(np.maximum(demand, low), high)
        free = (output == demand) | ((demand - output) * error < 0)
        integral = np.where(free, integral + ki * error * pace, integral)
        applied[step - STEPS] = output
        last = pv
        load = LOAD_STEP * reach * sign if step > STEPS // 2 else 0.0
        slow = slow + share1 * (gain * (applied[step - STEPS - delay, every] - load) - slow)
        pv = pv + share2 * (slow - pv)
        total += np.abs(error) * pace
    return total
