"""What can be typed after `$`, what it means, and what follows what: one table for the three, and pure.

A handler that is not terminal ends with a follow-up, a text that says by its beginning whose it is.
`write` makes it, `read` knows it again, `after` decides: a result is spoken, what was spoken is completed.
"""

import difflib
import json
import logging
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import phrase as in_language
from instrumentgpt.instruments.language import table

TEXTS = Path(__file__).with_name("texts.toml")
phrase = partial(in_language, TEXTS)
TYPES = {"note": "筆記", "fact": "事實", "wish": "要求", "warning": "警告", "todo": "待辦"}  # of a note
SCOPES = {"conversation": "對話", "device": "裝置", "global": "全域"}
ID_CHARACTERS = 80
TEXT_CHARACTERS = 2_000  # of a note: more would not fit a prompt of 2,000 tokens
MOST_ROUNDS = 8  # actions of one command; the longest flow that ends well has 3
_LETTER = "A-Za-zＡ-Ｚａ-ｚ_＿"  # Chinese words may follow a name without a blank
_COMMAND = re.compile(rf"[$＄][^\S\n]*+(?P<name>[{_LETTER}][{_LETTER}-]*+)?(?!\d)(?P<words>.*)", re.DOTALL)
_FAILED = re.compile(r"[A-Z]+ action (?:\S+ )?(?:failed|error)\b", re.IGNORECASE)
_log = logging.getLogger(__name__)


class BadCommand(InstrumentGPTError, ValueError):
    """A command that cannot be carried out as it was typed: `key` of texts.toml, and its fields."""

    def __init__(self, key: str, **fields: str) -> None:
        super().__init__(f"{key}: {fields}. Type $help for what there is")
        self.key, self.fields = key, fields


def _note(id: str, text: str) -> dict[str, str]:
    """Return id, kind, scope and text of a note; a text that begins like a type or scope stands in quotes."""
    given = {"kind": "", "scope": ""}
    named = {word: ("kind", name) for name, chinese in TYPES.items() for word in (name, chinese)}
    named |= {word: ("scope", name) for name, chinese in SCOPES.items() for word in (name, chinese)}
    while text and (match := named.get((first := text.split()[0]).casefold())) and not given[match[0]]:
        given[match[0]], text = match[1], text[len(first) :].lstrip()
    if len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "「」"):
        text = text[1:-1].strip()
    if len(id) > ID_CHARACTERS or len(text) > TEXT_CHARACTERS:
        raise BadCommand("too_long", most=f"{ID_CHARACTERS}", most_text=f"{TEXT_CHARACTERS:,}")
    kind, scope = given["kind"] or "note", given["scope"] or "conversation"
    return {"id": id, "kind": kind, "scope": scope, "text": text or id}


def _questions(questions: str) -> dict[str, list[str]]:
    return {"questions": [part.strip() for part in re.split(r"[;；\n]", questions) if part.strip()]}


def _tool(tool: str, arguments: str) -> dict[str, Any]:
    """Return the tool's name and its arguments: JSON, or name=value as a shell has them."""
    try:
        if arguments.startswith("{"):
            return {"tool": tool, "arguments": dict(json.loads(arguments))}
        pairs = [word.partition("=") for word in shlex.split(arguments)]
    except (ValueError, RecursionError) as problem:
        raise BadCommand("bad_arguments", word=str(problem), example=COMMANDS["tool"].example) from None
    if wrong := ["".join(pair) for pair in pairs if not all(pair[:2])]:
        raise BadCommand("bad_arguments", word=wrong[0], example=COMMANDS["tool"].example)
    return {"tool": tool, "arguments": {key: value for key, _, value in pairs}}


@dataclass(frozen=True)
class Command:
    """How a command is typed, and how its follow-up begins.

    arguments  as help shows them: `<…>` must be given
    fields     what the handler is given: a word each, and for the last all that are left
    heading    of the follow-up that we write; "" for a terminal handler and for help
    marks      further beginnings by which others' follow-ups are recognised
    """

    arguments: str
    fields: Sequence[str]
    example: str
    heading: str = ""
    marks: tuple[str, ...] = ()

    def usage(self, name: str) -> str:
        """Return the command with its arguments, as help shows it."""
        return f"${name} {self.arguments}".strip()


READERS: dict[str, Callable[..., dict[str, Any]]] = {  # of fields that are more than words
    "memorize": _note,
    "ponder": _questions,
    "tool": _tool,
    "help": lambda command: {"command": command.lstrip("$＄")},
}
COMMANDS = {
    name: Command(
        row["arguments"], row["fields"], row["example"], row.get("heading", ""), tuple(row.get("marks", ()))
    )
    for name, row in table(TEXTS)["commands"].items()
}


@dataclass(frozen=True)
class Action:
    """One thing to do: the command's name, and what its handler is given."""

    name: str
    given: Mapping[str, Any]
    round: int = 1  # which of its command's actions


@dataclass(frozen=True)
class FollowUp:
    """What a follow-up tells: whose it is (None: unknown), whether the work was done, and its words."""

    handler: str | None
    is_done: bool
    content: str


def is_command(text: str) -> bool:
    """Return whether `text` is a command, known or not; an amount of dollars is none.

    >>> is_command("$recall fan"), is_command(" ＄help"), is_command("$"), is_command("$20 for a sensor?")
    (True, True, True, False)
    """
    return _COMMAND.fullmatch(text.strip()) is not None


