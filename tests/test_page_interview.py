"""The interview's panel on the page, without a browser: what it shows, and what a choice does."""

import pytest
from pages import page
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.modes.interview.statement import MODE, Interviews, read_choices, read_interview
from instrumentgpt.modes.state import save_state
from instrumentgpt.settings import home
from instrumentgpt.storage.runs import start_run

pytestmark = pytest.mark.usefixtures("judged_before")

EXCHANGES = [
    ("the oven is off by two degrees", "description"),
    ("yesterday at 14:20 it showed 52.3 instead of 50", "examples"),
    ("I don't know", "who"),
    ("it must hold ±0.1 °C", "must_have"),
]


def interviewed(database, *said: tuple[str, str], mode: str = "interview") -> str:
    """Return a conversation in which these words were said in answer to these gaps."""
    conversation = db.create_conversation(database)
    asked: dict[str, str] = {}
    for place, (words, _) in enumerate(said):
        question = db.add_message(database, conversation, "user", words)
        run = start_run(database, conversation, "offline", mode, question)
        told = {"outcome": "ok"}
        answer = db.finish_turn(database, conversation, run, "✅ Clear.\n\n❓ And?", **told)
        asked[str(answer)] = said[place + 1][1] if place + 1 < len(said) else "success_criteria"
    save_state(database, conversation, MODE, Interviews(asked=asked))
    return conversation


def texts(at: AppTest) -> str:
    return "\n".join(str(element.value) for element in at.main.markdown)


def named(elements, label):
    return next(element for element in elements if element.label == label)


def test_the_panel_shows_phases_and_gaps_with_what_fills_them(database):
    shown = texts(page(interviewed(database, *EXCHANGES)))
    assert ":green[:material/check_circle:] Problem" in shown and "**Requirements**" in shown
    assert "yesterday at 14" in shown
    assert ":material/remove: Users not identified: not known" in shown
    assert ":orange[:material/help:] Success criteria not established" in shown
    assert ":orange[:material/help:] Edge cases need more exploration" in shown


def test_one_edge_case_of_two_is_told(database):
    shown = texts(page(interviewed(database, ("the oven fails with E4", "description"))))
    assert "Edge cases need more exploration (1 of 2)" in shown


def test_template_and_name_are_chosen_there(database):
    conversation = interviewed(database, *EXCHANGES)
    (home() / "templates").mkdir()
    (home() / "templates" / "line_note.md").write_text("$description")
    at = page(conversation)
    chooser = named(at.selectbox, "Template")
    assert chooser.options == ["Fault report", "Requirements for a change", "line note"]
    chooser.set_value("line_note").run()
    named(at.text_input, "Save as").set_value("Line 3").run()
    choices = read_choices(database, conversation)
    assert choices == {"template": "line_note", "target": "Line 3"}
    assert named(page(conversation).selectbox, "Template").value == "line_note"


def test_the_form_holds_all_slots_and_sends_what_is_changed_as_a_message(database):
    conversation = interviewed(database, *EXCHANGES)
    at = page(conversation)
    assert named(at.text_area, "Problem").value == "the oven is off by two degrees"
    named(at.text_area, "Requirements").set_value("it must hold ±0.2 °C\nand be quiet")
    named(at.text_area, "Problem").set_value("")
    named(at.button, "Send the changes").click().run()
    newest = [one for one in db.list_messages(database, conversation) if one.role == "user"][-1]
    assert newest.content == (
        "- Problem: –\n- Requirements: it must hold ±0.2 °C\n- Requirements: and be quiet"
    )
    assert read_interview(database, conversation)[0].lines["must_have"] == (
        "it must hold ±0.2 °C",
        "and be quiet",
    )


def test_a_chinese_interview_has_a_chinese_form(database):
    conversation = interviewed(database, ("爐子差兩度", "description"))
    at = page(conversation)
    named(at.text_area, "使用者").set_value("夜班")
    named(at.button, "Send the changes").click().run()
    assert read_interview(database, conversation)[0].lines == {
        "description": ("爐子差兩度",),
        "who": ("夜班",),
    }


@pytest.mark.parametrize(("first", "label"), [("the oven drifts", "I don't know"), ("爐子會飄", "不知道")])
def test_not_knowing_is_one_click(database, first, label):
    conversation = interviewed(database, (first, "description"))
    named(page(conversation).button, label).click().run()
    newest = [one for one in db.list_messages(database, conversation) if one.role == "user"][-1]
    assert newest.content == label


def test_words_of_the_user_do_not_format_the_panel(database):
    shown = texts(page(interviewed(database, ("the oven drifts :red[x] **b**", "description"))))
    assert "the oven drifts \\:red\\[x\\] \\*\\*b\\*\\*" in shown


def test_another_mode_has_no_panel(database):
    at = page(interviewed(database, ("the oven drifts", "description"), mode="chat"))
    assert not [one for one in at.selectbox if one.label == "Template"]


def test_the_badge_counts_what_is_known_and_not_what_was_left_open(database):
    said = (*EXCHANGES[:3], ("show the summary", "must_have"))
    badges = [block.proto.popover.label for block in page(interviewed(database, *said)).get("popover")]
    assert [label for label in badges if label.endswith("2 of 6 clear")]
