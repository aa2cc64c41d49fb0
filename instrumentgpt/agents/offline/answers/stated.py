"""What the user stated of a quantity that is asked about, alone or beside what the log has of it."""

from collections.abc import Iterator
from typing import Any

from instrumentgpt.agents.offline.answers.held import acts_named, forbidding, wishes
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted, together
from instrumentgpt.text.terms import synonyms, terms
from instrumentgpt.text.wanted import holds

TOLD_OF_VALUES = ("gain", "metrics", "tune")  # the kinds of question whose answers are values
ADVISED = ("act", "gain", "why", "next", "tune")  # those whose answers say what to do


def beside_the_log(case: Case) -> Iterator[str]:
    """Yield, after values of a log, those that the user stated of what the question names."""
    if case.question.intent in TOLD_OF_VALUES and (told := stated(case)):
        last = together([told[-1], phrase("stated_or_log", case.language)], case.language)
        yield "".join(f"\n\n{one}" for one in (*told[:-1], last))


def laid_down(case: Case) -> Iterator[str]:
    """Yield, after advice, what the user laid down in this question or before."""
    said = wishes(case.task)
    if case.question.intent in ADVISED and said:
        told = joined([quoted(one.rstrip(".。")) for one in said], case.language)
        yield "\n\n" + phrase("laid_down", case.language, wishes=told)


def on_what_is_asked(case: Case) -> str:
    """Return what the user laid down on the act that is asked about ("may I restart it?"), or ""."""
    said = forbidding(case.task.laid_down, acts_named(case.question.text))
    told = joined([quoted(one.rstrip(".。")) for one in said], case.language)
    return phrase("laid_down_on_it", case.language, wishes=told) if said else ""


def stated_or_laid_down(case: Case) -> list[str]:
    """Return all values that the user stated, each with its turn, then what the user laid down."""
    if not case.same_device:
        return []
    values = [_sentence(case, row, "recall_value") for row in case.task.stated]
    return values + [quoted(one) for one in case.task.laid_down]


def stated(case: Case) -> list[str]:
    """Return a sentence for each value that the user stated of a quantity the question names."""
    if not case.same_device:
        return []
    asked = terms(case.question.text)
    return [_sentence(case, row) for row in case.task.stated if _is_named(row["parameter"], asked)]


def _sentence(case: Case, row: dict[str, Any], key: str = "stated") -> str:
    what = quoted(" ".join(filter(None, (row["parameter"], row["value"], row["unit"]))))
    channel = phrase("stated_channel", case.language, channel=row["channel"]) if row["channel"] else ""
    return phrase(key, case.language, turn=row["turn"], what=what, channel=channel)


def _is_named(parameter: str, asked: list[str]) -> bool:
    name = tuple(terms(parameter))
    group = next((names for names in synonyms() if name in names), (name,))
    return any(holds(asked, one) for one in group)
