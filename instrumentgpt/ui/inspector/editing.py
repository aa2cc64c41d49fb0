"""What can be done with one thing known: edit, pin, forget, lift, confirm; each a revision, to undo.

The Edits view lists them: what people changed in the memory, who and when, each with Undo.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.revisions import DEVICE_FIELDS, NICKNAME, NOTE, TURN, UNCLEAR, VALUE, Item, Revision
from instrumentgpt.moments import local, moment
from instrumentgpt.storage.revised_memory import Entry
from instrumentgpt.storage.revisions import list_revisions, redo_revision, revise, undo_revision
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.controls import icon_button, icon_menu, text_button
from instrumentgpt.ui.language import language, say

MENU = {  # what can be done with an entry → its icon and name
    "edit": (":material/edit:", "Edit"),
    "pin": (":material/keep:", "Pin"),
    "unpin": (":material/keep_off:", "Unpin"),
    "forget": (":material/block:", "Forget"),
    "lift": (":material/lock_open:", "Lift"),
    "confirm": (":material/task_alt:", "Confirm"),
    "rule_out": (":material/remove_done:", "Rule out"),
    "take": (":material/done:", "Take {other}"),
    "go": (":material/chat:", "Show the message"),
}
EDITED, PROBLEM, REDRAW = "edited-item", "memory-problem", "memory-changed"  # in the session's state
AT_ONCE = ("pin", "unpin", "forget", "lift")  # done without a question
BECOMES = {"confirm": "root_causes", "rule_out": "ruled_out"}  # action → field
OF_FIELD = {"hypotheses": ["confirm", "rule_out"], "findings": ["rule_out"], "constraint": ["lift"]}
NAMES = {
    "root_causes": "root cause",
    "findings": "finding",
    "hypotheses": "hypothesis",
    "ruled_out": "what was ruled out",
    "constraint": "constraint",
    "device_name": "name of the device",
    "device_ip": "address of the device",
}


def draw_menu(conversation_id: str, entry: Entry) -> None:
    """Draw the menu beside an entry."""
    key, other = f"item-{key_of(entry.item)}", untrusted.label(entry.other[0]) if entry.other else ""
    words = {name: f"{MENU[name][0]} {say(MENU[name][1], other=other)}" for name in _options(entry)}
    if entry.origin.source == "user" and entry.origin.message_id:  # read of the user's own words
        words["forget"] = f"{MENU['forget'][0]} {say('Not so')}"
    icon_menu("more_horiz", say("Change this entry"), words, key, _carry_out, key, conversation_id, entry)


def draw_device_menu(conversation_id: str, entries: Sequence[Entry]) -> None:
    """Draw the menu beside the device, of which name and address are the entries."""
    key, fields = f"device-{conversation_id}", [entry.item.field for entry in entries]
    words = [f":material/edit: {say('Edit')}: {say(NAMES[field])}" for field in fields]

    def begin() -> None:
        _begin(conversation_id, entries[st.session_state[key]])

    icon_menu("more_horiz", say("Change this entry"), dict(enumerate(words)), key, begin)


def _begin(conversation_id: str, entry: Entry) -> None:
    st.session_state[EDITED] = (conversation_id, entry)


def key_of(item: Item) -> str:
    """Return a short name of the item that can stand in a widget's key."""
    text = "\n".join((item.device, item.field, item.name, item.channel))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _options(entry: Entry) -> list[str]:
    field = entry.item.field
    options = [*OF_FIELD.get(field, ())]
    options += ["edit"] if field != "downloaded_logs" else []
    options += ["take"] if entry.other else []
    options += ["unpin" if entry.pinned else "pin", "forget"]
    return [*options, "go"] if entry.origin.message_id else options


def _carry_out(key: str, conversation_id: str, entry: Entry) -> None:
    action = st.session_state[key]
    if action == "edit":
        _begin(conversation_id, entry)
    elif action == "go":
        session.go_to(conversation_id, entry.origin.message_id)
        st.session_state[REDRAW] = True
    elif action in AT_ONCE:
        revise_item(conversation_id, entry.item, action, entry.text)
    elif action in BECOMES:
        item = Item(entry.item.device, BECOMES[action], entry.text)
        revise_item(conversation_id, item, action, new=entry.text)
    elif entry.other:
        revise_item(conversation_id, entry.item, "correct", entry.text, entry.other[0])


def revise_item(conversation_id: str, item: Item, action: str, old: str = "", new: str = "") -> bool:
    """Keep a revision of `item` by who sits at the page, to undo; return whether that was done."""
    return bool(change(revise, conversation_id, item, action, old, new, session.who()))


def draw_line(words: str, origin: str, key: str, icon: str, help: str, *call: Any) -> None:
    """Draw a line of what is remembered, where it is from, and a button that makes `call` (function, args).

    words, origin  Markdown of ours
    """
    with st.container(horizontal=True, vertical_alignment="top", gap="xsmall", wrap=False):
        st.markdown(f":small[{words}]  \n:small[:gray[{origin}]]", width="stretch")
        icon_button(icon, help, key, *call)


