"""How a log was read: its columns and what was guessed, the kinds of its loops; forms to correct both.

What is said is remembered for logs laid out alike: of the device, or else of the conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.instruments import loop_wording, workings_wording
from instrumentgpt.instruments.analysis.kind import DRIVES
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.cells import Shape
from instrumentgpt.instruments.reading.record import UNSTATED, StatedLoop
from instrumentgpt.instruments.reading.spoken import UNITS
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import recalled, remember, shape_of
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.controls import chosen, number_field
from instrumentgpt.ui.language import language, problem, say
from instrumentgpt.ui.logs.preparation import Choice, Preparation

READINGS = "logs-readings"  # in the session's state: log's reference → how to read it
ROLES = {"time": "time", "setpoint": "setpoint", "pv": "pv", "output": "output"}  # in words
CELL_CHARACTERS = 24
WIDE, NARROW = 240, 160  # px
QUESTIONS = {
    "period": "The table has no time. Give the seconds between two rows, and what needs them is judged.",
    "setpoint": "Which column is the setpoint, or what is its value? Without it nothing is said of control.",
}
ACTS = {  # whether more output lowers pv, and in words
    "": (None, "As recognised"),
    "heats": (False, "heats"),
    "cools": (True, "cools"),
}


def reading_of(reference: str) -> Stated:
    """Return how the user said that this log is to be read."""
    readings: dict[str, Stated] = st.session_state.get(READINGS, {})
    return readings.get(reference, Stated())


def draw(
    database: Database, preparation: Preparation, choice: Choice, conversation_id: str, suffix: str = ""
) -> None:
    """Draw how the log was read, with forms to correct it; nothing of what its lines say themselves.

    suffix  put behind the titles: which log it is, where there are two
    """
    log, reference, owner = preparation.log, choice.reference, choice.device or conversation_id
    unread = log is not None and reference not in st.session_state.get(READINGS, {})
    if log is not None and unread and (earlier := recalled(database, owner, log)):
        _read_anew(reference, earlier)
    stated = _draw_columns(preparation, reference, suffix) or _draw_kinds(preparation, reference, suffix)
    if stated is not None:
        if log is not None:
            remember(database, owner, log, stated if stated != Stated() else None)
        _read_anew(reference, stated)


def _read_anew(reference: str, stated: Stated) -> None:
    st.session_state[READINGS] = {**st.session_state.get(READINGS, {}), reference: stated}
    st.rerun()


def _draw_columns(preparation: Preparation, reference: str, suffix: str) -> Stated | None:
    """Draw which column is what; return what the form says when one of its buttons is pressed, else None."""
    path, log, reading = preparation.path, preparation.log, reading_of(reference)
    shape = shape_of(path) if path and (log is None or log.format.startswith("table")) else None
    hints = [say(QUESTIONS[name]) for name in QUESTIONS if log is not None and name in log.missing]
    if shape is None and not hints and replace(reading, loops=()) == Stated():
        return None
    guessed = dict(log.guessed) if log else {}
    title = say("Columns: please check") if log is None or guessed or hints else say("Columns")
    with st.expander(f"{title}{suffix}", icon=":material/view_column:", expanded=log is None or bool(hints)):
        for text in hints:
            st.caption(text)
        for name, reason in guessed.items():
            why = untrusted.label(problem(reason), 200)
            st.caption(say("**{name}** was guessed: {reason}", name=untrusted.label(name), reason=why))
        return _draw_column_form(reference, shape, log, reading)


def _draw_column_form(reference: str, shape: Shape | None, log: Log | None, reading: Stated) -> Stated | None:
    columns = {role: at for role, at in (log.columns if log else {}).items() if role in ROLES}
    with st.form(f"columns-{reference}", border=False):
        heads = [heading.text for heading in shape.headings] or [""] * shape.width if shape else []
        roles = _draw_roles(log.heads if log else heads, columns, reference) if shape else {}
        with st.container(horizontal=True, gap="small"):
            label, hint = say("Setpoint, if no column has it"), say("from its column")
            setpoint = number_field(label, f"setpoint-{reference}", hint, reading.setpoint, width=WIDE)
            label, hint = say("Seconds between two rows"), say("from the time column")
            look = {"min_value": 0.001, "width": WIDE}
            period = number_field(label, f"period-{reference}", hint, reading.period, **look)
            recognised = say("As recognised")
            units = ["", *dict.fromkeys(UNITS.values())]
            words = {unit: unit or f"{recognised}: {log.logged_unit if log else '?'}" for unit in units}
            place = units.index(reading.unit)
            unit = chosen(say("Unit"), words, f"unit-{reference}", index=place, width=WIDE)
        saved, anew = _draw_submit(say("Read it so"))
    if anew:
        return Stated(loops=reading.loops)
    kept = (reading.loops, reading.heads)
    return Stated(_changed(columns, roles, reading), setpoint, period, unit, *kept) if saved else None


def _draw_submit(label: str) -> tuple[bool, bool]:
    """Return whether the form was sent, and whether it is to be as recognised."""
    with st.container(horizontal=True, gap="small"):
        return st.form_submit_button(label, type="primary"), st.form_submit_button(say("As recognised"))


def _changed(
    columns: dict[str, int], roles: dict[str, int], reading: Stated
) -> tuple[tuple[str, int | str], ...]:
    """Return the columns to state: those picked otherwise; all if pv is among them, or one is taken away."""
    changed = {role: at for role, at in roles.items() if columns.get(role) != at}
    needs_all = "pv" in changed or columns.keys() - roles.keys()
    merged: Mapping[str, int | str] = roles if needs_all else {**dict(reading.columns), **changed}
    return tuple(merged.items()) if roles else reading.columns


def _draw_roles(headings: Sequence[str], columns: dict[str, int], reference: str) -> dict[str, int]:
    """Draw a choice of column for each role; columns are called by number, as people count, and heading."""
    names = [f"{number} {text[:CELL_CHARACTERS]}".strip() for number, text in enumerate(headings, start=1)]
    names.insert(0, say("not in the table"))
    roles = {}
    for role, place in zip(ROLES, st.columns(len(ROLES)), strict=True):
        at = columns.get(role, -1) + 1
        options, key = range(len(names)), f"column-{role}-{reference}-{at}"
        column = place.selectbox(
            say(ROLES[role]), options, index=at, format_func=lambda at: names[at], key=key
        )
        roles[role] = int(column or 0) - 1
    return {role: at for role, at in roles.items() if at >= 0}


def _draw_kinds(preparation: Preparation, reference: str, suffix: str) -> Stated | None:
    """Draw what kinds of loops the log has; return how to read it when its form is sent, else None."""
    diagnosis = preparation.diagnosis
    if diagnosis is None or not diagnosis.kinds:
        return None
    names = dict.fromkeys(loop_wording.name(kind, language()) for kind in diagnosis.kinds.values())
    title = say("Kind of loop: {names}", names=untrusted.label("; ".join(names), 160))
    with st.expander(f"{title}{suffix}", icon=":material/tune:"):
        for channel, kind in diagnosis.kinds.items():
            sentence = loop_wording.sentence(kind, diagnosis.log.unit_of(channel), language())
            st.caption(untrusted.label(f"{say('Channel {channel}', channel=channel)}: {sentence}", 500))
            for working in diagnosis.workings.get(channel, ()):
                told = workings_wording.sentence(working, diagnosis.log.unit_of(channel), language())
                st.caption(f"- {untrusted.label(told, 500)}")
        loop = _draw_kind_form(diagnosis, reference)
    reading = reading_of(reference)
    return replace(reading, loops=stated_loops(reading.loops, *loop)) if loop else None


def stated_loops(
    loops: tuple[tuple[int, StatedLoop], ...], channel: int, loop: StatedLoop
) -> tuple[tuple[int, StatedLoop], ...]:
    """Return `loops` with what is now said of `channel` (0: of every one, which takes the place of all).

    >>> stated_loops(((1, StatedLoop("on_off")), (2, StatedLoop(band=1.0))), 1, UNSTATED)
    ((2, StatedLoop(drive='', reverse=None, band=1.0)),)
    """
    others = tuple(row for row in loops if channel and (row[0] != channel or loop != UNSTATED))
    return others if loop == UNSTATED else (*others, (channel, loop))


def _draw_kind_form(diagnosis: Diagnosis, reference: str) -> tuple[int, StatedLoop] | None:
    """Return the channel (0: every one) and its loop as the form says when a button is pressed, else None."""
    channels = [*([0] if len(diagnosis.kinds) > 1 else []), *diagnosis.kinds]
    unit = untrusted.label(diagnosis.log.logged_unit) or say("its unit")
    with st.form(f"kind-{reference}", border=False):
        with st.container(horizontal=True, gap="small"):
            words = {channel: str(channel) if channel else say("All") for channel in channels}
            channel = chosen(say("Channel"), words, f"kind-channel-{reference}", width=NARROW)
            drives = {"": say("As recognised")}
            drives |= {str(name): loop_wording.word(f"drive.{name}", language()) for name in DRIVES}
            drive = chosen(say("It is"), drives, f"kind-drive-{reference}", width=WIDE)
            acts_in_words = {name: say(ACTS[name][1]) for name in ACTS}
            acts = chosen(say("Its output"), acts_in_words, f"kind-acts-{reference}", width=NARROW)
            label, key = say("Band, ± {unit}", unit=unit), f"kind-band-{reference}"
            band = number_field(label, key, say("its own"), min_value=1e-6, format="%.3g", width=NARROW)
        saved, anew = _draw_submit(say("Judge it so"))
    if anew:
        return channel, UNSTATED
    return (channel, StatedLoop(drive, ACTS[acts][0], band)) if saved else None
