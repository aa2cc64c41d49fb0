"""The parts of messages, kept beside them: what each says, of which devices, and what it does.

They go with their message (text/units.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import Places, places, turn_of
from instrumentgpt.text.said import Said
from instrumentgpt.text.terms import terms
from instrumentgpt.text.units import Unit

_COLUMNS = "id, conversation_id, message_id, devices, cues, text, terms"
_PLACES = 1_000  # ids per message, more than it can have parts: their order is that of the messages
_READ = "said.id, message_id, role, devices, cues, text, terms"
_FROM = "said JOIN messages ON messages.id = message_id"


def store_said(database: Database, conversation_id: str, message_id: int, units: Iterable[Unit]) -> None:
    """Keep the parts of the message, in place of what was kept of it before."""
    told = [
        (
            message_id * _PLACES + at,
            conversation_id,
            message_id,
            "\n".join(unit.devices),
            " ".join(unit.cues),
            unit.text,
            " ".join(terms(unit.text)),
        )
        for at, unit in enumerate(units)
    ]
    with transaction(database):
        database.conn.execute("DELETE FROM said WHERE message_id = ?", (message_id,))
        database.conn.execute("DELETE FROM unsaid WHERE message_id = ?", (message_id,))
        database.conn.executemany(f"INSERT INTO said ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", told)


@dataclass(frozen=True)
class Unsaid:
    """A message from before parts were kept; `device` is what else is kept of that turn, "" if nothing is."""

    id: int
    role: str
    text: str
    device: str


def messages_unsaid(database: Database, conversation_id: str, limit: int) -> list[Unsaid]:
    """Return the conversation's newest messages whose parts are still to be made, the newest first."""
    device = (
        "(SELECT device FROM {} WHERE conversation_id = m.conversation_id AND device > ''"
        " AND message_id <= m.id + 1 ORDER BY message_id DESC LIMIT 1)"  # + 1: the answer of this turn
    )
    sql = (
        f"SELECT m.id, role, content, coalesce({device.format('facts')}, {device.format('state_items')}, '')"
        " FROM unsaid JOIN messages AS m ON m.id = message_id"
        " WHERE conversation_id = ? ORDER BY m.id DESC LIMIT ?"
    )
    found: list[Any] = rows(database, sql, (conversation_id, limit))
    return [Unsaid(*row) for row in found]


def said_in(
    database: Database, conversation_id: str, messages: Iterable[int], placed: Places | None = None
) -> list[Said]:
    """Return the parts of the given messages of the conversation, in their order.

    placed  its `places`, where they have been read
    """
    wanted = list(messages)
    marks = ",".join("?" * len(wanted))
    sql = f"SELECT {_READ} FROM {_FROM} WHERE message_id IN ({marks}) ORDER BY message_id, said.id"
    return _said(database, conversation_id, rows(database, sql, wanted), placed)


def said_to(
    database: Database,
    conversation_id: str,
    cue: str,
    before: int,
    limit: int,
    placed: Places | None = None,
) -> list[Said]:
    """Return the newest parts that have the cue, of messages below `before`, in their order."""
    sql = (
        f"SELECT {_READ} FROM {_FROM} WHERE said.id IN (SELECT id FROM said WHERE conversation_id = ?"
        " AND cues > '' AND instr(' ' || cues || ' ', ?) AND message_id < ? ORDER BY id DESC LIMIT ?)"
        " ORDER BY message_id, said.id"
    )
    found: list[Any] = rows(database, sql, (conversation_id, f" {cue} ", before, limit))
    return _said(database, conversation_id, found, placed)


def _said(
    database: Database, conversation_id: str, found: Sequence[Any], placed: Places | None
) -> list[Said]:
    asked = (placed or places(database, conversation_id))[1] if found else ()
    return [_part(turn_of(row[1], asked), *row) for row in found]


@lru_cache(maxsize=8192)  # of a conversation that goes on, most parts are asked for again
def _part(
    turn: int, number: int, message_id: int, role: str, devices: str, cues: str, text: str, found_by: str
) -> Said:
    named, does = tuple(devices.split("\n")), frozenset(cues.split())
    return Said(number, message_id, turn, role, named, does, text, frozenset(found_by.split()))
