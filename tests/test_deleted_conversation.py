"""A deleted conversation can be brought back; for good it leaves nothing, and others keep all of theirs."""

from contextlib import closing
from pathlib import Path

import pytest
from exchanges import exchange

import db
from instrumentgpt.pruning import prunable, prune
from instrumentgpt.settings import database_path
from instrumentgpt.storage.revised_memory import nicknames_everywhere
from instrumentgpt.storage.runs import finish_run, start_run


def filled(kind: str, name: str) -> Path:
    """Return a folder beside the database, made with a file in it."""
    folder = database_path().parent / kind / name
    folder.mkdir(parents=True)
    (folder / "file").write_text("x")
    return folder


def conversation_with_folders(database):
    """Return a conversation's id, and the folders that a turn with a dropped file leaves."""
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "what is this?")
    upload = db.add_artifact(database, conversation, None, question, "log", "a.log", "", b"x")
    run = start_run(database, conversation, "offline", "chat", question)
    finish_run(database, run, "died")
    places = (("workspaces", conversation), ("attachments", upload), ("runs", run))
    return conversation, [filled(*place) for place in places]


def seen_elsewhere(database):
    """Return what other conversations, the list and the search see of all conversations."""
    words = ("dirty", "swings", "Tallinn")
    hits = [hit.text for word in words for hit in db.search(database, word)]
    listed = [(one.id, one.title) for one in db.list_conversations(database)]
    return listed, sorted(hits), nicknames_everywhere(database)


def test_deleted_it_is_nowhere_until_it_is_brought_back_with_all_it_had(database, ovens):
    before = seen_elsewhere(database)
    conversation = db.create_conversation(database)
    found = '{"log": "a.log", "findings": [{"text": "pv swings"}]}'
    exchange(database, conversation, "We call oven 7 Tallinn. Why?", "The filter is dirty.", found)
    prompt, there = exchange(database, conversation, "and now?"), seen_elsewhere(database)
    db.hide_conversation(database, conversation)
    assert seen_elsewhere(database) == before
    assert db.get_conversation(database, conversation) is None
    assert [one.id for one in db.list_conversations(database, deleted=True)] == [conversation]
    other = db.create_conversation(database)
    assert "pv swings" not in exchange(database, other, "why does oven 7 swing?")
    db.delete_conversation(database, other)
    with pytest.raises(db.UnknownConversation):
        db.add_message(database, conversation, "user", "from another tab")
    db.show_conversation(database, conversation)
    assert seen_elsewhere(database) == there
    assert "pv swings" in prompt and "pv swings" in exchange(database, conversation, "and now?")


def test_pruned_it_leaves_nothing(database):
    conversation, folders = conversation_with_folders(database)
    other, others = conversation_with_folders(database)
    db.hide_conversation(database, conversation)
    database.execute("UPDATE conversations SET updated_at = updated_at - 864000")
    prune(database, [one for one in prunable(database, 9) if one.conversation_id == conversation])
    assert [row["id"] for row in database.query("SELECT id FROM conversations")] == [other]
    assert {row["conversation_id"] for row in database.query("SELECT * FROM all_messages")} == {other}
    assert [folder for folder in (*folders, *others) if folder.exists()] == others


def test_workspace_attachments_and_run_folders_go_with_the_conversation(database):
    conversation, folders = conversation_with_folders(database)
    db.delete_conversation(database, conversation)
    assert [folder for folder in folders if folder.exists()] == []


def test_the_folders_of_other_conversations_stay(database):
    conversation, _ = conversation_with_folders(database)
    _, others = conversation_with_folders(database)
    db.delete_conversation(database, conversation)
    assert all((folder / "file").exists() for folder in others)


def test_nothing_goes_while_the_conversation_is_being_answered(database):
    conversation, folders = conversation_with_folders(database)
    start_run(database, conversation, "offline", "chat")
    for delete in (db.delete_conversation, db.hide_conversation):
        with pytest.raises(db.RunInProgress):
            delete(database, conversation)
    assert all((folder / "file").exists() for folder in folders)


@pytest.mark.parametrize("strange", ["..", ".", "../keep", "a/b", ""])
def test_an_id_that_leads_elsewhere_deletes_no_folder(database, strange):
    kept = [filled("keep", ""), filled("workspaces", "a/b")]
    database.table("conversations").insert({"id": strange, "created_at": 0.0, "updated_at": 0.0})
    database.conn.commit()
    db.delete_conversation(database, strange)
    assert db.get_conversation(database, strange) is None
    assert all((folder / "file").exists() for folder in kept)


def test_a_workspace_that_is_a_link_is_not_followed(database):
    conversation = db.create_conversation(database)
    elsewhere = filled("keep", "")
    (database_path().parent / "workspaces").mkdir()
    (database_path().parent / "workspaces" / conversation).symlink_to(elsewhere)
    db.delete_conversation(database, conversation)
    assert (elsewhere / "file").exists()


def test_an_unknown_conversation_deletes_no_folder(database):
    folder = filled("workspaces", "gone")
    db.delete_conversation(database, "gone")
    assert folder.exists()


def test_a_database_in_memory_has_no_folders():
    with closing(db.connect(":memory:")) as database:
        conversation = db.create_conversation(database)
        db.delete_conversation(database, conversation)
        assert db.get_conversation(database, conversation) is None
