"""Any sequence of changes, later turns and undos leaves what the changes that still count would leave."""

import json

import pytest
from exchanges import exchange
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db
import memory
from instrumentgpt.storage.revised_memory import listing
from instrumentgpt.storage.revisions import (
    RefusedRevision,
    list_revisions,
    redo_revision,
    revise,
    undo_revision,
)

pytestmark = pytest.mark.usefixtures("ovens")

ANSWERS = (
    "Key findings:\n- pv swings by 3.2 °C\n- the fan is dirty\n\nkp: 0.09",
    "Hypothesis: the sensor is loose\n\nkp is 0.15 now",
    "Root cause: kp is too high\n\nRuled out: the sensor is loose",
    "Key findings:\n- pv swings at night only\n- kp: 0.09",
    "風扇轉速是 4017 rpm。根因：風扇髒了",
)
QUESTIONS = (
    "oven 7?",
    "no, kp is 0.2",
    "Finding: pv swings by 3.2 °C",
    "and why? Do not restart it.",
    "oven 8?",
)
WORDINGS = ("pv swings at night only", "the fan is dirty", "風扇髒了", "0.15", "kp: 0.09")
CHANGES = st.tuples(
    st.sampled_from(("edit", "correct", "pin", "unpin", "forget")),
    st.integers(0, 30),
    st.sampled_from(WORDINGS),
)
STEPS = st.lists(
    st.one_of(
        CHANGES, CHANGES, st.tuples(st.sampled_from(QUESTIONS), st.sampled_from(ANSWERS)), st.just("undo")
    ),
    max_size=14,
)


def known(database, conversation):
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    told = listing(database, conversation, state)
    return told, [entry for entries in told.sections.values() for entry in entries]


def change(database, conversation, action, place, wording):
    """Change the entry at `place`; return the change's id, None where nothing can be changed so."""
    _, entries = known(database, conversation)
    if not entries:
        return None
    entry = entries[place % len(entries)]
    try:
        return revise(database, conversation, entry.item, action, entry.text, wording)
    except RefusedRevision:
        return None


def play(database, steps, kept):
    """Play the steps in a new conversation; without those changes whose place is not in `kept`, if given."""
    conversation = db.create_conversation(database)
    exchange(database, conversation, "oven 7?", ANSWERS[0])
    done = []
    for place, step in enumerate(steps):
        if step == "undo":
            if done and kept is None:
                undo_revision(database, done.pop()[1])
        elif len(step) == 2:
            exchange(database, conversation, *step)
        elif kept is None or place in kept:
            made = change(database, conversation, *step)
            done += [(place, made)] if made else []
    prompt = exchange(database, conversation, "oven 7, and now?")
    told = known(database, conversation)
    db.delete_conversation(database, conversation)  # else it is history for the next one
    return told, prompt, {place for place, _ in done}


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(STEPS)
def test_what_was_undone_leaves_no_trace_in_memory_or_prompt(database, steps):
    (told, entries), prompt, kept = play(database, steps, None)
    (same_told, same_entries), same_prompt, _ = play(database, steps, kept)
    assert prompt == same_prompt
    assert told.state == same_told.state
    assert [(one.item, one.text, one.pinned, one.was, one.earlier, one.other) for one in entries] == [
        (one.item, one.text, one.pinned, one.was, one.earlier, one.other) for one in same_entries
    ]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(STEPS)
def test_all_undone_and_all_done_again_is_as_it_was(database, steps):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "oven 7?", ANSWERS[0])
    for step in steps:
        if step != "undo" and len(step) == 3:
            change(database, conversation, *step)
        elif step != "undo":
            exchange(database, conversation, *step)
    before = known(database, conversation)
    changes = [one.id for one in list_revisions(database, conversation)]
    for one in reversed(changes):
        undo_revision(database, one)
    for one in changes:
        redo_revision(database, one)
    assert known(database, conversation) == before


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(place=st.integers(0, 30), said=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=4))
def test_nothing_that_agents_say_revives_what_was_forgotten(database, place, said):
    conversation = db.create_conversation(database)
    read = json.dumps({"log": "run.log", "channels": [{"kp": 0.09}]})
    exchange(database, conversation, "oven 7?", ANSWERS[place % len(ANSWERS)], read)
    _, entries = known(database, conversation)
    forgotten = entries[place % len(entries)]
    revise(database, conversation, forgotten.item, "forget", forgotten.text)
    for answer in said:
        exchange(database, conversation, "go on", answer)
    _, left = known(database, conversation)
    assert (forgotten.item, forgotten.text) not in [(entry.item, entry.text) for entry in left]
