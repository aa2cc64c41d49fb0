"""How faults are named on temperature loops from which no check was made: seventeen machines, known truth.

    python -m bench.unseen_plants --out DIR [--logs 320] [--seed 7]     writes CSV files and truth.jsonl
    python -m bench.unseen_plants [--score] [--logs 320] [--seed 7]     scores `diagnose` on them
    python -m bench.unseen_plants --without setpoint                    … on logs without that column

Nothing here is shared with the diagnosis: plants, gains, faults, dirt are this module's own. A plant has a
heater lag, a body that loses heat, a sensor lag, a dead time; gains follow SIMC (Skogestad 2003). A fault is
kept only if it can be seen: each log is simulated without its fault too, and what differs is held against the
loop's own band (noise, digits, on/off cycle) and time scale. Seed 7 is for building, 99 for figures only.
"""

import argparse
import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log

Array = NDArray[Any]
T = TypeVar("T")
Plan = list[tuple[float, float]]  # (s, °C or K); straight lines between
HOUR, DAY = 3600.0, 86400.0
HEALTHY = 0.4  # share of logs
QUIET = {"healthy", "cannot say", "data_gap", "insufficient_data"}
CRITICAL = ("sensor_open", "sensor_stuck", "heater_failure", "runaway_stuck_on")
HEADS = {
    "setpoint": ("setpoint", "target", "sp"),
    "pv": ("temperature", "temp", "pv"),
    "output": ("output", "duty", "pwm", "heater", "power", "compressor", "cooling"),
}
RAILS = (-242.0, -200.0, 850.0, 1372.0, 3276.7, -999.0, math.nan)


class Draw:
    """Seeded draws: `d(low, high)` is uniform, `d.of` one of those given."""

    def __init__(self, *seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def of(self, *choices: T) -> T:
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)


@dataclass(frozen=True)
class Plant:
    span: float  # ° by which full output lifts (or lowers) the temperature at rest
    tau: float  # s
    lag: float  # s, of heater or compressor
    sensor: float  # s
    dead: float  # s
    radiation: float = 0.0  # ° of loss per K⁴
    cold: bool = False  # heat capacity falls with the temperature, as near 0 K

    def time_constant(self, temperature: float) -> float:
        """Return seconds; `temperature` in K where the plant is cold."""
        return self.tau * max(temperature / 100.0, 0.03) ** 1.2 if self.cold else self.tau

    def loss(self, temperature: float, ambient: float) -> float:
        """Return the lift, in °, that holds `temperature`."""
        return (temperature - ambient) + self.radiation * ((temperature + 273) ** 4 - (ambient + 273) ** 4)

    def delay(self) -> float:
        """Return what acts as dead time, in seconds (the half rule)."""
        return self.dead + min(self.lag, self.sensor) + max(self.lag, self.sensor) / 2

    def gains(self, coldest: float) -> tuple[float, float]:
        """Return kp (share of output per °) and ti (s): SIMC with a closed loop of twice the dead time."""
        first, delay = self.time_constant(coldest) + max(self.lag, self.sensor) / 2, self.delay()
        return first / (self.span * 3 * delay), min(first, 30 * delay)


@dataclass(frozen=True)
class Machine:
    name: str
    plants: tuple[Plant, ...]
    plan: Plan  # setpoint; of a manual machine its output
    ambient: float
    period: float  # s between rows
    duration: float  # s
    digits: float
    noise: float  # °, standard deviation
    control: str = "pid"  # pid, on/off, manual, cascade
    start: float | None = None  # ° at the first row; None: ambient
    low: float = 0.0  # share of output
    high: float = 1.0
    hysteresis: float = 0.0  # °, half
    rest: float = 0.0  # s that a compressor stays off
    unit: str = "C"
    output: str = "percent"  # fraction, percent, byte, onoff
    daily: float = 0.0  # ° by which the room swings in a day
    loads: tuple[tuple[float, float, float, bool], ...] = ()  # s, s, ° of lift, output blocked
    coupling: float = 0.0  # share of a neighbour's lift that arrives
    spread: float = 0.0  # ° between the setpoints of channels
    tempting: tuple[str, ...] = ()

    @property
    def step(self) -> float:
        fastest = min(min(p.lag, p.sensor) for p in self.plants) / 3
        return self.period / max(1, math.ceil(self.period / fastest))

    @property
    def degrees(self) -> float:
        """Logged degrees in a kelvin."""
        return 1.8 if self.unit == "F" else 1.0

    @property
    def band(self) -> float:
        """What the loop does by itself, in logged degrees: noise, digits, on/off cycle."""
        return max(4 * self.noise * self.degrees, 2 * self.digits, 1.2 * self.hysteresis * self.degrees)

    @property
    def size(self) -> float:
        """The lift of the farthest setpoint over the ambient, in logged degrees."""
        farthest = max((v for _, v in self.plan if v), key=lambda v: abs(v - self.ambient))
        return self.degrees * (
            abs(self.plants[0].span) if self.control == "manual" else abs(farthest - self.ambient)
        )


def stairs(*points: tuple[float, float]) -> Plan:
    """Return a plan that jumps at each time to its value."""
    return [points[0]] + [p for a, b in pairwise(points) for p in ((b[0] - 1e-3, a[1]), b)]


def hold(d: Draw, duration: float, value: float, other: float, idle: bool = True) -> Plan:
    """Return a plan: often idle at first, then `value`, often `other`, sometimes off before the end."""
    points = [(0.0, value)]
    if idle and d.chance(0.5):
        points = [(0.0, 0.0), (d(0.03, 0.1) * duration, value)]
    if d.chance(0.5):
        points.append((d(0.5, 0.65) * duration, other))
    if idle and d.chance(0.2):
        points.append((d(0.88, 0.94) * duration, 0.0))
    return stairs(*points)


def hot_end(d: Draw) -> Machine:
    plant = Plant(d(330, 520), d(110, 220), d(3, 7), d(1, 3), d(0.5, 2))
    value, duration = d.of(195.0, 205.0, 215.0, 240.0, 250.0), d(300, 1200)
    return Machine(
        "printer hot end",
        (plant,),
        hold(d, duration, value, value + d.of(-15, 10, 15)),
        d(20, 27),
        d.of(0.25, 0.5, 1.0, 2.0),
        duration,
        d.of(0.01, 0.1, 1.0),
        d(0.03, 0.25),
        start=d.of(None, value),
        high=d.of(0.8, 0.9, 1.0),
        output=d.of("fraction", "byte", "percent"),
        tempting=("saturation", "sensor_stuck"),
    )


def bed(d: Draw) -> Machine:
    plant = Plant(d(95, 150), d(500, 900), d(15, 40), d(4, 12), d(1, 5))
    value, duration = d.of(55.0, 60.0, 70.0, 80.0), d(2400, 7200)
    return Machine(
        "printer bed",
        (plant,),
        hold(d, duration, value, value + d.of(-10, 5)),
        d(18, 26),
        d.of(1.0, 2.0),
        duration,
        d.of(0.01, 0.1, 1.0),
        d(0.02, 0.1),
        start=d.of(None, value),
        output=d.of("fraction", "byte", "percent"),
        tempting=("saturation", "sluggish_tuning"),
    )


