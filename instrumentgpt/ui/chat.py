"""The Chat page: what it shows, from top to bottom. Everything shown comes from the database."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.connection import snapshot
from instrumentgpt.storage.runs import Run, list_runs, live_run
from instrumentgpt.turn import runs
from instrumentgpt.ui import (
    composer,
    conversation,
    entities,
    evidence,
    inspector,
    interview,
    live,
    panel,
    permissions,
    plan,
    session,
    sidebar,
    space,
    welcome,
)


def page() -> None:
    """Draw the page; an expected problem with the database is shown with its remedy."""
    with session.problems_shown():
        _draw()


def _draw() -> None:
    """Draw one moment of the database: an answer that ends meanwhile is live in all parts, or in none."""
    runs.reap(database_path())
    composer.ask()
    with session.opened() as database, snapshot(database):
        shown = session.current(database)
        settings = session.in_force(database)
        space.prune_daily(settings.retention_days)
        run = live_run(database, shown.id) if shown else None
        latest = list_runs(database, shown.id, limit=1) if shown else []
        composer.draw(settings, run, next(iter(latest), None))
        if not run:
            _draw_sidebar(database, shown)
        if shown is None:
            welcome.draw(settings)
        else:
            _draw_conversation(database, settings, shown, run)
        if run:  # while an answer comes the sidebar of before stands: no word waits for a new one
            _draw_sidebar(database, shown)


def _draw_sidebar(database: Database, shown: db.Conversation | None) -> None:
    with st.sidebar:
        sidebar.draw_conversations(database, shown.id if shown else None)
        if shown:
            entities.draw(database, shown.id)
        inspector.draw(shown.id if shown else None)
        if shown:
            permissions.draw(database, shown.id)


def _draw_conversation(
    database: Database, settings: Settings, shown: db.Conversation, run: Run | None
) -> None:
    conversation.draw_title(database, shown)
    messages = conversation.draw(database, shown.id, settings, answering=run is not None)
    frame = conversation.draw_live(database, run) if run else None
    is_panel = panel.draw(database, shown.id, answering=run is not None)
    if not run:
        plan.draw(database, shown.id, settings)
        is_interview = interview.draw(database, shown.id)
        if not welcome.draw_offers(database, messages) and not is_interview and not is_panel:
            state = DiagnosticState.deserialize(db.get_memory(shown.id, database)[1])
            welcome.draw_follow_ups(settings, messages, state)
    evidence.draw(database, shown.id, settings)
    if run and frame:
        with frame[0]:
            live.follow(run.id, shown.id, frame[1])
    else:
        newest = db.list_messages(database, shown.id, last=1)
        live.watch(shown.id, newest[-1].id if newest else 0)
