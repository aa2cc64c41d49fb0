"""What can be done with the selected lines: ask about them, keep them as evidence, share their address."""

from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
import memory
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device, load_inventory
from instrumentgpt.instruments.reading.line_index import indexed_lines
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS, same
from instrumentgpt.memory.state import new_items
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.runs import live_run
from instrumentgpt.turn.record import put_on_record
from instrumentgpt.ui import composer, session, untrusted
from instrumentgpt.ui.controls import text_button
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.place import time_of
from instrumentgpt.ui.logs.preparation import Preparation

QUOTED_CHARACTERS = 160  # of the first line that is pinned


class CannotPin(InstrumentGPTError, RuntimeError):
    """A pin that would be lost."""


def draw(
    preparation: Preparation,
    here: place.Place,
    conversation_id: str,
    selected: tuple[int, int],
    filtered: bool,
) -> None:
    """Draw which lines are selected, when they were written, and the buttons.

    filtered  whether their neighbours are hidden
    """
    first, last = selected
    place.show(place.Place(here.device, here.log, first if st.session_state.get(place.SELECTED) else None))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        when = preparation.log.clock(time_of(preparation.log, first)) if preparation.log else ""
        lines_named = say("Lines {first:,}–{last:,}", first=first, last=last)
        heading = say("Line {line:,}", line=first) if first == last else lines_named
        st.markdown(f"**{heading}**" + (f" · {untrusted.label(when)}" if when else ""), width="content")
        asked = st.button(say("Ask about this"), icon=":material/chat:", type="primary")
        pinned = st.button(
            say("Pin as evidence"),
            icon=":material/push_pin:",
            help=say("Keep the lines in the memory of this conversation"),
        )
        if filtered:
            text_button("unfold_more", say("Around it"), None, place.go_to, first, type="secondary")
    if asked:
        st.session_state[composer.UNSENT] = question(here.device, here.log, first, last)  # to be completed
        st.switch_page(session.page_named("chat"))
    if pinned:
        _pin(preparation, here, conversation_id, first, last)


def _pin(preparation: Preparation, here: place.Place, conversation_id: str, first: int, last: int) -> None:
    index = preparation.index
    assert index is not None
    try:
        with session.opened() as database:
            inventory = load_inventory(Path(session.current_settings(database).inventory))
            device = inventory.find(here.device) if here.device else None
            text = "".join(text for _, text in indexed_lines(index, first, first))
            span = f"{first}" if first == last else f"{first}–{last}"
            quote = shorten(" ".join(text.split()), QUOTED_CHARACTERS)
            text = say(
                "Pinned {count:?line|lines} {where}: {said}", count=last - first + 1, where=span, said=quote
            )
            talk = pin(database, conversation_id or None, device, here.log, first, text)
    except InstrumentGPTError as error:
        st.warning(session.describe(error), icon=":material/info:")
        return
    session.enter(talk)
    st.toast(say("Pinned: it is a finding in the conversation's memory now."), icon=":material/push_pin:")


def question(device: str, log: str, first: int, last: int) -> str:
    """Return a question about the lines, in the language of the page.

    >>> question("zspr 052", "run.log", 7, 9), question("", "run.log", 7, 7)
    ('zspr 052: what happens in lines 7–9 of run.log?', 'what happens in line 7 of run.log?')
    """
    prefix = say("{device}: ", device=device) if device else ""
    if first == last:
        return prefix + say("what happens in line {line} of {log}?", line=first, log=log)
    return prefix + say("what happens in lines {first}–{last} of {log}?", first=first, last=last, log=log)


def pin(
    database: Database, conversation_id: str | None, device: Device | None, log: str, line: int, text: str
) -> str:
    """Keep `text` as a finding of the conversation, from the user; return the conversation, new if need be.

    It goes into the state of the log's own device, in force or left earlier.
    """
    if conversation_id and live_run(database, conversation_id):
        raise CannotPin(
            say(
                "An answer is being written in this conversation, and will store its memory at its end. "
                "Pin when it is finished"
            )
        )
    with db.transaction(database):
        talk = conversation_id or db.create_conversation(database, say("Evidence from {log}", log=log))
        state = memory.DiagnosticState.deserialize(db.get_memory(talk, database)[1])
        name = device.name if device else memory.device_key(state)
        before, after, record = put_on_record(database, talk, name, device, {"log": log, "findings": [text]})
        items = [
            db.StateItem(name, field, item, "user", None, log, line if field == "findings" else None)
            for field, item in [*new_items(before, after), *_forgotten(database, talk, after, text)]
        ]
        db.add_state_items(database, talk, [record, *items])
    return talk


def _forgotten(
    database: Database, conversation_id: str, state: memory.DiagnosticState, text: str
) -> list[tuple[str, str]]:
    """Return (field, text) of the pin if it had been forgotten: pinned anew, it is remembered again."""
    pinned = shorten(text, STATEMENT_CHARS)
    findings = revised_memory(database, conversation_id, state).state.findings
    return [] if same(pinned) in map(same, findings) else [("findings", pinned)]
