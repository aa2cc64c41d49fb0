"""The agents as the page tells them: their names, the chosen one's account, what it may do, what it costs."""

from collections.abc import Mapping
from contextlib import closing

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.agents import login
from instrumentgpt.agents.registry import AGENTS, Agent, choose, environment_for, installed
from instrumentgpt.agents.sandbox import confines, what_holds
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.moments import moment
from instrumentgpt.settings import Settings
from instrumentgpt.storage import conversations
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import say, thousands

MODELS = "models"  # in the session's state: agent → the models that it listed
WORDS = 300  # characters of an agent's own line
TOKENS = {  # as agents.events.Done names them → in words
    "inputTokens": "{count} in",
    "outputTokens": "{count} out",
    "cacheReadTokens": "{count} read from its cache",
    "cacheWriteTokens": "{count} written to its cache",
}


def agent_words(name: str) -> str:
    """Return what the page calls the agent `name`, which may be there no more."""
    if name == "offline":
        return say("Offline analyst")
    return AGENTS[name].label if name in AGENTS else untrusted.label(name)


def draw_account(settings: Settings) -> None:
    """Draw the buttons for the agent that would answer; nothing for one without an account."""
    try:
        agent, program = choose(settings.agent, settings)
    except InstrumentGPTError:  # the choice above says what is wrong
        return
    commands = login.COMMANDS.get(agent.name)
    if commands is None:
        return
    environment = environment_for(agent)
    with st.container(horizontal=True):
        wants_login = commands.on_page and st.button(
            say("Connect agent"),
            icon=":material/login:",
            help=say("Runs the login of {agent}", agent=agent.label),
        )
        wants_look = st.button(say("Check connection"), icon=":material/account_circle:")
    if wants_login:
        _log_in(program, commands, environment)
    if wants_look or wants_login:
        _look(agent.name, program, commands, environment)


def models(settings: Settings) -> list[str]:
    """Return the models that the agent listed when its connection was last checked on this page."""
    return list(st.session_state.get(MODELS, {}).get(installed(settings.agent, settings), []))


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


def _look(name: str, program: str, commands: login.Commands, environment: Mapping[str, str]) -> None:
    with st.spinner(say("Asking the agent…")):
        status = login.status_of(program, commands, environment)
        model_ids = login.models_of(program, commands, environment)
    words = untrusted.label(status.text, WORDS)
    if status.logged_in:
        st.success(words, icon=":material/check:")
    elif status.logged_in is None:
        notice = say("The agent does not say whether it is logged in: {words}", words=words)
        st.info(notice, icon=":material/help:")
    else:
        by_hand = say("Run `{command}` in a terminal.", command=" ".join((name, *commands.login)))
        remedy = say("Press “Connect agent”.") if commands.on_page else by_hand
        st.error(f"{words.rstrip('.')}. {remedy}", icon=":material/error:")
    if model_ids:
        st.session_state[MODELS] = {**st.session_state.get(MODELS, {}), name: model_ids}
        st.caption(
            say("{count} models can be chosen above, once the page is drawn again.", count=len(model_ids))
        )


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


def tokens(usage: Mapping[str, float], exactly: bool = False) -> str:
    """Return what went in and came out, or `exactly` all that the agent reports; "" if it reports neither.

    >>> tokens({"inputTokens": 12_340, "outputTokens": 410, "cacheReadTokens": 9_000}), tokens({})
    ('tokens: 12.3k in, 410 out', '')
    >>> tokens({"inputTokens": 12_340, "cacheReadTokens": 9_000}, exactly=True)
    'tokens: 12,340 in, 9,000 read from its cache'
    """
    shown = "{:,.0f}".format if exactly else thousands
    names = [name for name in TOKENS if usage.get(name) and (exactly or "cache" not in name)]
    counts = ", ".join(say(TOKENS[name], count=shown(usage[name])) for name in names)
    return say("tokens: {counts}", counts=counts) if counts else ""


def token_count(usage: Mapping[str, float]) -> float:
    """Return the tokens that went in and came out."""
    return usage.get("inputTokens", 0) + usage.get("outputTokens", 0)


def spent(usage: Mapping[str, float]) -> str:
    """Return tokens and money as far as the agent tells them, "" if it tells neither.

    >>> spent({"inputTokens": 1_240, "outputTokens": 84, "costUSD": 0.0026}), spent({})
    ('1,324 tokens, 0.0026 USD', '')
    """
    parts = [f"{token_count(usage):,.0f} tokens"] if token_count(usage) else []
    return ", ".join([*parts, *([money(usage["costUSD"])] if usage.get("costUSD") else [])])


def money(dollars: float) -> str:
    """Return an amount as the page tells it: an answer costs less than a cent."""
    return f"{dollars:.4f} USD"
