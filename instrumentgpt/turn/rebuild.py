"""The memory of a conversation made anew: what is stored of it is no more than what its turns come to.

Its messages, the results of its tools and what people changed are told once more, in the order in which
they came, to the code of a turn. So the memory follows rules of reading and an inventory that have changed.
A branch is a conversation that begins as another was after one of its turns; its memory is made in this way.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.events import Text, Tool
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.memory.revisions import MESSAGE, TURN
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.connection import insert, select
from instrumentgpt.storage.conversations import known_conversation, refuse_while_answering, turn_at, unknown
from instrumentgpt.storage.history import history
from instrumentgpt.storage.recall import index_message
from instrumentgpt.storage.revisions import NOT_YET, list_revisions, mark_turn
from instrumentgpt.storage.runs import COMMAND, Run, list_runs
from instrumentgpt.turn.close import events_of
from instrumentgpt.turn.record import put_on_record
from instrumentgpt.turn.turn import open_turn

Event = tuple[float, Callable[[], object]]  # when it was, in s since 1970, and what tells it again
DERIVED = ("all_facts", "all_nicknames", "all_state_items", "device_states")


class RefusedRebuild(InstrumentGPTError, RuntimeError):
    """A memory that cannot be made anew, since what it came from is gone."""


def rebuild(database: Database, conversation_id: str) -> None:
    """Make state, facts, nicknames, summary, refs and index of the conversation anew, all or nothing.

    Raises UnknownConversation, RunInProgress while it is being answered, and RefusedRebuild where turns have
    lost their steps, as those of pruned conversations and of other applications have.
    """
    with db.transaction(database):
        known_conversation(database, conversation_id)
        refuse_while_answering(database, conversation_id)
        runs = list_runs(database, conversation_id, limit=-1)
        lacks_steps = (
            "SELECT 1 FROM all_messages AS asked WHERE conversation_id = ? AND role = 'user' AND NOT EXISTS"
            " (SELECT 1 FROM runs JOIN run_events ON run_id = runs.id WHERE question_message_id = asked.id)"
        )
        if database.conn.execute(lacks_steps, (conversation_id,)).fetchone():
            raise RefusedRebuild(
                f"Conversation {conversation_id} has turns whose steps are gone: its memory is all there is."
            )
        sql = "SELECT deleted_at, id FROM all_messages WHERE conversation_id = ?"
        marks = database.conn.execute(sql, (conversation_id,)).fetchall()
        events = [*_turns(database, conversation_id, runs), *_deletions(database, conversation_id)]
        _forget(database, conversation_id)
        for _, tell in sorted(events, key=lambda event: event[0]):
            tell()
        database.conn.executemany("UPDATE all_messages SET deleted_at = ? WHERE id = ?", marks)


def _forget(database: Database, conversation_id: str) -> None:
    for table in DERIVED:
        database.conn.execute(f"DELETE FROM {table} WHERE conversation_id = ?", (conversation_id,))
    database.conn.execute(
        "UPDATE conversations SET summary = '', diagnostic_state = '' WHERE id = ?", (conversation_id,)
    )
    sql = "UPDATE all_messages SET deleted_at = ? WHERE conversation_id = ? RETURNING id, content"
    for message, content in database.conn.execute(sql, (NOT_YET, conversation_id)).fetchall():
        database.conn.execute("DELETE FROM message_terms WHERE rowid = ?", (message,))
        index_message(database, message, conversation_id, content)


def _turns(database: Database, conversation_id: str, runs: Sequence[Run]) -> Iterator[Event]:
    """Yield the turns, and what people put on record themselves in or beside one: those items stay theirs."""
    source = "all_state_items WHERE conversation_id = ? AND source = 'user' ORDER BY id"
    items = select(database, db.StateItem, source, (conversation_id,))
    for run in runs:
        if run.question_message_id is not None:
            stated = [item for item in items if item.message_id == run.question_message_id]
            yield run.started_at, partial(_tell_turn, database, run, stated)
            if run.mode == "interview":  # what it gathered is agreed, and more than its last message says
                sql = "SELECT * FROM all_facts WHERE message_id = ?"
                facts = database.conn.execute(sql, (run.question_message_id,)).fetchall()
                yield run.started_at, partial(_put_facts, database, run.question_message_id, facts)
    beside = (item for item in items if item.message_id is None)
    for at, pinned in groupby(beside, key=lambda item: item.created_at):
        yield at, partial(_tell_pin, database, conversation_id, list(pinned))


def _tell_turn(database: Database, run: Run, stated: Sequence[db.StateItem]) -> None:
    appear = "UPDATE all_messages SET deleted_at = NULL WHERE id = ?"
    database.conn.execute(appear, (run.question_message_id,))
    turn = open_turn(database, run.id)
    if turn.problem:
        raise turn.problem
    sql = "SELECT id, content FROM all_messages WHERE run_id = ? AND role = 'assistant'"
    answer, words = database.conn.execute(sql, (run.id,)).fetchone() or (0, "")
    if not answer:
        return
    database.conn.execute(appear, (answer,))
    turn.learns_from_words = run.mode == "chat" and run.agent != COMMAND
    if run.agent != COMMAND:
        earlier = history(database, run.conversation_id, turn.question.id)
        rules = memory.Rules(turn.settings.recent_exchanges)
        case = memory.Case(turn.question.content, turn.state)
        turn.summary = memory.compose(case, earlier, turn.summary, rules=rules).summary
    for item in stated:
        turn.state = memory.record_tool(turn.state, "statement", {item.field: [item.text]})
    for event in events_of(database, run.id):
        if isinstance(event, Tool):
            turn.take(event)
    turn.take(Text(words, whole=True))
    turn.learn(answer)
    db.add_state_items(database, run.conversation_id, stated)


def _put_facts(database: Database, message_id: int, facts: Sequence[tuple[object, ...]]) -> None:
    database.conn.execute("DELETE FROM all_facts WHERE message_id = ?", (message_id,))
    for row in facts:
        database.conn.execute(f"INSERT INTO all_facts VALUES ({', '.join('?' * len(row))})", row)


def _tell_pin(database: Database, conversation_id: str, items: Sequence[db.StateItem]) -> None:
    """Put what a person pinned on record again, and where it is from; of one pin all are of the same log."""
    inventory = load_inventory(settings_in_force(db.get_settings(database)).inventory)
    device = next((device for device in inventory.devices if device.name == items[0].device), None)
    data = {"log": items[0].log, "findings": [item.text for item in items if item.field == "findings"]}
    put_on_record(database, conversation_id, items[0].device, device, data)
    db.add_state_items(database, conversation_id, items)


def _deletions(database: Database, conversation_id: str) -> Iterator[Event]:
    """Yield deletions of turns and their undoing."""
    for revision in list_revisions(database, conversation_id):
        if revision.item.field == TURN:
            for at, mark in ((revision.changed_at, revision.changed_at), (revision.undone_at, None)):
                if at is not None:
                    first = int(revision.item.name)
                    yield at, partial(mark_turn, database, conversation_id, first, mark)


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
