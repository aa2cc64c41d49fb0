"""A deleted turn takes back its messages and what only it found, and nothing else."""

import pytest

import db
from memory import DiagnosticState


@pytest.mark.parametrize("which", ["question", "answer", "second answer"])
def test_deleting_a_turn_takes_its_messages_and_their_summary(database, conversation, which):
    roles = ["user", "assistant", "user", "assistant", "assistant", "user"]
    ids = [db.add_message(database, conversation, role, "x") for role in roles]
    other = db.create_conversation(database)
    db.add_message(database, other, "user", "other")
    summary = f"[#{ids[0]}-#{ids[1]} x2] a\n[#{ids[2]}] b\n[#{ids[5]}] c"
    db.update_memory(conversation, summary, "{}", database)
    chosen = {"question": ids[2], "answer": ids[3], "second answer": ids[4]}[which]
    assert db.delete_turn(database, chosen) == ids[2:5]
    assert [row.id for row in db.list_messages(database, conversation)] == [*ids[:2], ids[5]]
    assert db.get_memory(conversation, database)[0] == ""  # the next prompt makes it anew
    assert db.count_messages(database, other) == 1


def test_a_deleted_turn_takes_back_what_only_it_found(database, conversation):
    ids = [db.add_message(database, conversation, role, "x") for role in ("user", "assistant") * 2]
    state = DiagnosticState(
        "10.1.1.47", "zspr 052", "b.log", ["a.log", "b.log"], ["f1", "f2"], [], ["c"], "resolved"
    )
    db.update_memory(conversation, "", state.serialize(), database)
    said = [
        ("findings", "f1", 1),
        ("downloaded_logs", "a.log", 1),
        ("findings", "f2", 3),
        ("root_causes", "c", 3),
    ]
    items = [db.StateItem("zspr 052", field, text, "tool", ids[at]) for field, text, at in said]
    again = db.StateItem("zspr 052", "downloaded_logs", "b.log", "agent", ids[3])
    db.add_state_items(database, conversation, [*items, again])
    db.delete_turn(database, ids[2])
    left = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert (left.findings, left.root_causes, left.status) == (["f1"], [], "investigating")
    assert (left.downloaded_logs, left.last_log_file) == (["a.log"], "a.log")
    assert [item.text for item in db.list_state_items(database, conversation)] == ["f1", "a.log"]


def test_a_deleted_turn_leaves_what_others_found_too(database, conversation):
    ids = [db.add_message(database, conversation, role, "x") for role in ("user", "assistant") * 2]
    db.update_memory(
        conversation, "", DiagnosticState(device_name="052", findings=["f"]).serialize(), database
    )
    db.add_state_items(
        database, conversation, [db.StateItem("052", "findings", "f", "tool", ids[at]) for at in (1, 3)]
    )
    db.delete_turn(database, ids[0])
    assert DiagnosticState.deserialize(db.get_memory(conversation, database)[1]).findings == ["f"]


def test_a_deleted_turn_takes_back_what_it_found_on_a_device_that_was_left(database, conversation):
    ids = [db.add_message(database, conversation, role, "x") for role in ("user", "assistant")]
    db.update_memory(
        conversation, "", DiagnosticState(device_name="053", findings=["f"]).serialize(), database
    )
    db.file_device_state(
        database, conversation, "052", DiagnosticState(device_name="052", findings=["f"]).serialize()
    )
    db.add_state_items(database, conversation, [db.StateItem("052", "findings", "f", "tool", ids[1])])
    db.delete_turn(database, ids[0])
    assert DiagnosticState.deserialize(db.device_states(database, conversation)["052"]).findings == []
    assert DiagnosticState.deserialize(db.get_memory(conversation, database)[1]).findings == ["f"]


def test_deleting_an_answer_that_has_no_question_takes_it_alone(database, conversation):
    ids = [db.add_message(database, conversation, role, "x") for role in ("assistant", "user")]
    assert db.delete_turn(database, ids[0]) == ids[:1]


def test_deleting_what_is_not_there_deletes_nothing(database, conversation):
    db.add_message(database, conversation, "user", "x")
    assert db.delete_turn(database, 999) == []
    assert db.count_messages(database, conversation) == 1
