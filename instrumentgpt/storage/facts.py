"""What messages state and what the state of a device says, each with where it is from.

A value supersedes the older ones of its key, and deletes none. Facts go with their message, so the state is
always what the messages at hand say.
"""

import json
import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.memory.facts import Fact
from instrumentgpt.memory.state import ITEM_FIELDS, DiagnosticState, device_key
from instrumentgpt.memory.terms import terms
from instrumentgpt.memory.values import Key, StoredFact
from instrumentgpt.storage.connection import insert, rows, select, transaction
from instrumentgpt.storage.history import Places, places, turn_of

NEWEST_VALUES = 5  # of one quantity: the one in force and those before it
NEWEST_SENTENCES = 100  # of one kind and device
NEWEST_QUANTITIES = 100  # of a device, beside those that a question asks for

_KEYS = (  # of a JSON list of them
    "keys AS (SELECT json_extract(value, '$[0]') AS d, json_extract(value, '$[1]') AS c,"
    " json_extract(value, '$[2]') AS p FROM json_each(?))"
)
_COLUMNS = "since, kind, device, channel, parameter, value, unit, said, source, log, line, clock, age"
_OF_KEY = "conversation_id = ? AND kind = 'value' AND device = d AND channel = c AND parameter = p"
# Of one moment the tool's word counts most; what a person says counts more than an answer's prose.
_BY_AGE = "age, source = 'tool', source = 'user', dated, id"
_BY_AGE_BACKWARDS = "age DESC, source = 'tool' DESC, source = 'user' DESC, dated DESC, id DESC"
_DATE = re.compile(r"[12]\d{3}-\d\d-\d\d")


def store_facts(
    database: Database,
    conversation_id: str,
    message_id: int,
    source: str,
    facts: Iterable[Fact],
    sentences: Iterable[Sequence[str]] = (),
    readings: Iterable[StoredFact] = (),
    doubts: Iterable[Fact] = (),
) -> None:
    """Keep what the message states, in place of what was kept of it before.

    sentences  (kind, text, device): constraints and what lifts them, what is ruled out; of one that may lift
               or replace a constraint, the words of that too
    readings   what tools reported meanwhile and agents put on record
    doubts     what it says of values, whether or not that was understood
    """
    readings = list(readings)
    row: dict[str, Any] = {"conversation_id": conversation_id, "message_id": message_id, "since": message_id}
    row["age"] = message_id  # of readings it is put in order below, and `since` too
    with transaction(database):
        sql = "DELETE FROM all_facts WHERE message_id = ? RETURNING device, channel, parameter, log"
        gone = database.conn.execute(sql, (message_id,)).fetchall()
        for kind, stated in (("value", facts), ("doubt", doubts)):
            for fact in stated:
                insert(database, "all_facts", **row, kind=kind, source=source, **vars(fact))
        for kind, text, device, *about in sentences:
            of = {"kind": kind, "source": source, "device": device, "said": text, "value": "".join(about)}
            insert(database, "all_facts", **row, **of)
        for reading in readings:
            insert(
                database, "all_facts", **row, kind="value", source=reading.source, log=reading.log,
                line=reading.line, clock=reading.clock, dated=_dated(reading.clock), **vars(reading.fact),
            )  # fmt: skip
        read = {reading.fact.key for reading in readings if reading.log}
        order_readings(database, conversation_id, read | {reading[:3] for reading in gone if reading[3]})


def _dated(clock: str) -> str:
    """Return the time of a log's reading as it orders logs; "" where it has no date, or one ahead of ours."""
    ahead = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    return clock.replace("T", " ") if _DATE.match(clock) and clock[:10] <= ahead else ""


def order_readings(database: Database, conversation_id: str, keys: Collection[Key] | None = None) -> None:
    """Store how old readings are: what an older log says, or the same log again, is no newer than it was.

    since  the first message whose tools read this value in this log, at this time of it or later
    age    that, or the first message that has a reading of a later date
    keys   of which quantities; None: of all
    """
    every = (
        "keys (d, c, p) AS (SELECT DISTINCT device, channel, parameter FROM facts"
        " WHERE conversation_id = ? AND kind = 'value')"
    )
    those, of = (every, conversation_id) if keys is None else (_KEYS, json.dumps(list(keys)))
    database.conn.execute(
        f"WITH {those}, ordered AS (SELECT id, dated AS is_dated,"
        " CASE source WHEN 'tool' THEN min(message_id) OVER (PARTITION BY device, channel, parameter, value,"
        " source, log ORDER BY clock DESC RANGE UNBOUNDED PRECEDING) ELSE message_id END AS first,"
        " min(message_id) OVER (PARTITION BY device, channel, parameter ORDER BY dated DESC"
        " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP) AS later"
        f" FROM keys CROSS JOIN facts WHERE {_OF_KEY})"
        " UPDATE all_facts SET since = first, age = CASE is_dated WHEN '' THEN first"
        " ELSE min(first, ifnull(later, first)) END FROM ordered WHERE ordered.id = all_facts.id",
        (of, conversation_id),
    )


