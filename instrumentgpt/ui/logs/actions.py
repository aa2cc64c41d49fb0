"""What can be done with the selected lines: ask about them, keep them as evidence, share their address."""

from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.logs import lines, pins, place
from instrumentgpt.ui.logs.moments import time_of
from instrumentgpt.ui.logs.preparation import Preparation


def draw(
    preparation: Preparation, here: place.Place, conversation_id: str, selected: tuple[int, int]
) -> None:
    """Draw which lines are selected, when they were written, and the buttons."""
    first, last = selected
    place.show(place.Place(here.device, here.log, first if st.session_state.get(place.SELECTED) else None))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_named(preparation, first, last), width="content")
        asked = st.button("Ask about this", icon=":material/chat:", type="primary")
        pinned = st.button(
            "Pin as evidence",
            icon=":material/push_pin:",
            help="Keep the lines in the memory of this conversation",
        )
        if st.session_state.get(lines.SCOPE) == lines.EVERYWHERE:
            st.button("Around it", icon=":material/unfold_more:", on_click=lines.go_around, args=(first,))
        with st.popover("Link", icon=":material/link:"):
            st.caption("The address of this line:")
            st.code(_address(here, first, conversation_id), language=None, wrap_lines=True)
    if asked:
        pins.ask(here.device, here.log, first, last)
    if pinned:
        _pin(preparation, here, conversation_id, first, last)


def _named(preparation: Preparation, first: int, last: int) -> str:
    named = f"**Line {first:,}**" if first == last else f"**Lines {first:,}–{last:,}**"
    if preparation.log is None:
        return named
    when = preparation.log.clock(time_of(preparation.log, first))
    return f"{named} · {untrusted.label(when)}"


def _address(here: place.Place, line: int, conversation_id: str) -> str:
    """Return the whole address where the browser's is known, else its part after the host."""
    relative = place.Place(here.device, here.log, line).address("" if here.device else conversation_id)
    url = urlsplit(st.context.url or "")
    return f"{url.scheme}://{url.netloc}{relative}" if url.netloc else relative


def _pin(preparation: Preparation, here: place.Place, conversation_id: str, first: int, last: int) -> None:
    index = preparation.index
    assert index is not None
    try:
        with session.opened() as database:
            inventory = load_inventory(Path(session.in_force(database).inventory))
            device = inventory.find(here.device) if here.device else None
            text = pins.quoted(index, first, last)
            kept = pins.pin(database, conversation_id or None, device, here.log, first, text)
    except InstrumentGPTError as error:
        st.warning(untrusted.label(str(error), 400), icon=":material/info:")
        return
    session.enter(kept)
    st.toast("Pinned: it is a finding in the conversation's memory now.", icon=":material/push_pin:")