def oven(d: Draw) -> Machine:
    plant = Plant(d(300, 420), d(1200, 2200), d(50, 120), d(15, 40), d(5, 15))
    value, duration = d.of(150.0, 180.0, 200.0, 220.0), d(5400, 14400)
    return Machine(
        "oven with thermostat",
        (plant,),
        hold(d, duration, value, value + d.of(-30, 20)),
        d(19, 26),
        d.of(1.0, 5.0, 10.0),
        duration,
        d.of(0.1, 0.25, 1.0),
        d(0.05, 0.3),
        "on/off",
        hysteresis=d(1.5, 5),
        output="onoff",
        unit=d.of("C", "C", "F"),
        start=d.of(None, value),
        tempting=("oscillation_tuning", "limit_cycle_actuator"),
    )


def reflow(d: Draw) -> Machine:
    plant = Plant(d(420, 560), d(200, 300), d(8, 18), d(2, 5), d(1, 4))
    soak, peak, k = d(150, 180), d(225, 245), d(0.9, 1.5)
    times = np.cumsum([20, 100, 90, 60, 25]) * k
    plan = [
        (0.0, 30.0),
        (float(times[0]), 30.0),
        (float(times[1]), soak),
        (float(times[2]), soak + 20),
        (float(times[3]), peak),
        (float(times[4]), peak),
    ]
    plan += [(float(times[4]) + 0.01, 0.0)]
    return Machine(
        "reflow oven",
        (plant,),
        plan,
        d(22, 29),
        d.of(0.25, 0.5, 1.0),
        float(times[4]) * d(1.3, 1.6),
        d.of(0.1, 0.25, 1.0),
        d(0.05, 0.3),
        output=d.of("percent", "byte"),
        tempting=("saturation", "sluggish_tuning", "heater_failure"),
    )


def kiln(d: Draw) -> Machine:
    plant = Plant(d(2300, 3000), d(2.0, 3.5) * HOUR, d(90, 200), d(20, 60), d(10, 40), radiation=1.6e-10)
    top, room, soak = d(980, 1230), d(15, 28), d(0.3, 0.6) * HOUR
    first = (600 - room) / d(110, 160) * HOUR
    then = first + (top - 600) / d(150, 220) * HOUR
    plan = [(0.0, room), (first, 600.0), (then, top), (then + soak, top), (then + soak + 1, 0.0)]
    return Machine(
        "kiln",
        (plant,),
        plan,
        room,
        d.of(10.0, 20.0, 30.0, 60.0),
        then + soak + d(0.5, 4) * HOUR,
        d.of(0.1, 1.0),
        d(0.2, 0.8),
        unit=d.of("C", "F"),
        output=d.of("fraction", "percent"),
        tempting=("heater_failure", "control_off", "runaway_stuck_on"),
    )


def espresso(d: Draw) -> Machine:
    plant = Plant(d(220, 320), d(1000, 1800), d(8, 15), d(2, 5), d(1, 4))
    value, duration = d.of(93.0, 96.0, 105.0, 120.0), d(1800, 4800)
    times = np.sort(d.rng.uniform(0.3, 0.95, 6)) * duration
    loads = tuple((float(t), float(t) + d(20, 32), -d(120, 300), False) for t in times)
    return Machine(
        "espresso boiler",
        (plant,),
        hold(d, duration, value, value + d.of(-3, 4), idle=False),
        d(20, 26),
        d.of(0.5, 1.0),
        duration,
        d.of(0.01, 0.1, 0.25),
        d(0.03, 0.12),
        unit=d.of("C", "C", "F"),
        output=d.of("fraction", "percent", "byte"),
        loads=loads,
        tempting=("ambient_disturbance", "sensor_spike", "overshoot_tuning"),
    )


def roaster(d: Draw) -> Machine:
    plant, duration = Plant(d(330, 400), d(330, 480), d(10, 20), d(5, 12), d(2, 5)), d(650, 900)
    levels = [
        (0.0, d(0.6, 0.7)),
        (60.0, d.of(0.9, 1.0)),
        (0.4 * duration, d.of(0.8, 0.85)),
        (0.6 * duration, d.of(0.6, 0.7)),
        (0.8 * duration, d.of(0.4, 0.5)),
    ]
    return Machine(
        "coffee roaster",
        (plant,),
        stairs(*levels),
        d(20, 28),
        d.of(1.0, 2.0),
        duration,
        d.of(0.01, 0.1),
        d(0.05, 0.25),
        "manual",
        start=d(195, 215),
        unit=d.of("C", "F"),
        loads=((30.0, 75.0, -d(700, 900), False),),
        tempting=("control_off", "saturation", "heater_failure"),
    )


def fermenter(d: Draw) -> Machine:
    plant = Plant(-d(28, 40), d(8, 16) * HOUR, d(300, 900), d(200, 500), d(60, 180))
    value, duration = d(17, 20), d(4, 10) * DAY
    plan = stairs((0.0, value), (d(0.7, 0.8) * duration, d(3, 6))) if d.chance(0.4) else [(0.0, value)]
    return Machine(
        "fermenter",
        (plant,),
        plan,
        d(23, 27),
        60.0,
        duration,
        d.of(0.01, 0.1, 0.1),
        d(0.01, 0.04),
        "on/off",
        start=d.of(None, value),
        hysteresis=d(0.2, 0.5),
        rest=d(300, 900),
        unit=d.of("C", "F"),
        output="onoff",
        daily=d(0.5, 2),
        tempting=("oscillation_tuning", "saturation", "sluggish_tuning"),
    )


def freezer(d: Draw) -> Machine:
    plant, duration = Plant(-d(60, 75), d(2, 4) * HOUR, d(90, 200), d(60, 150), d(20, 60)), d(1, 4) * DAY
    value, every, at = d.of(-20.0, -18.0, 4.0), d(6, 12) * HOUR, d(2, 5) * HOUR
    loads = tuple((t, t + d(600, 1000), d(60, 90), True) for t in np.arange(at, duration, every).tolist())
    return Machine(
        "freezer",
        (plant,),
        [(0.0, value)],
        d(20, 26),
        d.of(30.0, 60.0),
        duration,
        d.of(0.01, 0.1, 0.5),
        d(0.02, 0.1),
        "on/off",
        start=d.of(None, value, value),
        hysteresis=d(0.8, 1.8),
        rest=d(180, 300),
        output="onoff",
        daily=d(0, 1.5),
        loads=loads,
        tempting=("oscillation_tuning", "ambient_disturbance", "runaway_stuck_on"),
    )


def incubator(d: Draw) -> Machine:
    plant = Plant(d(32, 48), d(2400, 4200), d(80, 200), d(15, 40), d(5, 20))
    value, duration = d.of(30.0, 37.0, 42.0), d(6, 24) * HOUR
    return Machine(
        "incubator",
        (plant,),
        hold(d, duration, value, value + d.of(-4, 2.5)),
        d(19, 24),
        d.of(5.0, 10.0, 30.0),
        duration,
        d.of(0.01, 0.1),
        d(0.01, 0.04),
        start=d.of(None, value),
        output=d.of("percent", "fraction"),
        daily=d(0, 1),
        tempting=("saturation", "sensor_stuck"),
    )


def tec(d: Draw) -> Machine:
    plant = Plant(d(45, 65), d(40, 120), d(2, 5), d(0.4, 1.5), d(0.1, 0.6))
    values, duration = [d(8, 22), d(28, 50), d(10, 45)], d(300, 1200)
    plan = stairs(
        *((duration * k, v) for k, v in zip((0.0, d(0.3, 0.4), d(0.65, 0.75)), values, strict=True))
    )
    return Machine(
        "TEC oven",
        (plant,),
        plan[: d.of(1, 3, 5)],
        d(22, 26),
        d.of(0.1, 0.2, 0.5, 1.0),
        duration,
        d.of(0.001, 0.01),
        d(0.002, 0.01),
        start=d.of(None, values[0]),
        low=-1.0,
        tempting=("oscillation_tuning", "overshoot_tuning"),
    )


