"""How good the advice on gains is, on simulated loops whose plant is known; none of them is the demo's.

    python -m bench.advice [--plants 240]

Each loop is judged from its log alone; what was advised is then tried on its true plant.
"""

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from bench.margins import margins
from demo.simulated_loop import Controller, Event, Plant, Run, Steps, simulate
from instrumentgpt.instruments.advice import LEAST_GAIN, LEAST_PHASE, advise, can_raise
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.plant import Identification, Refusal, identify
from instrumentgpt.instruments.tuning.gains import Gains

KINDS = ("well tuned", "sluggish", "overshoot", "oscillation")
RAISED = 1.3  # of "can kp go up 30 %?"


@dataclass(frozen=True)
class Trial:
    """One simulated loop: what it is, and what happens to it."""

    kind: str
    plant: Plant
    controller: Controller
    setpoint: Steps
    events: tuple[Event, ...]
    duration: float
    period: float
    seed: int

    def run(self, controller: Controller | None = None) -> Run:
        return simulate(
            self.plant,
            controller or self.controller,
            self.setpoint,
            self.duration,
            self.period,
            self.seed,
            self.events,
        )


def trials(count: int, seed: int = 20260219) -> Iterator[Trial]:
    """Yield `count` loops, the kinds in turn, each with its own plant, program, noise and disturbances."""
    dice = random.Random(seed)
    for index in range(count):
        kind = KINDS[index % len(KINDS)]
        plant = _plant(dice)
        hold = 22.0 + plant.gain * dice.uniform(25, 45)
        steps = [(0.0, hold)]
        for _ in range(dice.randint(1, 3)):
            steps.append((steps[-1][0] + dice.uniform(250, 700), hold + plant.gain * dice.uniform(-15, 25)))
        duration = steps[-1][0] + dice.uniform(500, 1000)
        controller = _controller(plant, kind, dice)
        yield Trial(
            kind, plant, controller, steps, tuple(_loads(plant, duration, dice)), duration,
            dice.choice((0.5, 1.0, 1.0, 2.0)), dice.randrange(10**6),
        )  # fmt: skip


def _plant(dice: random.Random) -> Plant:
    return Plant(
        gain=math.exp(dice.uniform(math.log(0.25), math.log(3.0))),
        tau1=math.exp(dice.uniform(math.log(70), math.log(450))),
        tau2=dice.uniform(2.0, 9.0),
        dead_time=dice.uniform(1.0, 9.0),
        noise=dice.choice((0.005, 0.01, 0.02, 0.05)),
        resolution=dice.choice((0.001, 0.01, 0.1)),
    )


def _controller(plant: Plant, kind: str, dice: random.Random) -> Controller:
    delay = plant.dead_time + plant.tau2 / 2
    closed = delay * dice.uniform(1.5, 4.0)
    kp = plant.tau1 / plant.gain / (closed + delay)
    ki = kp / min(plant.tau1, 4 * (closed + delay))
    kd = kp * plant.tau2 * 0.5 if dice.random() < 0.4 else 0.0
    if kind == "sluggish":
        factor = dice.uniform(0.08, 0.3)
        return Controller(kp * factor, ki * factor * dice.uniform(0.3, 1.0), kd * factor)
    factor = {"overshoot": dice.uniform(2.0, 4.0), "oscillation": dice.uniform(8.0, 20.0)}.get(kind, 1.0)
    return Controller(kp, ki * factor, kd)


def _loads(plant: Plant, duration: float, dice: random.Random) -> Iterator[Event]:
    """Yield what a room and neighbours do: shifts of the temperature at rest, one after the other."""
    size = dice.choice((0.0, 0.3, 1.0))
    since = 0.0
    while since < duration:
        until = since + dice.uniform(60, 400)
        yield Event("load", since, until, dice.gauss(0, size))
        since = until


def loop_of(run: Run, controller: Controller) -> Loop:
    """Return the loop a log of `run` would show: output with one decimal, gains in every line."""
    kp, ki, kd = (np.full(len(run.time), value) for value in (controller.kp, controller.ki, controller.kd))
    lines = np.arange(1, len(run.time) + 1)
    return Loop(1, run.time, run.setpoint, run.pv, run.output.round(1), kp, ki, kd, lines)


def true_margins(plant: Plant, controller: Controller, period: float) -> tuple[float, float]:
    """Return phase margin (degrees) and gain margin of the simulated loop, its sampling counted as delay."""
    omega = np.geomspace(1e-4, min(math.pi / period, 5.0), 20_000)
    s = 1j * omega
    lag = controller.kd / controller.kp / 4
    law = controller.kp + controller.ki / s + controller.kd * s / (lag * s + 1)
    loop = law * plant.gain / (plant.tau1 * s + 1) / (plant.tau2 * s + 1)
    loop *= np.exp(-s * (plant.dead_time + period / 2))
    return margins(loop)


def iae(trial: Trial, controller: Controller) -> float:
    """Return the integral of |setpoint - temperature| of the whole run, °C·s."""
    run = trial.run(controller)
    return float(np.abs(run.setpoint - run.temperature).sum() * trial.period)


