"""Which agents there are: what answers a prompt, how it is started, and how its stream is read."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import cursor_cli
from instrumentgpt.agents import claude_cli, codex_cli, gemini_cli, opencode_cli
from instrumentgpt.agents.evidence import COMMON_SIGNS, Sign
from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.process import Command, Parser, Request
from instrumentgpt.agents.programs import agent_table, find_program
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.settings import CHECKOUT, Settings

# What a program needs to find its files, speak the user's language, reach its service, and be found by us.
PASSED_ON = (
    *("HOME", "PATH", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
    *("http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", RUN_VARIABLE),
)
PASSED_ON_PREFIXES = ("LC_", "XDG_")


class UnknownAgent(InstrumentGPTError, LookupError):
    """An agent that is not in AGENTS, or that is not installed."""


@dataclass(frozen=True)
class Agent:
    """One program that answers prompts.

    find       the program's path on this machine, or None; given the path from the settings, or ""
    command    how to ask it: (path, request, environment) → Command
    parse      lines of its stdout → events, the last a Done
    variables  environment variables of this agent's own, by prefix: they are passed on to it alone
    state      folders of its own, as agents/sandbox.py names them; () for a program of ours: not kept
    caveat     what a person should know of what it may do, beside what is so of all
    resumes    whether it can go on with an earlier session, by the id that it told in a Session event
    """

    name: str
    label: str
    find: Callable[[str], str | None]
    command: Callable[[str, Request, Mapping[str, str]], Command]
    parse: Parser
    signs: tuple[Sign, ...] = COMMON_SIGNS
    variables: tuple[str, ...] = ()
    install: str = ""
    resumes: bool = True
    state: tuple[str, ...] = ()
    caveat: str = ""


def _on_our_wire(start: tuple[str, ...], request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask a program that speaks Cursor's stream and reads the task file; `start` begins it."""
    options = ("--task", str(request.task_file)) if request.task_file else ()
    environment = {**environment, "PYTHONPATH": str(CHECKOUT)}
    return Command((*start, *options), request.prompt, environment, request.folder)


def _cli(name: str, adapter: Any) -> Agent:
    """Return the agent of programs.toml whose adapter is this module."""
    row = agent_table()[name]
    return Agent(
        name,
        row["label"],
        partial(find_program, tuple(row["names"])),
        adapter.command,
        adapter.parse_stream,
        adapter.SIGNS,
        tuple(row["variables"]),
        row["install"],
        state=tuple(row["state"]),
        caveat=row.get("caveat", ""),
    )


ADAPTERS = {
    "cursor": cursor_cli,
    "claude": claude_cli,
    "codex": codex_cli,
    "gemini": gemini_cli,
    "opencode": opencode_cli,
}
AGENTS: dict[str, Agent] = {
    **{name: _cli(name, adapter) for name, adapter in ADAPTERS.items()},
    "offline": Agent(
        "offline",
        "Offline analyst",
        lambda _: sys.executable,
        lambda program, *arguments: _on_our_wire((program, "-m", "instrumentgpt", "offline"), *arguments),
        partial(cursor_cli.parse_stream, narrates=False),
        variables=("INSTRUMENTGPT_", "PYTHON"),
        resumes=False,
    ),
    "scripted": Agent(
        "scripted",
        "Scripted agent",
        lambda program: find_program((), program) if program else None,
        lambda program, *arguments: _on_our_wire((program,), *arguments),
        cursor_cli.parse_stream,
        variables=("INSTRUMENTGPT_", "PYTHON"),
        install="Name its program in INSTRUMENTGPT_SCRIPT: docs/tests.md.",
        resumes=False,
    ),
}
AUTOMATIC = ("cursor", "offline")  # the first one that is installed answers for "auto"; others are chosen


def choose(name: str, settings: Settings) -> tuple[Agent, str]:
    """Return the agent called `name`, or for "auto" the first one installed, with the path of its program.

    >>> choose("offline", Settings())[0].label
    'Offline analyst'
    """
    if name != "auto" and name not in AGENTS:
        raise UnknownAgent(f"{name!r} is no agent. Choose one of: auto, {', '.join(AGENTS)}")
    for candidate in AUTOMATIC if name == "auto" else (name,):
        path = AGENTS[candidate].find(_own_path(candidate, settings))
        if path is not None:
            return AGENTS[candidate], path
    where = f" at {setting}" if (setting := _own_path(name, settings)) else ""
    raise UnknownAgent(f"{AGENTS[name].label} is not installed{where}. {AGENTS[name].install}")


def installed(name: str, settings: Settings) -> str:
    """Return the name of the agent that `choose` finds, "" if none is installed."""
    with suppress(UnknownAgent):
        return choose(name, settings)[0].name
    return ""


def _own_path(name: str, settings: Settings) -> str:
    """Return the path that the settings give for this agent: it is the chosen one's, else Cursor's.

    The scripted agent's has a setting of its own.
    """
    if name == "scripted" and settings.script:
        return settings.script
    return settings.agent_path if name == _preferred_agent(settings) else ""


def model_for(agent: Agent, settings: Settings) -> str:
    """Return the model that the settings ask of `agent`; another agent than the chosen one has its own.

    >>> model_for(AGENTS["codex"], Settings(agent="codex", model="m1")), model_for(
    ...     AGENTS["cursor"], Settings(agent="codex", model="m1"))
    ('m1', '')
    """
    return settings.model if agent.name == _preferred_agent(settings) else ""


def _preferred_agent(settings: Settings) -> str:
    return "cursor" if settings.agent in ("auto", "offline") else settings.agent


def environment_for(agent: Agent, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the part of `given` (default: ours) that `agent` needs; other programs' keys stay with us.

    >>> environment_for(AGENTS["cursor"], {"PATH": "/bin", "CURSOR_API_KEY": "k", "AWS_SECRET": "s"})
    {'PATH': '/bin', 'CURSOR_API_KEY': 'k'}
    """
    prefixes = (*PASSED_ON_PREFIXES, *agent.variables)
    given = os.environ if given is None else given
    return {name: text for name, text in given.items() if name in PASSED_ON or name.startswith(prefixes)}
