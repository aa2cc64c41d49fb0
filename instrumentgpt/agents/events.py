"""What an agent says while it works, as values: the only thing the rest of the house knows of any agent."""

import json
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

ToolStatus = Literal["started", "ok", "failed", "denied"]
Outcome = Literal[
    "ok", "error", "cancelled", "timeout", "no-result", "not-logged-in", "untrusted", "tools-denied", "died"
]


@dataclass(frozen=True)
class Text:
    """Words that are said: a new piece of `segment`, or, if `whole`, all of it, replacing its pieces.

    aside  the segment, as known by now, was said on the way to the answer: it stands with the steps.
           Whether it was is known later than its words; the last event of a segment counts
    """

    text: str
    segment: int = 0
    whole: bool = False
    aside: bool = False


@dataclass(frozen=True)
class Thinking:
    """Words of the agent's reasoning, if it shares them; never part of the answer."""

    text: str


@dataclass(frozen=True)
class Tool:
    """A tool call as it stands: one `started` and one closing event share `call_id`.

    `server` is the MCP server's name, or "" for a tool of the agent itself; `result` is text, often JSON.
    """

    call_id: str
    name: str
    status: ToolStatus
    arguments: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    server: str = ""


@dataclass(frozen=True)
class Artifact:
    """A chart, image or file that the turn has stored; `artifact_id` names it in the database."""

    artifact_id: str
    kind: str
    title: str


@dataclass(frozen=True)
class Session:
    """Who answers, and the agent's own name for its conversation (for resuming)."""

    session_id: str
    agent: str = ""
    model: str = ""


@dataclass(frozen=True)
class Tick:
    """A sign of life worth a word on screen: fetching, retrying, waiting."""

    note: str


@dataclass(frozen=True)
class Failure:
    """What went wrong, from evidence, and what a person can do about it."""

    outcome: Outcome
    text: str
    remedy: str = ""


@dataclass(frozen=True)
class Done:
    """The end of a run, exactly one, always last; `text` is the whole answer.

    `usage` holds what the agent reports of: inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens,
    and costUSD, in dollars.
    """

    outcome: Outcome
    text: str
    seconds: float = 0.0
    usage: dict[str, float] = field(default_factory=dict)


Event = Text | Thinking | Tool | Artifact | Session | Tick | Failure | Done
Events = Generator[Event, None, None]  # closing it ends whatever produces them
_KINDS: dict[str, type[Event]] = {
    kind.__name__: kind for kind in (Text, Thinking, Tool, Artifact, Session, Tick, Failure, Done)
}


def to_json(event: Event) -> str:
    """Return `event` as one line of JSON.

    >>> to_json(Tick("connecting"))
    '{"event": "Tick", "note": "connecting"}'
    """
    return json.dumps({"event": type(event).__name__, **asdict(event)}, ensure_ascii=False)


def from_json(line: str) -> Event:
    """Return the event that `to_json` wrote.

    >>> from_json(to_json(Text("好", segment=1)))
    Text(text='好', segment=1, whole=False, aside=False)
    """
    fields = json.loads(line)
    return _KINDS[fields.pop("event")](**fields)
