"""The sidebar: conversations, the search in all that was said, and what this one knows by a ref or saved."""

import re
from collections.abc import Callable
from functools import partial

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt import moments
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.conversation import nicknamed_anywhere
from instrumentgpt.instruments.devices import load_inventory, spoken_names
from instrumentgpt.storage.artifacts import Document, documents_folder
from instrumentgpt.storage.conversations import pin_conversation
from instrumentgpt.storage.entities import Entity, list_entities
from instrumentgpt.storage.export import export_name, exported
from instrumentgpt.storage.runs import live_runs
from instrumentgpt.ui import controls, session, untrusted
from instrumentgpt.ui.artifacts import MIME
from instrumentgpt.ui.controls import icon_menu, text_button, text_field
from instrumentgpt.ui.language import say

FEW = 6  # conversations listed before "show all"
TITLE_CHARACTERS = 80
DELETED = "deleted-conversation"  # in the session's state: the one that this tab deleted last
LIVE, WAITING, IDLE = "spinner", ":material/hourglass_top:", ":material/chat_bubble:"
MENU = {  # what can be done with a conversation → its icon and name
    "pin": (":material/keep:", "Pin"),
    "unpin": (":material/keep_off:", "Unpin"),
    "rename": (":material/edit:", "Rename or tag"),
    "export": (":material/download:", "Export"),
    "delete": (":material/delete:", "Delete"),
}

PIECE_CHARACTERS = 200
HIT_TITLE_CHARACTERS = 60
KINDS = {  # kind of hit → its icon, and in words
    "question": (":material/person:", "question"),
    "answer": (":material/device_thermostat:", "answer"),
    "findings": (":material/search_insights:", "finding"),
    "hypotheses": (":material/help:", "hypothesis"),
    "root_causes": (":material/flag:", "root cause"),
    "downloaded_logs": (":material/description:", "log"),
}
_MARKS = re.compile(r"\*\*|`|\[(?P<words>L [\d,]+)\]\([^)\s]*\)")  # bold, code, links to lines
OTHER = (":material/notes:", "note")


def draw_conversations(database: Database, conversation_id: str | None) -> None:
    """Draw the list, newest first, with the one in view marked in words and colour."""
    st.button(
        say("New conversation"),
        key="new-conversation",
        icon=":material/add:",
        type="primary",
        width="stretch",
        shortcut="Alt+N",
        on_click=session.leave,
    )
    prompt, look = say("Search everything"), {"label_visibility": "collapsed", "type": "search", "live": True}
    words = text_field(prompt, "search", prompt, icon=":material/search:", **look)
    matches = db.list_conversations(database, words, pinned_first=True)
    live = {
        run.conversation_id: LIVE if run.began_at else WAITING
        for run in live_runs(database)
        if run.kind == "turn"
    }
    listed = matches if words or st.session_state.get("all-conversations") else matches[:FEW]
    with st.container(gap=None, key="conversations"):
        for conversation in listed:
            _draw_one(conversation, conversation.id == conversation_id, live.get(conversation.id, IDLE))
    if words:
        _draw_hits(database, words, any_title=bool(matches))
    if len(listed) < len(matches):
        label, args = say("Show all {count}", count=len(matches)), ({"all-conversations": True},)
        st.button(label, type="tertiary", on_click=st.session_state.update, args=args)
    if deleted := db.list_conversations(database, deleted=True):
        _draw_deleted(deleted)


