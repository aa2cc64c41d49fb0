"""One case run: in a home of its own with what the case finds there, through real turns, whoever answers.

What is laid out is a Fixture, what came of it an Outcome.
"""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import db
import memory
from demo.simulate import Line, Scenario, demo_scenarios, write_log
from instrumentgpt import warm_server
from instrumentgpt.agents.events import Done, Failure, Text, Tool
from instrumentgpt.agents.registry import choose
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.evals.cases import FOLDER, REAL, Case, File, Turn, Windows, instruments
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.record import UnreadableLog
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.settings import CHECKOUT, Settings, database_path
from instrumentgpt.storage.revised_memory import listing
from instrumentgpt.storage.runs import get_prompt, list_prompts, start_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.turn import open_turn

SEED_STEP = 100_000  # between two seeds of a case: its scenarios' own are far nearer


class NotThere(InstrumentGPTError, LookupError):
    """A real log that this machine does not have: the case is skipped."""


@dataclass(frozen=True)
class Fixture:
    """What was laid out: the inventory, the files of the first question, and every log by its name."""

    inventory: Path
    files: tuple[Path, ...]
    logs: Mapping[str, Path]
    windows: tuple[tuple[int, int], ...]  # lines, first and last, in which evidence lies


def lay_out(case: Case, folder: Path) -> Fixture:
    """Write what `case` needs into `folder`; raise NotThere for a real log that is not on this machine."""
    files = tuple(_file(case, file, folder / "files") for file in case.attach)
    logs = {path.name: path for path in files}
    entries = []
    for device in case.devices:
        home = folder / "logs" / device.replace(" ", "_")
        for scenario in _scenarios(case, device):
            path = write_log(home / scenario.file_name, scenario, scenario.seed + SEED_STEP * case.seed)
            logs[path.name] = path
        row = {"name": case.names.get(device, device), "ip": instruments()[device]["ip"], "logs": str(home)}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in row.items()]
        entries.append("\n".join(["[[device]]", *lines]))
    inventory = folder / "devices.toml"
    inventory.write_text("\n\n".join(entries), encoding="utf-8")
    log = log_of(case, logs)
    windows = tuple((int(first), int(last)) for first, last in case.lines_at)
    return Fixture(inventory, files, logs, windows or _lines(case.seconds, log))


def log_of(case: Case, logs: Mapping[str, Path]) -> Path | None:
    """Return the log that the case is about: that of `of`, else the only one."""
    dropped = [file.name for file in case.attach if file.of and file.of == case.of]
    name = dropped[0] if dropped else _scenario(case, case.of).file_name if case.of else next(iter(logs), "")
    return logs.get(name) if case.of or len(logs) == 1 else None


def _scenarios(case: Case, device: str) -> list[Scenario]:
    added = tuple(Line(**line) for line in case.lines)
    scenarios = demo_scenarios(FOLDER / "instruments.toml").values()
    return [replace(run, lines=(*run.lines, *added)) for run in scenarios if run.device == device]


def _scenario(case: Case, log: str) -> Scenario:
    device, _, number = log.rpartition("/")
    return _scenarios(case, device)[int(number) - 1]


def _file(case: Case, file: File, folder: Path) -> Path:
    if file.real:
        path = REAL / file.real
        if not path.is_file():
            raise NotThere(f"{path} is not on this machine")
        return path
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file.name
    if not file.of:
        path.write_text(file.text, encoding="utf-8")
        return path
    scenario = _scenario(case, file.of)
    raw = folder / "raw" / scenario.file_name if file.columns else path
    write_log(raw, scenario, scenario.seed + SEED_STEP * case.seed)
    if file.columns:
        table = read_log(raw).samples
        first = table[table["channel"] == table["channel"].min()]  # a table of one loop
        first[list(file.columns)].round(4).to_csv(path, index=False)
    return path


def _lines(seconds: Windows, log: Path | None) -> tuple[tuple[int, int], ...]:
    """Return the lines of the samples in the windows `seconds`, which count from the log's first line."""
    if not seconds or log is None:
        return ()
    try:
        samples = read_log(log).samples
    except UnreadableLog:
        return ()
    inside = [samples.loc[samples["time"].between(*window), "line"] for window in seconds]
    return tuple((int(lines.min()), int(lines.max())) for lines in inside if len(lines))


MODELS = FOLDER / "models.py"  # programs that stand for a model; they are told the case, as no agent is
SCRIPTED = {"good": "scripted", "bad": "scripted", "obedient": "cursor"}  # whose wire they speak


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
    findings: tuple[str, ...] = ()  # on record, of every device
    on_record: tuple[tuple[str, str], ...] = ()  # all that is on record: who said it, what
    windows: tuple[tuple[int, int], ...] = ()  # lines in which evidence lies
    lengths: Mapping[str, int] = field(default_factory=dict)  # log → its number of lines
    stray_files: tuple[str, ...] = ()  # files that the agent made where it may not

    @property
    def tokens(self) -> int:
        """Tokens of all prompts, results and answers, by the program's account where it gives one."""
        return sum(map(tokens_of, self.answers))


def tokens_of(answer: Answer) -> int:
    """Return the tokens that an answer took: those reported, else those of what was sent and said."""
    reported = sum(count for kind, count in answer.usage.items() if kind.endswith("Tokens"))
    texts = (*answer.prompts, *(tool.result for tool in answer.tools), answer.text)
    return int(reported) or sum(map(count_tokens, texts))


