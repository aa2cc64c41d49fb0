"""What can be typed after `$`, and what it means; the only place that reads a command."""

import difflib
import json
import re
import shlex
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from instrumentgpt.errors import InstrumentGPTError

TYPES = {  # of a note: the word in Chinese
    "note": "筆記",
    "fact": "事實",
    "wish": "要求",
    "warning": "警告",
    "todo": "待辦",
}
SCOPES = {"conversation": "對話", "device": "裝置", "global": "全域"}
ID_CHARACTERS = 80
TEXT_CHARACTERS = 2_000  # of a note: more would not fit a prompt of 2,000 tokens
_LETTER = "A-Za-zＡ-Ｚａ-ｚ_＿"  # Chinese words may follow a name without a blank
_COMMAND = re.compile(rf"[$＄][^\S\n]*+(?P<name>[{_LETTER}][{_LETTER}-]*+)?(?!\d)(?P<words>.*)", re.DOTALL)


class BadCommand(InstrumentGPTError, ValueError):
    """A command that cannot be carried out as it was typed.

    key     why, as texts.toml names it
    fields  what its sentence is about
    """

    def __init__(self, key: str, **fields: str) -> None:
        super().__init__(f"{key}: {fields}. Type $help for what there is")
        self.key, self.fields = key, fields


@dataclass(frozen=True)
class Action:
    """One thing to do: the handler's name, and what it is given, by the names that ACTIONS lists."""

    name: str
    given: Mapping[str, Any]

    def __post_init__(self) -> None:
        if set(self.given) != set(ACTIONS[self.name]):
            raise TypeError(f"{self.name} takes {', '.join(ACTIONS[self.name])}, not {', '.join(self.given)}")


@dataclass(frozen=True)
class Command:
    """How a command is typed; `read` makes what its handler is given, or raises BadCommand."""

    arguments: str
    example: str
    read: Callable[[str], dict[str, Any]]

    def usage(self, name: str) -> str:
        """Return the command with its arguments, as help shows it."""
        return f"${name} {self.arguments}".strip()


ACTIONS: dict[str, tuple[str, ...]] = {
    "speak": ("message",),
    "memorize": ("id", "kind", "scope", "text"),
    "recall": ("query",),
    "forget": ("id", "reason"),
    "ponder": ("questions",),
    "tool": ("tool", "arguments"),
    "observe": ("where",),
    "defer": ("reason",),
    "reject": ("reason",),
    "task_complete": ("completion_reason",),
    "help": ("command",),
}


def is_command(text: str) -> bool:
    """Return whether `text` is a command, known or not; an amount of dollars is none.

    >>> is_command("$recall fan"), is_command(" ＄help"), is_command("$"), is_command("$20 for a sensor?")
    (True, True, True, False)
    """
    return _COMMAND.fullmatch(text.strip()) is not None


def parse(text: str) -> Action:
    """Return what the command `text` asks for, or raise BadCommand.

    >>> parse("$forget fan it was replaced")
    Action(name='forget', given={'id': 'fan', 'reason': 'it was replaced'})
    """
    found = _COMMAND.fullmatch(text.strip())
    if found is None or not found["name"]:
        raise _unknown(" ".join(text.split()[:1]))
    name = known_name(found["name"])
    return Action(name, COMMANDS[name].read(found["words"].strip()))


def known_name(typed: str) -> str:
    """Return the command that `typed` names, in any case and width, or raise BadCommand."""
    name = _folded(typed)
    if name not in COMMANDS:
        raise _unknown(typed)
    return name


def _unknown(typed: str) -> BadCommand:
    near = "".join(difflib.get_close_matches(_folded(typed), COMMANDS, 1))
    every = " ".join(f"`${known}`" for known in COMMANDS)
    shown = f"${typed.lstrip('$＄')[:ID_CHARACTERS]}"
    return BadCommand("meant" if near else "unknown", name=shown, near=f"${near}", known=every)


def _folded(typed: str) -> str:
    return unicodedata.normalize("NFKC", typed).casefold().lstrip("$").replace("-", "_")


def words_of(text: str) -> str:
    """Return what was typed after the command's name."""
    found = _COMMAND.fullmatch(text.strip())
    return found["words"].strip() if found else ""


