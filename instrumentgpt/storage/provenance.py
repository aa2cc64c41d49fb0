"""Where each line of the diagnostic state came from, and the states of devices that were left."""

import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction

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
    with transaction(database):
        database.conn.executemany(
            f"INSERT INTO state_items (conversation_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(conversation_id, *astuple(replace(item, created_at=item.created_at or now))) for item in items],
        )


def list_state_items(database: Database, conversation_id: str, device: str | None = None) -> list[StateItem]:
    """Return the stored origins, oldest first; of one `device` if named."""
    sql, values = f"SELECT {_COLUMNS} FROM state_items WHERE conversation_id = ?", [conversation_id]
    if device is not None:
        sql, values = f"{sql} AND device = ?", [conversation_id, device]
    found: list[Any] = rows(database, f"{sql} ORDER BY id", values)
    return [StateItem(*row) for row in found]


def device_states(database: Database, conversation_id: str) -> dict[str, str]:
    """Return device → state (JSON) of the devices that this conversation has left."""
    sql = "SELECT device, state FROM device_states WHERE conversation_id = ?"
    found: list[Any] = rows(database, sql, (conversation_id,))
    return dict(found)


def file_device_state(database: Database, conversation_id: str, device: str, state: str) -> None:
    """Keep the state (JSON) of a device that the conversation leaves, to be restored when it comes back."""
    with transaction(database):
        database.conn.execute(
            "INSERT INTO device_states (conversation_id, device, state) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = excluded.state",
            (conversation_id, device, state),
        )