def cryostat(d: Draw) -> Machine:
    plant, duration = Plant(d(220, 340), d(500, 900), d(8, 20), d(1, 5), d(1, 4), cold=True), d(1.5, 5) * HOUR
    value = d(30, 120)
    plan = stairs(
        (0.0, value), (duration * d(0.35, 0.45), value + d(5, 30)), (duration * d(0.7, 0.8), value - d(0, 15))
    )
    return Machine(
        "cryostat",
        (plant,),
        plan[: d.of(1, 3, 5)],
        d(2.5, 5),
        d.of(1.0, 2.0, 5.0, 10.0),
        duration,
        d.of(0.001, 0.01),
        d(0.002, 0.02),
        start=d.of(None, value),
        unit="K",
        tempting=("sluggish_tuning", "control_off"),
    )


def water_bath(d: Draw) -> Machine:
    plant = Plant(d(70, 110), d(3000, 6000), d(25, 60), d(8, 20), d(3, 12))
    value, duration = d.of(37.0, 45.0, 60.0, 70.0), d(3, 10) * HOUR
    return Machine(
        "water bath",
        (plant,),
        hold(d, duration, value, value + d.of(-5, 4, 8)),
        d(18, 25),
        d.of(2.0, 5.0, 10.0),
        duration,
        d.of(0.01, 0.1),
        d(0.01, 0.05),
        start=d.of(None, value),
        output=d.of("percent", "fraction"),
        unit=d.of("C", "C", "F"),
        tempting=("control_off", "saturation"),
    )


def air_handler(d: Draw) -> Machine:
    plant = Plant(d(28, 38), d(1.5, 3) * HOUR, d(150, 300), d(60, 150), d(30, 90))
    day, night, days, at = d(20.5, 22.5), d(15, 17.5), int(d(3, 8)), d(5, 7) * HOUR
    points = [(0.0, night)] + [
        p for k in range(days) for p in ((k * DAY + at, day), (k * DAY + at + d(12, 16) * HOUR, night))
    ]
    return Machine(
        "air handler",
        (plant,),
        stairs(*points),
        d(2, 7),
        60.0,
        days * DAY,
        d.of(0.01, 0.1),
        d(0.01, 0.05),
        start=night,
        output=d.of("percent", "fraction"),
        daily=d(2, 4),
        tempting=("ambient_disturbance", "control_off", "saturation"),
    )


def column_oven(d: Draw) -> Machine:
    plants = tuple(Plant(d(60, 90), d(450, 900), d(15, 40), d(4, 10), d(1, 5)) for _ in range(4))
    value, duration = d(32, 45), d(1, 3) * HOUR
    return Machine(
        "HPLC column oven",
        plants,
        hold(d, duration, value, value + 5, idle=False),
        d(20, 25),
        d.of(1.0, 2.0, 5.0),
        duration,
        d.of(0.01, 0.1),
        d(0.01, 0.04),
        start=d.of(None, value, value),
        coupling=0.01,
        spread=d.of(0.0, 4.0),
        tempting=("cross_coupling", "ambient_disturbance"),
    )


def furnace(d: Draw) -> Machine:
    plants = tuple(Plant(d(1300, 1600), d(1500, 2600), d(40, 90), d(5, 15), d(3, 10)) for _ in range(3))
    value, duration, room = d(500, 900), d(3, 7) * HOUR, d(18, 26)
    at = value / d(900, 1500) * HOUR
    plan = [(0.0, room), (at, value), (duration, value)] if d.chance(0.6) else [(0.0, value)]
    return Machine(
        "three-zone furnace",
        plants,
        plan,
        room,
        d.of(2.0, 5.0, 10.0),
        duration,
        d.of(0.1, 1.0),
        d(0.1, 0.4),
        start=None if len(plan) > 1 else value,
        coupling=0.05,
        spread=d.of(0.0, 0.0, 10.0),
        tempting=("cross_coupling", "saturation"),
    )


def reactor(d: Draw) -> Machine:
    vessel = Plant(100.0, d(1200, 2400), d(350, 500), d(10, 25), d(5, 15))
    jacket = Plant(d(150, 190), d(250, 450), d(20, 40), d(5, 10), d(2, 6))
    value, duration = d.of(40.0, 50.0, 60.0), d(5, 10) * HOUR
    return Machine(
        "jacketed reactor",
        (vessel, jacket),
        hold(d, duration, value, value + d.of(-8, 10), idle=False),
        d(19, 24),
        d.of(5.0, 10.0),
        duration,
        d.of(0.01, 0.1),
        d(0.01, 0.04),
        "cascade",
        start=d.of(None, value),
        tempting=("cross_coupling", "sensor_bias", "oscillation_tuning"),
    )


@dataclass
class Story:
    """What happens to each channel at each step; arrays of channels x steps."""

    setpoint: Array
    load: Array  # ° of lift from elsewhere
    blocked: Array  # 1: no output (a defrost)
    health: Array  # share of the heater's lift that is left
    stuck_on: Array
    mode: Array  # 0 automatic, 1 output held, 2 output zero
    added: Array  # ° of the sensor's error
    frozen: Array  # 1: the reading stays
    rail: Array  # what an open sensor reads; inf: not open
    noise: Array
    kp: list[float]  # factors of the good gains
    ti: list[float]
    unwound: bool  # anti-windup
    preset: bool  # a new setpoint sets the integral near where it will rest
    actuator: str  # good, sticks, play, steps, window
    size: float  # of the actuator's fault: share of output, or s of the window
    coupling: Array  # [to, from]


@dataclass(frozen=True)
class Run:
    time: Array  # s
    setpoint: Array
    pv: Array
    output: Array  # share

    def smooth(self, channel: int) -> Array:
        padded = np.pad(self.pv[channel], 2, mode="edge")
        return np.convolve(padded, np.full(5, 0.2), mode="valid")


def quiet_story(m: Machine) -> Story:
    count, channels = int(m.duration / m.step), len(m.plants)
    time, at = np.arange(count) * m.step, np.array(m.plan)
    plan = np.interp(time, at[:, 0], at[:, 1])
    offset = np.arange(channels)[:, None] * m.spread
    load = np.tile(m.daily * np.sin(2 * np.pi * time / DAY), (channels, 1))
    blocked = np.zeros((channels, count))
    for start, stop, lift, block in m.loads:
        inside = (time >= start) & (time < stop)
        load[:, inside] += lift
        blocked[:, inside] = float(block)
    zero, one, near = (
        np.zeros((channels, count)),
        np.ones((channels, count)),
        np.eye(channels, k=1) + np.eye(channels, k=-1),
    )
    return Story(
        np.where(plan == 0, 0.0, plan + offset),
        load,
        blocked,
        one.copy(),
        zero.copy(),
        zero.copy(),
        zero.copy(),
        zero.copy(),
        one * np.inf,
        one * m.noise,
        [1.0] * channels,
        [1.0] * channels,
        True,
        True,
        "good",
        0.0,
        m.coupling * near,
    )


