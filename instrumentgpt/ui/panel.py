"""The panel under the conversation: its sub-problems as steps, the decomposition to edit, how to go on."""

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.modes.panel.decomposition import written
from instrumentgpt.modes.panel.progress import PartProgress, Progress, read_progress
from instrumentgpt.storage.runs import list_runs
from instrumentgpt.text.language import language_of
from instrumentgpt.ui import composer, untrusted

MODE = "panel"
GOAL_CHARACTERS = 90
ICONS = {
    "done": ":green[:material/check_circle:]",
    "now": ":material/pending:",
    "waiting": ":material/circle:",
}


def draw(database: Database, conversation_id: str, answering: bool) -> bool:
    """Draw the newest panel if the conversation's newest question was to it; False if it was not."""
    latest = list_runs(database, conversation_id, limit=1)
    progress = read_progress(database, conversation_id)
    if not latest or latest[0].mode != MODE or progress is None or progress.panel.status == "dropped":
        return False
    with st.container(key="panel", border=True):
        for one in progress.parts:
            st.markdown(_step(one))
        if progress.panel.status == "proposed" and not answering:
            _draw_editor(progress)
        elif progress.panel.status == "running" and not answering:
            _draw_resume(progress)
    return True


def _step(one: PartProgress) -> str:
    goal = untrusted.label(one.part.goal, GOAL_CHARACTERS)
    spoken = f" :gray[· {len(one.spoken)} of {len(one.part.experts)} experts]"
    return f"{ICONS[one.status]} **{one.part.id}** {goal}{spoken if one.status != 'waiting' else ''}"


def _draw_editor(progress: Progress) -> None:
    """Draw the decomposition as text; what is sent back changed is shown again before anything is asked."""
    with st.expander("Change the sub-problems", icon=":material/edit:"):
        key = f"panel-plan-{progress.panel.id}"
        st.text_area("One line each: goal | experts | after …", written(progress.plan), key=key)
        st.button("Send the changed list", on_click=_send, args=(key,))


def _draw_resume(progress: Progress) -> None:
    words = "繼續" if language_of(progress.panel.question) == "zh" else "continue"
    st.button(
        f"Continue at sub-problem {progress.reached}",
        icon=":material/play_arrow:",
        type="primary",
        on_click=composer.propose,
        args=(words,),
        kwargs={"mode": MODE},
    )


def _send(key: str) -> None:
    composer.propose(str(st.session_state[key]), mode=MODE)
