"""What a controller would do with a plant: the integral of |error| after a setpoint step and a load step."""

import numpy as np

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.tuning.gains import Gains

STEPS = 2400  # of the simulation
LAGS, DELAYS = 8.0, 40.0  # times the lag and the delay of the first model that are simulated: two settlings
SETPOINT_STEP = 0.05  # of the reach of the output, which it takes at rest; at the start
LOAD_STEP = 0.1  # of the reach of the output, half-way
OUTPUT_LOW, OUTPUT_HIGH = -0.4, 0.6  # of the reach, around a working point of 40 %


def predicted_iae(models: Floats, gains: Gains, reach: float = 100.0) -> Floats:
    """Return the IAE (°C·s) of `gains` with each of `models`, (m,).

    models  (m, 4) gain, tau1, tau2, dead_time; the first tells how long is simulated
    reach   percent between the limits of the output
    The setpoint steps by what 5 % of the reach hold at rest, the load by 10 % of it half-way.
    The output is limited to 40 % of it below and 60 % above its working point, the integral held at a limit.

    >>> slow, fast = (predicted_iae(np.array([[1.0, 100, 0, 5]]), Gains(kp, kp / 50)) for kp in (1.0, 5.0))
    >>> bool(fast[0] < slow[0] / 2)
    True
    """
    gain, tau1, tau2, dead_time = np.asarray(models, dtype=float).T
    pace = float(LAGS * tau1[0] + DELAYS * (tau2[0] + dead_time[0])) / STEPS
    share1, share2 = 1 - np.exp(-pace / tau1), 1 - np.exp(-pace / np.maximum(tau2, pace / 500))
    delay = np.maximum(np.rint(dead_time / pace).astype(int), 0)
    count, sign = len(gain), np.sign(gain)
    asked = SETPOINT_STEP * reach * abs(float(gain[0]))
    limits = reach * OUTPUT_LOW, reach * OUTPUT_HIGH
    applied = np.zeros((STEPS + 1, count))
    slow, pv, integral, total = (np.zeros(count) for _ in range(4))
    every, last = np.arange(count), np.zeros(count)
    for step in range(STEPS):
        error = asked - pv
        wanted = gains.kp * error + integral - gains.kd * (pv - last) / pace
        output = np.clip(wanted, *(limits if sign[0] > 0 else (-limits[1], -limits[0])))
        integral = np.where(
            (output == wanted) | ((wanted - output) * error < 0), integral + gains.ki * error * pace, integral
        )
        applied[step] = output
        last = pv
        heard = np.where(step >= delay, applied[step - delay, every], 0.0)
        load = LOAD_STEP * reach * sign if step > STEPS // 2 else 0.0
        slow = slow + share1 * (gain * (heard - load) - slow)
        pv = pv + share2 * (slow - pv)
        total += np.abs(error) * pace
    return total
