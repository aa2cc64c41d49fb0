"""Where each line of the diagnostic state came from, and the states of devices that were left."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.memory.context import Origin
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.terms import terms
from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import Places, places, turn_of

NEWEST_ITEMS = 120  # causes, hypotheses and findings of a device

Source = Literal["tool", "user", "agent"]


@dataclass(frozen=True)
class StateItem:
    """One line of the state: `field` is a field of DiagnosticState, `source` who said it."""

    device: str  # its name or address; "" before any device is known
    field: str
    text: str
    source: Source
    message_id: int | None = None
    log: str = ""
    line: int | None = None  # 1-based, in the log
    created_at: float = 0.0  # s since 1970; 0: now


_COLUMNS = "device, field, text, source, message_id, log, line, created_at"


def add_state_items(database: Database, conversation_id: str, items: Iterable[StateItem]) -> None:
    """Store where new lines of the state came from."""
    now = time.time()
    told_at = "SELECT created_at FROM all_messages WHERE id = ?"
    sql = f"INSERT INTO all_state_items (conversation_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    with transaction(database):
        for item in items:
            told = rows(database, told_at, (item.message_id,)) or [(now,)]
            kept = replace(item, created_at=item.created_at or float(str(told[0][0])))
            cursor = database.conn.execute(sql, (conversation_id, *astuple(kept)))
            words = " ".join(terms(f"{item.device}\n{item.text}"))
            index = "INSERT INTO item_terms (rowid, terms) VALUES (?, ?)"  # by which the search finds it
            database.conn.execute(index, (cursor.lastrowid, words))


def list_state_items(database: Database, conversation_id: str, device: str | None = None) -> list[StateItem]:
    """Return the stored origins, oldest first; of one `device` if named."""
    sql, values = f"SELECT {_COLUMNS} FROM state_items WHERE conversation_id = ?", [conversation_id]
    if device is not None:
        sql, values = f"{sql} AND device = ?", [conversation_id, device]
    return [StateItem(*row) for row in rows(database, f"{sql} ORDER BY id", values)]


def origins_of(
    database: Database, conversation_id: str, state: DiagnosticState, placed: Places | None = None
) -> dict[tuple[str, str], Origin]:
    """Return (field, text) of the state's causes, hypotheses and findings → where they are from.

    Of an item said more than once, the first time; only the NEWEST_ITEMS newest are looked at.

    placed  the conversation's `places`, where they have been read
    """
    sql = (
        "SELECT field, text, message_id, log, line FROM state_items WHERE conversation_id = ? AND device = ?"
        " AND field IN ('hypotheses', 'root_causes', 'findings') ORDER BY id DESC LIMIT ?"
    )
    found = rows(database, sql, (conversation_id, device_key(state), NEWEST_ITEMS))
    asked = (placed or places(database, conversation_id))[1] if found else ()
    texts = {*state.findings, *state.hypotheses, *state.root_causes}
    first: dict[tuple[str, str], Any] = {row[:2]: row[2:] for row in found if row[1] in texts}
    return {item: _origin(asked, *told) for item, told in first.items()}


def _origin(asked: Sequence[int], message_id: int | None, log: str, line: int | None) -> Origin:
    """Return the turn that said it, and its log line."""
    turn = f"turn {turn_of(message_id, asked)}" if message_id else ""
    where = f"{log} line {line}" if log and line else log
    return Origin(", ".join(filter(None, (turn, where))), message_id or 0)


def device_states(database: Database, conversation_id: str) -> dict[str, str]:
    """Return device → state (JSON) of the devices that this conversation has left."""
    sql = "SELECT device, state FROM device_states WHERE conversation_id = ?"
    found = rows(database, sql, (conversation_id,))
    return dict(found)


def file_device_state(database: Database, conversation_id: str, device: str, state: str) -> None:
    """Keep the state (JSON) of a device that the conversation leaves, to be restored when it comes back."""
    with transaction(database):
        database.conn.execute(
            "INSERT INTO device_states (conversation_id, device, state) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = excluded.state",
            (conversation_id, device, state),
        )
