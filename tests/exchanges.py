"""Whole turns without an agent: a question as a run asks it, and an answer as it is saved."""

import os
from pathlib import Path

import db
from instrumentgpt.agents.events import Text, Tool, to_json
from instrumentgpt.storage.runs import append_events, start_run
from instrumentgpt.turn.turn import open_turn

OVENS = "".join(f'[[device]]\nname = "oven {n}"\nip = "10.9.0.{n}"\nlogs = "logs/{n}"\n\n' for n in (7, 8))
SECTIONS = (  # of a prompt, in their order
    "diagnostic_context",
    "note",
    "conversation_summary",
    "recalled_turns",
    "recent_conversation",
)


def exchange(database, conversation, question, answer="I shall look.", *results, tool="diagnose_log"):
    """Ask and answer as a run does; return the prompt that the agent was given.

    results  what our tool reported before the answer, as JSON, a call each; "": nothing
    """
    asked = db.add_message(database, conversation, "user", question)
    run = start_run(database, conversation, "offline", "chat", asked)
    turn = open_turn(database, run)
    prompt = turn.prompt("offline")
    told = [
        Tool(str(number), tool, "ok", result=result, server="instrumentgpt")
        for number, result in enumerate(filter(None, results))
    ]
    for event in (*told, Text(answer)):
        turn.take(event)
        append_events(database, run, [to_json(event)])
    turn.save("ok")
    return prompt


def share_judged(cache, judged=None):
    """Let a log that a test of this run has parsed, judged and identified be known in the folder `cache`.

    judged  the folder of what is known; None: that of the test
    """
    judged, frames = judged or Path(os.environ["TESTS_JUDGED"]), cache / "frames"
    if not frames.exists():
        judged.mkdir(exist_ok=True)
        cache.mkdir(parents=True, exist_ok=True)
        frames.symlink_to(judged)


def context_of(prompt):
    """Return what stands between the tags of <diagnostic_context>, "" if it is not there."""
    return prompt.partition("<diagnostic_context>")[2].partition("</diagnostic_context>")[0]
