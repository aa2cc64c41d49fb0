"""An answer while it is written. The run belongs to nobody's page: the page reads what is new and shows it.

Each tick of the fragment follows the run until the next one waits, so a word shows within a tenth of a second
at any time, while a click never waits for more than one tick.
Text goes into one element by handle: redrawing a growing list would flicker.
"""

import time

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.agents.events import from_json
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import get_run, live_run, read_events
from instrumentgpt.turn import runs
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import problem, say
from instrumentgpt.ui.progress import Progress, advance
from instrumentgpt.ui.steps import LiveSteps, LiveThinking, key_of

TICK_SECONDS = 1.0
FOLLOW_SECONDS = 1.2  # more than a tick, or nobody looks between two
POLL_SECONDS = 0.03
SEND_SECONDS = 0.02  # what a run of the script leaves unsent is dropped when the next one begins
WATCH_SECONDS = 2.0
NOTE_CHARACTERS = 120
CURSOR = " ▌"


def progress_of(database: Database, run_id: str, earlier: Progress | None = None) -> Progress:
    """Return what the run has shown so far, reading on from `earlier`."""
    progress = earlier or Progress()
    while events := read_events(database, run_id, progress.number):
        progress = advance(progress, ((number, from_json(line)) for number, line in events))
    return progress


@st.fragment(run_every=TICK_SECONDS)
def follow(run_id: str, conversation_id: str, drawn: Progress) -> None:
    """Show what the run adds to `drawn`; draw the whole page anew when it ends or has made another chart."""
    earlier_id, earlier = st.session_state.get("progress", ("", None))
    with session.opened() as database:
        progress = progress_of(database, run_id, earlier if earlier_id == run_id else None)
        thinking = LiveThinking(st.container(key="live-thinking"))
        steps = LiveSteps(
            st.container(key="live-steps"), {key_of(step) for step in drawn.settled_steps()}, conversation_id
        )
        text = untrusted.write(_live_text(progress, drawn), conversation_id)
        waiting = get_run(database, run_id).began_at is None
        note = st.caption(_note(progress, drawn, waiting))
        deadline = time.monotonic() + FOLLOW_SECONDS
        while True:
            thinking.show(progress)
            steps.show(progress)
            st.session_state["progress"] = (run_id, progress)
            if progress.done or progress.artifact_ids != drawn.artifact_ids:
                time.sleep(SEND_SECONDS)
                st.rerun()
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
            previous, progress = progress, progress_of(database, run_id, progress)
            if progress is not previous:
                untrusted.write(_live_text(progress, drawn), conversation_id, text.markdown)
                note.caption(_note(progress, drawn, waiting))
        runs.reap(database_path())  # an answer whose process died would be waited for forever
        if get_run(database, run_id).status != "running":
            st.rerun()


@st.fragment(run_every=WATCH_SECONDS)
def watch(conversation_id: str, last_message_id: int) -> None:
    """Draw the page anew when another tab has asked or an answer has come; shows nothing itself."""
    with session.opened() as database:
        newest = db.list_messages(database, conversation_id, last=1)
        changed = bool(newest) and newest[0].id != last_message_id
        if changed or live_run(database, conversation_id):
            st.rerun()


def _live_text(progress: Progress, drawn: Progress) -> str:
    words = progress.after_artifacts(len(drawn.artifact_ids))
    return words + CURSOR if words else ""


def _note(progress: Progress, drawn: Progress, waiting: bool) -> str:
    note = problem(progress.note)
    if waiting and note:
        badge = f":orange-badge[:material/hourglass_top: {say('Waiting')}]"
        return f"{badge} {untrusted.label(note, NOTE_CHARACTERS)}"
    if progress.after_artifacts(len(drawn.artifact_ids)):
        return ""
    return f":shimmer[{untrusted.label(note or say('Working'))}]"
