"""What the user said was done: swapped, cleaned, adjusted; told of the device that it was done to."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.noted import is_done
from instrumentgpt.agents.offline.answers.subject import device_label
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.earlier import sentences_before
from instrumentgpt.agents.offline.phrases import phrase, quoted

_CLAUSES = re.compile(r"[,，;；。?？!！\n]|\.(?=\s)|\band\b")
DIAGNOSED = ("why", "next", "compare", "when")
MOST_DONE = 8  # the newest


def done(case: Case) -> Iterator[str]:
    """List what was done to the device in question, by the user's words."""
    label = case.task.devices[0] if case.task.devices else device_label(case)
    label = label or phrase("noted_all", case.language)
    if lines := done_to_it(case):
        yield phrase("done_title", case.language, label=label) + "\n\n"
        yield from (f"- {line}\n" for line in lines)
        yield "\n" + phrase("done_only", case.language)
    else:
        yield phrase("done_nothing", case.language, label=label)


def done_meanwhile(case: Case) -> Iterator[str]:
    """Yield, after a diagnosis, what the user said was done: the log may be from before it."""
    if case.question.intent not in DIAGNOSED or len(case.task.devices) > 1:
        return
    if lines := [*done_to_it(case), *_just_said(case)]:
        yield "\n\n" + phrase("done_meanwhile", case.language) + "\n\n"
        yield from (f"- {line}\n" for line in lines)


def _just_said(case: Case) -> list[str]:
    """Return what the question itself says was done, of which it asks what came of it."""
    return [quoted(one.strip()) for one in _CLAUSES.split(case.question.text) if is_done(one)]


def done_to_it(case: Case) -> list[str]:
    """Return what the user said was done to the device in question, each with its turn, oldest first."""
    about = {"", *(case.task.devices or (case.known("device_name"), case.known("device_ip")))}
    told = [
        phrase("done_row", case.language, turn=turn, text=quoted(text))
        for turn, device, text in sentences_before(case.task)
        if device in about and is_done(text)
    ]
    return told[-MOST_DONE:]
