"""Thinking without a model: rules that read the question and plan, propose or ask, by the same contract."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from instrumentgpt.analyst.case import Case, Task, bare, dropped_logs
from instrumentgpt.analyst.questions import Question, aspect, read_question
from instrumentgpt.analyst.words import joined, phrase
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.fleet import speaks_of_several
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.since import since
from instrumentgpt.memory.summary import shorten

GOAL_CHARS = 300
ASKED_CHARS = 160  # of the question inside a step
NEEDS_NOTHING = ("help", "term", "survey", "remembered")  # kinds of questions without a log
_ASKS_FOR_A_VALUE = (
    r"[?？]|\b(?:what|how|which|show|list|give|tell)\b|多少|[幾几]|哪|什[麼么]|列出"  # no complaint
)


@dataclass(frozen=True)
class _Scope:
    """What a question is about: devices, or one log."""

    text: str
    question: Question
    language: Language
    names: tuple[str, ...]  # of devices, or of the one log
    known_log: bool  # whether the log is here and nothing need be fetched
    day: str  # since when, ISO; "" if not said
    report: bool


def think(task: Task, inventory: Inventory) -> Iterator[str]:
    """Yield the decision as the contract's JSON: the steps, or what has to be asked first.

    `given`: `asked` (the request), `amendments` (what was answered to a proposal or question), `devices`
    (names of those that are meant), `report` (whether one is wanted), `today` (ISO).
    """
    given = task.given
    request, amendments = str(given.get("asked") or task.question), list(given.get("amendments") or ())
    text = "\n".join((request, *amendments))
    language = language_of(text)
    day = since(text, date.fromisoformat(given.get("today") or date.today().isoformat()))
    devices = list(given.get("devices") or ())
    question = read_question(text, bool(task.state.get("device_name") or task.attachments), len(devices))
    names, known_log = (devices, False) if devices else _in_view(Case(task, question, language, dict))
    scope = _Scope(
        text,
        question,
        language,
        tuple(names),
        known_log and not day,
        day.isoformat() if day else "",
        bool(given.get("report")),
    )
    yield json.dumps(_decided(task, scope, inventory), ensure_ascii=False)


def _in_view(case: Case) -> tuple[list[str], bool]:
    """Return the device or log that is meant where none is named, and whether it is here already."""
    dropped, last = dropped_logs(case), bare(case.state_field("last_log_file"))
    if dropped or case.question.log:
        return [bare(case.question.log or dropped[0])], True
    asked = case.question
    another_log = asked.day or asked.previous or asked.kind == "compare"
    if device := case.state_field("device_name", "device_ip"):
        return [device], bool(last) and not another_log
    return ([last], True) if last else ([], False)


def _decided(task: Task, scope: _Scope, inventory: Inventory) -> dict[str, Any]:
    goal = shorten(" ".join(scope.text.split()), GOAL_CHARS) or "?"
    nothing_known = not scope.names and scope.question.kind not in NEEDS_NOTHING
    unclear = speaks_of_several(scope.text) and not scope.names
    if nothing_known or unclear:
        questions = _questions(scope.language, inventory, unclear)
        return {"decision": "clarify", "goal": goal, "clarification_questions": questions}
    steps = [
        {"description": description, "step_type": kind, "subdomain": subdomain, "group": group}
        for group, kind, subdomain, description in _steps(scope)
    ]
    return {"decision": "plan_direct", "goal": goal, "steps": steps}


def _questions(language: Language, inventory: Inventory, unclear: bool) -> list[str]:
    names = joined((device.label for device in inventory.devices), language)
    if not inventory.devices:
        return [phrase("no_devices", language), phrase("clarify_seen", language)]
    if unclear:
        return [phrase("clarify_how_many", language, count=len(inventory.devices), names=names)]
    return [phrase("clarify_which", language, names=names), phrase("clarify_seen", language)]


def _steps(scope: _Scope) -> Iterator[tuple[int, str, str, str]]:
    """Yield (group, type, subdomain, description) of each step."""
    say, kind = partial(_scope_sentence, scope), scope.question.kind
    if kind in ("help", "term"):
        yield 0, "read", "devices", say("plan_devices")
        return
    if (kind == "events" and aspect("lists_logs", scope.question.words)) and not scope.known_log:
        yield 0, "read", "devices", say("plan_list_logs")
        return
    if kind == "remembered" and not scope.report:
        yield 0, "read", "notes", say("plan_recall")
        return
    if kind == "survey" and not scope.report and not scope.day:
        every = phrase("plan_survey", scope.language, names=phrase("every_device", scope.language))
        yield 0, "analyze", "devices", say("plan_survey") if len(scope.names) > 1 else every
        return
    fetches = kind in ("events", "diagnosis") and bool(aspect("fetches", scope.question.words))
    if not scope.known_log or fetches:
        yield 0, "read", "logs", say("plan_fetch_since" if scope.day else "plan_fetch")
    if fetches and not scope.report:
        return
    yield from _looked_into(scope)
    if scope.report:
        yield 2, "generate", "reports", say("plan_report")


def _looked_into(scope: _Scope) -> Iterator[tuple[int, str, str, str]]:
    """Yield the steps that work on logs which are here."""
    say, kind, several = partial(_scope_sentence, scope), scope.question.kind, len(scope.names) > 1
    if several or scope.report:
        yield 1, "analyze", "logs", say("plan_diagnose")
        if several:
            yield 2, "generate", "loops", say("plan_draw_worst")
    elif kind == "gains":
        yield 1, "analyze", "loops", say("plan_gains")
    elif kind == "figures" and re.search(_ASKS_FOR_A_VALUE, scope.text.casefold()):
        yield 1, "read", "loops", say("plan_metrics")
    elif kind == "plot":
        yield 1, "generate", "loops", say("plan_draw")
    elif kind in ("events", "compare"):
        yield 1, "analyze", "findings", say("plan_look")
    else:
        yield 1, "analyze", "logs", say("plan_diagnose")


def _scope_sentence(scope: _Scope, key: str) -> str:
    names = joined(scope.names, scope.language)
    question = shorten(" ".join(scope.text.split("\n")[0].split()), ASKED_CHARS)  # without what amended it
    return phrase(key, scope.language, names=names, day=scope.day, question=question)