def _draw_one(conversation: db.Conversation, in_view: bool, icon: str) -> None:
    title = untrusted.label(conversation.title or say("Untitled"), TITLE_CHARACTERS)
    icon = ":material/keep:" if conversation.pinned_at and icon == IDLE else icon
    with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
        with st.container(width="stretch"):
            label, key = f":primary[**{title}**]" if in_view else title, f"open-{conversation.id}"
            text_button("", label, key, session.enter, conversation.id, icon=icon, wrap=False)
            if conversation.tags:
                st.caption(f":material/sell: {untrusted.label(conversation.tags)}")
        name = say("Pin, rename, export or delete {title}", title=title)
        actions = ["unpin" if conversation.pinned_at else "pin", "rename", "export", "delete"]
        words = {action: f"{MENU[action][0]} {say(MENU[action][1])}" for action in actions}
        action = icon_menu("more_horiz", name, words, f"menu-{conversation.id}")
    if action in ("pin", "unpin"):
        _change(lambda database: pin_conversation(database, conversation.id, action == "pin"))
    elif action == "rename":
        st.dialog(say("Rename or tag the conversation"))(_rename)(conversation)
    elif action == "export":
        st.dialog(say("Export conversation"))(_export)(conversation)
    elif action == "delete":
        st.session_state[DELETED] = conversation.id
        if in_view:
            session.leave()
        _change(lambda database: db.hide_conversation(database, conversation.id))


def _draw_deleted(conversations: list[db.Conversation]) -> None:
    """Draw the conversations that can be brought back; unfolded while this tab's last deletion is one."""
    latest = st.session_state.get(DELETED) in [conversation.id for conversation in conversations]
    title = say("Deleted ({count})", count=len(conversations))
    with st.expander(title, icon=":material/delete:", expanded=latest):
        for conversation in conversations:
            title = untrusted.label(conversation.title or say("Untitled"), TITLE_CHARACTERS)
            words = say("Undo: {what}", what=title)
            if st.button(words, key=f"undelete-{conversation.id}", icon=":material/undo:", type="tertiary"):
                _change(partial(db.show_conversation, conversation_id=conversation.id))
        with st.popover(say("Delete for good"), icon=":material/delete_forever:", type="tertiary"):
            st.caption(say("Messages, charts, files, memory and folders go now, not with the next pruning."))
            if st.button(say("Delete for good"), key="for-good", type="primary"):
                _change(partial(_delete, conversations=conversations))


def _delete(database: Database, conversations: list[db.Conversation]) -> None:
    for conversation in conversations:
        db.delete_conversation(database, conversation.id)


def _rename(conversation: db.Conversation) -> None:
    with st.form("rename", border=False):
        title = st.text_input(say("Title"), conversation.title, max_chars=120)
        tags = st.text_input(say("Tags, with commas between"), conversation.tags, max_chars=120)
        saved = st.form_submit_button(say("Save"), type="primary")
    if saved and title and title.strip():
        texts = title.strip(), " ".join((tags or "").split())
        _change(lambda database: db.rename_conversation(database, conversation.id, *texts))


def _export(conversation: db.Conversation) -> None:
    st.write(f"“{untrusted.label(conversation.title or say('Untitled'), TITLE_CHARACTERS)}”")
    st.caption(
        say("One zip: the conversation to read and as data, charts, files, notes, documents and prompts.")
    )
    make = partial(session.in_database, exported, conversation.id)
    name = export_name(conversation.title, conversation.id)
    controls.download(say("Export"), make, name, "application/zip", f"export-{conversation.id}")


def _change(action: Callable[[Database], None]) -> None:
    """Do it with a connection of its own (a dialog outlives the script that opened it), then draw anew."""
    with session.problems_shown(), session.opened() as database:
        action(database)
        st.rerun()


def _draw_hits(database: Database, words: str, any_title: bool) -> None:
    """Draw the hits for `words`; `any_title` tells whether conversations of that title stand above."""
    hits = db.search(database, words, _names(database))
    if not hits:
        if not any_title:
            st.caption(say("Nothing that was asked, answered or found has these words."))
        return
    st.caption(say("{count} {count:?place|places} in all conversations", count=len(hits)))
    with st.container(gap="small", key="hits"):
        for number, hit in enumerate(hits):
            _draw_hit(number, hit)


