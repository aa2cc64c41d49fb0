"""The Settings page: the form, checked before it is saved, and what concerns the whole installation."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.agents.process import Clocks, Request, run
from instrumentgpt.agents.registry import AGENTS, Agent, choose, environment_for
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.language import size_text
from instrumentgpt.instruments.shown import AUTO, CHOICES
from instrumentgpt.moments import zone_names
from instrumentgpt.pruning import prunable
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.ui import language, session, untrusted
from instrumentgpt.ui.agents import agent_words, draw_login, look
from instrumentgpt.ui.controls import chosen
from instrumentgpt.ui.language import say
from instrumentgpt.ui.progress import Progress, advance

WIDTH = 720  # px
QUESTION = "This is a test of the connection. Reply with the single word OK."
CLOCKS = Clocks(first_event=30.0, silence=30.0, total=60.0)
ANSWER_CHARACTERS = 600  # of the test's answer
LANGUAGES = {"en": "English", "zh": "繁體中文"}


def problems(settings: Settings) -> list[str]:
    """Return what is wrong with `settings`, each with its remedy; nothing if they can be saved."""
    issues = []
    try:
        load_inventory(Path(settings.inventory).expanduser())
    except InstrumentGPTError as error:
        issues.append(say("Inventory: {error}", error=error.message(language.language())))
    path = Path(settings.agent_path).expanduser()
    if settings.agent_path and not (path.is_file() and os.access(path, os.X_OK)):
        issues.append(
            say(
                "The agent's program: {path} is no program that can be run. "
                "Correct the path, or leave it empty",
                path=path,
            )
        )
    return issues


@session.drawn
def page(database: Database) -> None:
    """Draw the page; what is wrong is said beside the remedy, and nothing is saved then."""
    st.title(say("Settings"), anchor=False)
    settings = session.current_settings(database)
    every = [setting.name for setting in fields(Settings)]
    fixed = {name for name in every if f"INSTRUMENTGPT_{name.upper()}" in os.environ}
    with st.container(width=WIDTH):
        if fixed:
            names = ", ".join(f"`INSTRUMENTGPT_{name.upper()}`" for name in sorted(fixed))
            notice = say("Set by the environment, and not to be changed here: {names}", names=names)
            st.caption(f":material/lock: {notice}")
        with st.form("settings", border=False):
            form = _Form(settings, fixed)
            _draw_fields(form)
            saved = st.form_submit_button(say("Save"), type="primary", icon=":material/save:")
        if saved:
            _save(database, settings, replace(settings, **form.values))
        draw_login(settings)
        _draw_test(settings)
        draw_space(database, settings)
        st.caption(say("Database: `{path}`", path=database_path()))


@dataclass(frozen=True)
class _Form:
    """Inputs for settings, each with the value in force; those `fixed` by the environment are only shown."""

    settings: Settings
    fixed: set[str]
    values: dict[str, Any] = field(default_factory=dict)  # setting → its value in the form

    def common(self, name: str, help: str = "") -> dict[str, Any]:
        return {"key": f"setting-{name}", "help": help or None, "disabled": name in self.fixed}

    def text(self, name: str, label: str, placeholder: str = "") -> None:
        value, common = getattr(self.settings, name), self.common(name)
        self.values[name] = st.text_input(label, value, placeholder=placeholder, **common).strip()

    def choice(self, name: str, label: str, options: Mapping[str, str], help: str = "") -> None:
        value: str = getattr(self.settings, name)
        options = {**options, value: options.get(value, value)}  # of the environment: any word
        index = list(options).index(value)
        self.values[name] = chosen(label, options, index=index, **self.common(name, help))

    def number(self, name: str, label: str, low: int, high: int, help: str = "") -> None:
        value = min(max(int(getattr(self.settings, name)), low), high)
        self.values[name] = st.number_input(label, low, high, value, **self.common(name, help))


def _draw_fields(form: _Form) -> None:
    """Draw one input per setting; what only an administrator turns is left to the environment."""
    browsers = {"auto": say("The browser's")}
    form.choice(
        "language",
        say("Language"),
        browsers | LANGUAGES,
        say("Of the page. An answer is in the language of its question."),
    )
    form.choice(
        "timezone",
        say("Time zone"),
        browsers | {name: name for name in zone_names()},
        say("Of messages, cases, alerts and “yesterday”. A log's own clock is shown as the log has it."),
    )
    form.choice(
        "temperatures",
        say("Temperatures in"),
        {AUTO: say("The unit of each log"), **{unit: unit for unit in CHOICES[1:]}},
        say("In charts, figures and answers. Gains stay per unit of the log; its lines stay as they are."),
    )
    st.subheader(say("Who answers"), anchor=False)
    form.choice(
        "agent",
        say("Agent"),
        {"auto": say("Automatic"), **{name: agent_words(name) for name in AGENTS}},
        say("Who answers. Automatic takes Cursor's if it is installed, else the offline analyst."),
    )
    form.text("model", say("Model of the agent"), say("The agent's own default"))
    form.text("agent_path", say("Path of the agent's program"), say("Found on PATH"))
    form.number("total_seconds", say("Longest answer (s)"), 30, 7_200)
    st.subheader(say("What a prompt holds"), anchor=False)
    form.number(
        "prompt_tokens",
        say("Tokens of a whole prompt"),
        2_000,
        32_000,
        say("Request, state, summary, recalled and recent turns share them."),
    )
    form.number(
        "recent_exchanges",
        say("Recent exchanges in the prompt"),
        1,
        10,
        say("The last exchanges go to the agent in full; older ones as a summary."),
    )
    st.subheader(say("Plans of Investigate"), anchor=False)
    form.text(
        "profile", say("Who you are, for plans"), say("Service engineer; knows PID, wants figures first")
    )
    form.text(
        "plan_guidance",
        say("What every plan has to keep to"),
        say("Always compare with the log before"),
    )
    st.subheader(say("Devices and disk"), anchor=False)
    form.text("inventory", say("Inventory of devices"))
    form.number(
        "retention_days",
        say("Prune conversations untouched for days"),
        0,
        3_650,
        say("Their charts, files and caches go; messages, findings and values stay. 0: none is pruned."),
    )


def _save(database: Database, current: Settings, changed: Settings) -> None:
    issues = problems(changed)
    for problem in issues:
        st.error(untrusted.label(problem, 600), icon=":material/error:")
    if issues:
        return
    for name, value in asdict(changed).items():
        if value != getattr(current, name):
            db.save_setting(database, name, value)
    if changed.language != current.language:
        st.session_state[language.CHOSEN] = changed.language
        st.rerun()
    st.success(say("Saved. The next question uses these settings."), icon=":material/check:")


def _draw_test(settings: Settings) -> None:
    """Draw the button that asks the agent for its login and one question, under the settings as saved."""
    help = say("Tells whether it is logged in, lists its models, and asks it one question")
    if not st.button(say("Test agent"), icon=":material/network_check:", help=help):
        return
    agent, program = choose(settings.agent, settings)
    if not look(agent, program):
        return
    with st.spinner(say("Asking the agent…")):
        progress = _ask_agent(agent, program, settings.model)
    if progress.done and progress.done.outcome == "ok" and progress.text.strip():
        name, seconds = agent_words(agent.name), progress.done.seconds
        words = say("{agent} answered in {seconds:.1f} s.", agent=name, seconds=seconds)
        st.success(words, icon=":material/check:")
    else:
        failure = progress.failure
        reason = f"{failure.text} {failure.remedy}" if failure else say("Cut off: it ended without a result")
        st.error(f"{agent.label}: {session.describe(reason, 600)}", icon=":material/error:")
    if progress.text:
        st.code(progress.text[:ANSWER_CHARACTERS], language=None, wrap_lines=True)


def _ask_agent(agent: Agent, program: str, model: str) -> Progress:
    """Return what the agent said; a failure, with its remedy, is part of it. Nothing is stored."""
    with tempfile.TemporaryDirectory() as folder:
        request = Request(say(QUESTION), Path(folder), model=model)
        command = agent.command(program, request, environment_for(agent))
        events = run(command, agent.parse, CLOCKS, signs=agent.signs)
        return advance(Progress(), enumerate(events, start=1))


SUGGESTED_DAYS = 90
LISTED = 20  # conversations; more are told by their number
TITLES_CHARACTERS = 1_200
EVERY = 86_400.0  # s


def draw_space(database: Database, settings: Settings) -> None:
    """Draw what pruning would remove, by the days that are chosen here."""
    with st.expander(say("Space"), key="space", icon=":material/cleaning_services:"):
        days = st.number_input(
            say("Conversations untouched for days"),
            1,
            3_650,
            settings.retention_days or SUGGESTED_DAYS,
            key="untouched-days",
        )
        talks = prunable(database, days)
        if not talks:
            st.caption(say("None of {days} days or more has anything to prune.", days=days))
            return
        count = say("{count} {count:?conversation|conversations}", count=len(talks))
        removal = say("would go: charts, files, steps, logs, deleted turns.")
        st.markdown(f"**{count}, {size_text(sum(talk.size for talk in talks))}** {removal}")
        titles = [f"{talk.title or say('Untitled')} ({size_text(talk.size)})" for talk in talks[:LISTED]]
        more = [say("and {count} more", count=len(talks) - LISTED)] if len(talks) > LISTED else []
        st.caption(untrusted.label(", ".join([*titles, *more]), TITLES_CHARACTERS))
        st.caption(
            say(
                "Messages, findings, values and summaries stay. It is done once a day by the setting above, "
                "or by `python -m instrumentgpt prune`, and cannot be undone."
            )
        )


@st.cache_resource(ttl=EVERY, show_spinner=False)
def prune_daily(days: int) -> None:
    """Start the pruning that the setting asks for, once a day, as a process that no page waits for."""
    if days > 0:
        session.start_command("prune", "--days", str(days), "--yes")
