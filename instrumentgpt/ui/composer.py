"""The input at the bottom: a question with its files, in which mode, who answers, and Stop meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.typing import UploadedFile

import db
from instrumentgpt import runs
from instrumentgpt.agents.registry import choose
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.artifacts import copy_uploads
from instrumentgpt.storage.runs import Run
from instrumentgpt.ui import attachments, connection, permissions, session, untrusted

PLACEHOLDER = "Ask about a device, or drop a log"
# In the session's state:
INPUT, UNSENT, CLICKED, NOTE = "question", "unsent", "clicked-question", "composer-note"
MODE = "chosen-mode"


@dataclass(frozen=True)
class Question:
    """What is to be asked.

    agent     who answers; "": whom the settings choose
    like      id of an earlier question whose files come along again
    mode      how it is answered; "": as the control beside the input says
    """

    text: str
    files: Sequence[UploadedFile] = ()
    agent: str = ""
    like: int | None = None
    mode: str = ""


def draw(settings: Settings, live: Run | None, latest: Run | None = None) -> Question | None:
    """Draw the input; return the question that was just sent or clicked, or None.

    latest  the conversation's newest run: its mode goes on until another is chosen
    It keeps its place at the bottom, so it can be drawn first: a question never waits for the page.
    """
    clicked = Question(*st.session_state.pop(CLICKED)) if CLICKED in st.session_state else None
    if clicked and clicked.like and live:  # asked in another tab meanwhile: no word of an edited one is lost
        st.session_state[UNSENT] = clicked.text
        st.session_state[NOTE] = "This conversation is being answered. Your question is in the input."
    if UNSENT in st.session_state:
        st.session_state[INPUT] = st.session_state.pop(UNSENT)
    with st.bottom:
        if note := st.session_state.pop(NOTE, None):
            st.warning(note, icon=":material/info:")
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            mode = _draw_mode(latest)
            _draw_agent(settings)
            if live:
                st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=_stop, args=(live.id,))
    # Outside of st.bottom, where it goes by itself: only then does the page follow a growing answer.
    sent = st.chat_input(
        f"{PLACEHOLDER} of up to {st.get_option('server.maxUploadSize')} MB",
        key=INPUT,
        accept_file="multiple",
    )
    if clicked and not live:  # the second click of a double click comes too late
        return clicked if clicked.mode else replace(clicked, mode=mode)
    if not sent or isinstance(sent, str) or not (sent.text.strip() or sent.files):
        return None
    return Question(sent.text.strip(), sent.files, mode=mode)


def propose(text: str, agent: str = "", like: int | None = None, mode: str = "") -> None:
    """Ask a Question of these with the next run of the page (for buttons)."""
    st.session_state[CLICKED] = (text, (), agent, like, mode)


def ask(settings: Settings, conversation_id: str | None, question: Question) -> None:
    """Start a turn, in a new conversation if there is none; on refusal the text goes back into the input."""
    try:
        with session.opened() as database:
            if conversation_id is None:
                conversation_id = db.create_conversation(database)
                st.session_state[session.CONVERSATION] = conversation_id  # the address could end this run
            session.leave_place()
            kept = attachments.store(database, conversation_id, question.files)
            if question.like is not None:
                kept = copy_uploads(database, question.like)
        words = question.text or attachments.question_about(question.files)
        agent = question.agent or settings.agent
        mode = question.mode or "chat"
        runs.start(database_path(), conversation_id, words, mode=mode, agent=agent, attachments=kept)
    except InstrumentGPTError as error:
        st.session_state[UNSENT] = question.text
        st.session_state[NOTE] = untrusted.label(f"{error} Your question is still in the input.", 400)
    st.rerun()


def _draw_mode(latest: Run | None) -> str:
    """Draw the choice of the mode and return the one chosen: a conversation stays in the mode of its last."""
    before = latest.mode if latest and latest.mode in MODES else next(iter(MODES))
    chosen = st.segmented_control(
        "Mode",
        MODES,
        default=before,
        required=True,
        format_func=lambda name: MODES[name].label,
        key=f"{MODE}-{latest.id if latest else 'new'}",
        help="  \n".join(f"**{mode.label}** {mode.purpose}" for mode in MODES.values()),
        label_visibility="collapsed",
    )
    return chosen or before


def _draw_agent(settings: Settings) -> None:
    try:
        agent, program = choose(settings.agent, settings)
    except InstrumentGPTError as error:
        st.caption(f":material/error: {untrusted.label(str(error), 300)}")
        return
    model = f" · {untrusted.label(settings.model)}" if settings.model and agent.name != "offline" else ""
    st.caption(f":material/smart_toy: {agent.label} answers{model}")
    connection.draw_badge(agent, program)
    permissions.draw_hold(agent, settings)


def _stop(run_id: str) -> None:
    try:
        runs.stop(database_path(), run_id)
    except InstrumentGPTError as error:
        st.session_state[NOTE] = untrusted.label(str(error), 400)
