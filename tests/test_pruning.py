"""Pruning: what is old gives its space back, what was said and found stays, and nothing in use is touched."""

import io
import json
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from pages import page

import db
from instrumentgpt.__main__ import main
from instrumentgpt.instruments.lognames import device_folder
from instrumentgpt.memory.filtering import marker
from instrumentgpt.pruning import prunable, prune
from instrumentgpt.settings import Settings, database_path, settings_in_force
from instrumentgpt.storage.artifacts import copy_uploads, documents_folder, list_uploads
from instrumentgpt.storage.export import export_name, exported
from instrumentgpt.storage.facts import file_device_state
from instrumentgpt.storage.revisions import list_revisions, undo_revision
from instrumentgpt.storage.runs import append_events, finish_run, keep_prompt, read_events, start_run

NOW = time.time() + 100 * 86_400
LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"
BIG = json.dumps({"data": [{"y": [(n * 7919) % 10_007 for n in range(100_000)]}]}).encode()


def filled(kind, name):
    path = database_path().parent / kind / name / "file"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 5_000)
    return path


def fetched(device="zspr 052", log=LOG):
    path = device_folder(database_path().parent / "cache", device) / log
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"l" * 9_000)
    return path


def diagnosed(database, log=LOG):
    """Return a conversation with all that a turn with a chart and a dropped file leaves."""
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "why?")
    db.add_artifact(database, conversation, None, question, "log", "run.log", "", b"dropped" * 1000)
    run = start_run(database, conversation, "offline", "chat", question)
    append_events(database, run, ['{"type": "Tick", "note": "' + "x" * 20_000 + '"}'])
    chart = db.add_artifact(database, conversation, run, None, "plotly", "Channel 1", "pv swings", BIG)
    item = db.StateItem("zspr 052", "downloaded_logs", log, "tool")
    answer = f"It swings.\n\n{marker('plotly', chart)}\n\nkp is too high."
    said = db.finish_turn(database, conversation, run, answer, "ok")
    db.update_memory(conversation, "[#1] s", "{}", database)
    db.add_state_items(database, conversation, [replace(item, message_id=said)])
    db.save_agent_session(database, conversation, "cursor", "w", "s-1")
    folders = [filled("workspaces", conversation), filled("runs", run)]
    folders += [filled("attachments", upload.id) for upload in list_uploads(database, conversation)]
    return conversation, run, chart, folders


def test_deleted_turns_go_with_the_pruning_and_never_before(database):
    conversation, *_ = diagnosed(database)
    later = db.add_message(database, conversation, "user", "and now?")
    db.delete_turn(database, db.list_messages(database, conversation)[0].id)
    assert prunable(database, 30) == []
    (one,) = prunable(database, 30, NOW)
    assert one.kept > len(BIG) // 10
    assert len(prune(database, [one], NOW).pruned) == 1
    assert list_revisions(database, conversation) == []
    assert database.execute("SELECT * FROM deleted_messages").fetchall() == []
    assert [message.id for message in db.list_messages(database, conversation)] == [later]


def test_a_turn_that_is_deleted_or_brought_back_keeps_its_conversation_from_being_pruned(database):
    conversation, *_ = diagnosed(database)
    database.execute("UPDATE conversations SET updated_at = updated_at - ?", (100 * 86_400,))
    for change in (
        lambda: db.delete_turn(database, db.list_messages(database, conversation)[0].id),
        lambda: undo_revision(database, list_revisions(database, conversation)[0].id),
    ):
        (one,) = prunable(database, 30)
        change()
        assert prunable(database, 30) == [] and prune(database, [one]).skipped == (one,)
        database.execute("UPDATE conversations SET updated_at = updated_at - ?", (100 * 86_400,))


def test_nothing_is_pruned_unless_a_time_is_set(database):
    diagnosed(database)
    assert Settings().retention_days == 0
    assert prunable(database, 0, NOW) == prunable(database, -1, NOW) == []
    assert prunable(database, 101, NOW) == []


def test_the_dry_run_says_what_and_how_much_and_changes_nothing(database):
    conversation, run, chart, folders = diagnosed(database)
    log = fetched()
    (one,) = prunable(database, 30, NOW)
    assert (one.conversation_id, one.title) == (conversation, "why?")
    assert one.beside == 15_000 + 9_000 and one.logs == (log,)
    assert one.kept > 100_000 and one.size == one.kept + one.beside
    assert db.get_artifact(database, conversation, chart).content == BIG
    assert all(path.exists() for path in [*folders, log]) and read_events(database, run)


