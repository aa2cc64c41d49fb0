"""What a mode asks agents for: each reply is read, and one that cannot be used is asked for once more.

Several things are asked for at once. Each is kept as a step the moment it is there, whether it could be used
or not, and what is kept is not asked for again: a mode that was cut off goes on where it was.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import to_jsonable_python

from instrumentgpt.agents.events import Artifact, Done, Event, Failure, Session, Text, Thinking, Tick, Tool
from instrumentgpt.agents.stream import json_object
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.storage.panels import Key, Step, save_step
from instrumentgpt.turn.ask import ask_all
from instrumentgpt.turn.record import result_of
from instrumentgpt.turn.request import Asking, device_of, missing_source
from instrumentgpt.turn.turn import Turn

UNFIT = "unfit "  # before the stage of a reply that could not be used, and was paid for
PROBLEM_CHARS, REPLY_CHARS = 300, 1500  # of what was wrong and of the reply, where it is asked for again
REPAIR_TOKENS = 700  # of a budget, for REPAIR
REPAIR = """

# Repair
Your answer cannot be used: {problem}
This was your answer:
> {reply}

Answer again as is said above, and nothing else."""


class Interrupted(InstrumentGPTError, RuntimeError):
    """The user stopped the turn, or nobody can be asked; what is done stays done."""


@dataclass(frozen=True)
class Want:
    """One thing to be asked for.

    key    which step it is; its stage names the task
    told   the same as the prompt in data, for our own analyst
    read   makes the content of the reply; raises InstrumentGPTError, saying what is wrong with it
    again  the prompt after a reply that could not be used, given what was wrong; None: REPAIR is added
    """

    key: Key
    prompt: str
    told: Mapping[str, Any]
    read: Callable[[str], Any]
    agent: str = ""
    read_only: bool = False
    again: Callable[[str], str] | None = None


@dataclass
class Reply:
    """What came of a want: its content, or None and the problem.

    tools      names of our tools that were called, and `results` what they returned; `errors` of any tools
    artifacts  ids of what was made
    failure    why nothing was answered
    """

    content: Any = None
    tools: list[str] = field(default_factory=list)
    problem: str = ""
    failure: Failure | None = None
    results: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Take what `event` says of tools and failures."""
        match event:
            case Failure():
                self.failure = event
            case Artifact():
                self.artifacts.append(event.artifact_id)
            case Tool(status="failed" | "denied"):
                error = json_object(event.result).get("error", event.result)
                self.errors.append(str(error or event.status))
            case Tool(status="ok") if event.server == SERVER:
                self.tools.append(event.name)
                if result := result_of(event):
                    self.results.append((event.name, result))

    def read(self, want: Want, text: str) -> None:
        """Take the agent's words for the content, or what is wrong with them."""
        try:
            self.content = want.read(text)
        except InstrumentGPTError as problem:
            self.problem = shorten(" ".join(str(problem).split()), PROBLEM_CHARS)


@dataclass
class Journal:
    """The steps of a turn's work that are done; those of a panel are stored, once it is there.

    tasks  what the names of its tasks begin with, before the stage
    """

    turn: Turn
    tasks: str = ""
    panel_id: int | None = None
    steps: dict[Key, Step] = field(default_factory=dict)

    def keep(self, step: Step) -> None:
        """Add a step, in the database too once the panel is there."""
        self.steps[step.key] = step
        if self.panel_id is not None:
            save_step(self.turn.database, self.panel_id, step)


def ask_for(journal: Journal, want: Want) -> Generator[Event, None, Reply]:
    """Yield the events of asking for one thing; return what came of it."""
    for event in ask_for_all(journal, [want]):
        if isinstance(event, tuple):
            reply = event[1]
        else:
            yield event
    return reply


def ask_for_all(journal: Journal, wants: Sequence[Want]) -> Iterator[Event | tuple[Want, Reply]]:
    """Yield the agents' events but their words, and each want with what came of it when it came.

    Raises Interrupted if the turn is stopped.
    """
    left = []
    for want in wants:
        if step := journal.steps.get(want.key):
            reply = Reply(problem=step.content.get("problem", ""), tools=step.content.get("tools", []))
            if "content" in step.content:
                reply.read(want, json.dumps(step.content["content"]))
            yield want, reply
        else:
            left.append(want)
    for is_last_try in (False, True):
        tried = [want for want in left if is_last_try or _unfit(want.key) not in journal.steps]
        for event in _asked(journal, tried, is_last_try):
            if isinstance(event, tuple):
                left.remove(event[0])
            yield event


def _asked(
    journal: Journal, wants: Sequence[Want], is_last_try: bool
) -> Iterator[Event | tuple[Want, Reply]]:
    """Ask for `wants` at once; yield each that can be used, and at the last try those that cannot."""
    turn, began = journal.turn, time.monotonic()
    prompts = [
        _again(want, journal.steps[_unfit(want.key)]) if is_last_try else want.prompt for want in wants
    ]
    askings = [
        Asking(f"{journal.tasks}{want.key.stage}", prompt, want.told, want.agent, read_only=want.read_only)
        for want, prompt in zip(wants, prompts, strict=True)
    ]
    replies = [Reply() for _ in wants]
    is_first = not turn.prompts and any((want.agent or turn.run.agent) != "offline" for want in wants)
    if is_first and (note := missing_source(device_of(turn))):
        yield Tick(note)
    with closing(ask_all(turn, askings, turn.settings.runs_at_once)) as events:
        for place, event in events:
            want, reply = wants[place], replies[place]
            reply.take(event)
            if isinstance(event, Done):
                if turn.stopped():
                    raise Interrupted("Stopped. What was answered is kept")
                if event.outcome != "ok":  # nothing was answered: it is not kept, so a later run asks again
                    lack = Failure(event.outcome, f"The agent gave no answer: {event.outcome}.")
                    reply.failure = reply.failure or lack
                    reply.problem = reply.failure.text
                    yield want, reply
                    continue
                reply.read(want, event.text)
                step = _step(want.key, reply, event, prompts[place], time.monotonic() - began)
                if reply.problem and not is_last_try:
                    journal.keep(replace(step, key=_unfit(want.key)))
                    yield Tick(f"the reply cannot be used and is asked for again: {reply.problem}")
                    continue
                journal.keep(step)
                yield want, reply
            elif not isinstance(event, Text | Failure) and (
                len(wants) == 1 or not isinstance(event, Thinking | Session)
            ):
                yield event


def _step(key: Key, reply: Reply, done: Done, prompt: str, seconds: float) -> Step:
    """Return what is kept of a reply: its content, or what is wrong; tokens are reported or estimated."""
    record: dict[str, Any] = {"content": to_jsonable_python(reply.content), "tools": reply.tools}
    if reply.problem:
        record = {"reply": done.text, "problem": reply.problem}
    usage = done.usage
    read = sum(usage.get(name, 0) for name in ("inputTokens", "cacheReadTokens", "cacheWriteTokens"))
    written = usage.get("outputTokens", 0)
    if not read and not written:
        read, written = count_tokens(prompt), count_tokens(done.text)
    cost = float(usage.get("costUSD", 0.0))
    return Step(key, record, int(read), int(written), cost, done.seconds or seconds)


def _again(want: Want, unfit: Step) -> str:
    """Return the prompt with what was wrong with the reply before."""
    problem, reply = unfit.content["problem"], " ".join(unfit.content["reply"].split())
    if want.again:
        return want.again(problem)
    return want.prompt + REPAIR.format(problem=problem, reply=shorten(reply, REPLY_CHARS))


def _unfit(key: Key) -> Key:
    return replace(key, stage=UNFIT + key.stage)
