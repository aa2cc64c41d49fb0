"""The Settings page: who answers, how much is remembered, where things lie; checked before it is saved."""

import os
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.modes.investigate.effort import STEPS
from instrumentgpt.settings import Settings, database_path, home
from instrumentgpt.ui import conclusions, connection, session, space, untrusted
from instrumentgpt.ui.trial import ask_agent

COUNTS = {  # setting → its label, lowest and highest value, and what it does
    "recent_exchanges": (
        "Recent exchanges in the prompt",
        1,
        10,
        "The last exchanges go to the agent in full; older ones as a summary.",
    ),
    "prompt_tokens": (
        "Tokens of a whole prompt",
        2_000,
        32_000,
        "Request, state, summary, recalled and recent turns share them.",
    ),
    "runs_at_once": (
        "Answers at the same time",
        1,
        20,
        "Of all conversations; further questions wait in order.",
    ),
    "retention_days": (
        "Prune conversations untouched for days",
        0,
        3_650,
        "Their charts, files and caches go; messages, findings and values stay. 0: none is pruned.",
    ),
}
EFFORTS = {  # setting → its label
    "auto": "By the question",
    **{name: f"{name.capitalize()}: {count} steps" for name, count in STEPS.items()},
}
LAYERS = {  # layer of the prompt → its label
    "state": "State of the device",
    "facts": "Values, limits and errors",
    "history": "What other conversations found on the device",
    "summary": "Summary of older messages",
    "recalled": "Recalled turns",
    "recent": "Recent exchanges",
}
TOGGLES = {  # setting → its label, and what it does
    "background_summary": (
        "The agent also writes the summary",
        "In the background after its answer; it costs tokens. What would lose a number is not taken.",
    ),
    "panel_remembers": (
        "Experts of a panel remember other conversations",
        "What they concluded on this device or fault before, marked as such. What is kept is below.",
    ),
}
SECONDS = {  # setting → its label, lowest and highest value
    "first_event_seconds": ("First sign of life within (s)", 5.0, 600.0),
    "silence_seconds": ("Longest silence (s)", 10.0, 1_800.0),
    "total_seconds": ("Longest answer (s)", 30.0, 7_200.0),
}
ANSWER_CHARACTERS = 600  # of the test's answer
WIDTH = 720  # px


def page() -> None:
    """Draw the page; what is wrong is said beside the remedy, and nothing is saved then."""
    st.title("Settings", anchor=False)
    try:
        with session.opened() as database:
            _draw(database)
    except InstrumentGPTError as error:
        st.error(untrusted.label(str(error), 600), icon=":material/error:")


def problems(settings: Settings) -> list[str]:
    """Return what is wrong with `settings`, each with its remedy; nothing if they can be saved."""
    found = []
    try:
        load_inventory(Path(settings.inventory).expanduser())
    except InstrumentGPTError as error:
        found.append(f"Inventory: {error}")
    path = Path(settings.agent_path).expanduser()
    if settings.agent_path and not (path.is_file() and os.access(path, os.X_OK)):
        found.append(
            f"The agent's program: {path} is no program that can be run. Correct the path, or leave it empty"
        )
    if (
        settings.first_event_seconds > settings.total_seconds
        or settings.silence_seconds > settings.total_seconds
    ):
        found.append(
            "Time limits: the longest answer must be at least as long as the two other limits. Raise it"
        )
    return found


def _draw(database: Database) -> None:
    settings = session.in_force(database)
    fixed = {field.name for field in fields(Settings) if f"INSTRUMENTGPT_{field.name.upper()}" in os.environ}
    with st.container(width=WIDTH):
        if fixed:
            names = ", ".join(f"`INSTRUMENTGPT_{name.upper()}`" for name in sorted(fixed))
            st.caption(f":material/lock: Set by the environment, and not to be changed here: {names}")
        with st.form("settings", border=False):
            changed = _draw_fields(settings, fixed)
            saved = st.form_submit_button("Save", type="primary", icon=":material/save:")
        if saved:
            _save(database, settings, changed)
        connection.draw(settings)
        _draw_test(settings)
        space.draw(database, settings)
        conclusions.draw(database)
        _draw_paths()


def _draw_fields(settings: Settings, fixed: set[str]) -> Settings:
    """Draw one input per setting and return the settings as they stand in the form."""
    drawn = {
        **_draw_agent(settings, fixed),
        **_draw_counts(settings, fixed),
        **_draw_effort(settings, fixed),
        **_draw_layers(settings, fixed),
        **_draw_toggles(settings, fixed),
        **_draw_rule_and_inventory(settings, fixed),
        **_draw_seconds(settings, fixed),
    }
    return replace(settings, **drawn)


