"""One case run: in a home of its own, through real turns, whoever answers; what came of it is an Outcome."""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import db
import memory
from instrumentgpt import warm_server
from instrumentgpt.agents.events import Done, Failure, Text, Tool
from instrumentgpt.agents.registry import choose
from instrumentgpt.evals.cases import FOLDER, Case, Turn
from instrumentgpt.evals.fixtures import Fixture, lay_out, log_of
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.settings import CHECKOUT, Settings, database_path
from instrumentgpt.storage.revised_memory import listing
from instrumentgpt.storage.runs import get_prompt, list_prompts, start_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.turn import open_turn

MODELS = FOLDER / "models.py"  # programs that stand for a model; they are told the case, as no agent is
SCRIPTED = {"good": "scripted", "bad": "scripted", "obedient": "cursor"}  # whose wire they speak
REPLAY = "replay"


@dataclass(frozen=True)
class Answer:
    """What came of one question."""

    text: str
    outcome: str
    error: str = ""
    tools: tuple[Tool, ...] = ()  # as they ended
    prompts: tuple[str, ...] = ()
    usage: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What came of a case: an answer for each turn, and what is known afterwards."""

    answers: tuple[Answer, ...]
    values: Mapping[str, str] = field(default_factory=dict)  # "kp (比例增益), channel 1" → "0.12 %/°C"
    constraints: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    found: tuple[str, ...] = ()  # findings on record, of every device
    known: tuple[tuple[str, str], ...] = ()  # all that is on record: who said it, what
    windows: tuple[tuple[int, int], ...] = ()  # lines in which evidence lies
    lengths: Mapping[str, int] = field(default_factory=dict)  # log → its number of lines
    left: tuple[str, ...] = ()  # files that the agent made where it may not

    @property
    def tokens(self) -> int:
        """Tokens of all prompts, results and answers, by the program's account where it gives one."""
        return sum(map(tokens_of, self.answers))


def tokens_of(answer: Answer) -> int:
    """Return the tokens that an answer took: those reported, else those of what was sent and said."""
    reported = sum(count for kind, count in answer.usage.items() if kind.endswith("Tokens"))
    said = (*answer.prompts, *(tool.result for tool in answer.tools), answer.text)
    return int(reported) or sum(map(count_tokens, said))


def known_agent(name: str) -> str:
    """Return `name`; raise UnknownAgent if nobody of that name is installed here."""
    if name not in (*SCRIPTED, REPLAY):
        choose(name, Settings())
    return name


def run_case(case: Case, agent: str, folder: Path, recordings: Path | None = None) -> Outcome:
    """Return what came of `case` when `agent` answers it, in the empty `folder`.

    agent       one of AGENTS, of SCRIPTED, or "replay", which says what stands in `recordings`
    Raises NotThere if the case needs a log that this machine does not have.
    """
    fixture = lay_out(case, folder)
    about = log_of(case, fixture.logs)
    with ExitStack() as stack:
        who = stack.enter_context(_home(folder, fixture, agent))
        stack.enter_context(warm_server.beside())
        database = stack.enter_context(closing(db.connect(database_path())))
        conversation = db.create_conversation(database)
        for question, words in case.earlier:
            _said(database, conversation, question, words)
        answers = []
        for number, turn in enumerate(case.turns):
            if agent in SCRIPTED:
                told = {"turn": number, "case": asdict(case), "windows": fixture.windows}
                told |= {"logs": list(fixture.logs), "about": about.name if about else ""}
                told |= {"outside": str(folder / "outside")}
                _tell(folder, MODELS, agent, told)
            elif agent == REPLAY:
                _program(folder, str(MODELS), REPLAY, str(recordings))
            answers.append(_answered(database, conversation, turn, who, [] if number else fixture.files))
        return _outcome(database, conversation, tuple(answers), fixture, folder)


