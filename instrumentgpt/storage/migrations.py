"""The tables, as ordered steps. A step that has been released is never changed: add a new one.

The first step also takes over an old application's tables (conversations, messages), whatever their columns.
"""

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from instrumentgpt.text.terms import terms

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


def state_items_and_device_states(database: Database) -> None:
    """Where each line of the state came from, and the states of devices that were left."""
    database.execute("""
        CREATE TABLE state_items (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            field TEXT NOT NULL,
            text TEXT NOT NULL,
            source TEXT NOT NULL CHECK (source IN ('tool', 'user', 'agent')),
            message_id INTEGER REFERENCES messages(id) ON DELETE SET NULL,
            log TEXT NOT NULL DEFAULT '',
            line INTEGER,
            created_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX state_items_of ON state_items (conversation_id, device)")
    database.execute("CREATE INDEX state_items_of_message ON state_items (message_id)")
    database.execute("""
        CREATE TABLE device_states (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (conversation_id, device)
        ) WITHOUT ROWID""")


def settings_and_notes(database: Database) -> None:
    """What the Settings page saves, and what $memorize keeps."""
    database.execute("CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    database.execute("""
        CREATE TABLE notes (
            id TEXT NOT NULL,
            scope TEXT NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            updated_at REAL NOT NULL,
            PRIMARY KEY (scope, id)
        ) WITHOUT ROWID""")


def recalled_messages(database: Database) -> None:
    """The index of all raw messages by their terms (storage/recall.py), those stored before included."""
    database.execute(
        "CREATE VIRTUAL TABLE message_terms USING fts5(conversation, terms,"
        " tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\")"
    )
    database.execute(
        "CREATE TRIGGER message_terms_forgotten AFTER DELETE ON messages"
        " BEGIN DELETE FROM message_terms WHERE rowid = old.id; END"
    )
    found = database.execute("SELECT id, conversation_id, content FROM messages").fetchall()
    for message_id, conversation_id, content in found:
        database.execute(
            "INSERT INTO message_terms (rowid, conversation, terms) VALUES (?, ?, ?)",
            (message_id, conversation_id, " ".join(terms(content or ""))),
        )


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


def waiting_runs(database: Database) -> None:
    """When a run began to be answered; until then it waits for others to end."""
    database.execute("ALTER TABLE runs ADD COLUMN began_at REAL")


def facts_of_messages(database: Database) -> None:
    """Values, wishes and what was ruled out, each with the message that states it."""
    database.execute("""
        CREATE TABLE facts (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('value', 'wish', 'ruled_out', 'error')),
            device TEXT NOT NULL,
            channel TEXT NOT NULL DEFAULT '',
            parameter TEXT NOT NULL DEFAULT '',
            value TEXT NOT NULL DEFAULT '',
            unit TEXT NOT NULL DEFAULT '',
            said TEXT NOT NULL DEFAULT '',
            source TEXT NOT NULL CHECK (source IN ('tool', 'user', 'agent'))
        )""")
    database.execute("CREATE INDEX facts_of ON facts (conversation_id, message_id)")
    database.execute("CREATE INDEX facts_of_message ON facts (message_id)")


def modes_and_documents(database: Database) -> None:
    """What each mode keeps of a conversation, what answers offer to say next, and saved documents."""
    database.execute("""
        CREATE TABLE mode_states (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            mode TEXT NOT NULL,
            state TEXT NOT NULL,
            updated_at REAL NOT NULL,
            PRIMARY KEY (conversation_id, mode)
        ) WITHOUT ROWID""")
    database.execute("""
        CREATE TABLE offers (
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            label TEXT NOT NULL,
            text TEXT NOT NULL,
            mode TEXT NOT NULL,
            PRIMARY KEY (message_id, number)
        ) WITHOUT ROWID""")
    database.execute("""
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT REFERENCES conversations(id) ON DELETE SET NULL,
            ref TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('markdown', 'html')),
            title TEXT NOT NULL,
            file TEXT NOT NULL UNIQUE,
            saved_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX documents_of ON documents (conversation_id)")