def _draw_agent(settings: Settings, fixed: set[str]) -> dict[str, str]:
    names = ["auto", *AGENTS]
    agent = st.selectbox(
        "Agent",
        names,
        index=names.index(settings.agent) if settings.agent in names else 0,
        format_func=_agent_label,
        disabled="agent" in fixed,
        help="Who answers. Automatic takes Cursor's if it is installed, else the offline analyst.",
    )
    model = _draw_model(settings, disabled="model" in fixed)
    path = st.text_input(
        "Path of the agent's program",
        settings.agent_path,
        disabled="agent_path" in fixed,
        placeholder="Found on PATH",
    )
    return {"agent": agent, "model": model.strip(), "agent_path": path.strip()}


def _draw_effort(settings: Settings, fixed: set[str]) -> dict[str, str]:
    effort = st.selectbox(
        "Steps that Investigate takes before it asks",
        list(EFFORTS),
        index=list(EFFORTS).index(settings.effort) if settings.effort in EFFORTS else 0,
        format_func=EFFORTS.__getitem__,
        disabled="effort" in fixed,
        help="A longer plan is proposed in parts.",
    )
    return {"effort": effort}


def _draw_layers(settings: Settings, fixed: set[str]) -> dict[str, str]:
    layers = st.multiselect(
        "What a prompt tells beside the request",
        list(LAYERS),
        [name for name in settings.shown_layers if name in LAYERS],
        format_func=LAYERS.__getitem__,
        disabled="layers" in fixed,
        help="Nothing is lost of a layer that is left out: it is as it would be when you choose it again.",
    )
    return {"layers": ", ".join(name for name in LAYERS if name in layers)}


def _draw_toggles(settings: Settings, fixed: set[str]) -> dict[str, bool]:
    return {
        name: st.toggle(label, getattr(settings, name), disabled=name in fixed, help=told)
        for name, (label, told) in TOGGLES.items()
    }


def _draw_rule_and_inventory(settings: Settings, fixed: set[str]) -> dict[str, str]:
    rule_tag = st.text_input(
        "Tag of the rule",
        settings.rule_tag,
        disabled="rule_tag" in fixed,
        help="Put under a question about a device, for Cursor: it names the rule to follow. Empty: none.",
    )
    inventory = st.text_input("Inventory of devices", settings.inventory, disabled="inventory" in fixed)
    return {"rule_tag": rule_tag.strip(), "inventory": inventory.strip()}


def _draw_counts(settings: Settings, fixed: set[str]) -> dict[str, Any]:
    return {
        name: int(
            st.number_input(
                label,
                low,
                high,
                min(max(getattr(settings, name), low), high),
                disabled=name in fixed,
                help=told,
            )
        )
        for name, (label, low, high, told) in COUNTS.items()
    }


def _draw_seconds(settings: Settings, fixed: set[str]) -> dict[str, Any]:
    columns = st.columns(len(SECONDS))
    return {
        name: column.number_input(
            label,
            low,
            high,
            min(max(float(getattr(settings, name)), low), high),
            step=5.0,
            disabled=name in fixed,
        )
        for column, (name, (label, low, high)) in zip(columns, SECONDS.items(), strict=True)
    }


def _draw_model(settings: Settings, disabled: bool) -> str:
    """Draw the model: as text, or, once the agent has listed its models, as a choice that takes text too."""
    listed = connection.models(settings)
    if not listed:
        return st.text_input(
            "Model", settings.model, disabled=disabled, placeholder="The agent's own default"
        )
    options = list(dict.fromkeys(["", *listed, settings.model]))
    chosen = st.selectbox(
        "Model",
        options,
        index=options.index(settings.model),
        format_func=lambda name: name or "The agent's own default",
        accept_new_options=True,
        disabled=disabled,
    )
    return chosen or ""


def _agent_label(name: str) -> str:
    return AGENTS[name].label if name in AGENTS else "Automatic"


def _save(database: Database, before: Settings, changed: Settings) -> None:
    found = problems(changed)
    for problem in found:
        st.error(untrusted.label(problem, 600), icon=":material/error:")
    if found:
        return
    for name, value in asdict(changed).items():
        if value != getattr(before, name):
            db.save_setting(database, name, value)
    st.success("Saved. The next question uses these settings.", icon=":material/check:")


def _draw_test(settings: Settings) -> None:
    """Draw the button that asks the agent one question, under the settings as they are saved."""
    if not st.button(
        "Test agent", icon=":material/network_check:", help="Asks one question with the saved settings"
    ):
        return
    with st.spinner("Asking the agent…"):
        agent, progress = ask_agent(settings)
    if progress.done and progress.done.outcome == "ok" and progress.text.strip():
        st.success(f"{agent.label} answered in {progress.done.seconds:.1f} s.", icon=":material/check:")
    else:
        failure = progress.failure
        words = f"{failure.text} {failure.remedy}" if failure else "It ended without an answer."
        st.error(f"{agent.label}: {untrusted.label(words, 600)}", icon=":material/error:")
    if progress.text:
        st.code(progress.text[:ANSWER_CHARACTERS], language=None, wrap_lines=True)


def _draw_paths() -> None:
    st.caption(f"Database: `{database_path()}`")
    st.caption(f"Data folder: `{home()}` (set it with `INSTRUMENTGPT_HOME`)")