def _said(database: Any, conversation: str, question: str, answer: str) -> None:
    """Store an exchange as a turn does; nobody is asked."""
    message = db.add_message(database, conversation, "user", question)
    turn = open_turn(database, start_run(database, conversation, "offline", "chat", message))
    turn.take(Text(answer))
    turn.save("ok")


def _answered(database: Any, conversation: str, turn: Turn, agent: str, files: Sequence[Path]) -> Answer:
    began, before = time.monotonic(), len(list_prompts(database, conversation))
    events = list(
        runs.consume(
            database_path(), conversation, turn.say, mode=turn.mode, agent=agent, attachments=list(files)
        )
    )
    done = events[-1] if events and isinstance(events[-1], Done) else Done("died", "")
    sent = [
        get_prompt(database, conversation, row[0]) for row in list_prompts(database, conversation)[before:]
    ]
    return Answer(
        done.text,
        done.outcome,
        next((event.text for event in events if isinstance(event, Failure)), ""),
        tuple(event for event in events if isinstance(event, Tool) and event.status != "started"),
        tuple(prompt.text for prompt in sent if prompt),
        done.usage,
        time.monotonic() - began,
    )


def _outcome(
    database: Any, conversation: str, answers: tuple[Answer, ...], fixture: Fixture, folder: Path
) -> Outcome:
    stored = db.get_memory(conversation, database)[1]
    filed = db.device_states(database, conversation).values()
    states = [memory.DiagnosticState.deserialize(text) for text in (stored, *filed)]
    known = listing(database, conversation, states[0]).sections
    return Outcome(
        answers,
        {entry.label: entry.text for entry in known["value"]},
        tuple(entry.text for entry in known["constraint"]),
        tuple(entry.text for entry in known["ruled_out"]),
        tuple(text for state in states for text in (*state.findings, *state.root_causes)),
        tuple(
            (entry.origin.source, entry.text)
            for name, section in known.items()
            if name != "downloaded_logs"  # a file is called what it is called
            for entry in section
        ),
        fixture.windows,
        {name: _length(path) for name, path in fixture.logs.items()},
        tuple(path.name for path in (folder / "outside").glob("*")),
    )


def _length(path: Path) -> int:
    from instrumentgpt.instruments.reading.sources import texts_of

    return sum(block.count(b"\n") for block in texts_of(path)) + 1


@contextmanager
def _home(folder: Path, fixture: Fixture, agent: str) -> Iterator[str]:
    """Let this process work in `folder` as its home; yield the name of the agent that turns are to ask."""
    (folder / "outside").mkdir(exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    program = folder / "model" / "program"
    who = SCRIPTED.get(agent, "scripted" if agent == REPLAY else agent)
    own = {
        "HOME": str(folder / "home"),
        "INVENTORY": str(fixture.inventory),
        "AGENT": who,
        **({"SCRIPT": str(program)} if who == "scripted" else {}),
        **({"AGENT_PATH": str(program)} if agent in SCRIPTED and who != "scripted" else {}),
        "AGENT_READS": shlex.join([str(CHECKOUT), str(folder / "model"), sys.base_prefix]),
    }
    own = {f"INSTRUMENTGPT_{name}": value for name, value in own.items()}
    before = {name: value for name, value in os.environ.items() if name.startswith("INSTRUMENTGPT_")}
    kept = {name: value for name, value in before.items() if name.removeprefix("INSTRUMENTGPT_") in KEPT}
    try:
        _set(before, {**kept, **own})
        yield who
    finally:
        _set({**kept, **own}, before)


KEPT = ("WARM", "SANDBOX", "MODEL", "TOTAL_SECONDS")  # of the user's settings; all else is the case's


def _set(old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for name in old:
        os.environ.pop(name, None)
    os.environ.update(new)


def _tell(folder: Path, script: Path, model: str, told: Mapping[str, Any]) -> None:
    """Make `script` the program of the turn, and tell it the case."""
    _program(folder, str(script), model, str(folder / "model" / "case.json"))
    (folder / "model" / "case.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")


def _program(folder: Path, *words: str) -> None:
    path = folder / "model" / "program"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *words])} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
