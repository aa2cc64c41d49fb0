"""Asks the offline analyst in this process, with the demo inventory: what it said, which tools it used."""

import io
import json
from dataclasses import dataclass, replace
from typing import Any

from exchanges import share_judged

from instrumentgpt.agents.offline.program import chat
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Task


@dataclass(frozen=True)
class Answered:
    text: str
    tools: tuple[str, ...]
    results: tuple[dict[str, Any], ...]
    segments: tuple[str, ...] = ()  # what was said before each tool call, and after the last

    def around(self, tool: str) -> tuple[str, str]:
        """Return all that was said before and after the call of `tool`."""
        place = self.tools.index(tool) + 1
        return "".join(self.segments[:place]), "".join(self.segments[place:])


def asked(question: str, folder, **task: Any) -> Answered:
    """Answer `question` with caches below `folder`; `task` are fields of the task file.

    A log that a test of this run has parsed, judged and identified is not parsed and judged again.
    """
    share_judged(folder / "cache")
    stream = io.StringIO()
    wire = Wire(stream)
    where = {"cache": str(folder / "cache"), "artifacts": str(folder / "artifacts")}
    for words in chat(replace(Task(question=question, **where), **task), wire):
        wire.say(words)
    wire.close()
    events = [json.loads(line) for line in stream.getvalue().splitlines()]
    calls = [event["tool_call"]["mcpToolCall"] for event in events if event.get("subtype") == "completed"]
    results = [json.loads(call["result"]["success"]["content"][0]["text"]["text"]) for call in calls]
    tools = tuple(call["args"]["toolName"] for call in calls)
    return Answered(events[-1]["result"], tools, tuple(results), _segments(events))


def _segments(events: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the deltas of the answer, joined between the starts of tool calls."""
    segments = [""]
    for event in events:
        if event["type"] == "tool_call" and event["subtype"] == "started":
            segments.append("")
        elif event["type"] == "assistant" and "timestamp_ms" in event and "model_call_id" not in event:
            segments[-1] += event["message"]["content"][0]["text"]
    return tuple(segments)


def state_after(answered: Answered, device: str = "", ip: str = "") -> dict[str, Any]:
    """Return the state that a turn would hand over after `answered`."""
    logs = [result["log"] for result in answered.results if isinstance(result.get("log"), str)]
    texts = [
        one["text"] for result in answered.results for one in result.get("findings", []) if "text" in one
    ]
    return {
        "device_name": device,
        "device_ip": ip,
        "last_log_file": logs[-1] if logs else None,
        "downloaded_logs": list(dict.fromkeys(logs)),
        "findings": list(dict.fromkeys(texts)),
        "status": "investigating",
    }
