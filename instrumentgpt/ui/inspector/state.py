"""The State view: every item that is known, the devices' nicknames and the notes in force.

Each stands with where it came from and what can be done with it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st
from sqlite_utils import Database

import db
import memory
from instrumentgpt.handover.markdown import evidence_query
from instrumentgpt.memory.facts import is_known
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.revisions import DEVICE_FIELDS, NICKNAME, SENTENCES, VALUE, Item
from instrumentgpt.storage.export import DEFERRED, case_as_markdown
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.notes import EVERYWHERE, notes_of
from instrumentgpt.storage.revised_memory import SECTIONS, Entry, Listing, list_nicknames, listing
from instrumentgpt.storage.revisions import forget_note
from instrumentgpt.ui import controls, session, untrusted
from instrumentgpt.ui.controls import chosen, text_button, text_field
from instrumentgpt.ui.inspector import editing
from instrumentgpt.ui.language import say

ITEM_CHARACTERS = 300
UNKNOWN = "Nothing is known yet. Findings, hypotheses and root causes appear here, each with its origin."
NICKNAMES, NAME_CHARACTERS = 12, 30  # shown of those given last
NOTES = 20  # newest of each kind
FEW = 5  # entries of a section drawn at once; the newest
SOURCES = {
    "tool": (":material/build:", "tool"),
    "user": (":material/person:", "user"),
    "agent": (":material/smart_toy:", "agent"),
    "": ("", "origin not recorded"),
}
STATUSES: dict[str, tuple[Any, str]] = {
    "investigating": ("orange", "investigating"),
    "resolved": ("green", "root cause named"),
}
ALL = "memory-all"  # in the session's state: sections that are drawn whole


def draw(database: Database, conversation_id: str, next_state: memory.DiagnosticState) -> None:
    """Draw what is known, as people revised it; `next_state` is that of the next question."""
    revised = listing(database, conversation_id, next_state)
    known = {field: getattr(revised.state, field) for field in DEVICE_FIELDS}
    named = [Entry(Item(revised.device, field, field), text) for field, text in known.items() if text]
    with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
        with st.container(horizontal=True, gap="xsmall", width="stretch"):
            draw_badges(revised.state)
        if named:
            editing.draw_device_menu(conversation_id, named)
    for name, entries in revised.sections.items():
        if name == VALUE or name in SENTENCES:
            _draw_by_device(conversation_id, revised, name, entries)
        elif entries:
            _draw_section(conversation_id, name, say(SECTIONS[name]), entries)
        if name == "constraint":
            _draw_laying_down(conversation_id, revised.device)
    if not any(revised.sections.values()):
        st.caption(say(UNKNOWN))
    if revised.forgotten:
        st.caption(say("{count} forgotten: see Edits.", count=revised.forgotten))
    help = say("Device, findings, hypotheses, values with their sources and notes, as Markdown")
    make = partial(session.in_database, case_as_markdown, conversation_id)
    controls.download(say("Export the case"), make, "case.md", "text/markdown", help=help)
    _draw_nicknames(database, conversation_id, revised.device)
    notes = notes_of(database, conversation_id, [revised.device] if revised.device else [])
    deferred_title, notes_title = say("For a person to decide"), say("Notes in force")
    _draw_notes(conversation_id, deferred_title, [note for note in notes if note.kind == DEFERRED])
    _draw_notes(conversation_id, notes_title, [note for note in notes if note.kind != DEFERRED])


def draw_badges(state: memory.DiagnosticState) -> None:
    """Draw the device and the status of the state; nothing before there is either."""
    device = " · ".join(filter(None, (state.device_name, state.device_ip)))
    if device:
        st.badge(untrusted.label(device), icon=":material/dns:", color="blue")
    if state.status != "idle":
        words, color = say(STATUSES[state.status][1]), STATUSES[state.status][0]
        st.badge(words, icon=":material/troubleshoot:", color=color)


def _draw_by_device(conversation_id: str, revised: Listing, name: str, entries: Sequence[Entry]) -> None:
    """Draw values or sentences, those of the state's device and of none before those of others."""
    devices = dict.fromkeys([revised.device, "", *(entry.item.device for entry in entries)])
    for device in devices:
        group = [entry for entry in entries if entry.item.device == device]
        if group:
            title = say(SECTIONS[name])
            if device and device != revised.device:
                title = say("{what} of {device}", what=title, device=untrusted.label(device))
            _draw_section(conversation_id, f"{name}-{device}", title, group)


