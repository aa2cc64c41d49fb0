"""Indices of words, into which a step reads what is stored already; and what was released with them."""

from sqlite_utils import Database

from instrumentgpt.text.terms import terms


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


def parts_of_messages(database: Database) -> None:
    """The smallest parts of messages that say something by themselves."""
    database.execute("""
        CREATE TABLE said (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            devices TEXT NOT NULL,
            cues TEXT NOT NULL,
            text TEXT NOT NULL,
            terms TEXT NOT NULL
        )""")
    database.execute("CREATE INDEX said_in ON said (message_id)")
    database.execute("CREATE INDEX said_of ON said (conversation_id, id)")


def parts_with_cues(database: Database) -> None:
    """Few parts have a cue: the newest that have a certain one are found in an index of those alone."""
    database.execute(
        "CREATE INDEX said_with_cues ON said (conversation_id, id, message_id, cues) WHERE cues > ''"
    )


def messages_without_parts(database: Database) -> None:
    """Messages from before the parts were kept: they get theirs when their conversation is gone on with."""
    database.execute(
        "CREATE TABLE unsaid (message_id INTEGER PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE)"
    )
    database.execute("DELETE FROM said")  # were numbered without regard to their messages
    database.execute("INSERT INTO unsaid SELECT id FROM messages")


def parts_by_cue(database: Database) -> None:
    """Most parts have some cue: those that questions ask for stand in an index each."""
    database.execute("DROP INDEX said_with_cues")
    for cue in ("out", "verdict", "log", "cause"):
        database.execute(
            f"CREATE INDEX said_with_{cue} ON said (conversation_id)"
            f" WHERE instr(' ' || cues || ' ', ' {cue} ')"
        )
