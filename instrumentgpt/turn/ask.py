"""Asking an agent, once or several at a time: a process started or its session gone on with, its events.

Then the number gate: each number of the answer is looked up in what the turn had to know it from. First in
what our tools returned in this turn, then in the user's own words, then on record: what its prompts held.
Last in what the agent's own programs printed, told as what it is: nobody knows what they did.
"""

import json
import logging
import queue
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

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
    Thinking,
    Tick,
    Tool,
)
from instrumentgpt.agents.evidence import ASK_AGAIN
from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.process import DOCTOR, POLL, Clocks, Request, run
from instrumentgpt.agents.registry import Agent, UnknownAgent, choose, environment_for
from instrumentgpt.agents.sandbox import confined
from instrumentgpt.agents.secrets import redacted, secrets_of
from instrumentgpt.agents.stream_parser import ON_RECORD, SERVER, with_whole_result
from instrumentgpt.errors import reason
from instrumentgpt.instruments.since import parts_of, since
from instrumentgpt.memory.gate import Mark, Source, marks_of
from instrumentgpt.moments import today
from instrumentgpt.settings import Settings
from instrumentgpt.storage.answers import marks_of_answer, store_marks
from instrumentgpt.turn.prompt import names_of
from instrumentgpt.turn.record import RefusedArtifact, artifact, result_of, rows_of
from instrumentgpt.turn.request import CHAT, Asking, device_of, missing_source, request_of
from instrumentgpt.turn.turn import Turn, failed

_log = logging.getLogger(__name__)


def ask(turn: Turn, asking: Asking = CHAT) -> Events:
    """Ask once and yield the agent's events, the last a Done.

    Charts that our tools made are stored, each told by an Artifact after its Tool event.
    """
    try:
        prepared = _prepared(turn, asking, turn.stopped)
    except UnknownAgent as error:
        yield from failed(error)
        return
    if prepared.agent.name != "offline" and (note := missing_source(device_of(turn))):
        yield Tick(note)
    with closing(ask_resuming(prepared.begin, prepared.request)) as events:
        for event in events:
            yield from _apply_event(turn, event, prepared)


def ask_all(turn: Turn, askings: Sequence[Asking], at_once: int) -> Generator[tuple[int, Event], None, None]:
    """Ask all, at most `at_once` at a time, and yield (place in `askings`, event) as events come.

    Each asking ends with its own Done. Closing the generator, or a stop of the turn, ends those in progress.
    """
    inbox: queue.SimpleQueue[tuple[int, Event]] = queue.SimpleQueue()
    halted = threading.Event()
    prepared: dict[int, _Prepared] = {}
    for place, asking in enumerate(askings):
        try:
            prepared[place] = _prepared(turn, asking, halted.is_set)
        except UnknownAgent as error:
            for event in failed(error):
                inbox.put((place, event))
    with ThreadPoolExecutor(max(1, at_once), "ask") as threads:
        try:
            for place, one in prepared.items():
                threads.submit(_collect, inbox, place, one)
            yield from _as_they_come(turn, inbox, len(askings), prepared, halted)
        finally:
            halted.set()


def replied(events: Events, segment: int) -> Generator[Event, None, Done]:
    """Yield the events of one asking but its end, its words from `segment` on; return its end."""
    last = Done("no-result", "")
    with closing(events) as stream:
        for event in stream:
            if isinstance(event, Done):
                last = event
            else:
                yield replace(event, segment=segment + event.segment) if isinstance(event, Text) else event
    return last


@dataclass(frozen=True)
class _Prepared:
    """An asking that can begin: who is asked for what, and what begins it."""

    agent: Agent
    request: Request
    begin: Callable[[Request], Events]


