"""Whole turns without an agent: a question as a run asks it, and an answer as it is saved."""

import db
from instrumentgpt.agents.events import Text, Tool
from instrumentgpt.storage.runs import start_run
from instrumentgpt.turn.open import open_turn

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
    turn = open_turn(database, start_run(database, conversation, "offline", "chat", asked))
    prompt = turn.prompt("offline")
    for number, result in enumerate(filter(None, results)):
        turn.take(Tool(str(number), tool, "ok", result=result, server="instrumentgpt"))
    turn.take(Text(answer))
    turn.save("ok")
    return prompt


def context_of(prompt):
    """Return what stands between the tags of <diagnostic_context>, "" if it is not there."""
    return prompt.partition("<diagnostic_context>")[2].partition("</diagnostic_context>")[0]
