"""What was stated before a message: a correction may be of it, and a short name mean it."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows
from instrumentgpt.text.facts import Fact, Heard
from instrumentgpt.text.known import Key

NEWEST_HEARD = 600  # rows whose quantities later messages may speak of by name
LAST_MESSAGES = 2  # before a message: what a correction without a name is of


def heard_before(database: Database, conversation_id: str, message_id: int, question: str = "") -> Heard:
    """Return what was stated before a message of the conversation, of every device, the newest last.

    question  what the message answers
    """
    sql = (
        "SELECT device, channel, parameter, value, unit, message_id FROM facts WHERE conversation_id = ?"
        " AND kind = 'value' AND message_id < ? ORDER BY message_id DESC, id DESC LIMIT ?"
    )
    told: list[Any] = rows(database, sql, (conversation_id, message_id, NEWEST_HEARD))
    before = (
        "SELECT min(id) FROM (SELECT id FROM messages WHERE conversation_id = ? AND id < ?"
        " ORDER BY id DESC LIMIT ?)"
    )
    first = rows(database, before, (conversation_id, message_id, LAST_MESSAGES))[0][0] or 0
    newest: dict[Key, Any] = {}
    for row in told:
        newest.setdefault(row[:3], row)
    last = takewhile(lambda row: row[5] >= first, told)
    return Heard(_oldest_first(newest.values()), _oldest_first(last), question)


def _oldest_first(told: Iterable[Any]) -> tuple[Fact, ...]:
    return tuple(Fact(*row[:5]) for row in reversed([*told]))
