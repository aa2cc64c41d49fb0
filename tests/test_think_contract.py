"""The contract of thinking: what is a decision, and how it is found in what an agent says."""

import json

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from instrumentgpt.modes.contracts import BadReply, read_reply
from instrumentgpt.modes.investigate.decisions import PAYLOADS, ThinkOutput

STEP = {"description": "Fetch the log of zspr 052", "step_type": "read", "subdomain": "logs", "group": 0}
PAYLOAD = {
    "steps": [STEP],
    "proposal_message": "Shall I compare the six?",
    "clarification_questions": ["Which device?"],
}


def parsed(said: str) -> ThinkOutput:
    return read_reply(said, ThinkOutput, "decision")


def decision(name: str, *payloads: str, **more) -> dict:
    return {"decision": name, "goal": "see", **{one: PAYLOAD[one] for one in payloads}, **more}


@each("name", PAYLOADS)
@each(
    "given_",
    [
        (),
        ("steps",),
        ("proposal_message",),
        ("clarification_questions",),
        ("steps", "proposal_message"),
        tuple(PAYLOAD),
    ],
)
def test_003_08_exactly_the_payload_that_matches_is_accepted(name, given_):
    told = json.dumps(decision(name, *given_))
    if given_ == (PAYLOADS[name],):
        assert parsed(told)
    else:
        with pytest.raises(BadReply, match=f"needs exactly `{PAYLOADS[name]}`"):
            parsed(told)


@each("empty", [None, "", []])
def test_a_payload_that_is_empty_is_no_payload(empty):
    told = decision("propose", "proposal_message", steps=empty, clarification_questions=empty)
    assert parsed(json.dumps(told)).proposal_message


@each(
    "field, value, told",
    [
        ("step_type", "delete", "steps.0.step_type"),
        ("subdomain", "recipes", "steps.0.subdomain"),
        ("group", -1, "steps.0.group"),
        ("group", "first", "steps.0.group"),
        ("description", "  ", "steps.0.description"),
        ("description", "x" * 501, "steps.0.description"),
    ],
)
def test_003_09_a_step_that_is_none_of_ours_is_named_with_its_place(field, value, told):
    broken = decision("plan_direct", steps=[{**STEP, field: value}])
    with pytest.raises(BadReply, match=told):
        parsed(json.dumps(broken))


@each("kind", ["read", "write", "analyze", "generate"])
@each("subdomain", ["devices", "logs", "loops", "findings", "reports", "notes"])
def test_003_09_every_kind_of_step_on_every_subdomain_is_known(kind, subdomain):
    step = {**STEP, "step_type": kind, "subdomain": subdomain}
    assert parsed(json.dumps(decision("plan_direct", steps=[step]))).steps[0].subdomain == subdomain


TOLD = json.dumps(decision("clarify", "clarification_questions"))


@each(
    "said",
    [
        TOLD,
        f"```json\n{TOLD}\n```",
        f"I would ask first.\n\n```\n{TOLD}\n```\nDone.",
        f"Here {{is}} my plan: {TOLD} — that is all {{}}",
        f'{{"thoughts": "none"}}\n{TOLD}',
        json.dumps(decision("plan_direct", "steps")) + "\n\nNo, better:\n" + TOLD,
        TOLD.replace("\n", "\r\n"),
        f'{{"answer": {TOLD}}} {TOLD}',
    ],
)
def test_the_decision_is_found_in_prose_and_fences_the_last_one_counts(said):
    assert parsed(said).decision == "clarify"


@each("said", ["", "I cannot.", "{", "[]", '{"decision": ', "{}" * 1000, "{" * 100_000])
def test_an_answer_without_a_decision_says_so(said):
    with pytest.raises(BadReply, match="no JSON object"):
        parsed(said)


def test_of_two_broken_decisions_the_last_one_is_told_of():
    first, last = decision("propose"), decision("clarify", "steps")
    with pytest.raises(BadReply, match="clarify"):
        parsed(f"{json.dumps(first)} {json.dumps(last)}")


def test_an_unknown_field_is_ignored_as_agents_add_some():
    assert parsed(json.dumps(decision("propose", "proposal_message", confidence=0.9)))


@given(st.text(max_size=300))
def test_any_answer_is_a_decision_or_told_what_is_wrong(said):
    with pytest.raises(BadReply) as told:
        parsed(said)
    assert str(told.value)
