"""The Older view: messages no longer sent word by word, what remains of them, and putting them back."""

from collections.abc import Sequence

import streamlit as st
from sqlite_utils import Database

import memory
from instrumentgpt.agents.events import Done
from instrumentgpt.memory.difference import REQUEST
from instrumentgpt.memory.revisions import MESSAGE, Item
from instrumentgpt.memory.summary import Entry, StoredMessage, parse, shown_clauses
from instrumentgpt.settings import database_path
from instrumentgpt.storage.history import history, places, turn_of
from instrumentgpt.storage.revisions import list_revisions
from instrumentgpt.storage.runs import Run, live_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.summary import past_summaries
from instrumentgpt.ui import answer, untrusted  # answer imports this package in its turn
from instrumentgpt.ui.inspector import changes
from instrumentgpt.ui.inspector.editing import change, draw_line, revise_item
from instrumentgpt.ui.language import say

SHOWN = 20  # newest older messages at once
QUOTE, REMAINDER = 90, 300  # characters
BECAME = {"ok": "taken", "no-result": "not taken", "cancelled": "stopped"}  # the agent's last summary
LIMIT = "older-shown"  # in the session's state


def draw(database: Database, conversation_id: str, prompt: memory.Prompt) -> None:
    """Draw the older messages, newest first, under what the summary keeps of them."""
    entries = parse(prompt.summary)
    messages = history(database, conversation_id)
    older = [at for at, name in enumerate(messages.ids) if any(row.holds(name) for row in entries)]
    if not older:
        st.caption(say("Nothing yet: every message so far is in the prompt as it was written."))
        return
    st.caption(say("{count} messages are no longer sent word by word.", count=len(older)))
    if run := live_run(database, conversation_id, "summary"):
        _draw_live(run)
    elif summaries := past_summaries(database, conversation_id):
        st.caption(_agent_summary(*summaries[0]))
    limit = st.session_state.get(LIMIT, SHOWN)
    restorations = _restorations(database, conversation_id)
    turns = places(database, conversation_id)[1]
    prompt_text = "\n".join(section.text for section in prompt.sections if section.name != REQUEST)
    for entry, group in _grouped(entries, [messages[at] for at in older[-limit:]]):
        with st.container(gap="xsmall", border=True):
            for message in group:
                turn = turn_of(message["id"], turns)
                _draw_message(conversation_id, message, turn, restorations.get(message["id"]))
            remains = untrusted.label(shown_clauses(entry.text, prompt_text), REMAINDER)
            remains = f"**{say('What remains:')}** {remains or say('nothing')}"
            st.markdown(f":small[:material/subdirectory_arrow_right: {remains}]")
    if len(older) > limit:
        st.button(
            say("Show {count} earlier", count=min(SHOWN, len(older) - limit)),
            type="tertiary",
            on_click=st.session_state.update,
            args=({LIMIT: limit + SHOWN},),
        )


def _draw_live(run: Run) -> None:
    """Draw a summary that is being written, with what ends it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        state = say("being written") if run.began_at else say("waiting for other answers to end")
        st.caption(say("Summary by the agent: {state}", state=state), width="stretch")
        stop = (lambda _: runs.stop(database_path(), run.id),)
        st.button(say("Stop"), f"stop-{run.id}", icon=":material/stop:", on_click=change, args=stop)


def _agent_summary(done: Done, note: str) -> str:
    """Return what became of the agent's last summary, and what it cost."""
    outcome = say(BECAME[done.outcome]) if done.outcome in BECAME else done.outcome
    parts = [
        say("Summary by the agent: {state}", state=outcome),
        untrusted.label(note, REMAINDER),
        answer.tokens(done.usage),
    ]
    return " · ".join(part for part in parts if part)


def _grouped(
    entries: Sequence[Entry], messages: Sequence[StoredMessage]
) -> list[tuple[Entry, list[StoredMessage]]]:
    """Return (line of the summary, its messages), newest first; lines that hold none of them are left out."""
    groups = [
        (row, [message for message in messages if row.holds(message["id"])]) for row in reversed(entries)
    ]
    return [(row, group) for row, group in groups if group]


def _restorations(database: Database, conversation_id: str) -> dict[int, int]:
    """Return message → the change that put it back into the prompt."""
    return {
        int(revision.item.name): revision.id
        for revision in list_revisions(database, conversation_id)
        if revision.item.field == MESSAGE and revision.undone_at is None
    }


def _draw_message(conversation_id: str, message: StoredMessage, turn: int, revision: int | None) -> None:
    speaker = say("user") if message["role"] == "user" else say("assistant")
    words = untrusted.label(memory.filter_content(message["content"]), QUOTE) or "—"
    origin, key = f"{say('turn {turn}', turn=turn)} · {speaker}", message["id"]
    if revision is None:
        help_ = say("Put it back into the prompt")
        restored = (Item("", MESSAGE, str(key)), "restore", f"turn {turn}: {message['content'][:QUOTE]}")
        call = (revise_item, conversation_id, *restored)
        draw_line(words, origin, f"put-back-{key}", "restore_page", help_, *call)
    else:
        origin, help_ = f"{origin} · {say('in the prompt again')}", say("Take it out of the prompt again")
        draw_line(words, origin, f"take-out-{key}", "undo", help_, changes.undo, revision)
