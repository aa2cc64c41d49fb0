"""A conversation's messages in their order, without reading what nobody asks for."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows

LAST_ID = 2**63 - 1


class StoredMessage(dict[str, Any]):
    """A message as memory wants it: "id" and "role"; its "content" is read when it is first asked for."""

    def __missing__(self, key: str) -> str:
        if key != "content":
            raise KeyError(key)
        sql = "SELECT content FROM messages WHERE id = ?"
        found: list[Any] = rows(self["database"], sql, (self["id"],))
        self["content"] = str(found[0][0]) if found else ""
        return str(self["content"])


def history(database: Database, conversation_id: str, before: int = LAST_ID) -> list[StoredMessage]:
    """Return the conversation's messages with an id below `before`, oldest first."""
    ids, asked = places(database, conversation_id, before)
    questions = set(asked)
    return [
        StoredMessage(id=name, role="user" if name in questions else "assistant", database=database)
        for name in ids
    ]


def places(database: Database, conversation_id: str, before: int = LAST_ID) -> tuple[list[int], list[int]]:
    """Return the ids of the messages below `before`, and of the questions among them, in order."""
    sql = (
        "SELECT group_concat(id), group_concat(CASE role WHEN 'user' THEN id END)"
        " FROM messages WHERE conversation_id = ? AND id < ?"
    )
    found: list[Any] = rows(database, sql, (conversation_id, before))
    ids, asked = (sorted(map(int, str(listed).split(","))) if listed else [] for listed in found[0])
    return ids, asked


def turn_of(message_id: int, asked: Sequence[int]) -> int:
    """Return the turn (from 1) of a message, where `asked` are the ids of the questions.

    >>> turn_of(4, [1, 3, 5])
    2
    """
    return max(1, bisect_right(asked, message_id))
