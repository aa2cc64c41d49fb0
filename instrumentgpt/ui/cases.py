"""The Cases page: what faults there were, what settled them, and one case with all that belongs to it."""

import json
from datetime import date
from functools import partial
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.fleet.cases import WORDS as PARTS
from instrumentgpt.fleet.cases import (
    change_line,
    end_of,
    first_line,
    gone_faults,
    markdown,
    moment,
    settle,
    title_of,
)
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.faults import NO_FAULT, faults
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.storage.cases import (
    SCAN,
    TEXTS,
    Case,
    change_case,
    changes_of,
    chart_of,
    evidence_of,
    get_case,
    list_cases,
    unpin,
    values_of,
)
from instrumentgpt.ui import evidence, handing, session, untrusted
from instrumentgpt.ui.language import language

WORDS = Path(__file__).with_suffix(".toml")
COLOURS = {"open": "orange", "reopened": "red", "closed": "green"}
STATES = ("unsettled", "closed", "all")
TEXT_HEIGHT = 100  # px
LINE_CHARACTERS, OFFER_CHARACTERS = 160, 400
DIGITS = 9  # of a case's number in an address


def page() -> None:
    """Draw the page; an expected problem is shown with its remedy."""
    with session.problems_shown(), session.opened() as database:
        asked = st.query_params.get("case", "")
        if asked.isascii() and asked.isdigit() and len(asked) <= DIGITS:
            _draw_case(database, get_case(database, int(asked)), language())
        else:
            _draw_list(database, language())


def badge(case: Case, shown: Language) -> None:
    """Draw the state of a case, in a word and a colour."""
    st.badge(phrase(PARTS, case.state, shown), color=COLOURS[case.state])  # type: ignore[arg-type]


