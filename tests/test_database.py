"""What is stored comes back as it was: conversations, raw messages, memory, artifacts, settings, notes."""

import shutil

import pytest

import db
from instrumentgpt.storage import runs
from instrumentgpt.storage.artifacts import Artifact, attach_artifacts


@pytest.fixture
def database(tmp_path, migrated):
    opened = db.connect(shutil.copy(migrated, tmp_path / "x.db"))
    yield opened
    opened.close()


def test_a_conversation_is_found_again(database):
    conversation_id = db.create_conversation(database, "Oven 052")
    found = db.get_conversation(database, conversation_id)
    assert (found.id, found.title) == (conversation_id, "Oven 052")
    assert found.created_at == found.updated_at > 1.7e9


def test_no_conversation_is_none(database):
    assert db.get_conversation(database, "nobody") is None


def test_a_conversation_without_a_title_takes_the_first_question(database, conversation):
    db.add_message(database, conversation, "user", "10.1.1.47\n為什麼溫度波動？")
    db.add_message(database, conversation, "user", "Another question")
    assert db.get_conversation(database, conversation).title == "10.1.1.47 為什麼溫度波動？"


def test_a_long_first_question_makes_a_short_title(database, conversation):
    db.add_message(database, conversation, "user", "why " * 100)
    title = db.get_conversation(database, conversation).title
    assert len(title) == 60 and title.endswith("…")


def test_a_given_title_stays(database):
    conversation_id = db.create_conversation(database, "Mine")
    db.add_message(database, conversation_id, "user", "why?")
    assert db.get_conversation(database, conversation_id).title == "Mine"


def test_conversations_are_listed_last_used_first(database):
    first, second = (db.create_conversation(database, title) for title in "ab")
    assert [row.id for row in db.list_conversations(database)] == [second, first]
    db.add_message(database, first, "user", "why?")
    assert [row.id for row in db.list_conversations(database)] == [first, second]
    assert len(db.list_conversations(database, limit=1)) == 1


@pytest.mark.parametrize(
    "search, found",
    [
        ("oven", {"Oven 052"}),
        ("溫度", {"溫度 at 100%"}),
        ("100%", {"溫度 at 100%"}),
        ("_", set()),
        ("%", {"溫度 at 100%"}),
        ("\\", set()),
        ("052' OR 1=1 --", set()),
        (" ", {"Oven 052", "溫度 at 100%"}),
    ],
)
def test_search_looks_at_titles_and_knows_no_wildcards(database, search, found):
    for title in ("Oven 052", "溫度 at 100%"):
        db.create_conversation(database, title)
    assert {row.title for row in db.list_conversations(database, search)} == found


def test_a_conversation_gets_another_title(database, conversation):
    db.rename_conversation(database, conversation, "新標題")
    assert db.get_conversation(database, conversation).title == "新標題"


def test_004_14_messages_are_stored_raw(database, conversation):
    raw = "<!-- PLOTLY_CHART:a -->\r\n[2026-02-19 23:24:45] TEMP\x00 ```\n" + "長" * 100_000
    message_id = db.add_message(database, conversation, "assistant", raw, "run1", "cancelled")
    message = db.list_messages(database, conversation)[0]
    assert (message.id, message.role, message.content) == (message_id, "assistant", raw)
    assert (message.run_id, message.status) == ("run1", "cancelled")


def test_messages_are_listed_oldest_first_and_in_pages(database, conversation):
    ids = [db.add_message(database, conversation, "user", str(n)) for n in range(10)]
    assert [row.id for row in db.list_messages(database, conversation)] == ids
    assert [row.id for row in db.list_messages(database, conversation, last=3)] == ids[-3:]
    assert [row.id for row in db.list_messages(database, conversation, last=3, before=ids[7])] == ids[4:7]
    assert db.list_messages(database, conversation, before=ids[0]) == []
    assert db.count_messages(database, conversation) == 10


def test_ids_are_never_used_twice(database, conversation):
    first = db.add_message(database, conversation, "user", "a")
    db.delete_turn(database, first)
    assert db.add_message(database, conversation, "user", "b") > first


def test_a_role_that_nobody_has_is_refused(database, conversation):
    with pytest.raises(ValueError, match="role is 'system'"):
        db.add_message(database, conversation, "system", "obey")


def test_a_deleted_conversation_takes_everything_with_it(database, conversation):
    question = db.add_message(database, conversation, "user", "x")
    run = runs.start_run(database, conversation, "offline", "chat", question)
    runs.append_events(database, run, ["{}"])
    db.add_artifact(database, conversation, run, question, "plotly", "t", "a", b"{}")
    db.add_state_items(database, conversation, [db.StateItem("052", "findings", "f", "tool", question)])
    db.file_device_state(database, conversation, "052", "{}")
    db.save_agent_session(database, conversation, "cursor", "/w", "s1")
    runs.finish_run(database, run, "ok")
    db.delete_conversation(database, conversation)
    tables = ["conversations", "all_messages", "runs", "run_events", "all_artifacts", "all_state_items"]
    for table in [*tables, "device_states", "agent_sessions"]:
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_004_13_memory_comes_back_and_nothing_else_changes(database, conversation):
    db.add_message(database, conversation, "user", "why?")
    before = db.get_conversation(database, conversation)
    db.update_memory(conversation, "[#1] User: 為什麼", '{"status": "idle"}', database)
    assert db.get_memory(conversation, database) == ("[#1] User: 為什麼", '{"status": "idle"}')
    assert db.get_conversation(database, conversation) == before
    assert db.count_messages(database, conversation) == 1


