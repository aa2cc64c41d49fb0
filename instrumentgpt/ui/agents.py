"""The agents as the page tells them: their names, the chosen one's account, what it may do, what it costs."""

from collections.abc import Mapping
from contextlib import closing

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.agents import login
from instrumentgpt.agents.registry import AGENTS, Agent, choose, environment_for
from instrumentgpt.agents.sandbox import confines, what_holds
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.moments import moment
from instrumentgpt.settings import Settings
from instrumentgpt.storage import conversations
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import say, thousands

WORDS = 300  # characters of an agent's own line
MODEL_CHARACTERS = 2_000  # of the names of its models
TOKENS = {"inputTokens": "{count} in", "outputTokens": "{count} out"}  # as agents.events.Done names them


def agent_words(name: str) -> str:
    """Return what the page calls the agent `name`, which may be there no more."""
    if name == "offline":
        return say("Offline analyst")
    return AGENTS[name].label if name in AGENTS else untrusted.label(name)


def draw_login(settings: Settings) -> None:
    """Draw the button that logs the agent in that would answer; nothing for one that has no login here."""
    try:
        agent, program = choose(settings.agent, settings)
    except InstrumentGPTError:  # the choice above says what is wrong
        return
    commands, help = login.COMMANDS.get(agent.name), say("Runs the login of {agent}", agent=agent.label)
    if commands is None or not commands.on_page:
        return
    if st.button(say("Connect agent"), icon=":material/login:", help=help):
        _log_in(program, commands, environment_for(agent))
        look(agent, program)


def _log_in(program: str, commands: login.Commands, environment: Mapping[str, str]) -> None:
    """Run the login here: leaving the page or clicking something else ends it, and all that it started."""
    with (
        st.status(say("Waiting for the login…"), expanded=True) as box,
        closing(login.log_in(program, commands, environment)) as steps,
    ):
        for step in steps:
            if isinstance(step, login.Address):
                st.link_button(say("Open the login page"), step.url, icon=":material/open_in_new:")
                st.code(step.url, language=None, wrap_lines=True)
                continue
            label = say("Logged in") if step.logged_in else say("Not logged in")
            box.update(label=label, state="complete" if step.logged_in else "error")
            st.text(step.text[:WORDS])


def look(agent: Agent, program: str) -> bool:
    """Say whether the agent is logged in, and which models it lists; return whether it can be asked."""
    commands, environment = login.COMMANDS.get(agent.name), environment_for(agent)
    if commands is None:
        return True
    with st.spinner(say("Asking the agent…")):
        status = login.status_of(program, commands, environment)
        model_ids = login.models_of(program, commands, environment)
    words = untrusted.label(status.text, WORDS)
    if status.logged_in is False:
        by_hand = say("Run `{command}` in a terminal.", command=" ".join((program, *commands.login)))
        remedy = say("Press “Connect agent”.") if commands.on_page else by_hand
        st.error(f"{words.rstrip('.')}. {remedy}", icon=":material/error:")
    else:
        st.info(words, icon=":material/account_circle:")
    if model_ids:
        st.caption(f"{say('Model of the agent')}: {untrusted.label(', '.join(model_ids), MODEL_CHARACTERS)}")
    return status.logged_in is not False


WARNING = (
    "An agent that may run commands or edit files does so as you, on this computer; "
    "commands also reach the network. "
    "A log can hold text that was written to mislead it. "
    "Allow it only where you trust the logs, and take it back afterwards."
)
SWITCHES = {"may_run": "Run commands", "may_edit": "Edit files", "may_browse": "Use the web"}
SHOWN_CHANGES = 5


def draw_permissions(database: Database, conversation_id: str) -> None:
    """Draw the switches for CLI agents; our own analyst runs and edits nothing, whatever they say."""
    allowed = conversations.permission_in_force(database, conversation_id)
    icon = ":material/lock_open:" if _allowed(allowed) else ":material/lock:"
    label = say("Agent {may}", may=_may(allowed))
    with st.popover(label, icon=icon, width="stretch", key=f"permissions-{conversation_id}"):
        st.markdown(f":orange[:material/warning:] {say(WARNING)}")
        for field in SWITCHES:
            key = f"{field}-{conversation_id}"
            st.session_state[key] = getattr(allowed, field)  # as stored: another tab may have changed it
            st.toggle(say(SWITCHES[field]), key=key, on_change=_change_permission, args=(conversation_id,))
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


def _change_permission(conversation_id: str) -> None:
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


def tokens(usage: Mapping[str, float]) -> str:
    """Return what went in and came out; "" if the agent reports neither.

    >>> tokens({"inputTokens": 12_340, "outputTokens": 410, "cacheReadTokens": 9_000}), tokens({})
    ('tokens: 12.3k in, 410 out', '')
    """
    counts = ", ".join(say(TOKENS[name], count=thousands(usage[name])) for name in TOKENS if usage.get(name))
    return say("tokens: {counts}", counts=counts) if counts else ""


def spent(usage: Mapping[str, float]) -> str:
    """Return tokens and money as far as the agent tells them, "" if it tells neither.

    >>> spent({"inputTokens": 1_240, "outputTokens": 84, "costUSD": 0.0026}), spent({})
    ('1,324 tokens, 0.0026 USD', '')
    """
    count = usage.get("inputTokens", 0) + usage.get("outputTokens", 0)
    parts = [f"{count:,.0f} tokens"] if count else []
    return ", ".join([*parts, *([money(usage["costUSD"])] if usage.get("costUSD") else [])])


def money(dollars: float) -> str:
    """Return an amount as the page tells it: an answer costs less than a cent."""
    return f"{dollars:.4f} USD"
