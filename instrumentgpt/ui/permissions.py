"""What the agent of this conversation may do besides reading: switches, a warning, the record of changes."""

from datetime import datetime

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.agents.registry import Agent
from instrumentgpt.agents.sandbox import confines, what_holds
from instrumentgpt.settings import Settings
from instrumentgpt.storage.conversations import (
    Permission,
    list_permissions,
    permission_in_force,
    save_permission,
)
from instrumentgpt.ui import session, untrusted

WARNING = (
    "An agent that may run commands or edit files does so as you, on this computer; "
    "commands also reach the network. "
    "A log can hold text that was written to mislead it. "
    "Allow it only where you trust the logs, and take it back afterwards."
)
SHOWN_CHANGES = 5


def draw(database: Database, conversation_id: str) -> None:
    """Draw the switches for CLI agents; our own analyst runs and edits nothing, whatever they say."""
    allowed = permission_in_force(database, conversation_id)
    more = allowed.may_run or allowed.may_edit or allowed.may_browse
    icon = ":material/lock_open:" if more else ":material/lock:"
    with st.popover(f"Agent {_may(allowed)}", icon=icon, width="stretch"):
        st.markdown(f":orange[:material/warning:] {WARNING}")
        _draw_switch("Run commands", "may_run", allowed.may_run, conversation_id)
        _draw_switch("Edit files", "may_edit", allowed.may_edit, conversation_id)
        _draw_switch("Use the web", "may_browse", allowed.may_browse, conversation_id)
        st.caption("From the next question on, in this conversation only. Reading is always allowed.")
        for change in list_permissions(database, conversation_id)[:SHOWN_CHANGES]:
            when = datetime.fromtimestamp(change.changed_at).strftime("%Y-%m-%d %H:%M")
            st.caption(f"{when} · {untrusted.label(change.changed_by)} · {_may(change)}")


def draw_hold(agent: Agent, settings: Settings) -> None:
    """Say what keeps `agent` to what it may do on this machine; nothing of programs of ours."""
    if not agent.state:
        return
    told = what_holds(agent.label, agent.caveat, settings)
    if confines(settings):
        st.caption(":material/shield_lock: in a sandbox", help=told)
    else:
        st.caption(f":orange[:material/gpp_maybe: No sandbox.] {told}")


def _draw_switch(label: str, field: str, on: bool, conversation_id: str) -> None:
    key = f"{field}-{conversation_id}"
    st.session_state[key] = on  # what is stored counts, also if another tab changed it
    st.toggle(label, key=key, on_change=_change, args=(conversation_id,))


def _change(conversation_id: str) -> None:
    wanted = {
        field: bool(st.session_state[f"{field}-{conversation_id}"])
        for field in ("may_run", "may_edit", "may_browse")
    }
    with session.opened() as database:
        save_permission(database, conversation_id, **wanted, changed_by=session.who())


def _may(permission: Permission) -> str:
    """Return what `permission` allows, in words.

    >>> _may(Permission()), _may(Permission(may_run=True, may_edit=True))
    ('may only read', 'may run commands and edit files')
    """
    allowed = ["run commands"] * permission.may_run + ["edit files"] * permission.may_edit
    allowed += ["use the web"] * permission.may_browse
    return f"may {' and '.join(allowed)}" if allowed else "may only read"
