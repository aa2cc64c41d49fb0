"""A conversation that begins as another was after one of its turns, and goes its own way from there."""

import uuid
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.memory.revisions import MESSAGE, TURN
from instrumentgpt.storage.connection import insert
from instrumentgpt.storage.conversations import refuse_while_answering, turn_at, unknown
from instrumentgpt.turn.rebuild import RefusedRebuild, rebuild

BESIDE = ("facts", "offers", "artifacts", "marks")  # what hangs on a message and is no part of the memory


def branch(database: Database, conversation_id: str, message_id: int) -> str:
    """Return the id of a new conversation: the messages up to the turn of `message_id`, the memory from them.

    Charts, files, steps and what people changed until then come along; what a mode has under way (an
    interview, a plan), agents' own sessions and permissions do not.

    Raises UnknownConversation, RunInProgress, and RefusedRebuild where turns have lost their steps.
    """
    with db.transaction(database):
        original, turn = db.get_conversation(database, conversation_id), turn_at(database, message_id)
        if original is None or not turn:
            raise unknown(conversation_id)
        refuse_while_answering(database, conversation_id)
        new = db.create_conversation(database, original.title)
        values = (turn[-1], new)
        database.conn.execute("UPDATE conversations SET branched_from = ? WHERE id = ?", values)
        _copy(database, conversation_id, new, turn[-1])
        try:
            rebuild(database, new)
        except RefusedRebuild as problem:
            raise RefusedRebuild(
                f"“{original.title}” cannot be branched: turns before this one have lost their steps, "
                "of which the memory would be made. Ask in a new conversation instead."
            ) from problem
    return new


def _copy(database: Database, old: str, new: str, last: int) -> None:
    """Copy the messages of `old` up to `last`, and what hangs on them, under names of their own."""
    until_then = "conversation_id = ? AND id <= ?"
    messages = list(database.view("messages").rows_where(until_then, [old, last], order_by="id"))
    marks = ",".join(str(message["id"]) for message in messages)
    runs = list(database.table("runs").rows_where(f"question_message_id IN ({marks}) AND kind = 'turn'"))
    made = list(database.view("artifacts").rows_where(f"message_id IN ({marks})", select="id"))
    names = {str(run["id"]): uuid.uuid4().hex for run in runs}
    names |= {str(artifact["id"]): uuid.uuid4().hex[:12] for artifact in made}
    ids: dict[int, int] = {}

    def put(table: str, row: Mapping[str, Any]) -> int:
        owner = {"conversation_id": new} if "conversation_id" in row else {}
        return insert(database, table, **{**row, **owner})

    def renamed(text: str) -> str:
        for name, other in names.items():
            text = text.replace(name, other)
        return text

    for message in messages:
        content, run_id = renamed(message["content"]), names.get(message["run_id"] or "")
        row = {**_without_id(message), "content": content, "run_id": run_id}
        ids[message["id"]] = put("all_messages", row)
    for run in runs:
        put("runs", {**run, "id": names[run["id"]], "question_message_id": ids[run["question_message_id"]]})
        sql = "SELECT number, event FROM run_events WHERE run_id = ?"
        for number, event in database.conn.execute(sql, (run["id"],)).fetchall():
            put("run_events", {"run_id": names[run["id"]], "number": number, "event": renamed(event)})
    for table in BESIDE:
        for row in list(database.query(f"SELECT * FROM {table} WHERE message_id IN ({marks})")):
            copied = _without_id(row) | {"message_id": ids[row["message_id"]]}
            if table == "artifacts":
                copied |= {"id": names[row["id"]], "run_id": names.get(row["run_id"] or "")}
            put(table if table == "marks" else f"all_{table}", copied)
    beside = f"message_id IN ({marks}) OR (message_id IS NULL AND created_at <= ?)"
    stated = f"conversation_id = ? AND source = 'user' AND ({beside})"
    values = [old, messages[-1]["created_at"]]
    for item in list(database.view("state_items").rows_where(stated, values)):
        put("all_state_items", {**_without_id(item), "message_id": ids.get(item["message_id"])})
    changed = "conversation_id = ? AND after <= ? AND field != ?"
    for row in list(database.table("revisions").rows_where(changed, [old, last, TURN], order_by="id")):
        name = row["name"] if row["field"] != MESSAGE else str(ids.get(int(row["name"]), 0))
        after = max((mine for theirs, mine in ids.items() if theirs <= row["after"]), default=0)
        put("revisions", {**_without_id(row), "name": name, "after": after})


def _without_id(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("id", "rowid")}