def _prepared(turn: Turn, asking: Asking, stopped: Callable[[], bool]) -> _Prepared:
    """Return `asking` with its agent chosen and its request written; raise UnknownAgent if there is none."""
    agent, program = choose(asking.agent or turn.run.agent, turn.settings)
    request = request_of(turn, agent, asking)
    if agent.name != "offline":
        if not turn.prompts:
            check(turn)
        turn.prompts.append(request.prompt)
    return _Prepared(agent, request, partial(started, turn.run.id, turn.settings, stopped, agent, program))


def _collect(inbox: "queue.SimpleQueue[tuple[int, Event]]", place: int, prepared: _Prepared) -> None:
    """Put what the asking at `place` says into `inbox`; its Done comes last."""
    try:
        for event in prepared.begin(prepared.request):
            inbox.put((place, event))
    except Exception as error:  # the edge of a thread: its asking must end, whatever happened
        _log.exception("asking %s", place)
        inbox.put((place, Failure("error", reason(error))))
        inbox.put((place, Done("error", "")))


def _as_they_come(
    turn: Turn,
    inbox: "queue.SimpleQueue[tuple[int, Event]]",
    waiting: int,
    prepared: Mapping[int, _Prepared],
    halted: threading.Event,
) -> Iterator[tuple[int, Event]]:
    """Yield what the threads hear until each has told its Done; a stop of the turn reaches them all."""
    while waiting:
        if not halted.is_set() and turn.stopped():
            halted.set()
        try:
            place, event = inbox.get(timeout=POLL)
        except queue.Empty:
            continue
        waiting -= isinstance(event, Done)
        if place in prepared:
            yield from ((place, applied) for applied in _apply_event(turn, event, prepared[place]))
        else:
            yield place, event


def started(
    run_id: str, settings: Settings, stopped: Callable[[], bool], agent: Agent, program: str, request: Request
) -> Events:
    """Return what `agent` answers to `request`, without the secrets of its environment."""
    environment = {**environment_for(agent), RUN_VARIABLE: run_id}
    command = agent.command(program, request, environment)
    if agent.state:
        command = confined(command, request, agent.state, settings)
    first, silence, total = settings.first_event_seconds, settings.silence_seconds, settings.total_seconds
    clocks = Clocks(first, silence, total=total)
    events = run(command, agent.parse, clocks, stopped, agent.signs)
    return redacted(events, secrets_of(environment))


def _apply_event(turn: Turn, event: Event, prepared: _Prepared) -> Iterator[Event]:
    """Yield `event` and what comes of it, with what it cost counted and its session and charts stored."""
    if isinstance(event, Session):
        event, *refused = taken_session(replace(event, agent=prepared.agent.name))
        yield from refused
        if prepared.agent.resumes and event.session_id:
            folder = str(prepared.request.workplace)
            db.save_agent_session(*turn.where, event.agent, folder, event.session_id)
    if isinstance(event, Tool):
        event = with_whole_result(event, turn.folder)
    if isinstance(event, Done):
        turn.usage = dict(Counter(turn.usage) + Counter(event.usage))
    yield event
    if isinstance(event, Tool) and event.status != "started":
        turn.calls.append(event)
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
        artifact_id = db.add_artifact(turn.database, turn.run.conversation_id, turn.run.id, None, *chart)
        yield Artifact(artifact_id, *chart[:2])


LOST: tuple[Outcome, ...] = ("error", "no-result", "died")  # how a run ends whose session is gone
TOLD = "The agent no longer has its earlier session: it is asked afresh, with what is remembered here."
REFUSED = "The agent's name for its session is none that can be gone on with"
# UUIDs and "ses_…" with 26 letters are what agents give; it becomes a word of a command line.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


def is_session_id(text: str) -> bool:
    """Return whether an agent may be told to go on with the session that it calls `text`.

    >>> [is_session_id(text) for text in ("85239fc7-3af0-4fe0-881c-918390268d82", "--yolo", "a" * 200)]
    [True, False, False]
    """
    return _ID.fullmatch(text) is not None