def moved(actuator: str, size: float, wanted: float, now: float, time: float) -> float:
    """Return where the actuator stands, as share of output."""
    if actuator == "sticks":
        return wanted if abs(wanted - now) > size else now
    if actuator == "play":
        return min(max(now, wanted - size), wanted + size)
    if actuator == "steps":
        return round(wanted / size) * size
    return float((time % size) / size < wanted) if actuator == "window" else wanted


def simulate(m: Machine, s: Story, seed: int) -> Run:
    """Return the rows as the machine would log them, before dirt and in the machine's own unit."""
    h, channels, count = m.step, range(len(m.plants)), s.setpoint.shape[1]
    noise = (np.random.default_rng(seed).normal(size=s.noise.shape) * s.noise).tolist()
    setpoints, loads, blocked, health = (
        s.setpoint.tolist(),
        s.load.tolist(),
        s.blocked.tolist(),
        s.health.tolist(),
    )
    stuck_on, mode, added = s.stuck_on.tolist(), s.mode.tolist(), s.added.tolist()
    frozen, rail, coupling = s.frozen.tolist(), s.rail.tolist(), s.coupling.tolist()
    begin = [m.ambient if m.start is None else m.start + c * m.spread for c in channels]
    body, probe, last, slope = begin.copy(), begin.copy(), begin.copy(), [0.0 for _ in channels]
    coldest = min((v for _, v in m.plan if v), default=1.0)
    gains = [p.gains(coldest) for p in m.plants]
    rest_output = [
        min(max(p.loss(t, m.ambient) / p.span, m.low), m.high) for p, t in zip(m.plants, begin, strict=True)
    ]
    integral, out, place, heat = (
        rest_output.copy(),
        rest_output.copy(),
        rest_output.copy(),
        rest_output.copy(),
    )
    if m.control in ("on/off", "manual"):
        out, place, heat = ([0.0 for _ in channels] for _ in range(3))
    pipes = [[place[c]] * (1 + round(p.dead / h)) for c, p in enumerate(m.plants)]
    off_since, before = [-1e9 for _ in channels], [0.0 for _ in channels]
    read, asked = np.empty((len(m.plants), count)), np.empty((len(m.plants), count))
    for k in range(count):
        for c in channels:
            plant = m.plants[c]
            y = probe[c] + noise[c][k] + added[c][k]
            y = last[c] if frozen[c][k] else y if rail[c][k] == math.inf else rail[c][k]
            if m.control == "cascade" and c == 1:
                setpoints[1][k] = m.ambient + out[0] * 100.0
            sp, u = setpoints[c][k], out[c]
            if m.control == "manual":
                u = sp
            elif blocked[c][k] or sp == 0 or mode[c][k] == 2 or y != y:
                u, integral[c] = 0.0, 0.0
            elif m.control == "on/off":
                e = (sp - y) * math.copysign(1.0, plant.span)
                wants = e > m.hysteresis or (u > 0 and e > -m.hysteresis)
                u = m.high if wants and (u > 0 or k * h - off_since[c] >= m.rest) else 0.0
                off_since[c] = k * h if out[c] > 0 and u == 0 else off_since[c]
            elif not mode[c][k]:
                kp, ti = gains[c][0] * s.kp[c], gains[c][1] * s.ti[c]
                e = sp - y
                if s.preset and abs(sp - before[c]) > 0.02 * m.size / m.degrees and (k or m.start is None):
                    integral[c] = 0.95 * plant.loss(sp, m.ambient) / plant.span
                free = kp * e + integral[c]
                u = min(max(free, m.low), m.high)
                if not s.unwound or free == u or (free - u) * e * kp < 0:
                    integral[c] = min(max(integral[c] + kp * e * h / ti, -4.0), 4.0)
            out[c], last[c], before[c] = u, y, sp
            read[c, k], asked[c, k] = y, u
            wanted = moved(s.actuator, s.size, u, place[c], k * h)
            place[c] = m.high if stuck_on[c][k] else wanted
            pipes[c].append(place[c])
            heat[c] += (pipes[c].pop(0) - heat[c]) * h / plant.lag
            lift = (
                body[1] - m.ambient
                if m.control == "cascade" and c == 0
                else plant.span * heat[c] * health[c][k]
            )
            lift += loads[c][k] + sum(g * (body[j] - m.ambient) for j, g in enumerate(coupling[c]) if g)
            slope[c] = (lift - plant.loss(body[c], m.ambient)) / plant.time_constant(body[c])
        for c in channels:
            body[c] += slope[c] * h
            probe[c] += (body[c] - probe[c]) * h / m.plants[c].sensor
    rows = slice(0, None, round(m.period / h))
    slope_of_unit, zero = (1.8, 32.0) if m.unit == "F" else (1.0, 0.0)
    sensor = np.where(np.isinf(s.rail), read * slope_of_unit + zero, read)[:, rows]
    wanted_pv = np.array(setpoints)[:, rows]
    wanted_pv = np.where(wanted_pv == 0, 0.0, wanted_pv * slope_of_unit + zero)
    return Run(np.arange(count)[rows] * h, wanted_pv, np.round(sensor / m.digits) * m.digits, asked[:, rows])


@dataclass(frozen=True)
class Fault:
    name: str
    channel: int  # -1: the device
    first: int  # row
    last: int
    also_fair: tuple[str, ...] = ()
    gap: bool = False  # the rows between are missing


@dataclass
class Case:
    """A machine, what will happen to it, and how it runs without the fault."""

    m: Machine
    s: Story
    twin: Run
    d: Draw
    harder: float  # 1 at the first attempt, more at each that could not be seen

    def __post_init__(self) -> None:
        self.every = round(self.m.period / self.m.step)
        self.count = self.twin.time.size
        self.channel = self.d.of(*range(len(self.m.plants))) if self.m.control != "cascade" else 0
        self.plant = self.m.plants[self.channel]

    def settled(self, rows: slice = slice(None)) -> Array:
        """Return for each row whether the undisturbed loop is at its setpoint."""
        if self.m.control == "manual":
            return np.ones(self.count, bool)[rows]
        sp, pv = self.twin.setpoint[self.channel], self.twin.smooth(self.channel)
        wide = 2.5 * self.m.band if self.m.control == "on/off" else max(self.m.band, 0.02 * self.m.size)
        return np.asarray((np.abs(pv - sp) < wide) & (sp != 0))[rows]

    def onset(self, low: float = 0.2, high: float = 0.6) -> int:
        """Return a row at which the undisturbed loop is at its setpoint; 0 if there is none."""
        rows = np.flatnonzero(self.settled())
        rows = rows[(rows > low * self.count) & (rows < high * self.count)]
        return int(self.d.of(*rows)) if rows.size else 0

    def end(self, at: int) -> int:
        """Return the row after which nothing is commanded any more."""
        off = np.flatnonzero(self.twin.setpoint[self.channel, at:] == 0)
        return at + int(off[0]) if off.size and self.m.control != "manual" else self.count

    def steps(self, first: int, last: int) -> slice:
        return slice(first * self.every, last * self.every)

    def random_end(self, at: int, least: int, low: float, high: float) -> int:
        return min(self.end(at), at + max(least, int(self.d(low, high) * self.count)))

    def fault(self, name: str, first: int, last: int, *also_fair: str, device: bool = False) -> Fault:
        return Fault(name, -1 if device else self.channel, first, last, also_fair)


def sensor_open(k: Case) -> Fault:
    at = k.onset()
    last = k.count if k.d.chance(0.4) else k.random_end(at, 8, 0.03, 0.3)
    k.s.rail[k.channel, k.steps(at, last)] = k.d.of(*RAILS)
    return k.fault("sensor_open", at, last)


