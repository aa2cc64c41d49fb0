"""How right swings are told apart on simulated loops: by their actuator, their gains, the room, or none.

    python -m bench.limit_cycles [--logs 200] [--seed 11]

Plants, gains, noise, digits, periods are drawn at random. Half of the logs are near misses: well-tuned loops
with coarse outputs, rooms that breathe, gains near the limit that still settle. A log counts as swinging if
its true temperature does, by 0.28 °C or more (half peak to peak) in its second half. Seeds below 10 were
looked at while the checks were written; 11 was not.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from bench.drawn import keep_report
from bench.loops_simulated import DURATION, Loop, healthy_loop, log_of_loops
from demo.simulated_loop import Event, simulate
from instrumentgpt.instruments.diagnosis import diagnose

SWINGS = 0.28  # °C, half peak to peak; loops.md section 1
BREATHS = 40  # pieces of a slow sine of the room
LARGEST = 8.0  # °C by which the room shifts the temperature at rest


def _sticks(loop: Loop, dice: random.Random) -> Loop:
    return replace(loop, plant=replace(loop.plant, stiction=dice.uniform(6.0, 20.0)))


def _has_play(loop: Loop, dice: random.Random) -> Loop:
    return replace(loop, plant=replace(loop.plant, play=dice.uniform(6.0, 25.0)))


def _goes_in_steps(loop: Loop, dice: random.Random) -> Loop:
    return replace(loop, plant=replace(loop.plant, steps=dice.uniform(8.0, 30.0)))


def _fine_steps(loop: Loop, dice: random.Random) -> Loop:
    return replace(loop, plant=replace(loop.plant, steps=dice.uniform(0.3, 1.5)))


def _breathing_room(loop: Loop, dice: random.Random) -> Loop:
    period, size = dice.uniform(300.0, 900.0), dice.uniform(1.0, LARGEST)
    shape = np.sin(2 * np.pi * np.arange(BREATHS) / BREATHS)
    piece = period / BREATHS
    parts = [
        Event("load", k * piece, (k + 1) * piece, float(size * value), every=period)
        for k, value in enumerate(shape)
    ]
    return replace(loop, events=tuple(parts))


def _gains(low: float, high: float) -> Callable[[Loop, random.Random], Loop]:
    def times(loop: Loop, dice: random.Random) -> Loop:
        factor, good = dice.uniform(low, high), loop.controller
        return replace(loop, controller=replace(good, kp=good.kp * factor, ki=good.ki * factor**2))

    return times


KINDS: Mapping[
    str, tuple[str, Callable[[Loop, random.Random], Loop]]
] = {  # kind → what it is, how it is made
    "sticking": ("limit_cycle_actuator", _sticks),
    "play": ("limit_cycle_actuator", _has_play),
    "steps": ("limit_cycle_actuator", _goes_in_steps),
    "gains far too high": ("oscillation_tuning", _gains(5.0, 9.0)),
    "healthy": ("", lambda loop, dice: loop),
    "fine steps": ("", _fine_steps),
    "breathing room": ("", _breathing_room),
    "gains near the limit": ("", _gains(1.2, 1.6)),
}


def _stepped(loop: Loop) -> list[tuple[float, float]]:
    """Return the setpoint of `loop` (°C) with a step, which sets a sticking actuator off."""
    held = loop.setpoint[0][1]
    return [(0.0, held), (300.0, held + 6.0)]


def runs(count: int, seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (kind, true class or "", named classes of the loop) of each log."""
    dice = random.Random(seed)
    for index in range(count):
        kind = list(KINDS)[index % len(KINDS)]
        truth, spoil = KINDS[kind]
        held = spoil(healthy_loop(dice), dice)
        loop = replace(held, setpoint=_stepped(held))
        period = dice.choice([0.5, 1.0, 2.0])
        run = simulate(loop.plant, loop.controller, loop.setpoint, DURATION, period, index, loop.events)
        late = run.temperature[len(run.temperature) // 2 :]
        swings = float(np.percentile(late, 97) - np.percentile(late, 3)) / 2 >= SWINGS
        log = log_of_loops([loop], period, dice.choice([0, 1, 2]), index)
        yield kind, truth if swings else "", [one.fault for one in diagnose(log).findings]


def report(count: int, seed: int) -> Iterator[str]:
    """Yield, per class, precision, recall and F1, and what was said of each kind."""
    said: Counter[tuple[str, str, str]] = Counter()
    for kind, truth, named in runs(count, seed):
        swings = [one for one in named if one in ("limit_cycle_actuator", "oscillation_tuning")]
        said[kind, truth, swings[0] if swings else ""] += 1
    for fault in ("limit_cycle_actuator", "oscillation_tuning"):
        right = sum(n for (_, truth, got), n in said.items() if truth == got == fault)
        told = sum(n for (_, _, got), n in said.items() if got == fault)
        true = sum(n for (_, truth, _), n in said.items() if truth == fault)
        yield (
            f"{fault:22s} precision {right / max(1, told):.2f}  recall {right / max(1, true):.2f}  "
            f"F1 {2 * right / max(1, told + true):.2f}  ({right} of {true}, {told} named)"
        )
    calm = sum(n for (_, truth, _), n in said.items() if not truth)
    false = sum(n for (_, truth, got), n in said.items() if not truth and got)
    yield f"false alarms on logs without such a swing: {false} of {calm}"
    for (kind, truth, got), n in sorted(said.items()):
        yield f"  {n:3d} x {kind}: {truth or 'no swing by actuator or gains'} -> {got or 'none named'}"


def main() -> int:
    """Print and keep the report."""
    return keep_report("limit_cycles", __doc__, report, logs=200, seed=11)


if __name__ == "__main__":
    sys.exit(main())
