"""What the users of this conversation call its devices, each nickname to forget, and a field for another."""

from collections.abc import Sequence

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.memory.revisions import NICKNAME, Item
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.in_force import Nickname, list_nicknames
from instrumentgpt.storage.revisions import revise
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.inspector.editing import change, key_of
from instrumentgpt.ui.inspector.forgettable import draw_forgettable
from instrumentgpt.ui.permissions import who

SHOWN = 12  # given last
NAME_CHARS = 30


def draw(database: Database, conversation_id: str, device: str) -> None:
    """Draw the nicknames in force with their devices, who gave them in which turn, a field for `device`."""
    learned = sorted(list_nicknames(database, conversation_id), key=lambda one: one.message_id)[-SHOWN:]
    if learned:
        _draw(database, conversation_id, learned)
    if device:
        key = f"call-{key_of(Item(device, NICKNAME, ''))}"
        st.text_input(
            f"Call {device}",
            key=key,
            placeholder=f"Call {device} …",
            label_visibility="collapsed",
            max_chars=NAME_CHARS,
            on_change=_name,
            args=(key, conversation_id, device),
        )


def _name(key: str, conversation_id: str, device: str) -> None:
    name = " ".join(str(st.session_state[key] or "").split())
    st.session_state[key] = ""
    if name:
        item = Item(device, NICKNAME, name)
        change(lambda database: revise(database, conversation_id, item, "name", "", name, who()))


def _draw(database: Database, conversation_id: str, learned: Sequence[Nickname]) -> None:
    asked = places(database, conversation_id)[1]
    st.markdown(":small[**What you call the devices**]")
    for one in learned:
        named = f"**{untrusted.label(one.nickname)}** is {untrusted.label(one.device)}"
        turn = f" · turn {turn_of(one.message_id, asked)}" if one.message_id else ""
        origin = f":material/person: user{turn}"
        key = f"nickname-{key_of(one.item)}"
        draw_forgettable(key, named, origin, "Not so: forget this name", _forget, conversation_id, one)


def _forget(conversation_id: str, one: Nickname) -> None:
    told = (conversation_id, one.item, "forget", one.nickname, "", who())
    change(lambda database: revise(database, *told))
