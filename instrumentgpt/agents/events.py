"""What an agent says while it works, as values: all that the rest of the house knows of it; its answer."""

import json
from collections.abc import Generator, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from instrumentgpt.memory.filtering import marker

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


@dataclass
class Answer:
    """Segments of text in the order in which they began, and between them the artifacts.

    asides  segments that were said on the way, before a call: they stand with the steps, not in the answer
    """

    pieces: dict[int | str, list[str]] = field(default_factory=dict)  # segment, or artifact id → its words
    asides: set[int] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Take in what `event` adds: words, or the place of an artifact; other events add nothing."""
        if isinstance(event, Text):
            texts = self.pieces.setdefault(event.segment, [])
            if event.whole:
                texts.clear()
            texts.append(event.text)
            (self.asides.add if event.aside else self.asides.discard)(event.segment)
        elif isinstance(event, Artifact):
            self.pieces[event.artifact_id] = [marker(event.kind, event.artifact_id)]

    def words(self, segment: int | str) -> str:
        """Return what was said in a segment, "" if nothing was."""
        return "".join(self.pieces.get(segment, ()))

    @property
    def text(self) -> str:
        """The answer as it is stored.

        >>> answer = Answer()
        >>> said = (Text("Look:"), Artifact("a1", "plotly", "pv"), Text("It swings.", 1), Text("A lot.", 2))
        >>> for event in said:
        ...     answer.take(event)
        >>> answer.text
        'Look:\\n\\n<!-- PLOTLY_CHART:a1 -->\\n\\nIt swings.\\n\\nA lot.'
        """
        return paragraphs(self.words(key) for key in self.pieces if key not in self.asides)


def answer_text(events: Iterable[Event]) -> str:
    """Return the answer that `events` tell so far.

    >>> answer_text([Text("I look."), Text("", aside=True), Text("ha", 1), Text("haha!", 1, whole=True)])
    'haha!'
    """
    answer = Answer()
    for event in events:
        answer.take(event)
    return answer.text


def paragraphs(parts: Iterable[str]) -> str:
    """Return `parts` as one text in which each is a paragraph of its own; those without words are left out.

    >>> paragraphs(["I look first.", " ", "## Result\\n", "- 37.0"])
    'I look first.\\n\\n## Result\\n\\n- 37.0'
    """
    texts = [part for part in parts if part.strip()]
    if len(texts) < 2:
        return "".join(texts)
    first, *between, last = texts
    return "\n\n".join((first.rstrip(), *(part.strip("\n").rstrip() for part in between), last.lstrip("\n")))
