"""What is kept of a question and of an answer: values, what was laid down and ruled out, logged errors.

What our tools report as data counts before what an answer says in words, and of one turn what the user says.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

import db
import memory
from instrumentgpt.in_hand import answered_on, in_hand
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.prompts import LOOKED_AT, names_of
from instrumentgpt.storage.connection import transaction
from instrumentgpt.storage.facts import ruled_out_before
from instrumentgpt.storage.heard import heard_before
from instrumentgpt.storage.said import messages_unsaid, store_said
from instrumentgpt.text.dismissed import dismissed_in
from instrumentgpt.text.facts import Fact, Heard, Names
from instrumentgpt.text.facts.devices import devices_in, without_devices
from instrumentgpt.text.readings import Reading, readings_in
from instrumentgpt.text.said.units import Devices, Unit, units_in
from instrumentgpt.text.statements import STATEMENT_CHARS, statements
from instrumentgpt.text.summary import shorten
from instrumentgpt.text.terms import fold

OLDER_AT_ONCE = 40  # messages from before parts were kept, whose parts are made in one turn
OLDER_SECONDS = 0.1  # that a turn may spend on them

Results = Sequence[tuple[str, Mapping[str, Any]]]  # of our tools: name, JSON


def remember_question(
    database: Database, conversation_id: str, question: db.Message, device: str, inventory: Inventory
) -> None:
    """Keep the values that a question states (corrections too), what it lays down or rules out, and errors.

    device  which the turn is about; a question that names none may be of another that was spoken of
    """
    names = names_of(inventory)
    devices = in_hand(database, conversation_id, question, device, names)
    _remember_question(database, conversation_id, question, devices, names)


def _remember_question(
    database: Database, conversation_id: str, question: db.Message, devices: Devices, names: Names
) -> None:
    told = question.content
    device, *perhaps = devices
    facts = _stated(database, conversation_id, question.id, told, device, names)
    sentences = [("wish", text) for text in memory.wishes_in(told)]
    sentences += [("ruled_out", text) for text in dismissed_in(told)]
    sentences += [("error", f"{message} at {time}") for time, message in memory.errors_in(told)]
    units = units_in(told, device, names, perhaps)
    with transaction(database):
        db.store_facts(database, conversation_id, question.id, "user", facts, sentences, device)
        store_said(database, conversation_id, question.id, units)


def remember_answer(
    database: Database,
    conversation_id: str,
    message_id: int,
    question: db.Message,
    answer: str,
    results: Results,
    device: str,
    inventory: Inventory,
) -> None:
    """Keep what the tools of a turn read, the values that its answer states, what is ruled out, and errors.

    device  whose they are where nothing else is said
    """
    names = names_of(inventory)
    asked_of = in_hand(database, conversation_id, question, device, names)
    devices = answered_on(database, conversation_id, question, answer, asked_of, names)
    device, *perhaps = devices
    if devices != asked_of:  # the answer shows what the question was about
        _remember_question(database, conversation_id, question, devices, names)
    readings = [one for _, result in results for one in readings_in(result, device, names)]
    read = {(one.fact.device, one.fact.parameter) for one in readings}
    asked = _stated(database, conversation_id, question.id, question.content, device, names)
    said = {fact.key for fact in asked}
    answered = _stated(database, conversation_id, message_id, answer, device, names, question.content)
    stated = [fact for fact in answered if fact.key not in said and (fact.device, fact.parameter) not in read]
    known = [fold(text) for text in ruled_out_before(database, conversation_id, message_id)]
    sentences = [
        ("ruled_out", text)
        for text in _ruled_out(answer, results)
        if not any(one in fold(text) for one in known)  # what it repeats stays whose it was
    ]
    sentences += [("error", f"{message} at {time}") for time, message in memory.errors_in(answer)]
    db.store_facts(database, conversation_id, message_id, "agent", stated, sentences, device, readings)
    units = units_in(answer, device, names, perhaps)
    if readings:
        units = [unit for unit in units if not _is_against(unit, readings, device, names)]
    store_said(database, conversation_id, message_id, units)


def _stated(
    database: Database,
    conversation_id: str,
    message_id: int,
    text: str,
    device: str,
    names: Names,
    question: str = "",
) -> list[Fact]:
    """Return the values that a message states, with regard to what was stated before it.

    question  what it answers
    """
    heard = Heard(question=question)
    if any(map(str.isdecimal, without_devices(text, names))):  # else nothing in it can renew a value
        heard = heard_before(database, conversation_id, message_id, question)
    return memory.facts_in(text, device, names, heard)


def remember_older(database: Database, conversation_id: str, inventory: Inventory) -> None:
    """Keep the parts of messages from before parts were kept: the newest first, a bounded number a turn.

    They are of the device that was asked about last, by name; else of the one that is kept of that turn.
    """
    names, until = names_of(inventory), time.monotonic() + OLDER_SECONDS
    older = messages_unsaid(database, conversation_id, OLDER_AT_ONCE)
    scopes: list[str] = []
    named = ""
    for one in reversed(older):
        if one.role == "user":
            named = next(reversed(devices_in(one.text[:LOOKED_AT], names)), named)
        scopes.append(named or one.device)
    with transaction(database):
        for one, scope in zip(older, reversed(scopes), strict=True):
            store_said(database, conversation_id, one.id, units_in(one.text, scope, names))
            if time.monotonic() > until:
                break


def _is_against(unit: Unit, readings: Sequence[Reading], device: str, names: Names) -> bool:
    """Return whether words state another value than our tools read in the same turn: those count."""
    read = {(one.fact.device, one.fact.parameter, one.fact.value) for one in readings}
    keys = {key[:2] for key in read}
    scope = unit.devices[0] or device
    return any(
        (fact.device, fact.parameter) in keys and (fact.device, fact.parameter, fact.value) not in read
        for fact in memory.facts_in(unit.text, scope, names)
    )


def _ruled_out(answer: str, results: Results) -> list[str]:
    """Return what was ruled out with its reason: as tools report it, else as the answer says it."""
    told = [
        shorten(" ".join(summary.split()), STATEMENT_CHARS)
        for _, result in results
        if result.get("ruled_out") and isinstance(summary := result.get("summary"), str) and summary.strip()
    ]
    return told or [row.told for row in statements(answer) if row.kind == "ruled_out"]
