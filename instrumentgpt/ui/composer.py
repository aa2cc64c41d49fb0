"""The input at the bottom: a question with its files, in which mode, who answers, and Stop meanwhile.

And what can be asked by a click: for a device on the empty page, after an answer, and in the tour.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
from sqlite_utils import Database
from streamlit.typing import UploadedFile

import db
from instrumentgpt.agents.registry import UnknownAgent, choose
from instrumentgpt.analyst.follow_ups import follow_ups
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device, InventoryError, load_inventory
from instrumentgpt.instruments.language import language_of
from instrumentgpt.memory.revisions import UNCLEAR, Item
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import DEMO_INVENTORY, Settings, database_path
from instrumentgpt.storage.answers import questions_that_helped
from instrumentgpt.storage.artifacts import copy_uploads
from instrumentgpt.storage.runs import Run, list_runs, usage_of
from instrumentgpt.turn import runs
from instrumentgpt.turn.open_questions import answer, open_questions
from instrumentgpt.ui import artifacts, session, untrusted
from instrumentgpt.ui.agents import agent_words, draw_hold, spent, token_count
from instrumentgpt.ui.controls import one_of
from instrumentgpt.ui.inspector.editing import change, key_of
from instrumentgpt.ui.language import say

# In the session's state:
INPUT, UNSENT, ASKED, NOTE = "question", "unsent", "asked-question", "composer-note"
MODE, HELD = "chosen-mode", "held-question"


@dataclass(frozen=True)
class Question:
    """What is to be asked.

    agent     who answers; "": whom the settings choose
    like      id of an earlier question whose files come along again
    mode      how it is answered; "": as the control beside the input says
    proposed  the words are the page's: nothing is lost if it is not asked
    allowed   it is asked whatever the conversation has cost
    """

    text: str
    files: Sequence[UploadedFile] = ()
    agent: str = ""
    like: int | None = None
    mode: str = ""
    proposed: bool = False
    allowed: bool = False


def draw(settings: Settings, live: Run | None, latest: Run | None = None) -> None:
    """Draw the input.

    latest  the conversation's newest run: its mode goes on until another is chosen
    """
    if UNSENT in st.session_state:
        st.session_state[INPUT] = st.session_state.pop(UNSENT)
    with st.bottom:
        if note := st.session_state.pop(NOTE, None):
            st.warning(note, icon=":material/info:")
        if held_back := st.session_state.get(HELD):
            _draw_held_back(*held_back)
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            words = {name: say(MODES[name].label) for name in MODES}
            help = "  \n".join(f"**{words[name]}** {say(MODES[name].purpose)}" for name in MODES)
            look = {"help": help, "label_visibility": "collapsed"}
            mode = one_of(say("Mode"), words, _mode_of(latest), _key_of_mode(latest), **look)
            _draw_agent(settings)
            if live:
                icon = ":material/stop_circle:"
                st.button(say("Stop"), key="stop", icon=icon, on_click=_stop, args=(live.id,))
        example = say("For example: “{words}”", words=say(MODES[mode].example))
        st.caption(f"{say(MODES[mode].purpose)} {example}")
    # Outside of st.bottom, where it goes by itself: only then does the page follow a growing answer.
    files = say("up to {size} MB", size=st.get_option("server.maxUploadSize"))
    st.chat_input(f"{say(MODES[mode].asks)} · {files}", key=INPUT, accept_file="multiple", on_submit=_send)


def propose(text: str, agent: str = "", like: int | None = None, mode: str = "") -> None:
    """Ask a Question of these with the next run of the page (for buttons)."""
    st.session_state[ASKED] = Question(text, (), agent, like, mode, proposed=like is None)


def draw_ask(label: str, text: str, key: str = "", mode: str = "", **look: Any) -> None:
    """Draw a button, of this `look`, that asks `text`; `label` is Markdown of ours."""
    st.button(label, key or None, on_click=propose, args=(text,), kwargs={"mode": mode}, **look)


def ask() -> None:
    """Start the turn of what was just sent or clicked, before the page is drawn: it never waits for that.

    It begins a conversation if there is none. What is refused goes back into the input.
    """
    question: Question | None = st.session_state.pop(ASKED, None)
    if question is None:
        return
    try:
        with session.opened() as database:
            conversation = session.current(database)
            latest = next(iter(list_runs(database, conversation.id, limit=1)), None) if conversation else None
            if question.proposed and latest and latest.status == "running":
                return  # the second click of a double click comes too late
            conversation_id = conversation.id if conversation else db.create_conversation(database)
            st.session_state[session.CONVERSATION] = conversation_id
            session.leave_place()
            settings = session.current_settings(database)
            agent = question.agent or settings.agent
            if (cost := _too_dear(database, conversation_id, agent, settings)) and not question.allowed:
                st.session_state[HELD] = question, cost
                return
            attachments = artifacts.store(database, conversation_id, question.files)
            if question.like is not None:
                attachments = copy_uploads(database, question.like)
        words = question.text or artifacts.question_about(question.files)
        mode = question.mode or st.session_state.get(_key_of_mode(latest)) or _mode_of(latest)
        runs.start(database_path(), conversation_id, words, mode=mode, agent=agent, attachments=attachments)
    except UnknownAgent:  # the notice beside the input says what helps
        st.session_state[UNSENT] = question.text
    except InstrumentGPTError as error:
        st.session_state[UNSENT] = question.text
        st.session_state[NOTE] = f"{session.describe(error)} {say('Your question is still in the input.')}"


def _too_dear(database: Database, conversation_id: str, agent: str, settings: Settings) -> str:
    """Return what the conversation has cost, "" below the limit, or where no agent is to be asked."""
    limit = settings.ask_above_tokens
    usage = usage_of(database, conversation_id) if limit else {}
    if not limit or token_count(usage) < limit or choose(agent, settings)[0].name == "offline":
        return ""
    return say("{spent}, above the limit of {limit:,} tokens", spent=spent(usage), limit=limit)


def _draw_held_back(question: Question, cost: str) -> None:
    """Draw what a question that was held back would add to, and what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        words = say("This conversation has taken {cost}. Ask all the same?", cost=cost)
        st.markdown(f":material/paid: {words}", width="stretch")
        for label, agent in ((say("Ask"), question.agent), (say("Ask the offline analyst"), "offline")):
            st.button(label, key=f"held-{agent}", on_click=_release, args=(replace(question, agent=agent),))
        st.button(say("Not now"), key="held-no", on_click=_take_back, args=(question,))