def changed(controller: Controller, gains: Gains) -> Controller:
    return replace(controller, kp=gains.kp, ki=gains.ki, kd=gains.kd)


@dataclass(frozen=True)
class Result:
    """What came of one loop; nan and None where nothing was proposed or asked."""

    kind: str
    refused: str
    seconds: float
    proposed: bool
    reason: str
    phase: float
    iae_ratio: float
    verdict: str
    safe: bool
    stable: bool
    slope_error: float
    delay_error: float


def result_of(trial: Trial) -> Result:
    """Return the advice on one loop, judged on its true plant."""
    started = time.process_time()
    found = identify(loop_of(trial.run(), trial.controller))
    seconds = time.process_time() - started
    advice, answer = advise(found), can_raise(found, "kp", RAISED)
    raised = true_margins(
        trial.plant, replace(trial.controller, kp=trial.controller.kp * RAISED), trial.period
    )
    phase = ratio = math.nan
    if advice.proposed is not None:
        better = changed(trial.controller, advice.proposed)
        phase = true_margins(trial.plant, better, trial.period)[0]
        ratio = iae(trial, better) / iae(trial, trial.controller)
    return Result(
        trial.kind,
        found.reason if isinstance(found, Refusal) else "",
        seconds,
        advice.proposed is not None,
        advice.reason,
        phase,
        ratio,
        answer.verdict,
        raised[0] >= LEAST_PHASE and raised[1] >= LEAST_GAIN,
        true_margins(trial.plant, trial.controller, trial.period)[0] > 0,
        *_errors(trial, found),
    )


def _errors(trial: Trial, found: Identification | Refusal) -> tuple[float, float]:
    if isinstance(found, Refusal):
        return math.nan, math.nan
    gain, tau1, tau2, dead_time = found.best
    slope = gain / tau1 / (trial.plant.gain / trial.plant.tau1) - 1
    delay = (tau2 + dead_time) - (trial.plant.tau2 + trial.plant.dead_time + trial.period / 2)
    return float(slope), float(delay)


def report(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of the table of `results`."""
    identified = [row for row in results if not row.refused]
    refused = Counter(row.refused for row in results if row.refused)
    yield f"{len(results)} simulated loops, {len(identified)} identified, refused: {dict(refused) or 'none'}"
    yield (
        f"identification: {np.median([r.seconds for r in results]):.2f} s of processor (median), "
        f"{max(r.seconds for r in results):.2f} s at most"
    )
    slope = np.percentile([100 * abs(r.slope_error) for r in identified], (50, 90))
    delay = np.percentile([abs(r.delay_error) for r in identified], (50, 90))
    yield f"gain / tau1: {slope[0]:.1f} % off (median), {slope[1]:.1f} % (9 in 10)"
    yield f"tau2 + dead time: {delay[0]:.2f} s off (median), {delay[1]:.2f} s (9 in 10)"
    yield from _report_advice(results, identified)
    yield from _report_question(results)


def _report_advice(results: Sequence[Result], identified: Sequence[Result]) -> Iterator[str]:
    given = [row for row in results if row.proposed]
    faulty = [row for row in identified if row.kind != "well tuned"]
    yield f"gains proposed: {len(given)}, reasons {dict(Counter(row.reason for row in results))}"
    yield (
        f"  true phase margin below 45 degrees: {sum(row.phase < 45 for row in given)} (aim 0), "
        f"smallest {min(row.phase for row in given):.1f}"
    )
    yield (
        f"  better IAE on the true plant: {_share(row.iae_ratio < 1 for row in given)} (aim >= 90 %), "
        f"median ratio {np.median([row.iae_ratio for row in given]):.2f}"
    )
    share = _share(row.proposed for row in faulty)
    yield f"  given for identified loops with a tuning fault: {share} (aim >= 80 %)"
    for kind in KINDS:
        mine = [row for row in identified if row.kind == kind]
        yield f"    {kind}: {_share(row.proposed for row in mine)}"


def _report_question(results: Sequence[Result]) -> Iterator[str]:
    verdicts = Counter((row.verdict, row.safe) for row in results)
    yield f'"can kp go up 30 %?": {len(results)} questions'
    yield f"  unsafe yes: {verdicts['yes', False]} (aim 0)"
    yield f"  true yes found: {_share(row.verdict == 'yes' for row in results if row.safe)}"
    yield f"  wrong no: {verdicts['no', True]} of {verdicts['no', True] + verdicts['no', False]}"
    yield f"  not proven: {verdicts['not_proven', True] + verdicts['not_proven', False]}"


def _share(values: Iterator[bool]) -> str:
    known = list(values)
    return f"{sum(known)} of {len(known)}" + (f" = {100 * sum(known) / len(known):.0f} %" if known else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plants", type=int, default=240)
    plants = parser.parse_args().plants
    with ProcessPoolExecutor() as processes:
        results = list(processes.map(result_of, trials(plants), chunksize=8))
    for line in report(results):
        print(line)


if __name__ == "__main__":
    main()
