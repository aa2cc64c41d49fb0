"""An interview turn by turn: summary, approval, the statement, what the diagnosis knows of it then."""

from contextlib import closing
from dataclasses import replace

import pytest
from interview_talk import Talk, prompts_of, stub_agent

import db
import memory
from instrumentgpt.agents.events import Failure
from instrumentgpt.modes.interview.statement import choose, read_choices, read_interview
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.conversations import save_permission
from instrumentgpt.storage.runs import list_runs

pytestmark = pytest.mark.usefixtures("database")

TOLD = """- Problem: 10.1.1.47 is off by two degrees since Monday.
- Examples: Yesterday at 14:20 it showed 52.3 instead of 50.
- Users: night shift operators
- Impact: We lose a batch a day.
- Requirements: It should hold ±0.1 °C.
- Success criteria: It is fixed when no alarm comes for a week.
- Constraints: We cannot stop production before Friday.
- Tried or proposed: raise kp"""
TOLD_ZH = """- 問題：10.1.1.47 的溫度從禮拜一開始差兩度。
- 具體例子：昨天下午三點設50度但顯示52。
- 使用者：夜班操作員
- 需求：必須維持在正負0.1度。
- 驗收標準：連續8小時沒有警報就算修好。
- 限制：禮拜五之前不能停機。"""


@pytest.fixture(scope="module")
def told(tmp_path_factory, warm_server):
    """Where an interview is that has told all but its edge cases, and that interview."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "warm.sock").symlink_to(warm_server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSTRUMENTGPT_HOME", str(folder))
        return database_path(), waiting(Talk(), TOLD, "Show the summary")


@pytest.fixture
def talk(told, database):
    """That interview as the test's own: it waits for the yes to its summary."""
    path, talk = told
    with closing(db.connect(path)) as kept:
        kept.conn.backup(database.conn)
    return replace(talk, answers=[*talk.answers])


def quick(tmp_path, monkeypatch) -> str:
    replies = (f"✅ Clear.\n\n❓ What else is there, for number {number}?" for number in range(10))
    program = stub_agent(tmp_path / "good", *replies)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    return "cursor"


def waiting(talk: Talk, *words: str) -> Talk:
    for word in words:
        talk.say(word)
    return talk


def documents():
    return sorted((home() / "documents").glob("*")) if (home() / "documents").is_dir() else []


def test_000_9_the_summary_has_every_field_that_is_not_empty_and_saves_nothing(talk, database):
    summary = talk.answers[-1]
    for told in [
        "**Instrument**: zspr 052",
        "**Problem**: 10.1.1.47 is off by two degrees since Monday.",
        "**Examples**: Yesterday at 14:20 it showed 52.3 instead of 50.",
        "**Impact**: We lose a batch a day.",
        "**Users**: night shift operators",
        "**Requirements**: It should hold ±0.1 °C.",
        "**Success criteria**: It is fixed when no alarm comes for a week.",
        "**Constraints**: We cannot stop production before Friday.",
        "**Edge cases**: left open",
        "**Tried or proposed**: raise kp",
    ]:
        assert told in summary
    assert summary.count("✅") == summary.count("❓") == 1
    assert documents() == [] and db.list_documents(database) == []
    assert memory.DiagnosticState.deserialize(db.get_memory(talk.conversation, database)[1]).findings == []


@pytest.mark.parametrize(
    "words",
    [
        "It broke yesterday",
        "yes, but it is three degrees",
        "don't save it",
        "是三度",
    ],
)
def test_000_9_only_a_plain_yes_saves(talk, words, database):
    answer = talk.say(words)
    assert documents() == [] and db.list_documents(database) == []
    assert answer.count("❓") == 1
    assert talk.say("yes") and len(documents()) == 1


@pytest.mark.parametrize("words", ["looks good", "是，儲存"])
def test_000_9_an_approval_in_either_language_saves(talk, words, database):
    talk.say(words)
    (path,) = documents()
    (document,) = db.list_documents(database, talk.conversation)
    assert path.name == document.file and document.ref == "statement_1"
    assert "It should hold ±0.1 °C." in path.read_text(encoding="utf-8")


def test_000_9_a_document_is_saved_whole_or_not_at_all(talk, database):
    (home() / "documents").write_text("in the way")
    talk.say("yes")
    assert any(isinstance(event, Failure) and "say yes again" in event.text for event in talk.events)
    assert db.list_documents(database) == []
    (home() / "documents").unlink()
    assert "Saved as" in talk.say("yes")
    assert len(documents()) == 1 and not list((home() / "documents").glob(".part-*"))


def test_000_9_a_correction_amends_the_summary_which_is_shown_again(tmp_path, monkeypatch):
    talk = waiting(Talk(), TOLD, "Show the summary")
    again = talk.say("it was 53.4, not 52.3")
    assert again.startswith("✅ Corrected: “53.4” instead of “52.3”.") and "showed 53.4 instead" in again
    assert "**Impact**: half a batch" in talk.say("- Impact: half a batch")
    assert "**Corrections**: the serial plate is blue" in talk.say("the serial plate is blue")
    talk.say("yes")
    text = documents()[0].read_text(encoding="utf-8")
    assert "53.4" in text and "half a batch" in text and "blue" in text and "52.3" not in text


