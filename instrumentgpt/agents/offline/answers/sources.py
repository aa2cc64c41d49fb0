"""Which logs an answer is from: said once at its end, where the answer itself does not name them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted

_LINK = re.compile(r"\]\([^()\s]*\)")  # where a link leads is not read by anybody


def with_source(case: Case, answer: Callable[[Case], Iterator[str]]) -> Iterator[str]:
    """Yield what `answer` says, then the names of the logs that its tools read and that it did not name."""
    read: dict[str, None] = {}

    def tool(name: str, **given: Any) -> Result:
        result = case.tool(name, **given)
        if name != "fetch_log" and isinstance(log := result.get("log"), str):
            read[log.removesuffix(".gz")] = None
        return result

    said = []
    for words in answer(replace(case, tool=tool)):
        said.append(words)
        yield words
    shown = _LINK.sub("]", "".join(said))
    if unnamed := [quoted(log) for log in read if log and log not in shown]:
        told = phrase("source", case.language, logs=joined(unnamed, case.language), count=len(unnamed))
        yield ("\n" if shown.endswith("\n") else "\n\n") + told
