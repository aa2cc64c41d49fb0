"""The memory holds data alone: what was read of prose by patterns of earlier versions goes."""

from sqlite_utils import Database

from instrumentgpt.storage.migrations.deleted import table_made_anew


def memory_is_data(database: Database) -> None:
    """Parts of messages, guessed nicknames, and values that only an answer's prose told are no more."""
    for table in ("said", "unsaid", "likely_nicknames"):
        database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM deleted_rows WHERE of_table = ?", (table,))
    table_made_anew(database, "facts", "'wish'", "'constraint', 'lift', 'wish'")
    database.execute("DELETE FROM facts WHERE kind = 'value' AND source = 'agent'")
    database.execute("UPDATE facts SET kind = 'constraint' WHERE kind = 'wish'")
    database.execute("UPDATE revisions SET field = 'constraint' WHERE field = 'wish'")
