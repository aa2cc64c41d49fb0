"""What is known of the device under diagnosis, as data: a state that outlives the messages, item by item."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from instrumentgpt.memory.reading.statements import STATEMENT_CHARS, Kind, log_names, same, statements
from instrumentgpt.memory.summary import shorten

FILE_NAME_CHARS = 200  # most file systems allow 255 bytes
SAID = 4  # bytes: of a letter or two, or a Chinese character, nothing follows
STORED_ITEMS = 60  # newest findings, hypotheses, root causes kept; their origins are stored apart
_COURTESY = re.compile(r"\W*(?:ok(?:ay)?|thanks?(?: you)?|thank you|謝謝|谢谢|感謝|感谢|好的?|了解)\W*", re.I)
_FIELDS: dict[Kind, str] = {"finding": "findings", "hypothesis": "hypotheses", "root_cause": "root_causes"}
STATED = tuple(_FIELDS.values())
ITEM_FIELDS = ("downloaded_logs", *STATED)  # lists, of which each item was said by some message


@dataclass
class DiagnosticState:
    """What is known of the device under diagnosis; stored as JSON with its conversation."""

    device_ip: str | None = None
    device_name: str | None = None
    last_log_file: str | None = None
    downloaded_logs: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    hypotheses: list[str] = field(default_factory=list)
    root_causes: list[str] = field(default_factory=list)
    status: str = "idle"  # idle | investigating | resolved

    def serialize(self) -> str:
        """Return the state as JSON; text that `deserialize` could not read is not lost in it."""
        unreadable = getattr(self, "_unreadable", "")
        if unreadable and self == DiagnosticState():
            return str(unreadable)
        kept = {"unreadable": unreadable} if unreadable else {}
        return json.dumps({**asdict(self), **kept}, ensure_ascii=False)

    @classmethod
    def deserialize(cls, text: str) -> "DiagnosticState":
        """Return the state that `serialize` wrote; a new one for "" or what cannot be read."""
        state = cls()
        try:
            stored = json.loads(text or "{}")
        except (ValueError, RecursionError):
            stored = None
        if not isinstance(stored, dict):
            state._unreadable = text
            return state
        for name in stored.keys() & {row.name for row in fields(cls)}:
            if _fits(name, stored[name]):
                setattr(state, name, stored[name])
            else:
                state._unreadable = text
        state._unreadable = stored.get("unreadable") or state._unreadable
        return state

    def copy(self) -> "DiagnosticState":
        """Return an equal state that can be changed without changing this one."""
        return deepcopy(self)

    _unreadable = ""  # no field: stored text that nobody could read, carried along


def _fits(name: str, value: object) -> bool:
    """Return whether the field of that name can hold the value."""
    if name == "status":
        return value in ("idle", "investigating", "resolved")
    if name in ITEM_FIELDS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str)


def device_key(state: DiagnosticState) -> str:
    """Return the name under which the state of this device is filed: its name, else its address, else ""."""
    return state.device_name or state.device_ip or ""


def begin_question(
    state: DiagnosticState,
    device_ip: str | None = None,
    device_name: str | None = None,
    filed: Mapping[str, str] | None = None,
    question: str = "",
) -> DiagnosticState:
    """Return the state in force for a new question, about the device if one is named.

    Another device than before starts anew, or goes on where its state was `filed` (device_key → JSON);
    the caller files the old state under `device_key(state)`.
    Whatever was resolved is open again, unless the question only says thanks.
    """
    is_other = bool(device_ip and state.device_ip and device_ip != state.device_ip)
    if device_name and state.device_name and not (device_ip and state.device_ip):
        is_other = same(device_name) != same(state.device_name)
    if is_other:
        begun = DiagnosticState.deserialize((filed or {}).get(device_name or device_ip or "", ""))
    else:
        begun = state.copy()
    begun.device_ip = device_ip or begun.device_ip
    begun.device_name = device_name or begun.device_name
    if device_key(begun) and not (question and _COURTESY.fullmatch(question)):
        begun.status = "investigating"
    return begun


def extract_state_updates(response: str, state: DiagnosticState) -> DiagnosticState:
    """Return the state with what `response` states: log names, findings, hypotheses, root causes, status.

    What is denied, asked, quoted or stands in code or logs is no statement.
    A hypothesis that is ruled out is no longer one. `state` itself is unchanged.
    """
    updated = state.copy()
    _add_logs(updated, log_names(response))
    stated = statements(response)
    for kind, name in _FIELDS.items():
        _add(updated, name, [row.text for row in stated if row.kind == kind])
    _withdraw(updated, [row.text for row in stated if row.kind == "ruled_out"])
    return _settled(updated, confirmed=any(row.kind == "root_cause" for row in stated))


def _withdraw(state: DiagnosticState, ruled_out: list[str]) -> None:
    """Take from the open hypotheses those that are, hold, or are in what was ruled out."""
    out = list(map(same, ruled_out))

    def is_out(text: str) -> bool:
        others = [other for other in out if min(len(text.encode()), len(other.encode())) >= SAID]
        return text in out or any(text in other or other in text for other in others)

    state.hypotheses = [text for text in state.hypotheses if not is_out(same(text))]


def record_tool(state: DiagnosticState, tool_name: str, data: Mapping[str, Any]) -> DiagnosticState:
    """Return the state with what one of our tools reported as data.

    data  "log": name of the log it worked on; "logs": all of them, from a comparison;
          "findings": [{"text", "class", "channel", …}]; "root_causes", "hypotheses": texts, or the same;
          "ruled_out": [text], hypotheses that are none any more
    Data that does not fit is skipped: it may have come through an agent.
    """
    updated = state.copy()
    if tool_name != "list_logs":
        names = _texts([data.get("log")]) + (_texts(data.get("logs")) if tool_name == "compare_logs" else [])
        files = (" ".join(re.split(r"[/\\]", name)[-1].split()) for name in names)
        _add_logs(updated, [shorten(file, FILE_NAME_CHARS) for file in files])
    for name in _FIELDS.values():
        _add(updated, name, _texts(data.get(name)))
    _withdraw(updated, ruled_out_by(data))
    return _settled(updated, confirmed=bool(_texts(data.get("root_causes"))))


def fields_reported(data: Mapping[str, Any]) -> set[str]:
    """Return the fields of the state that a tool's `data` speaks of: there it counts more than any prose.

    >>> sorted(fields_reported({"findings": [{"text": "slow"}], "ruled_out": ["the fan"], "root_causes": []}))
    ['findings', 'hypotheses']
    """
    names = {name for name in _FIELDS.values() if _texts(data.get(name))}
    return names | ({"hypotheses"} if ruled_out_by(data) else set())


def ruled_out_by(data: Mapping[str, Any]) -> list[str]:
    """Return the hypotheses that are none any more by a tool's `data`."""
    return _texts(data.get("ruled_out"))


