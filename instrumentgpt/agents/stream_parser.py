"""What a parser must remember of a stream, whichever agent speaks: segments, calls, and how it ends.

Here alone is decided which of an agent's words are its answer and which were said on the way to it. Of
results of our tools an agent reads a short form; the turn learns from the whole, kept in the run's folder.
"""

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from instrumentgpt.agents.answer import Answer, paragraphs
from instrumentgpt.agents.events import Done, Event, Failure, Outcome, Text, Tick, Tool, ToolStatus
from instrumentgpt.agents.evidence import Sign, failure_of
from instrumentgpt.agents.stream import json_object, string

SERVER = "instrumentgpt"  # the name of our MCP server in every agent's configuration
ON_RECORD = (  # tools of ours that keep what the agent tells them
    *("record_finding", "record_hypothesis", "confirm_root_cause", "rule_out"),
    *("record_value", "record_constraint", "lift_constraint", "note"),
)
HANDS_OVER = ("plot_log", "write_report", *ON_RECORD)  # which tell the agent nothing new
SWITCH_REMEDY = (
    "Open “Agent may only read” in the sidebar and allow what it asked for, then ask again; "
    "or ask for what needs only reading."
)
SERVER_REMEDY = "The agent's own settings deny these tools: allow its MCP server there, then ask again."
_log = logging.getLogger(__name__)


@dataclass
class _Stretch:
    """Segments that were said without a call between them, and the calls that followed them."""

    segments: list[int] = field(default_factory=list)
    calls: list[Tool] = field(default_factory=list)


@dataclass
class StreamParser:
    """One stream so far.

    server_remedy  how this agent is allowed to call tools of MCP servers
    narrates       whether what it says before a call may be said on the way, and no part of its answer
    """

    signs: tuple[Sign, ...]
    server_remedy: str = SERVER_REMEDY
    narrates: bool = True
    segment: int = 0
    answer: Answer = field(default_factory=Answer)
    started: dict[str, Tool] = field(default_factory=dict)
    closed: list[Tool] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    failure: Failure | None = None  # the last word on what went wrong, if it is not the end yet
    _stretches: list[_Stretch] = field(default_factory=lambda: [_Stretch()])

    def piece(self, text: str, whole: bool = False) -> Text:
        """Return `text` as words of the current segment: a new piece, or, if `whole`, all of it."""
        return self._take_text(Text(text, self.segment, whole))

    def recap(self, text: str) -> Text:
        """Return `text` as the whole current segment, which ends with it."""
        event = self.piece(text, whole=True)
        self.segment += 1
        return event

    def _take_text(self, event: Text) -> Text:
        if event.segment not in self.answer.pieces:
            if self._stretches[-1].calls:
                self._stretches.append(_Stretch())
            self._stretches[-1].segments.append(event.segment)
        self.answer.take(event)
        return event

    def start(self, tool: Tool) -> Iterator[Event]:
        """Yield the started call `tool`; what was said before it was said on the way."""
        yield from self.called(tool)
        self.started[tool.call_id] = tool
        yield tool

    def called(self, tool: Tool) -> Iterator[Text]:
        """Yield which segments were said on the way to the call `tool`; what comes now is another one."""
        self._stretches[-1].calls.append(tool)
        if self.answer.words(self.segment):
            self.segment += 1
        for segment in self._stretches[-1].segments:
            if self.narrates and segment not in self.answer.asides and self.answer.words(segment):
                yield self._take_text(Text("", segment, aside=True))

    def close(
        self, call_id: str, status: ToolStatus, result: str, call: Tool | None = None
    ) -> Iterator[Event]:
        """Yield the end of a call as `call`, else as it started: a denied one may come without its name."""
        begun = self.started.pop(call_id, None)
        tool = call or begun or Tool(call_id, "tool", "started")
        if begun is None:
            yield from self.called(tool)
        ended = replace(tool, status=status)
        self.closed.append(ended)  # without its result, which may have many megabytes
        yield replace(ended, result=result)

    def mend(self, text: str) -> Iterator[Text]:
        """Yield what lines that were lost had said, by the agent's own word `text` on its answer.

        That is all its segments in a row, or its last words alone. No earlier segment is given up for it.
        """
        words = [self.answer.words(segment) for segment in range(self.segment + 1)]
        if text not in "".join(words):
            for earlier in words[:-1]:
                text = text.removeprefix(earlier)
            yield self.piece(text, whole=True)

    def finish(self, usage: Mapping[str, float] = {}) -> Iterator[Event]:
        """Yield the end of a stream that ended well: ok, unless nothing was said or no call was allowed."""
        if self._all_denied():
            remedy = self.server_remedy if any(tool.server for tool in self.closed) else SWITCH_REMEDY
            count = len(self.closed)
            calls = "The only tool call was" if count == 1 else f"All {count} tool calls were"
            yield Failure("tools-denied", f"{calls} denied.", remedy)
            yield from self.done("tools-denied", usage)
        else:
            spoke = any(self.answer.words(segment) for segment in self.answer.pieces)
            yield from self.done("ok" if spoke else "no-result", usage)

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
        begins = _beginning([(stretch, self._words(stretch)) for stretch in self._stretches])
        for segment in sorted(segment for segment in self.answer.asides if segment >= begins):
            yield self._take_text(Text("", segment))
        if self.unknown:
            _log.warning("unknown kinds of lines: %s", dict(self.unknown))
            names = ", ".join(f"{name[:60]} ({count})" for name, count in self.unknown.most_common(5))
            yield Tick(f"{self.unknown.total()} lines of kinds unknown here were passed over: {names}")
        yield Done(outcome, self.answer.text, usage=dict(usage))

    def _words(self, stretch: _Stretch) -> str:
        return paragraphs(map(self.answer.words, stretch.segments))


def _beginning(stretches: Sequence[tuple[_Stretch, str]]) -> int:
    """Return the segment with which the answer begins, given what each stretch says.

    It is what was said after the last call, or last of all; but who gives the whole answer, then has it
    recorded and says "Done.", has not answered "Done.": an earlier stretch that outweighs all that follows it
    is where the answer begins.
    """
    begins, after, calls = 0, "", list[Tool]()
    for stretch, words in reversed(stretches):
        calls += stretch.calls
        if words and (not after or _outweighs(words, after, calls)):
            begins = stretch.segments[0]
        after = paragraphs((words, after))
    return begins


def _outweighs(words: str, after: str, calls: Sequence[Tool]) -> bool:
    """Return whether `words` are more than what was said `after` them, and after the `calls` between.

    More text alone tells that if nothing new was learned between; else it must be more paragraphs, too:
    who says what he will look at says it in one.
    """
    nothing_new = all(call.server == SERVER and call.name in HANDS_OVER for call in calls)
    return len(words) > len(after) and (nothing_new or words.count("\n\n") > after.count("\n\n"))


FOLDER = "results"  # in the run's folder, which agents cannot write to
_NAME = re.compile(r"[0-9a-f]{12}")


def keep_whole(run_folder: Path, result: str) -> str:
    """Write the JSON text of a result into the run's folder; return the name that its short form carries."""
    name = hashlib.blake2b(result.encode(), digest_size=6).hexdigest()
    path = run_folder / FOLDER / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(result, encoding="utf-8")
    return name


def with_whole_result(tool: Tool, run_folder: Path) -> Tool:
    """Return the call with the whole result in place of the short form of it that the agent read."""
    if tool.server != SERVER or tool.status != "ok":
        return tool
    name = string(json_object(tool.result).get("result"))
    with suppress(OSError, ValueError):
        if _NAME.fullmatch(name):
            return replace(tool, result=(run_folder / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return tool
