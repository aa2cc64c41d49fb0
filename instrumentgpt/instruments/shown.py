"""Logs in the unit that people chose: judged as their files have them, shown and told in that unit.

Gains stay per unit of the file, since they are set on its controller.
"""

from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis.own_units import CELSIUS, converted
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.reading.record import Log
from instrumentgpt.instruments.reading.spoken import UNITS

AUTO = "auto"  # each log in its own
CHOICES = (AUTO, *CELSIUS)


def shown_in(log: Log, unit: str) -> Log:
    """Return `log` with all of its temperatures in `unit` ("°F", "F", …); as it is for `AUTO`."""
    unit = UNITS.get(unit.lower(), unit)
    channels = log.samples["channel"]
    logged = {number: log.unit_of(number) for number in map(int, channels.unique())}
    temperatures = {number: native for number, native in logged.items() if {native, unit} <= CELSIUS.keys()}
    away = {number: native for number, native in temperatures.items() if native != unit}
    if not away:
        return log
    samples = log.samples.copy()
    for native in set(away.values()):
        rows = channels.isin([number for number, other in away.items() if other == native])
        for name in ("setpoint", "pv"):
            values = samples[name].to_numpy(dtype=float, copy=True)
            values[rows] = converted(values[rows], native, unit)
            samples[name] = values
    others = {number: native for number, native in logged.items() if number not in away and native != unit}
    main = unit if log.unit in CELSIUS else log.unit
    return replace(
        log,
        samples=samples,
        unit=main,
        channel_units={**others, **({} if main == unit else dict.fromkeys(away, unit))},
        logged_units={**away, **log.logged_units},
        notes=(*log.notes, f"shown in {unit}; its file is in {', '.join(sorted(set(away.values())))}"),
    )


def shown_per_logged(log: Log, channel: int) -> float:
    """Return how many of the shown units a difference of one unit of the file is."""
    shown, logged = log.unit_of(channel), log.logged_unit_of(channel)
    return 1.0 if shown == logged else CELSIUS[logged][0] / CELSIUS[shown][0]


def shown_zero(log: Log, channel: int) -> float:
    """Return what a 0 in the file is shown as."""
    return float(converted(np.zeros(1), log.logged_unit_of(channel), log.unit_of(channel))[0])


def as_logged(loop: Loop, log: Log) -> Loop:
    """Return `loop` of `log` in the unit of its file, which its gains are per."""
    shown, logged = log.unit_of(loop.channel), log.logged_unit_of(loop.channel)
    pv, setpoint = (converted(values, shown, logged) for values in (loop.pv, loop.setpoint))
    return replace(loop, pv=pv, setpoint=setpoint)
