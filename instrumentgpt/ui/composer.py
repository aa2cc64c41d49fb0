"""The input at the bottom: a question with its files, in which mode, who answers, and Stop meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from sqlite_utils import Database
from streamlit.typing import UploadedFile

import db
from instrumentgpt.agents.registry import UnknownAgent, choose
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.artifacts import copy_uploads
from instrumentgpt.storage.runs import Run, list_runs, usage_of
from instrumentgpt.turn import runs
from instrumentgpt.ui import artifacts, session, untrusted
from instrumentgpt.ui.agents import agent_words, draw_badge, draw_hold, spent, token_count
from instrumentgpt.ui.controls import one_of
from instrumentgpt.ui.language import say

# In the session's state:
INPUT, UNSENT, ASKED, NOTE = "question", "unsent", "asked-question", "composer-note"
MODE, HELD = "chosen-mode", "held-question"


@dataclass(frozen=True)
class Question:
    """What is to be asked.

    agent     who answers; "": whom the settings choose
    like      id of an earlier question whose files come along again
    mode      how it is answered; "": as the control beside the input says
    proposed  the words are the page's: nothing is lost if it is not asked
    allowed   it is asked whatever the conversation has cost
    """

    text: str
    files: Sequence[UploadedFile] = ()
    agent: str = ""
    like: int | None = None
    mode: str = ""
    proposed: bool = False
    allowed: bool = False


def draw(settings: Settings, live: Run | None, latest: Run | None = None) -> None:
    """Draw the input.

    latest  the conversation's newest run: its mode goes on until another is chosen
    """
    if UNSENT in st.session_state:
        st.session_state[INPUT] = st.session_state.pop(UNSENT)
    with st.bottom:
        if note := st.session_state.pop(NOTE, None):
            st.warning(note, icon=":material/info:")
        if held_back := st.session_state.get(HELD):
            _draw_held_back(*held_back)
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            mode = _draw_mode(latest)
            _draw_agent(settings)
            if live:
                icon = ":material/stop_circle:"
                st.button(say("Stop"), key="stop", icon=icon, on_click=_stop, args=(live.id,))
        example = say("For example: “{words}”", words=say(MODES[mode].example))
        st.caption(f"{say(MODES[mode].purpose)} {example}")
    # Outside of st.bottom, where it goes by itself: only then does the page follow a growing answer.
    files = say("up to {size} MB", size=st.get_option("server.maxUploadSize"))
    st.chat_input(f"{say(MODES[mode].asks)} · {files}", key=INPUT, accept_file="multiple", on_submit=_send)


def propose(text: str, agent: str = "", like: int | None = None, mode: str = "") -> None:
    """Ask a Question of these with the next run of the page (for buttons)."""
    st.session_state[ASKED] = Question(text, (), agent, like, mode, proposed=like is None)


def draw_ask(label: str, text: str, key: str = "", mode: str = "", **look: Any) -> None:
    """Draw a button, of this `look`, that asks `text`; `label` is Markdown of ours."""
    st.button(label, key or None, on_click=propose, args=(text,), kwargs={"mode": mode}, **look)


def ask() -> None:
    """Start the turn of what was just sent or clicked, before the page is drawn: it never waits for that.

    It begins a conversation if there is none. What is refused goes back into the input.
    """
    question: Question | None = st.session_state.pop(ASKED, None)
    if question is None:
        return
    try:
        with session.opened() as database:
            conversation = session.current(database)
            latest = next(iter(list_runs(database, conversation.id, limit=1)), None) if conversation else None
            if question.proposed and latest and latest.status == "running":
                return  # the second click of a double click comes too late
            conversation_id = conversation.id if conversation else db.create_conversation(database)
            st.session_state[session.CONVERSATION] = conversation_id
            session.leave_place()
            settings = session.current_settings(database)
            agent = question.agent or settings.agent
            if (cost := _too_dear(database, conversation_id, agent, settings)) and not question.allowed:
                st.session_state[HELD] = question, cost
                return
            attachments = artifacts.store(database, conversation_id, question.files)
            if question.like is not None:
                attachments = copy_uploads(database, question.like)
        words = question.text or artifacts.question_about(question.files)
        mode = question.mode or st.session_state.get(_key_of_mode(latest)) or _mode_of(latest)
        runs.start(database_path(), conversation_id, words, mode=mode, agent=agent, attachments=attachments)
    except UnknownAgent:  # the notice beside the input says what helps
        st.session_state[UNSENT] = question.text
    except InstrumentGPTError as error:
        st.session_state[UNSENT] = question.text
        st.session_state[NOTE] = f"{session.describe(error)} {say('Your question is still in the input.')}"


def _too_dear(database: Database, conversation_id: str, agent: str, settings: Settings) -> str:
    """Return what the conversation has cost, "" below the limit, or where no agent is to be asked."""
    limit = settings.ask_above_tokens
    usage = usage_of(database, conversation_id) if limit else {}
    if not limit or token_count(usage) < limit or choose(agent, settings)[0].name == "offline":
        return ""
    return say("{spent}, above the limit of {limit:,} tokens", spent=spent(usage), limit=limit)


def _draw_held_back(question: Question, cost: str) -> None:
    """Draw what a question that was held back would add to, and what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        words = say("This conversation has taken {cost}. Ask all the same?", cost=cost)
        st.markdown(f":material/paid: {words}", width="stretch")
        for label, agent in ((say("Ask"), question.agent), (say("Ask the offline analyst"), "offline")):
            st.button(label, key=f"held-{agent}", on_click=_release, args=(replace(question, agent=agent),))
        st.button(say("Not now"), key="held-no", on_click=_take_back, args=(question,))