def taken_session(session: Session) -> tuple[Session, *tuple[Tick, ...]]:
    """Return what is taken of a session that an agent tells: one of an unusable id is told to be without."""
    if not session.session_id or is_session_id(session.session_id):
        return (session,)
    note = f"{REFUSED} ({len(session.session_id):,} characters): the next question is asked afresh."
    return replace(session, session_id=""), Tick(note)


def ask_resuming(ask: Callable[[Request], Events], request: Request) -> Events:
    """Yield the events of `ask(request)`; a session that cannot be resumed is given up, once, and told.

    It cannot if the run failed before its first word, for none of the reasons that have a remedy of their own
    (a login, a limit, the network): every agent says it in other words.
    """
    if request.resume and not is_session_id(request.resume):
        yield Tick(f"{REFUSED}: it is asked afresh, with what is remembered here.")
        request = replace(request, resume="")
    if not request.resume:
        yield from ask(request)
        return
    spoke, failure = False, Failure("error", "")
    with closing(ask(request)) as events:
        for event in events:
            spoke = spoke or isinstance(event, Text | Thinking | Tool)
            if isinstance(event, Failure) and not spoke:
                failure = event
                continue
            is_lost = failure.remedy in ("", ASK_AGAIN, DOCTOR) and not spoke
            if isinstance(event, Done) and event.outcome in LOST and is_lost:
                break
            if isinstance(event, Done) and failure.text:
                yield failure
            yield event
        else:
            return
    yield Tick(f"{TOLD} ({failure.text[:200]})" if failure.text else TOLD)
    yield from ask(replace(request, resume=""))


def check(turn: Turn) -> None:
    """Have the turn keep with its answer where each of its numbers is from."""

    def store(message_id: int) -> None:
        origins = sources(turn.calls, turn.question.content, turn.earlier, turn.prompts, _unsourced(turn))
        store_marks(turn.database, message_id, marks_of(turn.answer.text, origins, names_of(turn.inventory)))

    turn.also_saved.append(store)


def sources(
    calls: Sequence[Tool],
    question: str,
    earlier: Sequence[db.Message] = (),
    prompts: Sequence[str] = (),
    unsourced: Sequence[str] = (),
) -> list[Source]:
    """Return what numbers may be from, the first to be asked first.

    unsourced  what earlier answers said that nobody had computed: that a prompt repeats it makes it no fact
    """
    user_texts = [message.content for message in reversed(earlier) if message.role == "user"]
    ended = [tool for tool in calls if tool.status == "ok"]
    held = "\n".join(prompts)
    for words in unsourced:
        held = held.replace(words, " ")
    return [
        *(Source(tool.name, "computed", _words_of_result(tool)) for tool in ended if tool.server == SERVER),
        *(Source("question", "user", _with_spans(words)) for words in (question, *user_texts)),
        Source("record", "computed", held),
        *(Source(tool.name, "agent", tool.result) for tool in ended if tool.server != SERVER),
    ]


def _with_spans(words: str) -> str:
    """Return what the user said, with the days and minutes that it means: the last hour, since Monday."""
    ends = (end for ends in parts_of(words) for end in ends)
    return "\n".join(map(str, filter(None, (words, since(words, today()), *ends))))


def _words_of_result(tool: Tool) -> str:
    """Return what a result is a source of: what the tool was told is none, but for lines of the log."""
    if tool.name not in ON_RECORD:
        return tool.result
    rows = rows_of(result_of(tool), "findings", "hypotheses", "root_causes", "values")
    return json.dumps([row.get("evidence") for row in rows], ensure_ascii=False)


def _unsourced(turn: Turn) -> list[str]:
    """Return the words of earlier answers' numbers that had no source."""
    unsourced: list[str] = []
    for message in turn.earlier:
        marks: Sequence[Mark] = marks_of_answer(turn.database, message.id) or ()
        unsourced += [message.content[mark.start : mark.end] for mark in marks if mark.kind == "unknown"]
    return sorted({words for words in unsourced if len(words) > 1}, key=len, reverse=True)
