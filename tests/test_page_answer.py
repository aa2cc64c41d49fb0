"""What stands with an answer, and what can be asked again from it, without a browser."""

import pytest
from pages import open_expander, page, texts
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.agents.events import Done, Failure, Session, Text, Thinking, Tick, Tool, to_json
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import rate
from instrumentgpt.storage.runs import append_events, begin_run, finish_run, list_runs, read_events, start_run
from instrumentgpt.turn.runs import stop
from instrumentgpt.ui.inspector import VIEW
from instrumentgpt.ui.progress import RESULT_CHARACTERS, THINKING_CHARACTERS

HOSTILE = "<img src=x onerror=alert(1)> :red[x] $5"


def answered(database, *events, question="why?", status="ok", agent="claude"):
    """Return the conversation and the question's id of a turn that told `events`."""
    conversation = db.create_conversation(database)
    question_id = db.add_message(database, conversation, "user", question)
    run = start_run(database, conversation, agent, "chat", question_id)
    append_events(database, run, [to_json(event) for event in events])
    db.finish_turn(database, conversation, run, "because", outcome=status)
    return conversation, question_id


def menu(at: AppTest):
    return next(one for one in at.main.menu_button if one.key.startswith("again-"))


def pencil(at: AppTest):
    return next(one for one in at.main.button if one.key and one.key.startswith("edit-"))


def questions(database, conversation) -> list[str]:
    messages = db.list_messages(database, conversation)
    return [message.content for message in messages if message.role == "user"]


@pytest.fixture
def stopping(database):
    """Return a function that stops whatever was started in a conversation, and return its newest run."""
    started = []

    def newest(conversation):
        run = list_runs(database, conversation)[0]
        started.append(run.id)
        return run

    yield newest
    for run_id in started:
        stop(database_path(), run_id)


def test_who_answered_how_long_it_took_and_what_it_cost(database):
    usage = {"inputTokens": 12_340.0, "outputTokens": 410.0, "costUSD": 0.0123}
    told = (Session("s", "claude", "sonnet"), Text("because"), Done("ok", "because", 7.04, usage))
    conversation, _ = answered(database, *told)
    at = page(conversation)
    assert "Claude Code · sonnet · 7.0 s · tokens: 12.3k in, 410 out · 0.0123 USD" in texts(at)
    at.session_state[VIEW] = "Prompt"
    assert "This conversation has taken 12,750 tokens, 0.0123 USD." in texts(at.run())


def test_an_agent_that_is_missing_is_one_notice_with_a_way_out(database, monkeypatch):
    monkeypatch.setenv("PATH", "")
    db.save_setting(database, "agent", "codex")
    at = page(db.create_conversation(database))
    at.chat_input[0].set_value("why?").run()
    assert texts(at).count("is not installed") == 1
    next(one for one in at.button if one.label == "Use the offline analyst").click().run()
    assert "is not installed" not in texts(at) and "Offline analyst answers" in texts(at)


def test_what_the_agent_does_not_report_is_left_out(database):
    conversation, _ = answered(database, Done("ok", "because", 2.0))
    assert "Claude Code · 2.0 s" in texts(page(conversation)).splitlines()


def test_thinking_is_one_closed_line_that_opens_as_plain_text(database):
    conversation, _ = answered(database, Thinking("first "), Thinking(HOSTILE), Done("ok", "because"))
    at = page(conversation)
    assert HOSTILE not in texts(at)
    open_expander(at, f"thinking-{list_runs(database, conversation)[0].id}")
    assert f"first {HOSTILE}" in [element.value for element in at.main.text]


def test_of_endless_thinking_the_end_is_kept(database):
    conversation, _ = answered(database, Thinking("a" * 50_000), Thinking("the end"))
    at = page(conversation)
    open_expander(at, f"thinking-{list_runs(database, conversation)[0].id}")
    (words,) = [element.value for element in at.main.text if "aaa" in element.value]
    assert words.endswith("the end")
    assert len(words) == THINKING_CHARACTERS
    assert f"{THINKING_CHARACTERS:,} of 50,007 characters" in texts(at)


