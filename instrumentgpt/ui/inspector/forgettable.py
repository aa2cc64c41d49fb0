"""One line of what is remembered, with where it is from, and the button that forgets it."""

from collections.abc import Callable
from typing import Any

import streamlit as st


def draw_forgettable(
    key: str, words: str, origin: str, help_text: str, forget: Callable[..., None], *told: Any
) -> None:
    """Draw a line with a button that calls `forget(*told)`; `words` and `origin` are Markdown of ours."""
    with st.container(horizontal=True, vertical_alignment="top", gap=None, wrap=False):
        with st.container(width="stretch"):
            st.markdown(f":small[{words}]  \n:small[:gray[{origin}]]")
        st.button(
            "", key=key, icon=":material/block:", type="tertiary", help=help_text, on_click=forget, args=told
        )
