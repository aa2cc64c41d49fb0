"""Tables of what is remembered: states, facts, notes, settings, what people changed, prompts as sent."""

from sqlite_utils import Database


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


def prompts_as_text(database: Database) -> None:
    """A prompt is kept as the text that was sent."""
    database.execute("DELETE FROM prompts")
    database.execute("ALTER TABLE prompts RENAME COLUMN sections TO text")


def nicknames_of_devices(database: Database) -> None:
    """What a message calls a device, or no longer calls it."""
    database.execute("""
        CREATE TABLE nicknames (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            nickname TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('named', 'renamed', 'withdrawn'))
        )""")
    database.execute("CREATE INDEX nicknames_of ON nicknames (conversation_id, message_id)")
    database.execute("CREATE INDEX nicknames_of_message ON nicknames (message_id)")


def likely_nicknames(database: Database) -> None:
    """What a message may call a device: a nickname once a user's message says it elsewhere."""
    database.execute("""
        CREATE TABLE likely_nicknames (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            nickname TEXT NOT NULL,
            said_in INTEGER REFERENCES messages(id) ON DELETE SET NULL
        )""")
    database.execute("CREATE INDEX likely_nicknames_said ON likely_nicknames (said_in)")
    database.execute("CREATE INDEX likely_nicknames_of ON likely_nicknames (conversation_id, message_id)")
    database.execute("CREATE INDEX likely_nicknames_of_message ON likely_nicknames (message_id)")


def facts_of_older_logs(database: Database) -> None:
    """What an older log says is history: it is as old as the first reading of its quantity at a later time.

    `age` is kept right when a reading comes or goes, so that whoever reads need not look at all of them.
    """
    key = "conversation_id = {0}.conversation_id AND kind = 'value' AND device = {0}.device"
    key += " AND channel = {0}.channel AND parameter = {0}.parameter"
    age = (
        "min(since, ifnull((SELECT min(message_id) FROM facts AS later"
        f" WHERE {key.format('facts')} AND later.dated > facts.dated), since))"
    )
    database.execute("ALTER TABLE facts ADD COLUMN dated TEXT NOT NULL DEFAULT ''")
    database.execute("ALTER TABLE facts ADD COLUMN age INTEGER NOT NULL DEFAULT 0")
    database.execute(
        "UPDATE facts SET dated = replace(clock, 'T', ' ') WHERE source = 'tool'"
        " AND clock < date('now', '+2 days') AND clock GLOB '[12][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"
    )
    database.execute("DROP INDEX facts_by_key")
    database.execute(
        "CREATE INDEX facts_by_key ON facts (conversation_id, kind, device, channel, parameter, age)"
    )
    database.execute(
        "CREATE INDEX facts_by_date ON facts (conversation_id, kind, device, channel, parameter, dated)"
        " WHERE dated > ''"
    )
    database.execute(f"UPDATE facts SET age = CASE dated WHEN '' THEN since ELSE {age} END")
    database.execute(
        "CREATE TRIGGER facts_read AFTER INSERT ON facts WHEN new.dated > '' BEGIN"
        f" UPDATE facts SET age = {age} WHERE id = new.id;"
        f" UPDATE facts SET age = {age} WHERE {key.format('new')} AND age > new.message_id"
        " AND dated > '' AND dated < new.dated; END"
    )
    database.execute(
        "CREATE TRIGGER facts_unread AFTER DELETE ON facts WHEN old.dated > '' BEGIN"
        f" UPDATE facts SET age = {age} WHERE {key.format('old')} AND age = old.message_id"
        " AND dated > '' AND dated < old.dated; END"
    )
