"""What an agent puts on record through our tools: state as data, before any prose is read."""

import pytest

from instrumentgpt.text.state import told_fields
from instrumentgpt.tool_results import origins
from memory import DiagnosticState, record_tool

FAN = {"text": "the fan has stopped", "evidence": [{"line": 7, "text": "fan 0 rpm"}]}


@pytest.fixture
def state():
    return DiagnosticState("10.1.1.47", "zspr 052", status="investigating")


@pytest.mark.parametrize("field", ["findings", "hypotheses", "root_causes"])
def test_a_statement_on_record_is_taken_over_with_the_line_that_shows_it(state, field):
    result = {"summary": "on record", "log": "a.log", field: [FAN]}
    assert getattr(record_tool(state, "record", result), field) == ["the fan has stopped"]
    assert origins([("record", result)]) == {"the fan has stopped": ("a.log", 7)}


def test_a_hypothesis_that_is_ruled_out_is_none_any_more(state):
    state.hypotheses = ["The fan has stopped.", "kp is too high"]
    after = record_tool(state, "rule_out", {"ruled_out": ["the fan has stopped"]})
    assert after.hypotheses == ["kp is too high"]


def test_a_confirmed_root_cause_closes_the_case_and_is_no_hypothesis(state):
    state.hypotheses = ["the fan has stopped"]
    after = record_tool(state, "confirm_root_cause", {"root_causes": [FAN]})
    assert (after.status, after.hypotheses, after.root_causes) == ("resolved", [], ["the fan has stopped"])


def test_a_root_cause_that_is_confirmed_again_closes_a_case_that_was_reopened(state):
    state.root_causes = ["the fan has stopped"]
    assert record_tool(state, "confirm_root_cause", {"root_causes": [FAN]}).status == "resolved"


@pytest.mark.parametrize("data", [{"ruled_out": 3}, {"ruled_out": [None, {}]}, {"ruled_out": "fan"}])
def test_data_of_another_shape_rules_nothing_out(state, data):
    state.hypotheses = ["fan"]
    assert record_tool(state, "rule_out", data).hypotheses == ["fan"]
    assert told_fields(data) == set()
