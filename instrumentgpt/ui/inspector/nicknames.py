"""What the users of this conversation call its devices, each nickname with Forget."""

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.nicknames import Nickname, item_of, list_nicknames
from instrumentgpt.storage.revisions import revise
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.inspector.editing import change, key_of
from instrumentgpt.ui.inspector.forgettable import draw_forgettable
from instrumentgpt.ui.permissions import who

SHOWN = 12  # given last


def draw(database: Database, conversation_id: str) -> None:
    """Draw the nicknames in force with their devices, and who gave them in which turn."""
    learned = sorted(list_nicknames(database, conversation_id), key=lambda one: one.message_id)[-SHOWN:]
    if not learned:
        return
    asked = places(database, conversation_id)[1]
    st.markdown(":small[**What you call the devices**]")
    for one in learned:
        named = f"**{untrusted.label(one.nickname)}** is {untrusted.label(one.device)}"
        origin = f":material/person: user · turn {turn_of(one.message_id, asked)}"
        key = f"nickname-{key_of(item_of(one))}"
        draw_forgettable(key, named, origin, "Forget this name", _forget, conversation_id, one)


def _forget(conversation_id: str, one: Nickname) -> None:
    told = (conversation_id, item_of(one), "forget", one.nickname, "", who())
    change(lambda database: revise(database, *told))
