"""An answer of the panel: its conclusion first, each sub-problem and the cost folded below it."""

from collections.abc import Callable

import streamlit as st

from instrumentgpt.modes.panel.reading import folded, without_editing
from instrumentgpt.ui import untrusted

MODE = "panel"
HEADING_CHARACTERS = 300


def is_folded(content: str) -> bool:
    """Return whether `content` is shown otherwise than it was written: its end first, the rest folded."""
    return folded(content) is not None


def draw(content: str, draw_words: Callable[[str], None]) -> None:
    """Draw `content`; words go through `draw_words`, which puts charts where their markers stand."""
    parts = folded(content)
    if parts is None:
        draw_words(without_editing(content))
        return
    draw_words(parts.opening)
    draw_words(parts.ending)
    for heading, text in parts.parts:
        with st.expander(untrusted.label(heading, HEADING_CHARACTERS)):
            draw_words(text)
    if parts.costs:
        with st.expander("What it cost"):
            draw_words(parts.costs)
