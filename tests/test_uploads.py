"""Files that people bring lie beside the database, once each, for as long as a row names them."""

import io
import os
import resource
import time
import zipfile
import zlib
from contextlib import ExitStack

import pytest
from pages import page

import db
from instrumentgpt.__main__ import main
from instrumentgpt.pruning import prunable, prune
from instrumentgpt.settings import database_path
from instrumentgpt.storage.artifacts import (
    STALE,
    add_upload,
    copy_uploads,
    list_uploads,
    plain_name,
    received,
    sweep,
    upload_path,
)
from instrumentgpt.storage.export import exported
from instrumentgpt.storage.revisions import forget_deleted, list_revisions, undo_revision
from instrumentgpt.storage.runs import finish_run
from instrumentgpt.turn.runs import store_question

LOG = b"time,pv\n" + b"0,36.98\n" * 1000


def brought(database, conversation, content=LOG, name="run.log"):
    """Return a question with a file, and the id of the artifact."""
    question = db.add_message(database, conversation, "user", "why?")
    with received(database, name, io.BytesIO(content)) as given:
        return question, add_upload(database, conversation, question, given)


def files():
    return sorted(path for path in (database_path().parent / "attachments").rglob("*") if path.is_file())


def test_a_file_that_comes_with_a_question_is_on_the_disk_and_not_in_the_database(
    database, conversation, tmp_path
):
    path = tmp_path / "run.log"
    path.write_bytes(os.urandom(20_000_000))
    finish_run(database, store_question(database, conversation, "why?", "chat", "offline", [path]), "died")
    (kept,) = list_uploads(database, conversation)
    assert (kept.kind, kept.title, kept.size) == ("log", "run.log", 20_000_000)
    assert [upload_path(database, kept)] == files()
    assert files()[0].read_bytes() == path.read_bytes()
    written = sum(one.stat().st_size for one in database_path().parent.glob("*.db*"))
    assert written < 5_000_000


def test_the_same_content_is_kept_once_and_goes_with_the_last_that_names_it(database):
    conversations = [db.create_conversation(database) for _ in range(2)]
    questions = [brought(database, one)[0] for one in conversations]
    copy_uploads(database, questions[0])
    assert len(files()) == 1
    db.delete_conversation(database, conversations[0])
    (kept,) = list_uploads(database, conversations[1])
    assert db.get_artifact(database, conversations[1], kept.id).content == LOG
    db.delete_conversation(database, conversations[1])
    assert files() == []


def test_a_deleted_turn_keeps_its_file_until_it_is_deleted_for_good(database, conversation):
    question, artifact = brought(database, conversation)
    db.delete_turn(database, question)
    sweep(database)
    undo_revision(database, list_revisions(database, conversation)[0].id)
    assert db.get_artifact(database, conversation, artifact).content == LOG
    db.delete_turn(database, question)
    forget_deleted(database, list_revisions(database, conversation)[-1].id)
    assert files() == []


def test_pruning_tells_the_size_of_files_and_removes_them(database, conversation):
    question, artifact = brought(database, conversation, bytes(300_000))
    brought(database, db.create_conversation(database), LOG)
    now = time.time() + 10 * 86_400
    database.execute("UPDATE conversations SET updated_at = ? WHERE id != ?", (now, conversation))
    (one,) = prunable(database, 5, now)
    assert one.beside == 300_000
    prune(database, [one], now)
    assert [path.read_bytes() for path in files()] == [LOG]
    assert db.get_artifact(database, conversation, artifact).removed_at and not copy_uploads(
        database, question
    )


def test_what_crashes_left_is_swept_and_what_is_being_written_is_not(database, conversation):
    brought(database, conversation)
    folder = database_path().parent / "attachments"
    orphan = folder / ("0" * 64)
    orphan.mkdir()
    (orphan / "run.log").write_bytes(b"nobody's")
    for name, age in (("old.part", STALE + 60), ("new.part", 0)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age,) * 2)
    (folder / f"{'0' * 64}.going").mkdir()  # of a sweep that was killed
    prune(database, [])
    assert [path.name for path in files() if path.suffix == ".part"] == ["new.part"]
    assert len(list(folder.iterdir())) == 2 == len(files())


