"""An interview as a conversation holds it: read anew from its messages, so what is deleted is unsaid.

Beside the messages only this is kept: what each answer asked for, and what was approved.
What the user chose on the page is kept apart, because the page writes it while a turn may be running.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.modes.interview.hearing import Interview, hear
from instrumentgpt.storage.conversations import mode_messages

MODE = "interview"
CHOICES = "interview-choices"  # under this name the page keeps what was chosen there


@dataclass(frozen=True)
class Kept:
    """What is stored of a conversation's interviews.

    began     id of the first message of the one in progress
    asked     id of an answer → what it asked for
    saved     of each approved statement: its document's id, file, title, and the message that approved it
    """

    began: int = 0
    asked: dict[str, str] = field(default_factory=dict)
    saved: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Choices:
    """What was chosen on the page."""

    template: str = ""
    target: str = ""
    began: int = 0  # the interview that the choices are of; another one has its own


def read_kept(database: Database, conversation_id: str) -> Kept:
    """Return what is stored of the conversation's interviews."""
    told = db.get_mode_state(database, conversation_id, MODE)
    return Kept(
        int(told.get("began", 0)), dict(told.get("asked", {})), tuple(map(dict, told.get("saved", ())))
    )


def save_kept(database: Database, conversation_id: str, kept: Kept) -> None:
    """Store `kept`."""
    db.save_mode_state(database, conversation_id, MODE, vars(kept))


def read_choices(database: Database, conversation_id: str) -> Choices:
    """Return what was chosen on the page for the interview in progress."""
    told = db.get_mode_state(database, conversation_id, CHOICES)
    choices = Choices(**{name: told[name] for name in vars(Choices()) if name in told})
    began = read_kept(database, conversation_id).began
    return choices if choices.began == began else Choices(began=began)


def choose(database: Database, conversation_id: str, **chosen: str) -> None:
    """Store what was chosen on the page: a template or a target."""
    with db.transaction(database):
        after = {**vars(read_choices(database, conversation_id)), **chosen}
        db.save_mode_state(database, conversation_id, CHOICES, after)


def exchanges(database: Database, conversation_id: str, kept: Kept) -> list[db.Message]:
    """Return the messages of the interview, oldest first, without `$commands` and their answers."""
    ids = {name for name in mode_messages(database, conversation_id, MODE) if name >= kept.began}
    told, is_of_command = [], True  # until its first question: before it, the last one's was answered
    for message in db.list_messages(database, conversation_id) if ids else []:
        if message.id in ids:
            is_of_command = is_command(message.content) if message.role == "user" else is_of_command
            told += [] if is_of_command else [message]
    return told


def read_interview(database: Database, conversation_id: str) -> tuple[Interview, list[db.Message]]:
    """Return the interview in progress as the messages at hand leave it, and those messages."""
    kept = read_kept(database, conversation_id)
    messages = exchanges(database, conversation_id, kept)
    return heard(messages, kept, read_choices(database, conversation_id)), messages


def language_of_talk(messages: Sequence[db.Message]) -> Language:
    """Return the language of the newest question that has letters enough to tell."""
    for message in reversed(messages):
        if message.role == "user" and sum(letter.isalpha() for letter in message.content) >= 2:
            return language_of(message.content)
    return "en"


def heard(messages: Sequence[db.Message], kept: Kept, choices: Choices) -> Interview:
    """Return the interview that `messages` come to, with what was chosen on the page."""
    interview, asked = Interview(), ""
    for message in messages:
        if message.role == "assistant":
            asked = kept.asked.get(str(message.id), "")
        else:
            interview, asked = hear(interview, message.content, asked), ""
    return replace(
        interview,
        template=choices.template or interview.template,
        target=choices.target or interview.target,
    )


def today() -> str:
    """Return the local date, as a document has it."""
    return time.strftime("%Y-%m-%d")
