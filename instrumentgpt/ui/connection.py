"""The account of the chosen CLI agent: log in, see whether that worked, list its models; its badge."""

from collections.abc import Mapping
from contextlib import closing

import streamlit as st

from instrumentgpt.agents import login
from instrumentgpt.agents.registry import AGENTS, Agent, choose, environment_for, installed
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.settings import Settings
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.language import say

MODELS = "models"  # in the session's state: agent → the models that it listed
WORDS = 300  # characters of an agent's own line
LOOK_SECONDS = 1.0  # while an agent has not said yet whether it is logged in
BADGES = {
    True: ("green", "check", "Logged in"),
    False: ("orange", "error", "Not logged in: see Settings"),
    None: ("gray", "help", "Login not known"),
}


def agent_words(name: str) -> str:
    """Return what the page calls the agent `name`, which may be there no more."""
    if name == "offline":
        return say("Offline analyst")
    return AGENTS[name].label if name in AGENTS else untrusted.label(name)


def draw(settings: Settings) -> None:
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


@st.cache_resource(show_spinner=False)
def accounts() -> login.Accounts:
    """Return what agents said of their login, for all pages of this server."""
    return login.Accounts()


def draw_badge(agent: Agent, program: str) -> None:
    """Say whether `agent` is logged in, as far as it has told: the page never waits for that."""
    status = _account(agent, program)
    if status is not None:
        colour, icon, _ = BADGES[status.logged_in]
        words = say(BADGES[status.logged_in][2])
        st.caption(f":{colour}-badge[:material/{icon}: {words}]", help=untrusted.label(status.text, WORDS))
    elif agent.name in login.COMMANDS:
        _await_badge(agent, program)


@st.fragment(run_every=LOOK_SECONDS)
def _await_badge(agent: Agent, program: str) -> None:
    if _account(agent, program) is not None:
        st.rerun()


def _account(agent: Agent, program: str) -> login.Status | None:
    commands = login.COMMANDS.get(agent.name)
    return accounts().of(program, commands, environment_for(agent)) if commands else None


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
        accounts().learn(program, environment, status)
        model_ids = [model.id for model in login.models_of(program, commands, environment)]
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
