"""Where the numbers of an answer are from, a row an answer: the answer itself stays as it was said."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlite_utils import Database

from instrumentgpt.memory.gate import Mark
from instrumentgpt.storage.connection import insert


def store_marks(database: Database, message_id: int, marks: Sequence[Mark]) -> None:
    """Keep the marks of the stored answer `message_id`."""
    text = json.dumps([asdict(mark) for mark in marks], ensure_ascii=False)
    insert(database, "marks", message_id=message_id, marks=text)


def marks_of_answer(database: Database, message_id: int) -> tuple[Mark, ...] | None:
    """Return the marks of an answer, None if it was not looked through."""
    stored = list(database.query("SELECT marks FROM marks WHERE message_id = ?", [message_id]))
    return tuple(Mark(**row) for row in json.loads(stored[0]["marks"])) if stored else None