def revisions_and_prompts(database: Database) -> None:
    """What people changed in the memory: who, when, old and new; prompts as they were sent."""
    database.execute("""
        CREATE TABLE revisions (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            field TEXT NOT NULL,
            channel TEXT NOT NULL DEFAULT '',
            name TEXT NOT NULL,
            action TEXT NOT NULL,
            old TEXT NOT NULL,
            new TEXT NOT NULL,
            after INTEGER NOT NULL,
            changed_by TEXT NOT NULL,
            changed_at REAL NOT NULL,
            undone_by TEXT,
            undone_at REAL
        )""")
    database.execute("CREATE INDEX revisions_of ON revisions (conversation_id, id)")
    database.execute("""
        CREATE TABLE prompts (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            run_id TEXT NOT NULL,
            task TEXT NOT NULL,
            agent TEXT NOT NULL,
            budget INTEGER NOT NULL,
            sections BLOB NOT NULL,
            sent_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX prompts_of ON prompts (conversation_id, id)")
    database.execute("CREATE INDEX prompts_of_message ON prompts (message_id)")


def facts_with_their_line(database: Database) -> None:
    """Where in which log a tool read a value; values found by what they are of."""
    database.execute("ALTER TABLE facts ADD COLUMN log TEXT NOT NULL DEFAULT ''")
    database.execute("ALTER TABLE facts ADD COLUMN line INTEGER")
    database.execute("ALTER TABLE facts ADD COLUMN clock TEXT NOT NULL DEFAULT ''")
    database.execute(
        "CREATE INDEX facts_by_key ON facts (conversation_id, kind, device, channel, parameter, message_id)"
    )


def search_pruning_and_summaries(database: Database) -> None:
    """The index of findings for search, the date on which an artifact was removed, background summaries."""
    database.execute(
        "CREATE VIRTUAL TABLE item_terms USING fts5(terms,"
        " tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\")"
    )
    database.execute(
        "CREATE TRIGGER item_terms_forgotten AFTER DELETE ON state_items"
        " BEGIN DELETE FROM item_terms WHERE rowid = old.id; END"
    )
    for item_id, device, text in database.execute("SELECT id, device, text FROM state_items").fetchall():
        database.execute(
            "INSERT INTO item_terms (rowid, terms) VALUES (?, ?)",
            (item_id, " ".join(terms(f"{device}\n{text}"))),
        )
    database.execute("CREATE INDEX state_items_of_device ON state_items (device, field)")
    database.execute("ALTER TABLE artifacts ADD COLUMN removed_at REAL")
    database.execute("""
        CREATE TABLE summary_jobs (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            status TEXT NOT NULL DEFAULT 'waiting',
            note TEXT NOT NULL DEFAULT '',
            replaced TEXT NOT NULL,
            text TEXT NOT NULL DEFAULT '',
            usage TEXT NOT NULL DEFAULT '{}',
            pid INTEGER,
            process_started REAL,
            asked_at REAL NOT NULL,
            began_at REAL,
            finished_at REAL
        )""")
    database.execute("CREATE INDEX summary_jobs_of ON summary_jobs (conversation_id, asked_at)")
    database.execute(
        "CREATE UNIQUE INDEX one_summary_job_per_conversation ON summary_jobs (conversation_id)"
        " WHERE status IN ('waiting', 'running')"
    )


def facts_by_age(database: Database) -> None:
    """From which message on a value holds: of a log that is read again, the message of the first reading."""
    database.execute("ALTER TABLE facts ADD COLUMN since INTEGER NOT NULL DEFAULT 0")
    database.execute("UPDATE facts SET since = message_id")
    database.execute("DROP INDEX facts_by_key")
    database.execute(
        "CREATE INDEX facts_by_key ON facts (conversation_id, kind, device, channel, parameter, since)"
    )


def notes_of_deleted_conversations(database: Database) -> None:
    """Notes whose scope is a conversation go with it."""
    database.execute(
        "CREATE TRIGGER notes_forgotten AFTER DELETE ON conversations"
        " BEGIN DELETE FROM notes WHERE scope = old.id; END"
    )


def entities_of_conversations(database: Database) -> None:
    """What a conversation knows by a ref: logs, loops, findings, charts, reports; a ref is never reused."""
    database.execute("""
        CREATE TABLE entities (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            ref TEXT NOT NULL,
            kind TEXT NOT NULL,
            number INTEGER NOT NULL,
            type TEXT NOT NULL,
            label TEXT NOT NULL,
            flag TEXT NOT NULL DEFAULT '',
            first_message INTEGER NOT NULL,
            last_message INTEGER NOT NULL,
            retained TEXT NOT NULL DEFAULT '',
            link TEXT NOT NULL,
            PRIMARY KEY (conversation_id, ref),
            UNIQUE (conversation_id, type, link)
        )""")


def panels_and_conclusions(database: Database) -> None:
    """Panels with each step as it was done, and what experts concluded, for later conversations."""
    database.execute("""
        CREATE TABLE panels (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            question TEXT NOT NULL,
            agent TEXT NOT NULL,
            status TEXT NOT NULL,
            brief TEXT NOT NULL,
            plan TEXT NOT NULL,
            created_at REAL NOT NULL,
            ended_at REAL
        )""")
    database.execute("CREATE INDEX panels_of ON panels (conversation_id, id)")
    database.execute("""
        CREATE TABLE panel_steps (
            id INTEGER PRIMARY KEY,
            panel_id INTEGER NOT NULL REFERENCES panels(id) ON DELETE CASCADE,
            sub_problem INTEGER NOT NULL,
            stage TEXT NOT NULL,
            round INTEGER NOT NULL,
            expert TEXT NOT NULL,
            content TEXT NOT NULL,
            tokens_in INTEGER NOT NULL,
            tokens_out INTEGER NOT NULL,
            cost REAL NOT NULL,
            seconds REAL NOT NULL,
            done_at REAL NOT NULL,
            UNIQUE (panel_id, sub_problem, stage, round, expert)
        )""")
    database.execute("""
        CREATE TABLE conclusions (
            id INTEGER PRIMARY KEY,
            expert TEXT NOT NULL,
            device TEXT NOT NULL,
            fault TEXT NOT NULL,
            goal TEXT NOT NULL,
            text TEXT NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            saved_at REAL NOT NULL
        )""")
    database.execute("CREATE INDEX conclusions_of ON conclusions (device, fault)")
    database.execute(
        "CREATE VIRTUAL TABLE conclusion_terms USING fts5(terms,"
        " tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\")"
    )
    database.execute(
        "CREATE TRIGGER conclusions_forgotten AFTER DELETE ON conclusions"
        " BEGIN DELETE FROM conclusion_terms WHERE rowid = old.id; END"
    )


def roles_in_order(database: Database) -> None:
    """The order of questions and answers is read from an index alone."""
    database.execute("CREATE INDEX messages_in_order ON messages (conversation_id, id, role)")
    database.execute("DROP INDEX IF EXISTS messages_of")


def prompts_as_text(database: Database) -> None:
    """A prompt is kept as the text that was sent."""
    database.execute("DELETE FROM prompts")
    database.execute("ALTER TABLE prompts RENAME COLUMN sections TO text")


STEPS = (
    conversations_and_messages,
    runs_and_their_events,
    artifacts_and_sessions,
    state_items_and_device_states,
    settings_and_notes,
    recalled_messages,
    permissions,
    waiting_runs,
    facts_of_messages,
    modes_and_documents,
    revisions_and_prompts,
    facts_with_their_line,
    search_pruning_and_summaries,
    facts_by_age,
    notes_of_deleted_conversations,
    entities_of_conversations,
    panels_and_conclusions,
    roles_in_order,
    prompts_as_text,
)
MIGRATIONS = Migrations("instrumentgpt")
for _step in STEPS:
    MIGRATIONS()(_step)
