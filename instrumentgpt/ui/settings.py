"""The Settings page: the form, checked before it is saved, and what concerns the whole installation."""

import os
from dataclasses import asdict, fields
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.reading.bounds import MEGABYTES_VARIABLE, most_text
from instrumentgpt.settings import Settings, database_path, home
from instrumentgpt.ui import connection, session, space, trial, untrusted
from instrumentgpt.ui.settings_form import draw_fields

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
            changed = draw_fields(settings, fixed)
            saved = st.form_submit_button("Save", type="primary", icon=":material/save:")
        if saved:
            _save(database, settings, changed)
        connection.draw(settings)
        trial.draw(settings)
        space.draw(database, settings)
        _draw_paths()


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


def _draw_paths() -> None:
    st.caption(f"Database: `{database_path()}`")
    st.caption(f"Data folder: `{home()}` (set it with `INSTRUMENTGPT_HOME`)")
    st.caption(f"Largest log: {most_text() / 1e6:,.0f} MB of text (set it with `{MEGABYTES_VARIABLE}`)")
