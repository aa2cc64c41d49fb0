"""Cases: a fault of a device from when somebody opened it to its outcome, with evidence and every change."""

import time
import zlib
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.terms import search_terms, terms
from instrumentgpt.storage.connection import Value, change, insert, rows, select, transaction
from instrumentgpt.storage.search import all_of

STATES = ("open", "closed", "reopened")
TEXTS = ("symptom", "cause", "ruled_out", "action", "outcome", "notes")  # which people edit, Markdown
LISTED = 200  # cases at once
SCAN = "scan"  # who reopens what came back


class UnknownCase(InstrumentGPTError, LookupError):
    """No case has this number."""


@dataclass(frozen=True)
class Case:
    """One fault of one device; times in s since 1970.

    fault, channel   class of faults.toml ("" if none is known) and channel, by which a scan knows it again
    outcome          what settled it, as confirmed by a person; "" before
    conversation_id  in which it was opened; None once that is deleted for good
    log, line        which showed it last
    settled_at       when it was settled; None before
    seen_until       the end, by its own clock, of the newest log that was known then; None without a date
    """

    id: int
    device: str
    model: str
    fault: str
    channel: int | None
    state: str
    symptom: str
    cause: str
    ruled_out: str
    action: str
    outcome: str
    notes: str
    conversation_id: str | None
    log: str
    line: int | None
    opened_at: float
    changed_at: float
    settled_at: float | None = None
    seen_until: float | None = None


@dataclass(frozen=True)
class Evidence:
    """What is pinned to a case: a line of a log as it stands there, or a chart, which is kept with the case.

    kind     "line" or "chart"
    text     the line, or what the chart shows in words
    content  of a chart, Plotly JSON; only `chart_of` loads it
    """

    id: int
    case_id: int
    kind: str
    text: str
    device: str
    log: str
    line: int | None
    pinned_by: str
    pinned_at: float


@dataclass(frozen=True)
class Change:
    """One change of a case: `field` is one of Case, "evidence", or "case" where it was opened.

    log, line  which made a scan reopen it
    """

    id: int
    case_id: int
    field: str
    old: str
    new: str
    changed_by: str
    changed_at: float
    log: str = ""
    line: int | None = None


def open_case(database: Database, who: str, **values: Any) -> int:
    """Open a case with `values` of fields of Case, and return its number."""
    now = time.time()
    row: dict[str, Any] = dict.fromkeys(("device", "model", "fault", "log", *TEXTS), "")
    row |= {"state": "open", "opened_at": now, "changed_at": now, **values}
    with transaction(database):
        case_id = insert(database, "cases", **row)
        _note(database, case_id, "case", "", str(row["symptom"]), who)
        _index(database, case_id)
    return case_id


def get_case(database: Database, case_id: int) -> Case:
    """Return the case; raise UnknownCase if there is none."""
    for case in select(database, Case, "cases WHERE id = ?", (case_id,)):
        return case
    raise UnknownCase(f"There is no case {case_id}. The Cases page lists those that there are")


def list_cases(database: Database, words: str = "", state: str = "", **field_values: Value) -> list[Case]:
    """Return the cases that hold `words`, are in `state`, and whose fields are as given.

    Changed last comes first.

    state   one of STATES; "unsettled": open or reopened; "": all
    field_values  of device, model, fault, conversation_id, … of Case; "" or None: any
    """
    states = ("open", "reopened") if state == "unsettled" else (state,) if state else STATES
    given = {name: value for name, value in field_values.items() if value not in ("", None)}
    where = [f"state IN ({', '.join('?' * len(states))})", *(f"{name} = ?" for name in given)]
    values: list[Value] = [*states, *given.values()]
    if things := search_terms(words):
        where.append("id IN (SELECT rowid FROM case_terms WHERE case_terms MATCH ?)")
        values.append(f"terms : ({all_of(things)})")
    elif words.strip():
        return []
    source = f"cases WHERE {' AND '.join(where)} ORDER BY changed_at DESC, id DESC LIMIT {LISTED}"
    return select(database, Case, source, values)


