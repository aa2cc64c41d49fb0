"""Investigate with an agent of its own mind: its plans are held to the contract, its prose is the answer."""

import json
import re
from contextlib import closing

import pytest

import db
from instrumentgpt.agents.events import Failure, Tick, Tool
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.settings import database_path
from instrumentgpt.storage.entities import list_entities
from instrumentgpt.storage.runs import get_prompt, list_prompts
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")


def step(description, kind="read", subdomain="logs", group=0):
    return {"description": description, "step_type": kind, "subdomain": subdomain, "group": group}


def plan(*steps):
    return json.dumps({"decision": "plan_direct", "goal": "look at zspr 053", "steps": steps})


FETCH, DIAGNOSE = step("Fetch the log of zspr 053"), step("Diagnose zspr 053", "analyze", "logs", 1)
PROPOSAL = json.dumps({"decision": "propose", "goal": "g", "proposal_message": "Shall I fetch zspr 053?"})
BROKEN = json.dumps({"decision": "propose", "goal": "g", "steps": [FETCH]})


@pytest.fixture
def say(conversation):
    """A function that says words in Investigate and returns the events."""

    def say(words="why does zspr 053 swing?"):
        return list(runs.consume(database_path(), conversation, words, mode="investigate", agent="scripted"))

    return say


def tools(events):
    return [one.name for one in events if isinstance(one, Tool) and one.server and one.status == "ok"]


def prompts(conversation, task):
    with closing(db.connect(database_path())) as database:
        sent = [row[0] for row in list_prompts(database, conversation) if row[2] == task]
        return [get_prompt(database, conversation, number).text for number in sent]


def test_the_agent_thinks_our_tools_work_and_the_agent_tells(say, scripted, conversation):
    scripted(
        {
            "task": "think",
            "contains": "<immediate_task>",
            "say": f"Sure:\n```json\n{plan(FETCH, DIAGNOSE)}\n```",
        },
        {"task": "reply", "contains": ["<results>", "diagnose_log", "](?log="], "say": "Channel 2 swings."},
    )
    events = say()
    assert tools(events) == ["fetch_log", "diagnose_log", "plot_log", "advise_gains"]
    assert "Channel 2 swings." in events[-1].text and "decision" not in events[-1].text
    assert "1. Fetch the log of zspr 053\n2. Diagnose zspr 053" in events[-1].text
    assert events[-1].outcome == "ok"
    (told,) = prompts(conversation, "reply")
    assert re.search(r"\[L \d+\]\(\?log=zspr%20053/", told) and count_tokens(told) <= 8000


def test_003_08_a_broken_answer_is_repaired_once(say, scripted, conversation):
    scripted(
        {"task": "think", "contains": ["# Repair", "needs exactly `proposal_message`"], "say": PROPOSAL},
        {"task": "think", "say": BROKEN},
    )
    events = say()
    assert events[-1].text == "Shall I fetch zspr 053?" and events[-1].outcome == "ok"
    assert any(isinstance(one, Tick) and "cannot be used" in one.note for one in events)
    assert [text.count("# Repair") for text in prompts(conversation, "think")] == [0, 1]
    assert all(count_tokens(text) <= 8000 for text in prompts(conversation, "think"))


@pytest.mark.parametrize("said", [BROKEN, "I would rather not.", '{"decision": "dance", "goal": "x"}'])
def test_003_08_what_cannot_be_repaired_is_refused_with_a_message(say, scripted, conversation, said):
    scripted({"task": "think", "say": said})
    events = say()
    (failure,) = [one for one in events if isinstance(one, Failure)]
    assert "did not fit the contract, twice" in failure.text and "Nothing was carried out" in failure.text
    assert events[-1].outcome == "error" and tools(events) == []
    assert len(prompts(conversation, "think")) == 2


def test_003_10_a_longer_plan_is_cut_into_a_proposal(say, scripted):
    three = [step(f"List the devices, part {number}", "read", "devices", number) for number in range(3)]
    scripted({"task": "think", "say": plan(*three)}, {"task": "reply", "say": "told"})
    events = say("quick look at zspr 053")
    assert tools(events) == [] and "The plan has 3 steps; QUICK allows 2 at a time." in events[-1].text
    assert "2. List the devices, part 1" in events[-1].text and "part 2" not in events[-1].text
    carried = say("yes")
    assert tools(carried) == ["list_devices"] * 2
    assert "1 step is left" in carried[-1].text and "1. List the devices, part 2" in carried[-1].text
    assert "left" not in say("好")[-1].text


def test_003_11_the_agents_own_proposal_is_thought_through_again_when_agreed_to(say, scripted, conversation):
    scripted(
        {"task": "think", "contains": "**The user has just agreed to it.**", "say": plan(FETCH)},
        {"task": "think", "say": PROPOSAL},
        {"task": "reply", "say": "Fetched."},
    )
    assert "Shall I fetch" in say()[-1].text
    assert tools(say("yes, please")) == ["fetch_log"]
    assert "**Pending proposal**" in prompts(conversation, "think")[1]


