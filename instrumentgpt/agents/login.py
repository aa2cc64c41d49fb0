"""What an agent says of its account: whether it is logged in, and which models it may use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from instrumentgpt.agents.programs import output_of
from instrumentgpt.agents.stream import json_object

ANSWER_SECONDS = 15.0  # for status and models; 3 s is usual on a small machine
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
    """The sub-commands of an agent that concern its account; () where it has none."""

    login: tuple[str, ...]
    status: tuple[str, ...]
    models: tuple[str, ...] = ()


COMMANDS = {  # by the agents' names in the registry
    "cursor": Commands(("login",), ("status",), ("models",)),
    "claude": Commands(("auth", "login"), ("auth", "status")),
    "codex": Commands(("login",), ("login", "status")),
}


@dataclass(frozen=True)
class Status:
    """Whether an agent is logged in; None: it did not say. `text` is its own line."""

    logged_in: bool | None
    text: str


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