def test_without_thinking_no_line_of_it(database):
    conversation, _ = answered(database, Done("ok", "because"))
    assert not [one for one in page(conversation).main.expander if one.label == "Thinking"]


def test_a_large_result_is_cut_on_screen_with_a_note_and_kept_whole(database):
    conversation, _ = answered(database, Tool("c", "read", "ok", result="x" * 12_345))
    at = page(conversation)
    (run,) = list_runs(database, conversation)
    open_expander(at, f"steps-{run.id}")
    assert "x" * RESULT_CHARACTERS in texts(at) and "x" * (RESULT_CHARACTERS + 1) not in texts(at)
    assert f"{12_345 - RESULT_CHARACTERS:,} more characters are not shown here." in texts(at)
    assert "x" * 12_345 in read_events(database, run.id)[0][1]


def test_tools_that_were_denied_stand_out_by_name(database):
    tools = [Tool(f"c{number}", f"tool_{number}", "denied") for number in range(5)]
    conversation, _ = answered(database, *tools, Tool("c9", "read", "ok"), Done("ok", "because"))
    shown = texts(page(conversation))
    assert "Not allowed: Tool\\_0, Tool\\_1" not in shown  # as people write it
    assert "Not allowed: Tool 0, Tool 1, Tool 2 and 2 more" in shown


def test_the_name_of_a_denied_tool_formats_nothing(database):
    conversation, _ = answered(database, Tool("c", HOSTILE, "denied"))
    shown = texts(page(conversation))
    assert "Not allowed: \\<img" in shown
    assert ":red[x]" not in shown.replace("\\:", "")


def test_a_remedy_stands_with_the_failure(database):
    failure = Failure("not-logged-in", "no key", "Run agent login")
    conversation, _ = answered(database, failure, status="not-logged-in")
    assert "no key" in texts(page(conversation))
    assert ":material/build: Run agent login" in texts(page(conversation))


def test_only_agents_that_are_installed_are_offered(database):
    conversation, _ = answered(database)
    assert menu(page(conversation)).options == ["Ask Offline analyst"]


def test_the_same_question_goes_to_the_chosen_agent_and_the_earlier_answer_stays(database, stopping):
    conversation, _ = answered(database, question="10.1.1.47 為什麼波動？")
    at = page(conversation)
    menu(at).click("offline").run()
    run = stopping(conversation)
    assert run.agent == "offline"
    assert questions(database, conversation) == ["10.1.1.47 為什麼波動？"] * 2
    assert "because" in texts(at)


def test_the_files_of_a_question_come_along_when_it_is_asked_again(database, stopping):
    conversation, question = answered(database)
    db.add_artifact(database, conversation, None, question, "log", "oven.csv", "oven", b"time,pv")
    menu(page(conversation)).click("offline").run()
    again = stopping(conversation).question_message_id
    (copy,) = db.list_artifacts(database, again)
    assert (copy.title, db.get_artifact(database, conversation, copy.id).content) == ("oven.csv", b"time,pv")
    assert [one.title for one in db.list_artifacts(database, question)] == ["oven.csv"]


def test_an_edited_question_is_a_new_one_at_the_end(database, stopping):
    conversation, _ = answered(database, question="why does zspr 051 swing?")
    at = page(conversation)
    pencil(at).click().run()
    (box,) = [area for area in at.text_area if area.key.startswith("edited-")]
    assert box.value == "why does zspr 051 swing?"
    box.set_value("why does zspr 052 swing?").run()
    next(button for button in at.button if button.label == "Ask").click().run()
    stopping(conversation)
    assert questions(database, conversation) == ["why does zspr 051 swing?", "why does zspr 052 swing?"]
    assert "because" in texts(at)
    assert not [area for area in at.text_area if area.key.startswith("edited-")]