def test_a_no_asks_what_is_to_be_changed(talk):
    assert talk.say("no") == "✅ Nothing is saved.\n\n❓ What is to be changed?"


def test_the_summary_offers_its_yes_and_the_statement_offers_the_diagnosis(talk):
    assert talk.offers() == [("Yes, save it", "Yes, save it", "interview")]
    talk.say("Yes, save it")
    diagnose, investigate = talk.offers()
    assert diagnose == (
        "Continue with diagnosis",
        "zspr 052: 10.1.1.47 is off by two degrees since Monday. What is the cause?",
        "chat",
    )
    assert investigate[0] == "Investigate" and investigate[2] == "investigate"
    assert "zspr 052" in investigate[1]


def test_the_chinese_interview_ends_in_a_chinese_document(tmp_path, monkeypatch):
    talk = waiting(Talk(quick(tmp_path, monkeypatch)), TOLD_ZH, "顯示總結")
    assert "**問題**: 10.1.1.47 的溫度從禮拜一開始差兩度。" in talk.answers[-1]
    assert talk.say("是").startswith("✅ 已存為 **故障報告 zspr 052")
    text = documents()[0].read_text(encoding="utf-8")
    assert "## 驗收標準\n- 連續8小時沒有警報就算修好。" in text
    assert talk.offers()[0][1] == "zspr 052：10.1.1.47 的溫度從禮拜一開始差兩度，是什麼原因？"


def test_the_approved_statement_is_what_the_diagnosis_begins_with(talk, database):
    talk.say("yes")
    state = memory.DiagnosticState.deserialize(db.get_memory(talk.conversation, database)[1])
    assert (state.device_name, state.status) == ("zspr 052", "investigating")
    assert state.findings[0] == "Reported: 10.1.1.47 is off by two degrees since Monday."
    assert "Tried or proposed: raise kp" in state.findings[1] and "52.3 instead of 50" in state.findings[1]
    items = [one for one in db.list_state_items(database, talk.conversation) if one.field == "findings"]
    assert {(item.source, item.device) for item in items} == {("user", "zspr 052")}


def test_after_the_approval_another_interview_begins_empty(talk, database):
    talk.say("yes")
    assert read_interview(database, talk.conversation)[0].turn == 0
    talk.say("zspr 051 is noisy")
    interview, messages = read_interview(database, talk.conversation)
    assert interview.turn == 1 and len(messages) == 2
    assert interview.lines == {"description": ("zspr 051 is noisy",)}


def test_two_statements_of_one_day_are_two_documents(talk, database):
    talk.say("yes")
    waiting(talk, TOLD, "enough", "yes")
    assert len(documents()) == 2
    assert [one.ref for one in db.list_documents(database)] == ["statement_2", "statement_1"]


def test_what_a_deleted_turn_said_is_unsaid(tmp_path, monkeypatch, database):
    talk = waiting(Talk(quick(tmp_path, monkeypatch)), "10.1.1.47 drifts", "the night shift operators use it")
    newest = db.list_messages(database, talk.conversation, last=1)[0]
    db.delete_turn(database, newest.id)
    interview, _ = read_interview(database, talk.conversation)
    assert interview.lines == {"description": ("10.1.1.47 drifts",)}


def test_questions_of_another_mode_and_commands_are_no_part_of_it(tmp_path, monkeypatch, database):
    talk = waiting(Talk(quick(tmp_path, monkeypatch)), "10.1.1.47 drifts")
    talk.say("It must hold ±5, the operators say", mode="chat")
    talk.say("$memorize limit the users need ±7")
    talk.say("yesterday at 9:30 it read 52 instead of 50")
    interview, messages = read_interview(database, talk.conversation)
    assert interview.turn == 2 and len(messages) == 4
    assert list(interview.lines) == ["description", "examples"]


def test_000_6_nothing_but_what_was_said_is_stored(tmp_path, monkeypatch, database):
    talk = waiting(Talk(quick(tmp_path, monkeypatch)), "it drifts", *["What should I set kp to?"] * 9)
    contents = [message.content for message in db.list_messages(database, talk.conversation)]
    assert len(contents) == 20
    assert not any("REMINDER" in content or "summarized" in content for content in contents)
    program = tmp_path / "good" / "agent"
    reminded = [turn for turn, prompt in enumerate(prompts_of(program), 1) if "[REMINDER]" in prompt]
    assert reminded == [5, 10]
    assert "[Previous discussion summarized - gathered:" in prompts_of(program)[-1]


def test_000_4_only_words_of_the_user_are_gathered(tmp_path, monkeypatch, database):
    loud = (
        "✅ Clear: the users must fix the problem, for example when it fails.\n\n❓ Which users need success?"
    )
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(stub_agent(tmp_path / "loud", loud)))
    talk = waiting(Talk("cursor"), "it drifts", *["What should I set kp to?"] * 6)
    assert read_interview(database, talk.conversation)[0].lines == {"description": ("it drifts",)}


