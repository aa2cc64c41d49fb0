"""Databases of the seed's schema open, keep every row, and work; again and again, and by six at once."""

import multiprocessing
import sqlite3

import pytest

import db
from instrumentgpt.storage.migrations import LAST
from memory import DiagnosticState, build_prompt

PUBLIC = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY, ip_address TEXT NOT NULL, title TEXT NOT NULL DEFAULT 'New Chat',
    cli_session_id TEXT, created_at REAL NOT NULL, updated_at REAL NOT NULL);
CREATE INDEX idx_conv_ip ON conversations(ip_address, updated_at DESC);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL,
    role TEXT NOT NULL CHECK(role IN ('user', 'assistant')), content TEXT NOT NULL, created_at REAL NOT NULL,
    FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE);
INSERT INTO conversations VALUES ('c1', '192.168.0.9', 'Oven', 'cli-7', 1700000000.5, 1700000100.5);
INSERT INTO messages (conversation_id, role, content, created_at) VALUES
    ('c1', 'user', '10.1.1.47 為什麼溫度波動？', 1700000000.5),
    ('c1', 'assistant', '根因：kp 太高', 1700000100.5);
"""
PLAIN = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, title TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT, role TEXT, content TEXT,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
INSERT INTO conversations VALUES ('c1', 'Oven', '2023-11-14 22:13:20', '2023-11-14 22:15:00');
INSERT INTO messages (conversation_id, role, content, timestamp) VALUES
    ('c1', 'user', '10.1.1.47 為什麼溫度波動？', '2023-11-14 22:13:20'),
    ('c1', 'assistant', '根因：kp 太高', '2023-11-14 22:15:00');
"""
WITH_MEMORY = PUBLIC + (
    "ALTER TABLE conversations ADD COLUMN summary TEXT DEFAULT '';"
    "ALTER TABLE conversations ADD COLUMN diagnostic_state TEXT DEFAULT '';"
    """UPDATE conversations SET summary = 'User: old', diagnostic_state = '{"device_ip": "10.1.1.47"}';"""
)
EMPTY_TABLES = PUBLIC.split("INSERT", 1)[0]
BARE = (
    "CREATE TABLE conversations (id TEXT PRIMARY KEY); CREATE TABLE messages (id INTEGER PRIMARY KEY);"
    "INSERT INTO conversations VALUES ('c1');"
)
OLD = {"public": PUBLIC, "plain": PLAIN, "with memory": WITH_MEMORY}


def made(path, schema):
    connection = sqlite3.connect(path)
    connection.executescript(schema)
    connection.close()
    return path


@pytest.fixture(params=OLD.values(), ids=OLD)
def old(request, tmp_path):
    return made(tmp_path / "old.db", request.param)


def test_004_12_an_old_database_keeps_every_row(old):
    database = db.connect(old)
    assert [(row.id, row.title) for row in db.list_conversations(database)] == [("c1", "Oven")]
    assert db.get_conversation(database, "c1").updated_at == pytest.approx(1700000100, abs=1)
    messages = db.list_messages(database, "c1")
    assert [(row.role, row.content) for row in messages] == [
        ("user", "10.1.1.47 為什麼溫度波動？"),
        ("assistant", "根因：kp 太高"),
    ]
    assert [row.status for row in messages] == ["complete"] * 2
    assert messages[0].created_at == pytest.approx(1700000000, abs=1)


def test_004_12_opening_an_old_database_is_repeatable(old):
    for _ in range(3):
        database = db.connect(old)
        assert db.count_messages(database, "c1") == 2
        database.close()


def test_004_12_columns_of_the_old_application_keep_their_values(tmp_path):
    database = db.connect(made(tmp_path / "old.db", PUBLIC))
    assert database.execute("SELECT ip_address, cli_session_id FROM conversations").fetchall() == [
        ("192.168.0.9", "cli-7")
    ]


