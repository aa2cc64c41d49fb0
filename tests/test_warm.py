"""Programs forked by the warm server: the same processes as cold ones, and nobody depends on the server."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest
from waiting import gone, lives, wait_for

import db
from instrumentgpt import warm_server
from instrumentgpt.agents import warm
from instrumentgpt.agents.family import run_processes
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.runs import get_run
from instrumentgpt.turn import runs

ROOT = Path(__file__).parents[1]
ANALYST = [sys.executable, "-m", "instrumentgpt", "offline"]
BEGUN: list[warm.Warm] = []
DEVICES = [sys.executable, "-m", "instrumentgpt", "devices"]


def started_server(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "instrumentgpt.warm_server"],
        stdin=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "INSTRUMENTGPT_HOME": str(folder), "INSTRUMENTGPT_WARM": str(folder)},
    )


def ended(process: "subprocess.Popen[bytes]") -> int:
    """Return how the server left, once the end of its standard input has told it to."""
    process.stdin.close()
    return process.wait(100)


@pytest.fixture
def forked():
    """No server but those of the tests here."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warm")
    process = started_server(folder)
    yield process, str(folder)
    assert ended(process) == 0


@pytest.fixture
def server(shared, monkeypatch) -> psutil.Process:
    """The server of all tests that leave it alive."""
    process, served = shared
    home().mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("INSTRUMENTGPT_WARM", served)
    wait_for(answers)
    return psutil.Process(process.pid)


@pytest.fixture(autouse=True)
def _ends_what_it_began():
    yield
    for program in BEGUN:
        for pipe in (program.stdin, program.stdout, program.stderr):
            pipe.close()
        program.wait()
    BEGUN.clear()


def answers() -> bool:
    program = begun(ANALYST, "help")
    return program is not None and program.wait() == 0


def begun(argv: list[str], prompt: str | None = None, **environment: str) -> warm.Warm | None:
    """Return a program that was forked, its prompt written; None if there was no server to fork it."""
    program = warm.start_piped(argv, {**os.environ, **environment}, home())
    if program is not None:
        BEGUN.append(program)
        if prompt is not None:
            program.stdin.write(prompt.encode())
            program.stdin.close()
    return program


@contextmanager
def asked(request):
    """The connection of one who asks and never lets the program begin."""
    waits, go = os.pipe()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(warm.address())
        socket.send_fds(connection, [b"r"], [0, 1, 2, waits])
        os.close(waits)
        connection.sendall(json.dumps(request).encode() + b"\n")
        yield connection
    os.close(go)


def said(program: warm.Warm) -> str:
    text = program.stdout.read().decode()
    assert program.wait() == 0, program.stderr.read().decode()
    return text


def answered(conversation: str, question: str) -> str:
    """Return the stored answer to `question`, its charts' ids masked."""
    with closing(db.connect(database_path())) as database:
        run_id = runs.start(database_path(), conversation, question, agent="offline")
        wait_for(lambda: get_run(database, run_id).status != "running")
        return re.sub(r"CHART:\w+", "CHART", db.list_messages(database, conversation)[-1].content)


def test_a_forked_turn_answers_what_a_cold_one_does(server, database, monkeypatch):
    questions = [db.create_conversation(database) for _ in range(2)]
    forked = answered(questions[0], "why does 10.1.1.47 fluctuate?")
    monkeypatch.setenv("INSTRUMENTGPT_WARM", "off")
    assert answered(questions[1], "why does 10.1.1.47 fluctuate?") == forked
    assert "CHART" in forked


def test_a_program_has_the_environment_and_folder_it_was_started_with_and_no_other_s(server, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "own.toml").write_text('[[device]]\nname = "oven 7"\nip = "10.1.1.70"\nlogs = "logs"\n')
    own = begun(DEVICES, INSTRUMENTGPT_INVENTORY=str(tmp_path / "own.toml"))
    assert "oven 7" in said(own)
    assert "oven 7" not in (text := said(begun(DEVICES))) and "zspr 052" in text
    waiting = begun(ANALYST, INSTRUMENTGPT_RUN="a" * 32, ONLY_HERE="yes")
    other = begun(ANALYST)
    seen, others = (psutil.Process(program.pid).environ() for program in (waiting, other))
    assert seen["INSTRUMENTGPT_RUN"] == "a" * 32
    assert "INSTRUMENTGPT_RUN" not in others and "ONLY_HERE" not in others
    assert Path(psutil.Process(waiting.pid).cwd()) == home()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_program_that_dies_tells_how_and_takes_nobody_along(server, number):
    dying, other = begun(ANALYST), begun(ANALYST)
    os.kill(dying.pid, number)
    assert dying.wait() == -number
    assert lives(other.pid) and other.returncode is None
    other.stdin.write(b"help")
    other.stdin.close()
    assert "I read instrument logs" in said(other)
    assert answers() and server.is_running()


