"""Gains: can one be raised, and which would be better; by the worst of all models that the log accepts."""

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.plant import Identification, Refusal, Span, identify
from instrumentgpt.instruments.tuning.advice_wording import sentences
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES, GainName, Gains
from instrumentgpt.instruments.tuning.margins import Margins, margins
from instrumentgpt.instruments.tuning.prediction import predicted_iae
from instrumentgpt.instruments.tuning.verdicts import Advice, Answer, Verdict

__all__ = ["Advice", "Answer", "UnknownGain", "advise", "can_raise", "sentences"]

Floats = NDArray[np.float64]

LEAST_PHASE, LEAST_GAIN = 45.0, 2.0  # degrees, factor: "yes" needs both on every model (loops.md section 2)
DESIGN_PHASE, DESIGN_GAIN = 48.0, 2.3  # degrees, factor: for gains we propose (loops.md section 3)
TAU_C = np.linspace(1.0, 6.0, 21)  # closed-loop time constants tried, in dead times (loops.md section 3)
IAE_FALL = 0.25  # advise only if the predicted IAE falls by more than this share, on every model
FRAGILE_IAE_FALL = 0.05  # likewise, where every model says that the present margins are too small
INTEGRAL_STRETCH = (1.0, 1.5, 2.2)  # times SIMC's integral time: a longer one leaves room for kp
MOST_PINNED = 0.5  # share of the log at a limit of the output without a break: there no gains matter
REGRESSED_ERROR = 1.3  # factor by which gains regressed from the output may be wrong either way
DEFAULT_FACTOR = 1.3  # what "raised" means when the question names no number (loops.md section 2)
DEAD_TIME_SHARE = 0.25  # of the delay beyond the first lag, at the least
HIGHEST_FACTOR = 10.0  # no further is searched for what is proven
STEP_CELSIUS = 5.0  # of the setpoint step that would prove an answer (loops.md section 2)


class UnknownGain(InstrumentGPTError, ValueError):
    """A gain that no controller here has."""


EXPERIMENTS = {  # what a refused identification needs
    "short": "longer",
    "quiet": "setpoint_step",
    "poor_fit": "undisturbed_step",
    "no_gains": "name_gains",
    "wrong_sign": "undisturbed_step",
    "unstable_model": "undisturbed_step",
    "oscillates": "name_gains",
    "no_temperature": "",
}


def can_raise(
    subject: Loop | Identification | Refusal,
    gain: GainName = "kp",
    factor: float = DEFAULT_FACTOR,
    target: float | None = None,
    exclude: Sequence[Span] = (),
    degrees_per_unit: float = 1.0,
) -> Answer:
    """Return whether `gain` may become `target`, or `factor` times what it is; the other gains stay.

    subject  a loop, which is identified first without the stretches `exclude`, or what `identify` returned
    target   in the unit of the gain (parallel form): kp %/°C, ki %/(°C·s), kd %·s/°C
    """
    if gain not in GAIN_NAMES:
        raise UnknownGain(f"{gain!r} is no gain of a PID controller. Ask for kp, ki or kd.")
    found = identify(subject, exclude, degrees_per_unit) if isinstance(subject, Loop) else subject
    present = float(getattr(found.gains, gain)) if found.gains else math.nan
    asked = present * factor if target is None else target
    if isinstance(found, Refusal):
        return _refused_answer(found, gain, present, asked)
    return _judged(found, gain, present, asked)


def _refused_answer(found: Refusal, gain: GainName, present: float, asked: float) -> Answer:
    numbers: dict[str, float | str] = {**found.numbers, "step": STEP_CELSIUS}
    experiment = EXPERIMENTS[found.reason]
    return Answer(
        found.channel,
        gain,
        "not_proven",
        present,
        asked,
        math.nan,
        math.nan,
        found.reason,
        experiment,
        numbers,
    )


def _judged(found: Identification, gain: GainName, present: float, asked: float) -> Answer:
    wanted = found.gains.with_gain(gain, asked)
    at = margins_of(found, wanted)
    numbers = model_numbers(found) | {"proven": highest_proven(found, gain)}
    enough = _enough(at)
    verdict: Verdict
    if enough.all():
        verdict, reason, experiment = "yes", "every_model", ""
    elif any(_enough(one).any() for one in _tried(found, wanted)):
        verdict, reason, experiment = "not_proven", "some_models", "setpoint_step"
        numbers |= {"keeping": int(enough.sum()), "judged": len(enough), "step": STEP_CELSIUS}
    else:
        verdict, reason, experiment = "no", "no_model", ""
        best = int(np.argmax(np.minimum(at.phase / LEAST_PHASE, at.gain / LEAST_GAIN)))
        numbers |= {"best_phase": float(at.phase[best]), "best_gain": float(at.gain[best])}
    return Answer(found.channel, gain, verdict, present, asked, *at.worst(), reason, experiment, numbers)


def _enough(at: Margins) -> NDArray[np.bool_]:
    return (at.phase >= LEAST_PHASE) & (at.gain >= LEAST_GAIN)


def margins_of(found: Identification, gains: Gains) -> Margins:
    """Return the margins of `gains` around every model; of uncertain gains those of the worst they may be."""
    tried = _tried(found, gains)
    return Margins(np.min([one.phase for one in tried], axis=0), np.min([one.gain for one in tried], axis=0))


