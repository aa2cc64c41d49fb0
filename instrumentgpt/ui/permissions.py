"""What the agent of this conversation may do besides reading: switches, a warning, the record of changes."""

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.agents.registry import Agent
from instrumentgpt.agents.sandbox import confines, what_holds
from instrumentgpt.moments import moment
from instrumentgpt.settings import Settings
from instrumentgpt.storage import conversations
from instrumentgpt.ui import session
from instrumentgpt.ui.language import say

WARNING = (
    "An agent that may run commands or edit files does so as you, on this computer; "
    "commands also reach the network. "
    "A log can hold text that was written to mislead it. "
    "Allow it only where you trust the logs, and take it back afterwards."
)
SWITCHES = {"may_run": "Run commands", "may_edit": "Edit files", "may_browse": "Use the web"}
SHOWN_CHANGES = 5


def draw(database: Database, conversation_id: str) -> None:
    """Draw the switches for CLI agents; our own analyst runs and edits nothing, whatever they say."""
    allowed = conversations.permission_in_force(database, conversation_id)
    icon = ":material/lock_open:" if _allowed(allowed) else ":material/lock:"
    label = say("Agent {may}", may=_may(allowed))
    with st.popover(label, icon=icon, width="stretch", key=f"permissions-{conversation_id}"):
        st.markdown(f":orange[:material/warning:] {say(WARNING)}")
        for field in SWITCHES:
            key = f"{field}-{conversation_id}"
            st.session_state[key] = getattr(allowed, field)  # as stored: another tab may have changed it
            st.toggle(say(SWITCHES[field]), key=key, on_change=_change, args=(conversation_id,))
        st.caption(say("From the next question on, in this conversation only. Reading is always allowed."))
        for change in conversations.list_permissions(database, conversation_id)[:SHOWN_CHANGES]:
            when = moment(change.changed_at)
            st.caption(f"{when} · {session.person_name(change.changed_by)} · {_may(change)}")


def draw_hold(agent: Agent, settings: Settings) -> None:
    """Say what keeps `agent` to what it may do on this machine; nothing of programs of ours."""
    if not agent.state:
        return
    confinement = what_holds(agent.label, agent.caveat, settings)
    if confines(settings):
        st.caption(f":material/shield_lock: {say('in a sandbox')}", help=confinement)
    else:
        st.caption(f":orange[:material/gpp_maybe: {say('No sandbox.')}] {confinement}")


def _change(conversation_id: str) -> None:
    switched = {field: bool(st.session_state[f"{field}-{conversation_id}"]) for field in SWITCHES}
    session.in_database(conversations.save_permission, conversation_id, session.who(), **switched)


def _may(permission: conversations.Permission) -> str:
    """Return what `permission` allows, in words.

    >>> Permission = conversations.Permission
    >>> _may(Permission()), _may(Permission(may_run=True, may_edit=True))
    ('may only read', 'may run commands and edit files')
    """
    allowed = say(" and ").join(_allowed(permission))
    return say("may {actions}", actions=allowed) if allowed else say("may only read")


def _allowed(permission: conversations.Permission) -> list[str]:
    labels = [say(SWITCHES[field]) for field in SWITCHES if getattr(permission, field)]
    return [label[0].lower() + label[1:] for label in labels]
