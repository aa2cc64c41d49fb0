"""What a check finds is a verdict if something beside its number speaks for it, else it is told as doubt."""

from dataclasses import replace

import numpy as np
from cases import each
from faulty_logs import log_of
from test_ordinary_use import run

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import diagnose, ranked
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.logs import Log
from tests.offline_case import asked

HOLDS, SHORT = 1.0, 0.5  # of its power


def noisy(power: float) -> Log:
    """Return the log of an oven whose reading is a hundred times as noisy from the fourth hour on."""
    frame = run(lambda _: 80.0, 8.0, power=lambda _: power)
    noise = np.random.default_rng(3).normal(0.0, 2.0, len(frame))
    return log_of(frame.assign(pv=frame["pv"] + noise * np.where(frame["time"] > 4 * 3600.0, 1.0, 0.01)))


def about(log: Log, fault: str) -> tuple[bool, bool]:
    """Return whether `fault` is a verdict, and whether it is a doubt."""
    diagnosis = diagnose(log)
    return (
        fault in {finding.fault for finding in diagnosis.findings},
        any(why.doubt and why.doubt.fault == fault for why in diagnosis.withheld.values()),
    )


@each("power, told", [(HOLDS, (True, False)), (SHORT, (False, True))])
def test_more_than_usual_is_a_verdict_if_the_loop_was_seen_to_hold_before(power, told):
    assert about(noisy(power), "sensor_noise") == told


def test_a_doubt_explains_no_fault_away():
    assert "saturation" in {finding.fault for finding in diagnose(noisy(SHORT)).findings}


@each(
    "language, words", [("en", ["perhaps “Channel 1", "not seen to hold"]), ("zh", ["也許「通道 1", "平常"])]
)
def test_a_doubt_is_told_with_why_it_is_no_verdict(language, words):
    (doubt,) = (why for why in diagnose(noisy(SHORT)).withheld.values() if why.doubt)
    assert all(word in wording.withheld_reason(doubt, language) for word in words)


@each("fault", ["limit_cycle_actuator", "sensors_swapped", "heater_degradation"])
def test_what_a_loop_does_is_told_before_what_was_read_beside_it(fault):
    noise = Finding("sensor_noise", 1, 0.0, 1.0, "medium", ())
    other = replace(noise, fault=fault, severity="low")
    assert ranked([noise, other]) == (other, noise)


@each(
    "question, words",
    [("what is wrong?", "No verdict, but a doubt: perhaps"), ("有什麼問題？", "但有疑點：也許")],
)
def test_an_answer_tells_a_doubt_once_with_what_decides_it(question, words, tmp_path):
    noisy(SHORT).samples.drop(columns=["line", "channel"]).to_csv(tmp_path / "oven.csv", index=False)
    answer = asked(question, tmp_path, attachments=(str(tmp_path / "oven.csv"),)).text
    assert answer.count(words) == 1
