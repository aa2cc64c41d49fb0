"""The chat modes: how a turn asks its agent. A mode is a generator of events."""

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name

from instrumentgpt.agents.events import Events
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.turn.turn import Turn


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

    @property
    def answer(self) -> Callable[[Turn], Events]:
        """The generator of a turn's events."""
        return named(self.generator)


def named(generator: str) -> Callable[[Turn], Events]:
    """Return the generator of this name."""
    function: Callable[[Turn], Events] = resolve_name(f"instrumentgpt.modes.{generator}")
    return function


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
    command = is_command(turn.question.content)
    yield from turn.answered_by(named(COMMANDS) if command else known_mode(turn.run.mode).answer)
