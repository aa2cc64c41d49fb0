"""The Edits view: what people changed in the memory, who and when, each with Undo."""

import json

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.memory.revisions import NICKNAME, NOTE, TURN, UNCLEAR, VALUE, Revision
from instrumentgpt.moments import local, moment
from instrumentgpt.storage.revisions import list_revisions, redo_revision, undo_revision
from instrumentgpt.ui import deleted, session, untrusted
from instrumentgpt.ui.inspector.editing import change, draw_line
from instrumentgpt.ui.language import say

SHOWN = 30  # newest
CHARACTERS = 120
DONE = {
    "edit": "edited “{what}”",
    "correct": "corrected “{what}”",
    "pin": "pinned “{what}”",
    "unpin": "unpinned “{what}”",
    "forget": "forgot “{what}”",
    "lift": "lifted “{what}”",
    "lay_down": "laid down “{what}”",
    "confirm": "confirmed “{what}”",
    "rule_out": "ruled out “{what}”",
    "name": "gave “{what}”",
    "restore": "put back “{what}”",
    UNCLEAR: "declined “{what}”",
}


def draw_last(database: Database, conversation_id: str) -> None:
    """Draw Undo for the newest change that counts; nothing if there is none."""
    counting = [edit for edit in list_revisions(database, conversation_id) if edit.undone_at is None]
    if counting:
        st.button(
            say("Undo: {what}", what=description(counting[-1], 40)),
            key="undo-last",
            icon=":material/undo:",
            type="tertiary",
            wrap=False,
            on_click=undo,
            args=(counting[-1].id,),
        )


def draw(database: Database, conversation_id: str) -> None:
    """Draw the turns that can be restored, then other changes, newest first; those undone can be redone."""
    history = list_revisions(database, conversation_id)
    deleted.draw_list(database, conversation_id)
    revisions = [edit for edit in history if edit.item.field != TURN or edit.undone_at is not None]
    if not history:
        st.caption(
            say(
                "Nothing was changed yet. "
                "What you edit, pin, forget, lay down or delete is listed here, to undo."
            )
        )
    for revision in reversed(revisions[-SHOWN:]):
        _draw_revision(revision)
    if len(revisions) > SHOWN:
        st.caption(say("{count} older changes are not shown.", count=len(revisions) - SHOWN))


def description(revision: Revision, limit: int = CHARACTERS) -> str:
    """Return what was changed, in words."""
    if revision.item.field == TURN:
        return say("deleted “{words}”", words=untrusted.label(revision.old, limit))
    subject = untrusted.label(_subject(revision), limit)
    replacement = f" → “{untrusted.label(revision.new, limit)}”" if revision.new and revision.old else ""
    action = UNCLEAR if revision.item.field == UNCLEAR else revision.action
    return f"{say(DONE[action], what=subject)}{replacement}"


def _subject(revision: Revision) -> str:
    item = revision.item
    if item.field == NOTE:
        return say("note: {text}", text=json.loads(revision.old)["text"])
    if item.field == VALUE:
        channel = say(" of channel {channel}", channel=item.channel) if item.channel else ""
        device = f", {item.device}" if item.device else ""
        return f"{item.name}{channel}{device}: {revision.old}"
    if item.field == NICKNAME:
        return say("{name} as a name of {device}", name=item.name, device=item.device)
    return revision.old or revision.new


def _draw_revision(revision: Revision) -> None:
    when = moment(revision.changed_at)
    note = f"{when} · {session.person_name(revision.changed_by)} · {say('turn {turn}', turn=revision.turn)}"
    if revision.undone_at is None:
        draw_line(description(revision), note, f"undo-{revision.id}", "undo", say("Undo"), undo, revision.id)
        return
    note += f" · {say('undone')} {local(revision.undone_at):%H:%M}"
    words = f":gray[~~{description(revision)}~~]"
    redo = (change, redo_revision, revision.id)
    draw_line(words, note, f"redo-{revision.id}", "redo", say("Do it again"), *redo)


def undo(revision_id: int) -> None:
    """Take the change back, in the name of who sits at the page."""
    change(undo_revision, revision_id, session.who())
