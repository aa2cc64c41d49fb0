"""Three answers at once; further questions wait in order, are shown as waiting, and can be stopped."""

import shlex
import sys
from pathlib import Path

import pytest
from waiting import at_once, wait_for

import db
from instrumentgpt.agents.events import Done, Text, Tick
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import begin_run, finish_run, get_run, start_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.close import events_of, process_of
from instrumentgpt.turn.turn import run_folder

pytestmark = pytest.mark.usefixtures("judged_before")

FAKE = Path(__file__).parent / "fake_agent.py"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """The database, for an agent that does what the file `does` says at that time."""
    program = tmp_path / "agent"
    fake = shlex.join([sys.executable, str(FAKE)])
    program.write_text(f'#!/bin/sh\nexec {fake} $(cat {tmp_path / "does"}) "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    (tmp_path / "does").write_text("silent")
    return database_path()


def asked(path, database, count):
    return [runs.start(path, db.create_conversation(database), "why?") for _ in range(count)]


def notes(database, run_id):
    return [event.note for event in events_of(database, run_id) if isinstance(event, Tick)]


def rows(database, count):
    return [start_run(database, db.create_conversation(database), "cursor", "chat") for _ in range(count)]


def test_runs_begin_in_the_order_of_the_questions(database):
    ids = rows(database, 4)
    assert [begin_run(database, run_id, at_once=2) for run_id in (ids[3], ids[2], ids[1], ids[0])] == [
        2,
        1,
        0,
        0,
    ]
    finish_run(database, ids[0], "ok")
    assert begin_run(database, ids[3], at_once=2) == 1  # it is the third's turn
    assert begin_run(database, ids[2], at_once=2) == 0
    finish_run(database, ids[1], "ok")
    assert begin_run(database, ids[3], at_once=2) == 0


def test_a_run_that_has_begun_stays_begun(database):
    (first, _) = rows(database, 2)
    assert begin_run(database, first, at_once=1) == 0
    began = get_run(database, first).began_at
    assert begin_run(database, first, at_once=1) == 0
    assert get_run(database, first).began_at == began


def test_a_fourth_question_waits_is_shown_as_waiting_and_begins_when_one_has_ended(path, database, tmp_path):
    *three, fourth = asked(path, database, 4)
    wait_for(lambda: all(get_run(database, run_id).began_at for run_id in three))
    assert wait_for(lambda: notes(database, fourth)) == [
        "waiting for other answers to end: number 1 in the queue"
    ]
    assert get_run(database, fourth).began_at is None
    (tmp_path / "does").write_text("says It_swings.")
    runs.stop(path, three[1])
    wait_for(lambda: get_run(database, fourth).status == "ok")
    assert "It_swings." in [event.text for event in events_of(database, fourth) if isinstance(event, Text)]
    for run_id in three:
        runs.stop(path, run_id)


def test_a_waiting_question_can_be_stopped_at_once(path, database, monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_RUNS_AT_ONCE", "1")
    first, second = asked(path, database, 2)
    wait_for(lambda: notes(database, second))
    with at_once():
        assert runs.stop(path, second).status == "cancelled"
    assert [event for event in events_of(database, second) if isinstance(event, Done)] == [
        Done("cancelled", "", *_rest(database, second))
    ]
    assert get_run(database, first).status == "running"
    runs.stop(path, first)


def _rest(database, run_id):
    done = next(event for event in events_of(database, run_id) if isinstance(event, Done))
    return done.seconds, done.usage


def test_waiting_does_not_count_as_working_too_long(path, database, monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_RUNS_AT_ONCE", "1")
    first, second = asked(path, database, 2)
    wait_for(lambda: notes(database, second))
    database.conn.execute("UPDATE runs SET started_clock = started_clock - 10000 WHERE id = ?", (second,))
    database.conn.commit()
    assert runs.reap(path) == []
    for run_id in (first, second):
        runs.stop(path, run_id)


def test_a_dead_answer_does_not_hold_up_the_queue(path, database, tmp_path, monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_RUNS_AT_ONCE", "1")
    first, second = asked(path, database, 2)
    wait_for(lambda: notes(database, second))
    (tmp_path / "does").write_text("says next")
    wait_for(lambda: get_run(database, first).pid)
    process_of(get_run(database, first)).kill()
    assert (
        wait_for(lambda: get_run(database, second).status == "ok" and get_run(database, first).status)
        == "died"
    )


def test_an_agents_session_is_kept_for_its_conversation_and_told_when_it_is_gone(path, database, tmp_path):
    conversation = db.create_conversation(database)
    words = []
    for does in ("resumes", "resumes", "forgets"):
        (tmp_path / "does").write_text(does)
        run_id = runs.start(path, conversation, "why?")
        wait_for(lambda run_id=run_id: get_run(database, run_id).status == "ok")
        words.append(db.list_messages(database, conversation)[-1].content)
    assert words == ["a new session", "the session s-1", "a new session"]
    assert any("no longer has its earlier session" in note for note in notes(database, run_id))
    other = runs.start(path, db.create_conversation(database), "why?")
    wait_for(lambda: get_run(database, other).status == "ok")
    assert db.list_messages(database, get_run(database, other).conversation_id)[-1].content == "a new session"


def test_the_agents_own_key_is_nowhere_in_the_database(path, database, tmp_path, monkeypatch):
    monkeypatch.setenv("CURSOR_API_KEY", "correct-horse-battery-staple")
    (tmp_path / "does").write_text("tells_its_key")
    run_id = runs.start(path, db.create_conversation(database), "why?")
    wait_for(lambda: get_run(database, run_id).status != "running")
    wait_for(lambda: not run_folder(path, run_id).exists())  # its process takes it away at the last
    database.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = b"".join(file.read_bytes() for file in path.parent.rglob("*") if file.is_file())
    assert b"secret hidden" in stored
    assert b"correct-horse" not in stored
