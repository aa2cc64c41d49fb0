"""What a search over all conversations found, each hit in its context; a click opens it there."""

import re
import time

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.conversation import nicknamed_anywhere
from instrumentgpt.instruments.devices import load_inventory, spoken_names
from instrumentgpt.ui import session, untrusted

PIECE_CHARACTERS = 200
TITLE_CHARACTERS = 60
KINDS = {  # kind of hit → its icon, and in words
    "question": (":material/person:", "question"),
    "answer": (":material/device_thermostat:", "answer"),
    "findings": (":material/search_insights:", "finding"),
    "hypotheses": (":material/help:", "hypothesis"),
    "root_causes": (":material/flag:", "root cause"),
    "downloaded_logs": (":material/description:", "log"),
}
_MARKS = re.compile(
    r"\*\*|`|\[(?P<words>L [\d,]+)\]\([^)\s]*\)"
)  # of our answers: bold, code, links to lines
OTHER = (":material/notes:", "note")


def draw(database: Database, words: str, any_title: bool) -> None:
    """Draw the hits for `words`; `any_title` tells whether conversations of that title stand above."""
    found = db.search(database, words, _names(database))
    if not found:
        if not any_title:
            st.caption("Nothing that was asked, answered or found has these words.")
        return
    st.caption(f"{len(found)} {'place' if len(found) == 1 else 'places'} in all conversations")
    with st.container(gap="small", key="hits"):
        for number, hit in enumerate(found):
            _draw_one(number, hit)


def _draw_one(number: int, hit: db.Hit) -> None:
    icon, kind = KINDS.get(hit.kind, OTHER)
    with st.container(gap=None):
        st.button(
            untrusted.label(hit.title or "Untitled", TITLE_CHARACTERS),
            key=f"hit-{number}-{hit.message_id}",
            icon=icon,
            type="tertiary",
            wrap=False,
            help="Open the conversation here",
            on_click=session.go_to,
            args=(hit.conversation_id, hit.message_id),
        )
        when = time.strftime("%Y-%m-%d", time.localtime(hit.created_at))
        told = " · ".join(part for part in (when, kind, untrusted.label(hit.device)) if part)
        st.markdown(f":small[{context(hit)}]  \n:small[:gray[{told}]]")


def context(hit: db.Hit) -> str:
    """Return the words around the hit as Markdown in which nothing but the hit is marked.

    >>> print(context(db.Hit("c", "", 1, "answer", 0.0, "", (("the ", False), ("*kp*", True)))))
    the :primary-background[**\\*kp\\***]
    >>> print(context(db.Hit("c", "", 1, "answer", 0.0, "", (("**No,** `kp` [L 7](?log=a)", False),))))
    No, kp L 7
    """
    told = ""
    for marked, is_hit in hit.pieces:
        text = _MARKS.sub(r"\g<words>", marked) if hit.kind == "answer" else marked
        words = untrusted.label(text, PIECE_CHARACTERS)
        before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
        told += f":primary-background[**{words}**]" if is_hit else f"{before}{words}{after if words else ''}"
    return told


def _names(database: Database) -> list[tuple[str, ...]]:
    try:
        inventory = load_inventory(session.in_force(database).inventory)
        return spoken_names(nicknamed_anywhere(database, inventory))
    except InstrumentGPTError:  # without an inventory names stand for themselves; the page says it elsewhere
        return []
