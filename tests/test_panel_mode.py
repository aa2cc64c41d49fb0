"""The panel as a chat mode, with a scripted agent: proposal, approval, contributions, what is kept."""

import json

import pytest
from panel_script import QUESTION, called, plan, proposed, says, sums_up, text_of, turn

import db
import memory
from instrumentgpt.agents.events import Done, Text
from instrumentgpt.modes.panel.session import read_progress
from instrumentgpt.settings import database_path
from instrumentgpt.storage.panels import latest_panel, list_steps
from instrumentgpt.storage.runs import get_prompt, list_prompts
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")

TWO = ((1, "tuning sensing", ()), (2, "tuning power", (1,)))
SWING = "Channel 2 swings by ±2.71 °C every 45 s."


@pytest.fixture
def proposal(database, conversation):
    """A decomposition that waits for approval."""
    return proposed(database, conversation, *TWO)


def agreeing(*more):
    """A script in which control holds the gains, and everybody else finds nothing."""
    return [
        plan(*TWO),
        *more,
        says("tuning", 1, SWING, cause="oscillation_tuning", confidence=0.9),
        says("sensing", 1, "The noise is 0.019 °C.", confidence=0.7),
        says("tuning", 2, f"As in sub-problem 1: {SWING}", cause="oscillation_tuning", builds_on=[1]),
        says("power", 2, "The mean output is 48 %.", confidence=0.7),
        *sums_up(),
    ]


def offers_of(database, conversation):
    return db.list_offers(database, db.list_messages(database, conversation)[-1].id)


def test_001_8_9_a_panel_goes_from_its_question_to_its_conclusion(scripted, database, conversation):
    scripted(*agreeing())
    said = text_of(turn(conversation, QUESTION))
    assert "2 sub-problems" in said and "Part 2?" in said
    panel = latest_panel(database, conversation)
    assert panel.status == "proposed" and {one.key.stage for one in list_steps(database, panel.id)} == {
        "plan"
    }
    assert [(one.text, one.mode) for one in offers_of(database, conversation)] == [
        ("yes", "panel"),
        ("no", "panel"),
    ]
    events = turn(conversation, "yes")
    said = text_of(events)
    returns = (
        "**Control** (confidence 0.80, votes for “Oscillation from the gains”) ✓ building on sub-problem 1"
    )
    assert returns in said and said.count("✓ building on") == 1
    steps = list_steps(database, panel.id)
    tokens = {one.key: one.tokens_in + one.tokens_out for one in steps}
    memories = [tokens[key] for key in tokens if key.stage == "expert_memory"]
    assert len(memories) == 4 and "| expert_memory | 4 |" in said
    assert 200 <= sum(memories) <= min(400, 0.05 * sum(tokens.values()))
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert any(f"Oscillation from the gains: {SWING}" in cause for cause in state.root_causes)
    assert state.status == "resolved" and called(events, "confirm_root_cause")
    offers = offers_of(database, conversation)
    assert [one.mode for one in offers] == ["chat", "investigate", "panel"]
    assert "| Control | Oscillation from the gains | 0.90 |" in said
    assert "### Conclusion" in said and "They agree on 45 s." in said


def test_a_refusal_drops_it_and_asks_nobody(scripted, database, conversation):
    scripted(*agreeing())
    turn(conversation, QUESTION)
    assert "0 experts were asked" in text_of(turn(conversation, "no"))
    assert latest_panel(database, conversation).status == "dropped"


def test_a_changed_list_is_shown_again_before_anybody_is_asked(scripted, database, conversation):
    scripted(*agreeing())
    turn(conversation, QUESTION)
    said = text_of(turn(conversation, "1. Is it the gains? | tuning\n2. Or the power? | power | after 1"))
    assert "Is it the gains?" in said and "Part 1?" not in said
    panel = latest_panel(database, conversation)
    assert panel.status == "proposed"
    assert [one["experts"] for one in panel.plan["sub_problems"]] == [["tuning"], ["power"]]


def test_a_change_that_cannot_be_carried_out_is_refused_with_the_reason(scripted, database, conversation):
    scripted(*agreeing())
    turn(conversation, QUESTION)
    events = turn(conversation, "1. A? | tuning | after 2\n2. B? | power | after 1")
    assert events[-1].outcome == "error"
    assert "wait for one another" in str(events)
    assert latest_panel(database, conversation).plan["sub_problems"][0]["goal"] == "Part 1?"


