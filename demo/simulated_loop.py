"""A heated instrument, simulated: plant, controller, and the run of one temperature loop.

Only +, -, * and / on floats and `random.Random.random` are used, so that a run is the same on every machine.
"""

import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from instrumentgpt.instruments.loops import Floats

LARGEST_STEP = 0.25  # s: the two masses are integrated at least this finely
UNIFORMS = 12  # uniform numbers in a normal one: their sum less 6 has variance 1

EventKind = Literal["load", "heater", "sensor", "bias", "noise", "output"]
Steps = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Plant:
    """A heater and what it heats: two thermal masses in series and a dead time, in a room."""

    gain: float  # °C per percent of output, at rest
    tau1: float  # s, the large mass
    tau2: float  # s, the small one
    dead_time: float  # s
    ambient: float = 22.0  # °C
    noise: float = 0.01  # °C, standard deviation of the sensor
    resolution: float = 0.01  # °C, of the sensor; 0: none
    stiction: float = 0.0  # percent the output must be away before the actuator jumps to it
    play: float = 0.0  # percent of dead band: the actuator lags behind by half of it, either way
    steps: float = 0.0  # percent between the positions the actuator knows, unknown to the controller


@dataclass(frozen=True)
class Controller:
    """A PID controller on error, its derivative on the filtered pv; gains in %/°C, %/(°C s), % s/°C."""

    kp: float
    ki: float
    kd: float = 0.0
    low: float = 0.0  # percent; -100 for a Peltier element
    high: float = 100.0
    anti_windup: bool = True  # False: the integral grows on while the output is at its limit
    windup_limit: float = 1000.0  # percent, where an integral without anti-windup ends
    actuator_step: float = 0.0  # percent; 0: none


@dataclass(frozen=True)
class Event:
    """Something that happens to a loop from `start` to `stop`, and again every `every` s if that is set.

    kind: "load" shifts the temperature at rest by `value` °C (an open door), "heater" leaves `value` (0..1)
    of its power, "sensor" makes it read `value` °C (nan too), "bias" adds `value` °C to what it reads,
    "noise" multiplies its noise by `value`, "output" holds the actuator at `value` percent.
    """

    kind: EventKind
    start: float
    stop: float
    value: float
    every: float = 0.0

    def happens(self, time: float) -> bool:
        """Return whether it does at `time` (s).

        >>> [Event("load", 10, 20, -1.0, every=60).happens(time) for time in (0, 10, 20, 70, 135)]
        [False, True, False, True, True]
        """
        since = time - self.start
        return since >= 0 and (since % self.every if self.every else since) < self.stop - self.start


@dataclass(frozen=True)
class Run:
    """A simulated loop; arrays of one length. pv is what the sensor says, temperature what is so."""

    time: Floats  # s
    pv: Floats  # °C
    setpoint: Floats  # °C
    output: Floats  # percent, as the controller gave it
    temperature: Floats = field(repr=False)  # °C
    terms: Floats = field(repr=False)  # (n, 3): p, i, d in percent


@dataclass
class _Masses:
    """The plant's state: the two masses above ambient, and the outputs on their way through the dead time."""

    plant: Plant
    first: float
    second: float
    waiting: deque[float]
    position: float  # percent, of the actuator

    def advance(self, output: float, load: float, power: float, step: float, steps: int) -> None:
        plant, waiting, first, second = self.plant, self.waiting, self.first, self.second
        gain, tau1, tau2 = plant.gain * power, plant.tau1, plant.tau2
        self.position = _moved(plant, self.position, output)
        for _ in range(steps):
            waiting.append(self.position)
            first = (first * tau1 + step * (gain * waiting.popleft() + load)) / (tau1 + step)
            second = (second * tau2 + step * first) / (tau2 + step)
        self.first, self.second = first, second


@dataclass
class _Memory:
    """The controller's state."""

    integral: float
    filtered: float

    def terms(
        self, controller: Controller, pv: float, setpoint: float, period: float
    ) -> tuple[float, float, float]:
        lag = controller.kd / controller.kp / 4 if controller.kp else 0.0  # the usual derivative filter, Td/4
        before = self.filtered
        self.filtered = (before * lag + period * pv) / (lag + period)
        error = setpoint - pv
        p, d = controller.kp * error, -controller.kd * (self.filtered - before) / period
        grown = self.integral + controller.ki * error * period
        if not controller.anti_windup:
            self.integral = min(max(grown, -controller.windup_limit), controller.windup_limit)
        elif controller.low < p + grown + d < controller.high:
            self.integral = grown
        else:  # grow no further into the limit
            inwards = (p + grown + d >= controller.high) == (error < 0)
            self.integral = grown if inwards else self.integral
        return p, self.integral, d


