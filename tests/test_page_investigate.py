"""What the page shows of Investigate without a browser: refs, reports, documents, the buttons."""

import pytest
from pages import page

import db
from instrumentgpt.storage.answers import Offer, store_offers
from instrumentgpt.storage.artifacts import documents_folder
from instrumentgpt.storage.entities import Sighting, note_entities, retain_entities
from instrumentgpt.storage.runs import start_run

pytestmark = pytest.mark.usefixtures("judged_before")

HOSTILE = '<script>parent.document.title="owned"</script>"><img src=x onerror=alert(1)>'


@pytest.fixture
def told(database):
    """A conversation whose answer made a report, which has a ref and is not saved."""
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "write a report")
    run = start_run(database, conversation, "offline", "investigate", question)
    page = f"<!DOCTYPE html><h1>Report</h1>{HOSTILE}".encode()
    made = db.add_artifact(database, conversation, run, None, "html", "Six ovens", "", page)
    db.finish_turn(database, conversation, run, "Done.", outcome="ok")
    message = db.list_messages(database, conversation, last=1)[0].id
    store_offers(database, message, [Offer("Save gen_report_1", "Save gen_report_1", "investigate")])
    seen = [
        Sighting("log", "log of zspr 052", {"log": "a.log"}, "read:full"),
        Sighting("report", "Six ovens", {"artifact": made}, "unsaved", generated=True),
    ]
    note_entities(database, conversation, question, seen)
    retain_entities(database, conversation, {"log_1": "the log last read"})
    return conversation, made


def texts(element) -> str:
    return "\n".join(str(one.value) for kind in ("markdown", "caption", "text") for one in element.get(kind))


def test_refs_stand_in_the_sidebar_with_flags_and_reasons(told):
    shown = texts(page(told[0], "refs").sidebar)
    assert "`log_1` log of zspr 052 :blue-badge[read in full]" in shown
    assert "the log last read" in shown and "orange-badge[unsaved]" in shown
    assert shown.index("gen_report_1") < shown.index("log_1")


def test_no_refs_no_list(database):
    conversation = db.create_conversation(database)
    labels = [one.label for one in page(conversation).sidebar.expander]
    assert not [label for label in labels if label.startswith(("Refs", "Documents"))]


def test_a_preview_of_a_report_is_a_page_of_its_own(told):
    at = page(told[0], f"report-{told[1]}")
    (frame,) = at.get("iframe")
    assert (frame.proto.src, frame.proto.srcdoc) == (f"/report/{told[0]}/{told[1]}", "")


def test_a_report_is_not_sent_before_it_is_opened(told):
    at = page(told[0])
    assert not at.get("iframe")
    assert [one for one in at.main.expander if one.label == "Report: Six ovens"]


def test_saved_documents_can_be_downloaded_and_a_file_that_is_gone_is_told(told, database):
    for title in ("Here", "Gone"):
        db.save_document(database, told[0], "gen_report_1", "markdown", title, b"# x")
    (documents_folder(database) / "Gone.md").unlink()
    at = page(told[0], "documents")
    assert any(one.label == "Documents · 2" for one in at.sidebar.expander)
    assert "the file Gone\\.md is gone" in texts(at.sidebar)


def test_a_report_in_markdown_is_shown_as_text_that_does_nothing(told, database):
    conversation, _ = told
    question = db.add_message(database, conversation, "user", "and a note")
    run = start_run(database, conversation, "offline", "investigate", question)
    made = db.add_artifact(
        database, conversation, run, None, "markdown", "Note", "", f"# N\n{HOSTILE}".encode()
    )
    db.finish_turn(database, conversation, run, "Done.", outcome="ok")
    shown = texts(page(conversation, f"report-{made}").main)
    assert "&lt;script&gt;" in shown and "<script" not in shown


def test_a_plan_that_waits_can_be_ticked_and_is_sent_as_the_users_words(database):
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "compare 052 and 053")
    run = start_run(database, conversation, "offline", "investigate", question)
    step = {"description": "Diagnose", "step_type": "analyze", "subdomain": "logs", "group": 0}
    told = {"kind": "proposal", "message": "ok?", "asked": "compare", "devices": ["zspr 052", "zspr 053"]}
    state = {"pending": {**told, "steps": [step]}, "notes": [{"message": question, "text": "proposed"}]}
    db.finish_turn(database, conversation, run, "ok?", outcome="ok")
    db.save_mode_state(database, conversation, "investigate", state)
    at = page(conversation)
    (button,) = [one for one in at.button if one.label == "Show the changed plan"]
    button.click().run()
    said = [one.content for one in db.list_messages(database, conversation) if one.role == "user"]
    assert said[-1] == "devices: zspr 052, zspr 053\nsteps: 1"