def test_a_decomposition_that_does_not_fit_is_asked_for_once_more(scripted, database, conversation):
    scripted(
        plan((1, "tuning", (2,)), (2, "power", (1,)), once=True),
        {"task": "panel_plan", "contains": "wait for one another", "say": plan(*TWO)["say"]},
    )
    assert "2 sub-problems" in text_of(turn(conversation, QUESTION))


def test_one_that_never_fits_is_refused(scripted, database, conversation):
    scripted({"task": "panel_plan", "say": "I would rather chat."})
    events = turn(conversation, QUESTION)
    assert events[-1].outcome == "error" and "has no JSON object" in str(events)
    assert latest_panel(database, conversation) is None


def test_without_a_log_it_says_what_it_needs(scripted, database, conversation):
    scripted()
    assert "needs a log" in text_of(turn(conversation, "why does it swing?"))


def test_contributions_come_as_they_are_made(scripted, proposal, conversation):
    slow = says("sensing", 1, "The noise is 0.019 °C.", {"delay": 4}, confidence=0.7)
    scripted(*agreeing(slow))
    events = turn(conversation, "yes")
    told = [one.text for one in events if isinstance(one, Text)]
    first = next(n for n, text in enumerate(told) if SWING in text)
    assert first < next(n for n, text in enumerate(told) if "0.019" in text)


def test_the_answer_has_votes_dissent_and_cost_in_tables(scripted, proposal, database, conversation):
    dissent = says("power", 2, "The relay steps by 5 %.", cause="limit_cycle_actuator", confidence=0.4)
    scripted(*agreeing(dissent))
    said = text_of(turn(conversation, "yes"))
    assert "| Heater and power | Limit cycle of the actuator | 0.40 |  | dissents |" in said
    assert "| expert_memory | 4 |" in said
    assert latest_panel(database, conversation).status == "done"


def test_what_is_disputed_are_hypotheses(scripted, proposal, database, conversation):
    scripted(
        *agreeing(
            says("tuning", 1, SWING, cause="oscillation_tuning", confidence=0.7),
            says("sensing", 1, "It drifts by 0.4 °C.", cause="sensor_bias", confidence=0.5),
            says("tuning", 2, "As in sub-problem 1.", confidence=0.7),
        )
    )
    turn(conversation, "yes")
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert not state.root_causes
    assert [one.split(":")[0] for one in state.hypotheses] == ["Oscillation from the gains", "Sensor offset"]


def test_a_change_of_mind_is_shown_with_its_reason(scripted, proposal, conversation):
    rejects = [{"cause": "oscillation_tuning", "because": "the gains are 9 %/°C"}]
    reason = "the valve sticks at 5 %"
    turned = says("tuning", 2, "Not the gains after all.", rejects=rejects, changed_because=reason)
    scripted(*agreeing(turned))
    assert f"changed its view, because: {reason}" in text_of(turn(conversation, "yes"))


def test_a_vote_outside_of_the_field_is_struck_with_a_note(scripted, proposal, conversation):
    scripted(*agreeing(says("power", 2, "48 %.", cause="sensor_bias")))
    said = text_of(turn(conversation, "yes"))
    assert "“sensor_bias”: not in the field of Heater and power" in said


def test_an_expert_whose_reply_never_fits_is_left_out(scripted, proposal, conversation):
    scripted(*agreeing(says("power", 2, "x", {"say": "no JSON"})))
    said = text_of(turn(conversation, "yes"))
    assert "**Heater and power** did not speak: The reply has no JSON object" in said
    assert "| asked again | 1 |" in said