def every_value(database: Database, conversation_id: str, keys: Sequence[Key]) -> list[StoredFact]:
    """Return every value that was ever stated of each key, by each source the first and the last time."""
    sql = (
        f"WITH {_KEYS}, said AS"
        f" (SELECT min(id) AS first, max(id) AS last FROM keys CROSS JOIN facts WHERE {_OF_KEY}"
        " GROUP BY device, channel, parameter, value, source)"
        f" SELECT {_COLUMNS} FROM facts WHERE id IN (SELECT first FROM said UNION SELECT last FROM said)"
        f" ORDER BY {_BY_AGE}"
    )
    stored = rows(database, sql, (json.dumps(keys), conversation_id))
    return _stored_facts(database, conversation_id, stored)


def list_facts(
    database: Database,
    conversation_id: str,
    devices: Sequence[str] | None = None,
    keywords: Iterable[str] = (),
    placed: Places | None = None,
) -> list[StoredFact]:
    """Return what messages state, oldest first: of each quantity the newest; constraints on any device.

    devices  whose ("": of none in particular); None: of all
    keywords  terms: quantities that have one in their name are among them, however old
    placed   the conversation's `places`, where they have been read

    Of the other quantities of named devices those stated last, so that a long conversation costs no more than
    a short one.
    """
    terms = [term for term in keywords if len(term) > 1 or not term.isascii()]
    if devices is None:
        sql = "SELECT DISTINCT device FROM facts WHERE conversation_id = ?"
        devices, terms = [row[0] for row in rows(database, sql, (conversation_id,))], [""]
    keys = {key for device in devices for key in _keys(database, conversation_id, device, terms)}
    values = _values(database, conversation_id, sorted(keys))
    stored = [
        *values,
        *_doubts(database, conversation_id, {row[4] for row in values if row[8] == "user"}),
        *_sentences(database, conversation_id, devices),
    ]
    return _stored_facts(database, conversation_id, sorted(stored, key=lambda row: row[-1]), placed)


def _values(database: Database, conversation_id: str, keys: Sequence[Key]) -> list[Any]:
    """Return the newest values of each key."""
    sql = (
        f"WITH {_KEYS} SELECT {_COLUMNS} FROM keys CROSS JOIN facts WHERE facts.id IN"
        f" (SELECT id FROM facts WHERE {_OF_KEY} ORDER BY {_BY_AGE_BACKWARDS} LIMIT ?) ORDER BY {_BY_AGE}"
    )
    return rows(database, sql, (json.dumps(keys), conversation_id, NEWEST_VALUES))


def _doubts(database: Database, conversation_id: str, parameters: Collection[str]) -> list[Any]:
    """Return what was said of quantities besides, the newest of each number of each key."""
    mine = (
        "conversation_id = ? AND kind = 'doubt' AND parameter IN (SELECT value FROM json_each(?))"
        " GROUP BY device, channel, parameter, value"
    )
    sql = f"SELECT {_COLUMNS} FROM facts WHERE id IN (SELECT max(id) FROM facts WHERE {mine})"
    return rows(database, sql, (conversation_id, json.dumps(list(parameters))))


def _sentences(database: Database, conversation_id: str, devices: Sequence[str]) -> list[Any]:
    """Return the newest sentences of each kind, oldest first; what is ruled out of each of the `devices`."""
    sql = (
        f"SELECT {_COLUMNS} FROM (SELECT *, row_number() OVER (PARTITION BY kind, iif(kind = 'ruled_out',"
        " device, '') ORDER BY since DESC, id DESC) AS place FROM facts WHERE conversation_id = ? AND"
        " (kind IN ('constraint', 'lift', 'unclear') OR (kind = 'ruled_out' AND device IN"
        " (SELECT value FROM json_each(?))))) WHERE place <= ? ORDER BY since, id"
    )
    return rows(database, sql, (conversation_id, json.dumps(list(devices)), NEWEST_SENTENCES))