def sensor_spike(k: Case) -> Fault:
    at = k.onset(0.1, 0.4)
    rows = np.unique(k.d.rng.integers(at, max(at + 9, k.end(at) - 5), k.d.of(4, 6, 9)))
    size = max(14 * k.m.noise, 8 * k.m.digits, 0.06 * k.m.size, 4 * k.m.band) / k.m.degrees
    for row in rows:
        k.s.added[k.channel, k.steps(row, row + 1)] = k.d.of(-1, 1, 1) * size * k.d(1, 2.5) * k.harder
    return k.fault("sensor_spike", int(rows[0]), int(rows[-1]) + 1)


def bias_step(k: Case) -> Fault:
    at = k.onset()
    size = max(14 * k.m.noise, 8 * k.m.digits / k.m.degrees, 0.05 * k.m.size / k.m.degrees, k.m.band)
    k.s.added[k.channel, at * k.every :] = k.d.of(-1, 1) * size * k.d(1, 2) * k.harder
    return k.fault("sensor_bias", at, k.count)


def bias_drift(k: Case) -> Fault:
    at, single = k.onset(0.2, 0.35), len(k.m.plants) == 1
    last, size = k.end(at), k.d.of(-1, 1, 1, 1) * k.d(0.15, 0.4) * k.m.size / k.m.degrees * k.harder
    rows = k.steps(at, k.count)
    k.s.added[k.channel, rows] = size * np.minimum(
        1, np.linspace(0, (k.count - at) / (last - at), k.s.added[0, rows].size)
    )
    fair = ("heater_degradation",) if size * k.plant.span < 0 else ()
    return k.fault("sensor_bias", at, last, *fair, *(("ambient_disturbance",) if single else ()))


def sensor_stuck(k: Case) -> Fault:
    pv, far = k.twin.smooth(k.channel), k.count // 5
    moving = np.flatnonzero(np.abs(pv[far:] - pv[:-far]) > 0.1 * k.m.size)
    at = int(k.d.of(*moving)) if moving.size and k.d.chance(0.8) else k.onset()
    last = k.random_end(at, 30, 0.15, 0.4)
    k.s.frozen[k.channel, k.steps(at, last)] = 1
    return k.fault("sensor_stuck", at, last)


def sensor_noise(k: Case) -> Fault:
    at = k.onset()
    last = k.random_end(at, 60, 0.25, 0.8)
    size = max(k.d(8, 15) * k.m.noise, 2.5 * k.m.digits / k.m.degrees, 0.5 * k.m.hysteresis)
    k.s.noise[k.channel, k.steps(at, last)] = size * k.harder
    return k.fault("sensor_noise", at, last)


def heater_failure(k: Case) -> Fault:
    k.channel = len(k.m.plants) - 1 if k.m.control == "cascade" else k.channel
    at = k.onset()
    last = k.end(at) if k.d.chance(0.8) else k.random_end(at, 60, 0.2, 0.4)
    k.s.health[k.channel, k.steps(at, k.count if last == k.end(at) else last)] = 0
    return k.fault("heater_failure", at, last)


def runaway(k: Case) -> Fault:
    k.channel = len(k.m.plants) - 1 if k.m.control == "cascade" else k.channel
    plant, at = k.m.plants[k.channel], k.onset()
    left = max(0.2, abs(plant.span) * k.m.high - 0.8 * k.m.size / k.m.degrees)
    slow = plant.time_constant(max((v for _, v in k.m.plan), default=1.0))
    rows = k.d(0.3, 0.8) * k.m.size / k.m.degrees / left * slow / k.m.period
    last = min(k.count, at + max(40, int(rows)))
    k.s.stuck_on[k.channel, k.steps(at, last)] = 1
    return k.fault("runaway_stuck_on", at, min(last, k.end(at)))


