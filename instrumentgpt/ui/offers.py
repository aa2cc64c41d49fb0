"""What the last answer offers to say next, as buttons."""

from collections.abc import Sequence

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.modes.registry import MODES
from instrumentgpt.ui import composer, untrusted


def draw(database: Database, messages: Sequence[db.Message]) -> bool:
    """Draw the offers of the last message; a click says the words in the offer's mode. False if none."""
    offers = db.list_offers(database, messages[-1].id) if messages else []
    with st.container(horizontal=True, gap="xsmall", key="offers"):
        for number, offer in enumerate(offers):
            if offer.mode in MODES:
                st.button(
                    untrusted.label(offer.label),
                    key=f"offer-{messages[-1].id}-{number}",
                    type="secondary" if number else "primary",
                    on_click=composer.propose,
                    args=(offer.text,),
                    kwargs={"mode": offer.mode},
                )
    return bool(offers)
