"""What modes keep: their state of a conversation, what answers offer, and saved documents."""

from contextlib import closing
from threading import Thread

import pytest

import db
from instrumentgpt.modes.interview.statement import Interviews
from instrumentgpt.modes.investigate.decisions import ModeState
from instrumentgpt.modes.panel.contracts import SubProblemResult
from instrumentgpt.modes.state import read_state
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import Offer, store_offers
from instrumentgpt.storage.artifacts import documents_folder, file_name


def test_a_mode_keeps_its_state_apart_from_the_other_modes(database, conversation):
    db.save_mode_state(database, conversation, "interview", {"phase": "需求", "turn": 3})
    db.save_mode_state(database, conversation, "panel", {"at": 1})
    assert db.get_mode_state(database, conversation, "interview") == {"phase": "需求", "turn": 3}
    assert db.get_mode_state(database, conversation, "panel") == {"at": 1}
    assert db.get_mode_state(database, conversation, "investigate") == {}


@pytest.mark.parametrize(
    "title, name",
    [
        ("zspr 053, zspr 055, 2026-02-19 – 2026-02-20", "zspr 053 zspr 055 2026-02-19 2026-02-20"),
        ("oven " * 14 + "since 2026-02-19", "oven " * 14 + "since"),
        ("oven " * 15 + "2026-02-19", ("oven " * 15).strip()),
        ("爐" * 100, "爐" * 80),
    ],
)
def test_the_name_of_a_document_is_cut_in_no_word_and_no_date(title, name):
    assert file_name(title) == name


def test_the_newest_state_counts(database, conversation):
    for turn in range(3):
        db.save_mode_state(database, conversation, "interview", {"turn": turn})
    assert db.get_mode_state(database, conversation, "interview") == {"turn": 2}


def test_what_modes_kept_before_their_states_were_typed_is_read(database, conversation):
    step = {"description": "Fetch", "step_type": "read", "subdomain": "logs", "group": 0}
    pending = {
        "kind": "proposal", "message": "Shall I?", "asked": "compare", "goal": "", "amendments": ["only 2"],
        "steps": [step], "effort": "PLAN", "ref": "", "devices": ["zspr 052"], "excluded": [], "report": None,
    }  # fmt: skip
    stored = {"pending": pending, "notes": [{"message": 1, "text": "proposed"}]}
    db.save_mode_state(database, conversation, "investigate", stored)
    state = read_state(database, conversation, "investigate", ModeState)
    assert (state.pending.steps[0].group, state.pending.amendments) == (0, ("only 2",))
    assert state.of_turns([1]) == state and state.of_turns([]).pending is None
    saved = [{"document": 1, "file": "Fault report.md", "message": 1}]
    stored = {"began": 3, "asked": {"4": "who"}, "notes": {"3": [["who", "Lin", ""]]}, "saved": saved}
    db.save_mode_state(database, conversation, "interview", stored)
    state = read_state(database, conversation, "interview", Interviews)
    assert (state.began, state.asked["4"], state.notes["3"]) == (3, "who", [["who", "Lin", ""]])


def test_a_result_of_a_panel_that_was_kept_with_its_votes_apart_is_read():
    stored = {
        "sub_problem_id": 1, "sub_problem_goal": "Why?", "synthesis": "5 %.", "votes": [{"expert": "power"}],
        "contribution_count": 1, "cost": {}, "duration_seconds": 2.5, "expert_panel": ["power"],
    }  # fmt: skip
    assert SubProblemResult.model_validate(stored).synthesis == "5 %."


def test_an_answer_offers_in_order(database, conversation):
    message = db.add_message(database, conversation, "assistant", "Shall I?")
    offers = [Offer("Yes", "yes", "investigate"), Offer("不用", "no", "investigate")]
    store_offers(database, message, offers)
    assert db.list_offers(database, message) == offers
    db.delete_conversation(database, conversation)
    assert db.list_offers(database, message) == []


def test_a_document_is_a_file_beside_the_database(database, conversation):
    saved = db.save_document(database, conversation, "gen_report_1", "markdown", "爐 6 報告", "# 好".encode())
    assert (documents_folder(database) / saved.file).read_text(encoding="utf-8") == "# 好"
    assert saved.file == "爐 6 報告.md" and db.list_documents(database) == [saved]


def test_no_document_replaces_another_of_the_same_title(database, conversation):
    told = [
        db.save_document(database, conversation, "r", "html", "Report", text.encode()) for text in ("a", "b")
    ]
    assert [document.file for document in told] == ["Report.html", "Report 2.html"]
    assert (documents_folder(database) / "Report.html").read_text() == "a"


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c", "\x00", "." * 300, "x" * 300, "CON: <b>"])
def test_no_title_leads_out_of_the_folder(database, conversation, title):
    saved = db.save_document(database, conversation, "r", "markdown", title, b"x")
    assert (documents_folder(database) / saved.file).resolve().parent == documents_folder(database).resolve()


def test_a_document_outlives_its_conversation(database, conversation):
    saved = db.save_document(database, conversation, "r", "markdown", "Kept", b"x")
    db.delete_conversation(database, conversation)
    assert [document.file for document in db.list_documents(database)] == [saved.file]


def test_a_document_that_cannot_be_recorded_leaves_no_file(database):
    with pytest.raises(Exception, match="FOREIGN KEY"):
        db.save_document(database, "no such conversation", "r", "markdown", "Lost", b"x")
    assert list(documents_folder(database).iterdir()) == []


def test_documents_saved_at_once_all_stay(database, conversation):
    def save() -> None:
        with closing(db.connect(database_path())) as own:
            db.save_document(own, conversation, "r", "markdown", "Same", b"x")

    threads = [Thread(target=save) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(documents_folder(database).glob("Same*.md"))) == 6 == len(db.list_documents(database))
