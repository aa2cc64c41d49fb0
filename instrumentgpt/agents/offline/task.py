"""What our own programs are asked: the task file that they read, and the tools that they call for it.

Apart from the wire, which is spoken without the analyst's modules: half of the start's time.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Result, Task, ToolFailed
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, language_of


class BadTask(InstrumentGPTError, ValueError):
    """A task file that cannot be read, or a task that nobody here does."""


def read_fields(path: Path | None) -> dict[str, Any]:
    """Return the fields of the task file at `path`; none without one."""
    if path is None:
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise ValueError("no JSON object")
    except (OSError, ValueError) as problem:
        raise BadTask(f"{path}: cannot be read as a task: {problem}. See docs/architecture.md") from None
    return values


def task_of(values: Mapping[str, Any], prompt: str) -> Task:
    """Return the task whose fields are `values`; without a question among them, `prompt` is it."""
    names = {field.name for field in fields(Task)}
    chosen = {name: value for name, value in values.items() if name in names and value is not None}
    for name in ("devices", "stated", "constraints", "causes", "ruled_out", "attachments", "messages"):
        chosen[name] = tuple(chosen.get(name, ()))
    state = chosen.get("state")
    chosen["state"] = json.loads(state or "{}") if isinstance(state, str) else state or {}
    return Task(**{"question": prompt.strip(), **chosen})


def use_tool(task: Task, name: str, given: dict[str, Any]) -> Result:
    """Return what our tool `name` returns for `given` in the folders of `task`; {"error": …} if it cannot."""
    from instrumentgpt.analyst.questions import unit_asked
    from instrumentgpt.instruments.tools.called import call  # pandas: only once the call is on the wire
    from instrumentgpt.instruments.workspace import workspace

    folders = task.inventory, task.cache, task.artifacts
    unit = unit_asked(task.question)
    where = workspace(*folders, task.attachments, task.database, task.conversation_id, unit)
    try:
        return call(where, name, given)
    except InstrumentGPTError as problem:
        language: Language = task.given.get("language") or language_of(task.question)
        return {"error": problem.message(language)}


def calling(task: Task, wire: Wire) -> Callable[..., Result]:
    """Return the function (tool's name, **arguments) → result that calls a tool through `wire`.

    It leaves out arguments that say nothing, and raises ToolFailed where the tool cannot do its work.
    """

    def tool(name: str, **given: Any) -> Result:
        arguments = {key: value for key, value in given.items() if value not in (None, "")}
        result = wire.call(name, arguments, lambda *call: use_tool(task, *call))
        if "error" in result:
            raise ToolFailed(str(result["error"]))
        return result

    return tool
