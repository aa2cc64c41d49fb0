"""What can be done with a turn: asked again of another agent or in other words, branched from, deleted.

What is asked again is asked in the mode of the first, whichever is chosen beside the input by now. It makes a
new turn at the end; the earlier question and its answer stay as they are, on the page and in the memory, so
nothing is lost. A turn that is deleted can be brought back from a list.
"""

from collections.abc import Sequence

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.revisions import Revision
from instrumentgpt.moments import moment
from instrumentgpt.storage.conversations import conversation_of
from instrumentgpt.storage.history import places
from instrumentgpt.storage.revisions import delete_turn, forget_deleted, list_deleted, undo_revision
from instrumentgpt.storage.runs import mode_of
from instrumentgpt.turn.rebuild import branch
from instrumentgpt.ui import composer, session, untrusted
from instrumentgpt.ui.agents import agent_words
from instrumentgpt.ui.controls import icon_button, icon_menu, text_button
from instrumentgpt.ui.inspector.editing import change
from instrumentgpt.ui.language import say

EDITED = "edited-question"  # id of a message, in the session's state: the dialog outlives a redrawn page
BOX_HEIGHT = 160  # px


def draw_agents(conversation_id: str, message_id: int, agents: Sequence[str], disabled: bool) -> None:
    """Draw the menu under an answer that asks its question once more, of the agent that is chosen."""
    key, name = f"again-{message_id}", say("Ask this question again; the answer above stays")
    words = {agent: say("Ask {agent}", agent=agent_words(agent)) for agent in agents}
    icon_menu("refresh", name, words, key, _ask_again, key, conversation_id, message_id, disabled=disabled)


def draw_branch(conversation_id: str, message_id: int, disabled: bool) -> None:
    """Draw the button under an answer that goes on from there in a conversation of its own."""
    name, key = say("Go on from here in a conversation of its own; this one stays"), f"branch-{message_id}"
    icon_button("fork_right", name, key, _branch, conversation_id, message_id, disabled=disabled)


def draw_origin(database: Database, conversation: db.Conversation) -> None:
    """Draw the link to where the conversation was branched from, if it was."""
    if conversation.branched_from is None:
        return
    origin = conversation_of(database, conversation.branched_from)
    if origin is None:
        st.caption(f":material/fork_right: {say('Branched from a turn that is deleted')}")
        return
    label = say("Branched from {title}", title=untrusted.label(origin.title or say("Untitled")))
    text_button("fork_right", label, None, session.go_to, origin.id, conversation.branched_from)


def _branch(conversation_id: str, message_id: int) -> None:
    try:
        new_id = session.in_database(branch, conversation_id, message_id)
    except InstrumentGPTError as error:
        st.toast(session.describe(error), icon=":material/error:")
        return
    session.enter(new_id)


def draw_pencil(message_id: int, disabled: bool) -> None:
    """Draw the button beside a question that opens its words to be changed and sent as a new one."""
    key = f"edit-{message_id}"
    begin = st.session_state.update
    icon_button("edit", say("Edit and ask again"), key, begin, {EDITED: message_id}, disabled=disabled)


def draw_dialog(messages: Sequence[db.Message]) -> None:
    """Open the dialog if one of the questions in `messages` is being edited."""
    edited = st.session_state.get(EDITED)
    for message in messages:
        if message.id == edited:
            st.dialog(say("Edit and ask again"), icon=":material/edit:", on_dismiss=_end)(_edit)(message)


def _ask_again(key: str, conversation_id: str, message_id: int) -> None:
    agent = st.session_state[key]
    with session.opened() as database:
        earlier = db.list_messages(database, conversation_id, before=message_id)
        questions = [message for message in earlier if message.role == "user"]
        mode = mode_of(database, questions[-1].id) if questions else ""
    if agent and questions:
        composer.propose(questions[-1].content, agent, questions[-1].id, mode)


def _edit(message: db.Message) -> None:
    words = st.text_area(say("Question"), message.content, height=BOX_HEIGHT, key=f"edited-{message.id}")
    st.caption(
        say("It is asked as a new question, with the same files. The earlier one and its answer stay.")
    )
    if st.button(say("Ask"), type="primary", icon=":material/send:") and words.strip():
        mode = session.in_database(mode_of, message.id)
        composer.propose(words.strip(), like=message.id, mode=mode)
        _end()
        st.rerun()
    with st.expander(say("Delete this turn"), icon=":material/delete:"):
        st.caption(
            say(
                "Question and answer leave the page, the memory, the search and the export, with what "
                "only they said. Undo in the memory brings them back, and so does Restore under Edits. "
                "They are gone for good when the conversation is deleted or pruned."
            )
        )
        if st.button(say("Delete question and answer"), key=f"delete-{message.id}"):
            with session.problems_shown():
                session.in_database(delete_turn, message.id, session.who())
                _end()
                st.rerun()


def _end() -> None:
    st.session_state.pop(EDITED, None)


DELETED_WORDS = 120  # characters


def draw_deleted(database: Database, conversation_id: str) -> None:
    """Draw the turns that can be restored, newest deletion first; nothing if there are none."""
    deletions = list_deleted(database, conversation_id)
    if not deletions:
        return
    with st.container(gap="small", key="deleted-turns"):
        st.markdown(
            f":small[**{say('Deleted turns')}**]  \n"
            f":small[:gray[{say('In no prompt, search or export until restored.')}]]"
        )
        for deletion in reversed(deletions):
            _draw_deletion(conversation_id, deletion, _turn_number(database, conversation_id, deletion))


def _draw_deletion(conversation_id: str, deletion: Revision, turn: int) -> None:
    when = moment(deletion.changed_at)
    note = f"{say('was turn {turn}', turn=turn)} · {when} · {session.person_name(deletion.changed_by)}"
    with st.container(gap="xsmall", border=True):
        st.markdown(f":small[{untrusted.label(deletion.old, DELETED_WORDS)}]  \n:small[:gray[{note}]]")
        with st.container(horizontal=True, gap="xsmall"):
            key, restore = f"restore-{deletion.id}", (_restore, deletion, conversation_id)
            text_button("restore_from_trash", say("Restore"), key, *restore, type="secondary")
            label = say("Delete for good")
            with st.popover(label, icon=":material/delete_forever:", type="tertiary"):
                st.caption(say("This turn cannot be brought back then."))
                st.button(
                    label, key=f"for-good-{deletion.id}", on_click=change, args=(forget_deleted, deletion.id)
                )


def _turn_number(database: Database, conversation_id: str, deletion: Revision) -> int:
    """Return the number of the turn among all, the deleted ones too."""
    deleted = [int(other.item.name) for other in list_deleted(database, conversation_id)]
    questions = [*places(database, conversation_id)[1], *deleted]
    return 1 + sum(question < int(deletion.item.name) for question in questions)


def _restore(deletion: Revision, conversation_id: str) -> None:
    """Bring the turn back, and into view."""
    if change(undo_revision, deletion.id, session.who()):
        session.go_to(conversation_id, int(deletion.item.name))
