"""The panel: its answers folded, and under the conversation its sub-problems, their editor, how to go on."""

from collections.abc import Callable, Mapping

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.panel.display import folded, without_editing
from instrumentgpt.modes.panel.experts import Expert, read_experts, written
from instrumentgpt.modes.panel.steps import PartProgress, Progress, read_progress
from instrumentgpt.settings import home
from instrumentgpt.ui import composer, session, untrusted
from instrumentgpt.ui.language import say

MODE = "panel"
GOAL_CHARACTERS = 90
CODES_CHARACTERS = 400
HEADING_CHARACTERS = 300
LOOK_SECONDS = 1.0  # between two looks at a panel that goes on
ICONS = {
    "done": ":green[:material/check_circle:]",
    "now": ":material/pending:",
    "waiting": ":material/circle:",
}


def draw(database: Database, conversation_id: str, answering: bool) -> bool:
    """Draw the newest panel, to which the conversation's newest question was; False if there is none."""
    progress = read_progress(database, conversation_id)
    if progress is None or progress.panel.status == "dropped":
        return False
    is_proposed = progress.panel.status == "proposed"
    with st.container(key="panel", border=answering or not is_proposed):
        if answering:
            _follow(conversation_id)
            return True
        if is_proposed:  # the sub-problems stand above, in the proposal
            _draw_editor(progress)
            return True
        _draw_steps(progress)
        if progress.panel.status == "running" and not _offers(database, conversation_id):
            words = "繼續" if language_of(progress.panel.question) == "zh" else "continue"
            label = say("Continue at sub-problem {number}", number=progress.reached)
            composer.draw_ask(label, words, mode=MODE, icon=":material/play_arrow:", type="primary")
    return True


def _offers(database: Database, conversation_id: str) -> bool:
    """Return whether the newest answer offers to go on by itself; one that was cut off could not."""
    newest = db.list_messages(database, conversation_id, last=1)
    return bool(newest and db.list_offers(database, newest[0].id))


@st.fragment(run_every=LOOK_SECONDS)
def _follow(conversation_id: str) -> None:
    """Draw how far the panel is, again and again while it goes on."""
    if progress := session.in_database(read_progress, conversation_id):
        _draw_steps(progress)


def _draw_steps(progress: Progress) -> None:
    """Draw a line per sub-problem: how far it is, what leads, who dissents, what it cost."""
    language = language_of(progress.panel.question)
    experts = read_experts(home())
    st.markdown("  \n".join(_step(part, experts, language) for part in progress.parts))


def _step(step: PartProgress, experts: Mapping[str, Expert], language: Language) -> str:
    goal = untrusted.label(step.part.goal, GOAL_CHARACTERS)
    notes = [say("{count} of {all} experts", count=len(step.spoken), all=len(step.part.experts))]
    if step.result and step.result.cause:
        notes.append(say("{cause} leads", cause=untrusted.label(cause_title(step.result.cause, language))))
    if step.result and step.result.dissent:
        names = ", ".join(experts[code].name(language) for code in step.result.dissent if code in experts)
        count = len(step.result.dissent)
        words = say("{names} {count:?dissents|dissent}", names=untrusted.label(names), count=count)
        notes.append(f":orange[{words}]")
    if step.tokens:
        notes.append(f"{step.tokens:,} tokens")
    state = f" :gray[· {' · '.join(notes)}]" if step.spoken else ""
    return f"{ICONS[step.status]} **{step.part.id}.** {goal}{state}"


def _draw_editor(progress: Progress) -> None:
    """Draw the decomposition as text; what is sent back changed is shown again before anything is asked."""
    with st.expander(say("Change the sub-problems"), icon=":material/edit:"):
        key = f"panel-plan-{progress.panel.id}"
        label, plan = say("One line each: goal | experts | after …"), written(progress.plan)
        st.text_area(label, plan, key=key, height="content")
        names = untrusted.label(", ".join(read_experts(home())), CODES_CHARACTERS)
        st.caption(say("Experts: {names}", names=names))
        st.button(say("Send the changed list"), on_click=_send, args=(key,))


def _send(key: str) -> None:
    composer.propose(str(st.session_state[key]), mode=MODE)


def draw_answer(content: str, draw_words: Callable[[str], None]) -> None:
    """Draw `content`; words go through `draw_words`, which puts charts where their markers stand."""
    parts = folded(content)
    if parts is None:
        draw_words(without_editing(content))
        return
    draw_words(parts.opening)
    draw_words(parts.ending)
    for heading, text in parts.parts:
        with st.expander(untrusted.label(heading, HEADING_CHARACTERS)):
            draw_words(text)
    if parts.costs:
        with st.expander(say("What it cost")):
            draw_words(parts.costs)
