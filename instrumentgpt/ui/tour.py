"""Three steps through the page on the demo's instruments, for who starts the first time."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.settings import DEMO_INVENTORY, Settings
from instrumentgpt.ui import session
from instrumentgpt.ui.language import say

SETTING = "tour"  # saved: the step that is next, counted from 0
STEPS = (
    "**Ask.** These instruments are a demo; their logs lie beside the program. Press an example above.",
    "**Check.** What is said rests on lines of the log. Press a link like L 1,466; Back closes the lines.",
    "**All of them.** Instruments shows how each one stands, and adds yours. Settings chooses who answers.",
)


def draw(database: Database, settings: Settings) -> None:
    """Draw the step that is next above the input, until the tour is over or was left."""
    talks = db.list_conversations(database, limit=2) + db.list_conversations(database, limit=2, deleted=True)
    step = int(db.get_settings(database).get(SETTING, len(talks) if len(talks) < 2 else len(STEPS)))
    if step >= len(STEPS) or settings.inventory != str(DEMO_INVENTORY):
        return
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", border=True, key="tour"):
        st.markdown(f"{step + 1}/{len(STEPS)} · {say(STEPS[step])}", width="stretch")
        last, go, to = step + 1 == len(STEPS), session.in_database, (db.save_setting, SETTING)
        if talks or last:
            st.button(
                say("Done") if last else say("Next"), key="tour-next", on_click=go, args=(*to, step + 1)
            )
        if not last:
            st.button(say("No tour"), key="tour-end", type="tertiary", on_click=go, args=(*to, len(STEPS)))
