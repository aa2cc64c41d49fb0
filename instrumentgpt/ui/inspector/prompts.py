"""Prompts: the tokens of each part, the Prompt view with text and difference, what would be sent now.

The Older view: messages no longer sent word by word, what remains of them, and putting them back.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.registry import installed
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.conversation import nicknamed
from instrumentgpt.instruments.devices import Inventory, load_inventory
from instrumentgpt.instruments.fleet import asked_about
from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.difference import REQUEST, LayerChange, difference, layers_of
from instrumentgpt.memory.revisions import MESSAGE, Item
from instrumentgpt.memory.state import device_key, identity
from instrumentgpt.memory.summary import StoredMessage, parse, shown_clauses
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.history import LAST_ID, history, places, turn_of
from instrumentgpt.storage.revisions import list_revisions
from instrumentgpt.storage.runs import (
    SentPrompt,
    get_prompt,
    list_prompts,
    live_run,
    prompt_before,
    usage_of,
)
from instrumentgpt.turn import runs
from instrumentgpt.turn.prompt import prompt_for, tagged
from instrumentgpt.turn.summary import past_summaries
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.agents import agent_words, spent, tokens
from instrumentgpt.ui.controls import one_of, text_button
from instrumentgpt.ui.inspector import editing
from instrumentgpt.ui.inspector.editing import change, draw_line, revise_item
from instrumentgpt.ui.language import say, thousands

TYPED = "next-question"  # in the session's state
EXAMPLE = "Can kp be raised?"  # stands for the next question while none is typed
NEXT = 0  # stands for the prompt that has not been sent
TASK = "chat"
SHOWN = {"text": "Text", "difference": "Difference"}
HEIGHT = 420  # px
PARTS = {  # section of the prompt → its name here and its colour, the same in light and dark
    "request": ("request", "#0072B2"),
    "instructions": ("instructions", "#6B7280"),
    "diagnostic_context": ("state", "#009E73"),
    "note": ("note", "#56B4E9"),
    "notes": ("notes", "#A6761D"),
    "device_history": ("history", "#D55E00"),
    "conversation_summary": ("summary", "#E69F00"),
    "recalled_turns": ("recalled", "#8C564B"),
    "recent_conversation": ("recent", "#CC79A7"),
}
OTHER_COLOUR = "#6B7280"


def draw(database: Database, conversation_id: str, prompt: memory.Prompt, budget: int) -> None:
    """Draw a choice of prompts, and of the one chosen its text or its difference from the one before."""
    prompts = list_prompts(database, conversation_id)
    turns = places(database, conversation_id)[1]
    names = {NEXT: say("Next question"), **dict(reversed(_names(prompts, turns).items()))}
    number = st.selectbox(
        say("Prompt of"), list(names), key="prompt-of", format_func=lambda number: names.get(number, "")
    )
    if number == NEXT:
        st.text_input(say("What you would ask"), placeholder=say(EXAMPLE), key=TYPED, live=True)
    views = {name: say(SHOWN[name]) for name in SHOWN}
    view = one_of(say("Show"), views, "text", "prompt-shown", label_visibility="collapsed")
    past = get_prompt(database, conversation_id, number) if number else None
    sections = prompt.sections
    if past is not None:
        sections = layers_of(past.text)
        draw_bar(sections, count_tokens(past.text), past.budget)
    if view == "difference":
        before = prompt_before(
            database, conversation_id, past.task if past else TASK, past.id if past else None
        )
        _draw_difference(before, sections, turns)
        return
    st.caption(say("Exactly what the agent is sent:"))
    st.code(past.text if past else prompt.text, language=None, wrap_lines=True, height=HEIGHT)
    if cost := spent(usage_of(database, conversation_id)):
        st.caption(say("This conversation has taken {cost}.", cost=cost))


def _names(prompts: Sequence[tuple[int, int, str, str]], turns: Sequence[int]) -> dict[int, str]:
    """Return prompt → what it is called; of several alike in a turn, the later ones with their number."""
    names: dict[int, str] = {}
    alike: Counter[str] = Counter()
    for number, message_id, task, agent in prompts:
        kind = "" if task == TASK else f" · {task}"
        turn = say("Turn {turn}", turn=turn_of(message_id, turns))
        name = f"{turn}{kind} · {agent_words(agent)}"
        alike[name] += 1
        names[number] = name if alike[name] == 1 else f"{name} · {alike[name]}"
    return names


def _draw_difference(before: SentPrompt | None, sections: Sequence[Section], turns: Sequence[int]) -> None:
    if before is None:
        st.caption(say("No earlier prompt is kept to compare it with."))
        return
    st.caption(say("Against turn {turn}:", turn=turn_of(before.message_id, turns)))
    for layer in difference(layers_of(before.text), sections):
        st.markdown(f":small[{_heading(layer)}]")
        if layer.lines:
            st.code("\n".join(layer.lines), language="diff", wrap_lines=True)


def _heading(change: LayerChange) -> str:
    name, _ = part_of(change.name)
    before, after = thousands(change.before), thousands(change.after)
    if not change.lines:
        return f"**{name}** · {say('unchanged')} · {after} tokens"
    counts = say("{added} added, {removed} removed", added=change.count("+"), removed=change.count("-"))
    return f"**{name}** · {before} → {after} tokens · {counts}"


def draw_bar(sections: Sequence[Section], tokens: int, budget: int) -> None:
    """Draw the tokens of each part as a share of `budget`; words stand beside every colour."""
    parts = [(*part_of(section.name), section.tokens) for section in sections]
    share = sum(count for _, _, count in parts) / budget
    st.html(bar([(colour, count) for _, colour, count in parts], budget))
    legend = " · ".join(
        f':color[■]{{foreground="{colour}"}} {untrusted.label(name)} {thousands(count)}'
        for name, colour, count in parts
    )
    total = say("**{count}** of {all} tokens", count=thousands(tokens), all=thousands(budget))
    st.markdown(f":small[{total} · {share * 100:.0f} %]  \n:small[{legend}]")


def part_of(section: str) -> tuple[str, str]:
    """Return what a section of a prompt is called here, and its colour."""
    return (say(PARTS[section][0]), PARTS[section][1]) if section in PARTS else (section, OTHER_COLOUR)


def bar(parts: Sequence[tuple[str, int]], budget: int) -> str:
    """Return a stacked bar as HTML; only colours of ours and numbers go into it.

    >>> bar([("#0072B2", 50)], 100).count("width:50.0%")
    1
    """
    total = max(budget, sum(tokens for _, tokens in parts))
    pieces = "".join(
        f'<div style="width:{tokens / total:.1%};background:{colour}"></div>' for colour, tokens in parts
    )
    return (
        f'<div role="img" aria-label="{say("Tokens of the prompt")}" style="display:flex;height:10px;'
        'border-radius:4px;overflow:hidden;background:color-mix(in srgb, currentColor 14%, transparent)">'
        f"{pieces}</div>"
    )


def next_prompt(
    database: Database, conversation_id: str, question: str, settings: Settings
) -> tuple[memory.Prompt, memory.DiagnosticState]:
    """Return the prompt that `question` would send now, and the state it is about; stores nothing.

    Its status is that of now: the question opens again what is resolved. The state is as extracted:
    `storage.revised_memory.listing` shows it as people revised it.
    """
    summary, stored = db.get_memory(conversation_id, database)
    state = memory.DiagnosticState.deserialize(stored)
    try:
        inventory = load_inventory(settings.inventory)
    except InstrumentGPTError:
        inventory = Inventory(Path(), ())
    inventory = nicknamed(database, conversation_id, inventory)
    devices = asked_about(question, inventory, identity(state)).devices
    device = devices[0] if devices else None
    filed = db.device_states(database, conversation_id)
    ip, name = (device.ip, device.name) if device else (None, None)
    begun = memory.begin_question(state, ip, name, filed, question)
    is_other = identity(begun) != identity(state)
    kept = memory.DiagnosticState.deserialize(filed.get(device_key(begun), "")) if is_other else state
    request = tagged(question, installed(settings.agent, settings), bool(devices))
    before = begun, summary, devices, inventory, settings
    prompt = prompt_for(database, conversation_id, request, LAST_ID, *before)
    return prompt, replace(begun, status=kept.status)


OLDER_SHOWN = 20  # newest older messages at once
QUOTE, REMAINDER = 90, 300  # characters
BECAME = {"ok": "taken", "no-result": "not taken", "cancelled": "stopped"}  # the agent's last summary
OLDER_LIMIT = "older-shown"  # in the session's state


def draw_older(database: Database, conversation_id: str, prompt: memory.Prompt) -> None:
    """Draw the older messages, newest first, under what the summary keeps of them."""
    entries = parse(prompt.summary)
    messages = history(database, conversation_id)
    older = [at for at, name in enumerate(messages.ids) if any(row.holds(name) for row in entries)]
    if not older:
        st.caption(say("Nothing yet: every message so far is in the prompt as it was written."))
        return
    st.caption(say("{count} messages are no longer sent word by word.", count=len(older)))
    if run := live_run(database, conversation_id, "summary"):
        with st.container(horizontal=True, vertical_alignment="center"):
            state = say("being written") if run.began_at else say("waiting for other answers to end")
            st.caption(say("Summary by the agent: {state}", state=state), width="stretch")
            stop = (lambda _: runs.stop(database_path(), run.id),)
            st.button(say("Stop"), f"stop-{run.id}", icon=":material/stop:", on_click=change, args=stop)
    elif summaries := past_summaries(database, conversation_id):
        (done, note), *_ = summaries
        outcome = say(BECAME[done.outcome]) if done.outcome in BECAME else done.outcome
        parts = [say("Summary by the agent: {state}", state=outcome), untrusted.label(note, REMAINDER)]
        st.caption(" · ".join(filter(None, (*parts, tokens(done.usage)))))
    limit = st.session_state.get(OLDER_LIMIT, OLDER_SHOWN)
    restorations = {  # message → the change that put it back into the prompt
        int(revision.item.name): revision.id
        for revision in list_revisions(database, conversation_id)
        if revision.item.field == MESSAGE and revision.undone_at is None
    }
    turns = places(database, conversation_id)[1]
    prompt_text = "\n".join(section.text for section in prompt.sections if section.name != REQUEST)
    shown = [messages[at] for at in older[-limit:]]
    groups = (
        (entry, [message for message in shown if entry.holds(message["id"])]) for entry in entries[::-1]
    )
    for entry, group in ((entry, group) for entry, group in groups if group):
        with st.container(gap="xsmall", border=True):
            for message in group:
                turn = turn_of(message["id"], turns)
                _draw_message(conversation_id, message, turn, restorations.get(message["id"]))
            remains = untrusted.label(shown_clauses(entry.text, prompt_text), REMAINDER)
            remains = f"**{say('What remains:')}** {remains or say('nothing')}"
            st.markdown(f":small[:material/subdirectory_arrow_right: {remains}]")
    if len(older) > limit:
        label = say("Load earlier · {count} more", count=len(older) - limit)
        text_button("", label, None, st.session_state.update, {OLDER_LIMIT: limit + OLDER_SHOWN})


def _draw_message(conversation_id: str, message: StoredMessage, turn: int, revision: int | None) -> None:
    speaker = say("user") if message["role"] == "user" else say("assistant")
    words = untrusted.label(memory.filter_content(message["content"]), QUOTE) or "—"
    origin, key = f"{say('turn {turn}', turn=turn)} · {speaker}", message["id"]
    if revision is None:
        help_ = say("Put it back into the prompt")
        restored = (Item("", MESSAGE, str(key)), "restore", f"turn {turn}: {message['content'][:QUOTE]}")
        call = (revise_item, conversation_id, *restored)
        draw_line(words, origin, f"put-back-{key}", "restore_page", help_, *call)
    else:
        origin, help_ = f"{origin} · {say('in the prompt again')}", say("Take it out of the prompt again")
        draw_line(words, origin, f"take-out-{key}", "undo", help_, editing.undo, revision)
