"""A locked, read-only, full, damaged or newer database: a clear message, and nothing committed is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import db
from instrumentgpt.storage.migrations import MIGRATIONS

CHECKOUT = str(Path(__file__).parents[1])


@pytest.fixture
def path(tmp_path):
    """A database with one conversation of one message."""
    path = tmp_path / "x.db"
    database = db.connect(path)
    db.add_message(database, db.create_conversation(database, "Kept"), "user", "kept")
    database.close()
    return path


def kept(path) -> bool:
    database = db.connect(path)
    found = [row.title for row in db.list_conversations(database)] == ["Kept"]
    conversation = db.list_conversations(database)[0].id
    found &= [row.content for row in db.list_messages(database, conversation)] == ["kept"]
    database.close()
    return found


def test_a_missing_folder_is_made(tmp_path):
    db.connect(tmp_path / "a" / "b" / "x.db").close()
    assert (tmp_path / "a" / "b" / "x.db").exists()


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(db.StorageError, match=r"file/a cannot be made \(Not a directory\).*_HOME"):
        db.connect(tmp_path / "file" / "a" / "x.db")


def test_a_folder_in_the_place_of_the_file_says_so(tmp_path):
    with pytest.raises(db.StorageError, match=r"cannot be opened\. Check that its folder"):
        db.connect(tmp_path)


def test_a_locked_database_says_so_and_works_again_when_it_is_free(path):
    database = db.connect(path, busy_seconds=0.05)
    conversation = db.list_conversations(database)[0].id
    holder = sqlite3.connect(path)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(db.StorageError, match=r"x\.db is locked by another program\. Close what holds it"):
        db.add_message(database, conversation, "user", "x")
    assert db.count_messages(database, conversation) == 1
    holder.rollback()
    holder.close()
    db.add_message(database, conversation, "user", "x")
    assert db.count_messages(database, conversation) == 2


def test_a_database_locked_before_its_first_use_says_so(tmp_path):
    holder = sqlite3.connect(tmp_path / "x.db")
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("CREATE TABLE t (a)")
    with pytest.raises(db.StorageError, match="locked by another program"):
        db.connect(tmp_path / "x.db", busy_seconds=0.05)
    holder.close()


def test_a_database_that_may_only_be_read_says_so(path):
    database = db.connect(path)
    database.execute("PRAGMA query_only = ON")
    with pytest.raises(db.StorageError, match=r"x\.db is read-only\. Make the file and its folder writable"):
        db.create_conversation(database)


READER = """
import os, sys, db
db.connect(":memory:").close()  # loads what another user may not read
if os.geteuid() == 0:
    os.setuid(65534)
try:
    database = db.connect(sys.argv[1])
    print(db.list_conversations(database)[0].title)
    db.create_conversation(database)
except db.StorageError as error:
    print(error)
"""


def test_a_folder_without_write_permission_says_so(path, tmp_path):
    folder = Path(tempfile.gettempdir()) / f"read-only-{os.getpid()}"  # tmp_path is closed to other users
    shutil.copytree(path.parent, folder)
    try:
        for name in folder.iterdir():
            name.chmod(0o444)
        folder.chmod(0o555)
        said = subprocess.run(
            [sys.executable, "-c", READER, folder / "x.db"],
            env={**os.environ, "PYTHONPATH": CHECKOUT, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=250,
        )
        assert "INSTRUMENTGPT_HOME to a folder that you can write" in said.stdout, said
        assert kept(path)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_full_disk_says_so_and_keeps_what_was_committed(path):
    database = db.connect(path)
    conversation = db.list_conversations(database)[0].id
    database.execute(f"PRAGMA max_page_count = {database.execute('PRAGMA page_count').fetchone()[0] + 2}")
    with pytest.raises(db.StorageError, match=r"No space is left for .*x\.db; the last change was not saved"):
        db.add_message(database, conversation, "user", "x" * 100_000)
    assert db.count_messages(database, conversation) == 1
    database.close()
    assert kept(path)


NO_DATABASES = [b"somebody's notes\n" * 100, b"\x00" * 5000, b"SQLite format 3\x00" + b"x" * 5000]


@pytest.mark.parametrize("content", NO_DATABASES, ids=["text", "zeros", "header only"])
def test_a_file_that_is_no_database_says_so_and_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(db.StorageError, match=r"x\.db is not a database and was left as it is\. Move"):
        db.connect(path)
    assert path.read_bytes() == content


def test_a_damaged_database_says_so_and_is_left_as_it_is(path):
    database = db.connect(path)
    conversation = db.list_conversations(database)[0].id
    for number in range(300):
        db.add_message(database, conversation, "user", f"{number} " * 200)
    database.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 40_000] = b"\xff" * 40_000
    path.write_bytes(content)
    with pytest.raises(db.StorageError, match=r"x\.db is damaged .* was left as it is\. Move it away"):
        db.list_messages(db.connect(path), conversation)
    assert path.read_bytes() == content


def test_a_database_of_a_newer_version_says_so_and_is_left_as_it_is(path):
    connection = sqlite3.connect(path)
    connection.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
        " VALUES ('instrumentgpt.storage', 'telepathy', '')"
    )
    connection.commit()
    connection.close()
    with pytest.raises(db.StorageError, match=r"written by a newer version \(telepathy\)\. Update this"):
        db.connect(path)


def test_a_migration_that_fails_is_undone_whole(tmp_path):
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE runs (id)")  # in the way
    connection.close()
    with pytest.raises(db.StorageError, match=r"table .?runs.? already exists"):
        db.connect(path)
    names = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
    assert names == [("runs",)]


def test_a_killed_writer_loses_nothing_that_was_committed(path):
    writer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, db\nd = db.connect(sys.argv[1])\nc = db.list_conversations(d)[0].id\n"
            "while True: print(db.add_message(d, c, 'user', 'x' * 3000), flush=True)",
            path,
        ],
        env={**os.environ, "PYTHONPATH": CHECKOUT},
        stdout=subprocess.PIPE,
        text=True,
    )
    told = [int(next(writer.stdout)) for _ in range(50)]
    writer.kill()
    rest, _ = writer.communicate()
    told += [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    database = db.connect(path)
    conversation = db.list_conversations(database)[0].id
    assert {row.id for row in db.list_messages(database, conversation)} >= set(told)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_every_error_is_one_that_people_can_read_and_programs_can_catch():
    error = db.StorageError("x.db is locked. Close it.")
    assert str(error) == "x.db is locked. Close it." and isinstance(error, OSError)


def test_each_step_of_the_schema_says_what_it_makes():
    assert all(step.fn.__doc__ for step in MIGRATIONS._migrations)


def test_the_database_keeps_foreign_keys_and_a_write_ahead_log(path):
    database = db.connect(path)
    assert database.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_another_process_that_closes_last_takes_nothing_away_from_one_that_has_connected_twice(path):
    reading = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM settings').fetchall()"
    with closing(db.connect(path)) as first:
        db.connect(path).close()
        db.save_setting(first, "model", "opus")
        subprocess.run([sys.executable, "-c", reading, str(path)], check=True)
        assert path.with_name("x.db-wal").exists(), "the other thought that nobody had the database open"
