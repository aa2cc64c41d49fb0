"""Databases of the seed's schema open, keep every row, and work; again and again, and by six at once."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

import db
from instrumentgpt.storage.in_force import memory_in_force
from instrumentgpt.storage.migrations import STEPS, deleted_turns, memory_is_data
from instrumentgpt.storage.nicknames import list_nicknames
from instrumentgpt.storage.revisions import list_deleted, undo_revision
from memory import DiagnosticState, build_prompt

CHECKOUT = str(Path(__file__).parents[1])

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


def made_before(path, last, rows):
    """Return the path of a new database as it was before the step `last`, with `rows` in it."""
    steps = Migrations("instrumentgpt")
    for step in STEPS[: STEPS.index(last)]:
        steps()(step)
    with closing(sqlite3.connect(path)) as connection:
        steps.apply(Database(connection))
        connection.executescript(rows)
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
    assert len(db.list_conversations(database, "kp")) == 1
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


def test_004_12_rows_from_before_turns_could_come_back_stay_and_their_ids_are_given_once(tmp_path):
    path = made_before(tmp_path / "old.db", deleted_turns, RELEASED)
    with closing(sqlite3.connect(path)) as connection:
        told = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in NUMBERED}
        made = (
            "SELECT type, name, tbl_name FROM sqlite_master WHERE type != 'table'"
            " AND tbl_name NOT IN ('said', 'unsaid', 'likely_nicknames')"
        )
        objects = connection.execute(made).fetchall()
    for _ in range(2):
        database = db.connect(path)
        assert {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in NUMBERED} == told
        assert set(objects) <= set(database.execute(made).fetchall())
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        db.delete_turn(database, 2)
        assert database.execute("SELECT age FROM facts").fetchall() == []
        other = db.create_conversation(database)
        later = db.add_message(database, other, "user", "later")
        db.add_state_items(database, other, [db.StateItem("052", "findings", "f", "tool", later)])
        undo_revision(database, list_deleted(database, "c1")[0].id)
        assert [hit.text for hit in db.search(database, "swings")] == ["it swings"]
        db.delete_conversation(database, other)
        database.close()


NUMBERED = ("messages", "facts", "state_items")
RELEASED = """
INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c1', 'Oven', 1, 2);
INSERT INTO messages (conversation_id, role, content, created_at) VALUES
    ('c1', 'user', 'kp?', 1), ('c1', 'assistant', '0.1', 2);
INSERT INTO facts (conversation_id, message_id, kind, device, parameter, value, source, since, dated, age)
    VALUES ('c1', 2, 'value', '052', 'kp', '0.1', 'tool', 2, '2026-02-19', 2);
INSERT INTO state_items (conversation_id, device, field, text, source, message_id, created_at)
    VALUES ('c1', '052', 'findings', 'it swings', 'tool', 2, 2);
INSERT INTO item_terms (rowid, terms) VALUES (1, 'it swings');
"""

WITH_WISHES = """
INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c1', 'Oven', 1, 2);
INSERT INTO messages (conversation_id, role, content, created_at) VALUES
    ('c1', 'user', 'never restart it; we call 052 Tallinn', 1), ('c1', 'assistant', 'kp: 0.1', 2);
INSERT INTO facts (conversation_id, message_id, kind, device, parameter, value, said, source, since, age)
VALUES
    ('c1', 1, 'wish', '052', '', '', 'never restart it', 'user', 1, 1),
    ('c1', 1, 'value', '052', 'kp', '0.2', '', 'user', 1, 1),
    ('c1', 2, 'value', '052', 'ki', '0.1', '', 'agent', 2, 2);
INSERT INTO nicknames (conversation_id, message_id, device, nickname, kind)
    VALUES ('c1', 1, '052', 'Tallinn', 'renamed');
INSERT INTO likely_nicknames (conversation_id, message_id, device, nickname) VALUES ('c1', 1, '052', 'nose');
INSERT INTO unsaid VALUES (2);
INSERT INTO revisions (conversation_id, device, field, name, action, old, new, after, changed_by, changed_at)
    VALUES ('c1', '052', 'wish', 'never restart it', 'pin', 'never restart it', '', 1, 'me', 3);
INSERT INTO messages (conversation_id, role, content, created_at) VALUES
    ('c1', 'user', 'keep the lid shut', 4), ('c1', 'assistant', 'ki: 0.3', 5);
INSERT INTO facts (conversation_id, message_id, kind, device, parameter, value, said, source, since, age)
VALUES
    ('c1', 3, 'wish', '052', '', '', 'keep the lid shut', 'user', 3, 3),
    ('c1', 4, 'value', '052', 'ki', '0.3', '', 'agent', 4, 4);
"""


def test_004_12_wishes_become_constraints_and_guesses_from_prose_are_left_behind(tmp_path):
    path = made_before(tmp_path / "old.db", memory_is_data, WITH_WISHES)
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(facts)")]
        for kept in connection.execute("SELECT * FROM facts WHERE message_id > 2").fetchall():
            content = json.dumps(dict(zip(columns, kept, strict=True)))
            connection.execute("INSERT INTO deleted_rows VALUES (1, 'facts', ?)", (content,))
        connection.execute("DELETE FROM facts WHERE message_id > 2")
        connection.commit()
    for _ in range(2):
        with closing(db.connect(path)) as database:
            assert [(row.kind, row.fact.value, row.said) for row in db.list_facts(database, "c1")] == [
                ("constraint", "", "never restart it"),
                ("value", "0.2", ""),
            ]
            pinned = [
                row
                for row in memory_in_force(database, "c1", DiagnosticState()).known
                if row.kind == "constraint"
            ]
            assert [(row.said, row.pinned) for row in pinned] == [("never restart it", True)]
            assert [(row.device, row.nickname) for row in list_nicknames(database, "c1")] == [
                ("052", "Tallinn")
            ]
            kept = database.execute("SELECT content FROM deleted_rows").fetchall()
            assert [json.loads(row[0])["kind"] for row in kept] == ["constraint"]
            assert not {"said", "unsaid", "likely_nicknames"} & {*database.table_names()}
            assert db.count_messages(database, "c1") == 4


STARTER = """
import sys, time, db
database = db.connect(sys.argv[1])
conversation = db.create_conversation(database, sys.argv[2])
for number in range(20):
    db.add_message(database, conversation, "user", str(number))
"""


@pytest.mark.parametrize("schema", [None, PUBLIC], ids=["no file", "old database"])
def test_six_processes_starting_at_once_all_succeed(tmp_path, schema):
    path = tmp_path / "x.db"
    if schema:
        made(path, schema)
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTER, path, str(number)],
            env={**os.environ, "PYTHONPATH": CHECKOUT},
            stderr=subprocess.PIPE,
        )
        for number in range(6)
    ]
    errors = [starter.communicate(timeout=100)[1].decode() for starter in starters]
    assert errors == [""] * 6
    database = db.connect(path)
    assert len(db.list_conversations(database)) == 6 + bool(schema)
    assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == 120 + 2 * bool(schema)
