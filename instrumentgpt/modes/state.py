"""What a mode keeps of a conversation beside its messages: one dataclass per mode, stored as JSON."""

from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlite_utils import Database

import db

S = TypeVar("S")


def read_state(database: Database, conversation_id: str, mode: str, kind: type[S]) -> S:
    """Return what `mode` keeps of the conversation, `kind()` if it has kept nothing yet."""
    return TypeAdapter(kind).validate_python(db.get_mode_state(database, conversation_id, mode))


def save_state(database: Database, conversation_id: str, mode: str, state: Any) -> None:
    """Store what `mode` keeps of the conversation from now on."""
    stored = TypeAdapter(type(state)).dump_python(state, mode="json")
    db.save_mode_state(database, conversation_id, mode, stored)
