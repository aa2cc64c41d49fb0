"""Gains that may be better: Skogestad's rules on the best model, as fast as every accepted model allows."""

import numpy as np

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.plant import Identification
from instrumentgpt.instruments.tuning.gains import Gains
from instrumentgpt.instruments.tuning.worst_model import keeps_margins

DESIGN_PHASE, DESIGN_GAIN = 48.0, 2.3  # degrees, factor: for gains we propose (loops.md section 3)
TAU_C = np.linspace(1.0, 6.0, 21)  # closed-loop time constants tried, in dead times (loops.md section 3)
INTEGRAL_STRETCH = (1.0, 1.5, 2.2)  # times SIMC's integral time: a longer one leaves room for kp


def candidates_for(found: Identification) -> list[Gains]:
    """Return for each integral time the fastest gains that keep the design margins on every model."""
    both_sides = len(found.models) > 1 and bool((found.models[1, 1:] == found.models[0, 1:]).all())
    nominal = found.models[: 2 if both_sides else 1]
    model = nominal[np.argmax(np.abs(nominal[:, 0]))]
    fastest = []
    for stretch in INTEGRAL_STRETCH:
        tried = (simc(model, float(multiple), found.gains.kd != 0, stretch) for multiple in TAU_C)
        kept = (gains for gains in tried if keeps_margins(found, gains, DESIGN_PHASE, DESIGN_GAIN))
        fastest += [gains for gains in [next(kept, None)] if gains is not None]
    return fastest


def simc(model: Floats, multiple: float, derivative: bool, stretch: float = 1.0) -> Gains:
    """Return Skogestad's gains for `model` (gain, tau1, tau2, dead_time) with tau_c = `multiple` dead times.

    Without `derivative` half of the shorter lag counts as dead time, the other half as lag (half rule);
    with it the shorter lag is cancelled, the series form being turned into the parallel one.
    `stretch` lengthens the integral time.

    >>> gains = simc(np.array([1.0, 100.0, 0.0, 5.0]), 1.0, derivative=False)
    >>> gains.kp, gains.ti
    (10.0, 40.0)
    """
    gain, tau1, tau2, dead_time = (float(value) for value in model)
    lag = 0.0 if derivative else tau2 / 2
    delay = max(dead_time + lag, tau2 / 4)
    closed = multiple * delay
    kp = (tau1 + lag) / gain / (closed + delay)
    ti = min(tau1 + lag, 4 * stretch * (closed + delay))
    td = tau2 if derivative else 0.0
    return Gains(kp * (1 + td / ti), kp / ti, kp * td, "proposed")
