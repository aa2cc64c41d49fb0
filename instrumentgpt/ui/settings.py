"""The Settings page: the form, checked before it is saved, and what concerns the whole installation."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.agents.process import Clocks, Request, run
from instrumentgpt.agents.registry import AGENTS, Agent, choose, environment_for
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.language import size_text
from instrumentgpt.instruments.reading.bounds import MEGABYTES_VARIABLE, most_text
from instrumentgpt.instruments.shown import AUTO, CHOICES
from instrumentgpt.modes.investigate.decisions import STEPS
from instrumentgpt.moments import day, zone_names
from instrumentgpt.pruning import Pruned, prunable, prune
from instrumentgpt.settings import Settings, database_path, home
from instrumentgpt.ui import language, session, sidebar, untrusted
from instrumentgpt.ui.agents import agent_words, draw_account, models
from instrumentgpt.ui.controls import chosen
from instrumentgpt.ui.language import say
from instrumentgpt.ui.progress import Progress, advance

Number = TypeVar("Number", int, float)
WIDTH = 720  # px
QUESTION = "This is a test of the connection. Reply with the single word OK."
CLOCKS = Clocks(first_event=30.0, silence=30.0, total=60.0)
ANSWER_CHARACTERS = 600  # of the test's answer
OWN_DEFAULT = "The agent's own default"
EFFORTS = {name: name.capitalize() for name in STEPS}
LANGUAGES = {"en": "English", "zh": "繁體中文"}
NOTICES = {
    "title": "In the tab's title",
    "sound": "In the tab's title, with a tone",
    "browser": "In the tab's title, and by the browser",
}
LAYERS = {  # layer of the prompt → its label
    "state": "State of the device",
    "facts": "Values, limits and errors",
    "history": "What other conversations found on the device",
    "summary": "Summary of older messages",
    "recalled": "Recalled turns",
    "recent": "Recent exchanges",
}
RECENT_HELP = "The last exchanges go to the agent in full; older ones as a summary."
ASK_HELP = "A question to an agent then waits for a click; 0: never."
TOKENS_HELP = "Request, state, summary, recalled and recent turns share them."
RUNS_HELP = "Of all conversations; further questions wait in order."
RETENTION_HELP = "Their charts, files and caches go; messages, findings and values stay. 0: none is pruned."
LAYERS_HELP = "Nothing is lost of a layer that is left out: it is as it would be when you choose it again."
RULE_HELP = "Put under a question about a device, for Cursor: it names the rule to follow. Empty: none."
CHOSEN = {  # setting → its label, and what it does
    "language": ("Language", "Of the page. An answer is in the language of its question."),
    "timezone": (
        "Time zone",
        "Of messages, cases, alerts and “yesterday”. A log's own clock is shown as the log has it.",
    ),
    "temperatures": (
        "Temperatures in",
        "In charts, figures and answers. Gains stay per unit of the log; its lines stay as they are.",
    ),
    "notify": (
        "When an answer has come",
        "Told while you look at something else. The browser asks once whether it may.",
    ),
    "agent": ("Agent", "Who answers. Automatic takes Cursor's if it is installed, else the offline analyst."),
    "effort": ("Steps that Investigate takes before it asks", "A longer plan is proposed in parts."),
}
COUNTS = {  # setting → its label, lowest and highest value, and what it does
    "recent_exchanges": ("Recent exchanges in the prompt", 1, 10, RECENT_HELP),
    "ask_above_tokens": ("Ask me above so many tokens of a conversation", 0, 100_000_000, ASK_HELP),
    "prompt_tokens": ("Tokens of a whole prompt", 2_000, 32_000, TOKENS_HELP),
    "runs_at_once": ("Answers at the same time", 1, 20, RUNS_HELP),
    "retention_days": ("Prune conversations untouched for days", 0, 3_650, RETENTION_HELP),
}
GUIDES = {  # setting → its label, and an example
    "profile": ("Who you are, for plans", "Service engineer; knows PID, wants figures first"),
    "plan_guidance": ("What every plan has to keep to", "Always compare with the log before"),
}
SECONDS = {  # setting → its label, lowest and highest value
    "first_event_seconds": ("First sign of life within (s)", 5.0, 600.0),
    "silence_seconds": ("Longest silence (s)", 10.0, 1_800.0),
    "total_seconds": ("Longest answer (s)", 30.0, 7_200.0),
}


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
    if max(settings.first_event_seconds, settings.silence_seconds) > settings.total_seconds:
        issues.append(
            say("Time limits: the longest answer must be at least as long as the two other limits. Raise it")
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
        draw_account(settings)
        _draw_test(settings)
        draw_space(database, settings)
        st.caption(say("Database: `{path}`", path=database_path()))
        st.caption(
            say("Data folder: `{path}` (set it with `{name}`)", path=home(), name="INSTRUMENTGPT_HOME")
        )
        largest, name = most_text() / 1e6, MEGABYTES_VARIABLE
        st.caption(say("Largest log: {size:,.0f} MB of text (set it with `{name}`)", size=largest, name=name))


@dataclass(frozen=True)
class _Form:
    """Inputs for settings, each with the value in force; those `fixed` by the environment are only shown."""

    settings: Settings
    fixed: set[str]
    values: dict[str, Any] = field(default_factory=dict)  # setting → its value in the form

    def common(self, name: str, help: str = "") -> dict[str, Any]:
        return {"key": f"setting-{name}", "help": help or None, "disabled": name in self.fixed}

    def text(self, name: str, label: str, placeholder: str = "", help: str = "") -> None:
        value, common = getattr(self.settings, name), self.common(name, help)
        self.values[name] = st.text_input(label, value, placeholder=placeholder, **common).strip()

    def choice(self, name: str, options: Mapping[str, str]) -> None:
        value: str = getattr(self.settings, name)
        options = {**options, value: options.get(value, value)}  # of the environment: any word
        label, common = say(CHOSEN[name][0]), self.common(name, say(CHOSEN[name][1]))
        self.values[name] = chosen(label, options, index=list(options).index(value), **common)

    def counts(self, *names: str) -> None:
        for name in names:
            self.number(name, say(COUNTS[name][0]), *COUNTS[name][1:3], say(COUNTS[name][3]))

    def number(
        self, name: str, label: str, low: Number, high: Number, help: str = "", step: Number | None = None
    ) -> None:
        value, form = min(max(type(low)(getattr(self.settings, name)), low), high), "%g" if step else None
        number = st.number_input(label, low, high, value, step, form, **self.common(name, help))
        self.values[name] = type(low)(number)

    def model(self) -> None:
        """Draw the model: as text, or, once the agent has listed its models, as a choice that takes text."""
        listed = models(self.settings)
        if not listed:
            self.text("model", say("Model of the agent"), say(OWN_DEFAULT))
            return
        options = list(dict.fromkeys(["", *listed, self.settings.model]))
        own_default = say(OWN_DEFAULT)
        model = st.selectbox(
            say("Model of the agent"),
            options,
            options.index(self.settings.model),
            key="setting-listed-model",
            format_func=lambda name: name or own_default,
            accept_new_options=True,
            disabled="model" in self.fixed,
        )
        self.values["model"] = (model or "").strip()


def _draw_fields(form: _Form) -> None:
    """Draw one input per setting."""
    form.choice("language", {"auto": say("The browser's"), **LANGUAGES})
    form.choice("timezone", {"auto": say("The browser's"), **{name: name for name in zone_names()}})
    form.choice("temperatures", {AUTO: say("The unit of each log"), **{unit: unit for unit in CHOICES[1:]}})
    form.choice("notify", {name: say(NOTICES[name]) for name in NOTICES})
    st.subheader(say("Who answers"), anchor=False)
    form.choice("agent", {"auto": say("Automatic"), **{name: agent_words(name) for name in AGENTS}})
    form.model()
    form.text("agent_path", say("Path of the agent's program"), say("Found on PATH"))
    for column, name in zip(st.columns(len(SECONDS)), SECONDS, strict=True):
        with column:
            form.number(name, say(SECONDS[name][0]), *SECONDS[name][1:], step=5.0)
    form.counts("runs_at_once", "ask_above_tokens")
    st.subheader(say("What a prompt holds"), anchor=False)
    form.counts("prompt_tokens", "recent_exchanges")
    layers_in_words = {name: say(LAYERS[name]) for name in LAYERS}
    layers = st.multiselect(
        say("What a prompt tells beside the request"),
        list(LAYERS),
        [name for name in form.settings.shown_layers if name in LAYERS],
        format_func=layers_in_words.__getitem__,
        **form.common("layers", say(LAYERS_HELP)),
    )
    form.values["layers"] = ", ".join(name for name in LAYERS if name in layers)
    form.text("rule_tag", say("Tag of the rule"), help=say(RULE_HELP))
    st.subheader(say("Plans of Investigate"), anchor=False)
    efforts = {
        name: say("{effort}: {count} steps", effort=say(EFFORTS[name]), count=STEPS[name]) for name in STEPS
    }
    form.choice("effort", {"auto": say("By the question"), **efforts})
    for name in GUIDES:
        form.text(name, say(GUIDES[name][0]), say(GUIDES[name][1]))
    st.subheader(say("Devices and disk"), anchor=False)
    form.text("inventory", say("Inventory of devices"))
    form.counts("retention_days")


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
    """Draw the button that asks the agent one question, under the settings as they are saved."""
    help = say("Asks one question with the saved settings")
    if not st.button(say("Test agent"), icon=":material/network_check:", help=help):
        return
    with st.spinner(say("Asking the agent…")):
        agent, progress = _ask_agent(settings)
    if progress.done and progress.done.outcome == "ok" and progress.text.strip():
        name, seconds = agent_words(agent.name), progress.done.seconds
        words = say("{agent} answered in {seconds:.1f} s.", agent=name, seconds=seconds)
        st.success(words, icon=":material/check:")
    else:
        failure = progress.failure
        reason = f"{failure.text} {failure.remedy}" if failure else say("It ended without an answer.")
        st.error(f"{agent.label}: {session.describe(reason, 600)}", icon=":material/error:")
    if progress.text:
        st.code(progress.text[:ANSWER_CHARACTERS], language=None, wrap_lines=True)


def _ask_agent(settings: Settings) -> tuple[Agent, Progress]:
    """Return who would answer under `settings`, and what it said; raise UnknownAgent if nobody can.

    A failure, with its remedy, is part of the progress. Nothing is stored.
    """
    agent, program = choose(settings.agent, settings)
    with tempfile.TemporaryDirectory() as folder:
        request = Request(say(QUESTION), Path(folder), model=settings.model)
        command = agent.command(program, request, environment_for(agent))
        events = run(command, agent.parse, CLOCKS, signs=agent.signs)
        return agent, advance(Progress(), enumerate(events, start=1))


SUGGESTED_DAYS = 90
LISTED = 20  # conversations; more are told by their number
TITLE_CHARACTERS = 60
EVERY = 86_400.0  # s


def draw_space(database: Database, settings: Settings) -> None:
    """Draw what pruning would remove, as a dry run, with exports beside it and the button that does it."""
    with st.expander(say("Space"), key="space", icon=":material/cleaning_services:"):
        days = st.number_input(
            say("Conversations untouched for days"),
            1,
            3_650,
            settings.retention_days or SUGGESTED_DAYS,
            key="untouched-days",
        )
        talks = prunable(database, days)
        total = sum(talk.size for talk in talks)
        if not talks:
            st.caption(say("None of {days} days or more has anything to prune.", days=days))
            return
        count = say("{count} {count:?conversation|conversations}", count=len(talks))
        removal = say("would go: charts, files, steps, logs, deleted turns.")
        st.markdown(f"**{count}, {size_text(total)}** {removal}")
        st.caption(
            say("Messages, findings, values and summaries stay; nothing is removed before you confirm.")
        )
        for talk in talks[:LISTED]:
            with st.container(horizontal=True, vertical_alignment="center"):
                title = untrusted.label(talk.title or say("Untitled"), TITLE_CHARACTERS)
                used = say("last used {when}", when=day(talk.updated_at))
                st.markdown(f"{title}  \n:small[:gray[{used} · {size_text(talk.size)}]]", width="stretch")
                at = talk.updated_at
                sidebar.draw_export(
                    db.Conversation(talk.conversation_id, talk.title, at, at), "export-before"
                )
        if len(talks) > LISTED:
            st.caption(say("and {count} more", count=len(talks) - LISTED))
        if st.button(say("Prune now"), icon=":material/cleaning_services:"):
            st.dialog(say("Prune conversations?"))(_confirm)(days, count, total)


def _confirm(days: int, count: str, total: int) -> None:
    untouched, size = {"count": count, "days": days}, size_text(total)
    st.write(
        say("{count} untouched for {days} days: {size} of charts, files and caches.", size=size, **untouched)
    )
    st.caption(say("This cannot be undone. Export first what you may want to see again."))
    if not st.button(say("Prune"), type="primary", icon=":material/cleaning_services:"):
        return
    try:
        with session.opened() as database, st.spinner(say("Pruning…")):
            result = prune(database, prunable(database, days))
    except (InstrumentGPTError, OSError) as error:
        st.error(session.describe(error), icon=":material/error:")
        return
    st.success(in_words(result), icon=":material/check:")


def in_words(result: Pruned) -> str:
    """Return what was freed, and the size of the database before and after."""
    sentences = [
        say("{count} pruned, {size} freed.", count=len(result.pruned), size=size_text(result.freed)),
        say(
            "The database had {before}, now {after}.",
            before=size_text(result.database_before),
            after=size_text(result.database_after),
        ),
    ]
    if result.skipped:
        sentences.append(say("{count} left alone: in use again.", count=len(result.skipped)))
    if result.pruned and not result.compacted:
        sentences.append(say("It shrinks with the next pruning: an answer was being written."))
    return " ".join(sentences)


@st.cache_resource(ttl=EVERY, show_spinner=False)
def prune_daily(days: int) -> None:
    """Start the pruning that the setting asks for, once a day, as a process that no page waits for."""
    if days > 0:
        session.start_command("prune", "--days", str(days), "--yes")