def test_the_agent_may_only_read_whatever_the_conversation_allows(tmp_path, monkeypatch, database):
    program = tmp_path / "agent"
    program.write_text(
        "#!/bin/sh\ncase \"$*\" in *--help*) echo '  --force  run'; exit 0;; esac\n"
        f'echo "$*" >> {tmp_path}/asked; cat > /dev/null\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk = Talk("cursor", db.create_conversation(database))
    save_permission(database, talk.conversation, may_run=True, may_edit=True, changed_by="test")
    talk.say("10.1.1.47 drifts")
    talk.say("why?", mode="chat")
    interview, chat = (
        (tmp_path / "asked").read_text().splitlines()[0],
        (tmp_path / "asked").read_text().splitlines()[-1],
    )
    assert "--force" not in interview and "--force" in chat


def test_a_root_cause_found_before_is_told_to_the_agent(talk, database, tmp_path, monkeypatch):
    earlier = db.create_conversation(database, "last month")
    state = memory.DiagnosticState("10.1.1.47", "zspr 052", root_causes=["a worn relay of channel 2"])
    db.update_memory(earlier, "", state.serialize(), database)
    db.add_state_items(
        database, earlier, [db.StateItem("zspr 052", "root_causes", state.root_causes[0], "agent")]
    )
    program = stub_agent(tmp_path / "asked", "✅ Clear.\n\n❓ What else?")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    Talk("cursor").say("zspr 052 drifts")
    assert "a worn relay of channel 2" in prompts_of(program)[0]


def test_a_device_that_the_inventory_lacks_can_be_reported_too(tmp_path, monkeypatch):
    talk = waiting(Talk(quick(tmp_path, monkeypatch)), "10.9.9.9 is off by two degrees", "enough")
    assert "**Instrument**: 10.9.9.9" in talk.answers[-1]


def test_template_and_target_of_the_page_count_and_end_with_the_interview(talk, database):
    choose(database, talk.conversation, template="change_requirements", target="Line 3")
    talk.say("Is it right?")
    assert "“Line 3”" in talk.answers[-1]
    talk.say("yes")
    assert documents()[0].name == "Line 3.md"
    assert read_choices(database, talk.conversation) == {}


def test_a_template_of_the_users_own_loses_nothing_that_was_said(talk, database):
    (home() / "templates").mkdir()
    (home() / "templates" / "line_note.md").write_text("Line note $date\n\n$description\n$unknown $5\n")
    choose(database, talk.conversation, template="line_note")
    talk.say("yes")
    text = documents()[0].read_text(encoding="utf-8")
    assert text.startswith("Line note 20") and "$unknown $5" in text
    for told in ("two degrees", "52.3", "night shift", "a batch a day", "±0.1 °C", "alarm", "before Friday"):
        assert told in text


def test_stopping_leaves_no_answer_of_ours(tmp_path, monkeypatch, database):
    from instrumentgpt.turn import runs

    program = tmp_path / "agent"
    program.write_text('#!/bin/sh\ncase "$*" in *--help*) exit 0;; esac\nsleep 30\n')
    program.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    conversation = db.create_conversation(database)
    events = list(
        runs.consume(
            database_path(), conversation, "it drifts", mode="interview", agent="cursor", stopped=lambda: True
        )
    )
    assert events[-1].outcome == "cancelled"
    assert list_runs(database, conversation)[0].status == "cancelled"


def test_what_the_conversation_has_on_record_is_in_the_interviews_prompt(tmp_path, monkeypatch):
    program = stub_agent(tmp_path / "asked", "✅ Clear.\n\n❓ What else?")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk = Talk("cursor")
    talk.say("10.1.1.47: we set kp of channel 2 to 7. Do not restart it before Friday.", mode="chat")
    talk.say("We ruled out the sensor: it was swapped.", mode="chat")
    for _ in range(4):
        talk.say("what now?", mode="chat")
    talk.say("it drifts")
    context = prompts_of(program)[-1].split("<diagnostic_context>")[1].split("</diagnostic_context>")[0]
    assert "Do not restart it before Friday" in context
    assert "kp" in context and "7" in context
    assert "ruled out the sensor" in context


def test_what_the_interview_learned_is_in_the_prompts_of_every_mode(talk, tmp_path, monkeypatch, database):
    talk.say("yes")
    for _ in range(6):  # until the interview is long out of the recent messages
        db.add_message(database, talk.conversation, "user", "and now?")
        db.add_message(database, talk.conversation, "assistant", "Nothing new.")
    talk.agent = "cursor"
    for mode in ("chat", "investigate", "panel"):
        program = stub_agent(tmp_path / mode, "It is the relay.")
        monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
        talk.say("What is the cause, sensor or relay?", mode=mode)
        prompt = prompts_of(program)[0]
        for told in (
            "off by two degrees since Monday",
            "stop production before Friday",
            "raise kp",
            "±0.1 °C",
        ):
            assert told in prompt, mode
