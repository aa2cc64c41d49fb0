"""What the modes keep: a conversation's state in each mode, and what an answer offers to say next."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction


@dataclass(frozen=True)
class Offer:
    """A button under an answer: what it says on it, and the question that it asks in a mode."""

    label: str
    text: str
    mode: str = "chat"


def get_mode_state(database: Database, conversation_id: str, mode: str) -> dict[str, Any]:
    """Return what `mode` keeps for the conversation; {} if nothing."""
    sql = "SELECT state FROM mode_states WHERE conversation_id = ? AND mode = ?"
    found = rows(database, sql, (conversation_id, mode))
    return dict(json.loads(found[0][0])) if found else {}


def save_mode_state(database: Database, conversation_id: str, mode: str, state: Mapping[str, Any]) -> None:
    """Keep `state` (JSON-ready) as what `mode` knows of the conversation."""
    told = json.dumps(state, ensure_ascii=False)
    with transaction(database):
        database.conn.execute(
            "INSERT INTO mode_states (conversation_id, mode, state, updated_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at",
            (conversation_id, mode, told, time.time()),
        )


def store_offers(database: Database, message_id: int, offers: Sequence[Offer]) -> None:
    """Keep what the answer `message_id` offers."""
    told = [(message_id, number, one.label, one.text, one.mode) for number, one in enumerate(offers)]
    with transaction(database):
        database.conn.executemany(
            "INSERT INTO all_offers (message_id, number, label, text, mode) VALUES (?, ?, ?, ?, ?)", told
        )


def list_offers(database: Database, message_id: int) -> list[Offer]:
    """Return what the answer offers, in order."""
    sql = "SELECT label, text, mode FROM offers WHERE message_id = ? ORDER BY number"
    return [Offer(*row) for row in rows(database, sql, (message_id,))]


def mode_messages(database: Database, conversation_id: str, mode: str) -> list[int]:
    """Return the ids of the conversation's messages that were asked and answered in `mode`, oldest first."""
    runs = "FROM runs WHERE conversation_id = ? AND mode = ?"
    sql = (
        "SELECT id FROM messages WHERE conversation_id = ?"
        f" AND (id IN (SELECT question_message_id {runs}) OR run_id IN (SELECT id {runs})) ORDER BY id"
    )
    return [row[0] for row in rows(database, sql, (conversation_id, *[conversation_id, mode] * 2))]