def words_of(text: str) -> str:
    """Return what was typed after the command's name."""
    typed = _COMMAND.fullmatch(text.strip())
    return typed["words"].strip() if typed else ""


def parse(text: str) -> Action:
    """Return what the command `text` asks for, or raise BadCommand.

    >>> parse("$forget fan it was replaced").given
    {'id': 'fan', 'reason': 'it was replaced'}
    """
    typed = _COMMAND.fullmatch(text.strip())
    name = known_name((typed and typed["name"]) or f" {text}")
    command = COMMANDS[name]
    words = words_of(text).split(maxsplit=len(command.fields) - 1)
    given: dict[str, Any] = dict(zip_longest(command.fields, words, fillvalue=""))
    given = READERS[name](**given) if name in READERS else given
    if not all(list(given.values())[: command.arguments.count("<")]):
        raise BadCommand("incomplete", usage=command.usage(name), example=command.example)
    return Action(name, given)


def known_name(typed: str) -> str:
    """Return the command that `typed` names, in any case and width, or raise BadCommand."""
    name = unicodedata.normalize("NFKC", typed).casefold().lstrip("$").replace("-", "_")
    if name in COMMANDS:
        return name
    near = "".join(difflib.get_close_matches(name, COMMANDS, 1))
    every = " ".join(f"`${command}`" for command in COMMANDS)
    shown = f"${typed.strip(' $＄')[:ID_CHARACTERS]}"
    raise BadCommand("meant" if near else "unknown", name=shown, near=f"${near}", known=every)


def is_terminal(name: str) -> bool:
    """Return whether nothing follows the handler `name`.

    >>> [name for name in COMMANDS if is_terminal(name)]
    ['defer', 'reject', 'task_complete', 'help']
    """
    return not COMMANDS[name].heading


def write(action: Action, content: str, is_done: bool = True, rounds: int = 1) -> str:
    """Return the follow-up of `action`, or "" if nothing follows it; a tool's names the tool.

    rounds  how often it was pondered in this conversation, this time too

    >>> write(Action("tool", {"tool": "fetch_log"}), "two logs")
    'TOOL action fetch_log executed\\ntwo logs'
    """
    if is_terminal(action.name):
        return ""
    tool = str(action.given.get("tool", ""))
    failed = " ".join(f"{action.name.upper()} action {tool} failed".split())
    heading = COMMANDS[action.name].heading.format(tool=tool, round=rounds)
    return f"{heading if is_done else failed}\n{content}"


def read(follow_up: str) -> FollowUp:
    """Return what `follow_up` tells; only its beginning says whose it is, whatever stands further down.

    >>> read("FORGET COMPLETE\\nTOOL action executed").handler
    'forget'
    """
    for name, command in COMMANDS.items():
        failed = f"{name.upper()} action"
        if command.heading and follow_up.startswith((*command.marks, failed)):
            is_done = not _FAILED.match(follow_up)
            ours = command.heading if is_done else rf"{failed} {{tool}} failed" if name == "tool" else ""
            return FollowUp(name, is_done, _below(follow_up, ours or f"{failed} failed"))
    return FollowUp(None, True, follow_up)


def _below(follow_up: str, heading: str) -> str:
    """Return what stands below our heading; a follow-up that others wrote is content as a whole."""
    pattern = re.escape(heading).replace(r"\{tool\}", r"[^\n]*?").replace(r"\{round\}", r"\d+")
    ours = re.match(f"{pattern}\n", follow_up)
    return follow_up[ours.end() :] if ours else follow_up


def is_followup(text: str) -> bool:
    """Return whether `text` is what one of our handlers left."""
    return followup_type(text) is not None


def followup_type(text: str) -> str | None:
    """Return the handler whose follow-up `text` is; None if it is nobody's.

    >>> followup_type("Memory query 'fan' returned: worn")
    'recall'
    """
    return read(text).handler


def should_task_complete(text: str) -> bool:
    """Return whether nothing is left to say: only after something was spoken."""
    return followup_type(text) == "speak" and read(text).is_done


def begin(action: Action) -> Action:
    """Return the first action of a command: a completion is never without something spoken before."""
    if action.name == "task_complete":
        return Action("speak", {"message": action.given["completion_reason"]})
    return action


def after(action: Action, follow_up: str) -> Action | None:
    """Return what comes after `action`, given its follow-up; None after a terminal one.

    What was spoken is completed; any other result, a failure too, is spoken.
    A command that does not end within MOST_ROUNDS is handed over to a person.
    """
    if is_terminal(action.name):
        return None
    flags = is_followup(follow_up), followup_type(follow_up), should_task_complete(follow_up)
    _log.info("is_followup=%s followup_type=%s should_task_complete=%s", *flags)
    _log.info("FOLLOW-UP CONTENT: %.100r", follow_up)
    if action.name == "speak" and should_task_complete(follow_up):
        return Action("task_complete", {"completion_reason": "the result was spoken"}, action.round + 1)
    if action.round + 1 >= MOST_ROUNDS:
        return Action("defer", {"reason": ""}, action.round + 1)
    return Action("speak", {"message": read(follow_up).content}, action.round + 1)


def ponder_rounds(questions: Iterable[str]) -> int:
    """Return how many of the user's messages are `$ponder`.

    >>> ponder_rounds(["$ponder kp?", "why?", "$ＰＯＮＤＥＲ fan?"])
    2
    """
    names = (typed["name"] for text in questions if (typed := _COMMAND.fullmatch(text.strip())))
    return sum(unicodedata.normalize("NFKC", name or "").casefold() == "ponder" for name in names)
