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
SWITCH_REMEDY = (
    "Open “Agent may only read” in the sidebar and allow what it asked for, then ask again; "
    "or ask for what needs only reading."
)
SERVER_REMEDY = "The agent's own settings deny these tools: allow its MCP server there, then ask again."
_log = logging.getLogger(__name__)


@dataclass
class Heard:
    """One stream so far. `server_remedy` says how this agent is allowed to call tools of MCP servers."""

    signs: tuple[Sign, ...]
    server_remedy: str = SERVER_REMEDY
    segment: int = 0
    said: list[Text] = field(default_factory=list)
    started: dict[str, Tool] = field(default_factory=dict)
    closed: list[Tool] = field(default_factory=list)
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
        ended = replace(tool, status=status)
        self.closed.append(ended)  # without its result, which may have many megabytes
        return replace(ended, result=result)

    def mend(self, told: str) -> Iterator[Text]:
        """Yield the answer as the agent `told` it, if lines of it were lost; never a shorter one."""
        if told in answer_text(self.said):
            return
        emptied = [Text("", number, whole=True) for number in range(1, self.segment + 1)]
        self.said = [Text(told, 0, whole=True), *emptied]
        yield from self.said

    def finish(self, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield the end of a stream that ended well: ok, unless nothing was said or no call was allowed."""
        if self._all_denied():
            remedy = self.server_remedy if any(tool.server for tool in self.closed) else SWITCH_REMEDY
            calls = (
                "The only tool call was"
                if len(self.closed) == 1
                else f"All {len(self.closed)} tool calls were"
            )
            yield Failure("tools-denied", f"{calls} denied.", remedy)
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
        elif self._all_denied():
            yield from self.finish(usage)
        else:
            yield from self.done("no-result", usage)

    def _all_denied(self) -> bool:
        return bool(self.closed) and all(tool.status == "denied" for tool in self.closed)

    def done(self, outcome: Outcome, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield Done, and before it what of the stream nobody understood, by name and number."""
        if self.unknown:
            _log.warning("unknown kinds of lines: %s", dict(self.unknown))
            names = ", ".join(f"{name[:60]} ({count})" for name, count in self.unknown.most_common(5))
            yield Tick(f"{self.unknown.total()} lines of kinds unknown here were passed over: {names}")
        yield Done(outcome, answer_text(self.said), usage=dict(usage))