def _release(question: Question) -> None:
    st.session_state.pop(HELD, None)
    st.session_state[ASKED] = replace(question, allowed=True)


def _take_back(question: Question) -> None:
    st.session_state.pop(HELD, None)
    st.session_state[UNSENT] = question.text
    if question.files:
        st.session_state[NOTE] = say("Your question is back in the input. Choose its files again.")


def _send() -> None:
    entry = st.session_state[INPUT]
    if entry.text.strip() or entry.files:
        st.session_state[ASKED] = Question(entry.text.strip(), entry.files)


def _key_of_mode(latest: Run | None) -> str:
    return f"{MODE}-{latest.id if latest else 'new'}"


def _mode_of(latest: Run | None) -> str:
    return latest.mode if latest and latest.mode in MODES else next(iter(MODES))


def _draw_agent(settings: Settings) -> None:
    try:
        agent, _ = choose(settings.agent, settings)
    except InstrumentGPTError as error:
        st.caption(f":material/error: {session.describe(error, 300)}")
        look: Any = {"icon": ":material/smart_toy:", "args": (db.save_setting, "agent", "offline")}
        st.button(say("Use the offline analyst"), on_click=session.in_database, **look)
        return
    model = f" · {untrusted.label(settings.model)}" if settings.model and agent.name != "offline" else ""
    answers = say("{agent} answers", agent=agent_words(agent.name))
    st.caption(f":material/smart_toy: {answers}{model}")
    draw_hold(agent, settings)


def _stop(run_id: str) -> None:
    try:
        runs.stop(database_path(), run_id)
    except InstrumentGPTError as error:
        st.session_state[NOTE] = session.describe(error)


FIRST_CHOICE = "10.1.1.47"  # the device of the example in the specification
MOST_HELPED, HELPED_CHARACTERS = 4, 120  # questions shown beside the examples
EXAMPLES = (
    (":material/ssid_chart:", "Why does the temperature of {ip} fluctuate?"),
    (":material/troubleshoot:", "What is wrong with {name}?"),
    (":material/show_chart:", "Plot the temperature and the output of {name}"),
    (":material/list_alt:", "Which errors are in the log of {name}?"),
)


def draw_welcome(database: Database, settings: Settings) -> None:
    """Draw the empty state; a click on an example, or on a question that helped somebody, asks it."""
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
            draw_ask(label, question, key, icon=icon, width="stretch")
    if helped := questions_that_helped(database, MOST_HELPED, HELPED_CHARACTERS):
        st.caption(say("These helped before"))
    for number, question in enumerate(helped):
        label = untrusted.label(question, HELPED_CHARACTERS)
        draw_ask(label, question, f"helped-{number}", icon=":material/thumb_up:", width="stretch")


def draw_offers(database: Database, messages: Sequence[db.Message]) -> bool:
    """Draw the offers of the last message; a click says the words in the offer's mode. False if none."""
    offers = db.list_offers(database, messages[-1].id) if messages else []
    with st.container(horizontal=True, gap="xsmall", key="offers"):
        for number, offer in enumerate(offers):
            if offer.mode in MODES:
                key, look = f"offer-{messages[-1].id}-{number}", "secondary" if number else "primary"
                draw_ask(untrusted.label(offer.label), offer.text, key, offer.mode, type=look)
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
            draw_ask(untrusted.label(question), question, f"follow-up-{question}")


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
