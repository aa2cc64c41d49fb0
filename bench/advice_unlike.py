"""Advice on gains for plants that are not of the model's kind, as instruments are not.

    python -m bench.advice_unlike [--plants 160]

Plants of three to five lags, a controller faster than the log, digits as coarse as 0.1 °C and 1 %, an element
that cools less than it heats, load changes of up to 2 °C, and in three of ten logs no gains.
"""

import argparse
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from bench.margins import margins
from instrumentgpt.instruments.advice import LEAST_GAIN, LEAST_PHASE, advise, can_raise
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.plant import Refusal, identify
from instrumentgpt.instruments.tuning.gains import Gains

STEP = 0.1  # s of the simulation
DURATION = 2400.0  # s
AMBIENT = 22.0  # °C
RAISED = 1.3  # of "can kp go up 30 %?"
FAULTS = {
    "well tuned": 1.0,
    "sluggish": 0.15,
    "overshoot": 3.0,
    "oscillation": 14.0,
}  # factor on ki; kp if sluggish


@dataclass(frozen=True)
class Plant:
    """Lags in series and a dead time (s), its gain (°C/%), and how it is run and logged."""

    kind: str
    gain: float
    lags: tuple[float, ...]
    dead_time: float
    gains: Gains
    cooling: float  # share of the gain when the output is negative
    noise: float  # °C
    digit: float  # °C
    output_digit: float  # %
    load: float  # °C, standard deviation of the load changes
    period: float  # s between log lines
    control_period: float  # s
    names_gains: bool
    seed: int


def plants() -> Iterator[Plant]:
    """Yield plants without end, each with its own controller and disturbances."""
    for seed in count():
        dice = random.Random(seed)
        kind = list(FAULTS)[seed % len(FAULTS)]
        gain, tau = (math.exp(dice.uniform(math.log(a), math.log(b))) for a, b in ((0.25, 3.0), (70, 450)))
        lags = (tau, *(dice.uniform(0.5, 5.0) for _ in range(dice.randint(2, 4))))
        dead_time = dice.uniform(0.3, 5.0)
        delay = dead_time + 0.8 * sum(lags[1:])
        closed = delay * dice.uniform(0.8, 5.0)
        kp = tau / gain / (closed + delay) * (FAULTS[kind] if kind == "sluggish" else 1.0)
        ki = kp / min(tau, 4 * (closed + delay)) * (FAULTS[kind] if kind != "sluggish" else 1.0)
        kd = kp * dice.uniform(1.0, 4.0) if dice.random() < 0.4 else 0.0
        yield Plant(
            kind,
            gain,
            lags,
            dead_time,
            Gains(kp, ki, kd),
            cooling=dice.choice((1.0, 1.0, 0.6)),
            noise=dice.choice((0.003, 0.01, 0.03, 0.08)),
            digit=dice.choice((0.001, 0.01, 0.1)),
            output_digit=dice.choice((0.1, 0.1, 1.0)),
            load=dice.choice((0.0, 0.5, 2.0)),
            period=dice.choice((1.0, 1.0, 2.0, 5.0)),
            control_period=dice.choice((0.2, 0.5, 1.0)),
            names_gains=dice.random() < 0.7,
            seed=seed,
        )


def program(plant: Plant) -> list[tuple[float, float]]:
    """Return the setpoints as (from s, °C)."""
    dice = random.Random(plant.seed + 1)
    first = AMBIENT + plant.gain * (35 if plant.cooling == 1 else 8)
    times = sorted(dice.uniform(300, 2000) for _ in range(dice.randint(1, 3)))
    return [(0.0, first), *((time, first + plant.gain * dice.uniform(-12, 22)) for time in times)]


