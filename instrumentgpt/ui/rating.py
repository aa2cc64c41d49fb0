"""Thumbs under an answer, and the reason: kept for the evaluation (`eval --rated`)."""

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.storage.answers import Rating, rate, rating_of, take_back
from instrumentgpt.ui import session
from instrumentgpt.ui.language import say

WHY = ("What was wrong or missing?", "What helped?")  # thumb down, thumb up
REASON_CHARACTERS = 500


def draw_thumbs(database: Database, message_id: int) -> Rating | None:
    """Draw the thumbs of an answer as they were pressed, and return its rating."""
    rating, key = rating_of(database, message_id), f"thumbs-{message_id}"
    st.feedback(key=key, default=int(rating.helped) if rating else None, on_change=_rate, args=(message_id,))
    return rating


def draw_reason(rating: Rating) -> None:
    """Draw the reason of a rating, to be written or changed."""
    st.text_input(
        say(WHY[rating.helped]),
        rating.reason,
        REASON_CHARACTERS,
        key=f"reason-{rating.message_id}",
        help=say("Kept on this computer for the evaluation. Press the thumb again to take it back."),
        on_change=_rate,
        args=(rating.message_id,),
        width=480,
    )


def _rate(message_id: int) -> None:
    thumb = st.session_state[f"thumbs-{message_id}"]
    reason = (st.session_state.get(f"reason-{message_id}") or "").strip()
    with session.problems_shown(), session.opened() as database:
        if thumb is None:
            take_back(database, message_id)
        else:
            rate(database, message_id, bool(thumb), reason, session.who())
