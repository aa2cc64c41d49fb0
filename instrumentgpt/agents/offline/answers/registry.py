"""Which function answers which kind of question."""

from collections.abc import Callable, Iterator

from instrumentgpt.agents.offline.answers.comparison import compare, other_device
from instrumentgpt.agents.offline.answers.diagnosis import (
    evidence,
    kind,
    next_action,
    ruled_out,
    when,
    why,
)
from instrumentgpt.agents.offline.answers.done import done, done_meanwhile
from instrumentgpt.agents.offline.answers.earlier import earlier
from instrumentgpt.agents.offline.answers.events import events
from instrumentgpt.agents.offline.answers.excerpt import excerpt
from instrumentgpt.agents.offline.answers.fleet import worst
from instrumentgpt.agents.offline.answers.forgetting import forget
from instrumentgpt.agents.offline.answers.gains import gain, tune
from instrumentgpt.agents.offline.answers.history import history
from instrumentgpt.agents.offline.answers.logs import devices, fetch, lines, list_logs, newest_log
from instrumentgpt.agents.offline.answers.metrics import metrics
from instrumentgpt.agents.offline.answers.moments import at_time
from instrumentgpt.agents.offline.answers.noted import is_noted, noted
from instrumentgpt.agents.offline.answers.plots import plot
from instrumentgpt.agents.offline.answers.rest import (
    act,
    assent,
    courtesy,
    help_,
    image_note,
    is_assent,
    unknown,
    unknown_device,
)
from instrumentgpt.agents.offline.answers.said import forbidden, said, which_log
from instrumentgpt.agents.offline.answers.sources import with_source
from instrumentgpt.agents.offline.answers.state import recall
from instrumentgpt.agents.offline.answers.stated import (
    beside_the_log,
    constraints_beside,
    on_what_is_asked,
    stated,
)
from instrumentgpt.agents.offline.answers.subject import NothingToRead, known_log
from instrumentgpt.agents.offline.case import Case, ToolFailed
from instrumentgpt.agents.offline.phrases import phrase, plain_text

ANSWERS: dict[str, Callable[[Case], Iterator[str]]] = {
    "act": act,
    "compare": compare,
    "courtesy": courtesy,
    "devices": devices,
    "done": done,
    "earlier": earlier,
    "events": events,
    "evidence": evidence,
    "excerpt": excerpt,
    "fetch": fetch,
    "forbidden": forbidden,
    "forget": forget,
    "gain": gain,
    "help": help_,
    "history": history,
    "kind": kind,
    "lines": lines,
    "list_logs": list_logs,
    "metrics": metrics,
    "newest_log": newest_log,
    "moment": at_time,
    "next": next_action,
    "plot": plot,
    "recall": recall,
    "ruled_out": ruled_out,
    "said": said,
    "tune": tune,
    "unknown": unknown,
    "when": when,
    "which_log": which_log,
    "why": why,
    "worst": worst,
}

ONE_AT_A_TIME = (  # asked of several devices at once, these are answered by a survey
    "compare", "events", "evidence", "gain", "metrics", "next", "plot", "tune", "unknown", "when", "why",
)  # fmt: skip


BESIDE = (beside_the_log, done_meanwhile, constraints_beside)  # what is told after an answer


def answer(case: Case, told: set[str] | None = None) -> Iterator[str]:
    """Yield the answer to the question of `case` in pieces; what a tool could not do is said, not raised.

    told  what was said beside other answers to the same message, which is not said again
    """
    told = set() if told is None else told
    if case.unknown and not case.task.devices:
        yield from unknown_device(case)
        return
    if is_assent(case):
        yield from assent(case)
        return
    if is_noted(case):
        yield from noted(case)
        return
    if case.question.intent == "unknown" and (said := stated(case)):
        yield "\n\n".join(said)
        return
    if told_so := on_what_is_asked(case):
        yield told_so
        return
    if note := image_note(case):
        yield note + "\n\n"
        if not case.device and not known_log(case):
            return
    try:
        yield from with_source(case, _kind(case))
        for beside in BESIDE:
            yield from _once("".join(beside(case)), told)
    except NothingToRead as problem:
        yield from _once(str(problem), told)
    except ToolFailed as problem:
        yield phrase("failed", case.language, reason=plain_text(str(problem)))
        if case.question.pasted:
            yield "\n\n" + phrase("pasted_needs", case.language)


def _once(words: str, told: set[str]) -> Iterator[str]:
    if words not in told:
        told.add(words)
        yield words


def _kind(case: Case) -> Callable[[Case], Iterator[str]]:
    """Return what answers the question: of several devices at once, a survey."""
    several = len(case.task.devices) > 1 and case.question.intent in ONE_AT_A_TIME
    if case.question.intent == "compare" and other_device(case):
        several = False
    return worst if several else ANSWERS[case.question.intent]