@pytest.mark.parametrize("mode", ["panel", "chat"])
@pytest.mark.parametrize("how", ["edited", "again"])
def test_a_question_is_asked_again_in_its_own_mode_whatever_came_since(database, stopping, mode, how):
    conversation, question = answered(database)
    finish_run(database, start_run(database, conversation, "offline", mode, question), "ok")
    finish_run(database, start_run(database, conversation, "offline", "interview"), "ok")
    at = page(conversation)
    if how == "again":
        menu(at).click("offline").run()
    else:
        pencil(at).click().run()
        next(button for button in at.button if button.label == "Ask").click().run()
    assert stopping(conversation).mode == mode


def deletion(at: AppTest):
    return next(one for one in at.button if one.key and one.key.startswith("delete-"))


def test_a_deleted_turn_leaves_the_page_and_the_rest_stays(database):
    conversation, _ = answered(database, question="why does zspr 051 swing?")
    later = db.add_message(database, conversation, "user", "and zspr 052?")
    at = page(conversation)
    pencil(at).click().run()
    deletion(at).click().run()
    assert [one.id for one in db.list_messages(database, conversation)] == [later]
    assert "because" not in texts(at)
    assert not [area for area in at.text_area if area.key.startswith("edited-")]


def test_a_turn_that_another_tab_has_asked_again_is_not_deleted(database):
    conversation, question = answered(database)
    at = page(conversation)
    pencil(at).click().run()
    start_run(database, conversation, "offline", "chat", question)
    deletion(at).click().run()
    assert len(db.list_messages(database, conversation)) == 2
    assert at.error


def test_an_edited_question_of_blanks_is_not_asked(database):
    conversation, _ = answered(database)
    at = page(conversation)
    pencil(at).click().run()
    next(area for area in at.text_area if area.key.startswith("edited-")).set_value("  ").run()
    next(button for button in at.button if button.label == "Ask").click().run()
    assert questions(database, conversation) == ["why?"]


def test_nothing_is_asked_again_while_an_answer_is_written(database):
    conversation, question = answered(database)
    start_run(database, conversation, "offline", "chat", question)
    at = page(conversation)
    assert menu(at).disabled
    assert pencil(at).disabled


def test_an_edit_sent_after_another_tab_has_asked_is_kept_in_the_input(database):
    conversation, question = answered(database)
    at = page(conversation)
    pencil(at).click().run()
    next(area for area in at.text_area if area.key.startswith("edited-")).set_value("and now?").run()
    start_run(database, conversation, "offline", "chat", question)
    next(button for button in at.button if button.label == "Ask").click().run()
    assert at.session_state["question"] == "and now?" or at.chat_input[0].value == "and now?"
    assert questions(database, conversation) == ["why?"]


def test_a_question_in_the_queue_shows_as_waiting_with_its_place(database):
    conversation, question = answered(database)
    run = start_run(database, conversation, "offline", "chat", question)
    append_events(database, run, [to_json(Tick("number 1 in the queue"))])
    at = page(conversation)
    assert "Waiting] number 1 in the queue" in texts(at)
    (listed,) = [one for one in at.sidebar.button if one.key == f"open-{conversation}"]
    assert "hourglass" in listed.icon
    assert begin_run(database, run, at_once=1) == 0
    assert "Waiting" not in texts(page(conversation))


def test_a_question_whose_answer_helped_is_offered_to_begin_with(database):
    for question, helped in (("why does it hunt?", True), ("x" * 500, True), ("is it raining?", False)):
        conversation, _ = answered(database, question=question)
        rate(database, db.list_messages(database, conversation, last=1)[0].id, helped, "", "ann")
    offered = [one.label for one in page().main.button if (one.key or "").startswith("helped-")]
    assert len(offered) == 1 and "why does it hunt?" in offered[0]
