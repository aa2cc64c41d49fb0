"""The page: `streamlit run app.py`. Its settings and navigation; what it shows is in instrumentgpt/ui."""

import gc
from pathlib import Path

import streamlit as st

from instrumentgpt.agents.warm import keep_server
from instrumentgpt.ui import chat, pages, settings
from instrumentgpt.ui.logs import page as logs

ICON = Path(__file__).parent / "instrumentgpt" / "ui" / "icon.svg"  # a named one is fetched from outside


@st.cache_resource(show_spinner=False)
def begin_once() -> None:
    """Take what is imported out of garbage collection, which Streamlit runs often; start the warm server."""
    gc.collect()
    gc.freeze()
    keep_server()


st.set_page_config(page_title="InstrumentGPT", page_icon=ICON, layout="wide", initial_sidebar_state="auto")
begin_once()
PAGES = {
    "chat": st.Page(chat.page, title="Chat", icon=":material/chat:", url_path="chat", default=True),
    "logs": st.Page(logs.page, title="Logs", icon=":material/list_alt:", url_path="logs"),
    "settings": st.Page(settings.page, title="Settings", icon=":material/settings:", url_path="settings"),
}
pages.remember(PAGES)
st.navigation(list(PAGES.values()), position="top").run()