def _message(field: str, name: str) -> Callable[[str], dict[str, Any]]:
    def read(words: str) -> dict[str, Any]:
        if not words:
            raise _incomplete(name)
        return {field: words}

    return read


def _incomplete(name: str) -> BadCommand:
    command = COMMANDS[name]
    return BadCommand("incomplete", usage=command.usage(name), example=command.example)


def _note(words: str) -> dict[str, Any]:
    """Return id, kind, scope and text of a note; a text that begins like a type or scope stands in quotes."""
    note_id, *rest = words.split(maxsplit=1) or [""]
    text = rest[0] if rest else ""
    if not note_id:
        raise _incomplete("memorize")
    kind, text = _word_of(TYPES, text)
    scope, text = _word_of(SCOPES, text)
    if not kind:
        kind, text = _word_of(TYPES, text)
    text = _unquoted(text) or note_id
    if len(note_id) > ID_CHARACTERS or len(text) > TEXT_CHARACTERS:
        raise BadCommand("too_long", most=f"{ID_CHARACTERS}", most_text=f"{TEXT_CHARACTERS:,}")
    return {"id": note_id, "kind": kind or "note", "scope": scope or "conversation", "text": text}


def _word_of(known: Mapping[str, str], text: str) -> tuple[str, str]:
    """Return which of `known` is the first word of `text`, or "", and the rest."""
    first, *rest = text.split(maxsplit=1) or [""]
    for name, chinese in known.items():
        if first.casefold() in (name, chinese):
            return name, rest[0] if rest else ""
    return "", text


def _unquoted(text: str) -> str:
    for opening, closing in ('""', "''", "“”", "「」"):
        if len(text) > 1 and text[0] == opening and text[-1] == closing:
            return text[1:-1].strip()
    return text


def _forgotten(words: str) -> dict[str, Any]:
    note_id, *reason = words.split(maxsplit=1) or [""]
    if not reason:
        raise _incomplete("forget")
    return {"id": note_id, "reason": reason[0]}


def _questions(words: str) -> dict[str, Any]:
    questions = [part.strip() for part in re.split(r"[;；\n]", words) if part.strip()]
    if not questions:
        raise _incomplete("ponder")
    return {"questions": questions}


def _tool(words: str) -> dict[str, Any]:
    """Return the tool's name and its arguments: JSON, or name=value as a shell has them."""
    name, *rest = words.split(maxsplit=1) or [""]
    if not name:
        raise _incomplete("tool")
    told = rest[0] if rest else ""
    return {"tool": name, "arguments": _json(told) if told.startswith("{") else _pairs(told)}


def _json(told: str) -> dict[str, Any]:
    try:
        found = json.loads(told)
    except (ValueError, RecursionError) as problem:
        raise BadCommand("bad_json", reason=str(problem), example=COMMANDS["tool"].example) from None
    return dict(found)


def _pairs(told: str) -> dict[str, Any]:
    try:
        words = shlex.split(told)
    except ValueError as problem:
        raise BadCommand("bad_pairs", word=str(problem), example=COMMANDS["tool"].example) from None
    pairs = [word.partition("=") for word in words]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise BadCommand("bad_pairs", word=key, example=COMMANDS["tool"].example)
    return {key: value for key, _, value in pairs}


COMMANDS: dict[str, Command] = {
    "speak": Command("<message>", "$speak The oven is free again", _message("message", "speak")),
    "memorize": Command(
        "<id> [type] [scope] [text]", "$memorize fan warning device The fan of oven 3 is worn", _note
    ),
    "recall": Command("<query>", "$recall fan", _message("query", "recall")),
    "forget": Command("<id> <reason>", "$forget fan It was replaced", _forgotten),
    "ponder": Command("<question>; <question> …", "$ponder What was kp?; Which fan?", _questions),
    "tool": Command("<name> [name=value …]", '$tool fetch_log device="zspr 052"', _tool),
    "observe": Command("[device or channel]", "$observe 052 2", lambda words: {"where": words}),
    "defer": Command("<reason>", "$defer Somebody must look at the relay", _message("reason", "defer")),
    "reject": Command(
        "<reason>", "$reject kp must stay as it is during the validation", _message("reason", "reject")
    ),
    "task_complete": Command("[reason]", "$task_complete", lambda words: {"completion_reason": words}),
    "help": Command("[command]", "$help memorize", lambda words: {"command": words.lstrip("$＄")}),
}