def test_stop_keeps_what_was_said_and_continue_goes_on(scripted, proposal, database, conversation):
    slow = says("power", 2, "The mean output is 48 %.", {"delay": 30}, confidence=0.7)
    scripted(*agreeing(slow))
    seen: list = []
    events = runs.consume(
        database_path(), conversation, "yes", mode="panel", agent="scripted",
        stopped=lambda: any(isinstance(one, Text) and "As in sub-problem 1" in one.text for one in seen),
    )  # fmt: skip
    for event in events:
        seen.append(event)
    assert isinstance(seen[-1], Done) and seen[-1].outcome == "cancelled"
    assert "Stopped" in seen[-1].text
    progress = read_progress(database, conversation)
    assert (progress.panel.status, progress.reached) == ("running", 2)
    offers = db.list_offers(database, db.list_messages(database, conversation)[-1].id)
    assert [one.text for one in offers] == ["continue"]
    before = {one.key for one in list_steps(database, progress.panel.id)}
    scripted(*agreeing())
    said = text_of(turn(conversation, "continue"))
    assert "Resumed at sub-problem 2" in said and latest_panel(database, conversation).status == "done"
    after = list_steps(database, progress.panel.id)
    assert before < {one.key for one in after} and len(after) == len({one.key for one in after})


def test_another_question_begins_another_panel(scripted, proposal, database, conversation):
    scripted(*agreeing())
    first = latest_panel(database, conversation)
    turn(conversation, "zspr 053, and what about channel 3?")
    second = latest_panel(database, conversation)
    assert second.id != first.id and second.status == "proposed"


def prompts_of(database, conversation, task):
    known = list_prompts(database, conversation)
    sent = [get_prompt(database, conversation, row[0]) for row in known]
    return [prompt.text for prompt in sent if prompt.task == task]


def test_001_10_every_prompt_has_who_takes_part_the_problem_and_what_the_user_laid_down(
    scripted, database, conversation
):
    scripted({"task": "chat", "say": "Noted."}, *agreeing())
    words = ("kp of zspr 053 channel 2 is 7", "Do not change the gains of zspr 053 before Friday.")
    for text in words:
        list(runs.consume(database_path(), conversation, text, mode="chat", agent="scripted"))
    turn(conversation, QUESTION)
    turn(conversation, "yes")
    prompts = prompts_of(database, conversation, "panel_contribution")
    assert len(prompts) == 4
    first = {prompt.partition("You are the expert")[0] for prompt in prompts}
    (shared,) = first  # the same bytes for everybody, in every round and sub-problem
    assert QUESTION in shared and "<problem_context>" in shared
    assert "sensing: Measurement" in shared and "power: Heater and power" in shared
    assert "Do not change the gains of zspr 053 before Friday." in shared and "kp" in shared and "7" in shared
    (planned,) = prompts_of(database, conversation, "panel_plan")
    assert "before Friday" in planned


MODELS = (
    "Control holds that channel 2 swings by ±2.71 °C every 45 s because the gains are too high for this "
    "plant; it rests this on the regular cycle and on the output, and is confident at 0.90, unless the "
    "actuator sticks."
)


@pytest.mark.parametrize(
    ("summary", "is_taken"),
    [(MODELS, True), (MODELS.replace("45 s", "60 s"), False), ("It swings by ±2.71 °C every 45 s.", False)],
    ids=["true", "another number", "too short"],
)
def test_001_11_a_models_summary_is_the_memory_if_its_length_and_numbers_hold(
    scripted, proposal, database, conversation, summary, is_taken
):
    written = {"task": "panel_expert_memory", "say": json.dumps({"summaries": {"tuning": summary}})}
    scripted(written, *agreeing())
    turn(conversation, "yes")
    memories = [prompt for prompt in prompts_of(database, conversation, "panel_contribution")]
    assert any(f"Your previous position: {summary}" in prompt for prompt in memories) == is_taken
    assert any("Your previous position: Control: Channel 2 swings" in text for text in memories) != is_taken


def test_a_question_on_a_panel_that_is_done_is_answered_as_in_the_chat_which_knows_what_was_found(
    scripted, proposal, database, conversation
):
    out = [{"cause": "sensor_bias", "because": "pv agrees with the other channels within 0.1 °C", "line": 12}]
    scripted(*agreeing(says("sensing", 1, "The noise is 0.019 °C.", confidence=0.7, rejects=out)))
    turn(conversation, "yes")
    done = latest_panel(database, conversation)
    scripted({"task": "chat", "say": "Because of 0.1 °C."})
    assert text_of(turn(conversation, "why did they rule out the sensor offset?")) == "Because of 0.1 °C."
    assert "within 0.1 °C" in prompts_of(database, conversation, "chat")[-1]
    assert latest_panel(database, conversation) == done
