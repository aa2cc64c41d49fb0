"""A message with several questions: each is answered by itself, in order, under its own words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from instrumentgpt.agents.offline.answers.held import acts_named, constraints_in_force
from instrumentgpt.agents.offline.answers.registry import answer
from instrumentgpt.agents.offline.answers.said import messages_on
from instrumentgpt.agents.offline.answers.stated import on_what_is_asked, stated
from instrumentgpt.agents.offline.case import Case, Result, Task
from instrumentgpt.agents.offline.earlier import going_on, task_about
from instrumentgpt.agents.offline.intents import Question, read_question
from instrumentgpt.agents.offline.patterns import find
from instrumentgpt.agents.offline.phrases import phrase, plain_text
from instrumentgpt.agents.offline.several import Part, asks_by_itself, parts_of, without_lead
from instrumentgpt.agents.offline.task import inventory_of
from instrumentgpt.agents.offline.unheard import unheard_of
from instrumentgpt.instruments.compared import asked_about
from instrumentgpt.instruments.devices import Inventory, Resolution
from instrumentgpt.instruments.pasted import is_device_name

APART = ("said", "history", "earlier", "gain", "lines", "moment", "excerpt", "act")  # never made one of two
WITHIN = {"why": ("next", "plot")}  # kind → those that its answer holds
OF_OTHER_LOGS = ("compare", "earlier", "list_logs", "which_log", "recall", "said", "done")
SUBJECTS = (
    "channel", "gain", "direction", "factor", "target", "lines", "values", "clock", "log", "day", "previous",
    "search",
)  # fmt: skip
_IT = r"\b(?:it|its|this|that)\b|它|[該该這这]"
_IS_IT = r"^\W*(?:\w+\W+){0,2}?(?:is|would|will|could|does) (?:it|this|that)\b"  # after advice
_NOW = r"\bnow\b|\bcurrent|\bnewest\b|\blatest\b|目前|[現现]在|最新|[這这]一?[份次個个]"


@dataclass(frozen=True)
class _Asked:
    """One question of the message, as it is answered."""

    text: str
    question: Question
    devices: tuple[str, ...]
    unknown: tuple[str, ...]
    is_understood: bool


def answer_each(case: Case) -> Iterator[str]:
    """Yield the answer to each question of the message, under its words where there are several."""
    asked = questions_of(case)
    if len(asked) < 2:
        yield from answer(case if not asked else _case_of(case, asked[0], case.task))
        return
    task, told = case.task, set[str]()
    for number, one in enumerate(asked, start=1):
        own, read = _case_of(case, one, task), dict[str, str]()
        above = "\n\n" if number > 1 else ""
        title = f"{above}### {number}. {plain_text(without_lead(one.text))}\n\n"
        for words in _answer(_noting(own, read), told):
            yield title + words if words.strip() else words
            title = "" if words.strip() else title
        task = _after(task, read)


def questions_of(case: Case) -> list[_Asked]:
    """Return the questions of the message; none where it asks only one."""
    if case.question.pasted:
        return []
    parts, inventory = parts_of(case.task.question), inventory_of(case.task)
    asked: list[_Asked] = []
    for part in parts if len(parts) > 1 else ():
        one = _read(part, asked, case, inventory)
        if asked and _belongs(part, one, asked[-1]):
            asked[-1] = _joined(asked[-1], one)
        else:
            asked.append(one)
    if len(asked) < 2 or not any(one.is_understood for one in asked):
        return []
    asked = _without_repeats(asked)
    is_whole = len(asked) == 1 and asked[0].question.intent == case.question.intent
    return [] if is_whole else asked


def _read(part: Part, before: list[_Asked], case: Case, inventory: Inventory) -> _Asked:
    """Return `part` with its device, and what it does not name itself but the question before does."""
    named = _named(part.text, case, inventory)
    named = named if named.devices or named.unknown else _named(part.context, case, inventory)
    devices = tuple(device.name for device in named.devices)
    if not (devices or named.unknown):
        devices = before[-1].devices[:1] if before else _first_device(case)
    asked = [one.question.text for one in reversed(before)]
    question = going_on(read_question(part.text), replace(case.task, devices=devices), asked)
    if before:
        question = _inherited(question, before[-1].question)
    is_understood = question.intent != "unknown" or bool(acts_named(part.text)) or bool(named.devices)
    return _Asked(part.text, question, devices, named.unknown, is_understood)


def _named(text: str, case: Case, inventory: Inventory) -> Resolution:
    """Return the devices that `text` names, and those that nobody knows."""
    named = asked_about(text, inventory, case.task.state.get("device_ip"))
    return Resolution(named.devices, named.unknown or unheard_of(text, inventory))


def _first_device(case: Case) -> tuple[str, ...]:
    """Return the device of a first question that names none: what was in view, else the one named later."""
    left = case.task.left.get("device", "")
    return (left,) if left and not is_device_name(left) else case.task.devices[:1]


def _inherited(question: Question, before: Question) -> Question:
    """Return `question` with the gain, channel and log of the one before where it speaks of "it"."""
    if question.intent == "unknown" and before.gain and find(_IT, question.text):
        again = read_question(f"{question.text} {before.gain}")
        question = again if again.intent in ("gain", "tune") else question
    if question.intent == "said" and before.gain and not question.gain:
        question = replace(question, text=f"{question.text} {before.gain}", gain=before.gain)
    if question.channel is None and find(_IT, question.text):
        question = replace(question, channel=before.channel)
    names_log = question.log or question.day or question.previous or find(_NOW, question.text)
    if names_log or before.intent in OF_OTHER_LOGS:
        return question
    return replace(question, log=before.log, day=before.day, previous=before.previous)


def _belongs(part: Part, one: _Asked, before: _Asked) -> bool:
    """Return whether `part` asks nothing by itself, but only more of the question before."""
    if not one.is_understood:
        return not part.firm or not asks_by_itself(part.text)
    is_on_advice = before.question.intent in ("gain", "tune", "act") and not one.question.gain
    return is_on_advice and not part.firm and bool(find(_IS_IT, part.text))


def _joined(first: _Asked, second: _Asked) -> _Asked:
    text = f"{first.text} {second.text}"
    question = replace(first.question, text=f"{first.question.text} {second.question.text}")
    return replace(first, text=text, question=question)


def _without_repeats(asked: list[_Asked]) -> list[_Asked]:
    """Return the questions without those that the answer to another one answers, too."""
    kept: list[_Asked] = []
    for one in asked:
        place = next((place for place, other in enumerate(kept) if _is_one(one, other)), None)
        if place is None:
            kept.append(one)
            continue
        first, second = kept[place], one
        if first.question.intent in WITHIN.get(second.question.intent, ()):
            first, second = replace(second, text=first.text), replace(first, text=second.text)
        kept[place] = _joined(first, second)
    return kept


def _is_one(one: _Asked, other: _Asked) -> bool:
    kinds = one.question.intent, other.question.intent
    if one.devices != other.devices or not (one.is_understood and other.is_understood):
        return False
    if kinds[0] == kinds[1]:
        same = one.question.text.casefold() == other.question.text.casefold()
        return same or (kinds[0] not in APART and _subject(one) == _subject(other))
    within = kinds[0] in WITHIN.get(kinds[1], ()) or kinds[1] in WITHIN.get(kinds[0], ())
    return within and _place(one) == _place(other)


def _subject(one: _Asked) -> tuple[object, ...]:
    question = one.question
    named = question.gain if question.intent not in ("metrics", "why") else ""
    left_out = ("gain", "values") if question.intent == "why" else ("gain",)
    return named, *(getattr(question, name) for name in SUBJECTS if name not in left_out)


def _place(one: _Asked) -> tuple[object, ...]:
    return tuple(getattr(one.question, name) for name in ("channel", "log", "day", "previous"))


def _case_of(case: Case, one: _Asked, task: Task) -> Case:
    """Return the case of one question; what the message lays down beside it holds for each."""
    task = task_about(task, one.devices[0]) if one.devices else task
    constraints = tuple(constraints_in_force(replace(task, question=case.task.question)))
    return replace(
        case,
        task=replace(task, devices=one.devices, question=one.text, constraints=constraints),
        question=one.question,
        unknown=one.unknown,
    )


def _answer(case: Case, told: set[str]) -> Iterator[str]:
    """Yield the answer to one question of several; one that is not understood is not taken for another."""
    named = asked_about(case.question.text, inventory_of(case.task), None).devices
    if case.question.intent != "unknown" or named or stated(case) or on_what_is_asked(case):
        yield from answer(case, told)
    elif found := messages_on(case, "user"):
        yield phrase("said_maybe", case.language) + "\n\n" + "".join(found)
    else:
        yield phrase("part_unknown", case.language)


def _noting(case: Case, read: dict[str, str]) -> Case:
    """Return `case` with tools that note in `read` the device and the log that they read last."""

    def tool(name: str, **given: Any) -> Result:
        result = case.tool(name, **given)
        if isinstance(result.get("log"), str) and isinstance(result.get("device"), str):
            read.update(device=result["device"], log=result["log"])
        return result

    return replace(case, tool=tool)


def _after(task: Task, read: Mapping[str, str]) -> Task:
    """Return `task` for the next question: the log just read is known where the device is the same."""
    known = (task.state.get("device_name"), task.state.get("device_ip"))
    if not read or (any(known) and read["device"] not in ("", *known)):
        return task
    device = {} if any(known) else {"device_name": read["device"]}
    return replace(task, state={**task.state, **device, "last_log_file": read["log"]})
