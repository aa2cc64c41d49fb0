"""How a log was read: which column is what, what was guessed, and a form to say what the file does not."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.cells import Shape
from instrumentgpt.instruments.reading.sources import chunks, open_source
from instrumentgpt.instruments.reading.stated import UNITS, Stated
from instrumentgpt.instruments.reading.tables import named_values, table_shape
from instrumentgpt.instruments.readings import recalled, remember
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.logs.library import Choice
from instrumentgpt.ui.logs.preparation import Preparation

READINGS = "logs-readings"  # in the session's state: log's reference → how to read it
ROLES = ("time", "setpoint", "pv", "output")
NONE = "not in the table"
CELL_CHARACTERS = 24
QUESTIONS = {
    "period": "The table has no time. Give the seconds between two rows, and what needs them is judged.",
    "setpoint": "Which column is the setpoint, or what is its value? Without it nothing is said of control.",
}


def reading_of(reference: str) -> Stated:
    """Return how the user said that this log is to be read."""
    readings: dict[str, Stated] = st.session_state.get(READINGS, {})
    return readings.get(reference, Stated())


def draw(database: Database, preparation: Preparation, choice: Choice, conversation_id: str) -> None:
    """Draw how the log was read, with a form to correct it; nothing for logs whose lines say it all.

    What is said is remembered for logs laid out alike: of the device, or else of the conversation.
    """
    path, log, reference = preparation.path, preparation.log, choice.reference
    owner = choice.device or conversation_id
    unread = log is not None and reference not in st.session_state.get(READINGS, {})
    if log is not None and unread and (kept := recalled(database, owner, log)):
        _read_anew(reference, kept)
    shape = _shape(path) if path and (log is None or log.format.startswith("table")) else None
    asked = [text for name, text in QUESTIONS.items() if log is not None and name in log.missing]
    said = reading_of(reference)
    if shape is None and not asked and replace(said, loops=()) == Stated():
        return
    guessed = dict(log.guessed) if log else {}
    title = "Columns: please check" if log is None or guessed or asked else "Columns"
    with st.expander(title, icon=":material/view_column:", expanded=log is None or bool(asked)):
        for text in asked:
            st.caption(text)
        for name, reason in guessed.items():
            st.caption(f"**{untrusted.label(name)}** was guessed: {untrusted.label(reason, 200)}")
        stated = _draw_form(reference, shape, log, said)
        if stated is not None:
            state(database, preparation, choice, conversation_id, stated)


def state(
    database: Database, preparation: Preparation, choice: Choice, conversation_id: str, stated: Stated
) -> None:
    """Read the log as `stated`, and remember that for logs laid out alike of its owner."""
    if preparation.log is not None:
        owner = choice.device or conversation_id
        remember(database, owner, preparation.log, stated if stated != Stated() else None)
    _read_anew(choice.reference, stated)


def _draw_form(reference: str, shape: Shape | None, log: Log | None, said: Stated) -> Stated | None:
    """Return what the form says when one of its buttons is pressed, else None."""
    columns = {role: at for role, at in (log.columns if log else {}).items() if role in ROLES}
    with st.form(f"columns-{reference}", border=False):
        given = _draw_roles(shape, columns, reference) if shape else {}
        with st.container(horizontal=True, gap="small"):
            setpoint = st.number_input(
                "Setpoint, if no column has it",
                value=said.setpoint,
                placeholder="from its column",
                key=f"setpoint-{reference}",
                width=240,
            )
            period = st.number_input(
                "Seconds between two rows",
                min_value=0.001,
                value=said.period,
                placeholder="from the time column",
                key=f"period-{reference}",
                width=240,
            )
            units = ["", *dict.fromkeys(UNITS.values())]
            unit = st.selectbox(
                "Unit",
                units,
                index=units.index(said.unit),
                format_func=lambda one: one or f"as recognised: {log.unit if log else '?'}",
                key=f"unit-{reference}",
                width=240,
            )
        with st.container(horizontal=True, gap="small"):
            saved = st.form_submit_button("Read it so", type="primary")
            anew = st.form_submit_button("As recognised")
    if anew:
        return Stated(loops=said.loops)
    return Stated(_changed(columns, given, said), setpoint, period, unit, said.loops) if saved else None


def _changed(
    columns: dict[str, int], given: dict[str, int], said: Stated
) -> tuple[tuple[str, int | str], ...]:
    """Return the columns to state: those picked otherwise; all if pv is among them, or one is taken away."""
    picked = {role: at for role, at in given.items() if columns.get(role) != at}
    whole = "pv" in picked or columns.keys() - given.keys()
    return tuple((given if whole else {**dict(said.columns), **picked}).items()) if given else said.columns


def _read_anew(reference: str, stated: Stated) -> None:
    st.session_state[READINGS] = {**st.session_state.get(READINGS, {}), reference: stated}
    st.rerun()


def column_names(shape: Shape) -> list[str]:
    """Return what to call each column: its number, as people count, and its heading."""
    headings: Sequence[str] = [heading.text for heading in shape.headings] or [""] * shape.width
    return [f"{number} {text[:CELL_CHARACTERS]}".strip() for number, text in enumerate(headings, start=1)]


def _draw_roles(shape: Shape, columns: dict[str, int], reference: str) -> dict[str, int]:
    names = [NONE, *column_names(shape)]
    chosen = {}
    for role, place in zip(ROLES, st.columns(len(ROLES)), strict=True):
        at = columns.get(role, -1) + 1
        options = range(len(names))
        picked = place.selectbox(
            role, options, index=at, format_func=lambda at: names[at], key=f"column-{role}-{reference}-{at}"
        )
        chosen[role] = int(picked or 0) - 1
    return {role: at for role, at in chosen.items() if at >= 0}


def _shape(path: Path) -> Shape | None:
    for chunk in chunks(open_source(path), chunk_bytes=1 << 18):
        return table_shape(chunk.content, path.name) or named_values(chunk.content)
    return None