def _draw_laying_down(conversation_id: str, device: str) -> None:
    """Draw a small form for a constraint that a person lays down, on `device` or on all."""
    scopes, everywhere = [device, ""] if device else [""], say("All")
    with (
        st.form(f"lay-down-{conversation_id}", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"),
    ):
        text = st.text_input(
            say("Lay down a constraint"),
            placeholder=say("Lay down a constraint"),
            label_visibility="collapsed",
            max_chars=STATEMENT_CHARS,
        )
        words = {name: name or everywhere for name in scopes}
        scope = chosen(say("On"), words, label_visibility="collapsed", width=120)
        saved = st.form_submit_button(
            f"_{say('Lay it down')}_", icon=":material/add:", help=say("Lay it down"), type="tertiary"
        )
    rule = " ".join((text or "").split())
    if saved and rule:
        editing.revise_item(conversation_id, Item(scope or "", "constraint", rule), "lay_down", new=rule)
        editing.redraw()


def _draw_section(conversation_id: str, name: str, title: str, entries: Sequence[Entry]) -> None:
    ordered = sorted(entries, key=_place)
    is_whole = name in st.session_state.get(ALL, ())
    visible = ordered if is_whole else ordered[:FEW]
    with st.container(gap="xsmall"):
        st.markdown(f":small[**{title}**]")
        for entry in visible:
            _draw_entry(conversation_id, entry)
    if len(visible) < len(ordered):
        label, key = say("Show all {count}", count=len(ordered)), f"all-{editing.key_of(Item('', name, ''))}"
        whole = {*st.session_state.get(ALL, ()), name}
        text_button("", label, key, st.session_state.update, {ALL: whole})


def _place(entry: Entry) -> tuple[bool, bool, int]:
    """Return what sorts the pinned first, then values of quantities that have a name, then the newest."""
    unnamed = entry.item.field == VALUE and not is_known(entry.item.name)
    return not entry.pinned, unnamed, -entry.origin.turn


def _draw_entry(conversation_id: str, entry: Entry) -> None:
    with st.container(horizontal=True, vertical_alignment="top", gap=None, wrap=False):
        with st.container(width="stretch"):
            pin = ":material/keep: " if entry.pinned else ""
            words = untrusted.label(entry.text, ITEM_CHARACTERS)
            words = f"{editing.label_of(entry)}: **{words}**" if entry.label else words
            st.markdown(f":small[{pin}{words}]  \n:small[:gray[{source_of(entry, conversation_id)}]]")
            if entry.other:
                value, turn = entry.other
                warning = say("turn {turn} says {value}", turn=turn, value=untrusted.label(value))
                st.markdown(f":small[:orange[:material/warning: {warning}]]")
        editing.draw_menu(conversation_id, entry)


def source_of(entry: Entry, conversation_id: str) -> str:
    """Return where an entry came from: who said it, in which turn, which line shows it, what it was."""
    origin = entry.origin
    parts = [_source(origin.source)]
    parts += [say("turn {turn}", turn=origin.turn)] if origin.turn else []
    if origin.log and origin.line:
        log = f"{origin.device}/{origin.log}" if origin.device and "/" not in origin.log else origin.log
        parts.append(f"[L {origin.line:,}]({evidence_query(log, origin.line, conversation_id)})")
    parts += [say("pinned")] if entry.pinned else []
    parts += [say("was “{words}”", words=untrusted.label(entry.was, 80))] if entry.was else []
    if entry.earlier and not entry.was:
        earlier = ", ".join(
            say("{value} in turn {turn}", value=value, turn=turn) for value, turn in entry.earlier
        )
        parts.append(say("previously {values}", values=untrusted.label(earlier, 80)))
    return " · ".join(parts)


def _source(source: str) -> str:
    return f"{SOURCES[source][0]} {say(SOURCES[source][1])}".strip()


def _draw_nicknames(database: Database, conversation_id: str, device: str) -> None:
    """Draw what the devices are called, who said so in which turn, and a field for a name of `device`."""
    nicknames = list_nicknames(database, conversation_id)
    rows = [(at, owner, name) for owner, names in nicknames.items() for name, at in names.items()]
    if rows:
        st.markdown(f":small[**{say('What you call the devices')}**]")
    turns = places(database, conversation_id)[1] if rows else []
    for at, owner, nickname in sorted(rows)[-NICKNAMES:]:
        words = say("**{name}** is {device}", name=untrusted.label(nickname), device=untrusted.label(owner))
        turn = f" · {say('turn {turn}', turn=turn_of(at, turns))}" if at else ""
        item = Item(owner, NICKNAME, nickname)
        key, help_ = f"nickname-{editing.key_of(item)}", say("Not so: forget this name")
        call = (editing.revise_item, conversation_id, item, "forget", nickname)
        editing.draw_line(words, f"{_source('user')}{turn}", key, "block", help_, *call)
    if device:
        key = f"call-{editing.key_of(Item(device, NICKNAME, ''))}"
        label, hint = say("Call {device}", device=device), say("Call {device} …", device=device)
        look = {"label_visibility": "collapsed", "max_chars": NAME_CHARACTERS}
        text_field(label, key, hint, _name, key, conversation_id, device, **look)


def _name(key: str, conversation_id: str, device: str) -> None:
    name = " ".join(str(st.session_state[key] or "").split())
    st.session_state[key] = ""
    if name:
        editing.revise_item(conversation_id, Item(device, NICKNAME, name), "name", new=name)


def _draw_notes(conversation_id: str, title: str, notes: Sequence[db.Note]) -> None:
    if notes:
        st.markdown(f":small[**{title}**]")
    for note in notes[:NOTES]:
        words = untrusted.label(note.text, ITEM_CHARACTERS)
        counts = {conversation_id: say("this conversation"), EVERYWHERE: say("every conversation")}
        origin = untrusted.label(f"{note.id} · {counts.get(note.scope, note.scope)}")
        key = f"note-{editing.key_of(Item(note.scope, 'note', note.id))}"
        call = (editing.change, forget_note, conversation_id, note, session.who())
        editing.draw_line(words, origin, key, "block", say("Forget this note"), *call)
