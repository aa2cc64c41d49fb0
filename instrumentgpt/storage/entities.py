"""What a conversation knows by a ref: `log_1`, `loop_2`, `gen_report_1`. One record per thing.

A ref is given once and never again, also when the turn that brought the thing is deleted.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import change, insert, rows, select, transaction

Type = Literal["device", "log", "loop", "finding", "chart", "report", "note"]
Flag = Literal["", "read:summary", "read:full", "read", "unsaved", "created"]

_STRONGER = {"": 0, "read": 1, "read:summary": 1, "unsaved": 1, "read:full": 2, "created": 2}


@dataclass(frozen=True)
class Entity:
    """One thing of a conversation.

    flag      set by code: "read:summary" metrics known, "read:full" rows loaded, "read", and of what was
              generated "unsaved" and "created"
    first     id of the question in whose turn it came up
    last      id of the latest question in whose turn it was touched
    retained  why it is kept in the prompt beyond the recent turns; "" if it is not
    link      what it really is (an artifact's id, a log's name and device …): never for a prompt
    """

    ref: str
    type: Type
    label: str
    flag: Flag
    first: int
    last: int
    retained: str
    link: dict[str, Any]

    @property
    def generated(self) -> bool:
        """Whether it was made here, and is the user's to save."""
        return self.ref.startswith("gen_")


@dataclass(frozen=True)
class Sighting:
    """A thing that came up in a turn; one with the same type and link is known already."""

    type: Type
    label: str
    link: Mapping[str, Any]
    flag: Flag = ""
    generated: bool = False


def list_entities(database: Database, conversation_id: str) -> list[Entity]:
    """Return what the conversation knows, in the order it came up; not what only a deleted turn brought."""
    source = (
        "entities WHERE conversation_id = ?"
        " AND EXISTS (SELECT 1 FROM messages WHERE id IN (first_message, last_message))"
        " ORDER BY entities.rowid"
    )
    first = "iif(first_message IN deleted_messages, last_message, first_message)"
    entities = select(database, Entity, source, (conversation_id,), first=first, last="last_message")
    return [replace(entity, link=json.loads(str(entity.link))) for entity in entities]


def note_entities(
    database: Database, conversation_id: str, question: int, seen: Iterable[Sighting]
) -> list[Entity]:
    """Record that the turn of `question` touched what was `seen`; return it, new things with a new ref.

    A known thing keeps its ref; its label becomes the newest, its flag the stronger of both.
    """
    noted: list[str] = []
    with transaction(database):
        for sighting in seen:
            link = json.dumps(dict(sighting.link), ensure_ascii=False, sort_keys=True)
            noted.append(
                _update_known(database, conversation_id, question, sighting, link)
                or _added(database, conversation_id, question, sighting, link)
            )
        entities = {entity.ref: entity for entity in list_entities(database, conversation_id)}
    return [entities[ref] for ref in dict.fromkeys(noted) if ref in entities]


def touch_entities(database: Database, conversation_id: str, question: int, refs: Iterable[str]) -> None:
    """Record that the turn of `question` named `refs`; unknown ones are ignored."""
    sql = "UPDATE entities SET last_message = max(last_message, ?) WHERE conversation_id = ? AND ref = ?"
    with transaction(database):
        database.conn.executemany(sql, [(question, conversation_id, ref) for ref in refs])


def retain_entities(database: Database, conversation_id: str, reasons: Mapping[str, str]) -> None:
    """Keep exactly the refs in `reasons` beyond the recent turns, each for its reason."""
    with transaction(database):
        change(database, "UPDATE entities SET retained = '' WHERE conversation_id = ?", (conversation_id,))
        sql = "UPDATE entities SET retained = ? WHERE conversation_id = ? AND ref = ?"
        database.conn.executemany(sql, [(reason, conversation_id, ref) for ref, reason in reasons.items()])


def mark_created(database: Database, conversation_id: str, ref: str) -> None:
    """Record that what was generated as `ref` is saved now: its ref stays."""
    sql = "UPDATE entities SET flag = 'created' WHERE conversation_id = ? AND ref = ?"
    change(database, sql, (conversation_id, ref))


def _update_known(database: Database, conversation_id: str, question: int, seen: Sighting, link: str) -> str:
    """Bring a known thing up to date and return its ref; "" if it is new."""
    sql = "SELECT ref, flag FROM entities WHERE conversation_id = ? AND type = ? AND link = ?"
    for ref, flag in rows(database, sql, (conversation_id, seen.type, link)):
        stronger = max(flag, seen.flag, key=lambda flag: _STRONGER[flag])
        sql = (
            "UPDATE entities SET label = ?, flag = ?, last_message = max("
            "iif(last_message IN (SELECT id FROM all_messages WHERE deleted_at > 0), 0, last_message), ?)"
            " WHERE conversation_id = ? AND ref = ?"
        )
        change(database, sql, (seen.label, stronger, question, conversation_id, ref))
        return str(ref)
    return ""


def _added(database: Database, conversation_id: str, question: int, seen: Sighting, link: str) -> str:
    kind = f"gen_{seen.type}" if seen.generated else seen.type
    sql = "SELECT ifnull(max(number), 0) + 1 FROM entities WHERE conversation_id = ? AND kind = ?"
    [(number,)] = rows(database, sql, (conversation_id, kind))
    ref = f"{kind}_{number}"
    insert(
        database, "entities", conversation_id=conversation_id, ref=ref, kind=kind, number=number,
        type=seen.type, label=seen.label, flag=seen.flag, first_message=question, last_message=question,
        link=link,
    )  # fmt: skip
    return ref
