"""What a parser must remember of a stream, whichever agent speaks: segments, calls, and how it ends."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from instrumentgpt.agents.events import (
    Done,
    Event,
    Failure,
    Outcome,
    Text,
    Tick,
    Tool,
    ToolStatus,
    answer_text,
)
from instrumentgpt.agents.evidence import Sign, failure_of

SERVER = "instrumentgpt"  # the name of our MCP server in every agent's configuration
DENIED_REMEDY = "Allow this conversation what the agent asked for, or ask for what needs only reading."
_log = logging.getLogger(__name__)


@dataclass
class Heard:
    """One stream so far. `denied_remedy` says how this agent is allowed to call our tools."""

    signs: tuple[Sign, ...]
    denied_remedy: str = DENIED_REMEDY
    segment: int = 0
    said: list[Text] = field(default_factory=list)
    started: dict[str, Tool] = field(default_factory=dict)
    closed: list[ToolStatus] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    failure: Failure | None = None  # the last word on what went wrong, if it is not the end yet

    def piece(self, text: str, whole: bool = False) -> Text:
        """Return `text` as words of the current segment: a new piece, or, if `whole`, all of it."""
        event = Text(text, self.segment, whole)
        self.said.append(event)
        return event

    def recap(self, text: str) -> Text:
        """Return `text` as the whole current segment, which ends with it."""
        event = self.piece(text, whole=True)
        self.segment += 1
        return event

    def start(self, tool: Tool) -> Tool:
        """Return the started call `tool`; what is said after it is a segment of its own."""
        self.started[tool.call_id] = tool
        return tool

    def close(self, call_id: str, status: ToolStatus, result: str, known: Tool | None = None) -> Tool:
        """Return the end of a call as `known`, else as it started: a denied one may come without its name."""
        begun = self.started.pop(call_id, None)
        tool = known or begun or Tool(call_id, "tool", "started")
        self.closed.append(status)
        return replace(tool, status=status, result=result)

    def mend(self, told: str) -> Iterator[Text]:
        """Yield the answer as the agent `told` it, if lines of it were lost; never a shorter one."""
        if told in answer_text(self.said):
            return
        emptied = [Text("", number, whole=True) for number in range(1, self.segment + 1)]
        self.said = [Text(told, 0, whole=True), *emptied]
        yield from self.said

    def finish(self, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield the end of a stream that ended well: ok, unless nothing was said or no call was allowed."""
        if self.closed and set(self.closed) == {"denied"}:
            yield Failure(
                "tools-denied", f"All {len(self.closed)} tool calls were denied.", self.denied_remedy
            )
            yield from self.done("tools-denied", usage)
        else:
            yield from self.done("ok" if answer_text(self.said) else "no-result", usage)

    def fail(self, text: str, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield the end of a stream that says itself what went wrong."""
        failure = failure_of(text or "The agent ended with an error and no text.", self.signs)
        yield failure
        yield from self.done(failure.outcome, usage)

    def break_off(self, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield the end of a stream that stopped without its last line."""
        if self.failure is not None:
            yield self.failure
            yield from self.done(self.failure.outcome, usage)
        elif self.closed and set(self.closed) == {"denied"}:
            yield from self.finish(usage)
        else:
            yield from self.done("no-result", usage)

    def done(self, outcome: Outcome, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield Done, and before it what of the stream nobody understood, by name and number."""
        if self.unknown:
            _log.warning("unknown kinds of lines: %s", dict(self.unknown))
            names = ", ".join(f"{name[:60]} ({count})" for name, count in self.unknown.most_common(5))
            yield Tick(f"{self.unknown.total()} lines of kinds unknown here were passed over: {names}")
        yield Done(outcome, answer_text(self.said), usage=dict(usage))
