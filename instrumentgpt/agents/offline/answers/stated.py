"""What the user stated of a quantity that is asked about, alone or beside what the log has of it."""

import re
from collections.abc import Iterator
from typing import Any

from instrumentgpt.agents.offline.answers.held import (
    acts_named,
    constraints_in_force,
    forbidding,
    forbidding_clauses,
    until,
)
from instrumentgpt.agents.offline.answers.subject import device_label
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.intents import LOOKED_BACK
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted, together
from instrumentgpt.memory.search_query import holds
from instrumentgpt.memory.terms import synonyms, telling, terms

TOLD_OF_VALUES = ("gain", "metrics", "tune")  # the kinds of question whose answers are values
LEAVE_ASKED = ("excerpt", "lines", "moment", "plot", "fetch", "list_logs", "devices", "compare", *LOOKED_BACK)
_MAY = re.compile(
    r"\b(?:can|may|could|shall) (?:i|we)\b|\bis it (?:ok|okay|safe|allowed|fine|all ?right)\b"
    r"|\b(?:am i|are we) (?:allowed|permitted)\b|可以|能不能|可不可以|可否|能否|能[^，。]{0,8}[嗎吗]",
    FLAGS,
)
ADVISED = ("act", "gain", "why", "next", "tune")  # those whose answers say what to do


def beside_the_log(case: Case) -> Iterator[str]:
    """Yield, after values of a log, those that the user stated of what the question names."""
    if case.question.intent in TOLD_OF_VALUES and (told := stated(case)):
        last = together([told[-1], phrase("stated_or_log", case.language)], case.language)
        yield "".join(f"\n\n{one}" for one in (*told[:-1], last))


def constraints_beside(case: Case) -> Iterator[str]:
    """Yield, after advice, what the user laid down in this question or before."""
    said = constraints_in_force(case.task)
    if case.question.intent in ADVISED and said:
        told = joined([quoted(one.rstrip(".。")) for one in said], case.language)
        yield "\n\n" + phrase("constraints", case.language, constraints=told)


def on_what_is_asked(case: Case) -> str:
    """Return what the user laid down on the act that is asked about ("may I restart it?"), or ""."""
    text, intent = case.question.text, case.question.intent
    permission = bool(_MAY.search(text)) and intent not in (*LEAVE_ASKED, *ADVISED[1:])
    if not (permission or intent == "unknown"):
        return ""
    acts = acts_named(text)
    said = forbidding(case.task.constraints, acts)
    if permission:
        said += [one for one in case.task.constraints if one not in said and _is_on(one, case)]
    if said:
        told = joined([quoted(one.rstrip(".。")) for one in said], case.language)
        return phrase("constraints_on_it", case.language, constraints=told)
    label = case.task.devices[0] if case.task.devices else device_label(case)
    if permission and acts and label and intent in ("unknown", "metrics"):
        return phrase("nothing_forbids", case.language, label=label)
    return ""


def _is_on(constraint: str, case: Case) -> bool:
    """Return whether what `constraint` forbids and the question speak of one thing: "the heater"."""
    forbidden = " ".join(forbidding_clauses(constraint)).replace(until(constraint) or "\0", " ")
    named = terms(" ".join((case.known("device_name"), case.known("device_ip"), *case.task.devices)))
    shared = set(telling(terms(forbidden))) & set(telling(terms(case.question.text)))
    return any(not (one in named or one.isdecimal()) for one in shared)


def values_and_constraints(case: Case) -> list[str]:
    """Return all values that the user stated, each with its turn, then what the user laid down."""
    if not case.same_device:
        return []
    values = [told_value(case, row, "recall_value") for row in case.task.stated]
    return values + [quoted(one) for one in case.task.constraints]


def stated(case: Case) -> list[str]:
    """Return a sentence for each value that the user stated of a quantity the question names."""
    if not case.same_device:
        return []
    asked = terms(case.question.text)
    return [told_value(case, row) for row in case.task.stated if _is_named(row["parameter"], asked)]


def told_value(case: Case, row: dict[str, Any], key: str = "stated") -> str:
    """Return the sentence `key` on one value that the user stated."""
    what = quoted(" ".join(filter(None, (row["parameter"], row["value"], row["unit"]))))
    channel = phrase("stated_channel", case.language, channel=row["channel"]) if row["channel"] else ""
    return phrase(key, case.language, turn=row["turn"], what=what, channel=channel)


def _is_named(parameter: str, asked: list[str]) -> bool:
    name = tuple(terms(parameter))
    group = next((names for names in synonyms() if name in names), (name,))
    return any(holds(asked, one) for one in group)
