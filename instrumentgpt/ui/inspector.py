"""The memory inspector: what the next question would bring along, part by part, and where it comes from."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import streamlit as st
from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.registry import choose
from instrumentgpt.equipment import tagged
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Inventory, load_inventory, resolve
from instrumentgpt.prompts import prompt_for
from instrumentgpt.settings import Settings
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.text.summary import parse, render
from instrumentgpt.ui import session, untrusted

PARTS = {  # section of the prompt → its name here and its colour, the same in light and dark
    "request": ("request", "#0072B2"),
    "diagnostic_context": ("state", "#009E73"),
    "note": ("note", "#56B4E9"),
    "conversation_summary": ("summary", "#E69F00"),
    "recalled_turns": ("recalled", "#8C564B"),
    "recent_conversation": ("recent", "#CC79A7"),
}
ITEM_CHARACTERS = 300
OTHER_COLOUR = "#6B7280"
LISTS = {
    "root_causes": "Root causes",
    "findings": "Findings",
    "hypotheses": "Hypotheses",
    "downloaded_logs": "Logs",
}
SOURCES = {
    "tool": ":material/build: tool",
    "user": ":material/person: user",
    "agent": ":material/smart_toy: agent",
}
STATUS_COLOURS: dict[str, Any] = {"investigating": "orange", "resolved": "green"}
EXAMPLE = "Can kp be raised?"  # stands for the next question while none is typed


@st.fragment
def draw(conversation_id: str | None) -> None:
    """Draw the memory of the conversation; a typed question redraws only this."""
    with session.opened() as database:
        if conversation_id is None:
            st.markdown("**Memory**")
            st.caption(
                "Empty until the first question. Here you will see what the assistant remembers, and why."
            )
            return
        turns = turns_of(db.list_messages(database, conversation_id))
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown("**Memory**", width="content")
            st.badge(f"turn {max(turns.values(), default=0)}", color="gray")
        typed = st.session_state.get("next-question") or EXAMPLE
        settings = session.in_force(database)
        prompt, state = next_prompt(database, conversation_id, typed, settings)
        _draw_bar(prompt, settings.prompt_tokens)
        known, text, summary = st.tabs(["State", "Prompt", "Summary"])
        with known:
            before = memory.DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
            if before.status == "resolved" != state.status:
                st.caption("It is resolved; a further question reopens it, and brings this along:")
            _draw_state(state, db.list_state_items(database, conversation_id), turns, conversation_id)
        with text:
            st.text_input("Next question", placeholder=EXAMPLE, key="next-question", live=True)
            st.caption("Exactly what the agent is sent with this question:")
            st.code(prompt.text, language=None, wrap_lines=True, height=360)
        with summary:
            _draw_summary(prompt)


def next_prompt(
    database: Database, conversation_id: str, question: str, settings: Settings
) -> tuple[memory.Prompt, memory.DiagnosticState]:
    """Return the prompt that `question` would send now, and the state in force for it; stores nothing."""
    summary, stored = db.get_memory(conversation_id, database)
    state = memory.DiagnosticState.deserialize(stored)
    try:
        inventory = load_inventory(settings.inventory)
    except InstrumentGPTError:
        inventory = Inventory(Path(), ())
    devices = resolve(question, inventory).devices
    first = devices[0] if devices else None
    filed = db.device_states(database, conversation_id)
    state = memory.begin_question(
        state, first.ip if first else None, first.name if first else None, filed, question
    )
    prompt = prompt_for(
        database,
        conversation_id,
        tagged(question, settings.rule_tag, _answering(settings), bool(devices)),
        LAST_ID,
        state,
        summary,
        devices,
        inventory,
        settings,
    )
    return prompt, state


def _answering(settings: Settings) -> str:
    """Return the name of the agent that would answer, "" if none can."""
    try:
        return choose(settings.agent, settings)[0].name
    except InstrumentGPTError:
        return ""


def turns_of(messages: Sequence[db.Message]) -> dict[int, int]:
    """Return message id → its turn: the number of questions up to it."""
    return dict(
        zip(
            [message.id for message in messages],
            accumulate(int(message.role == "user") for message in messages),
            strict=True,
        )
    )


def _draw_bar(prompt: memory.Prompt, budget: int) -> None:
    """Draw the tokens of each part as a share of `budget`; words stand beside every colour."""
    parts = [
        (*PARTS.get(section.name, (section.name, OTHER_COLOUR)), section.tokens)
        for section in prompt.sections
    ]
    share = sum(tokens for _, _, tokens in parts) / budget
    st.html(bar([(colour, tokens) for _, colour, tokens in parts], budget))
    legend = " · ".join(
        f':color[■]{{foreground="{colour}"}} {untrusted.label(name)} {_thousands(tokens)}'
        for name, colour, tokens in parts
    )
    total = f"**{_thousands(prompt.tokens)}** of {_thousands(budget)} tokens · {_percent(share)}"
    st.markdown(f":small[{total}]  \n:small[{legend}]")


def bar(parts: list[tuple[str, int]], budget: int) -> str:
    """Return a stacked bar as HTML; only colours of ours and numbers go into it.

    >>> bar([("#0072B2", 50)], 100).count("width:50.0%")
    1
    """
    whole = max(budget, sum(tokens for _, tokens in parts))
    pieces = "".join(
        f'<div style="width:{tokens / whole:.1%};background:{colour}"></div>' for colour, tokens in parts
    )
    return (
        '<div role="img" aria-label="Tokens of the next prompt" style="display:flex;height:10px;'
        'border-radius:4px;overflow:hidden;background:color-mix(in srgb, currentColor 14%, transparent)">'
        f"{pieces}</div>"
    )


def _thousands(tokens: int) -> str:
    """
    >>> _thousands(8), _thousands(320), _thousands(1840)
    ('8', '320', '1.8k')
    """
    return str(tokens) if tokens < 1000 else f"{tokens / 1000:.1f}k".replace(".0k", "k")


def _percent(share: float) -> str:
    """
    >>> _percent(0.004), _percent(0.41)
    ('< 1 %', '41 %')
    """
    return "< 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"


def _draw_state(
    state: memory.DiagnosticState, origins: list[db.StateItem], turns: Mapping[int, int], conversation_id: str
) -> None:
    with st.container(horizontal=True, gap="xsmall"):
        draw_badges(state)
    known = {(item.field, item.text): item for item in origins}
    drawn = False
    for name, title in LISTS.items():
        items = [(text, known.get((name, text))) for text in getattr(state, name)]
        if items:
            drawn = True
            st.markdown(f":small[**{title}**]")
        for text, origin in sorted(items, key=lambda item: -_turn(item[1], turns)):
            words, source = untrusted.label(text, ITEM_CHARACTERS), _origin(origin, turns, conversation_id)
            st.markdown(f":small[{words}]  \n:small[:gray[{source}]]")
    if not drawn:
        st.caption(
            "Nothing is known yet. Findings, hypotheses and root causes appear here, each with its origin."
        )


def draw_badges(state: memory.DiagnosticState) -> None:
    """Draw the device and the status of the state; nothing before there is either."""
    device = " · ".join(filter(None, (state.device_name, state.device_ip)))
    if device:
        st.badge(untrusted.label(device), icon=":material/dns:", color="blue")
    if state.status != "idle":
        st.badge(state.status, icon=":material/troubleshoot:", color=STATUS_COLOURS[state.status])


def _turn(item: db.StateItem | None, turns: Mapping[int, int]) -> int:
    return turns.get(item.message_id or 0, 0) if item else 0


def _origin(item: db.StateItem | None, turns: Mapping[int, int], conversation_id: str) -> str:
    """Return where an item of the state came from: who said it, in which turn, and the line that shows it."""
    if item is None:
        return "origin not recorded"
    parts = [SOURCES[item.source]]
    if turn := _turn(item, turns):
        parts.append(f"turn {turn}")
    if item.log and item.line:
        log = f"{item.device}/{item.log}" if item.device and "/" not in item.log else item.log
        parts.append(f"[L {item.line:,}]({untrusted.evidence_query(log, item.line, conversation_id)})")
    return " · ".join(parts)


def _draw_summary(prompt: memory.Prompt) -> None:
    lines = render(parse(prompt.summary))
    if lines:
        st.caption("What older messages have become:")
        st.code(lines, language=None, wrap_lines=True, height=360)
    else:
        st.caption("Nothing yet: every message so far is in the prompt as it was written.")
