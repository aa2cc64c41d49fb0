"""Connecting an agent to its account: logging in on a terminal of its own, its status, its models.

A login is made for a person at a terminal, so it gets one (pexpect); status and models come over a pipe.
Nothing here waits for ever, and nothing that was started stays.
"""

import re
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import pexpect

from instrumentgpt.agents.family import end_all, family_of
from instrumentgpt.agents.programs import GRACE_SECONDS, output_of
from instrumentgpt.agents.stream import clean, json_object
from instrumentgpt.errors import reason

LOGIN_SECONDS = 300.0  # a person reads, types a password, finds a second factor

ANSWER_SECONDS = 15.0  # for status and models; 3 s is usual on a small machine
LEAVE_SECONDS = 3.0  # after it said that it is logged in; some wait for a key then
LOOK_SECONDS = 0.2  # how late it is noticed that nobody finished it
COLUMNS = 2_000  # characters: a login address must not be broken into lines
TAIL_CHARACTERS = 20_000  # of its output kept
_ADDRESS = re.compile(r"https://[^\s\"'<>`\x00-\x1f]+(?=\s)")
_LOGGED_IN = re.compile(
    r"(?<!not )(?<!n't )\b(?:logged in|login successful|successfully authenticated|authentication complete)",
    re.IGNORECASE,
)
_LOGGED_OUT = re.compile(
    r"\bnot (?:logged in|authenticated|signed in)|logged out|login required", re.IGNORECASE
)
_MODEL = re.compile(r"\s*([\w.:/\[\]=,+-]+)\s+-\s+\S.*")


@dataclass(frozen=True)
class Commands:
    """The sub-commands of an agent that concern its account; () where it has none.

    on_page  whether its login can be finished on the page: it wants no code typed back
    """

    login: tuple[str, ...]
    status: tuple[str, ...]
    models: tuple[str, ...] = ()
    on_page: bool = True


COMMANDS = {  # by the agents' names in the registry
    "cursor": Commands(("login",), ("status",), ("models",)),
    "claude": Commands(("auth", "login"), ("auth", "status"), on_page=False),
    "codex": Commands(("login",), ("login", "status")),
}


@dataclass(frozen=True)
class Address:
    """Where a person finishes the login, in a browser."""

    url: str


@dataclass(frozen=True)
class Status:
    """Whether an agent is logged in; None: it did not say. `text` is its own line."""

    logged_in: bool | None
    text: str


Login = Generator[Address | Status, None, None]  # its last is how it ended; closing it ends the login


def log_in(
    program: str,
    commands: Commands,
    environment: Mapping[str, str],
    seconds: float = LOGIN_SECONDS,
) -> Login:
    """Run the login of `program` and yield the address to open, then how it ended.

    Closing it ends the login and all that it started.
    """
    try:
        child: pexpect.spawn[bytes] = pexpect.spawn(
            program,
            list(commands.login),
            env={**environment, "NO_OPEN_BROWSER": "1", "TERM": "dumb"},
            dimensions=(50, COLUMNS),
            timeout=None,
            encoding=None,
        )
    except (pexpect.ExceptionPexpect, OSError) as error:
        yield Status(False, f"{program} does not start: {reason(error)}")
        return
    try:
        yield from _followed(child, time.monotonic() + seconds)
    finally:
        end_all(family_of(child.pid) if child.pid else (), GRACE_SECONDS)
        child.close(force=True)


def _followed(child: "pexpect.spawn[bytes]", deadline: float) -> Login:
    output, address = b"", ""
    while True:
        ended, block = _read(child)
        output = (output + block)[-4 * TAIL_CHARACTERS :]
        text = "\n".join(clean(line) for line in output.split(b"\n"))[-TAIL_CHARACTERS:]
        match = _ADDRESS.search(text + "\n" if ended or not block else text)
        if match and match.group() != address:
            address = match.group()
            yield Address(address)
        if ended:
            child.close(force=True)
            well = child.exitstatus == 0 and not _LOGGED_OUT.search(text)
            yield Status(
                well, _last_line(text) or f"It ended with exit code {child.exitstatus} and no words."
            )
            return
        if _LOGGED_IN.search(text):
            deadline = min(deadline, time.monotonic() + LEAVE_SECONDS)
        if time.monotonic() > deadline:
            logged_in = _LOGGED_IN.search(text) is not None
            late = "Nobody finished the login in time. Try again, and open the address at once."
            yield Status(logged_in, _last_line(text) if logged_in else late)
            return


def _read(child: "pexpect.spawn[bytes]") -> tuple[bool, bytes]:
    """Return whether the output has ended, and what came within a moment."""
    try:
        return False, child.read_nonblocking(65_536, LOOK_SECONDS)
    except pexpect.TIMEOUT:
        return False, b""
    except pexpect.EOF:
        return True, b""


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def status_of(program: str, commands: Commands, environment: Mapping[str, str]) -> Status:
    """Return whether `program` says that it is logged in.

    With a key from the environment some agents know no account, and say nothing that can be told.
    """
    code, text = output_of((program, *commands.status), environment, ANSWER_SECONDS)
    if (status := _status_in_json(text)) is not None:
        return status
    for logged_in, says in ((False, _LOGGED_OUT), (True, _LOGGED_IN)):
        line = next((line.strip() for line in text.splitlines() if says.search(line)), "")
        if line and (code == 0 or not logged_in):
            return Status(logged_in, line)
    return Status(None, _last_line(text) or "It did not answer.")


def _status_in_json(text: str) -> Status | None:
    """Return what a JSON object says of the login, as Claude Code prints it; None if it is none.

    >>> _status_in_json('{"loggedIn": true, "authMethod": "api_key"}')
    Status(logged_in=True, text='Logged in (api_key)')
    """
    answer = json_object(text)
    if not isinstance(answer.get("loggedIn"), bool):
        return None
    how = f" ({answer['authMethod']})" if answer.get("authMethod") not in (None, "none") else ""
    return Status(answer["loggedIn"], f"{'Logged' if answer['loggedIn'] else 'Not logged'} in{how}")


def models_of(program: str, commands: Commands, environment: Mapping[str, str]) -> list[str]:
    """Return the models of the account as `program` lists them, as `--model` takes them; [] if it cannot."""
    if not commands.models:
        return []
    code, text = output_of((program, *commands.models), environment, ANSWER_SECONDS)
    return read_models(text) if code == 0 else []


def read_models(text: str) -> list[str]:
    """Return the ids in the lines `id - Name  (current)`; headings and tips are passed over.

    >>> read_models("Available models\\n\\nauto - Auto  (current)\\ngpt-5 - GPT-5\\n\\nTip: use --model <id>")
    ['auto', 'gpt-5']
    """
    return [match[1] for match in map(_MODEL.fullmatch, text.splitlines()) if match]
