"""A script: the prompts it expects, by their features, and what it says to each (docs/scripted-agent.md)."""

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError

DOCS = "docs/scripted-agent.md"
SHOWN_CHARACTERS = 60  # of a feature, where it is named in an error
EVERY = ("contains", "lacks", "matches", "task", "question", "say")  # one value stands for a list


class BadScript(InstrumentGPTError, ValueError):
    """A script that cannot be read or used."""


@dataclass(frozen=True)
class Prompt:
    """What an answer is chosen by; `fields` are those of the task file and of its `given`, as text."""

    text: str
    task: str = ""
    question: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """One entry of a script: the features of the prompt that it answers, and what is said to it.

    task      names, one of which the turn's task has
    contains  texts that all stand in the prompt; `lacks`: none of these does
    matches   regular expressions that are all found in it
    question  texts that all stand in the user's words alone
    given     what the turn told beside the question → text that stands in it
    nth       it answers only the n-th such prompt that reaches it; `once` is nth = 1
    say       text, or a call of our tools: {"tool": name, argument: value, …}
    error     ends the answer as failed, with these words
    delay     s before the first word
    """

    name: str = ""
    task: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    nth: int = 0
    say: tuple[str | Mapping[str, Any], ...] = ()
    error: str = ""
    delay: float = 0.0

    @property
    def turn(self) -> int:
        """Which of the prompts that reach it, it answers; 0: all of them."""
        return self.nth or int(self.once)

    def misses(self, prompt: Prompt) -> list[str]:
        """Return the features that `prompt` lacks, in words; none if this answers it."""
        wanted = self.task and prompt.task not in self.task
        return [
            *([f"the task is {prompt.task!r}, not {' or '.join(self.task)}"] if wanted else []),
            *(f"it does not contain {_short(text)}" for text in self.contains if text not in prompt.text),
            *(f"it does contain {_short(text)}" for text in self.lacks if text in prompt.text),
            *(f"it does not match {_short(p)}" for p in self.matches if not re.search(p, prompt.text)),
            *(
                f"the question does not contain {_short(text)}"
                for text in self.question
                if text not in prompt.question
            ),
            *(
                f"the task's {name} does not contain {_short(text)}"
                for name, text in self.given.items()
                if text not in prompt.fields.get(name, "")
            ),
        ]

    def found(self, prompt: Prompt) -> dict[str, str]:
        """Return what the named groups of `matches` stand for in `prompt`."""
        hits = (re.search(pattern, prompt.text) for pattern in self.matches)
        return {name: text or "" for hit in hits if hit for name, text in hit.groupdict().items()}


@dataclass(frozen=True)
class Script:
    """The answers of one file, in order; `digest` changes with its content."""

    path: Path
    answers: tuple[Answer, ...]
    digest: str


def read_script(path: Path) -> Script:
    """Return the script in the file at `path`: TOML, or JSON if its name ends so."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
        told = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as problem:
        raise BadScript(f"{path}: cannot be read as a script: {problem}. See {DOCS}") from None
    entries = told.get("answer") if isinstance(told, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadScript(f"{path}: no list of answers. Begin each with [[answer]]: {DOCS}")
    answers = tuple(_answer(entry, f"{path.name}: answer {n}") for n, entry in enumerate(entries, 1))
    return Script(path, answers, hashlib.blake2b(content, digest_size=8).hexdigest())


def choose_answer(script: Script, prompt: Prompt, met: Callable[[int], int]) -> Answer:
    """Return the first answer that fits `prompt`; raise BadScript, naming what each looked for, if none does.

    met  counts one more prompt for the answer of this number, and returns which one it is, from 1
    """
    missing = []
    for number, answer in enumerate(script.answers, 1):
        misses = answer.misses(prompt)
        if not misses and answer.turn:
            nth = met(number)
            misses = [] if nth == answer.turn else [f"it is for time {answer.turn}, and this is time {nth}"]
        if not misses:
            return answer
        missing.append(f"{number}. {answer.name or 'answer'}: {'; '.join(misses)}")
    asked = f"task {prompt.task!r}, question {_short(prompt.question)}"
    looked = "\n".join(missing) or "it has no answers"
    raise BadScript(f"{script.path.name}: no answer fits this prompt ({asked}).\n{looked}\nAdd one that does")


def filled(text: str, names: Mapping[str, str]) -> str:
    """Return `text` with each ${name} of `names` replaced; other words in braces stay.

    >>> filled("see ${ref} and ${more}", {"ref": "log_1"})
    'see log_1 and ${more}'
    """
    return re.sub(r"\$\{(\w+)\}", lambda hit: names.get(hit[1], hit[0]), text)


def _answer(entry: Mapping[str, Any], where: str) -> Answer:
    known = {one.name: one for one in fields(Answer)}
    for key in entry:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}"
            raise BadScript(f"{where}: {key!r} is no feature of an answer; {hint}")
    given: dict[str, Any] = {
        key: tuple(_listed(value)) if key in EVERY else value for key, value in entry.items()
    }
    answer = Answer(**given)
    _check(answer, where)
    return answer


def _check(answer: Answer, where: str) -> None:
    """Raise BadScript unless each feature has a value of its kind."""
    texts = (answer.task, answer.contains, answer.lacks, answer.matches, answer.question)
    named = isinstance(answer.given, dict) and all(isinstance(text, str) for text in answer.given.values())
    fits = (
        all(isinstance(text, str) for several in texts for text in several)
        and named
        and all(isinstance(part, str) or _is_call(part) for part in answer.say)
        and isinstance(answer.name, str)
        and isinstance(answer.error, str)
        and type(answer.once) is bool
        and type(answer.nth) is int
        and type(answer.delay) in (int, float)
    )
    if not fits:
        raise BadScript(f"{where}: a feature has a value of another kind. See {DOCS}")
    if not answer.say and not answer.error:
        raise BadScript(f'{where}: it says nothing. Give it say = "…", or error = "…"')
    for pattern in answer.matches:
        try:
            re.compile(pattern)
        except re.error as problem:
            raise BadScript(f"{where}: {pattern!r} is no regular expression: {problem}. Correct it") from None


def _is_call(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("tool"), str)


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _short(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= SHOWN_CHARACTERS else f"{words[:SHOWN_CHARACTERS]}…")
