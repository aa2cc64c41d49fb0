"""What conversations untouched for long take on the disk, and their pruning; docs/memory.md, Pruning."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import size_text
from instrumentgpt.moments import day
from instrumentgpt.pruning import Prunable, Pruned, prunable, prune
from instrumentgpt.settings import Settings
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
        talks = prunable(database, days)
        total = sum(talk.size for talk in talks)
        if not talks:
            st.caption(say("None of {days} days or more has anything to prune.", days=days))
            return
        count = say("{count} {count:?conversation|conversations}", count=len(talks))
        removal = say("would go: charts, files, steps, logs, deleted turns.")
        st.markdown(f"**{count}, {size_text(total)}** {removal}")
        st.caption(
            say("Messages, findings, values and summaries stay; nothing is removed before you confirm.")
        )
        for talk in talks[:LISTED]:
            _draw_one(talk)
        if len(talks) > LISTED:
            st.caption(say("and {count} more", count=len(talks) - LISTED))
        if st.button(say("Prune now"), icon=":material/cleaning_services:"):
            st.dialog(say("Prune conversations?"))(_confirm)(days, count, total)


def _draw_one(talk: Prunable) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        when = day(talk.updated_at)
        title = untrusted.label(talk.title or say("Untitled"), TITLE_CHARACTERS)
        used = say("last used {when}", when=when)
        st.markdown(f"{title}  \n:small[:gray[{used} · {size_text(talk.size)}]]", width="stretch")
        conversation = db.Conversation(talk.conversation_id, talk.title, talk.updated_at, talk.updated_at)
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
            result = prune(database, prunable(database, days))
    except (InstrumentGPTError, OSError) as error:
        st.error(session.describe(error), icon=":material/error:")
        return
    st.success(in_words(result), icon=":material/check:")


def in_words(result: Pruned) -> str:
    """Return what was freed, and the size of the database before and after."""
    sentences = [
        say("{count} pruned, {size} freed.", count=len(result.pruned), size=size_text(result.freed)),
        say(
            "The database had {before}, now {after}.",
            before=size_text(result.database_before),
            after=size_text(result.database_after),
        ),
    ]
    if result.skipped:
        sentences.append(say("{count} left alone: in use again.", count=len(result.skipped)))
    if result.pruned and not result.compacted:
        sentences.append(say("It shrinks with the next pruning: an answer was being written."))
    return " ".join(sentences)


@st.cache_resource(ttl=EVERY, show_spinner=False)
def prune_daily(days: int) -> None:
    """Start the pruning that the setting asks for, once a day, as a process that no page waits for."""
    if days > 0:
        session.start_command("prune", "--days", str(days), "--yes")
