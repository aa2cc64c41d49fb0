"""An interview as a conversation holds it: read anew from its messages, so what is deleted is unsaid.

Beside the messages only this is kept: what each answer asked for, what an agent noted of each message, and
what was approved. What the user chose on the page is kept apart: the page writes it while a turn may run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.modes.interview.gathered import Interview, Note
from instrumentgpt.modes.interview.replies import after_reply
from instrumentgpt.storage.conversations import mode_messages

MODE = "interview"
CHOICES = "interview-choices"  # under this name the page keeps what was chosen there


@dataclass(frozen=True)
class Interviews:
    """What is stored of a conversation's interviews.

    began     id of the first message of the one in progress
    asked     id of an answer → what it asked for
    notes     id of a question → what an agent noted of it; of others their replies are read by rule
    saved     of each approved statement: its document's id and file, and the message that approved it
    """

    began: int = 0
    asked: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[list[str]]] = field(default_factory=dict)
    saved: tuple[dict[str, Any], ...] = ()


def read_kept(database: Database, conversation_id: str) -> Interviews:
    """Return what is stored of the conversation's interviews."""
    state = db.get_mode_state(database, conversation_id, MODE)
    slots, notes = dict(state.get("asked", {})), dict(state.get("notes", {}))
    return Interviews(int(state.get("began", 0)), slots, notes, tuple(map(dict, state.get("saved", ()))))


def save_kept(database: Database, conversation_id: str, kept: Interviews) -> None:
    """Store `kept`."""
    db.save_mode_state(database, conversation_id, MODE, vars(kept))


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
    kept = read_kept(database, conversation_id)
    messages = exchanges(database, conversation_id, kept)
    return interview_of(messages, kept), messages


def interview_of(messages: Sequence[db.Message], kept: Interviews) -> Interview:
    """Return the interview that `messages` come to."""
    interview, slot = Interview(), "description"
    for message in messages:
        if message.role == "assistant":
            slot = kept.asked.get(str(message.id), "")
        else:
            rows = kept.notes.get(str(message.id))
            notes = None if rows is None else [Note(*row) for row in rows]
            interview, slot = after_reply(interview, message.content, slot, notes), ""
    return interview


def language_of_talk(messages: Sequence[db.Message]) -> Language:
    """Return the language of the newest question that has letters enough to tell."""
    for message in reversed(messages):
        if message.role == "user" and sum(letter.isalpha() for letter in message.content) >= 2:
            return language_of(message.content)
    return "en"
