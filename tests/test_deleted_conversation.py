"""A deleted conversation leaves nothing on the disk, and nothing of another one goes with it."""

from contextlib import closing
from pathlib import Path

import pytest

import db
from instrumentgpt.settings import database_path
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
    with pytest.raises(db.RunInProgress):
        db.delete_conversation(database, conversation)
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
