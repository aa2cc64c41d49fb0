"""The Chat page without a browser: what it shows of a database, and what a click does."""

from contextlib import closing

import pytest
import streamlit as st
from pages import page, texts

import db
from instrumentgpt.agents.events import Done, Text, to_json
from instrumentgpt.settings import database_path
from instrumentgpt.storage.artifacts import attach_artifacts
from instrumentgpt.storage.runs import append_events, live_runs, set_process, start_run


def answered(database, question="why?", answer="because", status="ok"):
    conversation = db.create_conversation(database)
    question_id = db.add_message(database, conversation, "user", question)
    run = start_run(database, conversation, "offline", "chat", question_id)
    db.finish_turn(database, conversation, run, answer, outcome=status)
    return conversation, run


def test_the_empty_page_offers_devices_four_questions_and_says_who_answers():
    at = page()
    labels = [button.label for button in at.main.button]
    assert any("10\\.1\\.1\\.47 fluctuate?" in label for label in labels)
    assert len(labels) == 4
    assert at.selectbox[0].value.ip == "10.1.1.47"
    assert "Offline analyst answers" in texts(at)


def test_choosing_a_device_changes_the_examples():
    at = page()
    other = next(option for option in at.selectbox[0].options if "10.1.1.47" not in option)
    at.selectbox[0].select(other).run()
    assert not any("10\\.1\\.1\\.47" in button.label for button in at.main.button)


@pytest.mark.parametrize("inventory", ["/nowhere/devices.toml", ""])
def test_an_inventory_that_cannot_be_read_is_said_with_the_remedy(monkeypatch, inventory):
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", inventory)
    at = page()
    assert at.error
    assert at.chat_input


def test_an_unknown_conversation_leads_to_the_empty_page():
    at = page("gone")
    assert at.toast
    assert "conv" not in at.query_params


@pytest.mark.parametrize(
    "text", ["<b>x</b> $5 ~6 :red[y] <!-- PLOTLY_CHART:abc -->", "# big\n- list", "a\n\n\nb"]
)
def test_a_question_is_shown_letter_by_letter(database, text):
    conversation, _ = answered(database, text)
    assert text in [element.value for element in page(conversation).main.text]


def test_a_forged_marker_is_text_and_a_real_one_is_a_chart(database):
    conversation, run = answered(database)
    _, other_run = answered(database)
    figure = b'{"data": [{"type": "scatter", "y": [1, 2]}], "layout": {}}'
    other = db.list_conversations(database)[0].id
    foreign = db.add_artifact(database, other, other_run, None, "plotly", "theirs", "theirs", figure)
    own = db.add_artifact(database, conversation, run, None, "plotly", "mine", "two points", figure)
    message = db.add_message(
        database,
        conversation,
        "assistant",
        f"a <!-- PLOTLY_CHART:{own} --> b <!-- PLOTLY_CHART:{foreign} -->",
    )
    attach_artifacts(database, run, message)
    at = page(conversation)
    assert len(at.get("plotly_chart")) == 1
    assert f"b <!-- PLOTLY_CHART:{foreign} -->" in texts(at)
    assert f"PLOTLY_CHART:{own}" not in texts(at)


def test_a_damaged_chart_costs_only_itself(database):
    conversation, run = answered(database)
    db.add_artifact(
        database, conversation, run, db.list_messages(database, conversation)[-1].id, "plotly", "t", "", b"{"
    )
    assert "cannot be read" in texts(page(conversation))


@pytest.mark.parametrize(
    ("status", "words"),
    [("cancelled", "Stopped before the end"), ("timeout", "took too long"), ("error", "reported an error")],
)
def test_an_answer_that_did_not_end_well_is_marked(database, status, words):
    conversation, _ = answered(database, status=status)
    assert words in texts(page(conversation))


def test_of_many_messages_the_last_twenty_are_shown_and_earlier_ones_on_request(database):
    conversation = db.create_conversation(database)
    for number in range(250):
        db.add_message(database, conversation, "user", f"question {number}")
        db.add_message(database, conversation, "assistant", f"answer {number}")
    at = page(conversation)
    assert len(at.chat_message) == 20
    assert "answer 249" in texts(at)
    earlier = next(button for button in at.main.button if "Load earlier" in button.label)
    assert "480 more" in earlier.label
    earlier.click().run()
    assert len(at.chat_message) == 40
    assert "question 230" in texts(at)


def test_an_answer_whose_process_died_is_closed_and_marked_when_the_page_opens(database):
    conversation = db.create_conversation(database)
    run = start_run(
        database, conversation, "offline", "chat", db.add_message(database, conversation, "user", "q")
    )
    append_events(database, run, [to_json(Text("half an ans"))])
    set_process(database, run, 2**22 + 1, 0.0)
    shown = texts(page(conversation))
    assert "half an ans" in shown
    assert "Cut off" in shown


@pytest.mark.parametrize("message", ["99999999", "x", "-1", "9" * 40])
def test_a_message_that_is_not_there_shows_the_newest(database, message):
    conversation, _ = answered(database, "why?", "because")
    at = page(conversation, msg=message)
    assert "because" in texts(at).splitlines()


def test_a_hit_cannot_format_the_sidebar(database):
    answered(database, "**x** :red[y] hinge <b> $x$")
    at = page()
    at.text_input(key="search").set_value("hinge").run()
    (label,) = [markdown.value for markdown in at.sidebar.markdown if "hinge" in markdown.value]
    assert ":red[" not in label.replace("\\:", "") and "<b>" not in label and " $x$" not in label


def test_a_title_cannot_format_the_sidebar(database):
    answered(database, "**x** :red[y] :material/home: `z`")
    at = page()
    (label,) = [button.label for button in at.sidebar.button if button.key and button.key.startswith("open-")]
    assert "\\*\\*x\\*\\*" in label
    assert ":red[" not in label.replace("\\:", "")


def test_a_locked_away_database_is_said_with_the_remedy(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("INSTRUMENTGPT_HOME", str(tmp_path / "file"))
    assert "INSTRUMENTGPT" in page().error[0].value


def test_an_answer_that_ends_while_the_page_is_drawn_leaves_no_stop_button(database, monkeypatch):
    conversation = db.create_conversation(database)
    question_id = db.add_message(database, conversation, "user", "why?")
    run = start_run(database, conversation, "offline", "chat", question_id)
    draw_title = st.subheader

    def ends_now(*words, **how):
        with closing(db.connect(database_path())) as other:  # Stop is drawn by now; the messages are not
            if live_runs(other):
                append_events(other, run, [to_json(Done("ok", "because"))])
                saved = {"outcome": "ok"}
                db.finish_turn(other, conversation, run, "because", **saved)
        return draw_title(*words, **how)

    monkeypatch.setattr(st, "subheader", ends_now)
    at = page(conversation)
    assert not live_runs(database)
    assert "because" in texts(at)
    assert "Stop" not in [button.label for button in at.button]


def test_blanks_alone_are_not_sent():
    at = page()
    at.chat_input[0].set_value("   ").run()
    assert not at.chat_message and not at.exception
