"""How sure a finding is told to be, when it is critical, and what is done next."""

from dataclasses import replace

from cases import each
from faulty_logs import diagnosed

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.diagnosis import graded
from instrumentgpt.instruments.faults import open_rival


def first(name):
    diagnosis = diagnosed(name)
    return study_of(diagnosis.log), diagnosis.findings[0]


def test_a_failure_out_of_a_quiet_hold_is_critical_and_says_both_signs():
    _, finding = first("heater_failure")
    assert finding.severity == "critical" and "before" in finding.signs
    said = wording.danger(finding, "en")
    assert said.startswith("Stop channel") and said.endswith("and it worked until then.")
    assert wording.summary(finding, "zh") in wording.danger(finding, "zh")


@each("name", ["heater_failure", "runaway", "sensor_open"])
def test_with_one_sign_alone_it_is_told_as_high(name):
    study, finding = first(name)
    numbers = {**finding.numbers, **({"good": float("nan")} if "good" in finding.numbers else {}), "count": 1}
    lonely = replace(study, tracks={finding.channel: study.tracks[finding.channel]})
    shown = graded(lonely, replace(finding, onset=0.0, numbers=numbers))
    assert (shown.severity, wording.danger(shown, "en")) == ("high", "")


def test_what_a_log_cannot_separate_is_never_certain_and_is_tested_first():
    _, finding = first("heater_degradation")
    assert finding.confidence == "likely" and open_rival(finding)
    assert wording.next_step(finding, "en").startswith("A reference thermometer")
    assert wording.action(finding, "en") in wording.next_step(finding, "en")
    assert any("supply" in one for one in wording.cannot_tell(finding, "en"))


def test_what_was_seen_once_just_over_its_limit_is_less_sure_than_often_and_far():
    study, finding = first("overshoot_tuning")
    once = graded(
        study, replace(finding, onset=0.0, numbers={**finding.numbers, "percent": 10.0, "count": 1})
    )
    often = graded(
        study, replace(finding, onset=0.0, numbers={**finding.numbers, "percent": 40.0, "count": 5})
    )
    assert (once.confidence, often.confidence) == ("possible", "certain")
    assert wording.next_step(often, "zh") == wording.action(often, "zh")
    assert (wording.confidence(once, "zh"), wording.confidence(often, "zh")) == ("可能", "確定")
