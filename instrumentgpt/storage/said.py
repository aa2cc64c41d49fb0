"""The parts of messages, kept beside them: what each says, of which devices, and what it does.

They go with their message (text/units.py).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.text.said import Said
from instrumentgpt.text.terms import terms
from instrumentgpt.text.units import Unit

_COLUMNS = "conversation_id, message_id, devices, cues, text, terms"
_READ = "said.id, message_id, role, devices, cues, text, terms"
_FROM = "said JOIN messages ON messages.id = message_id"


def store_said(database: Database, conversation_id: str, message_id: int, units: Iterable[Unit]) -> None:
    """Keep the parts of the message, in place of what was kept of it before."""
    told = [
        (
            conversation_id,
            message_id,
            "\n".join(unit.devices),
            " ".join(unit.cues),
            unit.text,
            " ".join(terms(unit.text)),
        )
        for unit in units
    ]
    with transaction(database):
        database.conn.execute("DELETE FROM said WHERE message_id = ?", (message_id,))
        database.conn.executemany(f"INSERT INTO said ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", told)


def said_in(database: Database, conversation_id: str, messages: Iterable[int]) -> list[Said]:
    """Return the parts of the given messages of the conversation, in their order."""
    wanted = list(messages)
    marks = ",".join("?" * len(wanted))
    sql = f"SELECT {_READ} FROM {_FROM} WHERE message_id IN ({marks}) ORDER BY message_id, said.id"
    return _said(database, conversation_id, rows(database, sql, wanted))


def said_to(database: Database, conversation_id: str, cue: str, before: int, limit: int) -> list[Said]:
    """Return the newest parts that have the cue, of messages below `before`, in their order."""
    sql = (
        f"SELECT {_READ} FROM {_FROM} WHERE said.id IN (SELECT id FROM said WHERE conversation_id = ?"
        " AND message_id < ? AND (' ' || cues || ' ') LIKE ? ORDER BY id DESC LIMIT ?)"
        " ORDER BY message_id, said.id"
    )
    return _said(
        database, conversation_id, rows(database, sql, (conversation_id, before, f"% {cue} %", limit))
    )


def _said(database: Database, conversation_id: str, found: Sequence[Any]) -> list[Said]:
    asked = places(database, conversation_id)[1] if found else []
    return [
        Said(
            row[0],
            row[1],
            turn_of(row[1], asked),
            row[2],
            tuple(row[3].split("\n")),
            frozenset(row[4].split()),
            row[5],
            frozenset(row[6].split()),
        )
        for row in found
    ]
