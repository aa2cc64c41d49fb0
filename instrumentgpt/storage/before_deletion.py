"""What a conversation knew before a turn of it was deleted, and how that comes back with the turn."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlite_utils import Database

from instrumentgpt.memory.facts.devices import devices_in
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.state_items import with_items
from instrumentgpt.memory.summary import forget
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.provenance import device_states, file_device_state

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


def leave_devices(database: Database, conversation_id: str, spoken_of: Collection[str]) -> None:
    """Forget the devices that nobody speaks of any more, of those that a deleted turn spoke of.

    If one of them is in question, the conversation is about the one again that was spoken of last.
    """
    known = _known_of(database, conversation_id) if spoken_of else []
    gone = set(spoken_of).difference(known)
    if gone:
        gone.difference_update(devices_spoken_of(database, conversation_id))
    if not gone:
        return
    now = memory_of(database, conversation_id)
    states = {device: state for device, state in now.filed.items() if device not in gone}
    state = DiagnosticState.deserialize(now.state)
    if device_key(state) in gone and not _holds_anything(state):
        named = chain(devices_spoken_of(database, conversation_id), known)
        last = next((device for device in named if device in states), "")
        state = DiagnosticState.deserialize(states.get(last, ""))
    _store(database, conversation_id, state.serialize(), states)


def devices_spoken_of(
    database: Database, conversation_id: str, turn: Collection[int] | None = None
) -> Iterator[str]:
    """Yield the conversation's devices that its messages name, the last one first.

    turn  ids of the messages that are looked at; None: all
    """
    now = memory_of(database, conversation_id)
    states = map(DiagnosticState.deserialize, (now.state, *now.filed.values()))
    names = tuple((device_key(one), one.device_ip or device_key(one)) for one in states if device_key(one))
    sql = "SELECT id, content FROM messages WHERE conversation_id = ? ORDER BY id DESC"
    for message_id, content in database.conn.execute(sql, (conversation_id,)):
        if turn is None or message_id in turn:
            yield from reversed(devices_in(content or "", names))


def _known_of(database: Database, conversation_id: str) -> list[str]:
    """Return the devices of which anything is on record, the last first."""
    sql = (
        "SELECT device FROM (SELECT device, message_id FROM facts WHERE conversation_id = :id"
        " UNION ALL SELECT device, message_id FROM state_items WHERE conversation_id = :id)"
        " WHERE device > '' GROUP BY device ORDER BY max(message_id) DESC"
    )
    return [device for (device,) in database.conn.execute(sql, {"id": conversation_id})]


def _holds_anything(state: DiagnosticState) -> bool:
    return bool(state.findings or state.hypotheses or state.root_causes or state.downloaded_logs)


def _store(database: Database, conversation_id: str, state: str, filed: Mapping[str, str]) -> None:
    database.conn.execute(
        "UPDATE conversations SET diagnostic_state = ? WHERE id = ?", (state, conversation_id)
    )
    database.conn.execute("DELETE FROM device_states WHERE conversation_id = ?", (conversation_id,))
    for device, one in filed.items():
        file_device_state(database, conversation_id, device, one)


def put_back_memory(
    database: Database, conversation_id: str, turn: Sequence[int], items: Sequence[Item], kept: Kept
) -> None:
    """Give summary and states back what the turn had in them; inside the caller's transaction.

    They are what they were before, unless they have changed since the deletion, or somebody has asked on.

    items  what the turn brought into the state, which is on record again
    """
    now, before, after = memory_of(database, conversation_id), kept.before, kept.after
    summary = before.summary if now.summary == after.summary else forget(now.summary, turn)
    database.conn.execute("UPDATE conversations SET summary = ? WHERE id = ?", (summary, conversation_id))
    sql = "SELECT 1 FROM messages WHERE conversation_id = ? AND id > ? LIMIT 1"
    asked_on = bool(rows(database, sql, (conversation_id, kept.newest)))
    if (now.state, now.filed) == (after.state, after.filed) and not asked_on:
        _store(database, conversation_id, before.state, before.filed)
        return

    def merged(state: DiagnosticState) -> DiagnosticState:
        return _merged(database, conversation_id, state, turn, items, before)

    states = {device: DiagnosticState.deserialize(state) for device, state in now.filed.items()}
    current = DiagnosticState.deserialize(now.state)
    for device in {_key(before.state), *(one["device"] for one in items)} - {"", device_key(current)}:
        states.setdefault(device, _without_lists(_state_of(before, device)))
    if not device_key(current):  # none is in question: the conversation is about this one again
        current = states.pop(_key(before.state), current)
    filed = {device: merged(state).serialize() for device, state in states.items()}
    _store(database, conversation_id, merged(current).serialize(), filed)


def _key(state: str) -> str:
    return device_key(DiagnosticState.deserialize(state))


def _state_of(before: Memory, device: str) -> DiagnosticState:
    """Return the state that the device had, in force or filed; an empty one if it had none."""
    text = before.state if _key(before.state) == device else before.filed.get(device, "")
    return DiagnosticState.deserialize(text)


def _without_lists(state: DiagnosticState) -> DiagnosticState:
    return DiagnosticState(state.device_ip, state.device_name, status=state.status)


def _merged(
    database: Database,
    conversation_id: str,
    state: DiagnosticState,
    turn: Sequence[int],
    items: Sequence[Item],
    before: Memory,
) -> DiagnosticState:
    """Return the state with the items that are of its device, as far as it had them before."""
    device = device_key(state)
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
    return with_items(state, _state_of(before, device), own, first, [row[0] for row in out])
