"""The Cases page: what faults there were, what settled them, and one case with all that belongs to it.

Beside a conversation: the link to its case, or the button that opens one, and pinning to it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import WORDS as PARTS
from instrumentgpt.fleet.cases import (
    case_from,
    change_line,
    end_of,
    first_line,
    gone_faults,
    markdown,
    pin_chart,
    settle,
    title_of,
)
from instrumentgpt.handover.markdown import lines_linked
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.faults import NO_FAULT, faults
from instrumentgpt.instruments.language import phrase
from instrumentgpt.instruments.tools.opened import find_log, texts_of
from instrumentgpt.instruments.workspace import workspace_of
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.moments import moment, today
from instrumentgpt.storage import cases as stored
from instrumentgpt.storage.cases import Case, list_cases, pin
from instrumentgpt.ui import artifacts, handing, session, untrusted
from instrumentgpt.ui.controls import icon_menu, one_of, text_button
from instrumentgpt.ui.language import language, say

COLOURS = {"open": "orange", "reopened": "red", "closed": "green"}
STATES = {"unsettled": "Unsettled", "closed": "Closed", "all": "All"}
GONE = (
    "The newest log of {device} ({log}) is healthy. "
    "If the fault is settled, close the case with what settled it."
)
OUTCOME_HELP = (
    "It is told with a later diagnosis of the same fault on this device or model. "
    "Leave it empty if nobody knows."
)
TEXT_HEIGHT = 100  # px
LINE_CHARACTERS, OFFER_CHARACTERS = 160, 400
DIGITS = 9  # of a case's number in an address


@session.drawn
def page(database: Database) -> None:
    """Draw the page."""
    number = st.query_params.get("case", "")
    if number.isascii() and number.isdigit() and len(number) <= DIGITS:
        text_button("arrow_back", say("All cases"), None, show, None)
        _draw_case(database, stored.get_case(database, int(number)))
    else:
        _draw_list(database)


def badge(case: stored.Case) -> None:
    """Draw the state of a case, in a word and a colour."""
    st.badge(phrase(PARTS, case.state, language()), color=COLOURS[case.state])  # type: ignore[arg-type]


def _draw_list(database: Database) -> None:
    st.title(say("Cases"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        prompt = say("Symptom, cause, outcome, line of a log…")
        words = st.text_input(prompt, icon=":material/search:", key="cases-words", width=360)
        states = {name: say(STATES[name]) for name in STATES}
        state = one_of(say("State"), states, "unsettled", "cases-state")
    cases = stored.list_cases(database, words or "", "" if state == "all" else state)
    if not cases:
        none = say("No case yet. Ask about a fault, then press “Make a case” above the answer.")
        no_hit = say("No case fits. Clear the search, or show all.")
        st.info(no_hit if stored.list_cases(database) else none, icon=":material/info:")
    healthy = gone_faults(database, cases)
    for case in cases:
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                badge(case)
                heading = f"{case.id} · {case.device or case.log} · {title_of(case, language())}"
                label = untrusted.label(heading, LINE_CHARACTERS)
                st.button(label, key=f"case-{case.id}", type="tertiary", on_click=show, args=(case.id,))
            text = first_line(case.outcome or case.cause or case.symptom)
            if case.outcome:
                is_back = case.state == "reopened"
                text = say("came back after: {outcome}" if is_back else "settled by: {outcome}", outcome=text)
            dated = " · ".join(filter(None, (moment(case.changed_at), text)))
            st.caption(untrusted.label(dated, LINE_CHARACTERS))
            if case.id in healthy:
                offer = say(GONE, device=case.device, log=healthy[case.id].log)
                st.caption(f":material/task_alt: {untrusted.label(offer, OFFER_CHARACTERS)}")


def show(case_id: int | None) -> None:
    """Make the page about this case, or about all (for buttons)."""
    if case_id is None:
        st.query_params.pop("case", None)
    else:
        st.query_params["case"] = str(case_id)


def _draw_case(database: Database, case: stored.Case) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(untrusted.label(f"{case.id} · {title_of(case, language())}", 120), anchor=False)
        badge(case)
    pinned, changes = stored.evidence_of(database, case.id), stored.changes_of(database, case.id)
    by_whom = [change.changed_by for change in changes if change.field == "state"]
    if case.state == "reopened" and by_whom[-1:] == [stored.SCAN]:
        text = say("A scan found the same fault again after this case was settled.")
        st.warning(text, icon=":material/replay:")
    here = session.person_name(session.HERE)
    changes = [replace(row, changed_by=here) if row.changed_by == session.HERE else row for row in changes]
    if verdict := gone_faults(database, [case]).get(case.id):
        text = say(GONE, device=case.device, log=verdict.log)
        st.info(untrusted.label(text, OFFER_CHARACTERS), icon=":material/task_alt:")
    with st.container(horizontal=True):
        if case.state == "closed":
            args = (partial(stored.change_case, state="reopened"), case.id, session.who())
            st.button(say("Reopen"), icon=":material/replay:", on_click=session.in_database, args=args)
        elif st.button(say("Confirm outcome and close"), icon=":material/task_alt:", type="primary"):
            st.dialog(say("Confirm outcome and close"))(_settle)(case)
        if st.button(say("Edit"), icon=":material/edit:"):
            st.dialog(say("Edit"), width="large")(_edit)(case)
        talk = db.get_conversation(database, case.conversation_id or "")
        if talk and st.button(say("Open the conversation"), icon=":material/chat:"):
            st.switch_page(session.page_named("chat"), query_params={"conv": talk.id})
        handing.draw_case(case.id)
    shown_parts = markdown(case, pinned, (), language()).partition("\n")[2]  # its heading stands above
    untrusted.write(shown_parts.replace("\n## ", "\n#### "))
    for item in pinned:
        if item.kind == "chart":
            figure = artifacts.figure_of(stored.chart_of(database, item.id))
            artifacts.draw_figure(figure, f"pinned-{item.id}", item.text, item.text)
    if pinned:
        with st.expander(say("Pinned evidence ({count})", count=len(pinned)), icon=":material/keep:"):
            for item in pinned:
                label = untrusted.label(say("Unpin: {text}", text=item.text), LINE_CHARACTERS)
                key, unpin = f"unpin-{item.id}", (stored.unpin, item.id, session.who())
                st.button(label, key, type="tertiary", on_click=session.in_database, args=unpin)
    with st.expander(phrase(PARTS, "history", language()), icon=":material/history:"):
        untrusted.write("\n".join(f"- {change_line(change, case, language())}" for change in changes))
    artifacts.draw_evidence(database, case.conversation_id or "", session.current_settings(database))


def _settle(case: stored.Case) -> None:
    example = say("Reseated the thermocouple of channel 2")
    outcome = st.text_area(say("What settled it"), case.outcome, placeholder=example, help=say(OUTCOME_HELP))
    with session.opened() as database:
        day = st.date_input(say("Settled on"), today(), max_value=today())
        if st.button(say("Save"), type="primary") and isinstance(day, date):
            settle(database, case, session.who(), outcome.strip(), end_of(day))
            st.rerun()


def _edit(case: stored.Case) -> None:
    columns = st.columns(3)
    device = columns[0].text_input(say("Device"), case.device)
    classes = ["", *(name for name in faults() if name not in NO_FAULT)]
    place = classes.index(case.fault) if case.fault in classes else 0
    titles = {name: wording.title(name, language()) if name else "–" for name in classes}
    fault = columns[1].selectbox(say("Fault class"), classes, place, format_func=titles.__getitem__)
    channel = columns[2].text_input(say("Channel"), "" if case.channel is None else str(case.channel)).strip()
    hint = say("Markdown: **bold**, lists with -, links")
    texts = {
        name: st.text_area(
            phrase(PARTS, name, language()), getattr(case, name), height=TEXT_HEIGHT, help=hint
        )
        for name in stored.TEXTS
        if name != "outcome" or case.outcome
    }
    if not st.button(say("Save"), type="primary"):
        return
    if channel and not (channel.isascii() and channel.isdigit() and len(channel) <= DIGITS):
        problem = say("{text} is no channel. Give a number, or leave it empty.", text=channel)
        st.error(untrusted.label(problem, LINE_CHARACTERS), icon=":material/error:")
        return
    parts = {name: text.strip() for name, text in texts.items()}
    fields = {"device": device.strip(), "fault": fault, "channel": int(channel) if channel else None}
    session.in_database(stored.change_case, case.id, session.who(), **parts, **fields)
    st.rerun()


MOST_LINES = 12  # offered of one answer
Pinned = tuple[str, int] | str  # a log and a line of it, or the id of a chart


def draw_beside(database: Database, conversation_id: str, state: DiagnosticState, answering: bool) -> None:
    """Draw the link to the conversation's case, or the button that makes it one if it is about a fault."""
    cases = list_cases(database, conversation_id=conversation_id)
    if cases:
        word = phrase(PARTS, cases[0].state, language())
        label = say("Case {number} · {state}", number=cases[0].id, state=word)
        session.link_to_case(label, cases[0].id, icon=":material/cases:")
    elif device_key(state) or state.findings or state.root_causes:
        help = say("Keep this fault with its evidence until its outcome is confirmed")
        look: Any = {"help": help, "disabled": answering, "type": "secondary"}
        text_button("cases", say("Make a case"), None, _make_case, conversation_id, **look)


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
    icon_menu("keep", title, words, key, _pin_choice, key, case, conversation_id)


def _make_case(conversation_id: str) -> None:
    with session.problems_shown(), session.opened() as database:
        inventory = load_inventory(session.current_settings(database).inventory)
        case_from(database, conversation_id, inventory, session.who())


def _pin_choice(key: str, case: Case, conversation_id: str) -> None:
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
                log, line = choice
                place = workspace_of(database, conversation_id, session.current_settings(database).inventory)
                device, _, name = log.rpartition("/")
                text = texts_of(find_log(place, log), [line]).get(line, "")
                pin(database, case.id, session.who(), text, device, name, line)
    except (InstrumentGPTError, OSError) as problem:
        st.toast(session.describe(problem, 300), icon=":material/error:")
        return
    st.toast(say("Pinned to case {number}", number=case.id), icon=":material/keep:")
