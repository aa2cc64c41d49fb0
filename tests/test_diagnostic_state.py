"""The diagnostic state: stored as JSON, fed by tools and answers, scoped to its device."""

import json
from dataclasses import fields

import pytest
from cases import each

import memory
from memory import DiagnosticState, begin_question, extract_state_updates, new_items, record_tool

OVEN = {"device_ip": "10.1.1.47", "device_name": "zspr 052"}


def test_004_09_the_state_has_the_eight_fields():
    assert [field.name for field in fields(DiagnosticState)] == [
        "device_ip",
        "device_name",
        "last_log_file",
        "downloaded_logs",
        "findings",
        "hypotheses",
        "root_causes",
        "status",
    ]


def test_004_09_the_state_survives_json_with_chinese_in_it():
    state = DiagnosticState(
        "10.1.1.47", "zspr 052", "a.log", ["a.log"], ["溫度 ±0.15°C"], ["風扇"], ["繼電器"], "resolved"
    )
    assert DiagnosticState.deserialize(state.serialize()) == state
    assert "溫度 ±0.15°C" in state.serialize()
    assert set(json.loads(state.serialize())) == {field.name for field in fields(DiagnosticState)}


def test_004_09_no_text_is_the_default_state():
    assert DiagnosticState.deserialize("") == DiagnosticState()


def test_004_09_unknown_keys_are_ignored():
    assert DiagnosticState.deserialize('{"device_ip": "10.1.1.47", "mood": 1}').device_ip == "10.1.1.47"


UNREADABLE = ["{", "[1]", "null", "12", '"text"', "[" * 100_000, "{'device_ip': 1}", '{"findings": ', "\x00"]


@each("text", UNREADABLE)
def test_004_09_what_cannot_be_read_is_the_default_state_and_is_not_overwritten(text):
    state = DiagnosticState.deserialize(text)
    assert state == DiagnosticState()
    assert state.serialize() == text


@pytest.mark.parametrize("text", ["{not json", '{"findings": "no list", "device_ip": "10.1.1.47"}'])
def test_004_09_unreadable_text_is_carried_along_when_the_state_goes_on(text):
    state = extract_state_updates(
        "Root cause: the fan", begin_question(DiagnosticState.deserialize(text), **OVEN)
    )
    stored = state.serialize()
    assert json.loads(stored)["unreadable"] == text
    assert DiagnosticState.deserialize(stored) == state
    assert DiagnosticState.deserialize(DiagnosticState.deserialize(stored).serialize()).serialize() == stored


@each("field, value", [("findings", "x"), ("device_ip", 5), ("status", "done"), ("root_causes", [1])])
def test_004_09_a_field_of_the_wrong_type_is_left_at_its_default(field, value):
    assert DiagnosticState.deserialize(json.dumps({field: value})) == DiagnosticState()


def test_004_10_a_known_device_is_under_investigation():
    assert DiagnosticState().status == "idle"
    assert begin_question(DiagnosticState(), **OVEN).status == "investigating"
    assert extract_state_updates("Nothing yet.", DiagnosticState(**OVEN)).status == "investigating"


def test_004_10_without_a_device_nothing_is_under_investigation():
    assert begin_question(DiagnosticState()).status == "idle"
    assert extract_state_updates("Nothing yet.", DiagnosticState()).status == "idle"


@pytest.mark.parametrize("answer", ["**Root cause**: the relay is welded", "根因：繼電器黏住"])
def test_004_10_a_root_cause_resolves(answer):
    assert extract_state_updates(answer, DiagnosticState(**OVEN)).status == "resolved"


@each("answer", ["Root cause: unknown", "Is the root cause the relay?", "已排除：繼電器"])
def test_004_10_a_denied_root_cause_resolves_nothing(answer):
    assert extract_state_updates(answer, DiagnosticState(**OVEN)).status == "investigating"


def test_004_10_a_follow_up_question_reopens_and_an_answer_without_a_cause_leaves_it_open():
    resolved = extract_state_updates("Root cause: the relay", DiagnosticState(**OVEN))
    reopened = begin_question(resolved, question="那 kp 可以調高嗎？")
    assert reopened.status == "investigating"
    assert reopened.root_causes == ["the relay"]
    assert extract_state_updates("Yes, to 0.12.", reopened).status == "investigating"


@each("thanks", ["Thanks!", "thank you", "OK", "謝謝", "好的。"])
def test_004_10_thanks_reopen_nothing(thanks):
    resolved = extract_state_updates("Root cause: the relay", DiagnosticState(**OVEN))
    assert begin_question(resolved, question=thanks).status == "resolved"


def test_004_10_a_new_device_starts_anew_and_coming_back_restores_the_first():
    first = extract_state_updates(
        "Finding: pv drops\nRoot cause: the relay", begin_question(DiagnosticState(), **OVEN)
    )
    filed = {memory.device_key(first): first.serialize()}
    second = begin_question(first, "10.1.1.93", "zspr 054", filed)
    assert second == DiagnosticState("10.1.1.93", "zspr 054", status="investigating")
    back = begin_question(second, **OVEN, filed=filed)
    assert (back.findings, back.root_causes, back.status) == (["pv drops"], ["the relay"], "investigating")


@each("name", ["zspr 052", "ZSPR 052", "zspr-052"])
def test_the_same_device_by_another_spelling_is_no_new_device(name):
    state = DiagnosticState(device_name="zspr 052", findings=["x"])
    assert begin_question(state, device_name=name).findings == ["x"]


def test_a_question_that_names_no_device_stays_with_the_last_one():
    assert begin_question(DiagnosticState(**OVEN), question="why?").device_name == "zspr 052"


