"""The panel without any model: worth reading, over real logs, in both languages, and it invents nothing."""

import gzip
import re

import pytest

from bench.panel import held, labelled, row
from instrumentgpt.handover.markdown import lines_linked
from instrumentgpt.memory.agent_summary import quantities
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.settings import DEMO_INVENTORY

DEMO = DEMO_INVENTORY.parent / "logs"
LOGS = {  # a demo log → what is wrong with it; "" if nothing
    "zspr_053/InstrumentDebug_2026-02-20_08-47-19.73.log.gz": "oscillation_tuning",
    "zspr_050/InstrumentDebug_2026-02-20_14-05-31.64.log.gz": "ambient_disturbance",
    "zspr_051/InstrumentDebug_2026-02-19_10-31-55.92.log.gz": "saturation",
    "zspr_054/InstrumentDebug_2026-02-20_19-33-08.85.log.gz": "sensor_spike",
    "zspr_055/InstrumentDebug_2026-02-20_16-58-44.05.log.gz": "integral_windup",
    "zspr_052/InstrumentDebug_2026-02-19_23-24-45.39.log": "",
}
QUESTIONS = {"en": "why does it swing?", "zh": "為什麼溫度波動？"}
CASES = [*zip(LOGS, [*QUESTIONS] * 3, strict=True)]  # each log in one of the two languages


@pytest.fixture(scope="module")
def panels(tmp_path_factory, judged):
    """A function that holds the panel on a demo log, once for all tests of this file."""
    known = {}

    def panel(log, language):
        if (log, language) not in known:
            folder = tmp_path_factory.mktemp("panel")
            judged.mkdir(exist_ok=True)
            (folder / "cache").mkdir()
            (folder / "cache" / "frames").symlink_to(judged)
            known[log, language] = held(DEMO / log, QUESTIONS[language], language, folder)
        return known[log, language]

    return panel


@pytest.mark.parametrize(("log", "language"), CASES)
def test_the_right_cause_leads_with_a_runner_up_and_a_measurement(panels, log, language):
    panel = panels(log, language)
    assert panel.cause == LOGS[log]
    if panel.cause:
        assert panel.leading.runner_up and panel.leading.measurement
        assert 3 <= len(panel.plan.sub_problems) <= 5
    else:
        assert len(panel.plan.sub_problems) == 2


@pytest.mark.parametrize(("log", "language"), CASES)
def test_the_lines_that_show_a_cause_are_linked_where_the_votes_are_summed_up(panels, log, language):
    panel = panels(log, language)
    if panel.cause:
        lines = {line for _, line in lines_linked(panel.leading.synthesis)}
        found = next(one for one in panel.brief["findings"] if one["class"] == panel.cause)
        assert lines and {one["line"] for one in found["evidence"]} & lines


@pytest.mark.parametrize(("log", "language"), CASES)
def test_every_sentence_has_a_number_or_is_a_question(panels, log, language):
    panel = panels(log, language)
    said = [
        text
        for one in panel.heard
        for text in (one.position, *(c.text for c in one.claims), *(r.because for r in one.rejects))
    ]
    said += [line for one in panel.results for line in one.synthesis.splitlines()]
    said += [one.measurement for one in panel.heard if one.measurement]
    assert said and not [text for text in said if not re.search(r"\d|[?？]", text)]


@pytest.mark.parametrize(("log", "language"), CASES)
def test_it_speaks_the_language_of_the_question(panels, log, language):
    for one in panels(log, language).heard:
        assert bool(re.search(r"[\u4e00-\u9fff]", one.position)) == (language == "zh"), one.position


@pytest.mark.parametrize("log", LOGS)
def test_chinese_sentences_follow_each_other_without_a_space(panels, log):
    assert not [one.position for one in panels(log, "zh").heard if "。 " in one.position]


@pytest.mark.parametrize(("log", "language"), CASES)
def test_001_1_2_every_summary_has_50_to_100_tokens_and_every_number_of_the_position(panels, log, language):
    panel = panels(log, language)
    for result in panel.results:
        assert set(result.expert_summaries) == {view.expert for view in result.said}
        assert not result.warnings
        for said in result.said:
            text = result.expert_summaries[said.expert]
            assert 50 <= count_tokens(text) <= 100
            assert said.position in text
            assert quantities(said.position) <= quantities(text)
            assert f"{said.confidence:.2f}" in text


@pytest.mark.parametrize("log", LOGS)
def test_lines_that_are_quoted_stand_in_the_log(panels, log):
    path = DEMO / log
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = content.decode().splitlines()
    for one in panels(log, "en").heard:
        for item in (item for claim in one.claims for item in claim.evidence):
            assert item.text.strip() in lines[item.line - 1]


def test_experts_disagree_where_the_log_cannot_tell(shared_logs, tmp_path):
    (log,) = (shared_logs / "instrument_debug" / "zspr_066").glob("*2026-04-02*")
    panel = held(log, "sensor drift or heater loss?", "en", tmp_path)
    leading = panel.leading
    assert (leading.cause, leading.runner_up) == ("heater_degradation", "sensor_bias")
    assert leading.dissent == ("sensing",) and leading.stopped == "no new evidence"
    assert "reference thermometer on channel 4 at 95.00" in leading.measurement


def test_too_little_data_rules_nothing_out(shared_logs, tmp_path):
    (log,) = (shared_logs / "instrument_debug" / "zspr_071").glob("*2026-02-20*")
    panel = held(log, "why?", "en", tmp_path)
    assert panel.cause == "insufficient_data"
    out = {row.cause for one in panel.heard for row in one.rejects}
    assert not out & {"oscillation_tuning", "ambient_disturbance", "heater_degradation"}


def test_what_a_check_withheld_is_asked_and_neither_held_nor_ruled_out(shared_logs, tmp_path):
    panel = held(shared_logs / "stiction" / "loop_006.txt", "is the sensor drifting?", "en", tmp_path)
    assert "sensor_bias" in panel.plan.sub_problems[1].candidates
    assert "sensor_bias" not in {row.cause for one in panel.heard for row in one.rejects}
    assert panel.cause == "" and any("gives no verdict" in one.position for one in panel.heard)


def test_what_the_question_suspects_is_examined_even_on_a_healthy_log(tmp_path):
    log = DEMO / "zspr_052" / "InstrumentDebug_2026-02-19_23-24-45.39.log"
    panel = held(log, "is it the heater?", "en", tmp_path)
    assert "heater_failure" in panel.plan.sub_problems[1].candidates
    assert panel.cause == ""


def test_who_comes_back_says_what_it_builds_on(panels):
    panel = panels("zspr_053/InstrumentDebug_2026-02-20_08-47-19.73.log.gz", "en")
    last = panel.heard[-1]
    assert last.builds_on and last.claims[0].text.startswith("Building on sub-problem ")


@pytest.mark.soak
def test_on_labelled_logs_the_right_cause_is_first_and_the_memory_cheap(shared_logs):
    rows = [row(*one) for one in labelled(shared_logs)]
    assert sum(one.right[1] for one in rows) >= sum(one.right[0] for one in rows) >= 37
    assert all(one.runner_up and one.decides for one in rows if one.panel)
    assert all(one.panel_out > one.single_out for one in rows)
    assert max(one.share for one in rows) < 0.05
