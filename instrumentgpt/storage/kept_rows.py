"""Rows that lie beside a revision as JSON, and how they come back into their tables and indices."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.conclusions import index_conclusion
from instrumentgpt.storage.provenance import index_item
from instrumentgpt.storage.recall import index_message

Row = dict[str, Any]


def rows_as_dicts(database: Database, sql: str, told: Mapping[str, str]) -> list[Row]:
    """Return the rows that a query finds, column → value."""
    cursor = database.conn.execute(sql, told)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def keep(database: Database, revision_id: int, table: str, kept: Sequence[Row]) -> None:
    """Keep rows of `table` beside the revision."""
    database.conn.executemany(
        "INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (?, ?, ?)",
        [(revision_id, table, json.dumps(row, default=_as_text)) for row in kept],
    )


def _as_text(value: bytes) -> dict[str, str]:
    return {"base64": b64encode(value).decode()}


def with_bytes(value: Row) -> Row | bytes:
    """Return a JSON object as `keep` was given it: bytes, if it is how they are written."""
    return b64decode(value["base64"]) if value.keys() == {"base64"} else value


def insert(database: Database, table: str, row: Row) -> None:
    """Put a row back into its table, and into the index that it is found by."""
    columns = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" * len(row))
    database.conn.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", [*row.values()])
    if table == "messages":
        index_message(database, row["id"], row["conversation_id"], row["content"] or "")
    elif table == "state_items":
        index_item(database, row["id"], row["device"], row["text"])
    elif table == "conclusions":
        index_conclusion(database, row["id"], row["device"], row["fault"], row["goal"], row["text"])


def relink(database: Database, table: str, column: str, message: int, key: Mapping[str, str | int]) -> None:
    """Let a row name the message again; where it has come to name another one, the earlier counts."""
    where = " AND ".join(f"{name} = ?" for name in key)
    database.conn.execute(
        f"UPDATE {table} SET {column} = coalesce(min({column}, ?), ?) WHERE {where}",
        (message, message, *key.values()),
    )
