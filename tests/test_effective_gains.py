"""The gains a controller really applies."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each

from demo.simulated_loop import Controller
from instrumentgpt.instruments.tuning.gains import Gains, gains_in_force, named_gains, regressed_gains
from tests.simulated_loops import PLANT, STEADY, simulated_loop, without_gains

PI_LOOPS = [Controller(4.0, 0.03), Controller(12.0, 0.15), Controller(20.0, 0.4)]


@each("controller", PI_LOOPS)
def test_a_log_without_gains_shows_them_in_its_output(controller):
    found = gains_in_force(without_gains(simulated_loop(controller=controller)))
    assert found is not None and found.source == "regressed"
    assert found.kp == pytest.approx(controller.kp, rel=0.1)
    assert found.ki == pytest.approx(controller.ki, rel=0.15)
    assert found.kd == 0


def test_named_gains_that_explain_the_output_are_confirmed():
    assert gains_in_force(simulated_loop()) == Gains(12.0, 0.15, 0.0, "agrees")


def test_named_gains_that_do_not_explain_the_output_are_replaced():
    found = gains_in_force(simulated_loop(named=Controller(3.0, 0.04)))
    assert found is not None and found.source == "disagrees"
    assert found.kp == pytest.approx(STEADY.kp, rel=0.1)


def test_a_log_that_reads_other_noise_than_the_controller_does_not_pull_the_gains_down():
    loop = simulated_loop(replace(PLANT, resolution=0.0, noise=0.005), controller=Controller(20.0, 0.2))
    noise = np.random.default_rng(1).normal(0, 0.1, len(loop))
    found = regressed_gains(replace(loop, pv=loop.pv + noise))
    assert found is not None
    assert found[0].kp == pytest.approx(20.0, rel=0.1)  # sample by sample it would be 16.3


def test_a_quiet_log_leaves_the_named_gains_unchecked():
    quiet = simulated_loop(replace(PLANT, noise=0.0), setpoint=[(0.0, 40.0)])
    assert gains_in_force(quiet) == Gains(12.0, 0.15, 0.0, "log")


def test_nothing_is_made_up_where_a_quiet_log_names_no_gains():
    quiet = without_gains(simulated_loop(replace(PLANT, noise=0.0), setpoint=[(0.0, 40.0)]))
    assert regressed_gains(quiet) is None
    assert gains_in_force(quiet) is None


def test_a_loop_that_cools_is_known_by_its_output():
    loop = simulated_loop()
    cooling = replace(loop, output=100.0 - loop.output)
    found = gains_in_force(cooling)
    assert found is not None and found.reverse
    assert found.kp > 0


def test_only_the_last_named_gains_count():
    loop = simulated_loop()
    kp = loop.kp.copy()
    kp[:700] = 3.0
    changed = named_gains(replace(loop, kp=kp))
    assert changed is not None and changed.kp == 12.0


def test_a_missing_derivative_gain_is_none_at_all():
    loop = simulated_loop()
    assert named_gains(replace(loop, kd=np.full(len(loop), np.nan))) == Gains(12.0, 0.15, 0.0)


def test_an_empty_loop_has_no_gains():
    empty = without_gains(simulated_loop())
    nothing = {
        name: getattr(empty, name)[:0] for name in ("time", "setpoint", "pv", "output", "kp", "ki", "kd")
    }
    assert gains_in_force(replace(empty, line=empty.line[:0], **nothing)) is None


def test_the_other_forms_of_the_gains_are_told():
    gains = Gains(kp=12.5, ki=0.25, kd=25.0)
    assert (gains.ti, gains.td, gains.proportional_band) == (50.0, 2.0, 8.0)