def test_an_ended_program_keeps_its_number_until_it_was_waited_for(server):
    program = begun(ANALYST, "help")
    wait_for(lambda: psutil.Process(program.pid).status() == psutil.STATUS_ZOMBIE)
    assert program.wait() == 0
    wait_for(lambda: not psutil.pid_exists(program.pid))


def test_nothing_is_leaked_into_programs_or_kept_in_the_server(server):
    before = server.num_fds()
    programs = [begun(ANALYST) for _ in range(4)]
    for program in programs:
        wait_for(lambda files=f"/proc/{program.pid}/fd": sorted(os.listdir(files)) == ["0", "1", "2"])
        assert os.getsid(program.pid) == program.pid
        program.stdin.close()
    for program in programs:
        program.wait()
    wait_for(lambda: server.num_fds() <= before and not server.children())
    assert server.num_threads() == 1
    assert not [file for file in server.open_files() if ".db" in file.path]


def test_a_program_whose_asker_left_before_it_knew_of_it_does_not_begin(server):
    with asked({"version": warm.code_version(), "argv": DEVICES[2:], "cwd": "/", "env": {}}) as connection:
        (pid,) = warm.NUMBER.unpack(connection.recv(warm.NUMBER.size))
    assert gone(pid)
    assert not (home() / "instrumentgpt.db").exists()
    assert answers()


def test_stop_reaches_a_forked_turn_and_all_it_started(server, database, conversation, cli_agent, inventory):
    cli_agent("fake_agent.py", "stubborn")
    run_id = runs.start(database_path(), conversation, "why?")
    wait_for(lambda: len(run_processes(run_id)) >= 2)
    turn = psutil.Process(get_run(database, run_id).pid)
    assert turn.ppid() == server.pid
    assert turn in run_processes(run_id)
    assert runs.stop(database_path(), run_id).status == "cancelled"
    wait_for(lambda: not run_processes(run_id))


def test_of_two_servers_one_serves_and_one_that_is_killed_takes_no_turn_along(
    database, conversation, cli_agent, monkeypatch
):
    cli_agent("fake_agent.py", "says_and_lingers_in_pieces")
    monkeypatch.setenv("INSTRUMENTGPT_WARM", str(home()))
    both = [started_server(home()) for _ in range(2)]
    wait_for(lambda: [process.poll() for process in both].count(0) == 1)
    one, other = sorted(both, key=lambda process: process.poll() is not None)
    wait_for(answers)
    run_id = runs.start(database_path(), conversation, "why?")
    turn = get_run(database, run_id).pid
    assert psutil.Process(turn).ppid() == one.pid
    one.kill()
    one.communicate()
    other.stdin.close()
    assert begun(ANALYST) is None and lives(turn)
    assert runs.stop(database_path(), run_id).status == "cancelled"


def test_a_server_of_other_files_than_those_on_disk_leaves(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_WARM", str(home()))
    listener = warm_server.listening()
    with closing(listener), ThreadPoolExecutor() as threads:
        reading, writing = os.pipe()
        served = threads.submit(warm_server.Server(listener, "of today", {}, reading).answer)
        with asked({"version": "of yesterday", "argv": DEVICES[2:], "cwd": "/", "env": {}}) as connection:
            assert connection.recv(1) == b""
        assert served.result() is False
    for pipe in (reading, writing):
        os.close(pipe)


def test_ask_forks_its_analyst_from_itself_and_leaves_nothing_behind(monkeypatch):
    environment = {name: value for name, value in os.environ.items() if name != "INSTRUMENTGPT_WARM"}
    ask = [sys.executable, "-m", "instrumentgpt", "ask", "--agent", "offline", "--json", "which devices?"]
    done = subprocess.run(ask, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "zspr 052" in done.stdout, done.stderr
    monkeypatch.delenv("INSTRUMENTGPT_WARM")
    with socket.socket(socket.AF_UNIX) as free:
        free.bind(warm.address())
