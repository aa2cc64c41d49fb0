"""The pages there are, and the settings they share; what each shows is in a module of its own."""

import gc
from pathlib import Path

import streamlit as st

from instrumentgpt.ui import chat, session, settings
from instrumentgpt.ui.logs import page as logs

ICON = Path(__file__).parent / "icon.svg"  # a named one is fetched from outside


@st.cache_resource(show_spinner=False)
def leave_imports_alone() -> None:
    """Take what is imported by now out of garbage collection, which Streamlit runs after every fragment."""
    gc.collect()
    gc.freeze()


def draw() -> None:
    """Draw the page that the address names."""
    st.set_page_config(
        page_title="InstrumentGPT", page_icon=ICON, layout="wide", initial_sidebar_state="auto"
    )
    leave_imports_alone()
    shown = {
        "chat": st.Page(chat.page, title="Chat", icon=":material/chat:", url_path="chat", default=True),
        "logs": st.Page(logs.page, title="Logs", icon=":material/list_alt:", url_path="logs"),
        "settings": st.Page(settings.page, title="Settings", icon=":material/settings:", url_path="settings"),
    }
    st.session_state[session.PAGES] = shown
    st.navigation(list(shown.values()), position="top").run()
