"""The messages of a conversation as they are stored, and as far as it is written the next answer."""

import streamlit as st
from sqlite_utils import Database
from streamlit.delta_generator import DeltaGenerator

import db
import memory
from instrumentgpt.settings import Settings
from instrumentgpt.storage.runs import Run
from instrumentgpt.ui import again, answer, attachments, charts, inspector, live, untrusted
from instrumentgpt.ui.progress import Progress
from instrumentgpt.ui.steps import draw_closed

LAST = 20  # messages shown at once; a page of 500 takes 7 s to load
OPEN_CHARTS = 4  # newest charts drawn at once; older ones when they are opened
TITLE_CHARACTERS = 80
USER, ASSISTANT = ":material/person:", ":material/device_thermostat:"


def draw_title(database: Database, conversation: db.Conversation) -> None:
    """Draw the title, and beside it which device the conversation is about and how far it is."""
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation.id, database)[1])
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.subheader(untrusted.label(conversation.title or "Untitled", TITLE_CHARACTERS), anchor=False)
        inspector.draw_badges(state)


def draw(database: Database, conversation_id: str, settings: Settings, answering: bool) -> list[db.Message]:
    """Draw the newest messages with "Load earlier" above them; return those drawn, oldest first.

    While another is `answering`, nothing can be asked again.
    """
    limit = st.session_state.get("shown", {}).get(conversation_id, LAST)
    messages = db.list_messages(database, conversation_id, last=limit)
    total = db.count_messages(database, conversation_id)
    if total > len(messages):
        st.button(
            f"Load earlier · {total - len(messages)} more",
            icon=":material/expand_less:",
            type="tertiary",
            on_click=_show_more,
            args=(conversation_id, limit + LAST),
        )
    kept = {message.id: db.list_artifacts(database, message.id) for message in messages}
    open_charts = [
        artifact.id for found in kept.values() for artifact in found if artifact.kind == charts.KIND
    ]
    agents = None if answering else again.agents_here(settings)
    for message in messages:
        made = kept[message.id]
        if message.role == "user":
            _draw_question(database, message, made, answering)
        else:
            with st.chat_message("assistant", avatar=ASSISTANT):
                answer.draw(database, conversation_id, message, made, open_charts[-OPEN_CHARTS:], agents)
    again.draw_dialog(messages)
    return messages


def draw_live(database: Database, run: Run) -> tuple[DeltaGenerator, Progress]:
    """Draw an unfinished answer up to its last chart; return where the rest goes, and what is drawn."""
    progress = live.progress_of(database, run.id)
    made = {artifact.id: artifact for artifact in db.list_artifacts_of_run(database, run.id)}
    with st.chat_message("assistant", avatar=ASSISTANT):
        draw_closed(progress, f"steps-{run.id}")
        words = ""
        for key, text in progress.pieces.items():
            words += text
            if isinstance(key, str) and key in made:
                st.markdown(untrusted.markdown(words, run.conversation_id))
                charts.draw(database, made[key], expanded=True)
                words = ""
        return st.container(), progress


def _show_more(conversation_id: str, limit: int) -> None:
    st.session_state["shown"] = {conversation_id: limit}


def _draw_question(database: Database, message: db.Message, kept: list[db.Artifact], answering: bool) -> None:
    with st.chat_message("user", avatar=USER):
        attachments.draw(database, kept)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            with st.container(width="stretch"):
                st.text(message.content)
            again.draw_pencil(message.id, disabled=answering)
