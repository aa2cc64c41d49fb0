"""The Chat page: what it shows, from top to bottom. Everything shown comes from the database."""

import streamlit as st

from instrumentgpt import runs
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import live_run
from instrumentgpt.ui import (
    composer,
    conversation,
    evidence,
    inspector,
    live,
    session,
    sidebar,
    untrusted,
    welcome,
)


def page() -> None:
    """Draw the page; an expected problem with the database is shown with its remedy."""
    try:
        _draw()
    except InstrumentGPTError as error:
        st.error(untrusted.label(str(error), 600), icon=":material/error:")


def _draw() -> None:
    runs.reap(database_path())
    with session.opened() as database:
        shown = session.current(database)
        settings = session.in_force(database)
        with st.sidebar:
            sidebar.draw_conversations(database, shown.id if shown else None)
            inspector.draw(shown.id if shown else None)
        if shown is None:
            question = welcome.draw(settings)
            sent = composer.draw(settings, None) or (question and (question, []))
            if sent:
                composer.ask(database, settings, None, *sent)
            return
        conversation.draw_title(database, shown)
        last = conversation.draw(database, shown.id)
        run = live_run(database, shown.id)
        frame = conversation.draw_live(database, run) if run else None
        if sent := composer.draw(settings, run):
            composer.ask(database, settings, shown.id, *sent)
        evidence.draw(database, shown.id, settings)
    if run and frame:
        with frame[0]:
            live.follow(run.id, shown.id, frame[1])
    else:
        live.watch(shown.id, last)
