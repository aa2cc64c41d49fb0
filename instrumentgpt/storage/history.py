"""A conversation's messages in their order, without reading what nobody asks for."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, overload

from sqlite_utils import Database

from instrumentgpt.memory.summary import StoredMessage
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.runs import COMMAND

LAST_ID = 2**63 - 1

Places = tuple[Sequence[int], Sequence[int]]  # ids of all messages, and of the questions, in order


class History(Sequence[StoredMessage]):
    """The messages of a conversation, oldest first, each read when it is looked at; `ids` are theirs."""

    def __init__(self, database: Database, ids: Sequence[int]) -> None:
        self.ids = ids
        self._database = database

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> StoredMessage: ...

    @overload
    def __getitem__(self, place: slice) -> "History": ...

    def __getitem__(self, place: int | slice) -> "StoredMessage | History":
        if isinstance(place, slice):
            return History(self._database, self.ids[place])
        sql = "SELECT role, content FROM messages WHERE id = ?"
        for role, content in rows(self._database, sql, (self.ids[place],)):
            return {"id": self.ids[place], "role": role, "content": content}
        return {"id": self.ids[place], "role": "assistant", "content": ""}  # deleted meanwhile


def history(
    database: Database, conversation_id: str, before: int = LAST_ID, placed: Places | None = None
) -> History:
    """Return the messages with an id below `before`, without commands; `placed` where it has been read."""
    return History(database, below(before, placed or spoken(database, conversation_id))[0])


def below(before: int, placed: Places) -> Places:
    """Return the places of the messages with an id below `before`."""
    ids, question_ids = placed
    return ids[: bisect_left(ids, before)], question_ids[: bisect_left(question_ids, before)]


def spoken(database: Database, conversation_id: str) -> Places:
    """Return `places` without commands (`$…`) and what they print: they count as turns, and are not told."""
    ids, question_ids = places(database, conversation_id)
    sql = "SELECT id, question_message_id FROM runs WHERE conversation_id = ? AND agent = ?"
    runs: list[Any] = rows(database, sql, (conversation_id, COMMAND))
    if not runs:
        return ids, question_ids
    marks = ",".join("?" * len(runs))
    sql = f"SELECT id FROM messages WHERE conversation_id = ? AND run_id IN ({marks})"
    printed: list[Any] = rows(database, sql, (conversation_id, *(run for run, _ in runs)))
    commands = {question for _, question in runs} | {message for (message,) in printed}
    return [message for message in ids if message not in commands], question_ids


def places(database: Database, conversation_id: str, before: int = LAST_ID) -> Places:
    """Return the ids of the messages below `before`, and of the questions among them, in order.

    It reads all ids: whoever needs them several times for one prompt hands them on.
    """
    sql = (
        "SELECT group_concat(id), group_concat(CASE role WHEN 'user' THEN id END)"
        " FROM messages WHERE conversation_id = ? AND id < ?"
    )
    stored = rows(database, sql, (conversation_id, before))
    ids, question_ids = (sorted(json.loads(f"[{listed or ''}]")) for listed in stored[0])
    return ids, question_ids


def last_question(database: Database, conversation_id: str, before: int = LAST_ID) -> str:
    """Return the newest question with an id below `before`, "" if there is none."""
    sql = (
        "SELECT content FROM messages WHERE conversation_id = ? AND role = 'user' AND id < ?"
        " ORDER BY id DESC LIMIT 1"
    )
    return "".join(str(content) for (content,) in rows(database, sql, (conversation_id, before)))


def turn_of(message_id: int, question_ids: Sequence[int]) -> int:
    """Return the turn (from 1) of a message, where `question_ids` are those of the questions.

    >>> turn_of(4, [1, 3, 5])
    2
    """
    return max(1, bisect_right(question_ids, message_id))
