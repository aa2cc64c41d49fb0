"""The chat modes: how a turn asks its agent. A mode is a generator of events."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name

from instrumentgpt.agents.events import Done, Event, Events
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.asking import Interrupted
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.storage.connection import UnknownRun
from instrumentgpt.turn.turn import Turn, failed


@dataclass(frozen=True)
class Mode:
    """A way of working: the word on its button, what it is for, and how it answers a turn.

    purpose    one sentence, which the page shows while the mode is chosen
    asks       what the empty input says
    example    words with which one may begin
    generator  the name of what answers, which is imported when a turn is: a turn has one mode
    in_a_row   agents that one turn may ask one after the other: so many times as long it may take
    """

    label: str
    purpose: str
    asks: str
    example: str
    generator: str
    in_a_row: int = 1


COMMANDS = "commands.mode:carry_out"
MODES: dict[str, Mode] = {
    "chat": Mode(
        "Ask",
        "One question, one answer with evidence from the logs.",
        "Ask about a device, or drop a log",
        "Why does the temperature fluctuate?",
        "chat:chat",
    ),
    "investigate": Mode(
        "Investigate",
        "A bigger job on several devices or logs: planned, agreed to by you, carried out.",
        "Say what is to be found out, and on which devices",
        "Compare these two ovens since Monday and write a report",
        "investigate.mode:investigate",
        8,
    ),
    "interview": Mode(
        "Interview",
        "For a fault hard to put into words: one question at a time, then a statement to approve.",
        "Say what is wrong, as well as you can",
        "the oven is off by two degrees since Monday",
        "interview.mode:interview",
        2,
    ),
    "panel": Mode(
        "Panel",
        "Several possible causes, examined in order by experts who remember what they said.",
        "Ask what several causes are possible for",
        "Too little power, or a failing heater?",
        "panel.mode:panel",
        20,
    ),
}


class UnknownMode(InstrumentGPTError, LookupError):
    """A mode that is not in MODES."""


def known_mode(name: str) -> Mode:
    """Return the mode called `name`."""
    if name not in MODES:
        raise UnknownMode(f"{name!r} is no chat mode. Choose one of: {', '.join(MODES)}")
    return MODES[name]


def run_turn(turn: Turn) -> Events:
    """Answer the turn's question in its mode and save the answer; yield its events, the last a Done.

    A command is carried out whatever the mode.

    The answer is saved before Done is yielded: who has seen Done finds the message in the database.
    """
    generator = COMMANDS if is_command(turn.question.content) else known_mode(turn.run.mode).generator
    yield from turn.answered_by(partial(_to_its_end, resolve_name(f"instrumentgpt.modes.{generator}")))


def _to_its_end(mode: Callable[[Turn], Events], turn: Turn) -> Events:
    """Yield the events of `mode`, the last a Done: who tells none has answered, or says why not."""
    last: Event | None = None
    try:
        with closing(mode(turn)) as events:
            for last in events:
                yield last
        if not isinstance(last, Done):
            yield Done("ok", "")
    except UnknownRun:  # its conversation was deleted
        raise
    except Interrupted:
        yield Done("cancelled", "")
    except InstrumentGPTError as problem:
        yield from failed(problem)