def test_charts_events_folders_and_logs_go_and_messages_and_memory_stay(database):
    conversation, run, chart, folders = diagnosed(database)
    log = fetched()
    before = db.list_messages(database, conversation), db.get_memory(conversation, database)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    size = database_path().stat().st_size
    done = prune(database, prunable(database, 30, NOW), NOW)
    assert [one.conversation_id for one in done.pruned] == [conversation] and not done.skipped
    assert (db.list_messages(database, conversation), db.get_memory(conversation, database)) == before
    assert len(db.list_state_items(database, conversation)) == 1
    assert db.search(database, "kp")
    assert not read_events(database, run) and not db.get_agent_session(database, conversation, "cursor", "w")
    assert not any(path.exists() for path in [*folders, log])
    kept = db.get_artifact(database, conversation, chart)
    assert (kept.content, kept.removed_at, kept.title) == (b"", NOW, "Channel 1")
    assert done.compacted and done.database_after < done.database_before
    assert size - database_path().stat().st_size > 100_000
    assert done.freed == done.database_before - done.database_after + 15_000 + 9_000
    assert prunable(database, 30, NOW) == []


def test_a_conversation_being_answered_or_used_again_is_left_alone(database):
    answering, used = diagnosed(database)[0], diagnosed(database)[0]
    listed = prunable(database, 30, NOW)
    assert len(listed) == 2
    start_run(database, answering, "offline", "chat", db.add_message(database, answering, "user", "more?"))
    db.add_message(database, used, "user", "hello again")
    assert [one.conversation_id for one in prunable(database, 30, NOW)] == [used]
    done = prune(database, listed, NOW)
    assert not done.pruned and len(done.skipped) == 2 and not done.compacted
    assert list_uploads(database, answering) and list_uploads(database, used)


def test_the_file_is_not_compacted_while_another_conversation_is_answered(database):
    diagnosed(database)
    other = db.create_conversation(database)
    run = start_run(database, other, "offline", "chat", db.add_message(database, other, "user", "now?"))
    done = prune(database, [one for one in prunable(database, 30, NOW) if one.conversation_id != other], NOW)
    assert len(done.pruned) == 1 and not done.compacted
    finish_run(database, run, "ok")


def test_a_log_that_a_living_conversation_knows_stays(database):
    diagnosed(database)
    log, alone = fetched(), fetched(log="only_old.log")
    conversation = db.create_conversation(database)
    database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (NOW, conversation))
    db.add_state_items(database, conversation, [db.StateItem("zspr 052", "downloaded_logs", LOG, "tool")])
    diagnosed(database, log="only_old.log")
    prune(database, prunable(database, 30, NOW), NOW)
    assert log.exists() and not alone.exists()


@pytest.mark.parametrize("name", ["../../../instrumentgpt.db", "/etc/hosts", "..", ""])
def test_a_name_in_the_state_never_leads_to_another_file(database, name):
    diagnosed(database, log=name)
    (one,) = prunable(database, 30, NOW)
    assert one.logs == ()
    prune(database, [one], NOW)
    assert database_path().exists() and Path("/etc/hosts").exists()


def test_a_failure_in_the_middle_prunes_nothing_of_the_conversation(database):
    conversation, run, chart, _ = diagnosed(database)
    database.execute(
        "CREATE TRIGGER broken BEFORE DELETE ON run_events BEGIN SELECT RAISE(ABORT, 'disk'); END"
    )
    with pytest.raises(Exception, match="disk"):
        prune(database, prunable(database, 30, NOW), NOW)
    assert db.get_artifact(database, conversation, chart).content == BIG and read_events(database, run)


def test_a_pruned_file_is_not_handed_over_again(database):
    conversation, *_ = diagnosed(database)
    question = db.list_messages(database, conversation)[0].id
    prune(database, prunable(database, 30, NOW), NOW)
    assert list_uploads(database, conversation) == [] and copy_uploads(database, question) == []


def test_the_place_of_a_removed_chart_says_so(database):
    conversation, *_ = diagnosed(database)
    prune(database, prunable(database, 30, NOW), NOW)
    at = page(conversation)
    day = time.strftime("%Y-%m-%d", time.localtime(NOW))
    told = " ".join(caption.value.replace("\\", "") for caption in at.caption)
    assert f"“Channel 1” was removed on {day} to save space. Ask again" in told
    assert f"“run.log” was removed on {day}" in told
    assert "It swings." in " ".join(markdown.value for markdown in at.markdown)


