"""Buttons whose file is made when it is clicked."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from instrumentgpt.moments import choose_zone
from instrumentgpt.ui import session


def draw(
    label: str, make: Callable[[], str | bytes], file: str, kind: str, key: str | None = None, **looks: Any
) -> None:
    """Draw the button; a thread without a page calls `make`, and tells moments in the zone of this page."""
    zone = session.zone()

    def made() -> str | bytes:
        choose_zone(*zone)
        return make()

    looks = {"icon": ":material/download:", "on_click": "ignore", **looks}
    st.download_button(label, made, file, kind, key, **looks)
