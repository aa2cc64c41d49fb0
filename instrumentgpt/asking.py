"""Asking an agent, once or several at a time: a turn's folder made ready, a process started, its events."""

import json
import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import db
from instrumentgpt.agents.events import (
    Artifact,
    Done,
    Event,
    Events,
    Failure,
    Outcome,
    Session,
    Text,
    Tick,
    Tool,
)
from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.process import POLL, Clocks, Request, run
from instrumentgpt.agents.registry import Agent, choose, environment_for, model_for
from instrumentgpt.agents.secrets import redacted, secrets_of
from instrumentgpt.agents.sessions import ask_resuming
from instrumentgpt.equipment import Case, equip, missing_source, source_of
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device
from instrumentgpt.settings import Settings
from instrumentgpt.storage.connection import file_of
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.permissions import Permission, permission_in_force
from instrumentgpt.storage.prompts import keep_prompt
from instrumentgpt.storage.revisions import memory_in_force
from instrumentgpt.text.revised import InForce
from instrumentgpt.text.state import DiagnosticState, device_key
from instrumentgpt.tool_results import RefusedArtifact, artifact, result_of
from instrumentgpt.turn import Turn, failed, made

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asking:
    """One thing that a mode asks of an agent.

    task    its name, by which our own analyst and scripts know what is wanted
    prompt  all that the agent is told; None: the question with what memory adds
    told    facts for our own analyst, which reads data and no prompts: `given` in its task file
    agent   who is asked; "": the agent that the user chose
    resume  whether the agent goes on with its session of this conversation
    read_only  whether it may only read, whatever the conversation allows
    """

    task: str = "chat"
    prompt: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    resume: bool = False
    read_only: bool = False


CHAT = Asking(resume=True)
MOST_LAID_DOWN = MOST_RULED_OUT = 8  # sentences told to our own analyst, the newest


@dataclass(frozen=True)
class Reply:
    """What one asking came to."""

    text: str
    outcome: Outcome
    usage: Mapping[str, float] = field(default_factory=dict)
    failure: Failure | None = None


def ask(turn: Turn, asking: Asking = CHAT) -> Events:
    """Ask once and yield the agent's events, the last a Done.

    Charts that our tools made are stored, each told by an Artifact after its Tool event.
    """
    try:
        agent, program = choose(asking.agent or turn.run.agent, turn.settings)
    except InstrumentGPTError as error:
        yield from failed(error)
        return
    request = _request(turn, agent, asking)
    begin = partial(started, turn.run.id, turn.settings, turn.stopped, agent, program)
    if agent.name != "offline" and (note := missing_source(_device(turn))):
        yield Tick(note)
    with closing(ask_resuming(begin, request)) as events:
        for event in events:
            yield from _taken(turn, event, agent, request.workplace)


def ask_all(turn: Turn, askings: Sequence[Asking], at_once: int) -> Generator[tuple[int, Event], None, None]:
    """Ask all, at most `at_once` at a time, and yield (place in `askings`, event) as events come.

    Each asking ends with its own Done. Closing the generator, or a stop of the turn, ends those in progress.
    """
    heard: queue.SimpleQueue[tuple[int, Event]] = queue.SimpleQueue()
    halted, slots = threading.Event(), threading.Semaphore(max(1, at_once))
    ready: dict[int, tuple[Agent, Path]] = {}
    threads = []
    for place, asking in enumerate(askings):
        try:
            agent, program = choose(asking.agent or turn.run.agent, turn.settings)
        except InstrumentGPTError as error:
            for event in failed(error):
                heard.put((place, event))
            continue
        request = _request(turn, agent, asking)
        ready[place] = agent, request.workplace
        begin = partial(started, turn.run.id, turn.settings, halted.is_set, agent, program)
        told = (heard, place, slots, begin, request)
        threads.append(threading.Thread(target=_hear, args=told, name=f"ask {asking.task} {place}"))
    try:
        for thread in threads:
            thread.start()
        yield from _as_they_come(turn, heard, len(askings), ready, halted)
    finally:
        halted.set()
        for thread in threads:
            thread.join()


