"""How a task of the offline analyst calls our tools: visibly, and with errors that can be told."""

from collections.abc import Callable
from typing import Any

from instrumentgpt.agents.offline.task import use_tool
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Result, Task, ToolFailed


def calling(task: Task, wire: Wire) -> Callable[..., Result]:
    """Return the function (tool's name, **arguments) → result that calls a tool through `wire`.

    It leaves out arguments that say nothing, and raises ToolFailed where the tool cannot do its work.
    """

    def tool(name: str, **given: Any) -> Result:
        result = wire.call(name, {key: value for key, value in given.items() if value not in (None, "")}, use)
        if "error" in result:
            raise ToolFailed(str(result["error"]))
        return result

    def use(name: str, given: dict[str, Any]) -> Result:
        return use_tool(task, name, given)

    return tool
