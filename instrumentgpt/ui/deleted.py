"""Turns that were deleted: the way back in their place, and the list of those that can be restored."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.memory.revisions import Revision
from instrumentgpt.moments import moment
from instrumentgpt.storage.history import places
from instrumentgpt.storage.revisions import delete_turn, forget_deleted, list_deleted, undo_revision
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.inspector.editing import change
from instrumentgpt.ui.language import say

LATEST = "deleted-turn"  # in the session's state: the turn deleted last in this tab
WORDS, FEW_WORDS = 120, 60  # characters


def delete(message_id: int) -> None:
    """Delete the turn of the message, and offer the way back in its place; raise RunInProgress."""
    turn = session.in_database(delete_turn, message_id, session.who())
    st.session_state[LATEST] = min(turn, default=0)


def latest(database: Database, conversation_id: str) -> Revision | None:
    """Return the deletion to offer a way back from: this tab's last one, until somebody asks again."""
    deleted_turn = str(st.session_state.get(LATEST))
    deletions = [turn for turn in list_deleted(database, conversation_id) if turn.item.name == deleted_turn]
    newest = db.list_messages(database, conversation_id, last=1)
    return deletions[-1] if deletions and not (newest and newest[0].id > deletions[-1].after) else None


def draw_way_back(database: Database, conversation_id: str, deletion: Revision, answering: bool) -> None:
    """Draw what stands in the place of a turn that was just deleted: what it was, and Undo."""
    text = say(
        "Turn {turn} deleted: “{words}”",
        turn=_turn(database, conversation_id, deletion),
        words=untrusted.label(deletion.old, FEW_WORDS),
    )
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", border=True, key="deleted-turn-here"
    ):
        with st.container(width="stretch"):
            st.markdown(f":gray[:material/delete: {text}]")
        st.button(
            say("Undo"),
            key="undelete",
            icon=":material/undo:",
            disabled=answering,
            on_click=_restore,
            args=(deletion,),
        )


def draw_list(database: Database, conversation_id: str) -> None:
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
            _draw_deletion(conversation_id, deletion, _turn(database, conversation_id, deletion))


def _draw_deletion(conversation_id: str, deletion: Revision, turn: int) -> None:
    when = moment(deletion.changed_at)
    note = f"{say('was turn {turn}', turn=turn)} · {when} · {session.person_name(deletion.changed_by)}"
    with st.container(gap="xsmall", border=True):
        st.markdown(f":small[{untrusted.label(deletion.old, WORDS)}]  \n:small[:gray[{note}]]")
        with st.container(horizontal=True, gap="xsmall"):
            st.button(
                say("Restore"),
                key=f"restore-{deletion.id}",
                icon=":material/restore_from_trash:",
                on_click=_restore,
                args=(deletion, conversation_id),
            )
            label = say("Delete for good")
            with st.popover(label, icon=":material/delete_forever:", type="tertiary"):
                st.caption(say("This turn cannot be brought back then."))
                st.button(
                    label, key=f"for-good-{deletion.id}", on_click=change, args=(forget_deleted, deletion.id)
                )


def _turn(database: Database, conversation_id: str, deletion: Revision) -> int:
    """Return the number of the turn among all, the deleted ones too."""
    deleted = [int(other.item.name) for other in list_deleted(database, conversation_id)]
    questions = [*places(database, conversation_id)[1], *deleted]
    return 1 + sum(question < int(deletion.item.name) for question in questions)


def _restore(deletion: Revision, conversation_id: str = "") -> None:
    """Bring the turn back; into view, if a conversation is given."""
    is_back = change(undo_revision, deletion.id, session.who())
    if is_back and conversation_id:
        session.go_to(conversation_id, int(deletion.item.name))
