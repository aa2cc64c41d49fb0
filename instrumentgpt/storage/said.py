"""The parts of messages, kept beside them: what each says, of which devices, and what it does.

They go with their message (text/said/units.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import LAST_ID, Places, places, turn_of
from instrumentgpt.text.said.part import Said
from instrumentgpt.text.said.units import Unit
from instrumentgpt.text.terms import terms

_COLUMNS = "id, conversation_id, message_id, devices, cues, text, terms"
_PLACES = 1_000  # ids per message, more than it can have parts: their order is that of the messages
_READ = "id, message_id, devices, cues, text, terms"
# Cue → what is true of a part that has it, word for word as its index says it: parts with it are few.
FOUND_BY = {cue: f"instr(' ' || cues || ' ', ' {cue} ')" for cue in ("out", "verdict", "log", "cause")}


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
        " FROM unsaid CROSS JOIN messages AS m ON m.id = message_id"  # there are few, or none
        " WHERE conversation_id = ? ORDER BY m.id DESC LIMIT ?"
    )
    found: list[Any] = rows(database, sql, (conversation_id, limit))
    return [Unsaid(*row) for row in found]


@dataclass(frozen=True)
class Lately:
    """What was said lately of one device: by which message, of whom, whether by name, and its terms."""

    message_id: int
    role: str
    device: str
    is_named: bool
    terms: tuple[str, ...]


def said_lately(database: Database, conversation_id: str, before: int, parts: int) -> list[Lately]:
    """Return the newest parts of messages below `before` that are of a device, oldest first.

    A part of several devices is there once for each; one that names none is of the likeliest.
    """
    sql = (
        "SELECT message_id, role, devices, NOT instr(cues, 'implied'), terms"
        " FROM said JOIN messages ON messages.id = message_id"
        " WHERE said.conversation_id = ? AND message_id < ? AND devices > '' ORDER BY said.id DESC LIMIT ?"
    )
    found: list[Any] = rows(database, sql, (conversation_id, before, parts))
    return [
        Lately(message, role, device, bool(is_named), tuple(found_by.split()))
        for message, role, devices, is_named, found_by in reversed(found)
        for device in devices.split("\n")[: None if is_named else 1]
    ]


def parts_of(
    database: Database,
    conversation_id: str,
    messages: Iterable[int],
    cues: Iterable[str] = (),
    newest: int = 0,
    before: int = LAST_ID,
    placed: Places | None = None,
    devices: Sequence[str] = (),
) -> list[Said]:
    """Return the parts of the given messages, and of each of `cues` the newest parts that have it, in order.

    cues    of FOUND_BY
    newest  so many of each cue
    before  those are of messages with a lower id
    placed  the conversation's `places`, where they have been read
    devices if any, parts that are of one other device are left out
    """
    wanted, found_by = list(messages), list(cues)
    arms = [f"SELECT id FROM said WHERE message_id IN ({','.join('?' * len(wanted))})"]
    arms += [
        f"SELECT id FROM (SELECT id FROM said WHERE conversation_id = ? AND {FOUND_BY[cue]} AND id < ?"
        " ORDER BY id DESC LIMIT ?)"
        for cue in found_by
    ]
    of_devices = f" AND (devices IN ('', {','.join('?' * len(devices))}) OR instr(devices, char(10)))"
    sql = (
        f"SELECT {_READ} FROM said WHERE id IN ({' UNION '.join(arms)})"
        f"{of_devices if devices else ''} ORDER BY id"
    )
    of_cues = (conversation_id, min(before * _PLACES, LAST_ID), newest) * len(found_by)
    found: list[Any] = rows(database, sql, (*wanted, *of_cues, *devices))
    asked = (placed or places(database, conversation_id))[1] if found else ()
    said_by = {message_id: _said_by(message_id, asked) for message_id in {row[1] for row in found}}
    return [_part(*said_by[row[1]], *row) for row in found]


def _said_by(message_id: int, asked: Sequence[int]) -> tuple[int, str]:
    """Return the turn and the role of a message, where `asked` are the ids of the questions."""
    turn = turn_of(message_id, asked)
    return turn, "user" if asked and asked[turn - 1] == message_id else "assistant"


@lru_cache(maxsize=8192)  # of a conversation that goes on, most parts are asked for again
def _part(
    turn: int, role: str, number: int, message_id: int, devices: str, cues: str, text: str, found_by: str
) -> Said:
    named, does = tuple(devices.split("\n")), frozenset(cues.split())
    return Said(number, message_id, turn, role, named, does, text, frozenset(found_by.split()))
