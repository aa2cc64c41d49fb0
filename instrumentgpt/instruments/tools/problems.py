"""What a tool could not do, with the remedy, in both languages (problems.toml)."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, Sentence
from instrumentgpt.instruments.reading.bounds import OversizedLog

PROBLEMS = Path(__file__).with_name("problems.toml")


class ToolProblem(InstrumentGPTError):
    """What a tool could not do: a sentence of problems.toml and its fields. As text it is English."""

    def __init__(self, key: str, **fields: Any) -> None:
        self.key, self.fields = key, fields
        super().__init__(self.told("en"))

    def told(self, language: Language) -> str:
        """Return what could not be done, and what helps, in `language`."""
        return str(Sentence().format(problems()[self.key][language], **self.fields))


@cache
def problems() -> dict[str, dict[str, str]]:
    """Return every sentence: key → language → text with {fields}."""
    return tomllib.loads(PROBLEMS.read_text(encoding="utf-8"))


def told(problem: InstrumentGPTError, language: Language) -> str:
    """Return the text of a problem in `language`, in English where it has no other."""
    return problem.told(language) if isinstance(problem, ToolProblem | OversizedLog) else str(problem)
