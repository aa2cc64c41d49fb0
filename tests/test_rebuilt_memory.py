"""What is stored of a conversation's memory can be thrown away: it comes back from what was said and done."""

import json

import pytest
from exchanges import exchange
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interview_talk import Talk

import db
import memory
from instrumentgpt.__main__ import main
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.revised_memory import listing
from instrumentgpt.storage.revisions import (
    RefusedRevision,
    delete_turn,
    list_deleted,
    list_revisions,
    revise,
    undo_revision,
)
from instrumentgpt.turn.rebuild import RefusedRebuild, rebuild
from instrumentgpt.ui.logs.actions import pin

pytestmark = pytest.mark.usefixtures("ovens")

QUESTIONS = (
    "oven 7 為什麼溫度波動？",
    "and oven 8?",
    "no, kp is 0.12",
    "We call oven 7 Tallinn. Do not restart it before Friday.",
    "Ruled out: the sensor is loose",
    "back to Tallinn: you may restart it",
    "is it hot?",
)
ANSWERS = (
    "Key findings:\n- pv swings by 3.2 °C\n- the fan is dirty",
    "Hypothesis: the sensor is loose",
    "Root cause: kp is too high\n\nRuled out: the sensor is loose",
    "風扇轉速是 4017 rpm。根因：風扇髒了",
    "I shall look. " * 80,
)


def read(log, kp, clock):
    """Return what a tool says of a log whose only channel has this gain at its last line."""
    rows = [{"channel": 1, "kp": kp, "last": {"line": 7, "clock": clock}}]
    finding = {"text": f"kp is {kp}", "evidence": [{"line": 7}]}
    return json.dumps({"log": log, "device": "oven 7", "channels": rows, "findings": [finding]})


RESULTS = (
    "",
    read("new.log", 9.0, "2026-02-19 23:54:44"),
    read("old.log", 7.0, "2026-02-12 10:00:00"),
    json.dumps({"values": [{"quantity": "ki", "value": "0.4"}], "device": "oven 8"}),
    json.dumps({"constraints": ["keep the lid shut"], "summary": "noted"}),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(QUESTIONS), st.sampled_from(ANSWERS), st.sampled_from(RESULTS)),
        st.tuples(st.just("delete"), st.integers(0, 20)),
        st.tuples(st.just("keep"), st.integers(0, 2)),
        st.tuples(st.sampled_from(("edit", "pin", "forget")), st.integers(0, 20)),
        st.just("undo"),
    ),
    min_size=3,
    max_size=12,
)
TOLD = {  # of a conversation, without numbers of rows
    "all_facts": "message_id, kind, device, channel, parameter, value, said, source, log, line, since, age",
    "all_nicknames": "message_id, device, nickname, kind",
    "all_state_items": "device, field, text, source, message_id, log, line, created_at",
    "device_states": "device, state",
    "entities": "ref, type, label, flag, first_message, last_message, link",
    "message_terms": "terms",
    "all_messages": "id, deleted_at",
    "conversations": "summary, diagnostic_state",
}


def derived(database, conversation):
    """Return all that is stored of the conversation's memory, in order."""
    column = {"conversations": "id", "message_terms": "conversation"}
    return {
        table: rows(
            database,
            f"SELECT {columns} FROM {table} WHERE {column.get(table, 'conversation_id')} = ? ORDER BY rowid",
            (conversation,),
        )
        for table, columns in TOLD.items()
    }


def play(database, conversation, steps):
    """Say, read, record, change, delete and undo, as the steps say, whatever of it can be done."""
    for line, step in enumerate(steps):
        if step == "undo":
            undone = [one for one in list_revisions(database, conversation) if one.undone_at is None]
            if undone:
                undo_revision(database, undone[-1].id)
        elif step[0] == "delete":
            if messages := db.list_messages(database, conversation):
                delete_turn(database, messages[step[1] % len(messages)].id)
        elif step[0] == "keep":
            devices = [*load_inventory(settings_in_force({}).inventory).devices, None]
            pin(database, conversation, devices[step[1]], "run.log", line, f"Pinned line {line}: heater open")
        elif len(step) == 2:
            change(database, conversation, *step)
        else:
            exchange(database, conversation, *step)


def change(database, conversation, action, place):
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    sections = listing(database, conversation, state).sections
    if entries := [entry for told in sections.values() for entry in told]:
        entry = entries[place % len(entries)]
        try:
            revise(database, conversation, entry.item, action, entry.text, "the lid hums")
        except RefusedRevision:
            return


def throw_away(database, conversation):
    with db.transaction(database):
        for table in ("all_facts", "all_nicknames", "device_states", "entities"):
            database.execute(f"DELETE FROM {table} WHERE conversation_id = ?", (conversation,))
        database.execute("DELETE FROM all_state_items WHERE source != 'user'")
        database.execute("UPDATE conversations SET summary = 'x', diagnostic_state = '{}'")
        database.execute("DELETE FROM message_terms")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_same_memory_is_made_of_the_same_history(database, steps):
    conversation = db.create_conversation(database)
    exchange(database, conversation, QUESTIONS[0], ANSWERS[0], RESULTS[1])
    play(database, conversation, steps)
    before = derived(database, conversation)
    throw_away(database, conversation)
    rebuild(database, conversation)
    after = derived(database, conversation)
    for table in TOLD:
        assert after[table] == before[table], table
    for gone in list_deleted(database, conversation):
        undo_revision(database, gone.id)
    assert len(db.list_messages(database, conversation)) == len(before["all_messages"])
    db.delete_conversation(database, conversation)


REPORTED = """- Problem: oven 7 is off by two degrees since Monday.
- Requirements: It should hold ±0.1 °C.
- Constraints: We cannot stop production before Friday."""


@pytest.mark.usefixtures("forked")
def test_the_command_makes_anew_what_turns_of_several_modes_left(database, capsys):
    talk = Talk()
    for words in (REPORTED, "Show the summary", "yes"):
        talk.say(words)
    for words in ("$tool list_devices", "kp is 0.2 now"):
        talk.say(words, "chat")
    talk.say("oven 8?", "investigate")
    before = derived(database, talk.conversation)
    laid = [row for row in before["all_facts"] if row[1] == "constraint"]
    assert laid and main(["rebuild"]) == 0
    after = derived(database, talk.conversation)
    for table in TOLD:
        assert after[table] == before[table], table
    assert main(["rebuild", "nobody"]) == 1 and "No conversation 'nobody'" in capsys.readouterr().out


def test_a_memory_whose_steps_are_gone_is_left_as_it_is(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, QUESTIONS[0], ANSWERS[0], RESULTS[1])
    database.conn.execute("DELETE FROM run_events")
    before = derived(database, conversation)
    with pytest.raises(RefusedRebuild, match="all there is"):
        rebuild(database, conversation)
    assert derived(database, conversation) == before