def test_004_12_an_old_database_works(old):
    database = db.connect(old)
    db.add_message(database, "c1", "user", "那 kp 可以調高嗎？")
    db.update_memory("c1", "s", "{}", database)
    new = db.create_conversation(database)
    db.add_message(database, new, "user", "new")
    assert db.count_messages(database, "c1") == 3
    assert db.get_memory("c1", database) == ("s", "{}")
    assert "波動" in db.recall(database, "c1", "溫度為什麼波動？")[0].text
    db.delete_conversation(database, "c1")
    assert database.execute("SELECT count(*) FROM messages").fetchone() == (1,)


def test_004_12_a_deleted_old_conversation_stays_deleted_and_its_titles_are_filled(tmp_path):
    database = db.connect(made(tmp_path / "old.db", PUBLIC.replace("'Oven'", "'New Chat'")))
    db.add_message(database, "c1", "user", "why?")
    assert db.get_conversation(database, "c1").title == "why?"


def test_004_12_an_old_conversation_has_empty_memory_and_falls_back_to_recent_turns(tmp_path):
    database = db.connect(made(tmp_path / "old.db", PUBLIC))
    summary, state = db.get_memory("c1", database)
    assert (summary, state) == ("", "")
    messages = [
        {"id": row.id, "role": row.role, "content": row.content} for row in db.list_messages(database, "c1")
    ]
    prompt, _ = build_prompt("kp?", messages, DiagnosticState.deserialize(state), summary, False)
    assert prompt == (
        "kp?\n\n<recent_conversation>\n"
        "User: 10.1.1.47 為什麼溫度波動？\nAssistant: 根因：kp 太高\n"
        "</recent_conversation>"
    )


def test_004_12_memory_that_is_already_there_stays(tmp_path):
    database = db.connect(made(tmp_path / "old.db", WITH_MEMORY))
    assert db.get_memory("c1", database) == ("User: old", '{"device_ip": "10.1.1.47"}')


@pytest.mark.parametrize(
    "schema", [EMPTY_TABLES, BARE, ""], ids=["empty tables", "bare tables", "empty file"]
)
def test_004_12_even_odd_old_databases_open_and_work(tmp_path, schema):
    database = db.connect(made(tmp_path / "old.db", schema))
    conversation = db.create_conversation(database)
    db.add_message(database, conversation, "user", "why?")
    assert db.count_messages(database, conversation) == 1


def steps_done(path, *names):
    """Let the database at `path` be one that an unreleased version made with these steps."""
    db.connect(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM _sqlite_migrations")
    columns = "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
    connection.executemany(f"{columns} VALUES ('instrumentgpt.storage', ?, '')", [(name,) for name in names])
    connection.commit()
    connection.close()
    return path


def test_a_database_of_the_last_unreleased_step_opens_and_works(tmp_path):
    database = db.connect(steps_done(tmp_path / "old.db", "m001_tables", "m099_states_from_records", LAST))
    conversation = db.create_conversation(database)
    db.add_message(database, conversation, "user", "why?")
    assert db.count_messages(database, conversation) == 1


def test_a_database_of_an_earlier_unreleased_version_is_left_as_it_is(tmp_path):
    path = steps_done(tmp_path / "old.db", "m001_tables", "m099_states_from_records")
    before = path.read_bytes()
    with pytest.raises(db.StorageError, match=f"unreleased version before the step {LAST}.*Open it once"):
        db.connect(path)
    assert path.read_bytes() == before


def start(path, title, together):
    together.wait()
    database = db.connect(path)
    conversation = db.create_conversation(database, title)
    for number in range(20):
        db.add_message(database, conversation, "user", str(number))


@pytest.mark.parametrize("schema", [None, PUBLIC], ids=["no file", "old database"])
def test_six_processes_starting_at_once_all_succeed(tmp_path, schema):
    path = tmp_path / "x.db"
    if schema:
        made(path, schema)
    forked = multiprocessing.get_context("fork")  # six programs that import all of it take long
    together = forked.Barrier(6)
    starters = [forked.Process(target=start, args=(path, str(number), together)) for number in range(6)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert [starter.exitcode for starter in starters] == [0] * 6
    database = db.connect(path)
    assert len(db.list_conversations(database)) == 6 + bool(schema)
    assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == 120 + 2 * bool(schema)
