"""The case beside its conversation: the link to it, or the button that opens one, and pinning to it."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import WORDS as PARTS
from instrumentgpt.fleet.cases import case_from, pin_chart
from instrumentgpt.handover.markdown import lines_linked
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.language import phrase
from instrumentgpt.instruments.tools.opened import find_log, texts_of
from instrumentgpt.instruments.workspace import workspace_of
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.storage.cases import Case, list_cases, pin
from instrumentgpt.ui import artifacts, session, untrusted
from instrumentgpt.ui.controls import icon_menu
from instrumentgpt.ui.language import language, say

MOST_LINES = 12  # offered of one answer
Pinned = tuple[str, int] | str  # a log and a line of it, or the id of a chart


def draw_case(database: Database, conversation_id: str, state: DiagnosticState, answering: bool) -> None:
    """Draw the link to the conversation's case, or the button that makes it one if it is about a fault."""
    cases = list_cases(database, conversation_id=conversation_id)
    if cases:
        word = phrase(PARTS, cases[0].state, language())
        label = say("Case {number} · {state}", number=cases[0].id, state=word)
        session.link_to_case(label, cases[0].id, icon=":material/cases:")
    elif device_key(state) or state.findings or state.root_causes:
        st.button(
            say("Make a case"),
            icon=":material/cases:",
            help=say("Keep this fault with its evidence until its outcome is confirmed"),
            disabled=answering,
            on_click=_make,
            args=(conversation_id,),
        )


def draw_pins(
    database: Database, conversation_id: str, message: db.Message, stored: Sequence[db.Artifact]
) -> None:
    """Draw the menu under an answer that pins its lines and charts, if the conversation is a case."""
    case = next(iter(list_cases(database, conversation_id=conversation_id)), None)
    if case is None:
        return
    charts = {item.id: item.title for item in stored if item.kind == artifacts.CHART and not item.removed_at}
    offered: list[Pinned] = [*lines_linked(message.content)[:MOST_LINES], *charts]
    if not offered:
        return
    key = f"pin-{message.id}"

    def name(item: Pinned) -> str:
        if isinstance(item, str):
            return say("Chart: {title}", title=untrusted.label(charts.get(item, "")))
        return say("Line {line:,} of {log}", line=item[1], log=untrusted.label(Path(item[0]).name, 40))

    title, words = say("Pin to case {number}", number=case.id), {item: name(item) for item in offered}
    icon_menu("keep", title, words, key, _pin, key, case, conversation_id)


def _make(conversation_id: str) -> None:
    with session.problems_shown(), session.opened() as database:
        inventory = load_inventory(session.current_settings(database).inventory)
        case_from(database, conversation_id, inventory, session.who())


def _pin(key: str, case: Case, conversation_id: str) -> None:
    choice: Pinned | None = st.session_state[key]
    if choice is None:
        return
    try:
        with session.opened() as database:
            if isinstance(choice, str):
                artifact = db.get_artifact(database, conversation_id, choice)
                if artifact:
                    pin_chart(database, case.id, artifact, session.who())
            else:
                _pin_line(database, case, conversation_id, *choice)
    except (InstrumentGPTError, OSError) as problem:
        st.toast(session.describe(problem, 300), icon=":material/error:")
        return
    st.toast(say("Pinned to case {number}", number=case.id), icon=":material/keep:")


def _pin_line(database: Database, case: Case, conversation_id: str, log: str, line: int) -> None:
    place = workspace_of(database, conversation_id, session.current_settings(database).inventory)
    text = texts_of(find_log(place, log), [line]).get(line, "")
    device, _, name = log.rpartition("/")
    pin(database, case.id, session.who(), text, device, name, line)
