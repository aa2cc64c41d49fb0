"""What can be asked by a click: for a device on the empty page, after an answer, and in the tour."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.analyst.follow_ups import follow_ups
from instrumentgpt.instruments.devices import Device, InventoryError, load_inventory
from instrumentgpt.instruments.language import language_of
from instrumentgpt.memory.revisions import UNCLEAR, Item
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import DEMO_INVENTORY, Settings
from instrumentgpt.turn.open_questions import answer, open_questions
from instrumentgpt.ui import composer, session, untrusted
from instrumentgpt.ui.inspector.editing import change, key_of
from instrumentgpt.ui.language import say

FIRST_CHOICE = "10.1.1.47"  # the device of the example in the specification
EXAMPLES = (
    (":material/ssid_chart:", "Why does the temperature of {ip} fluctuate?"),
    (":material/troubleshoot:", "What is wrong with {name}?"),
    (":material/show_chart:", "Plot the temperature and the output of {name}"),
    (":material/list_alt:", "Which errors are in the log of {name}?"),
)


def draw(settings: Settings) -> None:
    """Draw the empty state; a click on an example asks it."""
    st.space("medium")
    st.title(say("What is your instrument doing?"), anchor=False)
    st.markdown(
        say(
            "Ask about a device, drop a log file below, or start from an example. "
            "Answers quote the log lines they rest on, in English or 繁體中文."
        )
    )
    device = _pick_device(settings)
    if device is None:
        return
    st.caption(say("Try asking"))
    columns = st.columns(2)
    for number, (icon, _) in enumerate(EXAMPLES):
        question = say(EXAMPLES[number][1], ip=device.ip or device.name, name=device.name)
        with columns[number % 2]:
            key, label = f"example-{number}", untrusted.label(question)
            composer.draw_ask(label, question, key, icon=icon, width="stretch")


def draw_offers(database: Database, messages: Sequence[db.Message]) -> bool:
    """Draw the offers of the last message; a click says the words in the offer's mode. False if none."""
    offers = db.list_offers(database, messages[-1].id) if messages else []
    with st.container(horizontal=True, gap="xsmall", key="offers"):
        for number, offer in enumerate(offers):
            if offer.mode in MODES:
                key, look = f"offer-{messages[-1].id}-{number}", "secondary" if number else "primary"
                composer.draw_ask(untrusted.label(offer.label), offer.text, key, offer.mode, type=look)
    return bool(offers)


def draw_asked(database: Database, conversation_id: str) -> None:
    """Draw what the last message leaves open of constraints, each with its answers as buttons."""
    for number, question in enumerate(open_questions(database, conversation_id)):
        key = f"asked-{key_of(Item('', UNCLEAR, question.sentence))}"
        with st.container(border=True, gap="xsmall", key=f"asked-{number}"):
            st.markdown(untrusted.label(question.words(), 600))
            with st.container(horizontal=True, gap="xsmall"):
                for reply in question.answers:
                    args = answer, conversation_id, question, reply, session.who()
                    st.button(question.words(reply), f"{key}-{reply}", on_click=change, args=args)


def draw_follow_ups(settings: Settings, messages: Sequence[db.Message], state: DiagnosticState) -> None:
    """Draw what is worth asking next, in the language of the last question; a click asks it."""
    questions = [message.content for message in messages if message.role == "user"]
    if not questions or messages[-1].role == "user":
        return
    try:
        inventory = load_inventory(Path(settings.inventory))
    except InventoryError:
        inventory = None  # said on the page already
    offered = follow_ups(state, language_of(questions[-1]), questions[-1], inventory)
    unasked = [question for question in dict.fromkeys(offered) if question not in questions]
    with st.container(horizontal=True, gap="xsmall", key="follow-ups"):
        for question in unasked:
            composer.draw_ask(untrusted.label(question), question, f"follow-up-{question}")


def _pick_device(settings: Settings) -> Device | None:
    try:
        devices = load_inventory(Path(settings.inventory)).devices
    except InventoryError as error:
        st.error(session.describe(error, 500), icon=":material/error:")
        return None
    if not devices:
        st.info(
            say("The inventory has no device yet. Choose another on the Settings page."),
            icon=":material/info:",
        )
        return None
    first = next((number for number, device in enumerate(devices) if device.ip == FIRST_CHOICE), 0)
    return st.selectbox(say("Device"), devices, index=first, format_func=_described, width=360)


def _described(device: Device) -> str:
    return " · ".join(filter(None, (device.name, device.ip, device.model)))


SETTING = "tour"  # saved: the step that is next, counted from 0
TOUR = (
    "**Ask.** These instruments are a demo; their logs lie beside the program. Press an example above.",
    "**Check.** What is said rests on lines of the log. Press a link like L 1,466; Back closes the lines.",
    "**All of them.** Instruments shows how each one stands, and adds yours. Settings chooses who answers.",
)


def draw_tour(database: Database, settings: Settings) -> None:
    """Draw the step that is next above the input, until the tour is over or was left."""
    talks = db.list_conversations(database, limit=2) + db.list_conversations(database, limit=2, deleted=True)
    step = int(db.get_settings(database).get(SETTING, len(talks) if len(talks) < 2 else len(TOUR)))
    if step >= len(TOUR) or settings.inventory != str(DEMO_INVENTORY):
        return
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", border=True, key="tour"):
        st.markdown(f"{step + 1}/{len(TOUR)} · {say(TOUR[step])}", width="stretch")
        last, go, to = step + 1 == len(TOUR), session.in_database, (db.save_setting, SETTING)
        if talks or last:
            st.button(
                say("Done") if last else say("Next"), key="tour-next", on_click=go, args=(*to, step + 1)
            )
        if not last:
            st.button(say("No tour"), key="tour-end", type="tertiary", on_click=go, args=(*to, len(TOUR)))
