"""What is put on record of a question and of an answer: values, constraints, what is ruled out, errors.

Values come from tools, and from what a user states plainly; an answer's words state none: what they say is
found again as words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.memory.facts import Names, device_named, devices_in, errors_in
from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS, same, statements
from instrumentgpt.memory.reading.values import values_in
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.values import readings_in
from instrumentgpt.storage.facts import ruled_out_before
from instrumentgpt.turn.prompt import LOOKED_AT, names_of

MOST_CONSTRAINTS = 8  # constraints of one result

Sentence = tuple[str, str, str]  # kind, text, device
Results = Sequence[tuple[str, Mapping[str, Any]]]  # of our tools: name, JSON


def record_question(
    database: Database, conversation_id: str, question: db.Message, device: str, inventory: Inventory
) -> None:
    """Keep what a question states plainly: values, constraints and their lifting, what is ruled out, errors.

    device  which the turn is about
    """
    told, names = question.content, names_of(inventory)
    facts = values_in(told, _own_device(database, conversation_id, question, device, names), names)
    constraints = [(kind, text, _device_of(text, device, names)) for kind, text in constraints_in(told)]
    sentences = [*constraints, *_ruled_out(told, device), *_errors(told, device)]
    db.store_facts(database, conversation_id, question.id, "user", facts, sentences)


def record_answer(
    database: Database,
    conversation_id: str,
    message_id: int,
    answer: str,
    results: Results,
    device: str,
    inventory: Inventory,
) -> None:
    """Keep what the tools of a turn read, what they and its answer put on record, and errors.

    device  whose they are where nothing else is said
    """
    names = names_of(inventory)
    readings = [one for _, result in results for one in readings_in(result, device, names)]
    known = set(map(same, ruled_out_before(database, conversation_id, message_id)))
    out = _ruled_out_by_tools(results, device) or _ruled_out(answer, device)
    sentences = [row for row in out if same(row[1]) not in known]  # what it repeats stays whose it was
    sentences += [*_constraints_by_tools(results, device, names), *_errors(answer, device)]
    db.store_facts(database, conversation_id, message_id, "agent", (), sentences, readings)


def _own_device(
    database: Database, conversation_id: str, question: db.Message, device: str, names: Names
) -> str:
    """Return whose a value is that names no device: `device` where only it is spoken of, "" else."""
    before = db.list_messages(database, conversation_id, before=question.id, last=2)
    spoken_of = {name for message in before for name in devices_in(message.content[:LOOKED_AT], names)}
    asked_about_others = bool(db.device_states(database, conversation_id))
    return device if spoken_of == {device} or not (spoken_of - {device} or asked_about_others) else ""


def _device_of(sentence: str, device: str, names: Names) -> str:
    """Return the device that a sentence names, `device` if it names none; "" if it names several."""
    named = devices_in(sentence, names)
    return device if not named else named[0] if len(named) == 1 else ""


def _ruled_out(text: str, device: str) -> list[Sentence]:
    return [("ruled_out", row.told, device) for row in statements(text) if row.kind == "ruled_out"]


def _errors(text: str, device: str) -> list[Sentence]:
    return [("error", f"{message} at {time}", device) for time, message in errors_in(text)]


def _constraints_by_tools(results: Results, device: str, names: Names) -> list[Sentence]:
    """Return the constraints that an agent put on record, and those that it lifted."""
    return [
        (kind, text, device_named(str(result.get("device")), names) or _device_of(text, device, names))
        for _, result in results
        for name, kind in (("constraints", "constraint"), ("lifted", "lift"))
        for text in _sentences(result.get(name))
    ]


def _sentences(listed: object) -> list[str]:
    """Return the texts of a list that an agent handed over, each on one line and shortened."""
    rows = listed[:MOST_CONSTRAINTS] if isinstance(listed, list) else []
    told = [" ".join(row.split()) for row in rows if isinstance(row, str)]
    return [shorten(text, STATEMENT_CHARS) for text in told if text]


def _ruled_out_by_tools(results: Results, device: str) -> list[Sentence]:
    """Return what tools ruled out, each with its reason."""
    return [
        ("ruled_out", shorten(" ".join(summary.split()), STATEMENT_CHARS), device)
        for _, result in results
        if result.get("ruled_out") and isinstance(summary := result.get("summary"), str) and summary.strip()
    ]
