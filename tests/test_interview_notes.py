"""An interview with an agent that has tools: what it notes is the user's own, in the right slot."""

import json
from typing import Literal

import pytest
from interview_talk import Talk

from instrumentgpt.modes.interview.replies import SLOTS
from instrumentgpt.modes.interview.statement import read_interview

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def says(cli_agent):
    """Say words to an agent that notes (slot, words, replaces) and replies; return its answer."""
    talk = Talk("cursor")

    def say(words, *notes, reply="✅ Clear.\n\n❓ What else is there?"):
        calls = [("note", dict(zip(("slot", "words", "replaces"), note, strict=False))) for note in notes]
        cli_agent("mcp_agent.py", json.dumps(calls), reply)
        return talk.say(words)

    say.talk = talk
    return say


def test_an_agent_files_the_users_words_and_every_correction_is_confirmed(says, database):
    says("- Examples: 70.8 instead of 72 last night\n- Users: Tomas\n- Requirements: raise kp")
    answer = says(
        "The 52 is weird. no, it was 71.8, and not Tomas, Lena. I think you should just raise kp.",
        ("description", "The 52 is weird"),
        ("examples", "71.8", "70.8"),
        ("who", "Lena", "Tomas"),
        ("proposed", "raise kp", "raise kp"),
        ("must_have", "it must hold 72"),  # not the user's words: refused
        reply="✅ Clear: it was 71.8.\n\n❓ Which value must it hold?",
    )
    interview, _ = read_interview(database, says.talk.conversation)
    assert interview.lines == {
        "description": ("The 52 is weird",),
        "examples": ("71.8 instead of 72 last night",),
        "proposed": ("raise kp",),
        "who": ("Lena",),
    }
    assert answer.startswith("✅ Corrected: “71.8” instead of “70.8”. Corrected: “Lena” instead of “Tomas”.")
    assert answer.endswith("❓ Which value must it hold?")
    refused = [event.result for event in says.talk.events if getattr(event, "status", "") == "failed"]
    assert len(refused) == 1 and "are not the user's words" in refused[0]
    says("nothing new here", reply="✅ Clear.\n\n❓ And by what will you see it?")
    assert read_interview(database, says.talk.conversation)[0].lines == interview.lines


def test_what_the_user_adds_to_the_summary_is_filed_and_shown_again(says, database):
    filled = "- Problem: it drifts\n- Impact: 40k\n- Users: me"
    says(filled)
    says("Show the summary")
    answer = says("35k, not 40k. Yes. Send it.", ("impact", "35k", "40k"))
    assert "✅ Corrected: “35k” instead of “40k”." in answer and "**Impact**: 35k" in answer
    assert says("yes").startswith("✅ Saved as")


def test_an_agent_without_tools_leaves_a_reply_to_the_slot_that_was_asked(says, database):
    says("it drifts")
    says("at noon it read 52", reply="✅ Clear.\n\n❓ Who saw it?")
    assert read_interview(database, says.talk.conversation)[0].lines == {
        "description": ("it drifts",),
        "examples": ("at noon it read 52",),
    }


def test_the_tool_offers_every_slot_but_remarks():
    from instrumentgpt.mcp_tools import described

    assert described("note")[1].parameters["slot"].annotation == Literal.__getitem__(SLOTS[:-1])
