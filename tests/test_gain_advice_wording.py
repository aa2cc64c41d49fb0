"""What is said about gains, in both languages."""

import math
import tomllib
from dataclasses import replace

import pytest
from cases import each
from offline_case import asked

from demo.simulated_loop import Controller
from instrumentgpt.instruments.advice import EXPERIMENTS, advise, can_raise
from instrumentgpt.instruments.plant import Refusal, identify
from instrumentgpt.instruments.tuning import advice_wording
from instrumentgpt.instruments.tuning.advice_wording import group_sentences, grouped, sentences
from instrumentgpt.instruments.tuning.gains import Advice, Gains
from tests.simulated_loops import PLANT, simulated_loop, step_test

WORDINGS = tomllib.loads(advice_wording.SENTENCES.read_text(encoding="utf-8"))
NUMBERS = {
    "no_output": {},
    "short": {"samples": 33, "seconds": 31.9},
    "quiet": {"output_range": 1.5, "pv_range": 0.12, "output_needed": 3.0, "pv_needed": 2.0},
    "poor_fit": {"r2": 0.75, "residual": 1.4},
    "no_gains": {},
    "wrong_sign": {"wrong": 3, "judged": 200, "kp": 13.0},
    "unstable_model": {"phase_margin": -12.0, "gain_margin": 0.8},
    "oscillates": {"amplitude": 1.2, "period": 37.0, "phase_margin": 50.0},
    "other_period": {"amplitude": 1.2, "period": 6.0, "model_period": 41.0},
    "no_temperature": {},
    "switches": {},
}


@pytest.fixture(scope="module")
def plant():
    return identify(simulated_loop())


@pytest.fixture(scope="module")
def sluggish():
    return advise(identify(simulated_loop(controller=Controller(1.5, 0.005))))


@pytest.fixture(scope="module")
def good(sluggish):
    assert sluggish.proposed is not None
    return advise(identify(simulated_loop(controller=Controller(sluggish.proposed.kp, sluggish.proposed.ki))))


@each("language", ["en", "zh"])
@each("reason", EXPERIMENTS)
def test_every_refusal_can_be_said(reason, language):
    refusal = Refusal(2, reason, NUMBERS[reason], band=0.5)
    for told in (sentences(can_raise(refusal), language), sentences(advise(refusal), language)):
        assert len(told) >= 2
        assert "2" in told[0] and "nan" not in "".join(told)


def test_channels_that_lack_different_movement_are_told_apart_and_none_by_what_it_has():
    pv, output = {"pv_range": math.nan}, {"output_range": math.nan}
    lacks = [NUMBERS["quiet"] | other for other in (pv, output, pv)]
    answers = [can_raise(Refusal(n, "quiet", numbers, band=0.5)) for n, numbers in enumerate(lacks, 1)]
    told = [group_sentences(group, "en") for group in grouped(answers)]
    assert [("1, 3" in said[0], "process value" in said[1], "output" in said[1]) for said in told] == [
        (True, False, True),
        (False, True, False),
    ]


@each("language", ["en", "zh"])
@each("factor, verdict", [(1.3, "yes"), (6.0, "no")])
def test_a_verdict_is_said_with_its_gains_margins_and_model(factor, verdict, language, plant):
    answer = can_raise(plant, factor=factor)
    said = "".join(sentences(answer, language))
    assert answer.verdict == verdict
    for number in (f"{answer.asked:.4g} %/°C", "12", "45°", "R²", "ki 0.15 %/(°C·s)"):
        assert number in said


def test_yes_and_no_are_the_first_words_of_substance(plant):
    assert sentences(can_raise(plant), "en")[0] == "Channel 3: yes, kp can go from 12 to 15.6 %/°C."
    assert sentences(can_raise(plant), "zh")[0] == "通道 3：可以，kp 可由 12 調到 15.6 %/°C。"
    assert sentences(can_raise(plant, factor=6), "zh")[0].startswith("通道 3：不可以")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_proposed_gains_are_said_beside_the_present_ones(language, sluggish):
    said = "".join(sentences(sluggish, language))
    assert sluggish.proposed is not None
    for number in (f"{sluggish.proposed.kp:.4g}", f"{sluggish.proposed.ki:.4g}", "1.5", "0.005"):
        assert number in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_good_gains_are_said_to_be_left_alone(language, good):
    assert good.reason == "good_enough"
    assert "25 %" in sentences(good, language)[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_pinned_output_is_said_with_its_share(language):
    advice = advise(identify(simulated_loop(setpoint=[(0.0, 40.0), (100.0, 130.0)], duration=1200.0)))
    assert f"{advice.numbers['pinned']:.0f} %" in sentences(advice, language)[0]


def test_gains_are_said_in_the_unit_of_the_log(plant):
    said = sentences(can_raise(plant), "en", unit="°F")
    assert "%/°F" in said[0]


@each("source", ["log", "agrees", "regressed", "disagrees"])
def test_where_the_gains_come_from_is_said(source, plant):
    told = can_raise(replace(plant, gains=replace(plant.gains, source=source)))
    assert WORDINGS["source"][source]["en"] in sentences(told, "en")


@pytest.mark.parametrize(("scale", "told"), [(1.0, False), (100.0, False), (25.0, True)])
def test_gains_are_told_in_the_logs_own_output_where_that_is_no_percentage(scale, told, sluggish):
    assert sluggish.proposed is not None
    for language, words in (("en", "per that unit set kp {:.4g}"), ("zh", "以該單位設定 kp {:.4g}")):
        first = sentences(sluggish, language, scale=scale)[0]
        assert (words.format(sluggish.proposed.kp / scale) in first) is told


def test_gains_to_go_back_to_are_told_as_the_log_names_them_whatever_its_output_counts():
    numbers = {"kp": 2.6, "ki": 0.16, "kd": 0.0, "within": 0.005}
    back = Advice(
        1, Gains(2.6, 0.16, 0.0), Gains(0.7, 0.16, 0.0), math.nan, math.nan, math.nan, "back", "", numbers
    )
    assert sentences(back, "en", scale=50.0) == sentences(back, "en")


@each("language", ["en", "zh"])
def test_what_a_step_test_tells_begins_with_the_gains_and_ends_with_the_plant(language):
    said = sentences(advise(identify(step_test(PLANT))), language)
    assert "Skogestad" in said[0] and "R²" in said[-1] and "nan" not in "".join(said)


@each("question", ["time constant and dead time of this plant?", "這個系統的時間常數跟死區時間是多少？"])
def test_who_asks_for_the_plant_is_told_it_first_and_once(question, tmp_path):
    loop = step_test(PLANT)
    rows = (
        f"{at:g},{pv:.2f},{output:g}" for at, pv, output in zip(loop.time, loop.pv, loop.output, strict=True)
    )
    (log := tmp_path / "step.csv").write_text("\n".join(["time_s,pv,output", *rows]), encoding="utf-8")
    text = asked(question, tmp_path, attachments=(str(log),)).text
    assert text.count("R²") == 1 and "R²" in text.split("\n")[0]
    assert "Skogestad" in text
