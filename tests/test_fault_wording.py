"""Every fault can be told in both languages, and every sentence carries the numbers of the finding."""

import re
from string import Formatter

from cases import each
from faulty_logs import MAKERS, ONSET, diagnosed, log_of, samples_of

from demo.simulated_loop import Event
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.faults import explains, faults, next_tests, severity
from instrumentgpt.instruments.findings import NOT_RULED_OUT, SEVERITIES, Finding
from instrumentgpt.instruments.language import Sentence

LANGUAGES = ("en", "zh")
SENTENCES = ("title", "definition", "summary", "cause", "action")
NAMES = sorted(MAKERS)


def found(name: str) -> list[Finding]:
    return list(diagnosed(name).findings)


@each("fault", faults())
def test_every_class_has_a_severity_and_its_sentences_in_both_languages(fault):
    assert severity(fault) in SEVERITIES
    for language in LANGUAGES:
        known = {name.partition("_")[0] for name in faults()[fault][language]}
        assert set(SENTENCES) <= known, (fault, language)


def test_reasons_that_say_so_and_no_others_leave_an_alternative_open():
    for language, words in (("en", "Not ruled out"), ("zh", "無法排除")):
        reasons = [row for fault in faults() for row in faults()[fault][language].get("reasons", {}).items()]
        assert {name for name, text in reasons if text.startswith(words)} == {*NOT_RULED_OUT}


def test_only_known_faults_are_explained_away_and_never_the_cause_itself():
    for fault in faults():
        assert explains(fault) <= set(faults()) - {fault}


@each("language", LANGUAGES)
@each("name", NAMES)
def test_every_sentence_of_a_finding_carries_a_number_and_nothing_unknown_and_its_summary_the_channel(
    name, language
):
    if channel := found(name)[0].channel:
        named = {"en": f"Channel {channel}", "zh": f"通道 {channel}"}[language]
        assert named in wording.summary(found(name)[0], language)
    for finding in found(name):
        said = [
            wording.summary(finding, language),
            wording.cause(finding, language),
            wording.next_step(finding, language),
            wording.next_test(finding, language) or "0",
            wording.danger(finding, language) or "0",
            *wording.ruled_out(finding, language),
        ]
        for sentence in said:
            assert re.search(r"\d", sentence), sentence
            assert not re.search(r"\?|nan|inf\b|[{}]", sentence), sentence


@each("fault", faults())
def test_no_sentence_speaks_of_one_as_of_several_or_of_a_range_without_width(fault):
    texts = dict(faults()[fault]["en"])
    for sentence in [*texts.pop("reasons", {}).values(), *texts.values()]:
        fields = {name for _, name, _, _ in Formatter().parse(sentence) if name}
        said = Sentence().format(sentence, **dict.fromkeys(fields, 1))
        assert not re.search(r"\b1 (more )?(times|gaps|moments|pushes)\b|(by|\() ?1(\.0+)? to 1", said), said


def test_a_single_push_has_one_size_and_one_moment():
    frame = samples_of(events=[Event("load", ONSET, ONSET + 60, -18.0)])
    (finding,) = [one for one in diagnose(log_of(frame)).findings if one.fault != "healthy"]
    size, said = f"{finding.numbers['largest']:.2f}", wording.summary(finding, "en")
    assert f"1 time by something outside the loop, by {size} °C for about" in said
    assert "at this moment;" in wording.action(finding, "en")
    assert f"幅度 {size} °C" in wording.summary(finding, "zh")


def test_a_jump_and_a_drift_of_the_sensor_are_told_apart():
    jump, drift = found("sensor_step")[0], found("sensor_drift")[0]
    assert "jumped by -9" in wording.summary(jump, "en")
    assert "drifts" in wording.summary(drift, "en")
    assert "漂移" in wording.summary(drift, "zh")


def test_a_weak_heater_says_that_a_drifting_sensor_looks_the_same():
    assert any(
        "second thermometer" in reason for reason in wording.cannot_tell(found("heater_degradation")[0], "en")
    )
    assert "第二支溫度計" in wording.cause(found("heater_degradation")[0], "zh")


def test_a_number_the_log_does_not_give_is_a_question_mark_an_output_is_left_out_and_zero_has_no_sign():
    finding = Finding(
        "healthy", 1, 0.0, 1.0, "none", (), {"unit": "°C", "duty": float("nan"), "saturated": 0.0}
    )
    numbers = {"half_peak_to_peak": float("nan"), "mean_error": -0.001}
    said = wording.summary(Finding(**{**finding.__dict__, "numbers": {**finding.numbers, **numbers}}), "en")
    assert "within ±? °C" in said and "output ?" not in said and "the log has no output" in said
    assert "mean error 0.00 °C" in said


def test_missing_fields_are_named_in_the_language():
    finding = Finding(
        "insufficient_data",
        None,
        0.0,
        1.0,
        "info",
        (),
        {"seconds": 10.0, "samples": 5, "period": 1.0, "missing": "setpoint, output"},
    )
    assert "setpoint, output" in wording.summary(finding, "en")
    assert "設定值, 輸出" in wording.summary(finding, "zh")


@each("fault", set(faults()) - {"healthy"})
def test_each_fault_has_rivals_and_what_decides_in_both_languages(fault):
    table = next_tests()[fault]
    assert set(table["rivals"]) <= set(faults()) - {fault}
    assert set(table.get("untold", ())) <= set(next_tests()["untold"])
    assert set(table.get("settled", ())) <= {
        "clear",
        "far",
        "again",
        "before",
        "alone",
        "step",
        "room",
        "door",
        "jumps",
        "stays",
    }


def test_consequences_are_named_by_title():
    finding = Finding("heater_failure", 1, 0.0, 1.0, "critical", (), {}, (), ("saturation",))
    assert wording.consequences(finding, "en") == ["Output saturated"]
    assert wording.consequences(finding, "zh") == ["輸出飽和"]
