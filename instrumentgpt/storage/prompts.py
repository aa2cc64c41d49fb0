"""Prompts as they were sent, every one of every turn, compressed: 8,000 tokens take about 10 kB."""

import time
import zlib
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction


@dataclass(frozen=True)
class SentPrompt:
    """One prompt as an agent was given it.

    message_id  the question whose turn it belongs to
    task        what the agent was to do: "chat", or one step of another mode
    budget      tokens that it had to keep to
    sent_at     s since 1970
    """

    id: int
    message_id: int
    run_id: str
    task: str
    agent: str
    budget: int
    text: str
    sent_at: float


_COLUMNS = "id, message_id, run_id, task, agent, budget, text, sent_at"


def keep_prompt(
    database: Database,
    conversation_id: str,
    message_id: int,
    text: str,
    *,
    run_id: str,
    task: str,
    agent: str,
    budget: int,
) -> int:
    """Keep a prompt of the turn of question `message_id`, with which it is deleted; return its id."""
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"))
    values = (conversation_id, message_id, run_id, task, agent, budget, packed, time.time())
    with transaction(database):
        cursor = database.conn.execute(
            "INSERT INTO all_prompts"
            " (conversation_id, message_id, run_id, task, agent, budget, text, sent_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
    return int(cursor.lastrowid or 0)


def list_prompts(database: Database, conversation_id: str) -> list[tuple[int, int, str, str]]:
    """Return (id, question's message id, task, agent) of every prompt sent, oldest first."""
    sql = "SELECT id, message_id, task, agent FROM prompts WHERE conversation_id = ? ORDER BY id"
    found = rows(database, sql, (conversation_id,))
    return found


def get_prompt(database: Database, conversation_id: str, prompt_id: int) -> SentPrompt | None:
    """Return a prompt of this conversation, None if there is none of this id."""
    sql = f"SELECT {_COLUMNS} FROM prompts WHERE conversation_id = ? AND id = ?"
    found = rows(database, sql, (conversation_id, prompt_id))
    return _unpacked(found[0]) if found else None


def prompt_before(
    database: Database, conversation_id: str, task: str, prompt_id: int | None = None
) -> SentPrompt | None:
    """Return the newest prompt with this task that was sent before `prompt_id` (None: the newest of all)."""
    sql = (
        f"SELECT {_COLUMNS} FROM prompts WHERE conversation_id = ? AND task = ? AND id < ?"
        " ORDER BY id DESC LIMIT 1"
    )
    before = 2**63 - 1 if prompt_id is None else prompt_id
    found = rows(database, sql, (conversation_id, task, before))
    return _unpacked(found[0]) if found else None


def _unpacked(row: Any) -> SentPrompt:
    number, message_id, run_id, task, agent, budget, packed, sent_at = row
    text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
    return SentPrompt(number, message_id, run_id, task, agent, budget, text, sent_at)
