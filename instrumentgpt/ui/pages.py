"""The pages by name, so that one can lead to another."""

from collections.abc import Mapping

import streamlit as st
from streamlit.navigation.page import Page

PAGES = "pages"  # in the session's state


def remember(pages: Mapping[str, Page]) -> None:
    """Keep what app.py navigates between."""
    st.session_state[PAGES] = dict(pages)


def named(name: str) -> Page:
    """Return the page called `name`: "chat", "logs" or "settings"."""
    pages: dict[str, Page] = st.session_state[PAGES]
    return pages[name]
