"""Whether an agent is logged in is asked in the background, once, and kept for a while."""

import sys
import threading

import pytest
from waiting import wait_for

from instrumentgpt.agents.login import COMMANDS, Accounts, Status, status_of

CURSOR = COMMANDS["cursor"]
PATH = {"PATH": "/usr/bin:/bin"}
SECONDS = 60.0  # that a process may take to say a word on a busy machine


class Agent:
    """What is asked: counts, and answers when it is let."""

    def __init__(self, *said):
        self.said, self.asked, self.let = list(said), 0, threading.Event()

    def __call__(self, program, commands, environment):
        self.asked += 1
        assert self.let.wait(SECONDS)
        return self.said.pop(0) if len(self.said) > 1 else self.said[0]


def test_nobody_waits_for_an_agent_that_says_nothing(tmp_path):
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\nsleep 600\n")
    program.chmod(0o755)
    told = threading.Event()

    def ask(*asked):
        status = status_of(*asked)
        told.set()
        return status

    assert Accounts(ask).of(str(program), CURSOR, PATH) is None
    assert not told.is_set()


def test_what_the_program_says_is_there_a_moment_later(tmp_path):
    program = tmp_path / "agent"
    program.write_text(f"#!{sys.executable}\nprint('Logged in as ana@lab.tw')\n")
    program.chmod(0o755)
    accounts = Accounts()
    status = wait_for(lambda: accounts.of(str(program), CURSOR, PATH))
    assert status == Status(True, "Logged in as ana@lab.tw")


def test_it_is_asked_once_however_many_want_to_know():
    agent = Agent(Status(True, "yes"))
    accounts = Accounts(agent)
    for _ in range(20):
        assert accounts.of("agent", CURSOR, PATH) is None
    agent.let.set()
    assert wait_for(lambda: accounts.of("agent", CURSOR, PATH)) == Status(True, "yes")
    assert agent.asked == 1


def test_what_is_old_is_told_until_the_agent_has_said_anew():
    agent = Agent(Status(True, "yes"))
    accounts = Accounts(agent, kept_seconds=0.0)
    accounts.of("agent", CURSOR, PATH)
    agent.let.set()
    assert wait_for(lambda: accounts.of("agent", CURSOR, PATH)) == Status(True, "yes")
    agent.said.append(Status(False, "no"))
    wait_for(lambda: agent.asked >= 2 and accounts.of("agent", CURSOR, PATH) == Status(False, "no"))


def test_another_key_is_another_account():
    agent = Agent(Status(True, "one"), Status(True, "two"))
    agent.let.set()
    accounts = Accounts(agent)
    wait_for(lambda: accounts.of("agent", CURSOR, {"CURSOR_API_KEY": "a"}))
    wait_for(lambda: accounts.of("agent", CURSOR, {"CURSOR_API_KEY": "b"}))
    assert agent.asked == 2


def test_what_was_just_seen_need_not_be_asked():
    agent = Agent()
    accounts = Accounts(agent)
    accounts.learn("agent", PATH, Status(True, "yes"))
    assert accounts.of("agent", CURSOR, PATH) == Status(True, "yes") and agent.asked == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_agent_that_cannot_be_asked_is_not_known_and_not_asked_for_ever():
    def breaks(program, commands, environment):
        raise OSError("no more processes")

    accounts = Accounts(breaks)
    status = wait_for(lambda: accounts.of("agent", CURSOR, PATH))
    for thread in threading.enumerate():
        if thread.name == "status of agent":
            thread.join()  # its error is this test's, not that of the next
    assert status.logged_in is None
