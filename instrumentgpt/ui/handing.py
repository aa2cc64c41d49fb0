"""Reports to hand on, as buttons: an answer, a case, a shift, each as HTML and as PDF."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

from instrumentgpt.agents.registry import choose
from instrumentgpt.analyst.handover import shift_start
from instrumentgpt.handover.document import Document, answer_document, case_document
from instrumentgpt.handover.facts import facts_of, facts_of_case
from instrumentgpt.handover.letters import KINDS, Facts, letter
from instrumentgpt.handover.pdf import printer
from instrumentgpt.handover.shift import shift_document
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.settings import Settings
from instrumentgpt.storage.cases import get_case
from instrumentgpt.ui import composer, copying, session, untrusted

TYPES = {".html": ("HTML", "text/html"), ".pdf": ("PDF", "application/pdf")}
Maker = Callable[[Database], Document]


def draw_answer(conversation_id: str, message_id: int, shown: Language) -> None:
    """Draw the menu under an answer that hands it on as a report."""
    say = partial(phrase, copying.WORDS, language=shown)
    with st.popover(
        f"_{say('hand_over')}_",
        icon=":material/ios_share:",
        type="tertiary",
        help=say("hand_over"),
        key=f"hand-{message_id}",
        on_change="rerun",
    ) as menu:
        if menu.open:
            st.caption(say("answer_explained"))
            make = partial(
                answer_document,
                conversation_id=conversation_id,
                message_id=message_id,
                language=shown,
                address=copying.address(),
            )
            _draw_downloads(make, f"answer_{conversation_id}_{message_id}", shown)
            with session.opened() as database:
                facts = facts_of(database, conversation_id, copying.address())
                settings = session.current_settings(database)
            agent, _ = choose(settings.agent, settings)
            _draw_letters(
                facts, f"letter-{message_id}", shown, "" if agent.name == "offline" else agent.label
            )


def draw_case(case_id: int, shown: Language) -> None:
    """Draw the buttons that hand a case on as a report."""
    say = partial(phrase, copying.WORDS, language=shown)
    with st.popover(
        say("hand_over"), icon=":material/ios_share:", key="hand-case", on_change="rerun"
    ) as menu:
        if menu.open:
            make = partial(case_document, case_id=case_id, language=shown, address=copying.address())
            _draw_downloads(make, f"case_{case_id}", shown)
            with session.opened() as database:
                facts = facts_of_case(database, get_case(database, case_id), copying.address())
            _draw_letters(facts, f"letter-case-{case_id}", shown)


def draw_shift(settings: Settings, shown: Language) -> None:
    """Draw the menu that tells what happened since a moment that is named in words."""
    say = partial(phrase, copying.WORDS, language=shown)
    with st.popover(say("shift"), icon=":material/ios_share:", key="shift-menu", on_change="rerun") as menu:
        if not menu.open:
            return
        words = st.text_input(say("since"), say("since_usual"), help=say("since_help"), key="shift-since")
        since = shift_start(words or "", datetime.now())
        if since is None:
            st.warning(say("no_moment"), icon=":material/schedule:")
            return
        st.caption(say("since_read", moment=since.strftime("%Y-%m-%d %H:%M")))
        devices = load_inventory(Path(settings.inventory)).devices
        make = partial(
            shift_document,
            devices=devices,
            since=since.timestamp(),
            language=shown,
            address=copying.address(),
        )
        _draw_downloads(make, f"shift_{since:%Y-%m-%d_%H%M}", shown)


def _draw_letters(facts: Facts, key: str, shown: Language, agent: str = "") -> None:
    """Draw the letters to choose from, the chosen one filled, to be copied; an `agent` may write it anew."""
    say = partial(phrase, copying.WORDS, language=shown)
    kind = st.segmented_control(say("letters"), KINDS, format_func=say, key=key)
    if kind is None:
        return
    text = letter(kind, shown, facts)
    untrusted.write(text)
    with st.container(horizontal=True, vertical_alignment="center"):
        copying.draw(text, f"copy-{key}")
        if agent:
            question = say("write", kind=say(kind), facts=text)
            composer.draw_ask(
                say("ask_agent", agent=agent), question, f"ask-{key}", icon=":material/edit_note:"
            )


def _draw_downloads(make: Maker, name: str, shown: Language) -> None:
    """Draw a button for each kind of file; one is made when it is clicked."""
    with st.container(horizontal=True, gap="small"):
        for suffix, (label, kind) in TYPES.items():
            missing = suffix == ".pdf" and not printer()
            st.download_button(
                label,
                partial(_made, make, suffix),
                f"{name}{suffix}",
                kind,
                icon=":material/download:",
                on_click="ignore",
                disabled=missing,
                help=phrase(copying.WORDS, "no_printer", shown) if missing else None,
                key=f"{name}{suffix}",
            )


def _made(make: Maker, suffix: str) -> bytes:
    with session.opened() as database:
        return make(database).written(suffix)
