"""Loops that one cause outside all of them moved are told together; what only looks so is not."""

import pytest
from cases import each
from faulty_logs import HELD, log_of, samples_of

from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.wording import summary

BATH = Plant(gain=0.5, tau1=500.0, tau2=60.0, dead_time=20.0, ambient=24.0, noise=0.03)
MOMENTS = (7_560.0, 13_320.0, 21_600.0, 27_360.0, 33_120.0)
LASTED = 432.0  # s
APART = 2_500.0  # s between one bath's pushes and the next one's


def bench(*pushes: tuple[float, ...], share: float = 9.0, setpoint=None) -> Diagnosis:
    """Return the diagnosis of one bath for each of `pushes`, the moments at which it is warmed; `setpoint`
    is that of one more, at whose steps nothing is done."""
    control = Controller(12.0, 0.03)
    baths = [
        samples_of(
            number,
            BATH,
            control,
            45.0,
            [Event("load", at, at + LASTED, share) for at in moments],
            39_600.0,
            20.0,
        )
        for number, moments in enumerate(pushes, start=1)
    ]
    stepped = [samples_of(len(pushes) + 1, BATH, control, setpoint, (), 39_600.0, 20.0)] if setpoint else []
    return diagnose(log_of(*baths, *stepped))


def shared(diagnosis: Diagnosis) -> list[Finding]:
    return [found for found in diagnosis.findings if found.fault != "healthy" and found.channel is None]


def test_what_moved_two_baths_of_three_again_and_again_is_one_finding_of_both_with_its_moments():
    diagnosis = bench(MOMENTS, MOMENTS, ())
    told, *others = diagnosis.findings
    assert (told.fault, told.channel, told.channels) == ("ambient_disturbance", None, (1, 2))
    assert told.moments == pytest.approx(MOMENTS, abs=200.0)
    assert [(other.fault, other.channel) for other in others] == [("healthy", 3)]
    assert {excursion.explained for excursion in diagnosis.excursions} == {"ambient_disturbance"}
    assert "Channels 1, 2 left their setpoints together" in summary(told, "en")
    assert "something outside the loops" in summary(told, "en") and "迴路之外" in summary(told, "zh")


@each(
    "diagnosis",
    [
        lambda: bench(MOMENTS, tuple(at + APART for at in MOMENTS), ()),  # each by a cause of its own
        lambda: bench(MOMENTS[:2], MOMENTS[:2], ()),  # two baths twice can be chance
        lambda: bench(
            *[MOMENTS[:4]] * 3,
            setpoint=[(0.0, HELD), *((at - 40.0, HELD + 9 * (k % 2 - 0.5)) for k, at in enumerate(MOMENTS))],
        ),
    ],
)
def test_nothing_outside_is_said_to_move_loops_of(diagnosis):
    assert shared(diagnosis()) == []


def test_three_that_leave_once_are_enough():
    (told,) = shared(bench(*[MOMENTS[:1]] * 3))
    assert (told.channels, len(told.moments)) == ((1, 2, 3), 1)