def _release(question: Question) -> None:
    st.session_state.pop(HELD, None)
    st.session_state[ASKED] = replace(question, allowed=True)


def _take_back(question: Question) -> None:
    st.session_state.pop(HELD, None)
    st.session_state[UNSENT] = question.text
    if question.files:
        st.session_state[NOTE] = say("Your question is back in the input. Choose its files again.")


def _send() -> None:
    entry = st.session_state[INPUT]
    if entry.text.strip() or entry.files:
        st.session_state[ASKED] = Question(entry.text.strip(), entry.files)


def _draw_mode(latest: Run | None) -> str:
    """Draw the choice of the mode and return it: a conversation stays in the mode of its last."""
    words = {name: say(MODES[name].label) for name in MODES}
    help = "  \n".join(f"**{words[name]}** {say(MODES[name].purpose)}" for name in MODES)
    look = {"help": help, "label_visibility": "collapsed"}
    return one_of(say("Mode"), words, _mode_of(latest), _key_of_mode(latest), **look)


def _key_of_mode(latest: Run | None) -> str:
    return f"{MODE}-{latest.id if latest else 'new'}"


def _mode_of(latest: Run | None) -> str:
    return latest.mode if latest and latest.mode in MODES else next(iter(MODES))


def _draw_agent(settings: Settings) -> None:
    try:
        agent, program = choose(settings.agent, settings)
    except InstrumentGPTError as error:
        st.caption(f":material/error: {session.describe(error, 300)}")
        look: Any = {"icon": ":material/smart_toy:", "args": (db.save_setting, "agent", "offline")}
        st.button(say("Use the offline analyst"), on_click=session.in_database, **look)
        return
    model = f" · {untrusted.label(settings.model)}" if settings.model and agent.name != "offline" else ""
    answers = say("{agent} answers", agent=agent_words(agent.name))
    st.caption(f":material/smart_toy: {answers}{model}")
    draw_badge(agent, program)
    draw_hold(agent, settings)


def _stop(run_id: str) -> None:
    try:
        runs.stop(database_path(), run_id)
    except InstrumentGPTError as error:
        st.session_state[NOTE] = session.describe(error)
