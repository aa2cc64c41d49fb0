"""The tool steps of an answer: a timeline while it works, one closed line when it is done."""

import json
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_status_container import StatusContainer

from instrumentgpt.agents.events import ToolStatus
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.progress import Progress, Step

ARGUMENT_CHARACTERS = 60  # of all arguments together, in the label of a step
RESULT_CHARACTERS = 2_000  # of a tool's result on screen; whole on disk
STATES: dict[ToolStatus, Literal["running", "complete", "error"]] = {
    "started": "running",
    "ok": "complete",
    "failed": "error",
    "denied": "error",
}
SUFFIX: dict[ToolStatus, str] = {"started": "", "ok": "", "failed": " · failed", "denied": " · not allowed"}


def draw_closed(progress: Progress) -> None:
    """Draw the steps that have ended: one closed line that opens into the timeline."""
    steps = [progress.steps[call_id] for call_id in progress.steps if call_id in progress.finished_steps()]
    if not steps:
        return
    failed = any(STATES[step.status] == "error" for step in steps)
    with st.status(
        _closed_label(len(steps), progress), type="compact", state="error" if failed else "complete"
    ):
        for step in steps:
            _draw(step)


@dataclass
class LiveSteps:
    """The steps of a run in progress, drawn into `box` by handle: what stands is never drawn twice."""

    box: DeltaGenerator
    elsewhere: frozenset[str]  # call ids that the page shows already
    drawn: dict[str, tuple[StatusContainer, ToolStatus]] = field(
        default_factory=dict
    )  # call id → what it shows

    def show(self, progress: Progress) -> None:
        """Bring the timeline up to `progress`."""
        for call_id, step in progress.steps.items():
            known = self.drawn.get(call_id)
            if call_id in self.elsewhere:
                continue
            if known is None:
                with self.box:
                    self.drawn[call_id] = (_draw(step), step.status)
            elif known[1] != step.status:
                known[0].update(label=step_label(step), state=STATES[step.status])
                with known[0]:
                    _draw_result(step)
                self.drawn[call_id] = (known[0], step.status)


def step_label(step: Step) -> str:
    """Return what a step does, in one line: the tool's name and its arguments.

    >>> step_label(Step("c", "fetch_log", "ok", {"device": "zspr 052"}))
    'Fetch log · zspr 052'
    """
    words = [step.name.replace("_", " ").strip().capitalize() or "Tool"]
    arguments = ", ".join(
        _short(value) for value in step.arguments.values() if value not in ("", None, [], {})
    )
    words += [arguments] if arguments else []
    return untrusted.label(" · ".join(words), ARGUMENT_CHARACTERS) + SUFFIX[step.status]


def _closed_label(count: int, progress: Progress) -> str:
    seconds = f" · {progress.done.seconds:.1f} s" if progress.done and progress.done.seconds else ""
    return f"{count} step{'' if count == 1 else 's'}{seconds}"


def _draw(step: Step) -> StatusContainer:
    element = st.status(step_label(step), type="step", state=STATES[step.status])
    with element:
        if step.arguments:
            _draw_bounded(json.dumps(step.arguments, ensure_ascii=False, indent=1))
        _draw_result(step)
    return element


def _draw_result(step: Step) -> None:
    if step.result:
        _draw_bounded(_summary_first(step.result))


def _draw_bounded(text: str) -> None:
    st.code(text[:RESULT_CHARACTERS], language=None, wrap_lines=True)
    if len(text) > RESULT_CHARACTERS:
        st.caption(f"{len(text) - RESULT_CHARACTERS:,} more characters are not shown here.")


def _summary_first(result: str) -> str:
    """Our own tools return JSON; it is shown indented, other text as it is."""
    try:
        parsed = json.loads(result)
    except ValueError:
        return result
    return json.dumps(parsed, ensure_ascii=False, indent=1) if isinstance(parsed, dict | list) else result


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
