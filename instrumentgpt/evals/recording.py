"""Model turns on record: what an agent said and called, keyed by a hash of its prompt and its tools' results.

A step is known by all that the model had seen by then. If a prompt or a tool's result has changed since, no
step has that key: the recording is stale, and says so; nothing is ever guessed.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instrumentgpt.agents import registry
from instrumentgpt.agents.answer import Answer
from instrumentgpt.agents.events import Done, Event, Tool
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.stream_parser import SERVER

STALE = "stale recording"
_PASSING = re.compile(  # what differs from run to run, and says nothing: paths of homes, ids, ages
    r"/[^\s\"'`]*?/(?=logs/|files/|home/|workspaces/|devices\.toml)|\b[0-9a-f]{12,32}\b"
    r"|\d[\d.,]* ?(?:d|h|min|s) old|\d+ ?(?:天|小時|分鐘|秒)前|\"seconds\": [\d.e-]+(?=, \"from_cache\")"
)


def key(prompt: str, results: Sequence[str]) -> str:
    """Return the name of what a model has seen: its prompt, and the results of the calls it made since.

    >>> key("why?", []) == key("why?", []), key("why?", []) == key("why?", ["{}"])
    (True, False)
    """
    seen = "\x00".join(_PASSING.sub("·", text) for text in (prompt, *results))
    return hashlib.blake2b(seen.encode("utf-8", "replace"), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Step:
    """What a model did at one point: it said `say`, and called a tool of ours, or ended."""

    key: str
    say: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def steps_of(prompt: str, events: Iterable[Event]) -> list[Step]:
    """Return the steps of one asking, its last the one that ended it; its own tools are left out."""
    steps, results, answer, used = list[Step](), list[str](), Answer(), set[int | str]()

    def say() -> str:
        segments = [segment for segment in answer.pieces if segment not in used]
        used.update(segments)
        return "".join(map(answer.words, segments))

    for event in events:
        answer.take(event)
        if isinstance(event, Tool) and event.server == SERVER and event.status != "started":
            steps.append(Step(key(prompt, results), say(), event.name, event.arguments))
            results.append(event.result)
        elif isinstance(event, Done) and event.outcome == "ok":
            steps.append(Step(key(prompt, results), say()))
    return steps


def write(path: Path, steps: Iterable[Step]) -> None:
    """Add `steps` to the recordings at `path`, one JSON object a line, a later one in place of its like."""
    by_key = {**read(path), **{step.key: step for step in steps}}
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(vars(step), ensure_ascii=False) for step in by_key.values()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Step]:
    """Return key → step of the recordings at `path`; none if there is no such file."""
    if not path.is_file():
        return {}
    rows = [Step(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {step.key: step for step in rows}


@contextmanager
def recorded(agent: str) -> Iterator[list[Step]]:
    """Let every asking of `agent` in this process add its steps to the list that is yielded."""
    steps: list[Step] = []
    original, asking = registry.AGENTS[agent], threading.local()  # several at once, in a thread each

    def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
        asking.prompt = request.prompt
        return original.command(program, request, environment)

    def parse(lines: Iterable[bytes]) -> Iterator[Event]:
        prompt, events = asking.prompt, list[Event]()
        for event in original.parse(lines):
            events.append(event)
            if isinstance(event, Done):  # who has heard it reads no further
                steps.extend(steps_of(prompt, events))
            yield event

    registry.AGENTS[agent] = replace(original, command=command, parse=parse)
    try:
        yield steps
    finally:
        registry.AGENTS[agent] = original