def test_004_13_an_unknown_conversation_has_no_memory(database):
    assert db.get_memory("nobody", database) == ("", "")


def test_004_13_the_two_memory_functions_work_without_a_database():
    opened = db.connect(db.database_path())
    conversation_id = db.create_conversation(opened)
    opened.close()
    db.update_memory(conversation_id, "s", "{}")
    assert db.get_memory(conversation_id) == ("s", "{}")


UNKNOWN = {
    "add_message": lambda d: db.add_message(d, "nobody", "user", "x"),
    "rename_conversation": lambda d: db.rename_conversation(d, "nobody", "x"),
    "update_memory": lambda d: db.update_memory("nobody", "", "", d),
    "add_artifact": lambda d: db.add_artifact(d, "nobody", None, None, "plotly", "t", "a", b""),
    "start_run": lambda d: runs.start_run(d, "nobody", "offline", "chat"),
}


@pytest.mark.parametrize("call", UNKNOWN.values(), ids=UNKNOWN)
def test_writing_to_a_conversation_that_was_deleted_says_so(database, call):
    with pytest.raises(db.UnknownConversation, match=r"'nobody'.*Start a new"):
        call(database)


def test_an_artifact_comes_back_whole_and_only_to_its_conversation(database, conversation):
    content = b'{"data": []}' * 1000
    artifact_id = db.add_artifact(database, conversation, "r1", None, "plotly", "溫度", "alt", content)
    found = db.get_artifact(database, conversation, artifact_id)
    assert (found.content, found.size, found.title, found.alt) == (content, 12_000, "溫度", "alt")
    assert db.get_artifact(database, db.create_conversation(database), artifact_id) is None
    assert db.get_artifact(database, conversation, "nobody") is None
    stored = database.execute("SELECT length(content) FROM artifacts").fetchone()[0]
    assert stored < 200


def test_the_artifacts_of_a_run_go_to_the_message_that_answers(database, conversation):
    ids = [
        db.add_artifact(database, conversation, run, None, "plotly", "t", "a", b"")
        for run in ("r1", "r1", "r2")
    ]
    message = db.add_message(database, conversation, "assistant", "x", "r1")
    assert attach_artifacts(database, "r1", message) == 2
    assert [row.id for row in db.list_artifacts(database, message)] == ids[:2]
    assert db.list_artifacts(database, "r2", "run_id")[0] == Artifact(
        ids[2], conversation, "r2", None, "plotly", "t", "a", 0, pytest.approx(1.7e9, rel=1)
    )


def test_where_a_finding_came_from_is_kept_by_device(database, conversation):
    first = db.StateItem("052", "findings", "振盪", "tool", None, "a.log", 31, 5.0)
    db.add_state_items(database, conversation, [first, db.StateItem("053", "root_causes", "x", "agent")])
    items = db.list_state_items(database, conversation)
    assert items[0] == first and [row.device for row in items] == ["052", "053"]


def test_the_filed_state_of_a_device_is_replaced(database, conversation):
    for state in ("{}", '{"a": 1}'):
        db.file_device_state(database, conversation, "052", state)
    assert db.device_states(database, conversation) == {"052": '{"a": 1}'}


@pytest.mark.parametrize("value", ["x", 5, 2.5, True, "溫度"])
def test_a_setting_is_saved_replaced_and_forgotten(database, value):
    db.save_setting(database, "agent", "auto")
    db.save_setting(database, "agent", value)
    assert db.get_settings(database) == {"agent": value}
    db.save_setting(database, "agent", None)
    assert db.get_settings(database) == {}


def test_notes_are_kept_found_and_forgotten(database):
    db.save_note(database, "n1", "Do not restart it", scope="052")
    db.save_note(database, "n2", "比例增益 0.09")
    db.save_note(database, "n2", "比例增益 0.12")
    assert [note.text for note in db.list_notes(database)] == [
        "比例增益 0.12",
        "Do not restart it",
    ]
    assert [note.id for note in db.list_notes(database, "052")] == ["n1"]
    assert db.delete_note(database, "n2") and not db.delete_note(database, "n2")


def test_an_agents_session_is_kept_per_conversation_agent_and_folder(database, conversation):
    for session in ("s1", "s2"):
        db.save_agent_session(database, conversation, "cursor", "/a", session)
    assert db.get_agent_session(database, conversation, "cursor", "/a") == "s2"
    assert db.get_agent_session(database, conversation, "cursor", "/b") == ""
    assert db.get_agent_session(database, conversation, "claude", "/a") == ""
