"""A case as one Markdown document: what is known of the device and why, as people left it."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlite_utils import Database

from instrumentgpt.memory.revisions import VALUE
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import get_conversation, unknown
from instrumentgpt.storage.listing import SECTIONS, Entry, Listing, listing
from instrumentgpt.storage.nicknames import by_device, list_nicknames
from instrumentgpt.storage.notes import EVERYWHERE, Note, notes_of

DEFERRED = "deferred"  # kind of a note that a person has to decide on
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def case_as_markdown(database: Database, conversation_id: str) -> str:
    """Return the case: device, findings, hypotheses, root causes, values with their sources, notes.

    Raises UnknownConversation.
    """
    conversation = get_conversation(database, conversation_id)
    if conversation is None:
        raise unknown(conversation_id)
    sql = "SELECT diagnostic_state FROM conversations WHERE id = ?"
    [(stored,)] = rows(database, sql, (conversation_id,))
    told = listing(database, conversation_id, DiagnosticState.deserialize(str(stored or "")))
    notes = notes_of(database, conversation_id, [told.device] if told.device else [])
    lines = [f"# {_text(conversation.title or 'Untitled')}", "", *_head(told, conversation.updated_at)]
    called = by_device(list_nicknames(database, conversation_id))
    lines += [f"- {_text(device)} is called {_text(', '.join(names))}" for device, names in called.items()]
    for name, entries in told.sections.items():
        lines += _section(SECTIONS[name], [_line(entry) for entry in entries])
    lines += _section(
        "For a person to decide", [_note(note, conversation_id) for note in notes if note.kind == DEFERRED]
    )
    lines += _section(
        "Notes in force", [_note(note, conversation_id) for note in notes if note.kind != DEFERRED]
    )
    return "\n".join(lines) + "\n"


def _head(told: Listing, updated_at: float) -> Iterator[str]:
    named = " · ".join(filter(None, (told.state.device_name, told.state.device_ip)))
    yield f"- Device: {_text(named) if named else 'none named yet'}"
    yield f"- Status: {told.state.status}"
    yield f"- Last message: {datetime.fromtimestamp(updated_at):%Y-%m-%d %H:%M}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *lines] if lines else []


def _line(entry: Entry) -> str:
    said = (
        f"{_text(entry.label)}: **{_text(entry.text)}**" if entry.item.field == VALUE else _text(entry.text)
    )
    device = f" of {_text(entry.item.device)}" if entry.item.field == VALUE and entry.item.device else ""
    return f"- {said}{device} ({'; '.join(_sources(entry))})"


def _sources(entry: Entry) -> Iterator[str]:
    origin = entry.origin
    turn = f", turn {origin.turn}" if origin.turn else ""
    yield f"{origin.source or 'origin not recorded'}{turn}"
    if origin.log and origin.line:
        yield f"{_text(origin.log)}, line {origin.line:,}"
    if entry.pinned:
        yield "pinned"
    if entry.was:
        yield f"was: {_text(entry.was)}"
    if entry.earlier and not entry.was:
        yield f"previously {_text(', '.join(entry.earlier))}"
    if entry.other:
        yield f"{entry.other[1]} says {_text(entry.other[0])}"


def _note(note: Note, conversation_id: str) -> str:
    return f"- {_text(note.text)} ({_text(note.id)}, {_text(where_noted(note, conversation_id))})"


def where_noted(note: Note, conversation_id: str) -> str:
    """Return where a note counts, in words: here, for a device, or everywhere."""
    return {conversation_id: "this conversation", EVERYWHERE: "every conversation"}.get(
        note.scope, note.scope
    )


def _text(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown or HTML would take as its own."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
