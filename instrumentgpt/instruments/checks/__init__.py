"""The checks, in the order in which their faults explain one another away.

To add one: a function here or in a module beside, an entry in `CHECKS`, its sentences in faults.toml.
docs/add-a-check.md shows it step by step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from instrumentgpt.instruments.analysis.kind import DRIVES, Drive
from instrumentgpt.instruments.analysis.study import Study
from instrumentgpt.instruments.checks import (
    actuator,
    disturbances,
    heater,
    noise,
    oscillation,
    record,
    response,
    sensor,
    slow,
    switching,
    wiring,
)
from instrumentgpt.instruments.findings import Finding

LEVEL, ASKED = ("level", "output"), ("setpoint", "output")  # what was held; what was asked, and when


@dataclass(frozen=True)
class Check:
    """A check and what it needs to judge.

    find   takes the study and the findings of the checks before it
    fault  the class it reports
    needs  fields without which its verdict is withheld: "setpoint", "output", "period"; "level": a setpoint,
           or the level that the loop holds where the log has none
    thermal_only  its limits are those of heating or cooling: silent where pv is no temperature
    drives  the kinds of loop it speaks for: what is a fault of a continuous loop is how an on/off loop works
    """

    find: Callable[[Study, Sequence[Finding]], list[Finding]]
    fault: str
    needs: tuple[str, ...] = LEVEL
    thermal_only: bool = False
    drives: tuple[Drive, ...] = ("continuous", "unseen")


SWITCHED: tuple[Drive, ...] = ("continuous", "on_off", "unseen")
HEAT = True  # thermal only
CHECKS: dict[str, Check] = {
    "insufficient_data": Check(record.insufficient_data, "insufficient_data", (), drives=DRIVES),
    "data_gap": Check(record.data_gap, "data_gap", ("period",), drives=DRIVES),
    "sensor_open": Check(sensor.sensor_open, "sensor_open", (), drives=DRIVES),
    "sensor_spike": Check(sensor.sensor_spike, "sensor_spike", (), drives=DRIVES),
    "sensor_stuck": Check(sensor.sensor_stuck, "sensor_stuck", (), drives=DRIVES),
    "sensor_step": Check(sensor.sensor_step, "sensor_bias", ("level",), HEAT, DRIVES),
    "sensor_reference": Check(slow.left_reference, "sensor_bias", ("level",), drives=SWITCHED),
    "sensor_noise": Check(noise.sensor_noise, "sensor_noise", (), drives=DRIVES),
    "sensors_swapped": Check(wiring.sensors_swapped, "sensors_swapped", ASKED, drives=SWITCHED[:2]),
    "action_reversed": Check(wiring.action_reversed, "sensors_swapped", ASKED),
    "position_left": Check(actuator.position_left, "limit_cycle_actuator", (), drives=DRIVES),
    "heater_failure": Check(heater.heater_failure, "heater_failure", drives=SWITCHED),
    "runaway_stuck_on": Check(heater.runaway_stuck_on, "runaway_stuck_on", LEVEL, HEAT, SWITCHED),
    "control_off": Check(response.control_off, "control_off", ASKED),
    "saturation": Check(heater.saturation, "saturation", drives=SWITCHED),
    "ambient_disturbance": Check(disturbances.ambient_disturbance, "ambient_disturbance", ("level",), HEAT),
    "cross_coupling": Check(disturbances.cross_coupling, "cross_coupling", ("level",), HEAT),
    "short_cycling": Check(switching.short_cycling, "short_cycling", ("output", "period"), HEAT, ("on_off",)),
    "oscillation_tuning": Check(oscillation.oscillation_tuning, "oscillation_tuning", ("output",)),
    "limit_cycle_actuator": Check(oscillation.limit_cycle_actuator, "limit_cycle_actuator", ("output",)),
    "integral_windup": Check(
        partial(response.went_past, fault="integral_windup"), "integral_windup", LEVEL, HEAT
    ),
    "proportional_offset": Check(response.proportional_offset, "proportional_offset", ASKED, HEAT),
    "sluggish_tuning": Check(response.sluggish_tuning, "sluggish_tuning", ASKED, HEAT),
    "overshoot_tuning": Check(
        partial(response.went_past, fault="overshoot_tuning"), "overshoot_tuning", LEVEL, HEAT
    ),
    **{
        name: Check(partial(slow.output_changed, fault=fault), fault, LEVEL, HEAT, SWITCHED)
        for name, fault in (("heater_degradation", "heater_degradation"), ("sensor_drift", "sensor_bias"))
    },
    "disturbance": Check(disturbances.disturbance, "ambient_disturbance", (), HEAT, DRIVES),
}
