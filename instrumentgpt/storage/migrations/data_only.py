"""The memory holds data alone: what was read of prose by patterns of earlier versions goes."""

from sqlite_utils import Database

from instrumentgpt.storage.migrations.deleted import table_made_anew

_RENAMED = (  # table, column, what it was called, what it is
    ("facts", "kind", "wish", "constraint"),
    ("revisions", "field", "wish", "constraint"),
    ("nicknames", "kind", "renamed", "named"),
)


def memory_is_data(database: Database) -> None:
    """Parts of messages, guessed nicknames, and values that only an answer's prose told are no more.

    Nor are those of deleted turns, which may come back.
    """
    for table in ("said", "unsaid", "likely_nicknames"):
        database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM deleted_rows WHERE of_table = ?", (table,))
    table_made_anew(database, "facts", "'wish'", "'constraint', 'lift', 'wish'")
    database.execute("DELETE FROM facts WHERE kind = 'value' AND source = 'agent'")
    database.execute(
        "DELETE FROM deleted_rows WHERE of_table = 'facts' AND json_extract(content, '$.kind') = 'value'"
        " AND json_extract(content, '$.source') = 'agent'"
    )
    for table, column, old, new in _RENAMED:
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))
        database.execute(
            f"UPDATE deleted_rows SET content = json_set(content, '$.{column}', ?)"
            f" WHERE of_table = ? AND json_extract(content, '$.{column}') = ?",
            (new, table, old),
        )