def saturation(k: Case) -> Fault:
    worst = max((v for _, v in k.m.plan if v), key=lambda v: abs(v - k.m.ambient)) + k.channel * k.m.spread
    k.s.health[k.channel] = (
        k.d(0.65, 0.92) / k.harder**0.3 * k.plant.loss(worst, k.m.ambient) / (k.plant.span * k.m.high)
    )
    return k.fault("saturation", 0, k.end(k.count // 2))


def degradation(k: Case) -> Fault:
    k.channel = len(k.m.plants) - 1 if k.m.control == "cascade" else k.channel
    at, left = k.onset(0.2, 0.5), k.d(0.45, 0.72) / k.harder**0.3
    ramp = k.d.of(0.001, 0.3, 0.8) * (k.end(at) - at)
    since = np.arange(k.s.health.shape[1]) / k.every - at
    k.s.health[k.channel] = np.interp(since, [0, max(ramp, 1.0)], [1.0, left])
    room = ("ambient_disturbance",) if len(k.m.plants) == 1 else ()
    return k.fault("heater_degradation", at, k.end(at), "sensor_bias", *room)


def control_off(k: Case) -> Fault:
    at = k.onset()
    last = k.random_end(at, 60, 0.3, 0.8)
    k.s.mode[k.channel, k.steps(at, last)] = k.d.of(1, 2)
    return k.fault("control_off", at, last)


def oscillation(k: Case) -> Fault:
    k.s.load *= 0
    if k.d.chance(0.7):
        k.s.kp[k.channel] = k.d(4, 9) * k.harder
    else:
        k.s.kp[k.channel], k.s.ti[k.channel] = k.d(1, 2) * k.harder, k.d(0.02, 0.06)
    return k.fault("oscillation_tuning", 0, k.end(k.count // 2))


def limit_cycle(k: Case) -> Fault:
    k.channel = len(k.m.plants) - 1 if k.m.control == "cascade" else k.channel
    k.s.actuator, k.s.preset = k.d.of("sticks", "play", "steps", "window"), False
    size = {"sticks": (0.06, 0.15), "play": (0.04, 0.12), "steps": (0.08, 0.25), "window": (0.06, 0.15)}
    k.s.load *= 0
    k.s.size = k.harder * k.d(*size[k.s.actuator]) * (k.plant.tau if k.s.actuator == "window" else 1.0)
    return k.fault("limit_cycle_actuator", 0, k.end(k.count // 2))


def overshoot(k: Case) -> Fault:
    k.s.ti[k.channel], k.s.kp[k.channel], k.s.preset = k.d(0.05, 0.25), k.d(0.4, 1.3), False
    return k.fault("overshoot_tuning", 0, k.count)


def windup(k: Case) -> Fault:
    k.s.unwound, k.s.preset, k.s.ti[k.channel] = False, False, k.d(0.4, 1.0)
    return k.fault("integral_windup", 0, k.count)


def sluggish(k: Case) -> Fault:
    kp, ti = k.plant.gains(min(v for _, v in k.m.plan if v))
    k.s.kp[k.channel], k.s.preset = k.d(0.15, 0.5) / abs(kp * k.plant.span), False
    k.s.ti[k.channel] = max(1.0, k.d(0.5, 1.0) * k.plant.tau / ti)
    return k.fault("sluggish_tuning", 0, k.count)


def coupling(k: Case) -> Fault:
    other = k.channel - 1 if k.channel else 1
    k.s.coupling[k.channel, other] = k.d(0.15, 0.4) * k.harder
    times = np.linspace(0.15, 0.95, k.d.of(4, 6, 7)) * k.s.setpoint.shape[1]
    size = k.d(0.1, 0.3) * k.m.size / k.m.degrees
    for n, (start, stop) in enumerate(pairwise(times)):
        k.s.setpoint[other, int(start) : int(stop)] += size * (n % 2 == 0)
    return k.fault("cross_coupling", int(0.15 * k.count), int(0.95 * k.count))


def disturbance(k: Case) -> Fault:
    at, size = k.onset(0.2, 0.75), k.m.size / k.m.degrees
    pulls = k.d(0.5, 1.5) * size * k.harder * -math.copysign(1.0, k.plant.span)
    if k.m.low < 0:
        pulls *= 2
    last = at + max(12, int(k.d(0.03, 0.12) * k.count))
    shape = np.minimum(1, 4 * np.sin(np.linspace(0, np.pi, (last - at) * k.every)))
    k.s.load[:, k.steps(at, last)] += (pulls * shape)[: k.s.load[0, k.steps(at, last)].size]
    return k.fault("ambient_disturbance", at, min(last, k.count - 1), device=True)


def data_gap(k: Case) -> Fault:
    at = k.onset(0.15, 0.6)
    last = at + max(20, int(60 / k.m.period), int(k.d(0.05, 0.25) * k.count))
    return Fault("data_gap", -1, at, min(last, k.count - 20), gap=True)


def error(k: Case, run: Run, f: Fault) -> Array:
    """Return how far the temperature is above the setpoint, as the heater sees it (a cooler: below)."""
    sign = math.copysign(1.0, k.plant.span)
    return np.asarray(sign * (run.smooth(f.channel) - run.setpoint[f.channel])[f.first : f.last])


def swings(k: Case, run: Run, f: Fault) -> tuple[bool, float]:
    """Return whether the temperature swings on and on, and the share of swings with the output at a limit."""
    edges = np.flatnonzero(np.diff(run.setpoint[f.channel], prepend=np.nan, append=np.nan))
    begin = int(edges[np.argmax(np.diff(edges))])  # of the longest stretch with one setpoint
    at = slice(begin + int(np.diff(edges).max() * 0.15), begin + int(np.diff(edges).max()))
    e, out = (run.smooth(f.channel) - run.setpoint[f.channel])[at], run.output[f.channel][at]
    e = e[np.argmax(np.abs(e) < k.m.band) :] if (np.abs(e) < k.m.band).any() else e
    e = e - np.median(e)
    ups = np.flatnonzero((e[:-1] < 0) & (e[1:] >= 0))
    ups = ups[np.insert(np.diff(ups) > 3, 0, True)] if ups.size else ups
    if ups.size < 7 or run.setpoint[f.channel][at].max() == 0:
        return False, 0.0
    heights = [float(np.ptp(e[a:b])) / 2 for a, b in pairwise(ups)]
    lasting = min(np.median(heights[:3]), np.median(heights[-3:])) > 0.6 * np.median(heights)
    out = out[-e.size :]
    at_limit = [
        bool(((out[a:b] >= k.m.high - 0.01) | (out[a:b] <= k.m.low + 0.01)).any()) for a, b in pairwise(ups)
    ]
    big = np.median(heights) > max(1.2 * k.m.band, 6 * k.m.noise * k.m.degrees, 0.008 * k.m.size)
    even = np.std(np.diff(ups)) < 0.4 * np.mean(np.diff(ups))
    return bool(lasting and big and even), float(np.mean(at_limit))


def first_rise(k: Case, run: Run, f: Fault) -> tuple[float, float, int, int] | None:
    """Return size of the first step, overshoot, the row of the crossing, rows for which a limit lasts."""
    sp, pv, out = run.setpoint[f.channel], run.smooth(f.channel), run.output[f.channel]
    edges = np.flatnonzero(np.abs(np.diff(sp, prepend=k.m.ambient)) > 0.05 * k.m.size)
    jumps = [int(j) for j in edges if sp[j] != 0 and abs(sp[j] - pv[j]) > 0.1 * k.m.size]
    if not jumps:
        return None
    at = jumps[0]
    later = np.flatnonzero(sp[at:] != sp[at])
    stop = at + int(later[0]) if later.size else k.count
    way = float(np.sign(sp[at] - pv[at]))
    over = way * (pv[at:stop] - sp[at])
    crossed = np.flatnonzero(over > 0)
    if not crossed.size:
        return abs(sp[at] - pv[at]), 0.0, stop, 0
    c = at + int(crossed[0])
    limit = k.m.high if way > 0 else k.m.low
    free = np.flatnonzero(np.abs(out[c:stop] - limit) > 0.01)
    return abs(sp[at] - pv[at]), float(over.max()), c, int(free[0]) if free.size else stop - c


def visible(k: Case, run: Run, f: Fault) -> bool:
    """Return whether a good engineer who looks at the plot would see the fault."""
    c, m, rows = f.channel, k.m, slice(f.first, f.last)
    if f.name == "ambient_disturbance":
        near = slice(max(0, 2 * f.first - f.last), 2 * f.last - f.first)
        usual = slice(int(np.argmax(k.settled())), None) if m.control == "on/off" else near
        now, before = (run.pv - run.setpoint)[:, near], (k.twin.pv - k.twin.setpoint)[:, usual]
        beyond = np.maximum(now.max(axis=1) - before.max(axis=1), before.min(axis=1) - now.min(axis=1))
        return bool((beyond > max(3 * m.band, 0.03 * m.size)).all())
    if f.name in ("data_gap", "sensor_open"):
        return f.last - f.first >= 8
    away, out, size = error(k, run, f), run.output[c][rows], f.last - f.first
    rate = float(np.quantile(np.abs(np.diff(k.twin.pv[c])), 0.995))
    if size < 8:
        return False
    if f.name == "sensor_spike":
        pv = run.pv[c]
        jumps = [
            min(abs(pv[r] - pv[r - 1]), abs(pv[r] - pv[r + 1]))
            for r in range(f.first, f.last)
            if k.s.added[c, r * k.every]
        ]
        return len(jumps) >= 3 and bool(min(jumps) > max(4 * rate, 2.5 * m.band))
    if f.name == "sensor_bias" and np.ptp(k.s.added[c][k.steps(f.first, f.last)]) == 0:
        return bool(abs(run.pv[c][f.first] - run.pv[c][f.first - 1]) > max(4 * rate, m.band))
    late = slice(max(f.first, f.last - size // 6), f.last)
    if f.name in ("sensor_bias", "heater_degradation"):
        early = slice(max(0, f.first - size // 6), f.first)
        after, prior = float(run.output[c][late].mean()), float(run.output[c][early].mean())
        if np.ptp(run.setpoint[c][early.start : f.last]) > 0 or k.settled(early).mean() < 0.9:
            return False
        at_rest = abs(float((run.pv - run.setpoint)[c][late].mean())) < max(m.band, 0.03 * m.size)
        changed = abs(after - prior) > max(0.25 * abs(prior), 0.06)
        return at_rest and changed and m.low + 0.03 < after < 0.95 * m.high
    if f.name == "sensor_stuck":
        sp = np.ptp(run.setpoint[c][rows]) if m.control != "manual" else 0.0
        return size >= 30 and bool(
            max(sp, float(np.ptp(k.twin.smooth(c)[rows]))) > max(5 * m.band, 0.03 * m.size)
            or (
                np.ptp(out) > 0.15 * m.high
                and m.control in ("pid", "cascade")
                and np.ptp(k.twin.pv[c][rows]) > 3 * m.digits
            )
        )
    if f.name == "sensor_noise":

        def rough(r: Run) -> float:
            return float(np.std(np.diff(r.pv[c][rows], n=2)))

        return size >= 60 and rough(run) > max(5 * rough(k.twin), 4 * m.digits)
    half, limit = slice(size // 2, None), max(8 * m.band, 0.05 * m.size)
    if f.name == "heater_failure":
        return away[-1] < -limit and bool(np.mean(out[half] >= 0.99 * m.high) > 0.95)
    if f.name == "runaway_stuck_on":
        return away[-1] > limit and bool(np.mean(out[half] <= m.low + 0.01) > 0.95)
    if f.name == "saturation":
        rest = slice(int(0.7 * size), None)
        flat = abs(away[-1] - away[rest][0]) < 0.3 * abs(away[-1])
        return (
            away[-1] < -max(5 * m.band, 0.04 * m.size)
            and flat
            and bool(np.mean(out[half] >= 0.99 * m.high) > 0.9)
        )
    if f.name == "control_off":
        held = np.ptp(out[2:]) == 0 and (out[-1] < 0.95 * m.high)
        return bool(held and np.mean(np.abs(away) > limit) > 0.5)
    if f.name in ("oscillation_tuning", "limit_cycle_actuator"):
        lasting, at_limit = swings(k, run, f)
        return lasting and (at_limit > 0.8 if f.name == "oscillation_tuning" else at_limit == 0)
    if f.name == "cross_coupling":
        far = run.smooth(c)[rows] - k.twin.smooth(c)[rows]
        alone = np.ptp(run.setpoint[c][rows]) == 0 and k.settled(rows).mean() > 0.9
        return bool(alone and np.ptp(far) > max(4 * m.band, 0.015 * m.size))
    rise, good = first_rise(k, run, f), first_rise(k, k.twin, f)
    if rise is None or good is None or swings(k, run, f)[0]:
        return False
    step, over, crossing, pinned = rise
    if f.name == "sluggish_tuning":
        start = f.first + int(np.argmax(run.setpoint[c] != 0))
        calm = float(np.mean(run.output[c][start:crossing] >= 0.98 * m.high)) < 0.02
        return calm and over < 0.08 * step and crossing - start > max(4 * (good[2] - start), 60)
    plain = over > max(6 * m.band, 0.12 * step) and over > 3 * good[1]
    return plain and (pinned >= 4 if f.name == "integral_windup" else pinned <= 1)


PID = (
    hot_end,
    bed,
    espresso,
    incubator,
    tec,
    cryostat,
    water_bath,
    air_handler,
    column_oven,
    furnace,
    reactor,
)
SWITCHED = (oven, fermenter, freezer)
ALL = (*PID, *SWITCHED, reflow, kiln, roaster)
MANY, ONE_SIDED = (column_oven, furnace), tuple(machine for machine in PID if machine is not tec)
FAULTS: dict[str, tuple[tuple[Callable[[Case], Fault], ...], tuple[Callable[[Draw], Machine], ...]]] = {
    "sensor_open": ((sensor_open,), ALL),
    "sensor_spike": ((sensor_spike,), ALL),
    "sensor_bias": ((bias_step, bias_drift), (*PID, freezer)),
    "sensor_stuck": ((sensor_stuck,), ALL),
    "sensor_noise": ((sensor_noise,), ALL),
    "heater_failure": ((heater_failure,), (*PID, *SWITCHED, kiln)),
    "runaway_stuck_on": ((runaway,), (*PID, *SWITCHED, kiln)),
    "saturation": (
        (saturation,),
        (hot_end, bed, oven, incubator, tec, cryostat, water_bath, furnace, fermenter, freezer),
    ),
    "heater_degradation": ((degradation,), (*PID, oven)),
    "control_off": ((control_off,), (*ONE_SIDED, tec, kiln)),
    "oscillation_tuning": ((oscillation,), PID),
    "limit_cycle_actuator": ((limit_cycle,), PID),
    "overshoot_tuning": (
        (overshoot,),
        (hot_end, bed, incubator, tec, cryostat, water_bath, column_oven, reactor),
    ),
    "integral_windup": (
        (windup,),
        (hot_end, bed, espresso, incubator, tec, cryostat, water_bath, column_oven),
    ),
    "sluggish_tuning": (
        (sluggish,),
        (hot_end, bed, incubator, tec, cryostat, water_bath, column_oven, furnace),
    ),
    "cross_coupling": ((coupling,), MANY),
    "ambient_disturbance": (
        (disturbance,),
        (*MANY, incubator, oven, freezer, water_bath, hot_end, tec, air_handler),
    ),
    "data_gap": ((data_gap,), ALL),
}


def attempt(
    m: Machine, make: Callable[[Case], Fault] | None, d: Draw, harder: float
) -> tuple[Run, Fault | None] | None:
    """Return the run and its fault, or nothing where the fault could not be seen."""
    seed = int(d.rng.integers(2**31))
    twin = simulate(m, quiet_story(m), seed)
    case = Case(m, quiet_story(m), twin, d, harder)
    if make is None:
        rise = (
            first_rise(case, twin, Fault("healthy", 0, 0, case.count))
            if m.control in ("pid", "cascade")
            else None
        )
        return (twin, None) if rise is None or rise[1] < max(0.05 * rise[0], 2 * m.band) else None
    if not case.settled(slice(case.count // 5, 3 * case.count // 5)).any():
        return None
    fault = make(case)
    run = simulate(m, case.s, seed)
    return (run, fault) if visible(case, run, fault) else None


def made(seed: int, number: int, name: str, turn: int) -> tuple[Machine, Run, Fault | None, Draw]:
    """Return log `number`: the first draw, over machines and ever harder, in which the fault can be seen."""
    makers, machines = FAULTS.get(name, ((), ALL))
    turn += 5 * list(FAULTS).index(name) + seed if makers else seed
    for trial in range(120):
        d = Draw(seed, number, trial)
        m = machines[(turn + trial // 15) % len(machines)](d)
        make = makers[(turn // 2 + turn + trial) % len(makers)] if makers else None
        if (done := attempt(m, make, d, 1 + 0.06 * (trial % 15))) is not None:
            return m, *done, d
    raise RuntimeError(f"{name}: not to be seen on any machine in 120 draws; make it larger")


def written(folder: Path, seed: int, order: tuple[int, str, int]) -> dict[str, object]:
    """Write one log and return its row of the truth."""
    number, name, turn = order
    m, run, fault, d = made(seed, number, name, turn)
    keep = np.ones(run.time.size, bool)
    if fault and fault.gap:
        keep[fault.first : fault.last] = False
    if fault and fault.name == "runaway_stuck_on" and d.chance(0.5):
        keep[fault.last :] = False
    for at in d.rng.integers(10, keep.size - 10, d.of(0, 0, 0, 2)):  # a busy host skips a few rows
        keep[at : at + d.of(1, 2, 3)] = False
    clock = run.time + (d.rng.uniform(0, 0.03, run.time.size) * m.period if d.chance(0.4) else 0)
    output = m.output if m.control != "manual" else "percent"
    scale, places = {"fraction": (1, 3), "percent": (100, d.of(0, 1, 2)), "byte": (255, 0), "onoff": (1, 0)}[
        output
    ]
    words = d.of(("OFF", "ON"), ("0", "1")) if output == "onoff" else None
    degrees = max(0, round(-math.log10(m.digits)) + (m.digits == 0.25))
    sp_name, pv_name, out_name = (
        d.of(*HEADS["setpoint"]),
        d.of(*HEADS["pv"]),
        d.of(*HEADS["output"][:5]),
    )
    if "freezer" in m.name or "ferment" in m.name:
        out_name = d.of("compressor", "cooling", "output")
    several = len(m.plants) > 1
    names = [
        n + (str(c + 1) if several else "")
        for c in range(len(m.plants))
        for n in (sp_name, pv_name, out_name)
    ]
    style, begin = (
        d.of("elapsed", "clock", "epoch"),
        datetime(2025, 3, 3, 8, 12) + timedelta(seconds=int(d(0, 2e7))),
    )
    head = {
        "elapsed": d.of("time", "elapsed", "seconds"),
        "clock": d.of("time", "datetime"),
        "epoch": "timestamp",
    }[style]
    shown = [n for n in names if m.control != "manual" or not n.startswith(sp_name)]
    lines, blank = [",".join([head, *shown])], d.of(0, 0, 0, 0, 0, 1, 2)
    for row in np.flatnonzero(keep).tolist():
        t = float(clock[row])
        when = {
            "elapsed": f"{t:.2f}",
            "clock": (begin + timedelta(seconds=t)).isoformat(" ", "milliseconds"),
            "epoch": f"{begin.timestamp() + t:.2f}",
        }[style]
        cells = [when]
        for c in range(len(m.plants)):
            u, empty = float(run.output[c, row]), row < blank
            if m.control != "manual":
                cells.append("0" if empty else f"{run.setpoint[c, row]:.{min(degrees, 2)}f}")
            cells.append("0" if empty else f"{run.pv[c, row]:.{degrees}f}")
            cells.append(words[int(u > 0)] if words else "0" if empty else f"{u * scale:.{places}f}")
        lines.append(",".join(cells))
    file = f"{number:03d}.csv"
    (folder / file).write_text("\n".join(lines) + "\n")
    last = run.time[min(fault.last, run.time.size - 1)] if fault else 0.0
    faults = (
        [
            {
                "class": fault.name,
                "channel": "all" if fault.channel < 0 else fault.channel + 1,
                "from": round(float(run.time[fault.first]), 2),
                "to": round(float(last), 2),
            }
        ]
        if fault
        else []
    )
    row_of_truth = {
        "file": file,
        "machine": m.name,
        "kind": m.control,
        "unit": m.unit,
        "period": m.period,
        "faults": faults,
    }
    if fault:
        return row_of_truth | {"also_fair": list(fault.also_fair)}
    return row_of_truth | {"must_not_say": list(m.tempting)}


def write_logs(folder: Path, logs: int, seed: int) -> list[dict[str, object]]:
    """Write the logs and truth.jsonl into `folder`; return the rows of the truth."""
    folder.mkdir(parents=True, exist_ok=True)
    ill = logs - round(HEALTHY * logs)
    deck = [(list(FAULTS)[n % len(FAULTS)], n // len(FAULTS)) for n in range(ill)]
    deck += [("healthy", n) for n in range(logs - ill)]
    order = np.random.default_rng(seed).permutation(logs).tolist()
    orders = [(number, *deck[n]) for number, n in enumerate(order)]
    with ProcessPoolExecutor(2) as pool:
        truth = list(pool.map(partial(written, folder, seed), orders, chunksize=4))
    (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    return truth


def leave_out(path: Path, field: str) -> None:
    """Write the log at `path` anew, as a logger without `field` would; "words": its heads are its own."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if field == "heads":
        table.to_csv(path, index=False, header=False)
        return
    if field == "words":
        own = {"setpoint": "T_want", "pv": "T_proc"}
        heads = {word: own[role] for role in own for word in HEADS[role]}
        parts = {name: re.fullmatch(r"(.*?)(\d*)", str(name)) for name in table}
        renamed = {name: heads.get(part[1], part[1]) + part[2] for name, part in parts.items() if part}
        table.rename(columns=renamed).to_csv(path, index=False)
        return
    absent = [name for name in table if str(name).rstrip("0123456789") in HEADS[field]]
    table.drop(columns=absent).to_csv(path, index=False)


def first_named(path: Path) -> str:
    """Return the first fault that is named for a log: healthy if none, or refused."""
    try:
        named = [finding.fault for finding in diagnose(read_log(path)).findings]
    except InstrumentGPTError:
        return "refused"
    faults = [name for name in named if name not in QUIET]
    return faults[0] if faults else "data_gap" if "data_gap" in named else "healthy"


def report(truth: list[dict[str, object]], said: list[str]) -> str:
    """Return recall, precision and F1 of each class by the fault first named, and what was said instead."""
    lines, found = [], {}
    known = [row["faults"][0]["class"] if row["faults"] else "healthy" for row in truth]  # type: ignore[index]
    fair = [name in (row.get("also_fair") or ()) for row, name in zip(truth, said, strict=True)]  # type: ignore[operator]
    heard = [
        k if ok else "healthy" if s == "data_gap" != k or s == "refused" else s
        for k, s, ok in zip(known, said, fair, strict=True)
    ]
    lines.append(f"{'class':22}{'logs':>5}{'recall':>8}{'precision':>11}{'F1':>6}")
    for name in FAULTS:
        right = sum(k == h == name for k, h in zip(known, heard, strict=True))
        logs, named = known.count(name), heard.count(name)
        found[name] = 2 * right / (logs + named) if logs + named else math.nan
        lines.append(
            f"{name:22}{logs:5}{right / max(1, logs):8.2f}{right / max(1, named):11.2f}{found[name]:6.2f}"
        )
    lowest = min(found, key=lambda name: found[name])
    critical = [k == h for k, h in zip(known, heard, strict=True) if k in CRITICAL]
    alarms = [h != "healthy" for k, h in zip(known, heard, strict=True) if k == "healthy"]
    first = [k == h for k, h in zip(known, heard, strict=True) if k != "healthy"]
    lines.append(f"macro-F1 {np.nanmean(list(found.values())):.3f}, lowest {lowest} {found[lowest]:.2f}")
    lines.append(
        f"first-named right {sum(first)} of {len(first)} = {np.mean(first):.1%}; "
        f"critical recall {np.mean(critical):.1%} of {len(critical)}"
    )
    lines.append(
        f"healthy logs alarmed {sum(alarms)} of {len(alarms)} = {np.mean(alarms):.1%}; "
        f"refused {said.count('refused')}"
    )
    wrong = Counter(
        (str(row["machine"]), f"{k} -> {s}")
        for row, k, h, s in zip(truth, known, heard, said, strict=True)
        if k != h
    )
    lines += [
        f"{n:3}  {machine:22}{which}"
        for (machine, which), n in sorted(wrong.items(), key=lambda w: (-w[1], w[0]))
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="write the logs and truth.jsonl here")
    parser.add_argument("--score", action="store_true", help="diagnose the logs (also without --out)")
    parser.add_argument("--logs", type=int, default=320)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--without", choices=("setpoint", "output", "words", "heads"), help="leave this out of the logs"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.out or Path(scratch)
        truth = write_logs(folder, given.logs, given.seed)
        paths = [folder / str(row["file"]) for row in truth]
        for path in paths if given.without else ():
            leave_out(path, given.without)
        if given.out and not given.score:
            return
        with ProcessPoolExecutor(2) as pool:
            said = list(pool.map(first_named, paths, chunksize=4))
    print(report(truth, said))


if __name__ == "__main__":
    main()
