"""Logs of simulated loops with one known fault each, for the tests of the checks and of their wording."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from demo.simulated_loop import Controller, Event, Plant, Steps, simulate
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.record import EVENT_COLUMNS

PLANT = Plant(gain=1.0, tau1=180.0, tau2=5.0, dead_time=4.0, noise=0.01)
CONTROLLER = Controller(kp=8.0, ki=0.06)
HELD = 60.0  # °C
ONSET = 900.0  # s
END = 1800.0  # s
FAULTY = 2  # the channel that has the fault


def samples_of(
    channel: int = FAULTY,
    plant: Plant = PLANT,
    controller: Controller = CONTROLLER,
    setpoint: float | Steps = HELD,
    events: Sequence[Event] = (),
    duration: float = END,
    period: float = 1.0,
    output_digits: int = 1,
) -> pd.DataFrame:
    """Return the samples that a log of one loop carries, the output rounded as a log rounds it."""
    run = simulate(plant, controller, setpoint, duration, period, seed=channel, events=events)
    columns = {"time": run.time, "channel": channel, "setpoint": run.setpoint, "pv": run.pv}
    gains = {"kp": controller.kp, "ki": controller.ki, "kd": controller.kd}
    return pd.DataFrame({**columns, "output": run.output.round(output_digits), **gains})


def log_of(*channels: pd.DataFrame, events: Sequence[tuple[float, str]] = (), **fields: object) -> Log:
    """Return the log of `channels`, every sample on a line of its own, with other lines between."""
    samples = pd.concat(channels).sort_values("time", kind="stable").reset_index(drop=True)
    samples["line"] = np.arange(len(samples)) * 2 + 1
    lines = pd.DataFrame(
        [
            (time, "info", "Door", text, int(np.searchsorted(samples["time"], time)) * 2)
            for time, text in events
        ],
        columns=list(EVENT_COLUMNS),
    )
    start = pd.Timestamp("2026-02-19 23:24:45.390")
    log = Log(
        Path("some.log"), "some.log", "test", samples, start, 2 * len(samples), load_events=lambda: lines
    )
    return replace(log, **fields)  # type: ignore[arg-type]


def quiet(channel: int, **changes: object) -> pd.DataFrame:
    """Return a healthy channel that holds."""
    return samples_of(channel, **changes)  # type: ignore[arg-type]


def among_quiet(faulty: pd.DataFrame, **fields: object) -> Log:
    """Return a log of `faulty` between two channels that hold."""
    return log_of(quiet(1), faulty, quiet(3), **fields)


@dataclass(frozen=True, eq=False)
class Case:
    """A log with a known fault: its class, the channel that has it (None: all), and when it began (s)."""

    log: Log
    fault: str
    channel: int | None = FAULTY
    onset: float = ONSET


def _until_end(kind: str, value: float, start: float = ONSET) -> list[Event]:
    return [Event(kind, start, math.inf, value)]  # type: ignore[arg-type]


def insufficient_data() -> Case:
    return Case(among_quiet_short(), "insufficient_data", None, 0.0)


def among_quiet_short() -> Log:
    return log_of(*(quiet(channel, duration=40.0) for channel in (1, 2, 3)))


def data_gap() -> Case:
    whole = [quiet(channel) for channel in (1, 2, 3)]
    holed = [frame[(frame["time"] <= ONSET) | (frame["time"] > ONSET + 80)] for frame in whole]
    return Case(log_of(*holed), "data_gap", None)


def sensor_open() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("sensor", 850.0))), "sensor_open")


def sensor_spike() -> Case:
    return Case(
        among_quiet(samples_of(events=[Event("bias", ONSET, ONSET + 2, 15.0, every=200)])), "sensor_spike"
    )


def sensor_step() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("bias", -9.0))), "sensor_bias")


def sensor_drift() -> Case:
    drift = [Event("bias", ONSET + 6 * k, ONSET + 6 * k + 6, 0.06 * k) for k in range(150)]
    return Case(among_quiet(samples_of(events=drift)), "sensor_bias")


def sensor_stuck() -> Case:
    stuck = samples_of(setpoint=[(0.0, HELD), (ONSET + 60, HELD + 8)], events=_until_end("sensor", 60.02))
    return Case(among_quiet(stuck), "sensor_stuck")


def sensor_noise() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("noise", 25.0))), "sensor_noise")


def sensors_swapped() -> Case:
    """Each of two loops reads the other's sensor, and heats the other's plant."""
    noise, warm, integral, rows = (
        np.random.default_rng(1).normal(0, 0.05, (600, 2)),
        [22.0, 22.0],
        [0.0, 0.0],
        [],
    )
    for n, (one, other) in enumerate(noise):
        read, asked = (warm[1] + one, warm[0] + other), (HELD, HELD - 15.0 * (n > 400))
        errors = [setpoint - pv for setpoint, pv in zip(asked, read, strict=True)]
        integral = [min(100.0, max(0.0, i + 0.1 * e)) for i, e in zip(integral, errors, strict=True)]
        powers = [min(100.0, max(0.0, 8.0 * e + i)) for e, i in zip(errors, integral, strict=True)]
        warm = [pv + 3.0 / 180.0 * (22.0 + power - pv) for pv, power in zip(warm, powers, strict=True)]
        for channel in (0, 1):
            values = (asked[channel], round(read[channel], 2), round(powers[channel], 1))
            rows.append((n * 3.0, channel + 1, *values, 8.0, 0.03, 0.0))
    columns = ["time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd"]
    return Case(log_of(pd.DataFrame(rows, columns=columns)), "sensors_swapped", None, 0.0)


def heater_failure() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("heater", 0.0))), "heater_failure")


def runaway() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("load", 60.0))), "runaway_stuck_on")


def control_off() -> Case:
    off = samples_of(setpoint=[(0.0, HELD), (ONSET + 20, HELD + 8)], events=_until_end("output", 38.0))
    return Case(among_quiet(off), "control_off")


def saturation() -> Case:
    weak = replace(PLANT, gain=0.5)
    return Case(
        among_quiet(samples_of(plant=weak, setpoint=[(0.0, 50.0), (300.0, 85.0)])), "saturation", onset=300.0
    )


def ambient_disturbance() -> Case:
    opened = [Event("load", ONSET, ONSET + 90, -14.0)]
    channels = [samples_of(channel, events=opened) for channel in (1, 2, 3, 4)]
    doors = [(ONSET - 1.0, "state closed -> open"), (ONSET + 90.0, "state open -> closed")]
    return Case(log_of(*channels, events=doors), "ambient_disturbance", None)


def cross_coupling() -> Case:
    times = (300.0, 700.0, 1100.0, 1500.0)
    steps = [(0.0, HELD), *((time, HELD + 12 * (k % 2 == 0)) for k, time in enumerate(times))]
    heat = [Event("load", time, time + 400, 6.0) for time in times[::2]]
    return Case(
        log_of(quiet(1), samples_of(events=heat), samples_of(3, setpoint=steps)),
        "cross_coupling",
        onset=300.0,
    )


def oscillation_tuning() -> Case:
    return Case(among_quiet(samples_of(controller=Controller(45.0, 2.0))), "oscillation_tuning", onset=0.0)


def limit_cycle_actuator() -> Case:
    coarse = samples_of(controller=replace(CONTROLLER, actuator_step=25.0))
    return Case(among_quiet(coarse), "limit_cycle_actuator", onset=0.0)


def integral_windup() -> Case:
    wound = Controller(8.0, 0.06, anti_windup=False, windup_limit=400.0)
    stepped = samples_of(controller=wound, setpoint=[(0.0, 40.0), (300.0, 75.0)])
    return Case(among_quiet(stepped), "integral_windup", onset=300.0)


def overshoot_tuning() -> Case:
    stepped = samples_of(controller=Controller(5.0, 0.2), setpoint=[(0.0, 50.0), (300.0, 60.0)])
    return Case(among_quiet(stepped), "overshoot_tuning", onset=300.0)


def proportional_offset() -> Case:
    stepped = samples_of(controller=Controller(8.0, 0.0), setpoint=[(0.0, 50.0), (300.0, 60.0)])
    return Case(among_quiet(stepped), "proportional_offset", onset=340.0)


def sluggish_tuning() -> Case:
    stepped = samples_of(controller=Controller(0.8, 0.006), setpoint=[(0.0, 50.0), (300.0, 65.0)])
    return Case(among_quiet(stepped), "sluggish_tuning", onset=300.0)


def heater_degradation() -> Case:
    return Case(among_quiet(samples_of(events=_until_end("heater", 0.7))), "heater_degradation")


def thermostat(power: Floats, cools: bool = False, half: Floats | float = 0.5, rest: int = 0) -> Log:
    """Return a log of an on/off loop, a sample every 5 s.

    power  degrees of lift
    half   half of its differential, °C
    rest   samples that it stays off, at the least
    """
    sign, pv, on, off_for, rows = (-1.0 if cools else 1.0), 25.0, False, rest, []
    for n, (lift, half_band) in enumerate(zip(power, np.broadcast_to(half, len(power)), strict=True)):
        target = 0.0 if cools else 60.0
        error = sign * (target - pv)
        on = (error > half_band and (on or off_for >= rest)) or (on and error > -half_band)
        off_for = 0 if on else off_for + 1
        rows.append((n * 5.0, 1, target, round(pv, 2), 100.0 * on, np.nan, np.nan, np.nan))
        pv += 5.0 / 600.0 * (25.0 + sign * lift * on - pv)
    columns = ["time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd"]
    return log_of(pd.DataFrame(rows, columns=columns))


def short_cycling() -> Case:
    log = thermostat(np.full(6000, 70.0), half=np.where(np.arange(6000) < 3000, 1.5, 0.3))
    return Case(log, "short_cycling", 1, 15_000.0)


def healthy() -> Case:
    return Case(log_of(*(quiet(channel) for channel in (1, 2, 3))), "healthy", 1, 0.0)


MAKERS: Mapping[str, Callable[[], Case]] = {
    maker.__name__: maker
    for maker in (
        *(insufficient_data, data_gap, sensor_open, sensor_spike, sensor_step, sensor_drift, sensor_stuck),
        *(
            sensor_noise,
            sensors_swapped,
            heater_failure,
            runaway,
            control_off,
            saturation,
            ambient_disturbance,
            cross_coupling,
        ),
        *(oscillation_tuning, limit_cycle_actuator, integral_windup, overshoot_tuning, sluggish_tuning),
        *(proportional_offset, short_cycling),
        *(heater_degradation, healthy),
    )
}


def written(name: str, folder: Path) -> Path:
    """Return the path of a table in `folder` that holds the log of `MAKERS[name]`."""
    path = folder / f"{name}.csv"
    case(name).log.samples.drop(columns="line").to_csv(path, index=False)
    return path


@cache
def case(name: str) -> Case:
    """Return the log of `MAKERS[name]`, simulated once."""
    return MAKERS[name]()


@cache
def diagnosed(name: str) -> Diagnosis:
    """Return the diagnosis of `case(name)`."""
    return diagnose(case(name).log)
