"""Tables of conversations, messages, runs and what came of them.

The first step also takes over an old application's tables (conversations, messages), whatever their columns.
"""

from sqlite_utils import Database

_CONVERSATIONS = {
    "title": "TEXT NOT NULL DEFAULT ''",
    "created_at": "REAL",  # s since 1970
    "updated_at": "REAL",
    "summary": "TEXT DEFAULT ''",
    "diagnostic_state": "TEXT DEFAULT ''",
}
_MESSAGES = {
    "conversation_id": "TEXT",
    "role": "TEXT",
    "content": "TEXT",
    "created_at": "REAL",
    "run_id": "TEXT",
    "status": "TEXT DEFAULT 'complete'",
}


def conversations_and_messages(database: Database) -> None:
    """Make the seed's two tables, or add to the existing ones what they lack."""
    database.execute("""
        CREATE TABLE IF NOT EXISTS conversations (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL DEFAULT '',
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL
        )""")
    database.execute("""
        CREATE TABLE IF NOT EXISTS messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
            content TEXT NOT NULL,
            created_at REAL NOT NULL
        )""")
    _add_missing(database, "conversations", _CONVERSATIONS)
    _add_missing(database, "messages", _MESSAGES)
    for table, column in (
        ("conversations", "created_at"),
        ("conversations", "updated_at"),
        ("messages", "created_at"),
    ):
        _seconds(database, table, column)
    _excuse_strangers(database, "conversations", {"id", *_CONVERSATIONS})
    database.execute("CREATE INDEX IF NOT EXISTS messages_of ON messages (conversation_id, id)")


def _add_missing(database: Database, table: str, wanted: dict[str, str]) -> None:
    have = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    for column, kind in wanted.items():
        if column not in have:
            database.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
            if column == "created_at" and "timestamp" in have:
                database.execute(f"UPDATE {table} SET created_at = timestamp")
            if column == "updated_at" and "created_at" in have:
                database.execute(f"UPDATE {table} SET updated_at = created_at")


def _seconds(database: Database, table: str, column: str) -> None:
    """Turn times written as text ('2026-02-19 23:24:45') into seconds; what is no time becomes 0."""
    database.execute(
        f"UPDATE {table} SET {column} = coalesce(strftime('%s', {column}) + 0, {column} + 0, 0)"
        f" WHERE typeof({column}) NOT IN ('real', 'integer')"
    )


def _excuse_strangers(database: Database, table: str, ours: set[str]) -> None:
    """Give NOT NULL columns that only the old application filled (ip_address) a default of ''."""
    strangers = {
        row[1]: ""
        for row in database.execute(f"PRAGMA table_info({table})")
        if row[3] and row[4] is None and row[1] not in ours
    }
    if strangers:
        database.table(table).transform(defaults=strangers)


def runs_and_their_events(database: Database) -> None:
    """Turns in progress and what they said, numbered; one live run per conversation."""
    database.execute("""
        CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            mode TEXT NOT NULL,
            question_message_id INTEGER REFERENCES messages(id) ON DELETE SET NULL,
            status TEXT NOT NULL DEFAULT 'running',
            pid INTEGER,
            process_started REAL,
            stop_requested INTEGER NOT NULL DEFAULT 0,
            started_at REAL NOT NULL,
            finished_at REAL
        )""")
    database.execute(
        "CREATE UNIQUE INDEX one_live_run_per_conversation ON runs (conversation_id) WHERE status = 'running'"
    )
    database.execute("CREATE INDEX runs_of ON runs (conversation_id, started_at)")
    database.execute("""
        CREATE TABLE run_events (
            run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            event TEXT NOT NULL,
            PRIMARY KEY (run_id, number)
        ) WITHOUT ROWID""")


def artifacts_and_sessions(database: Database) -> None:
    """Charts, images and files of a conversation, and the agents' own names for it."""
    database.execute("""
        CREATE TABLE artifacts (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            run_id TEXT,
            message_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            title TEXT NOT NULL,
            alt TEXT NOT NULL,
            content BLOB NOT NULL,
            size INTEGER NOT NULL,
            created_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX artifacts_of ON artifacts (conversation_id, message_id)")
    database.execute("CREATE INDEX artifacts_of_message ON artifacts (message_id)")
    database.execute("CREATE INDEX artifacts_of_run ON artifacts (run_id)")
    database.execute("""
        CREATE TABLE agent_sessions (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            workspace TEXT NOT NULL,
            session_id TEXT NOT NULL,
            PRIMARY KEY (conversation_id, agent, workspace)
        ) WITHOUT ROWID""")


def permissions(database: Database) -> None:
    """What agents may do besides reading, each change with who made it."""
    database.execute("""
        CREATE TABLE permissions (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            may_run INTEGER NOT NULL,
            may_edit INTEGER NOT NULL,
            changed_by TEXT NOT NULL,
            changed_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX permissions_of ON permissions (conversation_id, id)")


def permission_to_browse(database: Database) -> None:
    """Whether agents may use the web is allowed apart from commands and edits."""
    database.execute("ALTER TABLE permissions ADD COLUMN may_browse INTEGER NOT NULL DEFAULT 0")


def waiting_runs(database: Database) -> None:
    """When a run began to be answered; until then it waits for others to end."""
    database.execute("ALTER TABLE runs ADD COLUMN began_at REAL")


def clocks_of_runs(database: Database) -> None:
    """How long runs and summaries have taken, by a clock that nobody sets (storage/runs.py)."""
    for table, column in (("runs", "started"), ("runs", "began"), ("summary_jobs", "asked")):
        database.execute(f"ALTER TABLE {table} ADD COLUMN {column}_clock REAL")


def roles_in_order(database: Database) -> None:
    """The order of questions and answers is read from an index alone."""
    database.execute("CREATE INDEX messages_in_order ON messages (conversation_id, id, role)")
    database.execute("DROP INDEX IF EXISTS messages_of")