def test_what_was_found_before_the_device_was_named_goes_with_it():
    assert begin_question(DiagnosticState(findings=["x"]), **OVEN).findings == ["x"]


def test_004_11_logs_are_collected_once_in_order_and_the_last_one_mentioned_is_last():
    first = "InstrumentDebug_2026-02-19_23-24-45.39.log"
    second = "InstrumentDebug_2026-02-20_01-00-00.10.log"
    state = extract_state_updates(f"Downloaded {first} and {second}.", DiagnosticState())
    assert (state.downloaded_logs, state.last_log_file) == ([first, second], second)
    state = extract_state_updates(f"In {first} again.", state)
    assert (state.downloaded_logs, state.last_log_file) == ([first, second], first)


def test_extraction_leaves_the_state_it_was_given_alone():
    state = DiagnosticState(**OVEN)
    extract_state_updates("Root cause: x1\nFinding: y1\na.log", state)
    assert state == DiagnosticState(**OVEN)


def test_a_hypothesis_that_became_the_root_cause_is_no_hypothesis_any_more():
    state = extract_state_updates("Hypothesis: The relay is welded", DiagnosticState(**OVEN))
    assert extract_state_updates("Root cause: the relay is welded.", state).hypotheses == []


@each("answer", ["Ruled out: the fan stops", "假設：The fan stops（已排除）", "Ruled out:\n- fan stops"])
def test_a_hypothesis_that_is_ruled_out_is_no_hypothesis_any_more(answer):
    state = extract_state_updates("Hypotheses:\n- the fan stops\n- the relay sticks", DiagnosticState(**OVEN))
    assert extract_state_updates(answer, state).hypotheses == ["the relay sticks"]


def test_what_is_known_is_not_added_again_in_other_dress():
    state = extract_state_updates("Finding: Output saturates.", DiagnosticState())
    assert extract_state_updates("**Finding**: output saturates", state).findings == ["Output saturates"]


def test_the_state_keeps_the_newest_findings_and_stays_bounded():
    state = DiagnosticState()
    for n in range(200):
        state = extract_state_updates(f"Finding: number {n} " + "word " * 200, state)
    assert len(state.findings) == 60 and state.findings[-1].startswith("number 199")
    assert len(state.serialize()) < 25_000


TOOL = {
    "log": "a.log",
    "findings": [
        {"text": "channel 3: output at 100 %", "class": "saturation", "channel": 3, "severity": "high"}
    ],
}


def test_what_a_tool_reports_as_data_is_taken_over():
    state = record_tool(DiagnosticState(**OVEN), "diagnose_log", TOOL)
    assert state.findings == ["channel 3: output at 100 %"]
    assert (state.last_log_file, state.downloaded_logs, state.status) == ("a.log", ["a.log"], "investigating")


@each(
    "given, name",
    [("/cache/zspr 052/run 1.txt", "run 1.txt"), ("C:\\logs\\a.csv", "a.csv"), ("a\nb.log", "a b.log")],
)
def test_the_log_of_a_tool_is_known_by_its_file_name(given, name):
    assert record_tool(DiagnosticState(), "diagnose_log", {"log": given}).last_log_file == name


def test_a_listed_log_is_not_a_downloaded_one():
    assert (
        record_tool(DiagnosticState(), "list_logs", {"log": "a.log", "logs": ["a.log"]}).downloaded_logs == []
    )


def test_compared_logs_are_all_downloaded():
    assert record_tool(DiagnosticState(), "compare_logs", {"logs": ["a.log", "b.log"]}).downloaded_logs == [
        "a.log",
        "b.log",
    ]


@each(
    "data",
    [
        {},
        {"findings": None},
        {"findings": "text"},
        {"findings": [1, None, {"text": 5}, {"text": " "}]},
        {"findings": {"text": "x"}},
        {"log": 5, "logs": 7},
        {"log": " ", "logs": [None, 3]},
    ],
)
@each("tool", ["diagnose_log", "compare_logs"])
def test_tool_data_that_does_not_fit_is_skipped(tool, data):
    assert record_tool(DiagnosticState(), tool, data) == DiagnosticState()


def test_new_items_say_what_a_turn_added():
    before = DiagnosticState(**OVEN, findings=["old"])
    after = extract_state_updates("Root cause: relay", record_tool(before, "diagnose_log", TOOL))
    assert new_items(before, after) == [
        ("downloaded_logs", "a.log"),
        ("findings", "channel 3: output at 100 %"),
        ("root_causes", "relay"),
    ]


def test_004_16_the_prompt_shows_the_state_in_force_newest_items_only():
    state = DiagnosticState(
        **OVEN, findings=[f"finding {n}" for n in range(30)], hypotheses=["h1"], root_causes=["r1"]
    )
    state.downloaded_logs = [f"{n}.log" for n in range(9)]
    context = memory.compose(memory.Case("why?", state), []).sections[1].text
    assert "finding 29" in context and "finding 21" not in context
    assert "Downloaded: 4.log, 5.log, 6.log, 7.log, 8.log and 4 earlier" in context
    assert "Hypotheses:\n  - h1\nRoot causes:\n  - r1\n</diagnostic_context>" in context


@each(
    "state, line",
    [
        (DiagnosticState(**OVEN), "Device: zspr 052 (10.1.1.47)"),
        (DiagnosticState(device_ip="10.1.1.47"), "Device: 10.1.1.47"),
        (DiagnosticState(device_name="zspr 052"), "Device: zspr 052"),
    ],
)
def test_the_device_is_named_by_what_is_known_of_it(state, line):
    assert memory.compose(memory.Case("why?", state), []).sections[1].text == (
        f"<diagnostic_context>\n{line}\n</diagnostic_context>"
    )
