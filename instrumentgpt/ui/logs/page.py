"""The Logs page, from top to bottom: which log, its charts and findings, its lines."""

from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.tools.opened import bare
from instrumentgpt.instruments.workspace import workspace_of
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs import (
    actions,
    chart,
    choosing,
    comparison,
    findings,
    following,
    lines,
    place,
    reading,
)
from instrumentgpt.ui.logs.preparation import STEPS, Preparation, prepared

MESSAGE_CHARACTERS = 600
NEWS_EVERY = 0.5  # s between looks at how far a preparation is


def page() -> None:
    """Draw the page; an expected problem is shown with its remedy."""
    with session.problems_shown(), session.opened() as database:
        _draw(database)


def _draw(database: Database) -> None:
    conversation = session.current(database)
    conversation_id = conversation.id if conversation else ""
    settings = session.current_settings(database)
    workspace = workspace_of(database, conversation_id, settings.inventory)
    state = DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
    subject = (conversation_id, state.device_name or "", bare((state.last_log_file or "").rpartition("/")[2]))
    choices = choosing.draw(load_inventory(Path(settings.inventory)), workspace, subject)
    if not choices:
        return
    unit = settings.temperatures
    tasks = [prepared(log, reading.reading_of(log.reference), workspace.cache, unit) for log in choices]
    if len(tasks) == 1:
        stated = reading.reading_of(choices[0].reference)
        tasks = [following.followed(tasks[0], choices[0], stated, workspace.cache, unit)]
    first = tasks[0]
    _draw_progress(tasks)
    for task, choice in zip(tasks, choices, strict=True):
        if task.done and task.future:
            task.future.result()
        if task.problem:
            st.error(session.describe(task.problem, MESSAGE_CHARACTERS), icon=":material/error:")
        suffix = f" · {untrusted.label(choice.name, 80)}" if len(tasks) > 1 else ""
        reading.draw(database, task, choice, conversation_id, suffix)
    if len(tasks) > 1:
        comparison.draw(*tasks)
    elif first.log is not None:
        _draw_judged(first, choices[0].reference)
    if first.index is not None:
        _draw_lines(first, place.Place(choices[0].device, choices[0].name), conversation_id)


def _draw_progress(tasks: list[Preparation]) -> None:
    if not all(task.done for task in tasks):
        _follow(tasks, [task.step for task in tasks])


@st.fragment(run_every=NEWS_EVERY)
def _follow(tasks: list[Preparation], steps: list[int]) -> None:
    """Show how far the reading is; draw the page anew when there is more to show."""
    for task in (task for task in tasks if not task.done):
        st.progress(min(task.share, 1.0), f"{say(STEPS[task.step])}… {say('what is ready is shown below')}")
    if all(task.done for task in tasks) or steps != [task.step for task in tasks]:
        st.rerun()


def _draw_judged(preparation: Preparation, reference: str) -> None:
    """Draw the charts, and beside them what is wrong and what the log complains of."""
    assert preparation.log is not None
    left, right = st.columns([0.67, 0.33], gap="medium")
    with left:
        chart.draw(preparation, reference)
    with right:
        findings_tab, events_tab = st.tabs([say("Findings"), say("Errors and warnings")])
        with findings_tab:
            if preparation.diagnosis is not None:
                findings.draw(preparation.diagnosis)
            elif not preparation.done:
                st.caption(say("Being judged…"))
        with events_tab:
            findings.draw_events(preparation.log, preparation.groups)


@st.fragment
def _draw_lines(preparation: Preparation, here: place.Place, conversation_id: str) -> None:
    """Draw the lines and what can be done with those selected; a filter or a pick redraws only this."""
    st.subheader(say("Lines"), anchor=False)
    above = st.container()
    filters = lines.draw_filters(preparation)
    selected = lines.draw(preparation, here, conversation_id, filters)
    with above:
        actions.draw(preparation, here, conversation_id, selected)
