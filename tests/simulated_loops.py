"""Loops whose plant is known, for the tests of identification and advice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from demo.simulated_loop import Controller, Event, Plant, simulate
from instrumentgpt.instruments.loops import Loop

PLANT = Plant(gain=0.8, tau1=200.0, tau2=5.0, dead_time=5.0, noise=0.02)
STEADY = Controller(kp=12.0, ki=0.15)
STEPS = [(0.0, 40.0), (100.0, 50.0), (800.0, 45.0)]


def simulated_loop(
    plant: Plant = PLANT,
    controller: Controller = STEADY,
    setpoint: Sequence[tuple[float, float]] = STEPS,
    duration: float = 1500.0,
    period: float = 1.0,
    events: Sequence[Event] = (),
    named: Controller | None = None,
    seed: int = 7,
) -> Loop:
    """Return what a log of the loop shows; `named` are the gains it states, by default those in force."""
    run = simulate(plant, controller, setpoint, duration, period, seed, events)
    stated = named or controller
    kp, ki, kd = (np.full(len(run.time), value) for value in (stated.kp, stated.ki, stated.kd))
    lines = np.arange(10, 10 + len(run.time))
    return Loop(3, run.time, run.setpoint, run.pv, run.output.round(1), kp, ki, kd, lines)


def step_test(plant: Plant, levels: Sequence[float] = (45.0,), setpoint: float = np.nan) -> Loop:
    """Return the log of an output that a person moves from 20 % to `levels`, each for 600 s."""
    moves = [
        Event("output", 120.0 + 600.0 * place, 720.0 + 600.0 * place, level)
        for place, level in enumerate(levels)
    ]
    rest = Event("output", 0.0, 120.0, 20.0)
    start, lasts = plant.ambient + 20.0 * plant.gain, 120.0 + 600.0 * len(levels)
    loop = without_gains(
        simulated_loop(plant, setpoint=[(0.0, start)], duration=lasts, events=[rest, *moves])
    )
    return replace(loop, setpoint=np.full(len(loop), setpoint))


def without_gains(loop: Loop) -> Loop:
    """Return `loop` as a log that names no gains shows it."""
    unknown = np.full(len(loop), np.nan)
    return Loop(
        loop.channel, loop.time, loop.setpoint, loop.pv, loop.output, unknown, unknown, unknown, loop.line
    )
