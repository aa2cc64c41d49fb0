"""What one expert of a panel works with: the sub-problem, and what the log says in its field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from instrumentgpt.agents.offline.panel.planning import where_is
from instrumentgpt.analyst.case import Case, Result
from instrumentgpt.analyst.words import phrase
from instrumentgpt.instruments.faults import cause_title


@dataclass(frozen=True)
class Field:
    """What the expert works with: who it is, the sub-problem, and what the log says in its field."""

    case: Case
    given: Mapping[str, Any]
    found: Result

    @property
    def part(self) -> Mapping[str, Any]:
        """The sub-problem: its kind, channel and candidates."""
        part: Mapping[str, Any] = self.given["sub_problem"]
        return part

    @property
    def expert(self) -> Mapping[str, Any]:
        """The expert: the classes that it speaks on, and its tools."""
        expert: Mapping[str, Any] = self.given["expert"]
        return expert

    @property
    def own(self) -> list[str]:
        """The candidates that the expert may speak on."""
        return [one for one in self.part["candidates"] if one in self.expert["speaks_on"]]

    @property
    def where(self) -> str:
        """The channel of the sub-problem in words, in the language of the question."""
        return where_is(self.part["channel"], self.case.language)

    def say(self, key: str, **fields: Any) -> str:
        """Return the phrase of `key` in the language of the question."""
        return phrase(key, self.case.language, **fields)

    def title(self, fault: str) -> str:
        """Return the name of a fault's cause in the language of the question."""
        return cause_title(fault, self.case.language)
