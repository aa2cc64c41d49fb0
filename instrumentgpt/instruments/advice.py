"""Gains: can one be raised, and which would be better; by the worst of all models that the log accepts."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.plant import Identification, Refusal
from instrumentgpt.instruments.tuning.candidates import (
    LEAST_GAIN,
    LEAST_PHASE,
    are_enough,
    candidates_for,
    extreme_models,
    highest_proven,
    margins_of,
    margins_tried,
    model_numbers,
    predicted_iae,
)
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES, Advice, Answer, GainName, Gains, Verdict

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
    present = float(getattr(plant.gains, gain)) if plant.gains else math.nan
    target = present * factor if target is None else target
    if isinstance(plant, Refusal):
        numbers: dict[str, float | str] = {**plant.numbers, "step": STEP_BANDS * plant.band}
        why = (plant.reason, EXPERIMENTS[plant.reason], numbers)
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
    if plant.pinned > MOST_PINNED:
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
    ratio, place = min((float(np.max(iae / now)), place) for place, iae in enumerate(then))
    proposed = candidates[place]
    phase, size = margins_of(plant, proposed).worst()
    numbers = {**about, "fall": 100 * (1 - ratio)}
    fragile = bool((margins_of(plant, present).phase < LEAST_PHASE).all())
    if ratio < 1 - (FRAGILE_IAE_FALL if fragile else IAE_FALL):
        reason = "steadier" if fragile else "better"
        return Advice(plant.channel, present, proposed, phase, size, ratio, reason, "", numbers)
    return Advice(plant.channel, present, None, phase, size, ratio, "good_enough", "", numbers)