def _texts(rows: object) -> list[str]:
    listed = rows if isinstance(rows, list) else []
    given = (row.get("text") if isinstance(row, Mapping) else row for row in listed)
    return [text for text in given if isinstance(text, str) and text.strip()]


def _add_logs(state: DiagnosticState, names: list[str]) -> None:
    state.downloaded_logs += [name for name in dict.fromkeys(names) if name not in state.downloaded_logs]
    if names:
        state.last_log_file = names[-1]


def _add(state: DiagnosticState, name: str, texts: list[str]) -> None:
    items: list[str] = getattr(state, name)
    seen = set(map(same, items))
    for text in texts:
        folded = shorten(" ".join(text.split()), STATEMENT_CHARS)
        if same(folded) not in seen:
            seen.add(same(folded))
            items.append(folded)
    del items[:-STORED_ITEMS]


def _close(state: DiagnosticState) -> None:
    """Take the hypotheses that have become root causes from the open ones."""
    causes = set(map(same, state.root_causes))
    state.hypotheses = [text for text in state.hypotheses if same(text) not in causes]


def _settled(state: DiagnosticState, confirmed: bool) -> DiagnosticState:
    _close(state)
    if confirmed:
        state.status = "resolved"
    elif device_key(state) and state.status == "idle":
        state.status = "investigating"
    return state


def new_items(before: DiagnosticState, after: DiagnosticState) -> list[tuple[str, str]]:
    """Return (field, text) of what `after` has and `before` had not, for storing where it came from."""
    return [
        (name, text)
        for name in ITEM_FIELDS
        for text in getattr(after, name)
        if text not in getattr(before, name)
    ]


def without_items(state: DiagnosticState, items: Collection[tuple[str, str]]) -> DiagnosticState:
    """Return the state without the given (field, text): what said them was deleted."""
    left = state.copy()
    for name in ITEM_FIELDS:
        setattr(left, name, [text for text in getattr(state, name) if (name, text) not in items])
    return _sound(left)


IN_QUESTION, FILED, RULED_OUT = "in_question", "filed", "ruled_out"  # what is recorded beside items


def bare(state: DiagnosticState) -> DiagnosticState:
    """Return the state without its lists: whose it is, its last log, its status."""
    return DiagnosticState(state.device_ip, state.device_name, state.last_log_file, status=state.status)


def identity(state: DiagnosticState) -> str | None:
    """Return what tells two devices apart, None where no device is known."""
    return state.device_ip or state.device_name


def made_of(
    records: Iterable[tuple[str, str, str]], state: DiagnosticState, filed: Mapping[str, DiagnosticState]
) -> tuple[DiagnosticState, dict[str, DiagnosticState]]:
    """Return the state in question and those of other devices, as `records` make them of what was before.

    records  (device, field, text) in the order in which they were put on record: items of the lists, what was
             RULED_OUT, and states without lists (`bare`): IN_QUESTION after a turn ("" as device: the turn
             named none, and goes on about the one before), or of another device that it looked at (FILED)
    """
    state, filed = state.copy(), {device: other.copy() for device, other in filed.items()}
    for device, name, text in records:
        recorded = DiagnosticState.deserialize(text) if name in (IN_QUESTION, FILED) else None
        if recorded and name == IN_QUESTION and device:
            before, filed_json = state, {key: other.serialize() for key, other in filed.items()}
            state = begin_question(before, recorded.device_ip, recorded.device_name, filed_json)
            if device_key(before) and identity(before) != identity(state):
                filed[device_key(before)] = before
        of = state if device in ("", device_key(state)) else filed.setdefault(device, DiagnosticState())
        if recorded:
            of.last_log_file, of.status = recorded.last_log_file, recorded.status
        if recorded and device:
            of.device_ip, of.device_name = recorded.device_ip, recorded.device_name
        elif name == RULED_OUT:
            _withdraw(of, [text])
        elif name in STATED:
            _add(of, name, [text])
            _close(of)
        elif name == "downloaded_logs" and text not in of.downloaded_logs:
            of.downloaded_logs.append(text)
    return _sound(state), {device: _sound(other) for device, other in filed.items()}


def _sound(state: DiagnosticState) -> DiagnosticState:
    """Return the state with a last log and a cause of being resolved only if it has them."""
    if state.last_log_file not in state.downloaded_logs:
        state.last_log_file = state.downloaded_logs[-1] if state.downloaded_logs else None
    if state.status == "resolved" and not state.root_causes:
        state.status = "investigating"
    return state
