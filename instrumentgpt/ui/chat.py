"""The Chat page: what it shows, from top to bottom. Everything shown comes from the database."""

from contextlib import nullcontext

import streamlit as st
from sqlite_utils import Database
from streamlit.delta_generator import DeltaGenerator

import db
from instrumentgpt.agents.answer import paragraphs
from instrumentgpt.agents.registry import AGENTS, installed
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.modes.panel.display import folded
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.connection import snapshot
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.runs import Run, get_run, list_runs, live_run
from instrumentgpt.turn import runs
from instrumentgpt.ui import (
    answer,
    artifacts,
    browser,
    cases,
    composer,
    inspector,
    modes,
    session,
    sidebar,
    turns,
    untrusted,
)
from instrumentgpt.ui.agents import draw_permissions
from instrumentgpt.ui.controls import text_button
from instrumentgpt.ui.language import say
from instrumentgpt.ui.progress import Progress, draw_closed, follow, progress_of, watch
from instrumentgpt.ui.settings import prune_daily

LAST = 20  # messages shown at once; a page of 500 takes 7 s to load
OPEN_CHARTS = 4  # newest charts drawn at once; older ones when they are opened
TITLE_CHARACTERS = 80
LONG_LINES, LONG_CHARACTERS = 30, 4_000  # of a question: a longer one scrolls in a frame of its own
LONG_HEIGHT = 420  # px
USER, ASSISTANT = ":material/person:", ":material/device_thermostat:"


@session.drawn
def page(database: Database) -> None:
    """Draw one moment of the database: an answer that ends meanwhile is live in all parts, or in none."""
    if case := st.query_params.get("case"):  # an answer's link to a case, opened from elsewhere
        st.switch_page(session.page_named("cases"), query_params={"case": case})
    runs.reap(database_path())
    composer.ask()
    with snapshot(database):
        conversation = session.current(database)
        settings = session.current_settings(database)
        prune_daily(settings.retention_days)
        run = live_run(database, conversation.id) if conversation else None
        latest = next(iter(list_runs(database, conversation.id, limit=1)), None) if conversation else None
        composer.draw(settings, run, latest)
        if not run:
            _draw_sidebar(database, conversation)
        if conversation is None:
            composer.draw_welcome(database, settings)
        else:
            _draw_conversation(database, settings, conversation, run, latest)
        if not run and latest and latest.id == st.session_state.get(session.FOLLOWED):
            st.session_state[session.ANSWERED] = latest.id
        if run:  # while an answer comes the sidebar of before stands: no word waits for a new one
            _draw_sidebar(database, conversation)


def _draw_sidebar(database: Database, conversation: db.Conversation | None) -> None:
    with st.sidebar:
        sidebar.draw_conversations(database, conversation.id if conversation else None)
        if conversation:
            sidebar.draw_entities(database, conversation.id)
        inspector.draw(conversation.id if conversation else None)
        if conversation:
            draw_permissions(database, conversation.id)


def _draw_conversation(
    database: Database, settings: Settings, conversation: db.Conversation, run: Run | None, latest: Run | None
) -> None:
    """Draw the conversation and what its newest run, `latest`, leaves to do; `run` is being answered."""
    _draw_title(database, conversation, answering=run is not None)
    messages = _draw_messages(database, conversation.id, settings, answering=run is not None)
    frame = _draw_live(database, run) if run else None
    mode = latest.mode if latest else ""
    is_guided = mode == modes.PANEL and modes.draw_panel(database, conversation.id, answering=run is not None)
    if not run:
        if mode == "investigate":
            modes.draw_plan(database, conversation.id, settings)
        if mode == "interview":
            is_guided = True
            modes.draw_interview(database, conversation.id)
        else:
            composer.draw_asked(database, conversation.id)
        if not composer.draw_offers(database, messages) and not is_guided:
            state = DiagnosticState.deserialize(db.get_memory(conversation.id, database)[1])
            composer.draw_follow_ups(settings, messages, state)
    artifacts.draw_evidence(database, conversation.id, settings)
    if run and frame:
        with frame[0]:
            follow(run.id, conversation.id, frame[1])
    else:
        newest = db.list_messages(database, conversation.id, last=1)
        watch(conversation.id, newest[-1].id if newest else 0)


