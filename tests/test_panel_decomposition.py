"""The decomposition: its contract, its order, and how people change it."""

import json

import pytest
from cases import each
from panel_case import sub_problem

from instrumentgpt.agents.offline.panel_plan import experts_on
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.faults import faults
from instrumentgpt.modes.contracts import BadReply, read_reply
from instrumentgpt.modes.panel.contracts import Contribution, Plan
from instrumentgpt.modes.panel.display import heading
from instrumentgpt.modes.panel.experts import BadPlan, checked, edited, in_order, read_experts, written

EXPERTS = read_experts()


def plan(*parts) -> Plan:
    return Plan(sub_problems=parts)


def three() -> Plan:
    return plan(
        sub_problem(1, "firmware", "sensing"),
        sub_problem(2, "power", "sensing", after=(1,)),
        sub_problem(3, "tuning", after=(1, 2)),
    )


def test_a_sub_problem_comes_after_those_that_it_needs():
    parts = [sub_problem(1, "power", after=(3,)), sub_problem(2, "power"), sub_problem(3, "power")]
    ids = [one.id for one in in_order(parts)]
    assert sorted(ids) == [1, 2, 3] and ids.index(3) < ids.index(1)


@each(
    "parts, message",
    [
        ([(1, (2,)), (2, (1,))], "Sub-problems 1, 2 wait for one another"),
        ([(1, (1,)), (2, ())], "Sub-problems 1 wait for one another"),
        ([(1, ()), (2, (7,))], "comes after 7, which there is not"),
        ([(1, ()), (1, ())], "Two sub-problems have the number 1"),
    ],
)
def test_an_order_that_cannot_be_kept_is_an_error(parts, message):
    told = plan(*(sub_problem(number, "power", after=after) for number, after in parts))
    with pytest.raises(BadPlan, match=message):
        checked(told, EXPERTS)


def test_an_unknown_expert_is_an_error():
    with pytest.raises(InstrumentGPTError, match="no expert 'wizard'"):
        checked(plan(sub_problem(1, "wizard"), sub_problem(2, "power")), EXPERTS)


@each("count", [0, 1, 6])
def test_it_has_two_to_five_sub_problems(count):
    told = [{"id": n, "goal": "?", "experts": ["power"]} for n in range(1, count + 1)]
    with pytest.raises(BadReply, match="sub_problems"):
        read_reply(json.dumps({"sub_problems": told}), Plan)


def test_as_text_it_can_be_sent_back_unchanged():
    assert edited(three(), written(three()), EXPERTS) == three()


@each("words", ["remove 2", "Drop 2.", "刪除 2", "刪除第 2 個"])
def test_one_can_be_removed_in_words_and_nobody_waits_for_it(words):
    left = edited(three(), words, EXPERTS)
    assert [(one.id, one.after) for one in left.sub_problems] == [(1, ()), (3, (1,))]


def test_no_fewer_than_two_are_left():
    with pytest.raises(BadPlan, match="would leave 1"):
        edited(plan(*three().sub_problems[:2]), "remove 2", EXPERTS)


def test_goals_experts_and_order_can_be_edited_and_one_added():
    text = "1. Is the record whole? | firmware\n2. Whose is it?\n3. Door? | surroundings, sensing | after 1"
    parts = edited(three(), text, EXPERTS).sub_problems
    assert [one.goal for one in parts] == ["Is the record whole?", "Whose is it?", "Door?"]
    assert parts[1].experts == ("power", "sensing") and parts[1].after == (1,)
    assert parts[2].experts == ("surroundings", "sensing") and parts[2].after == (1,)


def test_what_is_added_may_be_any_of_the_causes():
    text = "\n".join([written(three()), "4. The door? | surroundings"])
    assert edited(three(), text, EXPERTS).sub_problems[3].candidates == sub_problem(1, "power").candidates


def test_a_heading_never_counts_fewer_than_its_own_number():
    kept = edited(three(), "remove 1", EXPERTS).sub_problems
    assert "3 of 3" in heading(kept[-1], len(kept), "en") and "3／3" in heading(kept[-1], len(kept), "zh")


@each("text", ["why does it swing?", "1. one line", "yes, but quickly\n1. a\n2. b", ""])
def test_other_words_are_no_edit(text):
    assert edited(three(), text, EXPERTS) is None


@each(
    "reply",
    [
        '{"position": "It is 5 %.", "confidence": 0.5}',
        'Sure:\n```json\n{"position": "It is 5 %.", "confidence": 0.5}\n```\nDone.',
        'I think {"position": "It is 5 %.", "confidence": 0.5, "mood": "good"} says it.',
    ],
)
def test_a_contribution_is_found_in_what_an_agent_says(reply):
    assert read_reply(reply, Contribution).position == "It is 5 %."


@each(
    "reply, message",
    [
        ("It is the heater.", "no JSON object"),
        ('{"position": "5 %", "confidence": 7}', "confidence"),
        ('{"confidence": 0.5}', "position"),
        (json.dumps({"position": "too long " * 60, "confidence": 0.5}), "say it shorter"),
        ("{" * 5000, "no JSON object"),
    ],
)
def test_a_reply_that_does_not_fit_says_what_is_wrong(reply, message):
    with pytest.raises(BadReply, match=message):
        read_reply(reply, Contribution)


@each("cause", [cause for cause in faults() if cause != "healthy"])
def test_every_cause_is_in_the_field_of_an_expert_who_is_asked_about_it(cause):
    fields = {code: expert.speaks_on for code, expert in EXPERTS.items()}
    assert experts_on([cause], fields) and "statistics" not in experts_on([cause], fields)