def replied(events: Events, segment: int | None = None) -> Generator[Event, None, Reply]:
    """Yield the events of one asking but its words and its end; return what it came to.

    segment  where its words go in the turn's answer as they come; None: they are not shown
    """
    failure, last = None, Done("no-result", "")
    with closing(events) as stream:
        for event in stream:
            if isinstance(event, Done):
                last = event
            elif isinstance(event, Text):
                if segment is not None:
                    yield replace(event, segment=segment + event.segment)
            else:
                failure = event if isinstance(event, Failure) else failure
                yield event
    return Reply(last.text, last.outcome, last.usage, failure)


def _hear(
    heard: "queue.SimpleQueue[tuple[int, Event]]",
    place: int,
    slots: threading.Semaphore,
    begin: Callable[[Request], Events],
    request: Request,
) -> None:
    with slots:
        try:
            for event in begin(request):
                heard.put((place, event))
        except Exception as error:  # the edge of a thread: its asking must end, whatever happened
            _log.exception("asking %s", place)
            heard.put((place, Failure("error", f"{type(error).__name__}: {error}")))
            heard.put((place, Done("error", "")))


def _as_they_come(
    turn: Turn,
    heard: "queue.SimpleQueue[tuple[int, Event]]",
    waiting: int,
    ready: Mapping[int, tuple[Agent, Path]],
    halted: threading.Event,
) -> Iterator[tuple[int, Event]]:
    """Yield what the threads hear until each has told its Done; a stop of the turn reaches them all."""
    while waiting:
        if not halted.is_set() and turn.stopped():
            halted.set()
        try:
            place, event = heard.get(timeout=POLL)
        except queue.Empty:
            continue
        waiting -= isinstance(event, Done)
        if place in ready:
            yield from ((place, one) for one in _taken(turn, event, *ready[place]))
        else:
            yield place, event


def started(
    run_id: str,
    settings: Settings,
    stopped: Callable[[], bool],
    agent: Agent,
    program: str,
    request: Request,
) -> Events:
    """Return what `agent` answers to `request`, without the secrets of its environment."""
    environment = {**environment_for(agent), RUN_VARIABLE: run_id}
    command = agent.command(program, request, environment)
    events = run(command, agent.parse, _clocks(settings), stopped, agent.signs)
    return redacted(events, secrets_of(environment))


def _taken(turn: Turn, event: Event, agent: Agent, folder: Path) -> Iterator[Event]:
    """Yield `event` and what comes of it, with what it cost counted and its session and charts stored."""
    if isinstance(event, Session):
        event = replace(event, agent=agent.name)
        if agent.resumes and event.session_id:
            told = (turn.run.conversation_id, agent.name, str(folder), event.session_id)
            db.save_agent_session(turn.database, *told)
    if isinstance(event, Done):
        turn.usage = dict(Counter(turn.usage) + Counter(event.usage))
    yield event
    if isinstance(event, Tool):
        yield from artifact_of(turn, event)


def artifact_of(turn: Turn, tool: Tool) -> Iterator[Event]:
    """Store the chart that `tool` made, if it made one, and yield its Artifact."""
    try:
        chart = artifact(result_of(tool), turn.folder / "artifacts")
    except RefusedArtifact as error:
        _log.warning("%s: %s", tool.name, error)
        yield Tick(str(error))
        return
    if chart is not None:
        told = (chart.kind, chart.title, chart.alt, chart.content)
        stored = db.add_artifact(turn.database, turn.run.conversation_id, turn.run.id, None, *told)
        yield Artifact(stored, chart.kind, chart.title)


def _request(turn: Turn, agent: Agent, asking: Asking) -> Request:
    """Return what is asked of `agent`, whose folder is made ready for it."""
    allowed = (
        Permission() if asking.read_only else permission_in_force(turn.database, turn.run.conversation_id)
    )
    remembered = _remembered(turn)
    known = remembered.state
    folder, task_file = turn.workspace(), _task_file(turn, asking, remembered)
    source = source_of(_device(turn))
    request = Request(
        _kept_prompt(turn, agent, asking),
        folder,
        task_file,
        model_for(agent, turn.settings),
        resume=_session(turn, agent, source or folder) if asking.resume else "",
        may_run=allowed.may_run,
        may_edit=allowed.may_edit,
        source=source,
    )
    if agent.name == "offline":  # it is our own, and needs none of this
        return request
    logs, dropped = known.downloaded_logs, list(turn.uploads())
    case = Case(turn.home(), turn.run.id, task_file, allowed, logs, dropped, turn.earlier, source)
    return replace(request, mcp_config=equip(folder, agent.name, case))


