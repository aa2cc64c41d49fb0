"""What a controller would do with a plant: the integral of |error| after a setpoint step and a load step."""

import numpy as np

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.tuning.gains import Gains

STEP = 0.5  # s of the simulation
SETPOINT_STEP = 5.0  # °C, at the start
LOAD_STEP = 10.0  # % of output, half-way
SECONDS = 1200.0
OUTPUT_LOW, OUTPUT_HIGH = -40.0, 60.0  # % around a working point of 40 %


def predicted_iae(models: Floats, gains: Gains) -> Floats:
    """Return the IAE (°C·s) of `gains` with each of `models`, (m,).

    models  (m, 4) gain, tau1, tau2, dead_time
    The setpoint steps by 5 °C at the start, the load by 10 % after 10 minutes; 20 minutes are counted.
    The output is limited to 40 % below and 60 % above its working point, the integral held at a limit.

    >>> slow, fast = (predicted_iae(np.array([[1.0, 100, 0, 5]]), Gains(kp, kp / 50)) for kp in (1.0, 5.0))
    >>> bool(fast[0] < slow[0] / 2)
    True
    """
    gain, tau1, tau2, dead_time = np.asarray(models, dtype=float).T
    share1, share2 = 1 - np.exp(-STEP / tau1), 1 - np.exp(-STEP / np.maximum(tau2, 1e-3))
    delay = np.maximum(np.rint(dead_time / STEP).astype(int), 0)
    steps, count = int(SECONDS / STEP), len(gain)
    sign = np.sign(gain)
    applied = np.zeros((steps + 1, count))
    slow, pv, integral, total = (np.zeros(count) for _ in range(4))
    every, last = np.arange(count), np.zeros(count)
    for step in range(steps):
        error = SETPOINT_STEP - pv
        wanted = gains.kp * error + integral - gains.kd * (pv - last) / STEP
        output = np.clip(wanted, *((OUTPUT_LOW, OUTPUT_HIGH) if sign[0] > 0 else (-OUTPUT_HIGH, -OUTPUT_LOW)))
        integral = np.where(
            (output == wanted) | ((wanted - output) * error < 0), integral + gains.ki * error * STEP, integral
        )
        applied[step] = output
        last = pv
        heard = np.where(step >= delay, applied[step - delay, every], 0.0)
        load = LOAD_STEP * sign if step > steps // 2 else 0.0
        slow = slow + share1 * (gain * (heard - load) - slow)
        pv = pv + share2 * (slow - pv)
        total += np.abs(error) * STEP
    return total
