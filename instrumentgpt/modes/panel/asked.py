"""Asking experts: several at once, each reply read against its contract, each step stored when it is done.

A step that is stored already is not asked for again: a panel that was cut off goes on where it was.
"""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from instrumentgpt.agents.events import Done, Event, Failure, Session, Text, Thinking, Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.panel.contracts import Contract, as_json, read_reply
from instrumentgpt.storage.panels import Key, Step, save_step
from instrumentgpt.turn.ask import ask_all
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

UNFIT = "unfit "  # before the stage of a reply that did not fit its contract, and was paid for


class Interrupted(InstrumentGPTError, RuntimeError):
    """The user stopped the panel, or nobody can be asked; what is done stays done."""


@dataclass(frozen=True)
class Want:
    """One thing to be asked: which step it is, the prompt, the facts for our own analyst, the contract."""

    key: Key
    prompt: str
    told: Mapping[str, Any]
    contract: type[Contract]
    agent: str = ""
    check: Callable[[Any], object] = lambda content: None  # raises InstrumentGPTError if it cannot be used


@dataclass(frozen=True)
class Heard:
    """What came of a want: `content` fits the contract, or is None and `problem` says why.

    recalled  it was done before, in a run that did not end
    """

    content: Any
    tools: tuple[str, ...] = ()
    problem: str = ""
    recalled: bool = False


@dataclass
class Journal:
    """The steps of a panel that are done; `panel_id` None: not stored yet."""

    turn: Turn
    panel_id: int | None = None
    steps: dict[Key, Step] = field(default_factory=dict)

    def keep(self, step: Step) -> None:
        """Add a step, in the database too once the panel is there."""
        self.steps[step.key] = step
        if self.panel_id is not None:
            save_step(self.turn.database, self.panel_id, step)


def carry_out(
    journal: Journal, wants: Sequence[Want]
) -> Generator[Event | tuple[Want, Heard], None, list[Heard]]:
    """Yield events, and each want with what came of it when it came; return all, in the order of `wants`.

    A reply that does not fit is asked for once more, with what is wrong; then it has no content.
    """
    found = {
        want.key: _recalled(journal.steps[want.key], want) for want in wants if want.key in journal.steps
    }
    for want in wants:
        if want.key in found:
            yield want, found[want.key]
    first = [want for want in wants if want.key not in found and _unfit(want.key) not in journal.steps]
    yield from _asked(journal, first, found, last_try=False)
    yield from _asked(journal, [want for want in wants if want.key not in found], found, last_try=True)
    return [found[want.key] for want in wants]


def _asked(
    journal: Journal, wants: Sequence[Want], found: dict[Key, Heard], last_try: bool
) -> Generator[Event | tuple[Want, Heard], None, None]:
    """Ask `wants` at once; put what fits, and at the last try what does not, into `found`."""
    turn = journal.turn
    prompts = [_again(journal, want) if last_try else want.prompt for want in wants]
    askings = [
        Asking(f"panel_{want.key.stage}", prompt, want.told, want.agent)
        for want, prompt in zip(wants, prompts, strict=True)
    ]
    tools: list[list[str]] = [[] for _ in wants]
    failures: dict[int, str] = {}
    began = time.monotonic()
    with closing(ask_all(turn, askings, turn.settings.runs_at_once)) as events:
        for place, event in events:
            if isinstance(event, Tool) and event.server == SERVER and event.status == "ok":
                tools[place].append(event.name)
            if isinstance(event, Failure):
                failures[place] = event.text
            elif isinstance(event, Done):
                if turn.stopped():
                    raise Interrupted("Stopped. What the experts have said is kept")
                paid = _paid(event, prompts[place], time.monotonic() - began)
                heard = _heard(
                    journal, wants[place], event, failures.get(place, ""), tools[place], paid, last_try
                )
                if heard is not None:
                    found[wants[place].key] = heard
                    yield wants[place], heard
            elif not isinstance(event, Text | Thinking | Session):
                yield event


def _heard(
    journal: Journal,
    want: Want,
    done: Done,
    failure: str,
    tools: Sequence[str],
    paid: Mapping[str, Any],
    last_try: bool,
) -> Heard | None:
    """Return what the end of an asking means, and keep it; None: it will be asked once more."""
    if done.outcome != "ok":  # nothing was answered: it is not kept, so a later run asks again
        return Heard(None, problem=failure or done.text or done.outcome)
    try:
        content = read_reply(done.text, want.contract)
        want.check(content)
    except InstrumentGPTError as problem:
        told = {"reply": done.text, "problem": str(problem)}
        if last_try:
            journal.keep(Step(want.key, told, **paid))
            return Heard(None, problem=str(problem))
        journal.keep(Step(_unfit(want.key), told, **paid))
        return None
    journal.keep(Step(want.key, {"content": as_json(content), "tools": list(tools)}, **paid))
    return Heard(content, tuple(tools))


def _recalled(step: Step, want: Want) -> Heard:
    if "content" not in step.content:
        return Heard(None, problem=step.content["problem"], recalled=True)
    content = want.contract.model_validate(step.content["content"])
    return Heard(content, tuple(step.content["tools"]), recalled=True)


def _again(journal: Journal, want: Want) -> str:
    """Return the prompt with the reply that did not fit, and why."""
    before = journal.steps[_unfit(want.key)].content
    return f"{want.prompt}\n\nYour reply was:\n{before['reply'][:4000]}\n\n{before['problem']}"


def _unfit(key: Key) -> Key:
    return Key(key.sub_problem, UNFIT + key.stage, key.round, key.expert)


def _paid(done: Done, prompt: str, seconds: float) -> dict[str, Any]:
    """Return what the asking cost: tokens as reported, else as estimated, and dollars if reported."""
    usage = done.usage
    read = sum(usage.get(name, 0) for name in ("inputTokens", "cacheReadTokens", "cacheWriteTokens"))
    written = usage.get("outputTokens", 0)
    if not read and not written:
        read, written = count_tokens(prompt), count_tokens(done.text)
    told = {"tokens_in": int(read), "tokens_out": int(written)}
    return {**told, "cost": float(usage.get("costUSD", 0.0)), "seconds": done.seconds or seconds}