def _device(turn: Turn) -> Device | None:
    """Return the device that the turn is about: named in its question, else the one of before."""
    known = (device for device in turn.inventory.devices if device.ip == turn.state.device_ip)
    return turn.devices[0] if turn.devices else next(known, None)


def _session(turn: Turn, agent: Agent, folder: Path) -> str:
    """Return the agent's own id for this conversation in `folder` (of ours, or the source), or ""."""
    if not agent.resumes:
        return ""
    return db.get_agent_session(turn.database, turn.run.conversation_id, agent.name, str(folder))


def _kept_prompt(turn: Turn, agent: Agent, asking: Asking) -> str:
    """Return what the agent is told; it is kept, so that the memory inspector can show it word by word."""
    text = turn.prompt(agent.name) if asking.prompt is None else asking.prompt
    keep_prompt(
        turn.database,
        turn.run.conversation_id,
        turn.question.id,
        text,
        run_id=turn.run.id,
        task=asking.task,
        agent=agent.name,
        budget=turn.settings.prompt_tokens,
    )
    return text


def _remembered(turn: Turn) -> InForce:
    """Return what is known of the device in question, and of none in particular, as people revised it."""
    told = turn.database, turn.run.conversation_id
    own = device_key(turn.state)
    found = memory_in_force(*told, turn.state, list_facts(*told, ["", own]))
    return found if device_key(found.state) == own else memory_in_force(*told, turn.state)


def _task_file(turn: Turn, asking: Asking, remembered: InForce) -> Path:
    """Write what our own analyst needs as data (docs/architecture.md, The task file); return the path."""
    home = turn.home()
    told = {
        "task": asking.task,
        "question": turn.question.content,
        "conversation_id": turn.run.conversation_id,
        "database": file_of(turn.database),
        "inventory": str(turn.inventory.path),
        "cache": str(home / "cache"),
        "artifacts": str(made(turn.folder / "artifacts")),
        "devices": [device.name for device in turn.devices],
        "nicknames": {device.name: device.nicknames for device in turn.inventory.devices if device.nicknames},
        "left": _left(turn),
        "state": asdict(remembered.state),
        "stated": _stated(remembered),
        "laid_down": _said(remembered, "wish")[-MOST_LAID_DOWN:],
        "ruled_out": _said(remembered, "ruled_out")[-MOST_RULED_OUT:],
        "attachments": [str(path) for path in turn.uploads()],
        "given": dict(asking.told),
    }
    path = _free_name(turn.folder)
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def _left(turn: Turn) -> dict[str, str]:
    """Return the device that this question turned away from and its last log, nothing if it did not."""
    for device, stored in turn.filed.items():
        return {"device": device, "log": DiagnosticState.deserialize(stored).last_log_file or ""}
    return {}


def _stated(remembered: InForce) -> list[dict[str, Any]]:
    """Return what the user said last of each value of the device in question, be it in force or not."""
    device = device_key(remembered.state)
    said = [one for one in remembered.known if one.kind == "value" and one.source == "user"]
    newest = {
        one.fact.key: {**asdict(one.fact), "turn": one.turn} for one in said if one.fact.device == device
    }
    return list(newest.values())


def _said(remembered: InForce, kind: str) -> list[str]:
    """Return the sentences of `kind` for the device in question, or for all, oldest first, once each."""
    about = ("", device_key(remembered.state))
    said = [one for one in remembered.known if one.kind == kind and one.fact.device in about]
    return list(dict.fromkeys(one.said for one in said))


def _free_name(folder: Path) -> Path:
    """Return the path of the next task file: task.json, task-2.json, …"""
    names = (folder / ("task.json" if number == 1 else f"task-{number}.json") for number in count(1))
    return next(path for path in names if not path.exists())


def _clocks(settings: Settings) -> Clocks:
    return Clocks(
        first_event=settings.first_event_seconds,
        silence=settings.silence_seconds,
        total=settings.total_seconds,
    )