def _tried(found: Identification, gains: Gains) -> list[Margins]:
    """Return the margins of `gains`, or, where they are regressed, of gains 1.3 times both ways."""
    models = with_dead_time(found.models)
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
    found: Identification, gains: Gains, phase: float = LEAST_PHASE, gain: float = LEAST_GAIN
) -> bool:
    """Return whether `gains` keep at least `phase` (degrees) and `gain` (factor) on every accepted model."""
    worst_phase, worst_gain = margins_of(found, gains).worst()
    return worst_phase >= phase and worst_gain >= gain


def highest_proven(found: Identification, gain: GainName) -> float:
    """Return the highest value of `gain` at which every model keeps its margins, nan if not even now."""
    low, high = 1.0, HIGHEST_FACTOR
    present = float(getattr(found.gains, gain))
    if not keeps_margins(found, found.gains) or present == 0:
        return math.nan
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        ok = keeps_margins(found, found.gains.with_gain(gain, present * middle))
        low, high = (middle, high) if ok else (low, middle)
    return present * low


def model_numbers(found: Identification) -> dict[str, float | str]:
    """Return what a reader should know of the models: best gain, lags, dead time, R², count, margins now."""
    gain, tau1, tau2, dead_time = (float(value) for value in found.best)
    phase, size = margins_of(found, found.gains).worst()
    return {
        "plant_gain": gain, "tau1": tau1, "tau2": tau2, "dead_time": dead_time, "r2": found.r2,
        "models": len(found.models), "samples": found.samples, "start": found.start, "end": found.end,
        "phase_now": phase, "gain_now": size, "kp": found.gains.kp, "ki": found.gains.ki,
        "kd": found.gains.kd, "source": found.gains.source,
    }  # fmt: skip


def advise(
    subject: Loop | Identification | Refusal, exclude: Sequence[Span] = (), degrees_per_unit: float = 1.0
) -> Advice:
    """Return gains that are better on every accepted model, or why none are given.

    SIMC (Skogestad 2003) on the best model, with the fastest closed loop of 1..6 dead times at which every
    accepted model keeps 48 degrees and a gain margin of 2.3; given only if the IAE of a setpoint step and
    a load step is predicted to fall by more than 25 % on every model.
    """
    found = identify(subject, exclude, degrees_per_unit) if isinstance(subject, Loop) else subject
    if isinstance(found, Refusal):
        numbers = {**found.numbers, "step": STEP_CELSIUS}
        return _no_advice(found.channel, None, found.reason, EXPERIMENTS[found.reason], numbers)
    about = model_numbers(found)
    if found.pinned > MOST_PINNED:
        about |= {"pinned": 100 * found.pinned}
        return _no_advice(found.channel, found.gains, "pinned", "", about)
    candidates = _candidates(found)
    if not candidates:
        about |= {"step": STEP_CELSIUS}
        return _no_advice(found.channel, found.gains, "too_uncertain", "setpoint_step", about)
    return _best_of(found, candidates, about)


def _no_advice(
    channel: int, present: Gains | None, reason: str, experiment: str, numbers: Mapping[str, float | str]
) -> Advice:
    return Advice(channel, present, None, math.nan, math.nan, math.nan, reason, experiment, dict(numbers))


def _best_of(found: Identification, candidates: Sequence[Gains], about: dict[str, float | str]) -> Advice:
    """Return the candidate with the lowest predicted IAE, if it is better enough than what is set."""
    models, present = extreme_models(found.models), found.gains
    now = predicted_iae(models, present)
    ratios = [float(np.max(predicted_iae(models, gains) / now)) for gains in candidates]
    ratio = min(ratios)
    proposed = candidates[ratios.index(ratio)]
    phase, size = margins_of(found, proposed).worst()
    numbers = {**about, "fall": 100 * (1 - ratio)}
    fragile = bool((margins_of(found, present).phase < LEAST_PHASE).all())
    if ratio < 1 - (FRAGILE_IAE_FALL if fragile else IAE_FALL):
        reason = "steadier" if fragile else "better"
        return Advice(found.channel, present, proposed, phase, size, ratio, reason, "", numbers)
    return Advice(found.channel, present, None, phase, size, ratio, "good_enough", "", numbers)


def _candidates(found: Identification) -> list[Gains]:
    """Return for each integral time the fastest gains that keep the design margins on every model."""
    both_sides = len(found.models) > 1 and bool((found.models[1, 1:] == found.models[0, 1:]).all())
    nominal = found.models[: 2 if both_sides else 1]
    model = nominal[np.argmax(np.abs(nominal[:, 0]))]
    fastest = []
    for stretch in INTEGRAL_STRETCH:
        tried = (simc(model, float(multiple), found.gains.kd != 0, stretch) for multiple in TAU_C)
        kept = (gains for gains in tried if keeps_margins(found, gains, DESIGN_PHASE, DESIGN_GAIN))
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
    delay = max(dead_time + lag, tau2 / 4, 0.1)
    closed = multiple * delay
    kp = (tau1 + lag) / gain / (closed + delay)
    ti = min(tau1 + lag, 4 * stretch * (closed + delay))
    td = tau2 if derivative else 0.0
    return Gains(kp * (1 + td / ti), kp / ti, kp * td, "proposed")


def extreme_models(models: Floats) -> Floats:
    """Return the best of `models` (m, 4) and those at the ends of each parameter, slope and total delay."""
    views = [*models.T, models[:, 0] / models[:, 1], models[:, 2] + models[:, 3]]
    rows = {0, *(int(end(view)) for view in views for end in (np.argmin, np.argmax))}
    return models[sorted(rows)]
