"""Turns as processes: they outlive who started them, stop at once, and never end without an answer."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from waiting import AT_ONCE, at_once, gone, lives, wait_for

import db
from instrumentgpt.agents.events import Failure, Text
from instrumentgpt.agents.family import run_processes
from instrumentgpt.agents.process import POLL, Clocks
from instrumentgpt.agents.registry import UnknownAgent
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import get_run, list_runs, set_process
from instrumentgpt.turn import runs
from instrumentgpt.turn.close import OVERTIME_SECONDS, events_of

FAKE = Path(__file__).parent / "fake_agent.py"
INVENTORY = '[[device]]\nname = "zspr 052"\nip = "10.1.1.47"\nlogs = "logs/052"\n'


@pytest.fixture(autouse=True)
def path(inventory):
    inventory(INVENTORY)
    return database_path()


@pytest.fixture
def agent(cli_agent):
    return lambda *behaviour: cli_agent("fake_agent.py", *behaviour)


def ended(database, run_id):
    return wait_for(lambda: (run := get_run(database, run_id)).status != "running" and run)


def words_so_far(database, run_id):
    return "".join(event.text for event in events_of(database, run_id) if isinstance(event, Text))


def answer(database, conversation):
    return db.list_messages(database, conversation)[-1]


def pids_told(database, run_id):
    told = wait_for(lambda: "word1 " in (said := words_so_far(database, run_id)) and said)
    return [int(pid) for pid in told.split()[:2]]


def test_a_question_is_answered_by_a_process_and_stored_and_leaves_no_folder(
    path, database, conversation, agent
):
    agent("says", "It swings.")
    run_id = runs.start(path, conversation, "why?")
    assert ended(database, run_id).status == "ok"
    messages = db.list_messages(database, conversation)
    assert [(message.role, message.content, message.status) for message in messages] == [
        ("user", "why?", "complete"),
        ("assistant", "It swings.", "complete"),
    ]
    assert messages[1].run_id == run_id
    wait_for(lambda: not lives(get_run(database, run_id).pid))
    assert not (path.parent / "runs" / run_id).exists()


def test_of_a_double_click_one_question_starts(path, database, conversation, agent):
    agent("silent")
    results = []

    def click():
        try:
            results.append(runs.start(path, conversation, "why?"))
        except db.RunInProgress as error:
            results.append(error)

    clicks = [threading.Thread(target=click) for _ in range(4)]
    [thread.start() for thread in clicks]
    [thread.join() for thread in clicks]
    started = [result for result in results if isinstance(result, str)]
    assert len(started) == 1 and len(results) == 4
    assert len(list_runs(database, conversation)) == 1
    assert db.count_messages(database, conversation) == 1
    runs.stop(path, started[0])


@pytest.mark.parametrize("behaviour", ["says_and_lingers_in_pieces", "hides_a_child_and_lingers"])
def test_stop_keeps_the_partial_answer_marked_and_leaves_no_process(
    path, database, conversation, agent, behaviour
):
    agent(behaviour)
    run_id = runs.start(path, conversation, "why?")
    pids = [*pids_told(database, run_id), get_run(database, run_id).pid]
    with at_once():
        stopped = runs.stop(path, run_id)
    assert stopped.status == "cancelled"
    assert "word1 " in answer(database, conversation).content
    assert answer(database, conversation).status == "cancelled"
    gone(*pids)


@pytest.mark.parametrize("behaviour", ["stubborn", "silent"])
def test_stop_ends_agents_that_do_not_want_to(path, database, conversation, agent, behaviour):
    agent(behaviour)
    run_id = runs.start(path, conversation, "why?")
    wait_for(lambda: len(run_processes(run_id)) >= 2)
    with at_once():
        assert runs.stop(path, run_id).status == "cancelled"
    wait_for(lambda: not run_processes(run_id), AT_ONCE)


def test_the_times_that_a_stop_may_take_add_up_to_a_second_and_a_half():
    """On paper, where no machine can be slow: a turn comes to end its agent before it is killed itself."""
    assert Clocks().grace_when_stopped + 2 * POLL < runs.STOP_SECONDS < 1.5


def test_what_an_agent_hides_does_not_outlive_its_answer(path, database, conversation, agent):
    agent("hides_a_child_and_ends")
    *_, done = runs.consume(path, conversation, "why?")
    assert done.outcome == "ok"
    gone(int(done.text))


def test_stop_ends_a_turn_that_is_wedged(path, database, conversation, agent):
    agent("hides_a_child_and_lingers")
    run_id = runs.start(path, conversation, "why?")
    pids = pids_told(database, run_id)
    os.kill(get_run(database, run_id).pid, signal.SIGSTOP)  # it will not react to anything but SIGKILL
    with at_once():
        assert runs.stop(path, run_id).status == "cancelled"
    assert "word1 " in answer(database, conversation).content
    gone(*pids)
    wait_for(lambda: not run_processes(run_id), AT_ONCE)


def test_stop_of_a_run_that_has_ended_changes_nothing(path, database, conversation, agent):
    agent("says", "It swings.")
    run_id = runs.start(path, conversation, "why?")
    ended(database, run_id)
    assert runs.stop(path, run_id).status == "ok"
    assert db.count_messages(database, conversation) == 2


def test_a_run_outlives_the_kill_of_who_started_it(path, database, conversation, agent, tmp_path):
    agent("works_until", str(tmp_path / "enough"))
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from instrumentgpt.turn import runs;"
            "print(runs.start(*sys.argv[1:]), flush=True); time.sleep(600)",
            *(str(path), conversation, "why?"),
        ],
        stdout=subprocess.PIPE,
        cwd=FAKE.parents[1],
        text=True,
    )
    run_id = starter.stdout.readline().strip()
    starter.kill()
    starter.wait()
    starter.stdout.close()
    assert get_run(database, run_id).status == "running"
    (tmp_path / "enough").touch()
    assert ended(database, run_id).status == "ok"
    assert answer(database, conversation).content == "found it"


def test_a_run_whose_process_was_killed_is_closed_with_its_partial_answer(
    path, database, conversation, agent
):
    agent("says_and_lingers_in_pieces")
    run_id = runs.start(path, conversation, "why?")
    pids = pids_told(database, run_id)
    assert runs.reap(path) == []
    os.kill(get_run(database, run_id).pid, signal.SIGKILL)
    wait_for(lambda: runs.reap(path) == [run_id])
    assert get_run(database, run_id).status == "died"
    assert "word1 " in answer(database, conversation).content
    assert answer(database, conversation).status == "died"
    gone(*pids)
    assert runs.reap(path) == []


def test_a_dead_run_does_not_block_the_next_question(path, database, conversation, agent):
    agent("silent")
    first = runs.start(path, conversation, "why?")
    turn = psutil.Process(get_run(database, first).pid)
    turn.kill()
    wait_for(lambda: not lives(turn.pid))
    agent("says", "again")
    assert ended(database, runs.start(path, conversation, "why?")).status == "ok"
    assert get_run(database, first).status == "died"


def test_a_run_over_the_longest_time_is_ended_by_the_reaper(path, database, conversation, agent, monkeypatch):
    agent("says_and_lingers_in_pieces")
    run_id = runs.start(path, conversation, "why?")
    pids = pids_told(database, run_id)
    monkeypatch.setenv("INSTRUMENTGPT_TOTAL_SECONDS", str(-OVERTIME_SECONDS))
    assert runs.reap(path) == [run_id]
    assert (get_run(database, run_id).status, answer(database, conversation).status) == ("timeout", "timeout")
    gone(*pids)


def clock_set_by(days):
    """Environment of a process whose clock is set, while its monotonic clock goes on as it does for all."""
    found = [*Path("/usr/lib").glob("**/faketime/libfaketime.so.1")]
    if not found:
        pytest.skip("no libfaketime (apt-get install libfaketime)")
    return {"LD_PRELOAD": str(found[0]), "FAKETIME": f"{days:+}d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


@pytest.mark.parametrize("days", [-1, 1])
def test_setting_the_clock_ends_no_answer(path, database, conversation, agent, days):
    elsewhen = {**os.environ, **clock_set_by(days)}  # or skips
    agent("says_and_lingers_in_pieces")
    run_id = runs.start(path, conversation, "why?")
    pids_told(database, run_id)
    words = [sys.executable, "-c", f"from instrumentgpt.turn import runs; print(runs.reap({str(path)!r}))"]
    assert subprocess.run(words, env=elsewhen, capture_output=True, text=True).stdout.strip() == "[]"
    assert runs.stop(path, run_id).status == "cancelled"


def test_a_process_is_known_by_when_it_began_whatever_the_clock_is_set_to(
    path, database, conversation, agent
):
    agent("says", "It swings.")
    list(runs.consume(path, conversation, "why?"))
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    noted = list_runs(database, conversation)[0].process_started
    assert noted == pytest.approx(ticks / os.sysconf("SC_CLK_TCK"), abs=1.5)


def test_the_turn_itself_ends_an_agent_that_works_too_long(path, database, conversation, agent, monkeypatch):
    agent("chatters")
    for seconds in (0.5, 5, 25):  # until it has come to speak
        monkeypatch.setenv("INSTRUMENTGPT_TOTAL_SECONDS", str(seconds))
        run_id = runs.start(path, conversation, "why?")
        assert ended(database, run_id).status == "timeout"
        if answer(database, conversation).content.startswith("0 1 2 "):
            return
    pytest.fail("what was said before the end of the time is not kept")


def test_a_process_with_the_number_of_a_dead_turn_is_left_alone(path, database, conversation, agent):
    agent("silent")
    run_id = runs.start(path, conversation, "why?")
    turn = psutil.Process(get_run(database, run_id).pid)
    turn.kill()
    wait_for(lambda: not lives(turn.pid))
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as stranger:
        set_process(database, run_id, stranger.pid, turn.create_time() - 60)
        runs.stop(path, run_id)
        assert stranger.poll() is None
        stranger.kill()
    assert get_run(database, run_id).status == "cancelled"


def test_a_failure_is_stored_with_what_was_said(path, database, conversation, agent):
    agent("breaks_off")
    run_id = runs.start(path, conversation, "why?")
    assert ended(database, run_id).status == "no-result"
    stored = answer(database, conversation)
    assert (stored.content, stored.status) == ("The cause is", "no-result")
    failure = next(event for event in events_of(database, run_id) if isinstance(event, Failure))
    assert "another agent" in failure.remedy


def test_an_agent_that_is_not_installed_is_refused_before_anything_is_stored(
    path, database, conversation, monkeypatch
):
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", "/nowhere/agent")
    with pytest.raises(UnknownAgent, match=r"not installed.*cursor\.com/install"):
        runs.start(path, conversation, "why?", agent="cursor")
    with pytest.raises(LookupError, match="Choose one of: chat"):
        runs.start(path, conversation, "why?", mode="panell")
    assert db.count_messages(database, conversation) == 0


def test_an_inventory_that_cannot_be_read_is_the_answer(path, database, conversation, agent, monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", "/nowhere/devices.toml")
    agent("says", "never asked")
    run_id = runs.start(path, conversation, "why?")
    assert ended(database, run_id).status == "error"
    failure = next(event for event in events_of(database, run_id) if isinstance(event, Failure))
    assert "/nowhere/devices.toml" in failure.text and "demo/devices.toml" in failure.text


def test_leaving_the_foreground_stores_the_partial_answer_as_cancelled(path, database, conversation, agent):
    agent("says_and_lingers_in_pieces")
    events = runs.consume(path, conversation, "why?")
    pids = [int(pid) for pid in next(events).text.split()]
    events.close()
    assert answer(database, conversation).status == "cancelled"
    assert str(pids[0]) in answer(database, conversation).content
    gone(*pids)


def test_folders_of_old_runs_are_forgotten(path, database, conversation, agent):
    agent("says", "It swings.")
    old, recent = path.parent / "runs" / "old", path.parent / "runs" / "recent"
    for folder in (old, recent):
        folder.mkdir(parents=True)
        (folder / "turn.log").write_text("failed")
    os.utime(old, (0, 0))
    ended(database, runs.start(path, conversation, "why?"))
    assert not old.exists() and recent.exists()


def test_a_run_in_the_foreground_is_stopped_from_elsewhere(path, database, conversation, agent):
    agent("says_and_lingers_in_pieces")
    stopper = threading.Thread(target=lambda: runs.stop(path, begun_run_of(path, conversation)))
    stopper.start()
    (*_, done) = runs.consume(path, conversation, "why?")
    stopper.join()
    assert done.outcome == "cancelled"
    assert answer(database, conversation).status == "cancelled"


def begun_run_of(path, conversation):
    """Return the id of the conversation's run once it has begun to answer."""
    with closing(db.connect(path)) as opened:
        (run,) = wait_for(lambda: list_runs(opened, conversation))
        pids_told(opened, run.id)
        return run.id


