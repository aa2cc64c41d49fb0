"""The interview's panel under the conversation: how far it is, what it is saved as, where to go."""

from collections.abc import Collection

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview.gathered import GAPS, NEEDED, PHASES
from instrumentgpt.modes.interview.hearing import Interview
from instrumentgpt.modes.interview.stored import (
    MODE,
    choose,
    language_of_talk,
    read_choices,
    read_interview,
    read_kept,
)
from instrumentgpt.modes.interview.templates import DEFAULT, templates
from instrumentgpt.modes.interview.words import words
from instrumentgpt.settings import home
from instrumentgpt.storage.artifacts import documents_folder
from instrumentgpt.storage.runs import list_runs
from instrumentgpt.ui import composer, session, untrusted

PHASE_NAMES = {
    "problem_discovery": "Problem",
    "user_analysis": "Users",
    "requirements": "Requirements",
    "edge_cases": "Edge cases",
    "wrap_up": "Summary",
}
CLOSED = {"skipped": "left open", "unknown": "not known", "none": "none", "unanswered": "not answered"}
DONE, MISSING, LEFT = ":green[:material/check_circle:]", ":orange[:material/help:]", ":material/remove:"
LISTED = 3  # newest documents offered for download


def draw(database: Database, conversation_id: str) -> bool:
    """Draw the panel if the conversation's newest question was one of an interview; False if it was not."""
    latest = list_runs(database, conversation_id, limit=1)
    if not latest or latest[0].mode != MODE:
        return False
    interview, messages = read_interview(database, conversation_id)
    with st.container(horizontal=True, gap="xsmall", key="interview"):
        if interview.turn:
            language = language_of_talk(messages)
            _draw_progress(database, conversation_id, interview, language)
            if interview.phase != PHASES[-1]:
                _draw_ways_on(conversation_id, language)
        _draw_documents(database, conversation_id)
    return True


def _draw_ways_on(conversation_id: str, language: Language) -> None:
    """Draw what may be said instead of an answer."""
    for name in ("unknown", "skip", "enough"):
        said = words("offers")[name][language]
        st.button(
            said,
            key=f"interview-{name}-{conversation_id}",
            type="tertiary",
            on_click=composer.propose,
            args=(said,),
            kwargs={"mode": MODE},
        )


def _draw_progress(
    database: Database, conversation_id: str, interview: Interview, language: Language
) -> None:
    open_ = set(interview.gaps)
    label = f"{PHASE_NAMES[interview.phase]} · {len(GAPS) - len(open_)} of {len(GAPS)} clear"
    with st.popover(label, icon=":material/checklist:", help="How far the interview is"):
        st.markdown(_phases(interview.phase, open_))
        st.markdown("  \n".join(_gap(interview, gap, open_) for gap in GAPS))
        _draw_template(database, conversation_id, interview)
        key = f"interview-phase-{conversation_id}-{interview.turn}"
        st.pills(
            "Go to",
            PHASES,
            format_func=PHASE_NAMES.__getitem__,
            key=key,
            on_change=_go,
            args=(key, language),
        )


def _phases(phase: str, open_: Collection[str]) -> str:
    """Return the phases as one line, the one in force in bold."""
    told = []
    for name in PHASES:
        done = name != PHASES[-1] and not any(gap in open_ for gap in NEEDED[name])
        words_ = f"**{PHASE_NAMES[name]}**" if name == phase else PHASE_NAMES[name]
        told.append(f"{DONE} {words_}" if done else words_)
    return " → ".join(told)


def _gap(interview: Interview, gap: str, open_: Collection[str]) -> str:
    """Return one gap as a line: what fills it, how it was left, or that it is missing."""
    texts = interview.gathered.texts(gap)
    if gap in open_:
        held = f" ({len(texts)} of {_needed(gap)})" if texts else ""
        return f"{MISSING} {GAPS[gap]}{held}"
    if not texts:
        return f"{LEFT} {GAPS[gap]}: {CLOSED[interview.closed[gap]]}"
    return f"{DONE} {untrusted.label(texts[-1], 70)}"


def _needed(gap: str) -> int:
    return next(gaps[gap] for gaps in NEEDED.values() if gap in gaps)


def _draw_template(database: Database, conversation_id: str, interview: Interview) -> None:
    known = templates(home())
    names = list(known)
    chosen = interview.template if interview.template in known else DEFAULT
    choices = read_choices(database, conversation_id)
    key = f"interview-template-{conversation_id}"
    st.session_state[key] = chosen
    st.selectbox(
        "Template",
        names,
        format_func=lambda name: known[name].label("en"),
        key=key,
        on_change=_choose,
        args=(conversation_id, "template", key),
    )
    key = f"interview-target-{conversation_id}"
    st.session_state[key] = interview.target or choices.target
    st.text_input(
        "Save as",
        placeholder="template, instrument and date",
        max_chars=60,
        key=key,
        on_change=_choose,
        args=(conversation_id, "target", key),
    )


def _choose(conversation_id: str, name: str, key: str) -> None:
    with session.opened() as database:
        choose(database, conversation_id, **{name: str(st.session_state[key] or "").strip()})


def _go(key: str, language: Language) -> None:
    if phase := st.session_state.get(key):
        composer.propose(words("go")[phase][language], mode=MODE)


def _draw_documents(database: Database, conversation_id: str) -> None:
    saved = {row["document"] for row in read_kept(database, conversation_id).saved}
    documents = [one for one in db.list_documents(database, conversation_id) if one.id in saved]
    for document in documents[:LISTED]:
        path = documents_folder(database) / document.file
        if path.is_file():
            st.download_button(
                untrusted.label(document.file),
                path.read_bytes(),
                document.file,
                "text/markdown",
                key=f"statement-{document.id}",
                icon=":material/download:",
                on_click="ignore",
            )
