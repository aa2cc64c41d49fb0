"""The lines of a log around the one that an answer quotes, in a dialog over the page.

The name of the log comes from an address or an answer: it is looked up among the logs that were fetched or
dropped into this conversation, and never opened as a path.
"""

from pathlib import Path
from typing import Literal

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.logs import read_lines
from instrumentgpt.instruments.workspace import workspace_of
from instrumentgpt.settings import Settings, home
from instrumentgpt.ui import browser, session, untrusted
from instrumentgpt.ui.controls import one_of
from instrumentgpt.ui.language import say

AROUND = (10, 50, 250)  # lines before and after
LINE_CHARACTERS = 400
SCROLLED_HEIGHT = 520  # px
CLICKED, CLOSED = "evidence-clicked", "evidence-closed"  # in the state: how often it was closed, then and now


def draw(database: Database, conversation_id: str, settings: Settings) -> None:
    """Open the dialog on the line of the address: a link to evidence puts it there, Back takes it off.

    To close it goes back, too, where the link was clicked on this page: the history keeps no step of it.
    """
    state = st.session_state
    closed = state.get(CLOSED, 0)
    if clicked := browser.clicked(closed):
        st.query_params.update({name: str(clicked.get(name)) for name in ("log", "line")})
        state[CLICKED] = closed
    if "log" not in st.query_params:
        state.pop(CLICKED, None)
        return
    if state.get(CLICKED, closed) != closed:
        return  # the browser is going back
    log, line = st.query_params["log"], untrusted.number(st.query_params.get("line", ""), 11) or 1
    title = say("Line {line:,} of {log}", line=line, log=untrusted.label(log, 80))
    from instrumentgpt.instruments.tools.opened import find_log

    try:
        path = find_log(workspace_of(database, conversation_id, settings.inventory), log)
    except (InstrumentGPTError, OSError) as error:
        problem = session.describe(error)
        st.dialog(title, on_dismiss=_forget)(lambda: st.warning(problem, icon=":material/info:"))()
        return
    st.dialog(title, width="large", on_dismiss=_forget)(_show)(path, log, line)


def text_around(lines: list[tuple[int, str]], line: int) -> str:
    """Return numbered `lines` as text, the one that is meant with an arrow.

    >>> print(text_around([(9, "a"), (10, "b")], 10))
       9   a
      10 ▶ b
    """
    width = max(4, len(f"{lines[-1][0]:,}") if lines else 0)
    return "\n".join(
        f"{number:>{width},} {'▶' if number == line else ' '} {text[:LINE_CHARACTERS]}"
        for number, text in lines
    )


def _show(path: Path, log: str, line: int) -> None:
    if st.button(say("Open on the Logs page"), icon=":material/list_alt:", type="tertiary"):
        st.switch_page(session.page_named("logs"), query_params={"log": log, "line": str(line)})
    around = one_of(say("Lines around it"), {count: f"± {count}" for count in AROUND}, AROUND[0])
    try:
        lines = read_lines(path, line - around, line + around, home() / "frames")
    except (InstrumentGPTError, OSError) as error:
        st.warning(session.describe(error), icon=":material/info:")
        return
    if not any(number == line for number, _ in lines):
        words = say("{log} has no line {line:,}.", log=untrusted.label(path.name, 80), line=line)
        st.warning(words, icon=":material/info:")
    if lines:
        height: int | Literal["content"] = "content" if around == AROUND[0] else SCROLLED_HEIGHT
        with st.container(height=height, border=False):
            st.code(text_around(lines, line), language=None, wrap_lines=True)


def _forget() -> None:
    if CLICKED in st.session_state:
        st.session_state[CLOSED] = st.session_state.get(CLOSED, 0) + 1
        return
    st.query_params.from_dict({n: v for n, v in st.query_params.items() if n not in ("log", "line")})
