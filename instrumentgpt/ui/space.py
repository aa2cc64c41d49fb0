"""What conversations untouched for long take on the disk, and their pruning; docs/memory.md, Pruning."""

import subprocess
import sys

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import size_text
from instrumentgpt.moments import day
from instrumentgpt.pruning import Prunable, Pruned, prunable, prune
from instrumentgpt.settings import CHECKOUT, Settings
from instrumentgpt.ui import session, sidebar, untrusted
from instrumentgpt.ui.language import say

SUGGESTED_DAYS = 90
LISTED = 20  # conversations; more are told by their number
TITLE_CHARACTERS = 60
EVERY = 86_400.0  # s


def draw(database: Database, settings: Settings) -> None:
    """Draw what pruning would remove, as a dry run, with exports beside it and the button that does it."""
    with st.expander(say("Space"), key="space", icon=":material/cleaning_services:"):
        days = st.number_input(
            say("Conversations untouched for days"),
            1,
            3_650,
            settings.retention_days or SUGGESTED_DAYS,
            key="untouched-days",
        )
        found = prunable(database, days)
        total = sum(one.size for one in found)
        if not found:
            st.caption(say("None of {days} days or more has anything to prune.", days=days))
            return
        count = say("{count} {count:?conversation|conversations}", count=len(found))
        gone = say("would go: charts, files, steps, logs, deleted turns.")
        st.markdown(f"**{count}, {size_text(total)}** {gone}")
        st.caption(
            say("Messages, findings, values and summaries stay; nothing is removed before you confirm.")
        )
        for one in found[:LISTED]:
            _draw_one(one)
        if len(found) > LISTED:
            st.caption(say("and {count} more", count=len(found) - LISTED))
        if st.button(say("Prune now"), icon=":material/cleaning_services:"):
            st.dialog(say("Prune conversations?"))(_confirm)(days, count, total)


def _draw_one(one: Prunable) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        when = day(one.updated_at)
        title = untrusted.label(one.title or say("Untitled"), TITLE_CHARACTERS)
        used = say("last used {when}", when=when)
        st.markdown(f"{title}  \n:small[:gray[{used} · {size_text(one.size)}]]", width="stretch")
        conversation = db.Conversation(one.conversation_id, one.title, one.updated_at, one.updated_at)
        sidebar.draw_export(conversation, "export-before")


def _confirm(days: int, count: str, total: int) -> None:
    st.write(
        say(
            "{count} untouched for {days} days: {size} of charts, files and caches.",
            count=count,
            days=days,
            size=size_text(total),
        )
    )
    st.caption(say("This cannot be undone. Export first what you may want to see again."))
    if not st.button(say("Prune"), type="primary", icon=":material/cleaning_services:"):
        return
    try:
        with session.opened() as database, st.spinner(say("Pruning…")):
            done = prune(database, prunable(database, days))
    except (InstrumentGPTError, OSError) as error:
        st.error(session.told(error), icon=":material/error:")
        return
    st.success(in_words(done), icon=":material/check:")


def in_words(done: Pruned) -> str:
    """Return what was freed, and the size of the database before and after."""
    told = [
        say("{count} pruned, {size} freed.", count=len(done.pruned), size=size_text(done.freed)),
        say(
            "The database had {before}, now {after}.",
            before=size_text(done.database_before),
            after=size_text(done.database_after),
        ),
    ]
    if done.skipped:
        told.append(say("{count} left alone: in use again.", count=len(done.skipped)))
    if done.pruned and not done.compacted:
        told.append(say("It shrinks with the next pruning: an answer was being written."))
    return " ".join(told)


@st.cache_resource(ttl=EVERY, show_spinner=False)
def prune_daily(days: int) -> None:
    """Start the pruning that the setting asks for, once a day, as a process that no page waits for."""
    if days > 0:
        subprocess.Popen(
            [sys.executable, "-m", "instrumentgpt", "prune", "--days", str(days), "--yes"],
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