def change(action: Callable[..., object], *values: Any) -> Any:
    """Do `action(database, *values)`, and draw the page anew; return whether it was done.

    Why it was refused is drawn next.
    """
    try:
        session.in_database(action, *values)
    except InstrumentGPTError as error:
        st.session_state[PROBLEM] = session.describe(error)
        return False
    st.session_state[REDRAW] = True
    return True


def redraw() -> None:
    """Draw the whole page anew if something was changed that stands outside of the inspector too."""
    if st.session_state.pop(REDRAW, False):
        st.rerun()


def draw_problem() -> None:
    """Draw once why the last change was refused."""
    if problem := st.session_state.pop(PROBLEM, ""):
        st.warning(problem, icon=":material/info:")


def draw_dialog(conversation_id: str) -> None:
    """Open the dialog if an entry of this conversation is being edited."""
    owner, entry = st.session_state.get(EDITED, ("", None))
    if entry is None or owner != conversation_id:
        return
    st.dialog(_title(entry), icon=":material/edit:", on_dismiss=_end)(_edit)(conversation_id, entry)


def _title(entry: Entry) -> str:
    """Return what is edited, and of which device: several may have a kp."""
    name = label_of(entry) if entry.label else say(NAMES[entry.item.field])
    return " · ".join(filter(None, (say("Edit"), name, untrusted.label(entry.item.device))))


def label_of(entry: Entry) -> str:
    """Return what a value is of, for a heading: "setpoint, channel 1", 「設定值，通道 1」."""
    name, _, chinese = entry.label.removesuffix(")").partition(" (")
    if chinese and language() == "zh":
        name = f"{name}（{chinese}）" if len(name) <= len("kp") else chinese
    channel = say(", channel {channel}", channel=entry.item.channel) if entry.item.channel else ""
    return f"{untrusted.label(name, 80)}{channel}"


def _edit(conversation_id: str, entry: Entry) -> None:
    field = entry.item.field
    with st.form(f"edit-{key_of(entry.item)}", border=False):
        if field == VALUE or field in DEVICE_FIELDS:
            text = st.text_input(say("What is true"), entry.text, max_chars=STATEMENT_CHARS)
        else:
            text = st.text_area(say("What is true"), entry.text, max_chars=STATEMENT_CHARS, height=120)
        st.caption(
            say(
                "From the next question on, this stands in the prompt instead, as yours. "
                "No later answer brings the old words back. Edits → Undo takes it back."
            )
        )
        saved = st.form_submit_button(say("Save"), type="primary", icon=":material/check:")
    action = "correct" if field == VALUE else "edit"
    if saved and revise_item(conversation_id, entry.item, action, entry.text, text or ""):
        _end()
        redraw()
    draw_problem()


def _end() -> None:
    st.session_state.pop(EDITED, None)


SHOWN = 30  # newest
CHARACTERS = 120
UNCHANGED = "Nothing was changed yet. What you edit, pin, forget, lay down or delete is listed here, to undo."
DONE = {name: label for name, (_, label) in MENU.items()} | {
    "correct": "Edit",
    "lay_down": "Lay down",
    "name": "Name",
    "restore": "Put back",
    "delete": "Delete",
    UNCLEAR: "Decline",
}


def draw_last(database: Database, conversation_id: str) -> None:
    """Draw Undo for the newest change that counts; nothing if there is none."""
    counting = [edit for edit in list_revisions(database, conversation_id) if edit.undone_at is None]
    if counting:
        label = say("Undo: {what}", what=description(counting[-1], 40))
        text_button("undo", label, "undo-last", undo, counting[-1].id, wrap=False)


def draw_edits(database: Database, conversation_id: str) -> None:
    """Draw the changes but deletions of turns, newest first; those undone can be redone."""
    history = list_revisions(database, conversation_id)
    revisions = [edit for edit in history if edit.item.field != TURN or edit.undone_at is not None]
    if not history:
        st.caption(say(UNCHANGED))
    for revision in reversed(revisions[-SHOWN:]):
        _draw_revision(revision)
    if len(revisions) > SHOWN:
        st.caption(say("and {count} more", count=len(revisions) - SHOWN))


def description(revision: Revision, limit: int = CHARACTERS) -> str:
    """Return what was changed, in words."""
    if revision.item.field == TURN:
        return say("{action} “{what}”", action=say(DONE["delete"]), what=untrusted.label(revision.old, limit))
    subject = untrusted.label(_subject(revision), limit)
    replacement = f" → “{untrusted.label(revision.new, limit)}”" if revision.new and revision.old else ""
    action = UNCLEAR if revision.item.field == UNCLEAR else revision.action
    return say("{action} “{what}”", action=say(DONE[action]), what=subject) + replacement


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
