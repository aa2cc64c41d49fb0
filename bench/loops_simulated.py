"""How right the diagnosis is on simulated loops with random plants, gains, noise, digits and faults.

    python -m bench.loops_simulated [--logs 240] [--seed 1]

Each log has three channels, one of them with a fault (or none). Class and channel of the first-named
finding, false alarms on healthy logs, recall per class and onset are counted.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from bench.drawn import keep_report
from demo.simulated_loop import Controller, Event, Plant, Steps, simulate
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import Log

DURATION = 1800.0  # s
FAULTY = 2  # the channel with the fault
STEP = 300.0  # s, when the setpoint of a step test steps
FOREVER = 1e9  # s
UNTIMED = ("healthy", "oscillation_tuning")  # a swing grows out of the noise: there is no true onset


@dataclass(frozen=True)
class Loop:
    """One channel as it is to be simulated, and when its fault begins (s)."""

    plant: Plant
    controller: Controller
    setpoint: Steps
    events: tuple[Event, ...] = ()
    onset: float = 0.0


def healthy_loop(dice: random.Random) -> Loop:
    """Return a loop with a random plant, well tuned (SIMC, tau_c twice the dead time), that holds."""
    plant = Plant(
        gain=dice.uniform(0.6, 1.6),
        tau1=dice.uniform(90.0, 350.0),
        tau2=dice.uniform(3.0, 8.0),
        dead_time=dice.uniform(2.0, 6.0),
        ambient=dice.uniform(19.0, 26.0),
        noise=dice.choice([0.0, 0.005, 0.02, 0.04]),
        resolution=dice.choice([0.001, 0.01, 0.0625, 0.1]),
    )
    delay = plant.dead_time + plant.tau2 / 2
    kp = plant.tau1 / plant.gain / (3 * delay)
    held = round(plant.ambient + plant.gain * dice.uniform(25.0, 50.0), 1)
    return Loop(plant, Controller(kp, kp / min(plant.tau1, 16 * delay)), [(0.0, held)])


def _event(kind: str, low: float, high: float) -> Callable[[Loop, random.Random], Loop]:
    """Return a fault that one event makes, with a value between `low` and `high`, to the end."""

    def spoil(loop: Loop, dice: random.Random) -> Loop:
        onset = dice.uniform(600.0, 1100.0)
        event = Event(kind, onset, FOREVER, dice.uniform(low, high))  # type: ignore[arg-type]
        return replace(loop, events=(event,), onset=onset)

    return spoil


def _spikes(loop: Loop, dice: random.Random) -> Loop:
    onset, size = dice.uniform(300.0, 800.0), dice.choice([-1, 1]) * dice.uniform(5.0, 25.0)
    return replace(
        loop, events=(Event("bias", onset, onset + 2.0, size, every=dice.uniform(100.0, 300.0)),), onset=onset
    )


def _jump(loop: Loop, dice: random.Random) -> Loop:
    return (
        _event("bias", 4.0, 20.0)(loop, dice)
        if dice.random() < 0.5
        else _event("bias", -20.0, -4.0)(loop, dice)
    )


def _stuck(loop: Loop, dice: random.Random) -> Loop:
    held, onset = loop.setpoint[0][1], dice.uniform(600.0, 1100.0)
    step = (onset + dice.uniform(10.0, 60.0), held + dice.choice([-8.0, 8.0]))
    return replace(
        loop, setpoint=[(0.0, held), step], events=(Event("sensor", onset, FOREVER, held),), onset=onset
    )


def _off(loop: Loop, dice: random.Random) -> Loop:
    held, onset = loop.setpoint[0][1], dice.uniform(600.0, 1100.0)
    output = round((held - loop.plant.ambient) / loop.plant.gain, 1)
    steps = [(0.0, held), (onset + dice.uniform(5.0, 60.0), held + dice.choice([-9.0, 9.0]))]
    return replace(loop, setpoint=steps, events=(Event("output", onset, FOREVER, output),), onset=onset)


def _stepped(loop: Loop, size: float) -> Loop:
    held = loop.setpoint[0][1]
    return replace(loop, setpoint=[(0.0, held), (STEP, held + size)], onset=STEP)


def _out_of_reach(loop: Loop, dice: random.Random) -> Loop:
    reach = loop.plant.ambient + 100 * loop.plant.gain
    return _stepped(loop, reach + dice.uniform(5.0, 20.0) - loop.setpoint[0][1])


def _gains(kp: float, ki: float, step: float = 0.0) -> Callable[[Loop, random.Random], Loop]:
    """Return a fault of the gains: the good ones times `kp` and `ki`, seen on a step of `step` °C."""

    def spoil(loop: Loop, dice: random.Random) -> Loop:
        good = loop.controller
        wrong = replace(good, kp=good.kp * kp, ki=good.ki * ki)
        return replace(_stepped(loop, step) if step else loop, controller=wrong)

    return spoil


def _wound_up(loop: Loop, dice: random.Random) -> Loop:
    reach = loop.plant.ambient + 90 * loop.plant.gain - loop.setpoint[0][1]
    wound = replace(loop.controller, anti_windup=False, windup_limit=400.0)
    return replace(_stepped(loop, 0.8 * reach), controller=wound)


FAULTS: Mapping[str, Callable[[Loop, random.Random], Loop]] = {
    "healthy": lambda loop, dice: loop,
    "sensor_open": _event("sensor", 850.0, 850.0),
    "sensor_spike": _spikes,
    "sensor_bias": _jump,
    "sensor_stuck": _stuck,
    "sensor_noise": lambda loop, dice: _event("noise", 8.0, 15.0)(
        replace(loop, plant=replace(loop.plant, noise=0.025)), dice
    ),
    "heater_failure": _event("heater", 0.0, 0.0),
    "runaway_stuck_on": _event("load", 60.0, 90.0),
    "control_off": _off,
    "saturation": _out_of_reach,
    "oscillation_tuning": _gains(9.0, 20.0, 3.0),
    "integral_windup": _wound_up,
    "sluggish_tuning": _gains(0.06, 0.06, 12.0),
    "heater_degradation": _event("heater", 0.6, 0.78),
}


def _samples(channel: int, loop: Loop, period: float, digits: int, seed: int) -> pd.DataFrame:
    run = simulate(loop.plant, loop.controller, loop.setpoint, DURATION, period, seed, loop.events)
    shown = {"time": run.time, "channel": channel, "setpoint": run.setpoint, "pv": run.pv}
    gains = {"kp": loop.controller.kp, "ki": loop.controller.ki, "kd": 0.0}
    return pd.DataFrame({**shown, "output": run.output.round(digits), **gains})


def log_of_loops(loops: Sequence[Loop], period: float, digits: int, index: int) -> Log:
    """Return the log of `loops`, a channel each, sampled every `period` s, outputs with `digits` decimals."""
    frames = [_samples(n, loop, period, digits, 1000 * index + n) for n, loop in enumerate(loops, start=1)]
    samples = pd.concat(frames).sort_values("time", kind="stable").reset_index(drop=True)
    samples["line"] = np.arange(1, len(samples) + 1)
    name = f"simulated {index}"
    return Log(Path(name), name, "simulated", samples, pd.Timestamp("2026-01-01"), len(samples))


def logs(count: int, seed: int) -> Iterator[tuple[str, float, Log]]:
    """Yield (fault, onset in s, log), the faults in turn."""
    dice = random.Random(seed)
    for index in range(count):
        fault = list(FAULTS)[index % len(FAULTS)]
        loops = [healthy_loop(dice) for _ in range(3)]
        loops[FAULTY - 1] = FAULTS[fault](loops[FAULTY - 1], dice)
        period, digits = dice.choice([0.5, 0.8, 1.0, 1.0]), dice.choice([0, 1, 1, 2])
        log = log_of_loops(loops, period, digits, index)
        yield fault, loops[FAULTY - 1].onset, log


def report(count: int, seed: int) -> Iterator[str]:
    """Yield the counts per fault, then what was named instead."""
    right, timely, seen, wrong = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for fault, onset, log in logs(count, seed):
        named = [one for one in diagnose(log).findings if one.fault != "healthy"]
        seen[fault] += 1
        first = (named[0].fault, named[0].channel) if named else ("healthy", FAULTY)
        right[fault] += first == (fault, FAULTY)
        if first != (fault, FAULTY):
            wrong[f"{fault} -> {first[0]}, channel {first[1]}"] += 1
        elif named:
            timely[fault] += abs(named[0].onset - onset) <= max(30.0, 0.1 * (DURATION - onset))
    yield f"{'fault':20s} logs  first-named right  onset within max(30 s, 10 %)"
    for fault in FAULTS:
        onset_share = "" if fault in UNTIMED else f"{timely[fault] / max(1, right[fault]):.2f}"
        yield f"{fault:20s} {seen[fault]:4d}  {right[fault] / seen[fault]:17.2f}  {onset_share}"
    yield f"all: {sum(right.values())} of {count} right"
    yield from (f"  {times} x {what}" for what, times in wrong.most_common())


def main() -> int:
    """Print and keep the report."""
    return keep_report("loops_simulated", __doc__, report, logs=240, seed=1)


if __name__ == "__main__":
    sys.exit(main())