def _keys(
    database: Database, conversation_id: str, device: str, terms: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Return the keys of the device's quantities: those that have one of the terms, and the newest."""
    sql = (
        "SELECT channel, parameter FROM facts WHERE conversation_id = ? AND kind = 'value' AND device = ?"
        " GROUP BY channel, parameter ORDER BY max(age) DESC"
    )
    quantities = rows(database, sql, (conversation_id, device))
    return [
        (device, channel, parameter)
        for at, (channel, parameter) in enumerate(quantities)
        if at < NEWEST_QUANTITIES or any(term in parameter for term in terms)
    ]


def ruled_out_before(database: Database, conversation_id: str, message_id: int) -> list[str]:
    """Return what messages of the conversation below `message_id` rule out, the newest, in their words."""
    sql = (
        "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND said > ''"
        " AND message_id < ? ORDER BY id DESC LIMIT ?"
    )
    return [row[0] for row in rows(database, sql, (conversation_id, message_id, NEWEST_SENTENCES))]


def _stored_facts(
    database: Database, conversation_id: str, stored: Sequence[Any], placed: Places | None = None
) -> list[StoredFact]:
    question_ids = (placed or places(database, conversation_id))[1] if stored else ()
    return [
        StoredFact(
            row[1], Fact(*row[2:7]), row[8], turn_of(row[0], question_ids), row[7], row[0],
            log=row[9], line=row[10], clock=row[11],
        )
        for row in stored
    ]  # fmt: skip


NEWEST_ITEMS = 120  # causes, hypotheses and findings of a device

Source = Literal["tool", "user", "agent"]


@dataclass(frozen=True)
class StateItem:
    """One line of the state, or what `memory.state.made_of` needs beside: `source` is who said it."""

    device: str  # its name or address; "" before any device is known
    field: str
    text: str
    source: Source
    message_id: int | None = None
    log: str = ""
    line: int | None = None  # 1-based, in the log
    created_at: float = 0.0  # s since 1970; 0: now


def add_state_items(database: Database, conversation_id: str, items: Iterable[StateItem]) -> None:
    """Store what states are made of, each line with where it came from."""
    told_at = "SELECT created_at FROM all_messages WHERE id = ?"
    with transaction(database):
        for item in items:
            [(at,)] = rows(database, told_at, (item.message_id,)) or [(time.time(),)]
            kept = replace(item, created_at=item.created_at or float(at))
            row_id = insert(database, "all_state_items", conversation_id=conversation_id, **vars(kept))
            if item.field in ITEM_FIELDS:  # the search finds it
                words = " ".join(terms(f"{item.device}\n{item.text}"))
                insert(database, "item_terms", rowid=row_id, terms=words)


def list_state_items(database: Database, conversation_id: str) -> list[StateItem]:
    """Return the stored origins of what stands in states, oldest first."""
    source = f"state_items WHERE conversation_id = ? AND field IN {ITEM_FIELDS} ORDER BY id"
    return select(database, StateItem, source, (conversation_id,))


def origins_of(
    database: Database, conversation_id: str, state: DiagnosticState, placed: Places
) -> dict[tuple[str, str], str]:
    """Return (field, text) of the state's causes, hypotheses and findings → where they are from.

    Of an item said more than once, the first time; only the NEWEST_ITEMS newest are looked at.
    """
    sql = (
        "SELECT field, text, message_id, log, line FROM state_items WHERE conversation_id = ? AND device = ?"
        " AND field IN ('hypotheses', 'root_causes', 'findings') ORDER BY id DESC LIMIT ?"
    )
    stored = rows(database, sql, (conversation_id, device_key(state), NEWEST_ITEMS))
    texts = {*state.findings, *state.hypotheses, *state.root_causes}
    first: dict[tuple[str, str], Any] = {row[:2]: row[2:] for row in stored if row[1] in texts}
    origins: dict[tuple[str, str], str] = {}
    for item, (message_id, log, line) in first.items():
        turn = f"turn {turn_of(message_id, placed[1])}" if message_id else ""
        origins[item] = ", ".join(filter(None, (turn, f"{log} line {line}" if log and line else log)))
    return origins


def device_states(database: Database, conversation_id: str) -> dict[str, str]:
    """Return device → state (JSON) of the devices that this conversation has left."""
    sql = "SELECT device, state FROM device_states WHERE conversation_id = ?"
    return dict(rows(database, sql, (conversation_id,)))


def file_device_state(database: Database, conversation_id: str, device: str, state: str) -> None:
    """Keep the state (JSON) of a device that the conversation leaves, to be restored when it comes back."""
    insert(
        database, "device_states", "INSERT OR REPLACE", conversation_id=conversation_id, device=device,
        state=state,
    )  # fmt: skip
