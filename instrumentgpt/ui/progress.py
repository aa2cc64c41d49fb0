"""What a run has shown so far, folded from its events, and how it is drawn, live and from history alike.

What an agent did and thought on the way is a timeline while it works, and closed lines when it is done.
The run belongs to nobody's page: the page reads what is new and shows it. Each tick of the fragment follows
the run until the next one waits, so a word shows within a tenth of a second at any time, while a click never
waits for more than one tick. Text goes into one element by handle: redrawing a growing list would flicker.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import streamlit as st
from sqlite_utils import Database
from streamlit.delta_generator import DeltaGenerator

import db
from instrumentgpt.agents.answer import Answer, paragraphs
from instrumentgpt.agents.events import (
    Done,
    Event,
    Failure,
    Session,
    Text,
    Thinking,
    Tick,
    Tool,
    ToolStatus,
    from_json,
)
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import get_run, live_run, read_events
from instrumentgpt.turn import runs
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import problem, say

THINKING_CHARACTERS = 8_000  # the newest: all of it is in the run's events


@dataclass
class Progress:
    """A run up to event `number`; `note` is the last sign of life, gone with the first word.

    words         of the answer and on the way to it, and the places of its artifacts
    steps_before  how many steps had begun when a segment was said
    thinking  the agent's reasoning as far as it shares it, at most its last THINKING_CHARACTERS characters
    thought   how many characters of it there were
    """

    number: int = 0
    steps: dict[str, Tool] = field(default_factory=dict)  # call_id → call as it stands, as they began
    words: Answer = field(default_factory=Answer)
    steps_before: dict[int, int] = field(default_factory=dict)  # segment → number
    session: Session | None = None
    note: str = ""
    thinking: str = ""
    thought: int = 0
    failure: Failure | None = None
    done: Done | None = None

    def take(self, event: Event) -> None:
        """Take in what `event` adds."""
        self.words.take(event)
        match event:
            case Text():
                self.note = ""
                self.steps_before.setdefault(event.segment, len(self.steps))
            case Tool():  # a closing event may come without arguments (a rejected call does)
                begun = self.steps.get(event.call_id, event)
                step = replace(event, arguments=event.arguments or begun.arguments)
                self.note, self.steps[event.call_id] = "", step
            case Thinking():
                self.note, self.thought = say("Thinking"), self.thought + len(event.text)
                self.thinking = (self.thinking + event.text)[-THINKING_CHARACTERS:]
            case Session():
                self.session = event
            case Tick():
                self.note = event.note
            case Failure():
                self.failure = event
            case Done():
                self.note, self.done = "", event

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return paragraphs(text for _, text in self.answer())

    def answer(self) -> list[tuple[int | str, str]]:
        """Return the segments of the answer with their words, and the ids of artifacts, in order."""
        keys = [key for key in self.words.pieces if key not in self.words.asides]
        return [(key, "" if isinstance(key, str) else self.words.words(key)) for key in keys]

    @property
    def artifact_ids(self) -> list[str]:
        """The charts and files made so far, in order."""
        return [key for key in self.words.pieces if isinstance(key, str)]

    def timeline(self) -> list[Tool | Text]:
        """Return what was done and what was said on the way to the answer, in order."""
        entries: list[Tool | Text] = list(self.steps.values())
        segments = sorted(self.words.asides, key=lambda segment: (self.steps_before[segment], segment))
        for place, segment in enumerate(segments):
            entries.insert(self.steps_before[segment] + place, Text(self.words.words(segment), segment))
        return entries

    def settled_steps(self) -> list[Tool | Text]:
        """Return what of the timeline will not change: the remarks, and the steps that have ended."""
        return [entry for entry in self.timeline() if isinstance(entry, Text) or entry.status != "started"]

    def denied(self) -> list[str]:
        """Return the names of the tools that the agent was not allowed to use, each once."""
        return list(dict.fromkeys(step.name for step in self.steps.values() if step.status == "denied"))

    def after_artifacts(self, count: int) -> str:
        """Return the words that follow the first `count` charts: what is still growing."""
        parts = self.answer()
        places = [place for place, (key, _) in enumerate(parts, start=1) if isinstance(key, str)]
        return paragraphs(text for _, text in parts[places[count - 1] if count else 0 :])


def advance(progress: Progress, numbered: Iterable[tuple[int, Event]]) -> Progress:
    """Take the events with numbers above its own into `progress`, in order, and return it.

    >>> advance(Progress(), [(1, Text("ha")), (2, Text("ha")), (2, Text("ha"))]).text
    'haha'
    """
    for number, event in numbered:
        if number > progress.number:
            progress.take(event)
            progress.number = number
    return progress


ARGUMENT_CHARACTERS = 60  # of all arguments together, in the label of a step
RESULT_CHARACTERS = 2_000  # of a tool's result on screen; whole on disk
NAMED_TOOLS = 3  # of those that were denied
NAME_CHARACTERS = 40  # of a tool's name
DENIED_NOTE = "The answer does without it. What agents may do in this conversation is set in the sidebar."
ICONS: dict[ToolStatus, str] = {
    "started": "spinner",
    "ok": ":material/check:",
    "failed": ":material/error:",
    "denied": ":material/block:",
}
TROUBLE: dict[ToolStatus, str] = {"failed": "failed", "denied": "not allowed"}
TOOL_WORDS = {name: name.replace("_", " ").capitalize() for name in TOOLS}


def draw_closed(progress: Progress, key: str, conversation_id: str) -> None:
    """Draw what stands of the timeline: one closed line; its steps and remarks are made when it is opened."""
    entries = progress.settled_steps()
    steps = [entry for entry in entries if isinstance(entry, Tool)]
    if not entries:
        return
    icon = ICONS["failed"] if any(step.status != "ok" for step in steps) else ICONS["ok"]
    words = [say("{count} {count:?step|steps}", count=len(steps)) if steps else say("Said on the way")]
    counts = Counter(step.status for step in steps)
    words += [f"{counts[status]} {say(TROUBLE[status])}" for status in TROUBLE if counts[status]]
    with st.expander(" · ".join(words), type="compact", icon=icon, key=key, on_change="rerun") as closed:
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
    icon = ":material/neurology:"
    with st.expander(say("Thinking"), type="compact", icon=icon, key=key, on_change="rerun") as closed:
        if closed.open:
            st.text(progress.thinking)
            if progress.thought > len(progress.thinking):
                length, total = len(progress.thinking), progress.thought
                st.caption(say("The last {shown:,} of {all:,} characters.", shown=length, all=total))


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
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in step.arguments.values()
        if value not in ("", None, [], {})
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
    return name.replace("_", " ").strip().capitalize() or say("tool")


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


TICK_SECONDS = 1.0
FOLLOW_SECONDS = 1.2  # more than a tick, or nobody looks between two
POLL_SECONDS = 0.03
SEND_SECONDS = 0.02  # what a run of the script leaves unsent is dropped when the next one begins
WATCH_SECONDS = 2.0
NOTE_CHARACTERS = 120
CURSOR = " ▌"


def progress_of(database: Database, run_id: str, earlier: Progress | None = None) -> Progress:
    """Return what the run has shown so far, reading on from `earlier`."""
    progress = earlier or Progress()
    while events := read_events(database, run_id, progress.number):
        advance(progress, ((number, from_json(line)) for number, line in events))
    return progress


@st.fragment(run_every=TICK_SECONDS)
def follow(run_id: str, conversation_id: str, drawn: Progress) -> None:
    """Show what the run adds to `drawn`; draw the whole page anew when it ends or has made another chart."""
    earlier_id, earlier = st.session_state.get("progress", ("", None))
    with session.opened() as database:
        progress = progress_of(database, run_id, earlier if earlier_id == run_id else None)
        with st.container(key="live-thinking"):
            draw_thinking(progress, f"thinking-now-{run_id}")
        steps = LiveSteps(
            st.container(key="live-steps"), {key_of(step) for step in drawn.settled_steps()}, conversation_id
        )
        text = untrusted.write(_live_text(progress, drawn), conversation_id)
        waiting = get_run(database, run_id).began_at is None
        note = st.caption(_note(progress, drawn, waiting))
        deadline = time.monotonic() + FOLLOW_SECONDS
        while True:
            steps.show(progress)
            st.session_state["progress"] = (run_id, progress)
            if progress.done or progress.artifact_ids != drawn.artifact_ids:
                time.sleep(SEND_SECONDS)
                st.rerun()
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
            before = progress.number
            if progress_of(database, run_id, progress).number > before:
                untrusted.write(_live_text(progress, drawn), conversation_id, text.markdown)
                note.caption(_note(progress, drawn, waiting))
        runs.reap(database_path())  # an answer whose process died would be waited for forever
        if get_run(database, run_id).status != "running":
            st.rerun()


@st.fragment(run_every=WATCH_SECONDS)
def watch(conversation_id: str, last_message_id: int) -> None:
    """Draw the page anew when another tab has asked or an answer has come; shows nothing itself."""
    with session.opened() as database:
        newest = db.list_messages(database, conversation_id, last=1)
        changed = bool(newest) and newest[0].id != last_message_id
        if changed or live_run(database, conversation_id):
            st.rerun()


def _live_text(progress: Progress, drawn: Progress) -> str:
    words = progress.after_artifacts(len(drawn.artifact_ids))
    return words + CURSOR if words else ""


def _note(progress: Progress, drawn: Progress, waiting: bool) -> str:
    note = problem(progress.note)
    if waiting and note:
        badge = f":orange-badge[:material/hourglass_top: {say('Waiting')}]"
        return f"{badge} {untrusted.label(note, NOTE_CHARACTERS)}"
    if progress.after_artifacts(len(drawn.artifact_ids)):
        return ""
    return f":shimmer[{untrusted.label(note or say('Working'))}]"
