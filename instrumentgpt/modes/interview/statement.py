"""The statement that an interview comes to: its summary, its document, what a diagnosis is told.

An interview is read anew from its messages, so what is deleted is unsaid. Beside them only this is kept: what
each answer asked for, and what an agent noted of each message. What the user chose on the page is kept apart:
the page writes it while a turn may run.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from sqlite_utils import Database

import db
import memory
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.revisions import Item
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.modes.interview import say, texts
from instrumentgpt.modes.interview.replies import GAPS, SLOTS, Interview, Note, after_reply, edge_cases
from instrumentgpt.modes.state import read_state, save_state
from instrumentgpt.storage.conversations import mode_messages
from instrumentgpt.storage.revisions import RefusedRevision, revise
from instrumentgpt.turn.turn import Turn

MODE = "interview"
CHOICES = "interview-choices"  # under this name the page keeps what was chosen there


@dataclass(frozen=True)
class Interviews:
    """What is stored of a conversation's interviews.

    began     id of the first message of the one in progress
    asked     id of an answer → what it asked for
    notes     id of a question → what an agent noted of it; of others their replies are read by rule
    """

    began: int = 0
    asked: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[list[str]]] = field(default_factory=dict)


def read_choices(database: Database, conversation_id: str) -> dict[str, str]:
    """Return what was chosen on the page for the interview in progress: "template" and "target"."""
    return db.get_mode_state(database, conversation_id, CHOICES)


def choose(database: Database, conversation_id: str, **chosen: str) -> None:
    """Store what was chosen on the page."""
    with db.transaction(database):
        after = {**read_choices(database, conversation_id), **chosen}
        db.save_mode_state(database, conversation_id, CHOICES, after)


def exchanges(database: Database, conversation_id: str, kept: Interviews) -> list[db.Message]:
    """Return the messages of the interview, oldest first, without `$commands` and their answers."""
    ids = {name for name in mode_messages(database, conversation_id, MODE) if name >= kept.began}
    exchanged, is_of_command = [], True  # until its first question: before it, the last one's was answered
    for message in db.list_messages(database, conversation_id) if ids else []:
        if message.id in ids:
            is_of_command = is_command(message.content) if message.role == "user" else is_of_command
            exchanged += [] if is_of_command else [message]
    return exchanged


def read_interview(database: Database, conversation_id: str) -> tuple[Interview, list[db.Message]]:
    """Return the interview in progress as the messages at hand leave it, and those messages."""
    kept = read_state(database, conversation_id, MODE, Interviews)
    messages = exchanges(database, conversation_id, kept)
    return interview_of(messages, kept)[0], messages


def interview_of(messages: Sequence[db.Message], kept: Interviews) -> tuple[Interview, str]:
    """Return the interview that `messages` come to, and the slot that the next one answers."""
    interview, slot = Interview(), "description"
    for message in messages:
        if message.role == "assistant":
            slot = kept.asked.get(str(message.id), "")
        else:
            rows = kept.notes.get(str(message.id))
            notes = None if rows is None else [Note(*row) for row in rows]
            interview, slot = after_reply(interview, message.content, slot, notes), ""
    return interview, slot


def language_of_talk(messages: Sequence[db.Message]) -> Language:
    """Return the language of the newest question that has letters enough to tell."""
    for message in reversed(messages):
        if message.role == "user" and sum(letter.isalpha() for letter in message.content) >= 2:
            return language_of(message.content)
    return "en"


FOLDER = "templates"  # of the user's own, in the application's home
LARGEST = 200_000  # bytes; a larger file is no template
DEFAULT = "fault_report"
# What the diagnosis is told of the statement beside its problem; constraints and requirements bind it.
_TOLD = ("examples", "impact", "context", "edge_cases", "success_criteria", "proposed")
_LAST = ("proposed", "remarks")  # stand at the end, if anything was said of them


@dataclass(frozen=True)
class About:
    """What a statement is about beside what was said; `device` is its name, "" if none is known."""

    device: str = ""
    date: str = ""
    title: str = ""
    language: Language = "en"
    template: str = DEFAULT


def templates(home: Path) -> dict[str, Path | None]:
    """Return name → file: ours, which have none, then the user's own, which may replace ours."""
    own = (path for path in sorted((home / FOLDER).glob("*.md")) if path.is_file())
    sized = {path.stem: path for path in own if path.stat().st_size <= LARGEST}
    return {**dict.fromkeys(texts("templates")), **sized}


def template_label(name: str, language: Language) -> str:
    """Return what people call the template."""
    labels = texts("templates").get(name)
    return str(labels[language]) if labels else name.replace("_", " ")


def template_text(path: Path | None, language: Language) -> str:
    """Return the template at `path`; ours, in `language`, if there is none."""
    if path:
        return path.read_text(encoding="utf-8", errors="replace")
    labels = texts("labels")
    heads = (f"| {labels[name][language]} | ${name} |" for name in ("device", "date"))
    sections = (f"## {labels[slot][language]}\n${slot}" for slot in SLOTS if slot not in _LAST)
    return "\n\n".join(["# $title", "\n".join(["| | |", "| --- | --- |", *heads]), *sections])


def summary(interview: Interview, about: About) -> str:
    """Return all that is gathered as a list, each field that is not empty, and what was left open."""
    labels, language = texts("labels"), about.language
    lines = [f"- **{labels['device'][language]}**: {plain_text(about.device)}"] if about.device else []
    for slot in SLOTS:
        shown = [plain_text(line) for line in _lines(interview, slot)]
        if not shown and (slot in GAPS or slot in interview.left):
            shown = [_open(interview, slot, language)]
        if len(shown) == 1:
            lines.append(f"- **{labels[slot][language]}**: {shown[0]}")
        elif shown:
            lines += [f"- **{labels[slot][language]}**:", *(f"  - {text}" for text in shown)]
    return "\n".join(lines)