def _draw_list(database: Database, shown: Language) -> None:
    say = partial(phrase, WORDS, language=shown)
    st.title(say("title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(say("find"), icon=":material/search:", key="cases-words", width=360)
        state = st.segmented_control(
            say("states"), STATES, default=STATES[0], required=True, format_func=say, key="cases-state"
        )
        chosen = {
            field: st.selectbox(
                say(field),
                ["", *found],
                format_func=partial(_option, field, shown),
                key=f"cases-{field}",
                width=220,
            )
            for field in ("device", "model", "fault")
            if len(found := values_of(database, field)) > 1
        }
    cases = list_cases(database, words or "", "" if state == "all" else str(state), **chosen)
    if not cases:
        st.info(say("no_hit" if values_of(database, "state") else "none"), icon=":material/info:")
    gone = gone_faults(database, cases)
    for case in cases:
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                badge(case, shown)
                named = f"{case.id} · {case.device or case.log} · {title_of(case, shown)}"
                label = untrusted.label(named, LINE_CHARACTERS)
                st.button(label, key=f"case-{case.id}", type="tertiary", on_click=show, args=(case.id,))
            told = first_line(case.outcome or case.cause or case.symptom)
            if case.outcome:
                told = say("back_after" if case.state == "reopened" else "settled_by", outcome=told)
            st.caption(untrusted.label(f"{moment(case.changed_at)} · {told}", LINE_CHARACTERS))
            if case.id in gone:
                offer = say("gone", device=case.device, log=gone[case.id].log)
                st.caption(f":material/task_alt: {untrusted.label(offer, OFFER_CHARACTERS)}")


def _option(field: str, shown: Language, value: str) -> str:
    if not value:
        return phrase(WORDS, "all", shown)
    return wording.title(value, shown) if field == "fault" and value in faults() else value


def show(case_id: int | None) -> None:
    """Make the page about this case, or about all (for buttons)."""
    if case_id is None:
        st.query_params.pop("case", None)
    else:
        st.query_params["case"] = str(case_id)


def _draw_case(database: Database, case: Case, shown: Language) -> None:
    say = partial(phrase, WORDS, language=shown)
    st.button(say("back"), icon=":material/arrow_back:", type="tertiary", on_click=show, args=(None,))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(untrusted.label(f"{case.id} · {title_of(case, shown)}", 120), anchor=False)
        badge(case, shown)
    pinned, changes = evidence_of(database, case.id), changes_of(database, case.id)
    by_whom = [one.changed_by for one in changes if one.field == "state"]
    if case.state == "reopened" and by_whom[-1:] == [SCAN]:
        st.warning(say("came_back"), icon=":material/replay:")
    if found := gone_faults(database, [case]).get(case.id):
        told = say("gone", device=case.device, log=found.log)
        st.info(untrusted.label(told, OFFER_CHARACTERS), icon=":material/task_alt:")
    with st.container(horizontal=True):
        if case.state == "closed":
            st.button(say("reopen"), icon=":material/replay:", on_click=_reopen, args=(case.id,))
        elif st.button(say("settle"), icon=":material/task_alt:", type="primary"):
            st.dialog(say("settle"))(_settle)(case, shown)
        if st.button(say("edit"), icon=":material/edit:"):
            st.dialog(say("edit"), width="large")(_edit)(case, shown)
        talk = db.get_conversation(database, case.conversation_id or "")
        if talk and st.button(say("conversation"), icon=":material/chat:"):
            st.switch_page(session.page_named("chat"), query_params={"conv": talk.id})
        st.download_button(
            say("download"),
            markdown(case, pinned, changes, shown),
            f"case_{case.id}.md",
            "text/markdown",
            icon=":material/download:",
            on_click="ignore",
        )
        handing.draw_case(case.id, shown)
    shown_parts = markdown(case, pinned, (), shown).partition("\n")[2]  # its heading stands above
    untrusted.write(shown_parts.replace("\n## ", "\n#### "))
    for one in pinned:
        if one.kind == "chart":
            figure = go.Figure(json.loads(chart_of(database, one.id)))
            st.plotly_chart(figure, key=f"pinned-{one.id}", config={"displaylogo": False}, alt=one.text)
    if pinned:
        with st.expander(say("pins", count=len(pinned)), icon=":material/keep:"):
            for one in pinned:
                label = untrusted.label(say("unpin", text=one.text), LINE_CHARACTERS)
                st.button(label, key=f"unpin-{one.id}", type="tertiary", on_click=_unpin, args=(one.id,))
    with st.expander(phrase(PARTS, "history", shown), icon=":material/history:"):
        untrusted.write("\n".join(f"- {change_line(one, case, shown)}" for one in changes))
    evidence.draw(database, case.conversation_id or "", session.current_settings(database))


def _settle(case: Case, shown: Language) -> None:
    say = partial(phrase, WORDS, language=shown)
    outcome = st.text_area(
        say("outcome"), case.outcome, placeholder=say("outcome_example"), help=say("outcome_help")
    )
    day = st.date_input(say("settled_on"), "today", max_value="today")
    if st.button(say("save"), type="primary") and isinstance(day, date):
        with session.opened() as database:
            settle(database, case, session.who(), outcome.strip(), end_of(day))
        st.rerun()


def _edit(case: Case, shown: Language) -> None:
    say = partial(phrase, WORDS, language=shown)
    columns = st.columns(3)
    device = columns[0].text_input(say("device"), case.device)
    classes = ["", *(name for name in faults() if name not in NO_FAULT)]
    place = classes.index(case.fault) if case.fault in classes else 0
    fault = columns[1].selectbox(
        say("fault"), classes, place, format_func=lambda name: wording.title(name, shown) if name else "–"
    )
    channel = columns[2].text_input(say("channel"), "" if case.channel is None else str(case.channel)).strip()
    texts = {
        name: st.text_area(
            phrase(PARTS, name, shown), getattr(case, name), height=TEXT_HEIGHT, help=say("markdown_help")
        )
        for name in TEXTS
        if name != "outcome" or case.outcome
    }
    if not st.button(say("save"), type="primary"):
        return
    if channel and not (channel.isascii() and channel.isdigit() and len(channel) <= DIGITS):
        st.error(untrusted.label(say("bad_channel", text=channel), LINE_CHARACTERS), icon=":material/error:")
        return
    new = {name: text.strip() for name, text in texts.items()}
    about = {"device": device.strip(), "fault": fault, "channel": int(channel) if channel else None}
    with session.opened() as database:
        change_case(database, case.id, session.who(), **new, **about)
    st.rerun()


def _reopen(case_id: int) -> None:
    with session.opened() as database:
        change_case(database, case_id, session.who(), state="reopened")


def _unpin(evidence_id: int) -> None:
    with session.opened() as database:
        unpin(database, evidence_id, session.who())
