"""What a turn has learned: the state of the device asked about, and of any other that its tools looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

import db
import memory
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.turn.tool_results import origins

# fields of results: beside them a log's name in words is no log read
SPEAK_OF_LOGS = {"log", "logs", "devices"}

Result = tuple[str, Mapping[str, Any]]  # of one of our tools: its name, and the JSON that it returned


@dataclass(frozen=True)
class Learned:
    """The states after a turn, and where each new line of them came from.

    state  of the device that the conversation is about
    filed  device → state as JSON, of the other devices that tools looked at
    """

    state: memory.DiagnosticState
    filed: Mapping[str, str]
    items: Sequence[db.StateItem]


def learned(
    state: memory.DiagnosticState,
    results: Sequence[Result],
    answer: str,
    inventory: Inventory,
    filed: Mapping[str, str],
) -> Learned:
    """Return what `results` and the words of `answer` add to `state`, and to the states `filed` of others.

    What our tools reported as data counts; the answer's words only where no tool spoke of the same, and not
    at all where tools looked at several devices: nobody can say whose they are.
    """
    shares = _by_device(results, inventory)
    others = [device for device in shares if device is not None and device.ip != state.device_ip]
    if not memory.device_key(state) and len(others) == 1:
        state = memory.begin_question(state, others[0].ip, others[0].name, filed)
        others = []
    strange = {*others, *(device for device in inventory.devices if _is_strange(device, state))}
    own = [result for result in results if _device_of(result, inventory) not in strange]
    after, items = _after(state, own, answer if len(own) == len(results) and len(shares) < 2 else "")
    added: dict[str, str] = {}
    for device in others:
        begun = memory.begin_question(memory.DiagnosticState(), device.ip, device.name)
        kept = filed.get(memory.device_key(begun), "")
        before = memory.DiagnosticState.deserialize(kept) if kept else begun
        told, new = _after(before, shares[device], "")
        added[memory.device_key(before)] = told.serialize()
        items += new
    return Learned(after, added, items)


def put_on_record(
    database: Database, conversation_id: str, name: str, device: Device | None, data: Mapping[str, Any]
) -> tuple[memory.DiagnosticState, memory.DiagnosticState]:
    """Put what a person states of a device into its state, in force or left; return that before and after.

    name    under which the device's state is filed, which is there for files of no device too
    device  the one of the inventory; in question from now on, where none was
    """
    summary, stored = db.get_memory(conversation_id, database)
    before = memory.DiagnosticState.deserialize(stored)
    in_force = device is None or not before.device_ip or before.device_ip == device.ip
    if not in_force:
        filed = db.device_states(database, conversation_id).get(name, "")
        before = memory.DiagnosticState.deserialize(filed)
    begun = before
    if device is not None and not before.device_ip:
        begun = memory.begin_question(before, device.ip, device.name)
    after = memory.record_tool(begun, "pin", data)
    if in_force:
        db.update_memory(conversation_id, summary, after.serialize(), database)
    else:
        db.file_device_state(database, conversation_id, name, after.serialize())
    return before, after


def _after(
    state: memory.DiagnosticState, results: Sequence[Result], answer: str
) -> tuple[memory.DiagnosticState, list[db.StateItem]]:
    """Return the state with what `results`, then `answer`, say of its device, and the new lines' origins."""
    items = []
    lines = origins(results)
    told = {name for _, result in results for name in memory.told_fields(result)}
    for tool_name, result in results:
        after = memory.record_tool(state, tool_name, result)
        for name, text in memory.new_items(state, after):
            log, line = lines.get(text, ("", None))
            items.append(db.StateItem(memory.device_key(after), name, text, "tool", log=log, line=line))
        state = after
    after = memory.extract_state_updates(answer, state)
    for name in told:
        setattr(after, name, getattr(state, name))
    if any(SPEAK_OF_LOGS & result.keys() for _, result in results):
        after.downloaded_logs, after.last_log_file = state.downloaded_logs, state.last_log_file
    if "root_causes" in told:
        after.status = state.status
    said = memory.new_items(state, after)
    return after, items + [db.StateItem(memory.device_key(after), *item, "agent") for item in said]


def _by_device(results: Sequence[Result], inventory: Inventory) -> dict[Device | None, list[Result]]:
    """Return the results that state something, by the device they are of; None: a dropped file."""
    found: dict[Device | None, list[Result]] = {}
    for result in results:
        if memory.told_fields(result[1]):
            found.setdefault(_device_of(result, inventory), []).append(result)
    return found


def _is_strange(device: Device, state: memory.DiagnosticState) -> bool:
    """Return whether `state` is known to be of another device."""
    ours = (state.device_ip, state.device_name)
    return any(ours) and device.ip not in ours and device.name not in ours


def _device_of(result: Result, inventory: Inventory) -> Device | None:
    name = result[1].get("device")
    return next((device for device in inventory.devices if name in (device.name, device.ip)), None)
