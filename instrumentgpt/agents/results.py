"""Whole results of our tools: an agent reads a short form of each, the turn learns from all of it."""

import hashlib
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream import json_object, string
from instrumentgpt.agents.stream_parser import SERVER

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