def known_agent(name: str) -> str:
    """Return `name`; raise UnknownAgent if nobody of that name is installed here."""
    if name not in SCRIPTED:
        choose(name, Settings())
    return name


def run_case(case: Case, agent: str, folder: Path) -> Outcome:
    """Return what came of `case` when `agent` answers it, in the empty `folder`.

    agent  one of AGENTS or of SCRIPTED

    Raises NotThere if the case needs a log that this machine does not have.
    """
    fixture = lay_out(case, folder)
    log = log_of(case, fixture.logs)
    with ExitStack() as stack:
        wire = stack.enter_context(_home(folder, fixture, agent))
        stack.enter_context(warm_server.beside())
        database = stack.enter_context(closing(db.connect(database_path())))
        conversation = db.create_conversation(database)
        for question, reply in case.earlier:
            # as a turn stores them; nobody is asked
            message = db.add_message(database, conversation, "user", question)
            earlier = open_turn(database, start_run(database, conversation, "offline", "chat", message))
            earlier.take(Text(reply))
            earlier.save("ok")
        answers = []
        for number, turn in enumerate(case.turns):
            if agent in SCRIPTED:
                facts = {"turn": number, "case": asdict(case), "windows": fixture.windows}
                facts |= {"logs": list(fixture.logs), "about": log.name if log else ""}
                facts |= {"outside": str(folder / "outside")}
                _program(folder, str(MODELS), agent, str(folder / "model" / "case.json"))
                (folder / "model" / "case.json").write_text(
                    json.dumps(facts, ensure_ascii=False), encoding="utf-8"
                )
            answers.append(_answered(database, conversation, turn, wire, [] if number else fixture.files))
        return _outcome(database, conversation, tuple(answers), fixture, folder)


def _answered(database: Any, conversation: str, turn: Turn, agent: str, files: Sequence[Path]) -> Answer:
    began, earlier = time.monotonic(), len(list_prompts(database, conversation))
    given: dict[str, Any] = {"mode": turn.mode, "agent": agent, "attachments": list(files)}
    events = list(runs.consume(database_path(), conversation, turn.say, **given))
    done = events[-1] if events and isinstance(events[-1], Done) else Done("died", "")
    error = next((event.text for event in events if isinstance(event, Failure)), "")
    tools = tuple(event for event in events if isinstance(event, Tool) and event.status != "started")
    sent = list_prompts(database, conversation)[earlier:]
    prompts = filter(None, (get_prompt(database, conversation, row[0]) for row in sent))
    texts, seconds = tuple(prompt.text for prompt in prompts), time.monotonic() - began
    return Answer(done.text, done.outcome, error, tools, texts, done.usage, seconds)


def _outcome(
    database: Any, conversation: str, answers: tuple[Answer, ...], fixture: Fixture, folder: Path
) -> Outcome:
    from instrumentgpt.instruments.reading.sources import texts_of

    stored = db.get_memory(conversation, database)[1]
    filed = db.device_states(database, conversation).values()
    states = [memory.DiagnosticState.deserialize(text) for text in (stored, *filed)]
    sections = listing(database, conversation, states[0]).sections
    # a file is called what it is called
    entries = [entry for name, rows in sections.items() if name != "downloaded_logs" for entry in rows]
    return Outcome(
        answers,
        {entry.label: entry.text for entry in sections["value"]},
        tuple(entry.text for entry in sections["constraint"]),
        tuple(entry.text for entry in sections["ruled_out"]),
        tuple(text for state in states for text in (*state.findings, *state.root_causes)),
        tuple((entry.origin.source, entry.text) for entry in entries),
        fixture.windows,
        {name: sum(b.count(b"\n") for b in texts_of(path)) + 1 for name, path in fixture.logs.items()},
        tuple(path.name for path in (folder / "outside").glob("*")),
    )


@contextmanager
def _home(folder: Path, fixture: Fixture, agent: str) -> Iterator[str]:
    """Let this process work in `folder` as its home; yield the name of the agent that turns are to ask."""
    (folder / "outside").mkdir(exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    program = folder / "model" / "program"
    wire = SCRIPTED.get(agent, agent)
    variables = {
        "HOME": str(folder / "home"),
        "INVENTORY": str(fixture.inventory),
        "AGENT": wire,
        **({"SCRIPT": str(program)} if wire == "scripted" else {}),
        **({"AGENT_PATH": str(program)} if agent in SCRIPTED and wire != "scripted" else {}),
        "AGENT_READS": shlex.join([str(CHECKOUT), str(folder / "model"), sys.base_prefix]),
    }
    variables = {f"INSTRUMENTGPT_{name}": value for name, value in variables.items()}
    others = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("INSTRUMENTGPT_") or name in INHERITED
    }
    with patch.dict(os.environ, {**others, **variables}, clear=True):
        yield wire


INHERITED = [f"INSTRUMENTGPT_{name}" for name in ("WARM", "SANDBOX", "MODEL", "TOTAL_SECONDS")]  # user's own


def _program(folder: Path, *arguments: str) -> None:
    path = folder / "model" / "program"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *arguments])} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
