"""A tool that searches what was said before in the conversation."""

import sqlite3
from contextlib import closing
from datetime import datetime
from itertools import accumulate
from typing import Any
from urllib.parse import quote

from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.text.search import search

MOST_HITS = 8


class NothingToRecall(InstrumentGPTError, LookupError):
    """No conversation to search, or no words to search it for."""


def recall(workspace: Workspace, query: str) -> dict[str, Any]:
    """Return the messages of this conversation that hold words of `query`, best first, each with its turn."""
    if not query.strip():
        raise NothingToRecall("There is nothing to look for. Give query=…: words, names or numbers")
    messages = _messages(workspace)
    turns = list(accumulate(int(message.role == "user") for message in messages))
    hits = search([message.content for message in messages], query)
    return {
        "summary": f"{len(hits)} of {len(messages)} earlier messages hold words of {query!r}",
        "messages": [
            {
                "turn": turns[hit.place],
                "said_by": messages[hit.place].role,
                "at": datetime.fromtimestamp(messages[hit.place].created_at).strftime("%Y-%m-%d %H:%M"),
                "text": hit.excerpt,
            }
            for hit in hits[:MOST_HITS]
        ],
        "left_out": max(0, len(hits) - MOST_HITS),
    }


def _messages(workspace: Workspace) -> list[db.Message]:
    """Return the raw messages before the question that is being answered, oldest first."""
    if workspace.database is None or not workspace.conversation:
        raise NothingToRecall(
            "These tools were started outside of a conversation: there is nothing to recall"
        )
    file = f"file:{quote(str(workspace.database.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(file, uri=True)) as connection:
            messages = db.list_messages(Database(connection), workspace.conversation)
    except sqlite3.OperationalError as error:
        raise NothingToRecall(
            f"The conversation cannot be read: {error}. Go on with what the prompt says of it"
        ) from error
    return messages[:-1] if messages and messages[-1].role == "user" else messages
