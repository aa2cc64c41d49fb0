"""Reports to hand on, as buttons: an answer, a case, a shift, each as HTML and as PDF."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from instrumentgpt.analyst.handover import shift_start
from instrumentgpt.handover.document import Document, answer_document, case_document, facts_of, facts_of_case
from instrumentgpt.handover.letters import KINDS, Facts, letter
from instrumentgpt.handover.pdf import printer
from instrumentgpt.handover.shift import shift_document
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.moments import now
from instrumentgpt.settings import Settings
from instrumentgpt.storage.cases import get_case
from instrumentgpt.ui import controls, session, untrusted
from instrumentgpt.ui.language import language, say

TYPES = {".html": ("HTML", "text/html"), ".pdf": ("PDF", "application/pdf")}
ADDRESSEES = {"boss": "the boss", "vendor": "the vendor", "technician": "the technician"}
NO_PRINTER = (
    "A PDF needs Chromium (apt-get install chromium) "
    "on the computer of this page; the HTML can be printed in any browser."
)
Maker = Callable[..., Document]  # of a database, and language and address


def draw_answer(conversation_id: str, message_id: int) -> None:
    """Draw the menu under an answer that hands it on as a report."""
    with st.popover(
        f"_{say('Hand over')}_",
        icon=":material/ios_share:",
        type="tertiary",
        help=say("Hand over"),
        key=f"hand-{message_id}",
        on_change="rerun",
    ) as menu:
        if menu.open:
            st.caption(say("This answer as a report: its charts and the log lines that it quotes."))
            make = partial(answer_document, conversation_id=conversation_id, message_id=message_id)
            _draw_downloads(make, f"answer_{conversation_id}_{message_id}")
            facts = session.in_database(facts_of, conversation_id, controls.page_address())
            _draw_letters(facts, f"letter-{message_id}")


def draw_case(case_id: int) -> None:
    """Draw the buttons that hand a case on as a report."""
    label = say("Hand over")
    with st.popover(label, icon=":material/ios_share:", key="hand-case", on_change="rerun") as menu:
        if menu.open:
            _draw_downloads(partial(case_document, case_id=case_id), f"case_{case_id}")
            with session.opened() as database:
                facts = facts_of_case(database, get_case(database, case_id), controls.page_address())
            _draw_letters(facts, f"letter-case-{case_id}")


def draw_shift(settings: Settings) -> None:
    """Draw the menu that tells what happened since a moment that is named in words."""
    label = say("Shift report")
    with st.popover(label, icon=":material/ios_share:", key="shift-menu", on_change="rerun") as menu:
        if not menu.open:
            return
        prompt, usual = say("What happened since"), say("yesterday 18:00")
        examples = say("“yesterday 18:00”, “06:00”, “2026-11-23 06:00”")
        words = st.text_input(prompt, usual, help=examples, key="shift-since")
        since = shift_start(words or "", now())
        if since is None:
            problem = say("That names no moment in the past. Write “yesterday 18:00”.")
            st.warning(problem, icon=":material/schedule:")
            return
        st.caption(say("since {moment}", moment=since.strftime("%Y-%m-%d %H:%M")))
        devices = load_inventory(Path(settings.inventory)).devices
        make = partial(shift_document, devices=devices, since=since.timestamp())
        _draw_downloads(make, f"shift_{since:%Y-%m-%d_%H%M}")


def _draw_letters(facts: Facts, key: str) -> None:
    """Draw the letters to choose from, the chosen one filled, to be copied."""
    labels = {name: say(ADDRESSEES[name]) for name in KINDS}
    kind = st.segmented_control(say("In words for"), KINDS, format_func=labels.__getitem__, key=key)
    if kind is None:
        return
    text = letter(kind, language(), facts)
    untrusted.write(text)
    controls.copy_button(text, f"copy-{key}")


def _draw_downloads(make: Maker, name: str) -> None:
    """Draw a button for each kind of file; one is made when it is clicked, in the language of the page."""
    make = partial(make, language=language(), address=controls.page_address())
    with st.container(horizontal=True, gap="small"):
        for suffix, (label, kind) in TYPES.items():
            missing = suffix == ".pdf" and not printer()
            help, file = say(NO_PRINTER) if missing else None, f"{name}{suffix}"
            controls.download(
                label, partial(_file, make, suffix), file, kind, file, help=help, disabled=missing
            )


def _file(make: Maker, suffix: str) -> bytes:
    with session.opened() as database:
        return make(database).as_file(suffix)
