"""What this browser tab is about: its conversation, the database, the settings in force."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from sqlite_utils import Database
from streamlit.navigation.page import Page
from streamlit.runtime.scriptrunner import get_script_run_ctx

import db
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.moments import choose_zone
from instrumentgpt.settings import CHECKOUT, Settings, database_path, settings_in_force
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.language import language, problem, say

T = TypeVar("T")
# In the session's state: the conversation, beside `conv` in the address; which `msg` of the address was left;
# how often a message was gone to; how many conversations were begun.
CONVERSATION, LEFT, VISITS, BEGUN = "conversation_id", "left-message", "visits", "conversations-begun"
FOLLOWED, ANSWERED = "followed-run", "answered-run"  # shown while it answered, then to its end
HERE = "this computer"  # who sits at the page, where the browser's address is this machine's
ZONE = "timezone"  # as it is set; "auto": the browser's
PAGES = "pages"  # those of the navigation by name, so that one can lead to another
PAGE_NAMES = ("instruments", "chat", "cases", "logs", "settings")  # in their order; each is its address


@contextmanager
def opened() -> Iterator[Database]:
    """A connection for one run of the script or of a fragment: they are never shared (0.35 ms each)."""
    database = db.connect(database_path())
    if get_script_run_ctx(suppress_warning=True):  # else it is for a download (controls.py)
        choose_zone(*zone())
    try:
        yield database
    finally:
        database.close()


def in_database(action: Callable[..., T], /, *values: Any, **named: Any) -> T:
    """Return `action(database, *values)` in a connection of its own: what a button does, or a download."""
    with opened() as database:
        return action(database, *values, **named)


def zone() -> tuple[str | None, str | None]:
    """Return the names of the time zone that is set, and of the browser's."""
    return st.session_state.get(ZONE), st.context.timezone


def describe(error: Exception | str, limit: int = 500) -> str:
    """Return an expected problem as a label: of a file that cannot be read, which, why, and what helps."""
    if isinstance(error, InstrumentGPTError):
        return untrusted.label(error.message(language()), limit, code=True)
    if isinstance(error, str):
        return untrusted.label(problem(error), limit, code=True)
    name = Path(str(getattr(error, "filename", None) or "")).name or say("The log")
    why = problem(reason(error))
    words = say("{name} cannot be read: {why}. Look for the logs again.", name=name, why=why)
    return untrusted.label(words, limit)


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show an expected problem of the page in the block with its remedy, instead of a failure."""
    try:
        yield
    except InstrumentGPTError as error:
        st.error(describe(error), icon=":material/error:")


def drawn(draw: Callable[[Database], None]) -> Callable[[], None]:
    """Return what draws a page by `draw`, in a connection of its own; an expected problem is shown."""

    @wraps(draw)
    def page() -> None:
        with problems_shown(), opened() as database:
            draw(database)

    return page


def current_settings(database: Database) -> Settings:
    """Return the settings that the next turn will use."""
    return settings_in_force(db.get_settings(database))


def current(database: Database) -> db.Conversation | None:
    """Return the conversation that the address names, else the tab's last one: other pages drop `conv`."""
    conversation_id = st.query_params.get("conv") or st.session_state.get(CONVERSATION)
    conversation = db.get_conversation(database, conversation_id) if conversation_id else None
    if conversation_id and conversation is None:
        leave()
        st.toast(say("That conversation is not there: it may have been deleted."), icon=":material/info:")
    elif conversation is not None:
        enter(conversation.id, place())
    return conversation


def enter(conversation_id: str, message_id: int | None = None) -> None:
    """Make this the tab's conversation, at its newest message or at the one named."""
    st.session_state[CONVERSATION] = conversation_id
    if st.query_params.get("conv") != conversation_id:
        st.query_params["conv"] = conversation_id
    if message_id is None:
        if st.query_params.pop("msg", None) is None:  # else the browser may still send the address it had
            st.session_state.pop(LEFT, None)
    elif st.query_params.get("msg") != str(message_id):
        st.query_params["msg"] = str(message_id)


def go_to(conversation_id: str, message_id: int | None) -> None:
    """Make this the tab's conversation, and bring the message into view (for buttons)."""
    st.session_state[VISITS] = st.session_state.get(VISITS, 0) + 1
    st.session_state.pop(LEFT, None)
    enter(conversation_id, message_id)


def place() -> int | None:
    """Return the message that the address names (`?conv=…&msg=…`), unless it was left for the newest."""
    message_id = st.query_params.get("msg", "")
    return None if message_id == st.session_state.get(LEFT) else untrusted.number(message_id, 18)


def leave_place() -> None:
    """Go back to the newest message: the message of the address is left until the address is without it."""
    st.session_state[LEFT] = st.query_params.get("msg")


def leave() -> None:
    """Make the tab ready for a new conversation."""
    st.session_state[BEGUN] = st.session_state.get(BEGUN, 0) + 1
    st.session_state.pop(CONVERSATION, None)
    st.query_params.clear()


def who() -> str:
    """Return who sits at the page, as far as it can tell: the address of the browser."""
    return str(st.context.ip_address or HERE)


def person_name(person: str) -> str:
    """Return who changed something, as the page says it."""
    return say("this computer") if person == HERE else untrusted.label(person)


def page_named(name: str) -> Page:
    """Return the page called `name`, one of PAGE_NAMES."""
    pages: dict[str, Page] = st.session_state[PAGES]
    return pages[name]


def link_to_case(label: str, case_id: int, **look: Any) -> None:
    """Draw the link to a case; `label` is Markdown of ours."""
    st.page_link(page_named("cases"), label=label, query_params={"case": str(case_id)}, **look)


def start_command(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a command of ours in a process that no page waits for."""
    return subprocess.Popen(
        [sys.executable, "-m", "instrumentgpt", *arguments],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
