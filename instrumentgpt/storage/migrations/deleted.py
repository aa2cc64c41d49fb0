"""Tables of deleted turns, which can be brought back, and of files beside the database."""

import re

from sqlite_utils import Database

_NUMBERED = (
    "messages", "facts", "state_items", "prompts", "nicknames", "likely_nicknames",
    "panels", "panel_steps", "conclusions",
)  # fmt: skip
_KEY = re.compile(r"""\bid["`\]]?\s+INTEGER\s+PRIMARY\s+KEY\b(?!\s+AUTOINCREMENT)""", re.I)


def deleted_turns(database: Database) -> None:
    """What a deleted turn consisted of, beside the revision that deleted it; no id is given twice any more.

    Rows come back under their old ids: their order is that of what was said.
    """
    for table in _NUMBERED:
        _number_once(database, table)
    database.execute("""
        CREATE TABLE deleted_rows (
            revision_id INTEGER NOT NULL REFERENCES revisions(id) ON DELETE CASCADE,
            of_table TEXT NOT NULL,
            content TEXT NOT NULL
        )""")
    database.execute("CREATE INDEX deleted_rows_of ON deleted_rows (revision_id)")


def uploads_as_files(database: Database) -> None:
    """The digest of an artifact's content where that is a file beside the database; "" where it is here."""
    database.execute("ALTER TABLE artifacts ADD COLUMN file TEXT NOT NULL DEFAULT ''")


def _number_once(database: Database, table: str) -> None:
    """Make the table anew, with the same rows, so that it never gives an id again."""
    sql = database[table].schema
    numbered = _KEY.sub(r"\g<0> AUTOINCREMENT", sql)
    if numbered != sql:
        table_made_anew(database, table, sql, numbered)


def table_made_anew(database: Database, table: str, old: str, new: str) -> None:
    """Make the table anew with `new` for `old` in what made it, the same rows, indices and triggers."""
    found = database.execute(
        "SELECT type, sql FROM sqlite_master WHERE tbl_name = ? AND sql > '' ORDER BY type = 'table' DESC",
        (table,),
    ).fetchall()
    made = found[0][1].replace(old, new)
    database.execute(f"CREATE TABLE new_{table} {made[made.index('(') :]}")
    database.execute(f"INSERT INTO new_{table} SELECT * FROM {table}")
    database.execute(f"DROP TABLE {table}")
    database.execute(f"ALTER TABLE new_{table} RENAME TO {table}")
    for _, sql in found[1:]:  # its indices and triggers went with it
        database.execute(sql)