def _draw_title(database: Database, conversation: db.Conversation, answering: bool) -> None:
    """Draw the title, and beside it which device the conversation is about and how far it is."""
    state = DiagnosticState.deserialize(db.get_memory(conversation.id, database)[1])
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.subheader(
                untrusted.label(conversation.title or say("Untitled"), TITLE_CHARACTERS), anchor=False
            )
        revised = revised_memory(database, conversation.id, state).state
        inspector.draw_badges(revised)
        cases.draw_beside(database, conversation.id, revised, answering)
    turns.draw_origin(database, conversation)


def _draw_messages(
    database: Database, conversation_id: str, settings: Settings, answering: bool
) -> list[db.Message]:
    """Draw the newest messages with "Load earlier" above them; return those drawn, oldest first.

    While another is `answering`, nothing can be asked again.
    """
    limit = st.session_state.get("shown", {}).get(conversation_id, LAST)
    place = session.place()
    messages = _in_view(database, conversation_id, limit, place)
    earlier = db.count_messages(database, conversation_id, before=messages[0].id) if messages else 0
    if earlier:
        label, more = say("Load earlier · {count} more", count=earlier), {conversation_id: limit + LAST}
        text_button("expand_less", label, None, st.session_state.update, {"shown": more})
    by_message = {message.id: db.list_artifacts(database, message.id) for message in messages}
    open_charts = [
        artifact.id for group in by_message.values() for artifact in group if artifact.kind == artifacts.CHART
    ][-OPEN_CHARTS:]
    goal = place if place is not None else _just_folded(database, messages)
    agents = None if answering else [name for name in AGENTS if installed(name, settings)]
    for message in messages:
        stored = by_message[message.id]
        with st.container(key=f"message-{message.id}") if message.id == goal else nullcontext():
            if message.role == "user":
                _draw_question(database, message, stored, answering)
            else:
                with st.chat_message("assistant", avatar=ASSISTANT):
                    answer.draw(database, conversation_id, message, stored, open_charts, agents)
    turns.draw_dialog(messages)
    _draw_way_back(database, conversation_id, messages)
    if goal is not None and any(message.id == goal for message in messages):
        browser.bring_into_view(f"message-{goal}")
    return messages


def _just_folded(database: Database, messages: list[db.Message]) -> int | None:
    """Return the answer whose end this page has seen and which now begins with its end, None for others."""
    run_id = st.session_state.get(session.FOLLOWED)
    if not run_id or not messages or messages[-1].run_id != run_id:
        return None
    is_panel = get_run(database, run_id).mode == modes.PANEL
    return messages[-1].id if is_panel and folded(messages[-1].content) else None


def _in_view(database: Database, conversation_id: str, limit: int, place: int | None) -> list[db.Message]:
    """Return the newest messages, or, where `place` is older than those, as many around it."""
    newest = db.list_messages(database, conversation_id, last=limit)
    if place is None or (newest and place >= newest[0].id):
        return newest
    return db.list_messages_around(database, conversation_id, place, limit) or newest


def _draw_way_back(database: Database, conversation_id: str, messages: list[db.Message]) -> None:
    """Draw the button to the newest messages, where older ones are in view."""
    later = db.count_messages(database, conversation_id, after=messages[-1].id) if messages else 0
    if later:
        label = say("Go to the newest · {count} more", count=later)
        text_button("expand_more", label, None, session.leave_place)


def _draw_live(database: Database, run: Run) -> tuple[DeltaGenerator, Progress]:
    """Draw an unfinished answer up to its last chart; return where the rest goes, and what is drawn."""
    st.session_state[session.FOLLOWED] = run.id
    browser.follow(run.id)
    progress = progress_of(database, run.id)
    by_id = {artifact.id: artifact for artifact in db.list_artifacts(database, run.id, "run_id")}
    with st.chat_message("assistant", avatar=ASSISTANT):
        draw_closed(progress, f"steps-{run.id}", run.conversation_id)
        words: list[str] = []
        for key, text in progress.answer():
            words.append(text)
            if isinstance(key, str) and key in by_id:
                untrusted.write(paragraphs(words), run.conversation_id)
                artifacts.draw(database, by_id[key], expanded=True)
                words = []
        return st.container(), progress


def _draw_question(
    database: Database, message: db.Message, files: list[db.Artifact], answering: bool
) -> None:
    is_long = len(message.content) > LONG_CHARACTERS or message.content.count("\n") > LONG_LINES
    with st.chat_message("user", avatar=USER):
        artifacts.draw_files(database, files)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            with st.container(width="stretch", height=LONG_HEIGHT if is_long else "content", border=False):
                st.text(message.content)
            turns.draw_pencil(message.id, disabled=answering)
