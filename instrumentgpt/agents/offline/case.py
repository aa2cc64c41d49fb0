"""What an answer has to work with: the question, what is known, and the tools."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from instrumentgpt.agents.offline.intents import Question
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.pasted import is_device_name

Result = dict[str, Any]  # what a tool returned: JSON-ready; {"error": …} if it could not do its work


@dataclass(frozen=True)
class Task:
    """The task file (docs/architecture.md): what the turn hands over beside the prompt."""

    question: str
    task: str = "chat"
    conversation_id: str = ""
    database: str = ""
    inventory: str = ""
    cache: str = ""
    artifacts: str = ""
    devices: tuple[str, ...] = ()  # named in this question
    nicknames: dict[str, list[str]] = field(default_factory=dict)  # device → what its users call it
    left: dict[str, str] = field(default_factory=dict)  # "device" and "log" that this question turned from
    state: dict[str, Any] = field(default_factory=dict)  # DiagnosticState as JSON
    stated: tuple[dict[str, Any], ...] = ()  # what the user said of values: parameter, value, …
    constraints: tuple[str, ...] = ()  # what the user laid down: "never touch the gains"
    ruled_out: tuple[str, ...] = ()  # sentences of agents, panels and the user, oldest first
    attachments: tuple[str, ...] = ()  # paths of files dropped with the question
    given: dict[str, Any] = field(default_factory=dict)  # what a mode tells beside the question


@dataclass(frozen=True)
class Case:
    """One question being answered; `tool(name, **arguments)` calls a tool visibly, or raises ToolFailed."""

    task: Task
    question: Question
    language: Language
    tool: Callable[..., Result]
    unknown: tuple[str, ...] = ()  # devices named in the question that the inventory does not have

    @property
    def device(self) -> str:
        """The device that is meant: named now, else the one the conversation is about, else ""."""
        known = self.known("device_name", "device_ip")
        return self.task.devices[0] if self.task.devices else "" if is_device_name(known) else known

    @property
    def same_device(self) -> bool:
        """Whether the question stays with the device that the state is about."""
        return not self.task.devices or self.task.devices[0] in (
            self.known("device_name"),
            self.known("device_ip"),
        )

    def known(self, *names: str) -> str:
        """Return the first of the state's fields `names` that is set, else ""."""
        return next((str(value) for name in names if (value := self.task.state.get(name))), "")


class ToolFailed(InstrumentGPTError):
    """A tool that could not do its work; the text says why and what helps."""
