"""All that experts of panels remember of other conversations, on the Settings page, and how to clear it."""

import time

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.storage.conclusions import forget_conclusions, list_conclusions
from instrumentgpt.ui import session, untrusted

SHOWN = 200  # newest


def draw(database: Database) -> None:
    """Draw every conclusion that is kept with where it is from; chosen ones, or all, can be cleared."""
    kept = list_conclusions(database)
    st.subheader("What experts remember", anchor=False)
    if not kept:
        st.caption("Nothing is kept of other conversations.")
        return
    rows = [
        {
            "From": time.strftime("%Y-%m-%d %H:%M", time.localtime(one.saved_at)),
            "Expert": one.expert,
            "Device": one.device,
            "Fault": one.fault,
            "About": untrusted.label(one.goal, 120),
            "Concluded": one.text,
        }
        for one in kept[:SHOWN]
    ]
    chosen = st.dataframe(
        rows, hide_index=True, on_select="rerun", selection_mode="multi-row", key="conclusions"
    ).selection.rows
    ids = [kept[number].id for number in chosen if number < len(kept)]
    with st.container(horizontal=True):
        st.button(f"Clear {len(ids)} chosen", disabled=not ids, on_click=_forget, args=(ids,))
        st.button(f"Clear all {len(kept)}", icon=":material/delete:", on_click=_forget, args=(None,))


def _forget(ids: list[int] | None) -> None:
    with session.opened() as database:
        forget_conclusions(database, ids)
