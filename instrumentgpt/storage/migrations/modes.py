"""Tables of modes: what each keeps, entities by ref, panels of experts, documents."""

from sqlite_utils import Database


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