def test_a_run_that_cannot_be_saved_now_is_saved_later(path, database, conversation, agent, monkeypatch):
    agent("says_and_lingers_in_pieces")
    run_id = runs.start(path, conversation, "why?")
    pids_told(database, run_id)
    monkeypatch.setenv("INSTRUMENTGPT_TOTAL_SECONDS", str(-OVERTIME_SECONDS))
    database.conn.execute(
        "CREATE TRIGGER broken AFTER INSERT ON all_messages BEGIN INSERT INTO nowhere VALUES (1); END"
    )
    with pytest.raises(db.StorageError):
        runs.reap(path)
    wait_for(lambda: not run_processes(run_id), AT_ONCE)
    assert get_run(database, run_id).status == "running"
    database.conn.execute("DROP TRIGGER broken")
    assert runs.reap(path) == [run_id]
    assert "word1 " in answer(database, conversation).content


def test_done_is_stored_with_the_answer(path, database, conversation, agent):
    agent("says", "It swings.")
    events = runs.consume(path, conversation, "why?")
    said = next(events)
    assert get_run(database, list_runs(database, conversation)[0].id).status == "running"
    done = next(events)
    assert list(events_of(database, list_runs(database, conversation)[0].id)) == [said, done]
    events.close()
    assert db.count_messages(database, conversation) == 2
