"""Which steps go against the user's constraints, and the mark that they bear."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrumentgpt.analyst.case import Task
from instrumentgpt.analyst.questions import Question, aspect, channels_in
from instrumentgpt.analyst.words import phrase
from instrumentgpt.instruments.language import Language, table
from instrumentgpt.memory.reading.constraints import Ruling, constraints_in, rulings_in_force

ACTS = Path(__file__).with_name("constraints.toml")  # act → patterns, faults
FLAGS = re.IGNORECASE | re.ASCII  # ASCII: a Chinese character beside "kp" is no part of the word
GAINS = frozenset(("kp", "ki", "kd"))
STOPS = {"restart", "stop", "open", "setpoint"}  # acts whose permission no log can tell
_FORBIDS = re.compile(
    r"\b(?:do not|don['’]?t|never|no|not|nothing|avoid|without|mustn['’]?t|can['’]?t|cannot|leave|unless"
    r"|until|till|keep(?! in mind)|only (?:after|when|if|with|during|in))\b"
    r"|不|勿|[別别禁]|避免|除非|只能|才",
    FLAGS,
)
_CLAUSE = re.compile(r"[,;，；。]|\.(?=\s|$)")


@dataclass(frozen=True)
class Step:
    """What an advice would have done: the fault it mends and its channel, or the gains it changes."""

    fault: str = ""
    channel: int | None = None
    gains: Collection[str] = ()
    critical: bool = False


def step_of(finding: Mapping[str, Any]) -> Step:
    """Return the remedy of a finding as `diagnose_log` tells it."""
    return Step(finding["class"], finding["channel"], critical=finding["severity"] == "critical")


def acts_in(constraint: str) -> set[str]:
    """Return the acts that `constraint` forbids: those named in a clause that forbids.

    >>> sorted(acts_in("Never touch the gains.")), sorted(acts_in("Always restart it after a change."))
    (['kd', 'ki', 'kp'], [])
    """
    named = {name for clause in forbidding_clauses(constraint) for name in acts_named(clause)}
    return named - {"anything"} or named


def forbidding_clauses(constraint: str) -> list[str]:
    """Return the clauses of `constraint` that say what is not to be done."""
    return [clause for clause in _CLAUSE.split(constraint) if _FORBIDS.search(clause)]


def acts_named(text: str) -> set[str]:
    """Return the acts that `text` names, be they forbidden, asked about or told.

    >>> acts_named("can I restart it today?"), acts_named("現在可以停機嗎？")
    ({'restart'}, {'stop'})
    """
    return {
        name
        for name, act in table(ACTS).items()
        if any(re.search(pattern, text, FLAGS) for pattern in (*act["en"], *act["zh"]))
    }


def asks_to_run(question: Question) -> bool:
    """Return whether it is asked if a device may run on, or be stopped, opened or restarted."""
    is_act = (
        aspect("may", question.words)
        and aspect("asks", question.words)
        and not question.gain
        and acts_named(question.text) & STOPS
    )
    of_gains = question.quantity == "gains" and not question.yes_no  # which shall I use
    return bool((aspect("safe", question.words) and not of_gains) or is_act)


def forbidding(constraints: Collection[str], named: Collection[str]) -> list[str]:
    """Return the constraints among `said` that forbid one of the acts `named`, or anything at all."""
    return [constraint for constraint in constraints if named and acts_in(constraint) & {*named, "anything"}]


def constraints_in_force(task: Task) -> list[str]:
    """Return the user's constraints in force, of before and of this question, once each."""
    sentences = [Ruling("constraint", text) for text in task.constraints]
    sentences += [Ruling(kind, text) for kind, text in constraints_in(task.question)]
    return [sentences[place].text for place in rulings_in_force(sentences)]


def mark(task: Task, language: Language, step: Step) -> str:
    """Return the mark of a step that goes against a constraint, with a blank before; "" for others."""
    constraint = next(_against(constraints_in_force(task), step), None)
    if constraint is None:
        return ""
    sentence = phrase("held_critical" if step.critical else "held", language)
    return f" **{sentence}**" if language == "en" else f"**{sentence}**"


def _against(constraints: Collection[str], step: Step) -> Iterator[str]:
    for constraint in constraints:
        forbidden, channel = acts_in(constraint), next(iter(channels_in(constraint)), None)
        elsewhere = None not in (channel, step.channel) and channel != step.channel
        done = {name for name in forbidden if step.fault in table(ACTS)[name]["faults"]}
        if not elsewhere and (done or forbidden & {*step.gains, *(["anything"] if step.gains else [])}):
            yield constraint
