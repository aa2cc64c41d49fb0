"""What kind of loop each channel is, with a form to correct it; what is said is remembered."""

from dataclasses import replace

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.instruments import loop_wording
from instrumentgpt.instruments.analysis.kind import DRIVES
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.reading.record import UNSTATED, StatedLoop
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.logs import columns
from instrumentgpt.ui.logs.library import Choice
from instrumentgpt.ui.logs.preparation import Preparation

TEXT_CHARACTERS = 500
ACTS = {"": None, "heats": False, "cools": True}  # word → whether more output lowers pv


def draw(database: Database, preparation: Preparation, choice: Choice, conversation_id: str) -> None:
    """Draw what kinds of loops the log has, and what corrects them, for logs laid out alike, too."""
    diagnosis = preparation.diagnosis
    if diagnosis is None or not diagnosis.kinds:
        return
    names = dict.fromkeys(loop_wording.name(kind, "en") for kind in diagnosis.kinds.values())
    with st.expander(f"Kind of loop: {untrusted.label('; '.join(names), 160)}", icon=":material/tune:"):
        for channel, kind in diagnosis.kinds.items():
            told = loop_wording.sentence(kind, diagnosis.log.unit, "en")
            st.caption(untrusted.label(f"Channel {channel}: {told}", TEXT_CHARACTERS))
        loop = _draw_form(diagnosis, choice.reference)
    if loop is not None:
        said = columns.reading_of(choice.reference)
        stated = replace(said, loops=said_of(said.loops, *loop))
        columns.state(database, preparation, choice, conversation_id, stated)


def said_of(
    loops: tuple[tuple[int, StatedLoop], ...], channel: int, loop: StatedLoop
) -> tuple[tuple[int, StatedLoop], ...]:
    """Return `loops` with what is now said of `channel` (0: of every one, which takes the place of all).

    >>> said_of(((1, StatedLoop("on_off")), (2, StatedLoop(band=1.0))), 1, UNSTATED)
    ((2, StatedLoop(drive='', reverse=None, band=1.0)),)
    """
    kept = tuple(one for one in loops if channel and (one[0] != channel or loop != UNSTATED))
    return kept if loop == UNSTATED else (*kept, (channel, loop))


def _draw_form(diagnosis: Diagnosis, reference: str) -> tuple[int, StatedLoop] | None:
    """Return the channel (0: every one) and its loop as the form says when a button is pressed, else None."""
    channels = [*([0] if len(diagnosis.kinds) > 1 else []), *diagnosis.kinds]
    unit = untrusted.label(diagnosis.log.unit) or "its unit"
    with st.form(f"kind-{reference}", border=False):
        with st.container(horizontal=True, gap="small"):
            channel = st.selectbox(
                "Channel",
                channels,
                format_func=lambda one: str(one) if one else "all",
                key=f"kind-channel-{reference}",
                width=120,
            )
            drive = st.selectbox(
                "It is",
                ["", *DRIVES],
                format_func=lambda one: loop_wording.word(f"drive.{one}", "en") if one else "as recognised",
                key=f"kind-drive-{reference}",
                width=240,
            )
            acts = st.selectbox(
                "Its output",
                list(ACTS),
                format_func=lambda one: one or "as recognised",
                key=f"kind-acts-{reference}",
                width=160,
            )
            band = st.number_input(
                f"Band, ± {unit}",
                min_value=1e-6,
                value=None,
                format="%.3g",
                placeholder="its own",
                key=f"kind-band-{reference}",
                width=160,
            )
        with st.container(horizontal=True, gap="small"):
            saved = st.form_submit_button("Judge it so", type="primary")
            anew = st.form_submit_button("As recognised")
    if anew:
        return channel, UNSTATED
    return (channel, StatedLoop(drive, ACTS[acts], band)) if saved else None
