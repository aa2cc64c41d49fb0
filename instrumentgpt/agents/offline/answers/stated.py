"""What the user stated of a quantity that is asked about, alone or beside what the log has of it."""

from collections.abc import Iterator
from typing import Any

from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted
from instrumentgpt.text.terms import synonyms, terms
from instrumentgpt.text.wanted import holds

TOLD_OF_VALUES = ("gain", "metrics", "tune")  # the kinds of question whose answers are values


def beside_the_log(case: Case) -> Iterator[str]:
    """Yield, after values of a log, those that the user stated of what the question names."""
    if case.question.intent in TOLD_OF_VALUES and (told := stated(case)):
        yield "".join(f"\n\n{one}" for one in told) + " " + phrase("stated_or_log", case.language)


def stated(case: Case) -> list[str]:
    """Return a sentence for each value that the user stated of a quantity the question names."""
    if not case.same_device:
        return []
    asked = terms(case.question.text)
    return [_sentence(case, row) for row in case.task.stated if _is_named(row["parameter"], asked)]


def _sentence(case: Case, row: dict[str, Any]) -> str:
    what = quoted(" ".join(filter(None, (row["parameter"], row["value"], row["unit"]))))
    channel = phrase("stated_channel", case.language, channel=row["channel"]) if row["channel"] else ""
    return phrase("stated", case.language, turn=row["turn"], what=what, channel=channel)


def _is_named(parameter: str, asked: list[str]) -> bool:
    name = tuple(terms(parameter))
    group = next((names for names in synonyms() if name in names), (name,))
    return any(holds(asked, one) for one in group)
