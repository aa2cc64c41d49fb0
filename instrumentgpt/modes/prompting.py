"""What modes' prompts are made of: tasks that stand in files, and sections that keep to a budget."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

import memory
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.turn.prompt import keep_long_request, request_file
from instrumentgpt.turn.turn import Turn

LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Traditional Chinese (繁體中文)"}
MARGIN = 0.93  # of a cap or budget: the estimate of tokens is 7 % off at worst


def task(path: Path, name: str, **fields: object) -> str:
    """Return what stands below the heading `name` of the Markdown file at `path`, its $fields filled in."""
    return Template(_sections(path)[name]).substitute(fields)


@cache
def _sections(path: Path) -> dict[str, str]:
    _, *parts = re.split(r"^# (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def question_within(turn: Turn, budget: int) -> str:
    """Return the question as a mode's own prompt of `budget` tokens tells it: a long one is in a file."""
    question = turn.question.content
    keep_long_request(question, turn.workspace(), budget)
    return memory.request_in_file(question, request_file(question), budget)


def fitted(before: Sequence[str], elastic: str, after: Sequence[str], budget: float) -> str:
    """Return the parts that are not empty; whole lines before the end tag of `elastic` go until they fit."""
    room = MARGIN * budget - count_tokens("\n\n".join([*before, *after]))
    lines = elastic.split("\n")
    while len(lines) > 2 and count_tokens("\n".join(lines)) > room:
        del lines[-1 - max(1, len(lines) // 8) : -1]
    return "\n\n".join(part for part in [*before, "\n".join(lines), *after] if part)
