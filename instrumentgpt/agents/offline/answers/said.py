"""What stands in the conversation itself: the user's own words, what is not to be done, the logs read."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from instrumentgpt.agents.offline.answers.stated import stated, told_value
from instrumentgpt.agents.offline.answers.subject import bare, device_label, known_log
from instrumentgpt.agents.offline.case import Case, ToolFailed
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted
from instrumentgpt.memory.reading.own_words import is_asked
from instrumentgpt.memory.search_query import holds
from instrumentgpt.memory.terms import phrases, terms

MOST_QUOTED = 4  # earlier messages
_A_VALUE = re.compile(r"\b(?:value|number|figure)s?\b|[數数]值|[數数]字|多少|[幾几]度", FLAGS)
_CALLED = re.compile(
    r"\b(?:call|(?:nick)?names?)\b|\bwhich (?:device|instrument|oven|unit|one) is\b"
    r"|叫|[綽绰][號号]|[暱昵][稱称]|哪一?[台部]",
    FLAGS,
)
_OF_US = re.compile(r"\byou\b|[你您](?![說说]的)", FLAGS)
_OF_USER = re.compile(r"\b(?:i|me|my|we)\b|我", FLAGS)


def said(case: Case) -> Iterator[str]:
    """Say what the user stated of what is asked about, else what earlier messages say of it."""
    if _CALLED.search(case.question.text) and (called := _names(case)):
        yield "\n".join(called)
    elif told := stated(case) or (_newest_values(case) if _A_VALUE.search(case.question.text) else []):
        yield "\n\n".join(told)
    elif found := messages_on(case, _speaker(case)):
        yield phrase("said_title", case.language) + "\n\n" + "".join(found)
    else:
        yield phrase("said_nothing", case.language)


def _names(case: Case) -> list[str]:
    """Return a line for each device asked about, or each that has one, with what its users call it."""
    named = case.task.devices or tuple(case.task.nicknames)
    return [
        "- " + phrase("called", case.language, device=device, names=joined(map(quoted, names), case.language))
        for device in named
        if (names := case.task.nicknames.get(device))
    ]


def forbidden(case: Case) -> Iterator[str]:
    """List what the user laid down, for the device in question or for all."""
    label = device_label(case) or phrase("noted_all", case.language)
    constraints = case.task.constraints
    if not constraints:
        yield phrase("forbidden_nothing", case.language, label=label)
        return
    yield phrase("forbidden_title", case.language, label=label) + "\n\n"
    yield from (f"- {quoted(one)}\n" for one in constraints)
    yield "\n" + phrase("forbidden_holds", case.language)


def which_log(case: Case) -> Iterator[str]:
    """Say which log the last answer is from, and which others were read of the device."""
    about = known_log(case)
    if about is None:
        yield phrase("which_log_none", case.language)
        return
    yield phrase("which_log", case.language, log=quoted(about.log), label=about.label)
    read = dict.fromkeys(bare(name) for name in case.task.state.get("downloaded_logs") or [])
    if others := [quoted(name) for name in read if name != about.log]:
        yield "\n\n" + phrase("which_log_others", case.language, logs=joined(others, case.language))


def messages_on(case: Case, said_by: str = "") -> list[str]:
    """Return a line for each earlier message that bears on the question, best first; questions are left out.

    said_by  "user" or "assistant": only theirs; "": of both
    """
    found: list[dict[str, Any]] = []
    with suppress(ToolFailed):  # outside of a conversation nothing was said
        found = case.tool("recall", query=case.question.text)["messages"]
    rows = [(one, _statements(one["text"])) for one in found if said_by in ("", one["said_by"])]
    sought = phrases(case.question.text)
    return [
        phrase(f"said_by_{one['said_by']}", case.language, turn=one["turn"], text=quoted(text)) + "\n"
        for one, text in rows
        if any(holds(terms(text), one) for one in sought)
    ][:MOST_QUOTED]


def _statements(text: str) -> str:
    """Return the lines of a message that do not ask, as one."""
    return " ".join(" ".join(line.split()) for line in text.splitlines() if not is_asked(line.strip()))


def _speaker(case: Case) -> str:
    """Return whose words are asked for, "" if it may be anybody's."""
    of_us, of_user = (bool(one.search(case.question.text)) for one in (_OF_US, _OF_USER))
    return "" if of_us == of_user else "assistant" if of_us else "user"


def _newest_values(case: Case) -> list[str]:
    """Return a sentence for each value that the user stated last."""
    rows = case.task.stated if case.same_device else ()
    newest = max((int(row["turn"]) for row in rows), default=0)
    return [told_value(case, row) for row in rows if int(row["turn"]) == newest]
