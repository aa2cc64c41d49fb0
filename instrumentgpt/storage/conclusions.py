"""What experts concluded in earlier conversations: kept if the user wants it, found by device and fault."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.memory.terms import phrases, terms
from instrumentgpt.storage.connection import rows, transaction


@dataclass(frozen=True)
class Conclusion:
    """What one expert concluded about a sub-problem of an earlier conversation.

    device  its key (memory.device_key); "" where none was known
    fault   the fault class that it voted for; "" if none
    """

    expert: str
    device: str
    fault: str
    goal: str
    text: str
    conversation_id: str
    saved_at: float = 0.0
    id: int = 0


_COLUMNS = "expert, device, fault, goal, text, conversation_id, saved_at, id"


def save_conclusions(database: Database, conclusions: Sequence[Conclusion]) -> None:
    """Keep what was concluded, to be found by its words in both languages."""
    sql = (
        "INSERT INTO all_conclusions (expert, device, fault, goal, text, conversation_id, saved_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    with transaction(database):
        for one in conclusions:
            told = (one.expert, one.device, one.fault, one.goal, one.text, one.conversation_id)
            cursor = database.conn.execute(sql, (*told, one.saved_at or time.time()))
            words = " ".join(terms("\n".join((one.device, one.fault, one.goal, one.text))))
            index = "INSERT INTO conclusion_terms (rowid, terms) VALUES (?, ?)"
            database.conn.execute(index, (cursor.lastrowid, words))


def find_conclusions(
    database: Database,
    expert: str,
    device: str,
    faults: Sequence[str],
    question: str,
    but: str = "",
    limit: int = 3,
) -> list[Conclusion]:
    """Return what `expert` concluded about this device, or one of these fault classes; the best fit first.

    question  orders them by its words (FTS5, memory/terms.py)
    but       a conversation that is left out: the present one
    """
    scores = _scores(database, question)
    marks = ",".join("?" * len(faults))
    sql = (
        f"SELECT {_COLUMNS} FROM conclusions WHERE expert = ? AND conversation_id != ?"
        f" AND ((device = ? AND device != '') OR fault IN ({marks}))"
    )
    found = rows(database, sql, (expert, but, device, *faults))
    known = [Conclusion(*row) for row in found]
    return sorted(known, key=lambda one: (one.device != device, scores.get(one.id, 0.0), -one.id))[:limit]


def list_conclusions(database: Database) -> list[Conclusion]:
    """Return all that is kept, newest first."""
    found = rows(database, f"SELECT {_COLUMNS} FROM conclusions ORDER BY id DESC")
    return [Conclusion(*row) for row in found]


def forget_conclusions(database: Database, ids: Sequence[int] | None = None) -> int:
    """Remove the conclusions with these ids, or all; return how many."""
    with transaction(database):
        if ids is None:
            return int(database.conn.execute("DELETE FROM all_conclusions").rowcount)
        marks = ",".join("?" * len(ids))
        return int(
            database.conn.execute(f"DELETE FROM all_conclusions WHERE id IN ({marks})", list(ids)).rowcount
        )


def _scores(database: Database, question: str) -> dict[int, float]:
    """Return conclusion id → bm25 (lower is better) of those that hold a term of the question."""
    wanted = [" ".join(phrase).replace('"', '""') for phrase in phrases(question)][:40]
    if not wanted:
        return {}
    either = " OR ".join(f'"{words}"' for words in wanted)
    sql = "SELECT rowid, bm25(conclusion_terms) FROM conclusion_terms WHERE conclusion_terms MATCH ?"
    found = rows(database, sql, (either,))
    return dict(found)
