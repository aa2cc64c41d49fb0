"""The messages of a conversation as they are stored: questions, steps, answers, charts and how each ended."""

import streamlit as st
from sqlite_utils import Database
from streamlit.delta_generator import DeltaGenerator

import db
import memory
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.storage.runs import Run, get_run
from instrumentgpt.text.markers import rendered_parts
from instrumentgpt.ui import attachments, charts, inspector, live, session, untrusted
from instrumentgpt.ui.progress import Progress
from instrumentgpt.ui.steps import draw_closed

LAST = 20  # messages shown at once; a page of 500 takes 7 s to load
OPEN_CHARTS = 4  # newest charts drawn at once; older ones when they are opened
TITLE_CHARACTERS = 80
REMEDY_CHARACTERS = 300
USER, ASSISTANT = ":material/person:", ":material/device_thermostat:"
ENDINGS = {  # how an answer that is not complete is marked
    "cancelled": "Stopped before the end",
    "timeout": "Ended: it took too long",
    "died": "Cut off: the program that answered has gone",
    "no-result": "Cut off: the agent ended without a result",
    "not-logged-in": "The agent is not logged in",
    "untrusted": "The agent does not trust its folder",
    "tools-denied": "The agent was not allowed to use its tools",
}


def draw_title(database: Database, conversation: db.Conversation) -> None:
    """Draw the title, and beside it which device the conversation is about and how far it is."""
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation.id, database)[1])
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.subheader(untrusted.label(conversation.title or "Untitled", TITLE_CHARACTERS), anchor=False)
        inspector.draw_badges(state)


def draw(database: Database, conversation_id: str) -> list[db.Message]:
    """Draw the newest messages with "Load earlier" above them; return those drawn, oldest first."""
    limit = st.session_state.get("shown", {}).get(conversation_id, LAST)
    messages = db.list_messages(database, conversation_id, last=limit)
    total = db.count_messages(database, conversation_id)
    if total > len(messages):
        st.button(
            f"Load earlier · {total - len(messages)} more",
            icon=":material/expand_less:",
            type="tertiary",
            on_click=_show_more,
            args=(conversation_id, limit + LAST),
        )
    kept = {message.id: db.list_artifacts(database, message.id) for message in messages}
    open_charts = [
        artifact.id for found in kept.values() for artifact in found if artifact.kind == charts.KIND
    ]
    for message in messages:
        if message.role == "user":
            _draw_question(database, message, kept[message.id])
        else:
            _draw_answer(database, conversation_id, message, kept[message.id], open_charts[-OPEN_CHARTS:])
    return messages


def draw_live(database: Database, run: Run) -> tuple[DeltaGenerator, Progress]:
    """Draw an unfinished answer up to its last chart; return where the rest goes, and what is drawn."""
    progress = live.progress_of(database, run.id)
    made = {artifact.id: artifact for artifact in db.list_artifacts_of_run(database, run.id)}
    with st.chat_message("assistant", avatar=ASSISTANT):
        draw_closed(progress, f"steps-{run.id}")
        words = ""
        for key, text in progress.pieces.items():
            words += text
            if isinstance(key, str) and key in made:
                st.markdown(untrusted.markdown(words, run.conversation_id))
                charts.draw(database, made[key], expanded=True)
                words = ""
        return st.container(), progress


def _show_more(conversation_id: str, limit: int) -> None:
    st.session_state["shown"] = {conversation_id: limit}


def _draw_question(database: Database, message: db.Message, kept: list[db.Artifact]) -> None:
    with st.chat_message("user", avatar=USER):
        attachments.draw(database, kept)
        st.text(message.content)


def _draw_answer(
    database: Database,
    conversation_id: str,
    message: db.Message,
    kept: list[db.Artifact],
    open_charts: list[str],
) -> None:
    made = {artifact.id: artifact for artifact in kept}
    with st.chat_message("assistant", avatar=ASSISTANT):
        progress = _progress_of(message.run_id)
        draw_closed(progress, f"steps-{message.run_id}")
        for part in rendered_parts(message.content, made):
            if part.artifact_id:
                charts.draw(database, made[part.artifact_id], expanded=part.artifact_id in open_charts)
            else:
                st.markdown(untrusted.markdown(part.text, conversation_id))
        if message.status != "complete":
            _draw_ending(message, progress)
        _draw_footer(database, message, progress)


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
    with session.opened() as database:
        return live.progress_of(database, run_id)


def _draw_ending(message: db.Message, progress: Progress) -> None:
    """Say how an answer ended that is not complete, and what helps."""
    words = ENDINGS.get(message.status, "The agent reported an error")
    st.badge(words, icon=":material/warning:", color="orange")
    if progress.failure:
        st.text(progress.failure.text)
        st.caption(untrusted.label(progress.failure.remedy, REMEDY_CHARACTERS))


def _draw_footer(database: Database, message: db.Message, progress: Progress) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.popover(
            "",
            icon=":material/content_copy:",
            type="tertiary",
            help="Copy",
            key=f"copy-{message.id}",
            on_change="rerun",
        ) as copy:
            if copy.open:
                st.code(message.content, language="markdown", wrap_lines=True, height=300)
        st.caption(" · ".join(_facts(database, message, progress)))


def _facts(database: Database, message: db.Message, progress: Progress) -> list[str]:
    """Return who answered, how long it took and what it cost, as far as known."""
    facts = []
    if message.run_id:
        agent = get_run(database, message.run_id).agent
        facts.append(AGENTS[agent].label if agent in AGENTS else untrusted.label(agent))
    model = progress.session.model if progress.session else ""
    if model and model.casefold() not in (fact.casefold() for fact in facts):
        facts.append(untrusted.label(model))
    if progress.done and progress.done.seconds and not progress.steps:
        facts.append(f"{progress.done.seconds:.1f} s")
    usage = progress.done.usage if progress.done else {}
    tokens = sum(count for name, count in usage.items() if name.endswith("Tokens"))
    if tokens:
        facts.append(f"{tokens / 1000:.1f}k tokens")
    if cost := usage.get("costUSD"):
        facts.append(f"{cost:.4f} USD")
    return facts
