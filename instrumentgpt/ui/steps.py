"""What an agent did and thought on the way: a timeline while it works, closed lines when it is done."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from instrumentgpt.agents.events import Text, Tool, ToolStatus
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.language import say
from instrumentgpt.ui.progress import Progress

ARGUMENT_CHARACTERS = 60  # of all arguments together, in the label of a step
RESULT_CHARACTERS = 2_000  # of a tool's result on screen; whole on disk
NAMED_TOOLS = 3  # of those that were denied
NAME_CHARACTERS = 40  # of a tool's name
DENIED_NOTE = "The answer does without it. What agents may do in this conversation is set in the sidebar."
LIVE_CHARACTERS = 1_000  # of the reasoning while it grows: it is sent anew with every word
THINKING_ICON = ":material/neurology:"
ICONS: dict[ToolStatus, str] = {
    "started": "spinner",
    "ok": ":material/check:",
    "failed": ":material/error:",
    "denied": ":material/block:",
}
TROUBLE = {"failed": "failed", "denied": "not allowed"}
TOOL_WORDS = {name: name.replace("_", " ").capitalize() for name in TOOLS}


def draw_closed(progress: Progress, key: str, conversation_id: str) -> None:
    """Draw what stands of the timeline: one closed line; its steps and remarks are made when it is opened."""
    entries = progress.settled_steps()
    steps = [entry for entry in entries if isinstance(entry, Tool)]
    if not entries:
        return
    icon = ICONS["failed"] if any(step.status != "ok" for step in steps) else ICONS["ok"]
    label = _closed_label(steps)
    with st.expander(label, type="compact", icon=icon, key=key, on_change="rerun") as closed:
        if closed.open:
            for entry in entries:
                _draw(entry, conversation_id)


def draw_denied(progress: Progress) -> None:
    """Say which tools the agent was not allowed to use, and where that is changed."""
    names = progress.denied()
    if not names:
        return
    more = f" {say('and {count} more', count=len(names) - NAMED_TOOLS)}" if len(names) > NAMED_TOOLS else ""
    tools = untrusted.label(", ".join(map(tool_words, names[:NAMED_TOOLS])), NAMED_TOOLS * NAME_CHARACTERS)
    st.badge(say("Not allowed: {tools}", tools=f"{tools}{more}"), icon=ICONS["denied"], color="orange")
    st.caption(say(DENIED_NOTE))


def draw_thinking(progress: Progress, key: str) -> None:
    """Draw what the agent shared of its reasoning: one closed line, whose text is sent when it is opened."""
    if not progress.thinking:
        return
    with st.expander(
        say("Thinking"), type="compact", icon=THINKING_ICON, key=key, on_change="rerun"
    ) as closed:
        if closed.open:
            st.text(progress.thinking)
            if progress.thought > len(progress.thinking):
                length, total = len(progress.thinking), progress.thought
                st.caption(say("The last {shown:,} of {all:,} characters.", shown=length, all=total))


@dataclass
class LiveThinking:
    """The reasoning of a run in progress, drawn closed into `box`: its newest words."""

    box: DeltaGenerator
    text: DeltaGenerator | None = None
    shown: int = 0  # characters of the reasoning when it was drawn

    def show(self, progress: Progress) -> None:
        """Bring the text up to `progress`."""
        if progress.thought == self.shown:
            return
        self.shown = progress.thought
        words = progress.thinking[-LIVE_CHARACTERS:]
        if self.text is None:
            with self.box, st.expander(say("Thinking"), type="compact", icon=THINKING_ICON):
                self.text = st.text(words)
        else:
            self.text.text(words)


@dataclass
class LiveSteps:
    """The timeline of a run in progress, drawn into `box` by handle: what stands is never drawn twice."""

    box: DeltaGenerator
    ended: set[str | int]  # call ids of steps that stand as they are, segments of remarks
    conversation_id: str
    running: dict[str | int, DeltaGenerator] = field(default_factory=dict)  # call id → where the step stands

    def show(self, progress: Progress) -> None:
        """Bring the timeline up to `progress`."""
        for entry in progress.timeline():
            key, runs = key_of(entry), isinstance(entry, Tool) and entry.status == "started"
            if key in self.ended or (runs and key in self.running):
                continue
            if runs:
                self.running[key] = self.box.empty()
            else:
                self.ended.add(key)
            with self.running.get(key, self.box):
                _draw(entry, self.conversation_id)


def key_of(entry: Tool | Text) -> str | int:
    """Return what tells a part of the timeline from the others."""
    return entry.segment if isinstance(entry, Text) else entry.call_id


def step_label(step: Tool) -> str:
    """Return what a step does, in one line: the tool's name and its arguments.

    >>> step_label(Tool("c", "fetch_log", "ok", {"device": "zspr 052"}))
    'Fetch log · zspr 052'
    """
    words = [tool_words(step.name)]
    arguments = ", ".join(
        _short(value) for value in step.arguments.values() if value not in ("", None, [], {})
    )
    words += [arguments] if arguments else []
    trouble = f" · {say(TROUBLE[step.status])}" if step.status in TROUBLE else ""
    return untrusted.label(" · ".join(words), ARGUMENT_CHARACTERS) + trouble


def tool_words(name: str) -> str:
    """Return a tool's name as people write it.

    >>> tool_words("fetch_log")
    'Fetch log'
    """
    if name in TOOL_WORDS:
        return say(TOOL_WORDS[name])
    return name.replace("_", " ").strip().capitalize() or say("Tool")


def _closed_label(steps: Sequence[Tool]) -> str:
    count = len(steps)
    words = [say("{count} {count:?step|steps}", count=count) if steps else say("Said on the way")]
    for status in TROUBLE:
        if count := sum(step.status == status for step in steps):
            words.append(f"{count} {say(TROUBLE[status])}")
    return " · ".join(words)


def _draw(step: Tool | Text, conversation_id: str) -> None:
    """Draw a step as it stands: in an expander, since Streamlit sleeps 100 ms to make and fill a status."""
    if isinstance(step, Text):
        untrusted.write(step.text, conversation_id, st.caption)
        return
    with st.expander(step_label(step), type="step", icon=ICONS[step.status]):
        if step.arguments:
            _draw_bounded(json.dumps(step.arguments, ensure_ascii=False, indent=1))
        if step.result:
            _draw_bounded(_indented(step.result))


def _draw_bounded(text: str) -> None:
    st.text(text[:RESULT_CHARACTERS])  # not as code: the browser would load its highlighter, 1.5 MB
    if len(text) > RESULT_CHARACTERS:
        st.caption(say("{count:,} more characters are not shown here.", count=len(text) - RESULT_CHARACTERS))


def _indented(result: str) -> str:
    """Our own tools return JSON; it is shown indented, other text as it is."""
    try:
        parsed = json.loads(result)
    except ValueError:
        return result
    return json.dumps(parsed, ensure_ascii=False, indent=1) if isinstance(parsed, dict | list) else result


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
