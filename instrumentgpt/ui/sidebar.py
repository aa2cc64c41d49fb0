"""The sidebar: conversations to start, find, rename and delete; below them the memory of the one in view."""

from collections.abc import Callable

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.storage.runs import live_runs
from instrumentgpt.ui import exporting, hits, session, untrusted

FEW = 6  # conversations listed before "show all"
TITLE_CHARACTERS = 80
LIVE, WAITING, IDLE = "spinner", ":material/hourglass_top:", ":material/chat_bubble:"
RENAME, EXPORT, DELETE = (
    ":material/edit: Rename",
    ":material/download: Export",
    ":material/delete: Delete",
)


def draw_conversations(database: Database, conversation_id: str | None) -> None:
    """Draw the list, newest first, with the one in view marked in words and colour."""
    st.button(
        "New conversation",
        icon=":material/add:",
        type="primary",
        width="stretch",
        shortcut="Alt+N",
        on_click=session.leave,
    )
    words = st.text_input(
        "Search everything",
        placeholder="Search everything",
        icon=":material/search:",
        label_visibility="collapsed",
        type="search",
        live=True,
        key="search",
    )
    found = db.list_conversations(database, words or "", titles_only=True)
    live = {
        run.conversation_id: LIVE if run.began_at else WAITING
        for run in live_runs(database)
        if run.kind == "turn"
    }
    shown = found if words or st.session_state.get("all-conversations") else found[:FEW]
    with st.container(gap=None, key="conversations"):
        for conversation in shown:
            _draw_one(conversation, conversation.id == conversation_id, live.get(conversation.id, IDLE))
    if words:
        hits.draw(database, words, any_title=bool(found))
    if len(shown) < len(found):
        st.button(f"Show all {len(found)}", type="tertiary", on_click=_show_all)


def _draw_one(conversation: db.Conversation, in_view: bool, icon: str) -> None:
    title = untrusted.label(conversation.title or "Untitled", TITLE_CHARACTERS)
    with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
        with st.container(width="stretch"):
            st.button(
                f":primary[**{title}**]" if in_view else title,
                key=f"open-{conversation.id}",
                icon=icon,
                type="tertiary",
                wrap=False,
                on_click=session.enter,
                args=(conversation.id,),
            )
        chosen = st.menu_button(
            "",
            [RENAME, EXPORT, DELETE],
            key=f"menu-{conversation.id}",
            icon=":material/more_horiz:",
            type="tertiary",
            help="Rename, export or delete",
        )
    if chosen == RENAME:
        _rename(conversation)
    elif chosen == EXPORT:
        _export(conversation)
    elif chosen == DELETE:
        _delete(conversation)


def _show_all() -> None:
    st.session_state["all-conversations"] = True


@st.dialog("Rename conversation")
def _rename(conversation: db.Conversation) -> None:
    with st.form("rename", border=False):
        title = st.text_input("Title", conversation.title, max_chars=120)
        saved = st.form_submit_button("Rename", type="primary")
    if saved and title and title.strip():
        _change(lambda database: db.rename_conversation(database, conversation.id, title.strip()))


@st.dialog("Export conversation")
def _export(conversation: db.Conversation) -> None:
    st.write(f"“{untrusted.label(conversation.title or 'Untitled', TITLE_CHARACTERS)}”")
    st.caption("One zip: the conversation to read and as data, charts, files, notes, documents and prompts.")
    exporting.draw_button(conversation, "Export", "export")


@st.dialog("Delete conversation?")
def _delete(conversation: db.Conversation) -> None:
    st.write(f"“{untrusted.label(conversation.title or 'Untitled', TITLE_CHARACTERS)}”")
    st.caption(
        "Its messages, charts, files, memory and its agents' folder go with it. This cannot be undone."
    )
    exporting.draw_button(conversation, "Export first", "export-first")
    if st.button("Delete", type="primary", icon=":material/delete:"):
        _change(lambda database: db.delete_conversation(database, conversation.id))


def _change(action: Callable[[Database], None]) -> None:
    """Do it with a connection of its own (a dialog outlives the script that opened it), then draw anew."""
    try:
        with session.opened() as database:
            action(database)
    except InstrumentGPTError as error:
        st.error(str(error), icon=":material/error:")
        return
    st.rerun()