def test_a_row_that_cannot_be_written_leaves_no_file(database, conversation):
    with pytest.raises(db.UnknownConversation):
        brought_to = received(database, "run.log", io.BytesIO(LOG))
        with brought_to as given:
            add_upload(database, "nobody", None, given)
    assert files() == []


def test_a_question_that_is_refused_leaves_no_file(database, conversation, tmp_path):
    (tmp_path / "run.log").write_bytes(LOG)
    store_question(database, conversation, "why?", "chat", "offline", [])
    with pytest.raises(db.RunInProgress):
        store_question(database, conversation, "why?", "chat", "offline", [tmp_path / "run.log"])
    assert files() == []


def test_a_disk_without_room_is_told_with_the_remedy_and_nothing_is_left(database, conversation):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, before[1]))
    try:
        with pytest.raises(db.StorageError, match=r"run.log could not be kept in .*Free some space"):
            brought(database, conversation, bytes(4_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files() == []


@pytest.mark.parametrize(
    "name",
    ["../../../x.log", "/etc/passwd", "..", ".part", "記" * 300 + ".log", "a\x00\n/\\b.log", "a\udcff.log"],
)
def test_no_name_leads_out_of_the_folder_or_is_too_long_for_it(database, conversation, name):
    brought(database, conversation, name=name)
    (kept,) = list_uploads(database, conversation)
    assert files() == [upload_path(database, kept)]
    assert files()[0].parent.parent == database_path().parent / "attachments"
    assert plain_name(kept.title) == kept.title


def test_a_file_that_an_older_version_kept_in_the_database_is_there_as_before(database, conversation):
    question = db.add_message(database, conversation, "user", "why?")
    with db.transaction(database):
        database.conn.execute(  # as it was written before there were files
            "INSERT INTO all_artifacts (id, conversation_id, message_id, kind, title, alt, content, size,"
            " created_at) VALUES ('old', ?, ?, 'log', 'run.log', '', ?, ?, 0)",
            (conversation, question, zlib.compress(LOG), len(LOG)),
        )
    (copy,) = copy_uploads(database, question)
    assert [db.get_artifact(database, conversation, one).content for one in ("old", copy)] == [LOG] * 2
    assert main(["ask", "--agent", "offline", "--conversation", conversation, "list the logs"]) == 0
    assert [path.read_bytes() for path in files()] == [LOG]
    db.delete_turn(database, question)
    undo_revision(database, list_revisions(database, conversation)[0].id)
    assert db.get_artifact(database, conversation, "old").content == LOG
    db.delete_conversation(database, conversation)
    assert files() == []


def test_the_export_holds_the_files_and_says_which_are_gone(database, conversation):
    _, there = brought(database, conversation)
    _, gone = brought(database, conversation, b"other", "gone.log")
    next(path for path in files() if path.name == "gone.log").unlink()
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        assert archive.read(f"files/{there}-run.log") == LOG
        assert not [name for name in archive.namelist() if gone in name]
    with pytest.raises(db.StorageError, match="attach it again"):
        db.get_artifact(database, conversation, gone)


def test_the_page_says_how_large_a_file_may_be_before_one_is_dropped():
    assert "up to 500 MB" in page().chat_input[0].placeholder


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\nnot a picture", b"RIFF and so on"])
def test_what_only_begins_like_a_picture_breaks_no_page(database, conversation, content):
    brought(database, conversation, content, "photo.png")
    assert "photo\\.png" in " ".join(caption.value for caption in page(conversation).caption)


def test_many_files_of_one_question_are_all_kept(database, conversation):
    with ExitStack() as stack:
        contents = [b"%d" % number for number in range(5)]
        given = [stack.enter_context(received(database, "a.log", io.BytesIO(one))) for one in contents]
        for one in given:
            add_upload(database, conversation, None, one)
    assert sorted(path.read_bytes() for path in files()) == contents
