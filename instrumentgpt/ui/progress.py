"""What a run has shown so far, folded from its events: the page draws this, live and from history alike."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from instrumentgpt.agents.events import (
    Artifact,
    Done,
    Event,
    Failure,
    Session,
    Text,
    Tick,
    Tool,
    ToolStatus,
)


@dataclass(frozen=True)
class Step:
    """One tool call as it stands; `result` is the tool's own text."""

    call_id: str
    name: str
    status: ToolStatus
    arguments: dict[str, Any]
    result: str = ""
    server: str = ""


@dataclass(frozen=True)
class Progress:
    """A run up to event `number`; `note` is the last sign of life, gone with the first word."""

    number: int = 0
    steps: dict[str, Step] = field(default_factory=dict)  # call_id → step, in the order they began
    segments: dict[int, str] = field(default_factory=dict)
    artifacts: tuple[Artifact, ...] = ()
    session: Session = Session("")
    note: str = ""
    failure: Failure | None = None
    done: Done | None = None

    @property
    def text(self) -> str:
        """The answer so far."""
        return self.done.text if self.done else "".join(self.segments[key] for key in sorted(self.segments))


def advance(progress: Progress, numbered: Iterable[tuple[int, Event]]) -> Progress:
    """Return `progress` after the events with numbers above its own, in order; repeated ones are ignored.

    >>> advance(Progress(), [(1, Text("ha")), (2, Text("ha")), (2, Text("ha"))]).text
    'haha'
    """
    for number, event in numbered:
        if number > progress.number:
            progress = replace(_after(progress, event), number=number)
    return progress


def _after(progress: Progress, event: Event) -> Progress:
    match event:
        case Text():
            before = "" if event.whole else progress.segments.get(event.segment, "")
            return replace(
                progress, note="", segments={**progress.segments, event.segment: before + event.text}
            )
        case Tool():
            return replace(progress, note="", steps={**progress.steps, event.call_id: _step(progress, event)})
        case Artifact():
            return replace(progress, artifacts=(*progress.artifacts, event))
        case Session():
            return replace(progress, session=event)
        case Tick():
            return replace(progress, note=event.note)
        case Failure():
            return replace(progress, failure=event)
        case Done():
            return replace(progress, note="", done=event)
        case _:
            return progress


def _step(progress: Progress, event: Tool) -> Step:
    """A closing event may come without arguments (a rejected call does): those of its start stay."""
    begun = progress.steps.get(event.call_id)
    arguments = event.arguments or (begun.arguments if begun else {})
    return Step(event.call_id, event.name, event.status, arguments, event.result, event.server)