def _draw_hit(number: int, hit: db.Hit) -> None:
    icon = KINDS.get(hit.kind, OTHER)[0]
    with st.container(gap=None):
        title = untrusted.label(hit.title or say("Untitled"), HIT_TITLE_CHARACTERS)
        key, go = f"hit-{number}-{hit.message_id}", (session.go_to, hit.conversation_id, hit.message_id)
        text_button("", title, key, *go, icon=icon, wrap=False, help=say("Open the conversation here"))
        when = moments.day(hit.created_at)
        facts = " · ".join(
            part for part in (when, say(KINDS.get(hit.kind, OTHER)[1]), untrusted.label(hit.device)) if part
        )
        st.markdown(f":small[{context(hit)}]  \n:small[:gray[{facts}]]")


def context(hit: db.Hit) -> str:
    """Return the words around the hit as Markdown in which nothing but the hit is marked.

    >>> print(context(db.Hit("c", "", 1, "answer", 0.0, "", (("the ", False), ("*kp*", True)))))
    the :primary-background[**\\*kp\\***]
    >>> print(context(db.Hit("c", "", 1, "answer", 0.0, "", (("**No,** `kp` [L 7](?log=a)", False),))))
    No, kp L 7
    """
    line = ""
    for marked, is_hit in hit.pieces:
        text = _MARKS.sub(r"\g<words>", marked) if hit.kind == "answer" else marked
        words = untrusted.label(text, PIECE_CHARACTERS)
        before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
        line += f":primary-background[**{words}**]" if is_hit else f"{before}{words}{after if words else ''}"
    return line


def _names(database: Database) -> tuple[tuple[str, ...], ...]:
    try:
        inventory = load_inventory(session.current_settings(database).inventory)
        return spoken_names(nicknamed_anywhere(database, inventory))
    except InstrumentGPTError:  # without an inventory names stand for themselves; the page says it elsewhere
        return ()


LABEL_CHARACTERS = 80
FLAGS = {
    "unsaved": ("orange", "unsaved"),
    "created": ("green", "created"),
    "read:full": ("blue", "read in full"),
    "read:summary": ("blue", "figures read"),
    "read": ("gray", "read"),
}


def draw_entities(database: Database, conversation_id: str) -> None:
    """Draw the refs of the conversation and its documents; nothing where there are none."""
    entities = list_entities(database, conversation_id)
    if entities:
        label = f"{say('Refs')} · {len(entities)}"
        with st.expander(label, icon=":material/tag:", key="refs", on_change="rerun") as refs:
            if refs.open:
                _draw_refs(entities)
    documents = db.list_documents(database, conversation_id)
    if documents:
        label = f"{say('Documents')} · {len(documents)}"
        with st.expander(label, icon=":material/folder:", key="documents", on_change="rerun") as listing:
            if listing.open:
                _draw_documents(database, documents)


def _draw_refs(entities: list[Entity]) -> None:
    """Draw a line per thing, generated ones first."""
    st.caption(say("What a question can name: “compare log_1 with log_2”."))
    for entity in sorted(entities, key=lambda entity: not entity.generated):
        flag = f" :{FLAGS[entity.flag][0]}-badge[{say(FLAGS[entity.flag][1])}]" if entity.flag else ""
        retained = f"  \n:material/keep: {untrusted.label(entity.retained)}" if entity.retained else ""
        st.markdown(f"`{entity.ref}` {untrusted.label(entity.label, LABEL_CHARACTERS)}{flag}{retained}")


def _draw_documents(database: Database, documents: list[Document]) -> None:
    folder = documents_folder(database)
    for document in documents:
        path = folder / document.file
        title = untrusted.label(document.title, LABEL_CHARACTERS)
        if not path.exists():
            text = say("{title}: the file {file} is gone.", title=title, file=untrusted.label(document.file))
            st.caption(f":material/draft: {text}")
            continue
        help, key = f"{document.ref} · {untrusted.label(str(path), 200)}", f"document-{document.id}"
        kind = MIME[document.kind]
        controls.download(title, path.read_bytes, document.file, kind, key, help=help, width="stretch")
