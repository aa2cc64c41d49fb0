"""What belongs together is stored together or not at all, and a reader sees one moment of it."""

import sqlite3
import subprocess
import sys

import pytest

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage import runs
from instrumentgpt.storage.connection import snapshot
from instrumentgpt.turn.turn import open_turn


def test_the_end_of_a_turn_is_stored_in_one_go(database, conversation):
    question = db.add_message(database, conversation, "user", "x")
    run = runs.start_run(database, conversation, "offline", "chat", question)
    chart = db.add_artifact(database, conversation, run, None, "plotly", "t", "a", b"{}")
    answer = db.finish_turn(database, conversation, run, "because", "cancelled")
    message = db.list_messages(database, conversation)[-1]
    assert message.id == answer and message.run_id == run
    assert (message.content, message.status) == ("because", "cancelled")
    assert [row.id for row in db.list_artifacts(database, answer)] == [chart]
    assert runs.get_run(database, run).status == "cancelled"


def test_the_end_of_a_turn_that_fails_stores_nothing(database, conversation):
    question = db.add_message(database, conversation, "user", "x")
    run = runs.start_run(database, conversation, "offline", "chat", question)
    turn = open_turn(database, run)

    def fail(_):
        raise KeyError

    turn.also_saved.append(fail)
    with pytest.raises(KeyError):
        turn.save("ok")
    assert [one.role for one in db.list_messages(database, conversation)] == ["user"]
    assert db.get_memory(conversation, database) == ("", "")
    assert runs.get_run(database, run).status == "running"


def test_a_transaction_inside_a_transaction_is_undone_with_it(database, conversation):
    with pytest.raises(KeyError), db.transaction(database):
        db.rename_conversation(database, conversation, "inner")
        raise KeyError
    assert db.get_conversation(database, conversation).title == ""


def test_a_failed_inner_transaction_leaves_the_outer_one_going(database, conversation):
    with db.transaction(database):
        db.rename_conversation(database, conversation, "outer")
        with pytest.raises(db.UnknownConversation):
            db.rename_conversation(database, "nobody", "x")
    assert db.get_conversation(database, conversation).title == "outer"


def test_a_snapshot_shows_one_moment_whatever_others_write_meanwhile(database, conversation):
    other = db.connect(database_path())
    with snapshot(database):
        assert db.list_messages(database, conversation) == []
        db.add_message(other, conversation, "user", "why?")
        assert db.list_messages(database, conversation) == []
    other.close()
    assert [message.content for message in db.list_messages(database, conversation)] == ["why?"]


def test_nothing_is_written_in_a_snapshot_and_all_can_be_after_it(database, conversation):
    with pytest.raises(sqlite3.OperationalError, match="readonly"), snapshot(database):
        db.add_message(database, conversation, "user", "why?")
    assert db.list_messages(database, conversation) == []
    db.add_message(database, conversation, "user", "why?")
    assert len(db.list_messages(database, conversation)) == 1


def test_a_second_connection_leaves_the_first_what_others_write_and_leave(database, conversation):
    """Whoever closes a file that SQLite holds open takes the locks of all connections of this process."""
    db.connect(database_path()).close()
    program = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]);"
        "database.execute('UPDATE conversations SET title = ?', sys.argv[2:]);"
        "database.commit(); database.close()"
    )
    for title in ("first", "second"):
        subprocess.run([sys.executable, "-c", program, str(database_path()), title], check=True)
        assert [one.title for one in db.list_conversations(database)] == [title]
