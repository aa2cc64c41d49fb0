"""What follows what: a handler's follow-up, and the action that comes next. Pure, and one table for both.

A handler that is not terminal ends with a follow-up, a text that says by its beginning whose it is.
`write` makes it, `read` knows it again, `after` decides: a result is spoken, what was spoken is completed.
"""

import re
from dataclasses import dataclass

from instrumentgpt.modes.commands.grammar import Action

MOST_ROUNDS = 8  # actions of one command; the longest flow that ends well has 3


@dataclass(frozen=True)
class Handler:
    """How the follow-up of a handler begins.

    heading  what we write when the work was done
    marks    beginnings by which it is recognised, ours and those that other writers use
    """

    heading: str = ""
    marks: tuple[str, ...] = ()
    is_terminal: bool = False


FLOW: dict[str, Handler] = {
    "speak": Handler("SPEAK SUCCESSFUL! Message delivered.", ("SPEAK SUCCESSFUL",)),
    "memorize": Handler("MEMORIZE COMPLETE - stored observation", ("MEMORIZE COMPLETE", "MEMORIZE action")),
    "recall": Handler("RECALL COMPLETE", ("RECALL COMPLETE", "Memory query")),
    "forget": Handler("FORGET COMPLETE", ("FORGET COMPLETE", "successfully forgot key")),
    "ponder": Handler(
        "=== PONDER ROUND 1 ===\nConscience feedback:", ("=== PONDER ROUND", "=== PREVIOUS CONTEXT")
    ),
    "tool": Handler("TOOL action executed", ("TOOL action",)),
    "observe": Handler("OBSERVE action completed. Info: Fetched", ("OBSERVE action",)),
    "defer": Handler(is_terminal=True),
    "reject": Handler(is_terminal=True),
    "task_complete": Handler(is_terminal=True),
}
_FAILED = "{name} action failed"


@dataclass(frozen=True)
class FollowUp:
    """What a follow-up tells: whose it is (None: unknown), whether the work was done, and its words."""

    handler: str | None
    is_done: bool
    content: str


@dataclass(frozen=True)
class Task:
    """Where a command stands: what is done now, and as which of its rounds."""

    action: Action
    round: int = 1


def write(name: str, content: str, is_done: bool = True) -> str:
    """Return the follow-up of the handler `name`, or "" if nothing follows it.

    >>> write("forget", "fan")
    'FORGET COMPLETE\\nfan'
    """
    handler = FLOW[name]
    if handler.is_terminal:
        return ""
    return f"{handler.heading if is_done else _failed(name)}\n{content}"


def read(follow_up: str) -> FollowUp:
    """Return what `follow_up` tells; only its beginning says whose it is, whatever stands further down.

    >>> read("FORGET COMPLETE\\nTOOL action executed").handler
    'forget'
    """
    for name, handler in FLOW.items():
        if not handler.is_terminal and follow_up.startswith(_failed(name)):
            return FollowUp(name, False, _content(follow_up, _failed(name)))
    for name, handler in FLOW.items():
        if follow_up.startswith(handler.marks):
            return FollowUp(name, not _TELLS_FAILURE.match(follow_up), _content(follow_up, handler.heading))
    return FollowUp(None, True, follow_up)


_TELLS_FAILURE = re.compile(r"[A-Z]+ action (?:\S+ )?(?:failed|error)\b", re.IGNORECASE)  # of other writers


def _failed(name: str) -> str:
    return _FAILED.format(name=name.upper())


def _content(follow_up: str, heading: str) -> str:
    """Return what stands below our heading; a follow-up that others wrote is content as a whole."""
    ours = f"{heading}\n"
    return follow_up.removeprefix(ours) if follow_up.startswith(ours) else follow_up


def begin(action: Action) -> Task:
    """Return the task that `action` begins: a completion is never without something spoken before."""
    if action.name == "task_complete":
        return Task(Action("speak", {"message": action.given["completion_reason"]}))
    return Task(action)


def after(task: Task, follow_up: str) -> Task | None:
    """Return what comes after the task's action, given its follow-up; None after a terminal one.

    What was spoken is completed; any other result, a failure too, is spoken.
    A task that does not end within MOST_ROUNDS is handed over to a person.
    """
    if FLOW[task.action.name].is_terminal:
        return None
    told = read(follow_up)
    if task.action.name == "speak" and told.handler == "speak" and told.is_done:
        action = Action("task_complete", {"completion_reason": "the result was spoken"})
    elif task.round + 1 >= MOST_ROUNDS:
        action = Action("defer", {"reason": ""})
    else:
        action = Action("speak", {"message": told.content})
    return Task(action, task.round + 1)