def document(template: str, interview: Interview, about: About) -> str:
    """Return the statement as Markdown: `template` with its $fields filled in; nothing that was said is lost.

    What the template has no field for is added at its end.
    """
    fields = {slot: _listed(interview, slot, about.language) for slot in SLOTS}
    device = plain_text(about.device) or texts("open")["empty"][about.language]
    others = {"device": device, "date": about.date, "title": plain_text(about.title)}
    text = Template(template).safe_substitute(fields | others).strip()
    named = set(re.findall(r"\$\{?(\w+)\}?", template))
    missing = [
        f"## {texts('labels')[slot][about.language]}\n{fields[slot]}"
        for slot in SLOTS
        if slot not in named and interview.lines.get(slot)
    ]
    return "\n\n".join([text, *missing]) + "\n"


def findings(interview: Interview, language: Language) -> list[str]:
    """Return what the diagnosis is told: the problem, then the rest of the statement; [] if there is none."""
    rest = [
        f"{texts('labels')[slot][language]}: {' · '.join(interview.lines[slot])}"
        for slot in _TOLD
        if interview.lines.get(slot)
    ]
    sentences = [say("reported", language, problem=problem)] if (problem := problem_of(interview)) else []
    sentences += [say("statement", language, rest="; ".join(rest))] if rest else []
    return [shorten(text, STATEMENT_CHARS) for text in sentences]


def problem_of(interview: Interview) -> str:
    """Return what happens, in the user's words, on one line."""
    return "; ".join(interview.lines.get("description", ()))


def diagnosis_question(interview: Interview, about: About, key: str = "diagnose") -> str:
    """Return the question with which the diagnosis goes on: the device and the symptom."""
    problem, ends = problem_of(interview).rstrip(" .。"), "，" if about.language == "zh" else "."
    device = about.device or say("nameless", about.language)
    return say(key, about.language, device=device, problem=f"{problem}{ends}" if problem else "")


def _lines(interview: Interview, slot: str) -> tuple[str, ...]:
    """Return what stands in a slot; errors told elsewhere are its edge cases where it has none of its own."""
    return interview.lines.get(slot) or (edge_cases(interview.lines) if slot == "edge_cases" else ())


def _open(interview: Interview, slot: str, language: Language) -> str:
    return str(texts("open")[interview.left.get(slot, "empty")][language])


def _listed(interview: Interview, slot: str, language: Language) -> str:
    lines = _lines(interview, slot)
    lists = ("examples", "must_have", "success_criteria", "constraints", "edge_cases")
    bullet = "- " if len(lines) > 1 or slot in lists else ""
    return "\n".join(bullet + plain_text(line) for line in lines) or _open(interview, slot, language)


KIND, REF = "markdown", "statement_"


class StatementNotSaved(InstrumentGPTError, OSError):
    """A document that could not be written."""


def saved_statements(database: Database, conversation_id: str) -> list[db.Document]:
    """Return the approved statements of the conversation, the newest first."""
    documents = db.list_documents(database, conversation_id)
    return [document for document in documents if document.ref.startswith(REF)]


def save_statement(turn: Turn, interview: Interview, about: About) -> str:
    """Save the statement as a document, tell the diagnosis, and return what to say of it.

    The document is written whole or not at all; that it was, is kept in the same transaction.
    Raises StatementNotSaved; then the summary still waits for its yes.
    """
    template = template_text(templates(turn.home())[about.template], about.language)
    content = document(template, interview, about).encode("utf-8", "replace")
    ref = f"{REF}{len(saved_statements(*turn.where)) + 1}"
    try:
        with db.transaction(turn.database):
            saved = db.save_document(*turn.where, ref, KIND, about.title, content)
            save_state(*turn.where, MODE, Interviews(began=turn.question.id + 1))
            db.save_mode_state(*turn.where, CHOICES, {})
    except OSError as error:
        raise StatementNotSaved(
            f"The document “{about.title}” cannot be written: {error.strerror or error}."
            " Nothing is lost: make room or give another name, then say yes again."
        ) from None
    _tell_diagnosis(turn, interview, about)
    for key, mode in (("diagnose", "chat"), ("investigate", "investigate")):
        question = diagnosis_question(interview, about, key)
        turn.offers.append(db.Offer(texts("offers")[key][about.language], question, mode))
    problem = plain_text(problem_of(interview))
    sentence = say("saved", about.language, file=plain_text(saved.file), problem=problem)
    return f"{sentence}\n\n{say('further', about.language)}"


def _tell_diagnosis(turn: Turn, interview: Interview, about: About) -> None:
    """Put the statement into the state, pinned, and what it demands among the user's constraints."""
    device, lines = memory.device_key(turn.state), interview.lines
    if statements := findings(interview, about.language):
        before = turn.state
        turn.state = memory.record_tool(before, "statement", {"findings": statements})
        items = [
            db.StateItem(device, *item, "user", message_id=turn.question.id)
            for item in memory.new_items(before, turn.state)
        ]

        def store(_: int) -> None:
            db.add_state_items(*turn.where, items)
            for row in items:
                item = Item(row.device, row.field, row.text)
                with suppress(RefusedRevision):  # too many are pinned: it stays unpinned
                    revise(*turn.where, item, "pin", item.name)

        turn.also_saved.append(store)
    if demands := [*lines.get("constraints", ()), *lines.get("must_have", ())]:
        where = *turn.where, turn.question.id
        facts = [("constraint", text, device) for text in demands]
        turn.also_saved.append(lambda _: db.store_facts(*where, "user", [], facts))
