"""What other conversations found on a device, as far as it still stands there: history, never a fact of now.

What was forgotten, corrected or ruled out in its own conversation is no precedent.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.in_force import memory_in_force

FIELDS = ("root_causes", "findings")
_RULED_OUT = re.compile(r"\W*(?:ruled out|已?排除)", re.I)  # as the tool `rule_out` puts it on record
LOOKED_AT = 100  # newest items of the devices
CONVERSATIONS = 8  # whose memory is read for one question, the newest ones with a fitting item


@dataclass(frozen=True)
class Precedent:
    """One item of an earlier state; `field` is "root_causes" or "findings"."""

    device: str
    field: str
    text: str
    conversation_id: str
    title: str
    message_id: int | None
    found_at: float  # s since 1970
    log: str = ""
    line: int | None = None


def precedents(
    database: Database, devices: Sequence[str], except_for: str, fits: Callable[[Precedent], bool]
) -> list[Precedent]:
    """Return what stands in the memory of other conversations of these devices, newest first, each once.

    devices     every name under which states may be filed
    except_for  the conversation that asks
    fits        whether an item bears on the question; asked before anything else is read
    """
    fitting = [one for one in _recorded(database, devices, except_for) if fits(one)]
    conversations = list(dict.fromkeys((one.conversation_id, one.device) for one in fitting))[:CONVERSATIONS]
    standing = {place: _standing(database, *place) for place in conversations}
    told: dict[tuple[str, str], Precedent] = {}
    for one in fitting:
        there = standing.get((one.conversation_id, one.device))
        if there and (one.field, said := same(one.text)) in there:
            told.setdefault((one.device, said), one)
    return list(told.values())


def _recorded(database: Database, devices: Sequence[str], except_for: str) -> list[Precedent]:
    marks, fields = ",".join("?" * len(devices)), ",".join("?" * len(FIELDS))
    sql = (
        "SELECT device, field, text, conversation_id, coalesce(title, ''), message_id,"
        " state_items.created_at, log, line"
        " FROM state_items JOIN conversations ON conversations.id = conversation_id"
        f" WHERE device IN ({marks}) AND field IN ({fields}) AND conversation_id != ?"
        " ORDER BY state_items.id DESC LIMIT ?"
    )
    found = rows(database, sql, (*devices, *FIELDS, except_for, LOOKED_AT))
    return [Precedent(*row) for row in found if not _RULED_OUT.match(row[2])]


def _standing(database: Database, conversation_id: str, device: str) -> set[tuple[str, str]]:
    """Return (field, text) of what the conversation holds of the device now."""
    state = memory_in_force(database, conversation_id, _state_of(database, conversation_id, device), ()).state
    out = _ruled_out(database, conversation_id)
    return {
        (field, same(text))
        for field in FIELDS
        for text in getattr(state, field)
        if not any(same(text) in one or one in same(text) for one in out)
    }


def _state_of(database: Database, conversation_id: str, device: str) -> DiagnosticState:
    sql = "SELECT state FROM device_states WHERE conversation_id = ? AND device = ?"
    filed = rows(database, sql, (conversation_id, device))
    sql = "SELECT diagnostic_state FROM conversations WHERE id = ?"
    current = rows(database, sql, (conversation_id,))
    state = DiagnosticState.deserialize(current[0][0] or "")
    if device_key(state) == device or not filed:
        return state if device_key(state) == device else DiagnosticState()
    return DiagnosticState.deserialize(filed[0][0])


def _ruled_out(database: Database, conversation_id: str) -> list[str]:
    sql = "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND said != ''"
    return [same(row[0]) for row in rows(database, sql, (conversation_id,))]
