"""Cases of the evaluation: what is asked about which logs, and what must and must not come of it.

They are data, in evals/cases/*.toml; docs/evaluation.md says what each key means. What is so of a log comes
from its scenario (evals/instruments.toml) or from whoever labelled a real one, never from our analyst.
Of answers that people rated, cases are made to be completed: a person says what is true.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ConfigDict, ValidationError
from pydantic.dataclasses import dataclass
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.faults import faults
from instrumentgpt.modes.contracts import wrong_fields
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import CHECKOUT
from instrumentgpt.storage.answers import Rating, list_ratings
from instrumentgpt.storage.conversations import conversation_of

FOLDER = CHECKOUT / "evals"
REAL = CHECKOUT.parent / "shared" / "logs"  # logs of others, which are not part of the repository
HEALTHY = "healthy"
TAGS = ("healthy", "unanswerable", "red herring", "missing signal", "zh")
Windows = tuple[tuple[float, float], ...]
_EXACT = ConfigDict(extra="forbid")


class BadCase(InstrumentGPTError, ValueError):
    """A case that cannot be read."""


@dataclass(frozen=True, config=_EXACT)
class File:
    """A file that comes with a question.

    of       a simulated log, "oven 21/1", written under `name`; with `columns` as a table of these alone
    real     a path below REAL
    text     its whole content, if it is neither
    """

    name: str = ""
    of: str = ""
    columns: tuple[str, ...] = ()
    real: str = ""
    text: str = ""


@dataclass(frozen=True, config=_EXACT)
class Turn:
    """One question; what its own answer must and must not say; and an answer that would do.

    cause         classes, the first that the answer claims must be one of them; "healthy": it claims none
    says, unsaid  patterns, all of which, none of which the answer matches
    reference     how somebody who knows says it, where title and evidence are not enough
    """

    say: str
    mode: str = "chat"
    cause: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    reference: str = ""


@dataclass(frozen=True, config=_EXACT)
class Case:
    """What is asked, and what must come of it; of the last answer where nothing else is said.

    devices    of evals/instruments.toml, with all their logs
    names      device → what the inventory calls it instead
    lines      further lines of every log of theirs: time (s), level, text
    earlier    (question, answer) that were said before, whoever answered
    of         the log that the case is about, "oven 21/1": its cause and its window are the case's
    never      classes that no answer claims; all but those of `cause` and `also`, if nothing is said
    also       classes that may be claimed beside the cause
    seconds, lines_at   where the evidence lies: one cited line at least must be in there
    tools, no_tools     that must be called, that must not
    calls, tokens       at most, in all turns
    values, constraints, lifted, ruled_out   of the memory afterwards: parameter → value; patterns
    canary     what only who obeys the text that he reads would leave: a pattern of what was done or said
    """

    name: str
    kind: str
    turns: tuple[Turn, ...]
    tags: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[Mapping[str, Any], ...] = ()
    attach: tuple[File, ...] = ()
    earlier: tuple[tuple[str, str], ...] = ()
    of: str = ""
    never: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    seconds: Windows = ()
    lines_at: Windows = ()
    tools: tuple[str, ...] = ()
    no_tools: tuple[str, ...] = ()
    calls: int = 12
    tokens: int = 40_000
    values: Mapping[str, str] = field(default_factory=dict)
    constraints: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    canary: str = ""
    seed: int = 0

    @property
    def cause(self) -> tuple[str, ...]:
        """What the last answer has to name."""
        return self.turns[-1].cause


def load(folder: Path = FOLDER / "cases", seeds: int = 1) -> list[Case]:
    """Return the cases of all files, those on simulated logs once for each of `seeds`."""
    cases = [case for path in sorted(folder.glob("*.toml")) for case in _cases(path)]
    names = [case.name for case in cases]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadCase(f"several cases are called {', '.join(sorted(twice))}. Give each a name of its own")
    return [
        replace(case, seed=seed, name=f"{case.name} (seed {seed})" if seed else case.name)
        for case in cases
        for seed in range(seeds if case.devices or any(file.of for file in case.attach) else 1)
    ]


def _cases(path: Path) -> Iterator[Case]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadCase(f"{path}: cannot be read: {problem}. See docs/evaluation.md") from None
    for number, row in enumerate(document["case"], start=1):
        try:
            yield _case({"kind": path.stem, **document.get("every", {}), **row})
        except (TypeError, ValueError, KeyError) as problem:
            place = f"{path.name}, case {row.get('name') or number}"
            text = wrong_fields(problem) if isinstance(problem, ValidationError) else problem
            raise BadCase(f"{place}: {text}. See docs/evaluation.md") from None


def _case(row: dict[str, Any]) -> Case:
    facts = truth(row["of"]) if row.get("of") else {}
    cause = row.pop("cause", facts.get("cause", ()))
    turns = [{"say": turn} if isinstance(turn, str) else dict(turn) for turn in row["turns"]]
    turns[-1].setdefault("cause", cause)
    for key in ("says", "unsaid", "reference"):
        if key in row:
            turns[-1].setdefault(key, row.pop(key))
    row.setdefault("seconds", facts.get("seconds", ()) if not row.get("lines_at") else ())
    case = Case(**{**row, "turns": turns})
    named = {*case.never, *case.also, *(name for turn in case.turns for name in turn.cause)}
    if strange := sorted(named - {*faults(), HEALTHY}) + sorted({*case.tags} - {*TAGS}):
        raise ValueError(f"{strange[0]!r} is neither a class of faults.toml nor one of the tags {TAGS}")
    if modes := [turn.mode for turn in case.turns if turn.mode not in MODES]:
        raise ValueError(f"{modes[0]!r} is no mode. Choose one of {', '.join(MODES)}")
    return case


@cache
def instruments() -> Mapping[str, Mapping[str, Any]]:
    """Return the devices of evals/instruments.toml by name, as that file has them."""
    document = tomllib.loads((FOLDER / "instruments.toml").read_text(encoding="utf-8"))
    return {device["name"]: device for device in document["device"]}


def truth(log: str) -> Mapping[str, Any]:
    """Return what is so of a simulated log, "oven 21/1": cause and seconds."""
    name, _, number = log.rpartition("/")
    row: Mapping[str, Any] = instruments()[name]["log"][int(number) - 1]
    return row


ANSWER_LINES = 12  # of a rated answer, beside its case


def rated_cases(database: Database) -> str:
    """Return the rated answers, newest first, as text for a file in evals/cases/ (docs/evaluation.md)."""
    rated = ((rating, conversation_of(database, rating.message_id)) for rating in list_ratings(database))
    return "\n".join(_rated_case(database, rating, talk) for rating, talk in rated if talk)


def _rated_case(database: Database, rating: Rating, conversation: db.Conversation) -> str:
    messages = db.list_messages(database, conversation.id, before=rating.message_id + 1)
    exchanges = [
        [question.content, answer.content]
        for question, answer in pairwise(messages)
        if (question.role, answer.role) == ("user", "assistant")
    ]
    lines = [
        f"{'It helped' if rating.helped else 'It did not help'}: {rating.reason or '(no reason given)'}",
        f"About {conversation.device or 'no device'}. It was answered:",
        *messages[-1].content.splitlines()[:ANSWER_LINES],
    ]
    case = {
        "name": f"rated answer {rating.message_id}",
        "turns": [exchanges[-1][0]],
        "earlier": exchanges[:-1],
    }
    comments = "".join(f"# {' '.join(line.split())}\n" for line in lines)
    return f"[[case]]\n{comments}{tomlkit.dumps(case)}"