def simulate(
    plant: Plant,
    controller: Controller,
    setpoint: float | Steps,
    duration: float,
    period: float = 1.0,
    seed: int = 0,
    events: Sequence[Event] = (),
    start: float | None = None,
) -> Run:
    """Return the loop's run over `duration` s, sampled and controlled every `period` s.

    setpoint: °C, or (from s, °C) steps, the first from 0. start: °C, where the temperature begins;
    None: at rest on the first setpoint, as far as the output can hold it.
    The same arguments give the same numbers, on any machine.

    >>> run = simulate(Plant(0.8, 200, 5, 5, noise=0.0), Controller(9.0, 0.05), [(0, 40.0), (60, 50.0)], 900)
    >>> float(run.pv[0]), round(float(run.pv[-1]), 1), round(float(run.output[-1]))
    (40.0, 50.0, 35)
    """
    steps = [(0.0, setpoint)] if isinstance(setpoint, int | float) else list(setpoint)
    count = int(duration / period)
    inner = max(1, math.ceil(period / LARGEST_STEP))
    masses, memory = _at_rest(plant, controller, steps[0][1], start, inner / period)
    times, wanted_at = np.arange(count) * period, np.empty(count)
    for since, value in steps:
        wanted_at[times >= since] = value
    normals = _normals(random.Random(seed), count)
    rows = []
    for time, wanted, normal in zip(times.tolist(), wanted_at.tolist(), normals.tolist(), strict=True):
        now = {event.kind: event.value for event in events if event.happens(time)}
        temperature = plant.ambient + masses.second
        pv = _reading(plant, temperature, normal, now)
        p, i, d = memory.terms(controller, pv, wanted, period) if pv == pv else (0.0, memory.integral, 0.0)
        output = now.get("output", _limited(controller, p + i + d))
        masses.advance(output, now.get("load", 0.0), now.get("heater", 1.0), period / inner, inner)
        rows.append((time, pv, wanted, output, temperature, p, i, d))
    table = np.array(rows, dtype=np.float64).reshape(count, 8)
    time_, pv_, setpoint_, output_, temperature_ = table.T[:5].copy()
    return Run(time_, pv_, setpoint_, output_, temperature_, table[:, 5:])


def _at_rest(
    plant: Plant, controller: Controller, setpoint: float, start: float | None, steps_per_second: float
) -> tuple[_Masses, _Memory]:
    held = min(max((setpoint - plant.ambient) / plant.gain, controller.low), controller.high)
    output = held if start is None else min(max(0.0, controller.low), controller.high)
    above = held * plant.gain if start is None else start - plant.ambient
    delay = int(plant.dead_time * steps_per_second + 0.5)
    masses = _Masses(plant, above, above, deque([output] * delay), output)
    return masses, _Memory(integral=output, filtered=plant.ambient + above)


def _moved(plant: Plant, position: float, output: float) -> float:
    """Return where the actuator goes from `position`, percent, when it is told `output`."""
    if plant.stiction and abs(output - position) < plant.stiction:
        return position
    if plant.play:
        return min(max(position, output - plant.play / 2), output + plant.play / 2)
    return round(output / plant.steps) * plant.steps if plant.steps else output


def _normals(sensor: random.Random, count: int) -> Floats:
    uniforms = np.array([sensor.random() for _ in range(count * UNIFORMS)]).reshape(count, UNIFORMS)
    normals: Floats = np.cumsum(uniforms, axis=1)[:, -1] - UNIFORMS / 2  # adds one after the other
    return normals


def _reading(plant: Plant, temperature: float, normal: float, now: dict[EventKind, float]) -> float:
    pv = temperature + now.get("bias", 0.0) + plant.noise * now.get("noise", 1.0) * normal
    pv = now.get("sensor", pv)
    return round(pv / plant.resolution) * plant.resolution if plant.resolution and pv == pv else pv


def _limited(controller: Controller, output: float) -> float:
    if controller.actuator_step:
        output = round(output / controller.actuator_step) * controller.actuator_step
    return min(max(output, controller.low), controller.high)