def change_case(database: Database, case_id: int, who: str, **new: Value) -> None:
    """Change fields of a case; what they were, who changed them and when is kept. Raises UnknownCase."""
    with transaction(database):
        before = vars(get_case(database, case_id))
        changed = {name: value for name, value in new.items() if before[name] != value}
        if not changed:
            return
        place: Any = {name: new[name] for name in ("log", "line") if name in new}
        for name, value in changed.items():
            if name not in ("log", "line", "seen_until"):  # these go with a change of the state
                _note(database, case_id, name, before[name], value, who, **place)
        named = ", ".join(f"{name} = ?" for name in [*changed, "changed_at"])
        values = (*changed.values(), time.time(), case_id)
        change(database, f"UPDATE cases SET {named} WHERE id = ?", values)
        _index(database, case_id)


def pin(
    database: Database,
    case_id: int,
    who: str,
    text: str,
    device: str = "",
    log: str = "",
    line: int | None = None,
    chart: bytes | None = None,
) -> None:
    """Pin a line of a log, or a copy of a `chart` (Plotly JSON), to the case, once; `text` as in Evidence."""
    kind = "line" if chart is None else "chart"
    content = None if chart is None else zlib.compress(chart)
    with transaction(database):
        get_case(database, case_id)
        there = "case_evidence WHERE case_id = ? AND kind = ? AND text = ? AND log = ? AND line IS ?"
        if rows(database, f"SELECT 1 FROM {there}", (case_id, kind, text, log, line)):
            return
        insert(
            database, "case_evidence", case_id=case_id, kind=kind, text=text, device=device, log=log,
            line=line, content=content, pinned_by=who, pinned_at=time.time(),
        )  # fmt: skip
        _note(database, case_id, "evidence", "", text, who, log=log, line=line)
        _index(database, case_id)


def unpin(database: Database, evidence_id: int, who: str) -> None:
    """Take evidence off its case; that it was there stays in the history."""
    with transaction(database):
        for pin in select(database, Evidence, "case_evidence WHERE id = ?", (evidence_id,)):
            change(database, "DELETE FROM case_evidence WHERE id = ?", (evidence_id,))
            _note(database, pin.case_id, "evidence", pin.text, "", who, log=pin.log, line=pin.line)
            _index(database, pin.case_id)


def evidence_of(database: Database, case_id: int) -> list[Evidence]:
    """Return what is pinned to the case, in the order in which it was."""
    return select(database, Evidence, "case_evidence WHERE case_id = ? ORDER BY id", (case_id,))


def chart_of(database: Database, evidence_id: int) -> bytes:
    """Return a pinned chart as Plotly JSON."""
    [(content,)] = rows(database, "SELECT content FROM case_evidence WHERE id = ?", (evidence_id,))
    return zlib.decompress(content)


def changes_of(database: Database, case_id: int) -> list[Change]:
    """Return every change of the case, oldest first."""
    return select(database, Change, "case_changes WHERE case_id = ? ORDER BY id", (case_id,))


@dataclass(frozen=True)
class InShort:
    """The cases of a device: how many are not settled, and of its newest the cause and what was done."""

    open: int
    cause: str
    done: str


def cases_in_short(database: Database) -> dict[str, InShort]:
    """Return device → its cases in short, for those that have any."""
    sql = (
        "SELECT device, sum(state != 'closed'), cause, coalesce(nullif(outcome, ''), action), max(id)"
        " FROM cases GROUP BY device"  # of the row with the greatest number: so SQLite takes bare columns
    )
    return {device: InShort(*values) for device, *values, _ in rows(database, sql)}


def _note(
    database: Database, case_id: int, field: str, old: Value, new: Value, who: str, **place: Any
) -> None:
    """Keep one change with its place, a log and a line."""
    values: dict[str, Any] = {"old": "" if old is None else str(old), "new": "" if new is None else str(new)}
    values |= {"field": field, "changed_by": who, "log": "", **place}
    insert(database, "case_changes", case_id=case_id, changed_at=time.time(), **values)


def _index(database: Database, case_id: int) -> None:
    """Make the case one that its words find, those of its evidence too."""
    case = get_case(database, case_id)
    words = [case.device, case.model, case.fault, *(str(getattr(case, name)) for name in TEXTS)]
    words += [evidence.text for evidence in evidence_of(database, case_id)]
    change(database, "DELETE FROM case_terms WHERE rowid = ?", (case_id,))
    insert(database, "case_terms", rowid=case_id, terms=" ".join(terms("\n".join(words))))