def run(plant: Plant, gains: Gains) -> tuple[np.ndarray, float]:
    """Return the log's samples (n, 4; time, setpoint, pv, output) and the true IAE, °C·s."""
    noise, steps = np.random.default_rng(plant.seed), program(plant)
    low = -100.0 if plant.cooling < 1 else 0.0
    rest = steps[0][1] - AMBIENT
    masses, lags = [rest] * len(plant.lags), plant.lags
    output = integral = rest / plant.gain
    heard = [output] * (round(plant.dead_time / STEP) + 1)
    filtered, lag, period = steps[0][1], gains.kd / gains.kp / 4, plant.control_period
    rows, total, load, until, setpoint = [], 0.0, 0.0, 0.0, steps[0][1]
    for index in range(int(DURATION / STEP)):
        time = index * STEP
        setpoint = next(value for since, value in reversed(steps) if since <= time)
        if time >= until:
            load, until = noise.normal(0, plant.load), time + noise.uniform(60, 400)
        heat = heard[index % len(heard)]
        drive = plant.gain * heat * (plant.cooling if heat < 0 else 1.0) + load
        for place, tau in enumerate(lags):
            masses[place] += STEP * ((masses[place - 1] if place else drive) - masses[place]) / tau
        if index % round(period / STEP) == 0:
            pv = round((AMBIENT + masses[-1] + noise.normal(0, plant.noise)) / plant.digit) * plant.digit
            before, filtered = filtered, (filtered * lag + period * pv) / (lag + period)
            grown = integral + gains.ki * (setpoint - pv) * period
            wanted = gains.kp * (setpoint - pv) + grown - gains.kd * (filtered - before) / period
            output = min(max(wanted, low), 100.0)
            if output == wanted or (wanted > output) == (pv > setpoint):
                integral = grown
        heard[index % len(heard)] = output
        total += abs(setpoint - AMBIENT - masses[-1]) * STEP
        if index % round(plant.period / STEP) == 0:
            rows.append((time, setpoint, pv, round(output / plant.output_digit) * plant.output_digit))
    return np.array(rows), total


def true_margins(plant: Plant, gains: Gains) -> tuple[float, float]:
    """Return phase margin (degrees) and gain margin, half a control period counted as delay."""
    omega = np.geomspace(1e-4, 15.0, 30_000)
    s = 1j * omega
    law = gains.kp + gains.ki / s + gains.kd * s / (gains.kd / gains.kp / 4 * s + 1)
    loop = law * plant.gain * np.exp(-s * (plant.dead_time + plant.control_period / 2))
    for tau in plant.lags:
        loop = loop / (tau * s + 1)
    return margins(loop)


@dataclass(frozen=True)
class Result:
    """What was said of one plant, and whether it is so; nan without a proposal."""

    kind: str
    refused: str
    verdict: str
    safe: bool
    phase: float
    gain: float
    iae_ratio: float


def result_of(plant: Plant) -> Result:
    samples, before = run(plant, plant.gains)
    named = [plant.gains.kp, plant.gains.ki, plant.gains.kd] if plant.names_gains else [math.nan] * 3
    kp, ki, kd = (np.full(len(samples), value) for value in named)
    time, setpoint, pv, output = samples.T
    found = identify(Loop(1, time, setpoint, pv, output, kp, ki, kd, np.arange(len(samples))))
    raised = true_margins(plant, plant.gains.with_gain("kp", plant.gains.kp * RAISED))
    proposed = advise(found).proposed
    phase, gain = true_margins(plant, proposed) if proposed else (math.nan, math.nan)
    return Result(
        plant.kind,
        found.reason if isinstance(found, Refusal) else "",
        can_raise(found, "kp", RAISED).verdict,
        raised[0] >= LEAST_PHASE and raised[1] >= LEAST_GAIN,
        phase,
        gain,
        run(plant, proposed)[1] / before if proposed else math.nan,
    )


def report(results: Sequence[Result]) -> Iterator[str]:
    refused = Counter(row.refused for row in results if row.refused)
    given = [row for row in results if not math.isnan(row.phase)]
    faulty = [row for row in results if not row.refused and row.kind != "well tuned"]
    verdicts = Counter((row.verdict, row.safe) for row in results)
    yield f"{len(results)} plants unlike the model, refused: {dict(refused)}"
    helped = sum(not math.isnan(row.phase) for row in faulty)
    yield f"gains proposed: {len(given)}; of {len(faulty)} identified loops with a tuning fault: {helped}"
    narrow, low = sum(row.phase < LEAST_PHASE for row in given), sum(row.gain < LEAST_GAIN for row in given)
    least = min(row.phase for row in given)
    yield f"  true phase margin below 45 degrees: {narrow}, smallest {least:.1f}; gain margin below 2: {low}"
    better, ratio = sum(row.iae_ratio < 1 for row in given), np.median([row.iae_ratio for row in given])
    yield f"  better IAE on the true plant: {better} of {len(given)}, median ratio {ratio:.2f}"
    safe = sum(row.safe for row in results)
    unsafe, told, wrong = verdicts["yes", False], verdicts["yes", True], verdicts["no", True]
    yield f'"can kp go up 30 %?": unsafe yes {unsafe}, true yes found {told} of {safe}, wrong no {wrong}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plants", type=int, default=160)
    chosen = parser.parse_args()
    with ProcessPoolExecutor() as processes:
        results = list(processes.map(result_of, islice(plants(), chosen.plants), chunksize=4))
    for line in report(results):
        print(line)


if __name__ == "__main__":
    main()