def test_003_11_words_that_are_neither_go_to_the_agent_with_what_waits(say, scripted, conversation):
    scripted({"task": "think", "say": PROPOSAL})
    say()
    say("only channel 2, please")
    first, second = prompts(conversation, "think")
    assert "Pending" not in first.partition("<conversation_history>")[2]
    assert "**Pending proposal** (to: “why does zspr 053 swing?”)" in second
    assert "agreed" not in second.partition("<conversation_history>")[2].partition("</")[0]


def test_003_14_what_only_the_agent_understands_is_proposed_before_it_is_carried_out(say, scripted):
    scripted(
        {"task": "think", "contains": "upstairs", "say": plan(FETCH)}, {"task": "think", "say": PROPOSAL}
    )
    say()
    events = say("without the two upstairs")
    assert tools(events) == [] and "Shall I go ahead?" in events[-1].text


def test_003_12_a_step_that_would_save_saves_nothing(say, scripted, conversation):
    steps = [
        FETCH,
        step("Write a report on zspr 053", "generate", "reports", 1),
        step("Save gen_report_1", "write", "reports", 2),
    ]
    scripted({"task": "think", "say": plan(*steps)}, {"task": "reply", "say": "Written."})
    events = say("write a report on zspr 053")
    with closing(db.connect(database_path())) as database:
        assert db.list_documents(database, conversation) == []
        assert {one.ref: one.flag for one in list_entities(database, conversation)}[
            "gen_report_1"
        ] == "unsaved"
        last = db.list_messages(database, conversation, last=1)[0]
        assert [one.text for one in db.list_offers(database, last.id)] == ["Save gen_report_1"]
    assert "not done: Save gen_report_1" in events[-1].text


@pytest.mark.parametrize(
    "subdomain, told", [("notes", "$memorize"), ("loops", "nothing here changes an instrument")]
)
def test_a_step_that_would_write_elsewhere_says_what_can_be_done(say, scripted, subdomain, told):
    scripted(
        {"task": "think", "say": plan(step("Set kp to 3", "write", subdomain))}, {"task": "reply", "say": "."}
    )
    events = say()
    assert "not done: Set kp to 3 — " in events[-1].text and told in events[-1].text
    assert tools(events) == []


def test_a_step_that_fails_is_shown_and_the_rest_goes_on(say, scripted):
    steps = [step("Fetch log gone.log of zspr 053"), FETCH, DIAGNOSE]
    scripted({"task": "think", "say": plan(*steps)}, {"task": "reply", "contains": "failed", "say": "Told."})
    events = say()
    shown = {one.name: one.status for one in events if isinstance(one, Tool) and not one.server}
    assert shown == {"step_1": "failed", "step_2": "ok", "step_3": "ok"}
    assert "diagnose_log" in tools(events) and "failed: Fetch log gone.log" in events[-1].text


def test_an_agent_that_fails_to_tell_leaves_it_to_our_own_analyst(say, scripted):
    scripted({"task": "think", "say": plan(FETCH, DIAGNOSE)}, {"task": "reply", "error": "rate limit"})
    answer = say()[-1]
    assert "zspr 053" in answer.text and "](?log=zspr%20053" in answer.text


def test_an_agent_that_fails_to_think_says_why(say, scripted):
    scripted({"task": "think", "error": "rate limit"})
    events = say()
    assert events[-1].outcome == "error" and "rate limit" in events[-2].text


def test_what_is_asked_back_offers_the_interview(say, scripted, conversation):
    asked = {"decision": "clarify", "goal": "g", "clarification_questions": ["Which channel?", "Since when?"]}
    scripted({"task": "think", "say": json.dumps(asked)})
    assert "- Which channel?\n- Since when?" in say()[-1].text
    with closing(db.connect(database_path())) as database:
        last = db.list_messages(database, conversation, last=1)[0]
        assert [one.mode for one in db.list_offers(database, last.id)] == ["interview", "panel"]


@pytest.mark.parametrize("words", ["yes", "no"])
def test_yes_and_no_to_a_question_are_its_answer(say, scripted, conversation, words):
    asked = {"decision": "clarify", "goal": "g", "clarification_questions": ["Channel 2 alone?"]}
    scripted(
        {"task": "think", "given": {"amendments": words}, "say": PROPOSAL},
        {"task": "think", "say": json.dumps(asked)},
    )
    say()
    assert say(words)[-1].text == "Shall I fetch zspr 053?"
    assert "**Pending question** (to: “why does zspr 053 swing?”)" in prompts(conversation, "think")[-1]


def test_prompts_keep_to_the_budget_at_turn_1_10_and_50(say, scripted, conversation):
    scripted({"task": "think", "say": PROPOSAL}, {"task": "chat", "say": "Channel 2 swings. " * 150})
    sizes = {}
    with closing(db.connect(database_path())) as database:
        for turn in range(1, 51):
            if turn in (1, 10, 50):
                say(f"and what of zspr 053 in run {turn}?")
                sizes[turn] = count_tokens(prompts(conversation, "think")[-1])
                continue
            db.add_message(database, conversation, "user", f"question {turn}: " + "why does it swing? " * 20)
            db.add_message(
                database, conversation, "assistant", f"answer {turn}. " + "It swings by 2 K. " * 150
            )
    assert max(sizes.values()) <= 8000 and sizes[50] < 1.5 * sizes[10]
