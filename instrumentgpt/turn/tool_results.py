"""What our own tools report during a run, taken in as data: findings with their origin, charts as artifacts.

An agent hands the results over, so they are checked like anything an agent says.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.json_fields import string
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.summary import shorten

LARGEST_ARTIFACT = 32 * 1024 * 1024  # bytes; a chart of 4,000 points a trace has 0.1–1 MB
KINDS = ("plotly", "html", "markdown", "image", "log", "report", "file")
TITLE_CHARACTERS = 200
ALT_CHARACTERS = 2000


class RefusedArtifact(InstrumentGPTError, ValueError):
    """A file that a tool's result names, and that may not or cannot be taken in."""


@dataclass(frozen=True)
class NewArtifact:
    """A file read from the run's folder, ready to be stored."""

    kind: str
    title: str
    alt: str
    content: bytes


def result_of(tool: Tool) -> dict[str, Any]:
    """Return the JSON object that one of our tools returned; {} for another tool, a failure, or other text.

    >>> result_of(Tool("1", "diagnose_log", "ok", result='{"log": "a.log"}', server="instrumentgpt"))
    {'log': 'a.log'}
    >>> result_of(Tool("1", "shell", "ok", result='{"log": "a.log"}'))
    {}
    """
    if tool.server != SERVER or tool.status != "ok":
        return {}
    try:
        found = json.loads(tool.result)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def origins(results: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, tuple[str, int | None]]:
    """Return for each statement in the tools' `results`, as the state keeps it, its log and first line.

    >>> finding = {"text": "slow", "evidence": [{"line": 7}]}
    >>> origins([("diagnose_log", {"log": "a.log", "findings": [finding, 1]})])
    {'slow': ('a.log', 7)}
    """
    found: dict[str, tuple[str, int | None]] = {}
    for _, result in results:
        lists = [result.get(name) for name in ("findings", "hypotheses", "root_causes")]
        for item in (one for listed in lists if isinstance(listed, list) for one in listed):
            if isinstance(item, dict) and isinstance(item.get("text"), str):
                text = shorten(" ".join(item["text"].split()), STATEMENT_CHARS)
                found[text] = (string(item.get("log")) or string(result.get("log")), _first_line(item))
    return found


def _first_line(item: Mapping[str, Any]) -> int | None:
    evidence = item.get("evidence")
    first = evidence[0] if isinstance(evidence, list) and evidence else None
    line = first.get("line") if isinstance(first, dict) else None
    return line if isinstance(line, int) and line > 0 else None


def artifact(result: Mapping[str, Any], folder: Path) -> NewArtifact | None:
    """Return the artifact that `result` names, read from `folder`, or None if it names none.

    Raises RefusedArtifact if it does not lie in `folder`, is too big, or is not what it says.
    """
    named = result.get("artifact")
    if not isinstance(named, dict):
        return None
    kind, file = string(named.get("kind")), string(named.get("file"))
    title = " ".join(string(named.get("title")).split())[:TITLE_CHARACTERS]
    if kind not in KINDS:
        raise RefusedArtifact(f"An artifact of kind {kind!r} was refused. Known kinds: {', '.join(KINDS)}.")
    content = _content(folder, file)
    if kind == "plotly" and not _is_figure(content):
        raise RefusedArtifact(f"{file!r} is no Plotly figure (a JSON object with `data`) and was refused.")
    return NewArtifact(kind, title or kind, string(named.get("alt"))[:ALT_CHARACTERS], content)


def _content(folder: Path, file: str) -> bytes:
    try:
        path = (folder / file).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            raise RefusedArtifact(f"{file!r} is no file in the run's own folder {folder} and was refused.")
        with path.open("rb") as opened:
            content = opened.read(LARGEST_ARTIFACT + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, RefusedArtifact):
            raise
        raise RefusedArtifact(f"{file!r} cannot be read: {error}. It was refused.") from error
    if len(content) > LARGEST_ARTIFACT:
        raise RefusedArtifact(f"{file!r} is larger than {LARGEST_ARTIFACT:,} bytes and was refused.")
    return content


def _is_figure(content: bytes) -> bool:
    try:
        figure = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(figure, dict) and isinstance(figure.get("data"), list)
