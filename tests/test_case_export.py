"""What is known is listed with its origin, and leaves as one Markdown document that forges nothing."""

import json

import pytest
from exchanges import exchange

import db
import memory
from instrumentgpt.memory.revisions import Item
from instrumentgpt.storage.connection import UnknownConversation
from instrumentgpt.storage.export import case_as_markdown
from instrumentgpt.storage.revised_memory import SECTIONS, listing
from instrumentgpt.storage.revisions import forget_note, list_revisions, revise, undo_revision

pytestmark = pytest.mark.usefixtures("ovens")

TOLD = json.dumps(
    {
        "log": "run.log",
        "findings": [{"text": "pv swings by 3.2 °C", "evidence": [{"line": 18204}]}],
        "root_causes": [{"text": "kp is a third too high"}],
        "channels": [{"kp": 0.09}],
    }
)


@pytest.fixture
def conversation(database):
    made = db.create_conversation(database)
    exchange(database, made, "oven 7 為什麼溫度波動？", "I looked.", TOLD)
    exchange(database, made, "no, kp is 0.12, not 0.09. Do not restart it.", "Ruled out: the fan")
    return made


def entries(database, conversation):
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    return listing(database, conversation, state).sections


def test_each_thing_known_has_its_origin(database, conversation):
    told = entries(database, conversation)
    assert list(told) == list(SECTIONS)
    [finding] = told["findings"]
    assert (finding.origin.source, finding.origin.turn, finding.origin.log, finding.origin.line) == (
        "tool",
        1,
        "run.log",
        18204,
    )
    [kp] = told["value"]
    assert (kp.text, kp.origin.source, kp.origin.turn, kp.earlier) == ("0.12", "user", 2, (("0.09", 1),))
    assert [one.text for one in told["ruled_out"]] == ["the fan"]
    assert [one.text for one in told["constraint"]] == ["Do not restart it."]


def test_the_case_tells_device_findings_causes_values_and_notes_with_their_sources(database, conversation):
    db.save_note(database, "valve", "Meier decides", "deferred", conversation)
    finding = Item("oven 7", "findings", "pv swings by 3.2 °C")
    revise(database, conversation, finding, "edit", "pv swings by 3.2 °C", "pv swings at night")
    revise(database, conversation, finding, "pin", "pv swings at night")
    case = case_as_markdown(database, conversation)
    for line in (
        "# oven 7 為什麼溫度波動？",
        "- Device: oven 7 · 10.9.0.7",
        "- kp is a third too high (tool, turn 1)",
        "- pv swings at night (user, turn 2; pinned; was: pv swings by 3.2 °C)",
        "- the fan (agent, turn 2)",
        "- kp (比例增益): **0.12** of oven 7 (user, turn 2; previously 0.09 in turn 1)",
        "## For a person to decide",
        "- Meier decides (valve, this conversation)",
    ):
        assert line in case.split("\n")


def test_what_was_forgotten_is_not_exported(database, conversation):
    revise(database, conversation, Item("oven 7", "value", "kp"), "forget", "0.12")
    assert "kp (" not in case_as_markdown(database, conversation)


def test_untrusted_text_cannot_format_the_document(database, conversation):
    exchange(database, conversation, "and?", "Finding: <img src=x> **bold** [link](http://evil) # head")
    case = case_as_markdown(database, conversation)
    assert "<img" not in case.replace("\\<", "")
    assert "](http" not in case


def test_a_conversation_without_anything_known_is_still_a_document(database):
    assert "none named yet" in case_as_markdown(database, db.create_conversation(database))


def test_an_unknown_conversation_is_said_so(database):
    with pytest.raises(UnknownConversation, match="Start a new one"):
        case_as_markdown(database, "nobody")


def test_a_note_saved_anew_after_it_was_forgotten_is_not_overwritten_by_undo(database, conversation):
    db.save_note(database, "n", "old", scope=conversation)
    [note] = db.list_notes(database)
    forget_note(database, conversation, note)
    db.save_note(database, "n", "new", scope=conversation)
    undo_revision(database, list_revisions(database, conversation)[-1].id)
    assert [one.text for one in db.list_notes(database)] == ["new"]
