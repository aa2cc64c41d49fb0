"""One stored answer: what was done for it, its words and charts, how it ended, its cost, its thumbs."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.analyst.words import sentences
from instrumentgpt.handover.markdown import MISSING, Note, answer_text, evidence_query, marked
from instrumentgpt.memory.filtering import rendered_parts
from instrumentgpt.memory.gate import Mark
from instrumentgpt.storage.answers import Rating, marks_of_answer, rate, rating_of, take_back
from instrumentgpt.storage.runs import get_run
from instrumentgpt.ui import artifacts, cases, controls, handing, modes, session, turns, untrusted
from instrumentgpt.ui.agents import agent_words, money, tokens
from instrumentgpt.ui.language import problem, say
from instrumentgpt.ui.progress import (
    Progress,
    draw_closed,
    draw_denied,
    draw_thinking,
    progress_of,
    tool_words,
)

REMEDY_CHARACTERS = 300
ENDINGS = {  # how an answer that is not complete is marked
    "cancelled": "Stopped before the end",
    "timeout": "Ended: it took too long",
    "died": "Cut off: it ended without a result",
    "no-result": "Cut off: it ended without a result",
}


def draw(
    database: Database,
    conversation_id: str,
    message: db.Message,
    stored: Sequence[db.Artifact],
    open_charts: Collection[str],
    agents: Sequence[str] | None,
) -> None:
    """Draw the answer `message` with what it made.

    open_charts  ids of charts drawn at once; others when they are opened
    agents       who can be asked the same again; None: nobody now, an answer is being written
    """
    by_id = {artifact.id: artifact for artifact in stored}
    progress = _progress_of(message.run_id)
    draw_thinking(progress, f"thinking-{message.run_id}")
    draw_closed(progress, f"steps-{message.run_id}", conversation_id)
    draw_denied(progress)
    marks = marks_of_answer(database, message.id) or ()
    content, notes = annotated(message, marks, conversation_id)
    write = partial(_draw_words, database, conversation_id, by_id, open_charts, notes)
    if message.run_id and get_run(database, message.run_id).mode == modes.PANEL:
        modes.draw_answer(content, write)
    else:
        write(content)
    for artifact in stored:
        if artifact.id not in message.content:  # nothing says where it stands
            artifacts.draw(database, artifact, expanded=artifact.id in open_charts)
    to_know = []  # wherever the answer goes
    if message.status != "complete":
        to_know.append(say(ENDINGS.get(message.status, "The agent reported an error")))
        _draw_ending(to_know[0], progress)
    if warning := sourceless(marks):
        to_know.append(warning)
        st.caption(warning)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = answer_text(message, conversation_id, stored, controls.page_address(), to_know)
        controls.copy_button(text, f"copy-{message.id}")
        handing.draw_answer(conversation_id, message.id)
        cases.draw_pins(database, conversation_id, message, stored)
        turns.draw_agents(conversation_id, message.id, agents or ["offline"], disabled=agents is None)
        turns.draw_branch(conversation_id, message.id, disabled=agents is None)
        rating, thumbs = rating_of(database, message.id), f"thumbs-{message.id}"
        default = int(rating.helped) if rating else None
        st.feedback(key=thumbs, default=default, on_change=_rate, args=(message.id,))
        st.caption(" · ".join(_facts(database, message, progress)))
    if rating:
        _draw_reason(rating)


def _draw_words(
    database: Database,
    conversation_id: str,
    by_id: Mapping[str, db.Artifact],
    open_charts: Collection[str],
    notes: tuple[Note, ...],
    text: str,
) -> None:
    """Draw `text` with the charts whose markers stand in it."""
    ids = [artifact_id for artifact_id in by_id if artifact_id in text]
    for part in rendered_parts(text, ids):
        if part.artifact_id:
            artifacts.draw(database, by_id[part.artifact_id], expanded=part.artifact_id in open_charts)
        else:
            head, title, rest = folded(part.text)
            untrusted.write(head, conversation_id, notes=notes)
            if rest:
                with st.expander(title, icon=":material/timeline:"):
                    untrusted.write(rest, conversation_id, notes=notes)


def folded(text: str) -> tuple[str, str, str]:
    """Return an answer of the analyst, the title of what else happened in the log, and that: "" if none."""
    for title in sentences()["rest"].values():
        head, mark, rest = text.rpartition(f"\n{title}\n")
        if mark:
            return head, title.rstrip(":："), rest
    return text, "", ""


def sourceless(marks: Sequence[Mark]) -> str:
    """Return how many of an answer's numbers nobody computed, "" if there is none.

    >>> sourceless([Mark(0, 2, "computed"), Mark(3, 5, "unknown")])
    '1 of 2 numbers has no source'
    """
    missing = sum(mark.kind == "unknown" for mark in marks)
    words = say("{missing} of {all} numbers {missing:?has|have} no source", missing=missing, all=len(marks))
    return words if missing else ""


def _progress_of(run_id: str | None) -> Progress:
    if run_id is None:
        return Progress()
    progress = _folded(run_id)
    if progress.done is None:  # its last event follows the stored answer
        _folded.clear(run_id)
    return progress


@st.cache_resource(max_entries=500, show_spinner=False)
def _folded(run_id: str) -> Progress:
    """What a finished run has shown never changes: its events are read once."""
    return session.in_database(progress_of, run_id)


def _draw_ending(words: str, progress: Progress) -> None:
    """Say how an answer ended that is not complete, and what helps."""
    st.badge(words, icon=":material/warning:", color="orange")
    if progress.failure:
        st.text(problem(progress.failure.text))
        if progress.failure.remedy:
            remedy = session.describe(progress.failure.remedy, REMEDY_CHARACTERS)
            st.markdown(f":material/build: {remedy}")


def _facts(database: Database, message: db.Message, progress: Progress) -> list[str]:
    """Return who answered, how long it took and what it cost, as far as known."""
    agent = get_run(database, message.run_id).agent if message.run_id else ""
    facts = [agent_words(agent)] if agent else []
    model = progress.session.model if progress.session and agent != "offline" else ""
    if model and model.casefold() not in (fact.casefold() for fact in facts):
        facts.append(untrusted.label(model))
    if progress.done and progress.done.seconds:
        facts.append(f"{progress.done.seconds:.1f} s")
    usage = progress.done.usage if progress.done else {}
    if counts := tokens(usage):
        facts.append(counts)
    if cost := usage.get("costUSD"):
        facts.append(money(cost))
    return facts


WHY = ("What was wrong or missing?", "What helped?")  # thumb down, thumb up
REASON_CHARACTERS = 500


def _draw_reason(rating: Rating) -> None:
    """Draw the reason of a rating, to be written or changed."""
    help = say("Kept on this computer for the evaluation. Press the thumb again to take it back.")
    look = {"value": rating.reason, "max_chars": REASON_CHARACTERS, "help": help, "width": 480}
    key = f"reason-{rating.message_id}"
    controls.text_field(say(WHY[rating.helped]), key, "", _rate, rating.message_id, **look)


def _rate(message_id: int) -> None:
    thumb = st.session_state[f"thumbs-{message_id}"]
    reason = (st.session_state.get(f"reason-{message_id}") or "").strip()
    with session.problems_shown(), session.opened() as database:
        if thumb is None:
            take_back(database, message_id)
        else:
            rate(database, message_id, bool(thumb), reason, session.who())


SOURCES = {  # kind of mark on a number → what is told of it
    "unknown": "nobody computed this",
    "user": "from you",
    "computed": "from: {source}",
    "agent": "from the agent's own program: {source}",
}


def annotated(
    message: db.Message, marks: Sequence[Mark], conversation_id: str
) -> tuple[str, tuple[Note, ...]]:
    """Return the words of an answer with a sign around each of its numbers, and what is told of each."""
    content = marked(message.content, [(mark.start, mark.end) for mark in marks])
    is_marked = content != message.content
    return content, tuple(_note(mark, conversation_id) for mark in marks) if is_marked else ()


def _note(mark: Mark, conversation_id: str) -> Note:
    """Return what is told of a number: where it is from, or that nobody computed it."""
    source = say(SOURCES[mark.kind], source=tool_words(mark.source))
    if mark.kind == "unknown":
        return Note(source, MISSING)
    query = evidence_query(mark.log, mark.line, conversation_id) if mark.line else ""
    return Note(source, "color: inherit; text-decoration: none" if query else "", query)
