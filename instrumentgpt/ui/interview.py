"""The interview's panel under the conversation: how far it is, a form with all of it, what it is saved as."""

from collections.abc import Collection

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview import statement, texts
from instrumentgpt.modes.interview.replies import GAPS, NEEDED, PHASES, REMARKS, SLOTS, Interview, edge_cases
from instrumentgpt.modes.interview.statement import DEFAULT, template_label, templates
from instrumentgpt.settings import home
from instrumentgpt.storage.artifacts import documents_folder
from instrumentgpt.ui import composer, downloads, session, untrusted
from instrumentgpt.ui import language as page
from instrumentgpt.ui.controls import chosen
from instrumentgpt.ui.language import say

PHASE_NAMES = {
    "problem_discovery": "Problem",
    "user_analysis": "Users",
    "requirements": "Requirements",
    "edge_cases": "Edge cases",
    "wrap_up": "Summary",
}
DONE, MISSING, LEFT = ":green[:material/check_circle:]", ":orange[:material/help:]", ":material/remove:"
LISTED = 3  # newest documents offered for download
IN_FORM = [slot for slot in SLOTS if slot != REMARKS]


def draw(database: Database, conversation_id: str) -> None:
    """Draw what goes with an interview, which the conversation's newest question belongs to."""
    interview, messages = statement.read_interview(database, conversation_id)
    language = statement.language_of_talk(messages)
    with st.container(horizontal=True, gap="xsmall", key="interview"):
        if interview.turn:
            _draw_progress(database, conversation_id, interview)
            if interview.phase != PHASES[-1]:
                _draw_ways_on(conversation_id, language)
        _draw_documents(database, conversation_id)
    if interview.turn:
        _draw_form(conversation_id, interview, language)


def _draw_ways_on(conversation_id: str, language: Language) -> None:
    """Draw what may be said instead of an answer."""
    for name in ("unknown", "enough"):
        text = texts("offers")[name][language]
        composer.draw_ask(text, text, f"interview-{name}-{conversation_id}", statement.MODE, type="tertiary")


def _draw_form(conversation_id: str, interview: Interview, language: Language) -> None:
    """Draw all slots, to be filled in or changed; what is changed is sent as a message, a line for each."""
    labels = texts("labels")
    key = f"interview-form-{conversation_id}-{interview.turn}"
    label = say("Fill in or change everything at once")
    expander = st.expander(label, icon=":material/edit_note:", key=f"{key}-all")
    with expander, st.form(key, border=False):
        st.caption(say("In your own words, a line for each. What you change is sent as a message."))
        columns = st.columns(2)
        for place, slot in enumerate(IN_FORM):
            columns[place % 2].text_area(
                labels[slot][language],
                "\n".join(interview.lines.get(slot, ())),
                key=f"{key}-{slot}",
                height=80,
            )
        st.pills(
            say("I don't know"),
            IN_FORM,
            selection_mode="multi",
            format_func=lambda slot: labels[slot][language],
            default=[slot for slot in interview.left if slot in IN_FORM],
            key=f"{key}-unknown",
        )
        st.form_submit_button(say("Send the changes"), on_click=_send, args=(key, interview, language))


def _send(key: str, interview: Interview, language: Language) -> None:
    colon, unknown = (": " if language == "en" else "："), texts("offers")["unknown"][language]
    rows = []
    for slot in IN_FORM:
        lines = [line.strip() for line in st.session_state[f"{key}-{slot}"].split("\n") if line.strip()]
        if lines != list(interview.lines.get(slot, ())):
            rows += [(slot, line) for line in lines] or [(slot, "–")]
        elif not lines and slot in st.session_state[f"{key}-unknown"] and slot not in interview.left:
            rows.append((slot, unknown))
    if rows:
        message = "\n".join(f"- {texts('labels')[slot][language]}{colon}{line}" for slot, line in rows)
        composer.propose(message, mode=statement.MODE)


def _draw_progress(database: Database, conversation_id: str, interview: Interview) -> None:
    open_ = set(interview.gaps)
    clear = say("{count} of {all} clear", count=len(GAPS) - len(open_), all=len(GAPS))
    label = f"{say(PHASE_NAMES[interview.phase])} · {clear}"
    with st.popover(label, icon=":material/checklist:", help=say("How far the interview is")):
        st.markdown(_phases(interview.phase, open_))
        st.markdown("  \n".join(_gap(interview, gap, open_) for gap in GAPS))
        _draw_target(database, conversation_id)


def _phases(phase: str, open_: Collection[str]) -> str:
    """Return the phases as one line, the one in force in bold."""
    parts = []
    for name in PHASES:
        is_done = name != PHASES[-1] and not any(gap in open_ for gap in NEEDED[name])
        words = f"**{say(PHASE_NAMES[name])}**" if name == phase else say(PHASE_NAMES[name])
        parts.append(f"{DONE} {words}" if is_done else words)
    return " → ".join(parts)


def _gap(interview: Interview, gap: str, open_: Collection[str]) -> str:
    """Return one gap as a line: what fills it, how it was left, or that it is missing."""
    lines = edge_cases(interview.lines) if gap == "edge_cases" else interview.lines.get(gap, ())
    if gap in open_:
        needed = next(gaps[gap] for gaps in NEEDED.values() if gap in gaps)
        count = say("{count} of {all}", count=len(lines), all=needed)
        return f"{MISSING} {say(GAPS[gap])}" + (f" ({count})" if lines else "")
    if not lines:
        return f"{LEFT} {say(GAPS[gap])}: {texts('open')[interview.left[gap]][page.language()]}"
    return f"{DONE} {untrusted.label(lines[-1], 70)}"


def _draw_target(database: Database, conversation_id: str) -> None:
    names, choices = list(templates(home())), statement.read_choices(database, conversation_id)
    key = f"interview-template-{conversation_id}"
    st.session_state[key] = choices["template"] if choices.get("template") in names else DEFAULT
    words = {name: template_label(name, page.language()) for name in names}
    chosen(say("Template"), words, key, on_change=_choose, args=(conversation_id, "template", key))
    key = f"interview-target-{conversation_id}"
    st.session_state[key] = choices.get("target", "")
    st.text_input(
        say("Save as"),
        placeholder=say("template, instrument and date"),
        max_chars=60,
        key=key,
        on_change=_choose,
        args=(conversation_id, "target", key),
    )


def _choose(conversation_id: str, name: str, key: str) -> None:
    choice = {name: str(st.session_state[key] or "").strip()}
    session.in_database(statement.choose, conversation_id, **choice)


def _draw_documents(database: Database, conversation_id: str) -> None:
    ids = {row["document"] for row in statement.read_kept(database, conversation_id).saved}
    documents = [document for document in db.list_documents(database, conversation_id) if document.id in ids]
    for document in documents[:LISTED]:
        path = documents_folder(database) / document.file
        if path.is_file():
            label, key = untrusted.label(document.file), f"statement-{document.id}"
            downloads.draw(label, path.read_bytes, document.file, "text/markdown", key)
