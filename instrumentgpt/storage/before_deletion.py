"""What a conversation knew before a turn of it was deleted, and how that comes back with the turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.provenance import device_states, file_device_state
from instrumentgpt.text.state import DiagnosticState, device_key, with_items
from instrumentgpt.text.summary import forget

Item = Mapping[str, Any]  # a row of state_items


@dataclass(frozen=True)
class Memory:
    """What is stored of a conversation as a whole.

    state  the state in force, as JSON
    filed  device → state (JSON) of the devices that it has left
    """

    summary: str
    state: str
    filed: dict[str, str]


@dataclass(frozen=True)
class Kept:
    """What is kept of a deletion: the memory `before` and `after` it, and the newest message until then."""

    before: Memory
    after: Memory
    newest: int


def memory_of(database: Database, conversation_id: str) -> Memory:
    """Return what is stored of the conversation now."""
    sql = "SELECT coalesce(summary, ''), coalesce(diagnostic_state, '') FROM conversations WHERE id = ?"
    [(summary, state)] = rows(database, sql, (conversation_id,))
    return Memory(str(summary), str(state), device_states(database, conversation_id))


def put_back_memory(
    database: Database, conversation_id: str, turn: Sequence[int], items: Sequence[Item], kept: Kept
) -> None:
    """Give summary and states back what the turn had in them; inside the caller's transaction.

    items  what the turn brought into the state, which is on record again
    """
    now, before, after = memory_of(database, conversation_id), kept.before, kept.after
    sql = "SELECT 1 FROM messages WHERE conversation_id = ? AND id > ? LIMIT 1"
    went_on = bool(rows(database, sql, (conversation_id, kept.newest)))

    def merged(text: str) -> DiagnosticState:
        return _merged(database, conversation_id, text, turn, items, before)

    for device, state in now.filed.items():
        is_same = device in before.filed and state == after.filed[device]
        back = before.filed[device] if is_same else merged(state).serialize()
        file_device_state(database, conversation_id, device, back)
    if went_on:
        state = merged(now.state).serialize()
    elif now.state == after.state:
        state = before.state
    else:
        state = _as_if_never_gone(merged(now.state), before, items).serialize()
    database.conn.execute(
        "UPDATE conversations SET summary = ?, diagnostic_state = ? WHERE id = ?",
        (
            before.summary if now.summary == after.summary else forget(now.summary, turn),
            state,
            conversation_id,
        ),
    )


def _merged(
    database: Database,
    conversation_id: str,
    text: str,
    turn: Sequence[int],
    items: Sequence[Item],
    before: Memory,
) -> DiagnosticState:
    """Return the state (JSON) with the items that are of its device, as far as it had them before."""
    state, was = DiagnosticState.deserialize(text), DiagnosticState.deserialize(before.state)
    device = device_key(state)
    if device_key(was) != device:
        was = DiagnosticState.deserialize(before.filed.get(device, ""))
    sql = (
        "SELECT field, text, min(id) FROM state_items WHERE conversation_id = ? AND device = ? GROUP BY 1, 2"
    )
    said: list[Any] = rows(database, sql, (conversation_id, device))
    sql = (
        "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND message_id > ?"
        " AND device IN ('', ?)"
    )
    out: list[Any] = rows(database, sql, (conversation_id, turn[-1], device))
    own = {(one["field"], one["text"]) for one in items if one["device"] == device}
    first = {(field, text): number for field, text, number in said}
    return with_items(state, was, own, first, [row[0] for row in out])


def _as_if_never_gone(state: DiagnosticState, before: Memory, items: Sequence[Item]) -> DiagnosticState:
    """Return the state with the last log and the status of before, where nobody has asked since."""
    was = DiagnosticState.deserialize(before.state)
    if ("downloaded_logs", was.last_log_file) in {(one["field"], one["text"]) for one in items}:
        state.last_log_file = was.last_log_file
    if state.root_causes and "resolved" in (was.status, state.status):
        state.status = "resolved"
    return state
