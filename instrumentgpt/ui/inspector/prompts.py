"""The Prompt view: exactly what was or will be sent, and what changed since the turn before."""

from collections import Counter
from collections.abc import Sequence
from html import escape

import streamlit as st
from sqlite_utils import Database

import memory
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.difference import LayerChange, Line, difference, layers_of
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.runs import SentPrompt, get_prompt, list_prompts, prompt_before
from instrumentgpt.ui.inspector.bar import draw_bar, part_of, thousands

TYPED = "next-question"  # in the session's state
EXAMPLE = "Can kp be raised?"  # stands for the next question while none is typed
NEXT = 0  # stands for the prompt that has not been sent
TASK = "chat"
TEXT, DIFFERENCE = "Text", "Difference"
HEIGHT = 420  # px
_COLOURS = {"added": "#009E73", "removed": "#D55E00"}
_SIGNS = {"added": "+", "removed": "−", "same": " ", "left out": " "}


def draw(database: Database, conversation_id: str, prompt: memory.Prompt, budget: int) -> None:
    """Draw a choice of prompts, and of the one chosen its text or its difference from the one before."""
    sent = list_prompts(database, conversation_id)
    asked = places(database, conversation_id)[1]
    names = {NEXT: "Next question", **dict(reversed(_named(sent, asked).items()))}
    chosen = st.selectbox("Prompt of", list(names), format_func=lambda number: names.get(number, ""))
    if chosen == NEXT:
        st.text_input("What you would ask", placeholder=EXAMPLE, key=TYPED, live=True)
    shown = st.segmented_control(
        "Show",
        (TEXT, DIFFERENCE),
        default=TEXT,
        required=True,
        label_visibility="collapsed",
        key="prompt-shown",
    )
    past = get_prompt(database, conversation_id, chosen) if chosen else None
    sections = prompt.sections
    if past is not None:
        sections = layers_of(past.text)
        draw_bar(sections, count_tokens(past.text), past.budget)
    if shown == DIFFERENCE:
        before = prompt_before(
            database, conversation_id, past.task if past else TASK, past.id if past else None
        )
        _draw_difference(before, sections, asked)
        return
    st.caption(
        "Exactly what the agent was sent:" if past else "Exactly what the agent is sent with this question:"
    )
    st.code(past.text if past else prompt.text, language=None, wrap_lines=True, height=HEIGHT)


def _named(sent: Sequence[tuple[int, int, str, str]], asked: Sequence[int]) -> dict[int, str]:
    """Return prompt → what it is called; of several alike in a turn, the later ones with their number."""
    names: dict[int, str] = {}
    alike: Counter[str] = Counter()
    for number, message_id, task, agent in sent:
        name = f"Turn {turn_of(message_id, asked)}{_task(task)} · {_label(agent)}"
        alike[name] += 1
        names[number] = name if alike[name] == 1 else f"{name} · {alike[name]}"
    return names


def _task(task: str) -> str:
    return "" if task == TASK else f" · {task}"


def _label(agent: str) -> str:
    return AGENTS[agent].label if agent in AGENTS else agent


def _draw_difference(before: SentPrompt | None, sections: Sequence[Section], asked: Sequence[int]) -> None:
    if before is None:
        st.caption("No earlier prompt is kept to compare it with.")
        return
    st.caption(f"Against turn {turn_of(before.message_id, asked)}:")
    for change in difference(layers_of(before.text), sections):
        st.markdown(f":small[{_heading(change)}]")
        if change.lines:
            st.html(as_html(change.lines))


def _heading(change: LayerChange) -> str:
    name, _ = part_of(change.name)
    tokens = f"{thousands(change.before)} → {thousands(change.after)} tokens"
    if not change.lines:
        return f"**{name}** · unchanged · {thousands(change.after)} tokens"
    return f"**{name}** · {tokens} · {change.count('added')} added, {change.count('removed')} removed"


def as_html(lines: Sequence[Line]) -> str:
    """Return lines of a difference as HTML: each with its sign, words that changed with a colour too.

    >>> as_html([Line("added", (("added", "<b>"),))]).count("&lt;b&gt;")
    1
    """
    rows = "".join(_row(line) for line in lines)
    return (
        f'<div style="max-height:{HEIGHT}px;overflow:auto;font-family:monospace;font-size:0.75rem;'
        f'line-height:1.5;overflow-wrap:anywhere">{rows}</div>'
    )


def _row(line: Line) -> str:
    pieces = "".join(_piece(kind, words) for kind, words in line.pieces)
    faint = "opacity:0.65;" if line.kind in ("same", "left out") else ""
    return (
        f'<div style="{faint}display:flex;gap:0.4rem"><span aria-hidden="true">{_SIGNS[line.kind]}</span>'
        f'<span style="white-space:pre-wrap">{pieces}</span></div>'
    )


def _piece(kind: str, words: str) -> str:
    if kind not in _COLOURS:
        return escape(words)
    tag = "ins" if kind == "added" else "del"
    look = f"background:color-mix(in srgb, {_COLOURS[kind]} 28%, transparent);text-decoration:none"
    return f'<{tag} style="{look}">{escape(words)}</{tag}>'
