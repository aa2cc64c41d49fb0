"""The panel on the Chat page without a browser: its steps, the list to edit, going on, what is kept."""

import pytest
from pages import page
from panel_script import QUESTION, proposed, says, sums_up, turn
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.storage.panels import latest_panel, set_panel_status
from instrumentgpt.storage.runs import start_run

pytestmark = pytest.mark.usefixtures("judged_before")

PARTS = ((1, "tuning sensing", ()), (2, "tuning power", (1,)))


@pytest.fixture
def conversation(database):
    """A conversation whose panel is proposed, as after a turn."""
    made = db.create_conversation(database)
    question = db.add_message(database, made, "user", QUESTION)
    run = start_run(database, made, "scripted", "panel", question)
    proposed(database, made, *PARTS)
    db.finish_turn(database, made, run, "2 sub-problems", outcome="ok")
    return made


def steps(at: AppTest) -> list[str]:
    (found,) = [one.value for one in at.markdown if "**1.** Part 1?" in one.value]
    return found.split("  \n")


def test_a_proposal_comes_with_its_list_to_edit(conversation):
    assert page(conversation).text_area[0].value.startswith("1. Part 1? | tuning, sensing\n2. Part 2?")


def test_an_edited_list_is_sent_as_the_users_words(conversation, database, scripted):
    scripted()
    at = page(conversation)
    at.text_area[0].set_value("1. Is it the gains? | tuning\n2. The power? | power")
    next(one for one in at.button if one.label == "Send the changed list").click().run()
    said = [one.content for one in db.list_messages(database, conversation) if one.role == "user"]
    assert said[-1] == "1. Is it the gains? | tuning\n2. The power? | power"


def test_a_panel_that_is_done_shows_what_leads_who_dissents_and_the_cost(conversation, database, scripted):
    scripted(
        says("tuning", 1, "±2.71 °C.", cause="oscillation_tuning", confidence=0.9),
        says("sensing", 1, "+0.4 °C.", cause="sensor_bias", confidence=0.4),
        says("tuning", 2, "As in sub-problem 1.", cause="oscillation_tuning", confidence=0.9),
        says("power", 2, "48 %."),
        *sums_up(),
    )
    turn(conversation, "yes")
    first, second = steps(page(conversation))
    assert "check_circle" in first and "2 of 2 experts" in first and "tokens" in first
    assert "Oscillation from the gains leads" in first and ":orange[Measurement dissents]" in first
    assert "dissent" not in second


def test_a_panel_that_was_cut_off_can_be_continued_with_a_click(conversation, database, scripted):
    scripted()
    set_panel_status(database, latest_panel(database, conversation).id, "running")
    at = page(conversation)
    button = next(one for one in at.button if one.label == "Continue at sub-problem 1")
    button.click().run()
    assert "continue" in [one.content for one in db.list_messages(database, conversation)]


def test_a_conversation_in_another_mode_shows_no_steps(conversation, database):
    question = db.add_message(database, conversation, "user", "and now?")
    run = start_run(database, conversation, "offline", "chat", question)
    db.finish_turn(database, conversation, run, "fine", outcome="ok")
    assert not [one for one in page(conversation).markdown if "Part 1?" in one.value]