def test_an_export_holds_the_words_the_data_and_the_files(database):
    conversation, _, chart, _ = diagnosed(database)
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        told, text = json.loads(archive.read("conversation.json")), archive.read("conversation.md").decode()
        (file,) = [name for name in archive.namelist() if chart in name]
        assert archive.read(file) == BIG and f"[Channel 1]({file})" in text
        assert all(not name.startswith("/") and ".." not in name for name in archive.namelist())
    assert [message["content"][:4] for message in told["messages"]] == ["why?", "It s"]
    assert told["state_items"][0]["text"] == LOG
    prune(database, prunable(database, 30, NOW), NOW)
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        assert "(Channel 1: removed to save space)" in archive.read("conversation.md").decode()


def test_an_exported_report_can_be_opened_by_its_name(database):
    conversation = db.create_conversation(database)
    asked = db.add_message(database, conversation, "user", "write a report")
    db.add_artifact(database, conversation, None, asked, "html", "compare 051 with 053", "report", b"<p>")
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        assert [name for name in archive.namelist() if name.endswith("compare_051_with_053.html")]


def test_an_export_holds_the_notes_that_count_the_saved_documents_and_the_prompts_as_sent(database):
    conversation, *_ = diagnosed(database)
    question = db.list_messages(database, conversation)[0].id
    for name, scope in [("valve", conversation), ("fuse", "oven 7"), ("tea", "global"), ("other", "oven 9")]:
        db.save_note(database, name, f"about the {name}", scope=scope)
    file_device_state(database, conversation, "oven 7", "{}")
    db.save_document(database, conversation, "gen_report_1", "markdown", "溫度 report", "# 報告".encode())
    gone = db.save_document(database, conversation, "gen_report_2", "html", "gone", b"<p>")
    (documents_folder(database) / gone.file).unlink()
    for task in ("chat", "../think"):
        told = {"run_id": "", "task": task, "agent": "offline", "budget": 8000}
        keep_prompt(database, conversation, question, f"why? {task}", **told)
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        names, told = archive.namelist(), json.loads(archive.read("conversation.json"))
        assert [note["id"] for note in told["notes"]] == ["valve", "fuse", "tea"]
        assert "## fuse (note, oven 7, " in archive.read("notes.md").decode()
        assert archive.read("documents/溫度 report.md").decode() == "# 報告"
        assert [one["file"] for one in told["documents"]] == ["documents/溫度 report.md"]
        sent = [one["file"] for one in told["prompts"]]
        assert sent == ["prompts/0001-chat-offline.txt", "prompts/0002-think-offline.txt"]
        assert archive.read(sent[0]) == b"why? chat" and set(sent) <= set(names)


def test_an_unknown_conversation_is_not_exported(database):
    with pytest.raises(db.UnknownConversation, match="Start a new one"):
        exported(database, "nobody")


def test_the_commands_tell_export_and_prune(database, tmp_path, capsys):
    conversation, *_ = diagnosed(database)
    database.execute("UPDATE conversations SET updated_at = updated_at - 864000")
    assert main(["prune"]) == 0
    printed = capsys.readouterr().out
    assert "0 conversations" in printed and "--days" in printed  # off unless a time is set
    assert main(["prune", "--days", "5"]) == 0
    printed = capsys.readouterr().out
    assert conversation in printed and "Nothing was changed" in printed
    assert main(["export", conversation, "-o", str(tmp_path / "case.zip")]) == 0
    assert zipfile.is_zipfile(tmp_path / "case.zip")
    capsys.readouterr()
    assert main(["prune", "--days", "5", "--yes", "--export", str(tmp_path / "kept")]) == 0
    printed = capsys.readouterr().out
    assert "1 conversation" in printed and "before" in printed and "freed" in printed
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [export_name("why?", conversation)]
    assert main(["export", "nobody"]) == 1


@pytest.mark.parametrize(("text", "value"), [("0", False), ("off", False), ("1", True), ("true", True)])
def test_a_switch_is_read_from_the_environment(monkeypatch, text, value):
    monkeypatch.setenv("INSTRUMENTGPT_BACKGROUND_SUMMARY", text)
    assert settings_in_force({}).background_summary is value
