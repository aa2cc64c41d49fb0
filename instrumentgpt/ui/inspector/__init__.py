"""The memory inspector in the sidebar: what the next question brings along, where it is from, changing it.

The bar of tokens is always there, and below it one of four views.
"""

import streamlit as st

from instrumentgpt.storage.history import places
from instrumentgpt.ui import session, turns  # which imports this package in its turn
from instrumentgpt.ui.inspector import editing, prompts, state
from instrumentgpt.ui.inspector.prompts import bar, draw_bar, next_prompt
from instrumentgpt.ui.inspector.state import draw_badges
from instrumentgpt.ui.language import say

__all__ = ["bar", "draw", "draw_badges", "next_prompt"]
VIEW = "memory-view"  # in the session's state
EMPTY = "Empty until the first question. Here you will see what the assistant remembers, and why."


@st.fragment
def draw(conversation_id: str | None) -> None:
    """Draw the memory of the conversation; what is typed or changed in it redraws only this."""
    editing.redraw()
    with session.opened() as database:
        if conversation_id is None:
            st.markdown(f"**{say('Memory')}**")
            st.caption(say(EMPTY))
            return
        questions = places(database, conversation_id)[1]
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(f"**{say('Memory')}**", width="content")
            st.badge(say("turn {turn}", turn=len(questions)), color="gray")
        settings = session.current_settings(database)
        typed = st.session_state.get(prompts.TYPED) or say(prompts.EXAMPLE)
        prompt, next_state = next_prompt(database, conversation_id, typed, settings)
        draw_bar(prompt.sections, prompt.tokens, settings.prompt_tokens)
        editing.draw_problem()
        state_tab, prompt_tab, older_tab, edits_tab = st.tabs(
            (say("State"), say("Prompt"), say("Older"), say("Edits")), key=VIEW, on_change="rerun"
        )
        if state_tab.open:
            with state_tab:
                editing.draw_last(database, conversation_id)
                state.draw(database, conversation_id, next_state)
        if prompt_tab.open:
            with prompt_tab:
                prompts.draw(database, conversation_id, prompt, settings.prompt_tokens)
        if older_tab.open:
            with older_tab:
                prompts.draw_older(database, conversation_id, prompt)
        if edits_tab.open:
            with edits_tab:
                turns.draw_deleted(database, conversation_id)
                editing.draw_edits(database, conversation_id)
        editing.draw_dialog(conversation_id)
