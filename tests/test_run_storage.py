"""Runs in the database: one live run per conversation, events numbered without gaps."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import db
from instrumentgpt.storage import runs
from instrumentgpt.storage.revisions import forget_deleted, list_deleted

CHECKOUT = str(Path(__file__).parents[1])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.db"


@pytest.fixture
def database(path, migrated):
    opened = db.connect(shutil.copy(migrated, path))
    yield opened
    opened.close()


@pytest.fixture
def run(database, conversation):
    return runs.start_run(database, conversation, "offline", "chat")


def test_a_run_is_live_until_it_is_finished(database, conversation, run):
    live = runs.live_run(database, conversation)
    assert (live.id, live.agent, live.mode, live.status) == (run, "offline", "chat", "running")
    assert live.finished_at is None and live.pid is None and not live.stop_requested
    assert runs.finish_run(database, run, "ok")
    assert runs.live_run(database, conversation) is None
    assert runs.get_run(database, run).status == "ok"
    assert runs.get_run(database, run).finished_at >= live.started_at


def test_a_finished_run_keeps_its_first_end(database, run):
    runs.finish_run(database, run, "cancelled")
    assert not runs.finish_run(database, run, "ok")
    assert runs.get_run(database, run).status == "cancelled"


def test_a_second_live_run_is_refused(database, conversation, run):
    with pytest.raises(db.RunInProgress, match=r"still being answered.*Stop"):
        runs.start_run(database, conversation, "offline", "chat")
    runs.finish_run(database, run, "ok")
    assert runs.start_run(database, conversation, "offline", "chat") != run


def test_another_conversation_may_have_its_own_run(database, run):
    other = runs.start_run(database, db.create_conversation(database), "offline", "chat")
    assert [live.id for live in runs.live_runs(database)] == [run, other]


def test_eight_racing_submits_give_one_run(path, conversation):
    outcomes, barrier = [], threading.Barrier(8)

    def submit():
        database = db.connect(path)
        barrier.wait()
        try:
            outcomes.append(runs.start_run(database, conversation, "offline", "chat"))
        except db.RunInProgress:
            outcomes.append("refused")
        finally:
            database.close()

    threads = [threading.Thread(target=submit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("refused") == 7


def test_the_process_and_the_wish_to_stop_are_noted(database, run):
    runs.set_process(database, run, 4711, 1234.5)
    runs.request_stop(database, run)
    found = runs.get_run(database, run)
    assert (found.pid, found.process_started, found.stop_requested) == (4711, 1234.5, True)


def test_events_are_numbered_from_one_without_gaps(database, run):
    assert runs.append_events(database, run, []) == 0
    assert runs.append_events(database, run, ["a", "b"]) == 2
    assert runs.append_events(database, run, ["c"]) == 3
    assert runs.read_events(database, run) == [(1, "a"), (2, "b"), (3, "c")]
    assert runs.read_events(database, run, after=1) == [(2, "b"), (3, "c")]
    assert runs.read_events(database, run, after=1, limit=1) == [(2, "b")]
    assert runs.read_events(database, run, after=3) == []


def test_each_run_counts_for_itself(database, run):
    runs.append_events(database, run, ["a"])
    other = runs.start_run(database, db.create_conversation(database), "offline", "chat")
    assert runs.append_events(database, other, ["x"]) == 1


WRITER = """
import sys, db
from instrumentgpt.storage import runs
from instrumentgpt.storage.revisions import forget_deleted, list_deleted
database = db.connect(sys.argv[1])
for number in range(40):
    runs.append_events(database, sys.argv[2], [f"{sys.argv[3]} {number} {part}" for part in "ab"])
"""


def test_two_processes_writing_one_run_leave_no_gap(path, database, run):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, run, name], env={**os.environ, "PYTHONPATH": CHECKOUT}
        )
        for name in "xy"
    ]
    assert [writer.wait(250) for writer in writers] == [0, 0]
    events = runs.read_events(database, run)
    assert [number for number, _ in events] == list(range(1, 161))
    assert [event for _, event in events if event[0] == "x"] == [
        f"x {n} {part}" for n in range(40) for part in "ab"
    ]


UNKNOWN = {
    "get_run": lambda d: runs.get_run(d, "nobody"),
    "set_process": lambda d: runs.set_process(d, "nobody", 1, 1.0),
    "request_stop": lambda d: runs.request_stop(d, "nobody"),
    "append_events": lambda d: runs.append_events(d, "nobody", ["a"]),
}


@pytest.mark.parametrize("call", UNKNOWN.values(), ids=UNKNOWN)
def test_a_run_that_is_not_there_says_so(database, call):
    with pytest.raises(db.UnknownRun, match="'nobody'"):
        call(database)


def test_runs_are_listed_newest_first(database, conversation, run):
    runs.finish_run(database, run, "ok")
    second = runs.start_run(database, conversation, "cursor", "chat")
    assert [row.id for row in runs.list_runs(database, conversation)] == [second, run]
    assert [row.id for row in runs.list_runs(database, conversation, limit=1)] == [second]


def test_a_deleted_question_leaves_its_run(database, conversation):
    question = db.add_message(database, conversation, "user", "x")
    run = runs.start_run(database, conversation, "offline", "chat", question)
    runs.finish_run(database, run, "ok")
    db.delete_turn(database, question)
    assert runs.get_run(database, run).question_message_id == question
    forget_deleted(database, list_deleted(database, conversation)[0].id)
    assert runs.get_run(database, run).question_message_id is None
