"""A command as a turn: read, carried out step by step as the table says, and answered in its language.

Its handlers: notes, what is left for a person, our tools, a look at a device.
"""

import json
import logging
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import db
from instrumentgpt.agents.events import Event, Events, Text, Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.devices import Device, resolve
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.lognames import line_link, reference_to
from instrumentgpt.instruments.workspace import Workspace, workspace
from instrumentgpt.memory.state import identity
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import holds, phrases, terms
from instrumentgpt.modes.commands import table
from instrumentgpt.modes.commands.table import MOST_ROUNDS, TYPES, BadCommand, is_command, phrase
from instrumentgpt.storage.connection import file_of
from instrumentgpt.storage.notes import EVERYWHERE, matching_notes, notes_of
from instrumentgpt.storage.revisions import forget_note
from instrumentgpt.turn.ask import artifact_of
from instrumentgpt.turn.prompt import names_of
from instrumentgpt.turn.turn import Turn, made

TYPED = ("name", "word")  # fields of a BadCommand that hold what was typed
TURNS_TO_DEVICE = ("observe", "tool")  # commands by which a conversation turns to the device they name
MOST_NOTES = 8  # shown of one search
MOST_TURNS = 5
MOST_EVENTS = 8
MOST_LINES = 60  # of a tool's result
NOTE_CHARACTERS = 400  # shown of a note, and of a piece of an earlier message
SUMMARY_CHARACTERS = 600
LEFT = ("deferred", "rejected")  # kinds of notes that are left for a person
LIST = ("?", "list", "help")  # in place of a tool's name
_CHANNEL = re.compile(r"(?:^|\s)(?:channel\s*|通道\s*)?(\d{1,2})$", re.IGNORECASE)
_log = logging.getLogger(__name__)
Doing = Generator[Event, None, str]  # a handler at work: its events, and the content of its follow-up


class CannotDo(InstrumentGPTError):
    """A command that was understood, and cannot be carried out; the text says why, in its language."""


@dataclass(frozen=True)
class Bench:
    """What a handler works with: the turn, and the language of the command."""

    turn: Turn
    language: Language

    def say(self, key: str, **fields: Any) -> str:
        """Return the sentence `key` of texts.toml in the language of the command."""
        return phrase(key, self.language, **fields)

    @property
    def device(self) -> Device | None:
        """The device that is meant: named in the command, else the one the conversation is about."""
        return next(iter(self.turn.devices), self.turn.inventory.known_as(identity(self.turn.state)))


def carry_out(turn: Turn) -> Events:
    """Answer the command that is the turn's question; no agent is asked."""
    bench = Bench(turn, _language(turn))
    turn.learns_from_words = False  # what it says was typed, noted or logged before: nothing was concluded
    first = _first(turn, bench)
    if first.name not in TURNS_TO_DEVICE:  # a note that names a device asks nothing of it
        turn.state, turn.filed = turn.stored_state(), {}
    action: table.Action | None = table.begin(first)
    while action is not None:
        follow_up = yield from performed(bench, action)
        action = table.after(action, follow_up)


def performed(bench: Bench, action: table.Action) -> Doing:
    """Carry out one action and return its follow-up; what it cannot do is told by a failed one."""
    rounds = table.ponder_rounds(_user_messages(bench.turn)) + 1 if action.name == "ponder" else 1
    try:
        done = HANDLERS[action.name](bench, **action.given)
        content = done if isinstance(done, str) else (yield from done)
    except InstrumentGPTError as problem:
        why = str(problem) if isinstance(problem, CannotDo) else plain_text(str(problem))
        return table.write(action, bench.say("failed", command=action.name, reason=why), is_done=False)
    return table.write(action, content, rounds=rounds)


def help_text(bench: Bench, command: str = "") -> str:
    """Return the commands with their usage, or one of them with an example."""
    lines = [f"`{row.usage(name)}`: {bench.say(f'commands.{name}')}" for name, row in table.COMMANDS.items()]
    if command:
        example = bench.say("help_example", example=table.COMMANDS[command].example)
        return f"{lines[list(table.COMMANDS).index(command)]}\n\n{example}"
    return "\n".join([bench.say("help"), "", *(f"- {line}" for line in lines)])


def _first(turn: Turn, bench: Bench) -> table.Action:
    """Return the action that the command asks for; help, and what is wrong with a command, are spoken."""
    try:
        action = table.parse(turn.question.content)
        if action.name == "help":
            named = table.known_name(action.given["command"]) if action.given["command"] else ""
            return table.Action("speak", {"message": help_text(bench, named)})
        return action
    except BadCommand as problem:
        fields = {key: quoted(text) if key in TYPED else text for key, text in problem.fields.items()}
        return table.Action("speak", {"message": bench.say(problem.key, **fields)})


def _user_messages(turn: Turn) -> list[str]:
    """Return the user's messages before the command."""
    return [message.content for message in turn.earlier if message.role == "user"]


def _language(turn: Turn) -> Language:
    """Return the language of the command's words, or, where it has none, of the question before."""
    words = table.words_of(turn.question.content)
    if any(map(str.isalpha, words)):
        return language_of(words)
    questions = [text for text in _user_messages(turn) if not is_command(text)]
    return language_of("".join(questions[-1:]))


def speak(bench: Bench, message: str) -> Doing:
    """Say `message` in the conversation."""
    yield Text(message or bench.say("done"), whole=True)
    return ""


def memorize(bench: Bench, id: str, kind: str, scope: str, text: str) -> str:
    """Keep a note; one of the same name and scope is replaced."""
    if scope == "device" and bench.device is None:
        raise CannotDo(bench.say("no_device"))
    device = bench.device.name if bench.device else ""
    where = {"global": EVERYWHERE, "device": device}.get(scope, bench.turn.run.conversation_id)
    ids = {note.id for note in db.list_notes(bench.turn.database, scope=where)}
    db.save_note(bench.turn.database, id, text, kind, where)
    named = {"id": quoted(id), "kind": bench.say(kind), "scope": _scope_name(bench, where)}
    return bench.say("memorized_anew" if id in ids else "memorized", **named, text=_line(text))


def recall(bench: Bench, query: str) -> str:
    """Return what notes and earlier messages say that bears on `query`."""
    name, notes = quoted(query), _matching_notes(bench, query, MOST_NOTES)
    parts = {"recalled_notes": notes, "recalled_turns": _quotes(bench, query, MOST_TURNS)}
    sections = ["\n".join([bench.say(key, query=name), "", *lines]) for key, lines in parts.items() if lines]
    return "\n\n".join(sections) or bench.say("nothing_recalled", query=name)


def forget(bench: Bench, id: str, reason: str) -> str:
    """Remove a note, of the narrowest scope that has one of this name; the reason stays on record."""
    here = _notes(bench)
    note = next((item for item in here if item.id == id), None)
    if note is None:
        names = ", ".join(dict.fromkeys(quoted(item.id) for item in here[:MOST_NOTES]))
        hint = bench.say("notes_are", names=names) if names else bench.say("no_notes")
        raise CannotDo(bench.say("no_note", id=quoted(id), known=hint))
    forget_note(*bench.turn.where, note, reason=reason)
    return bench.say("forgotten", id=quoted(id), scope=_scope_name(bench, note.scope), reason=_line(reason))


def ponder(bench: Bench, questions: list[str]) -> str:
    """Return for each question what notes and earlier messages say of it, and how many have something."""
    answers = {
        question: _matching_notes(bench, question, 2) + _quotes(bench, question, 2) for question in questions
    }
    paragraphs = [
        f"**{plain_text(question)}** " + ("\n\n" + "\n".join(lines) if lines else bench.say("not_known"))
        for question, lines in answers.items()
    ]
    answered = sum(map(bool, answers.values()))
    return "\n\n".join([*paragraphs, bench.say("conclusion", count=answered, all=len(answers))])


def leave(bench: Bench, reason: str, kind: str) -> Doing:
    """Say that a person is needed, or what is rejected, and note it under a name that no other note has.

    kind  "deferred" or "rejected": for a person, or so that agents know
    """
    text, where = reason or bench.say("endless", rounds=MOST_ROUNDS), bench.turn.run.conversation_id
    taken = {note.id for note in db.list_notes(bench.turn.database, scope=where)}
    name = next(name for number in count(1) if (name := f"{kind}-{number}") not in taken)
    db.save_note(bench.turn.database, name, text, kind, where)
    yield Text(bench.say(kind, reason=_line(text), id=quoted(name)), whole=True)
    return ""


def _scope_name(bench: Bench, scope: str) -> str:
    if scope == EVERYWHERE:
        return bench.say("global")
    return bench.say("conversation") if scope == bench.turn.run.conversation_id else plain_text(scope)


def _notes(bench: Bench) -> list[db.Note]:
    """Return all notes but those of other conversations: first what is nearest to this one."""
    near = [bench.device.name] if bench.device else []
    every = dict.fromkeys([*near, *(device.name for device in bench.turn.inventory.devices)])
    return notes_of(*bench.turn.where, every)


def _matching_notes(bench: Bench, query: str, most: int) -> list[str]:
    """Return the notes that bear on `query`, a line each, the best first."""
    lines = []
    for note in matching_notes(_notes(bench), query, names_of(bench.turn.inventory))[:most]:
        kind = f"{note.kind}_note" if note.kind in LEFT else note.kind
        shown = bench.say(kind) if note.kind in (*TYPES, *LEFT) else plain_text(kind)
        lines.append(f"- {quoted(note.id)} ({shown}, {_scope_name(bench, note.scope)}): {_line(note.text)}")
    return lines


def _quotes(bench: Bench, query: str, most: int) -> list[str]:
    """Return what earlier messages say that bears on `query`, the best first; commands are left out."""
    turn = bench.turn
    names = names_of(turn.inventory)
    sought = phrases(query, names)
    lines: list[str] = []
    for piece in db.recall(*turn.where, query, names, turn.question.id):
        words = " ".join(piece.lines)
        is_hit = any(holds(terms(words), phrase) for phrase in sought)  # and not what stands beside one
        pair = db.list_messages(*turn.where, before=piece.message_id + 1, last=2)
        asked = [message.content for message in pair if message.role == "user"][-1:]
        if len(lines) < most and is_hit and not any(map(is_command, asked)):
            speaker = bench.say("User" if piece.role == "user" else "Assistant")
            lines.append(f"- {bench.say('turn', turn=piece.turn, speaker=speaker)}: {_line(words)}")
    return lines


def _line(text: str) -> str:
    return plain_text(shorten(" ".join(text.split()), NOTE_CHARACTERS))


def use_tool(bench: Bench, tool: str, arguments: Mapping[str, Any]) -> Doing:
    """Use the tool of the registry and return its result as people read it."""
    from instrumentgpt.instruments.tools import TOOLS  # pandas: only where a tool is used
    from instrumentgpt.instruments.tools.called import needs, takes, usage

    if tool in LIST:
        return "\n".join([bench.say("tools"), "", *(f"- `{usage(name)}`" for name in TOOLS)])
    state, given = bench.turn.state, dict(arguments)  # completed by what the conversation knows
    if isinstance(named := given.get("device"), str):
        given["device"] = next((item.name for item in resolve(named, bench.turn.inventory).devices), named)
    elif needs(tool, "device") and bench.device:
        given["device"] = bench.device.name
    if "log" not in given and needs(tool, "log") and state.last_log_file:
        given["log"] = state.last_log_file
        if takes(tool, "device") and bench.device:
            given.setdefault("device", bench.device.name)
    if takes(tool, "language"):
        given.setdefault("language", bench.language)
    if takes(tool, "record") and state.findings:
        given.setdefault("record", language_of("\n".join(state.findings)))
    result = yield from _used(bench, tool, given)
    return _shown(bench, result, str(given.get("device") or ""))


def observe(bench: Bench, where: str) -> Doing:
    """Return the last readings and the newest events of the newest log of the device that `where` names."""
    inventory = bench.turn.inventory
    known = plain_text(", ".join(device.label for device in inventory.devices))
    numbered = _CHANNEL.search(where)
    rest = where[: numbered.start()].strip() if numbered else where
    if numbered and rest and not resolve(rest, inventory).devices:
        numbered, rest = None, where
    if rest and not resolve(rest, inventory).devices:
        raise CannotDo(bench.say("observe_what", word=quoted(rest), known=known))
    if bench.device is None:
        raise CannotDo(bench.say("observe_nothing", known=known))
    device, channel = bench.device, int(numbered[1]) if numbered else None
    fetched = yield from _used(bench, "fetch_log", {"device": device.name})
    about = {"log": fetched["log"], "device": device.name}
    figures = yield from _used(bench, "channel_metrics", {**about, "channel": channel})
    reference = reference_to(fetched["log"], device.name)
    clock = moment(str(figures["end"]))
    title = bench.say("observed", label=plain_text(device.label), log=plain_text(fetched["log"]), clock=clock)
    readings = [_reading(bench, row, figures["unit"], reference) for row in figures["channels"]]
    events = _newest_events(bench, **about)
    return "\n\n".join([title, "\n".join(readings) or bench.say("no_readings"), events])


def _reading(bench: Bench, channel: Mapping[str, Any], unit: str, log: str) -> str:
    last, units = channel["last"], {"pv": unit, "setpoint": unit, "output": "%"}
    values = {
        name: "–" if last[name] is None else f"{last[name]:g} {unit}".strip() for name, unit in units.items()
    }
    link = line_link(log, last["line"])
    return f"- {bench.say('reading', channel=channel['channel'], **values, link=link)}"


def _newest_events(bench: Bench, log: str, device: str) -> str:
    """Return the newest event lines, each kind once with how often it occurs; trouble first."""
    from instrumentgpt.instruments.messages import TROUBLE, group_messages
    from instrumentgpt.instruments.tools.opened import open_log

    opened = open_log(_workspace(bench), log, device).log
    lines = []
    groups = sorted(group_messages(opened.events), key=lambda group: -group.messages[-1].line)
    for group in sorted(groups, key=lambda group: group.level not in TROUBLE)[:MOST_EVENTS]:
        last = group.messages[-1]
        often = f" (×{len(group.messages):,})" if len(group.messages) > 1 else ""
        clock = f"{moment(opened.clock(last.time))} {plain_text(group.level)}"
        lines.append(f"- {clock} {quoted(last.text)} {line_link(f'{device}/{log}', last.line)}{often}")
    return "\n".join([bench.say("newest_events"), "", *lines]) if lines else bench.say("no_events")


def _used(bench: Bench, name: str, given: Mapping[str, Any]) -> Generator[Event, None, dict[str, Any]]:
    """Yield the call of a tool as an agent's would be seen, its chart stored; return its result."""
    from instrumentgpt.instruments.tools.called import call, known_tool

    known_tool(name)
    call_id = f"command-{len(bench.turn.results) + 1}"
    yield Tool(call_id, name, "started", dict(given), server=SERVER)
    try:
        result = call(_workspace(bench), name, given)
    except InstrumentGPTError as problem:
        yield Tool(call_id, name, "failed", dict(given), str(problem), SERVER)
        raise
    except Exception as problem:  # the edge of a tool call: it is told, and the turn ends
        _log.exception("%s", name)
        why = reason(problem)
        yield Tool(call_id, name, "failed", dict(given), why, SERVER)
        raise CannotDo(bench.say("tool_broke", tool=quoted(name), reason=quoted(why))) from problem
    done = Tool(call_id, name, "ok", dict(given), json.dumps(result, ensure_ascii=False), SERVER)
    yield done
    yield from artifact_of(bench.turn, done)
    return result


def _workspace(bench: Bench) -> Workspace:
    turn = bench.turn
    return workspace(
        str(turn.inventory.path),
        str(turn.home() / "cache"),
        str(made(turn.folder / "artifacts")),
        map(str, turn.uploads()),
        file_of(turn.database),
        turn.run.conversation_id,
    )


def _shown(bench: Bench, result: Mapping[str, Any], device: str) -> str:
    """Return a tool's result: its summary, the lines it quotes, a line for each other field; bounded."""
    log, device = result.get("log"), result.get("device") or device
    reference = f"{device}/{log}" if device and log else str(log or "")
    rows = [f"- {line_link(reference, line)} {quoted(text)}" for line, text in _lines_in(result) if log]
    for key, value in result.items():
        items = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        is_shown = key not in ("summary", "artifact", "lines") and value not in (None, "", [], {})
        texts = (item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items)
        rows += [f"- {plain_text(key.replace('_', ' '))}: {quoted(text)}" for text in texts if is_shown]
    if len(rows) > MOST_LINES:
        rows = [*rows[:MOST_LINES], f"- {bench.say('more', count=len(rows) - MOST_LINES)}"]
    summary = plain_text(shorten(str(result.get("summary", "")), SUMMARY_CHARACTERS))
    return "\n\n".join(part for part in (summary, "\n".join(rows)) if part)


def _lines_in(value: Any) -> Generator[tuple[int, str], None, None]:
    """Yield (line, text) of the log lines that a result quotes, in order."""
    if isinstance(value, Mapping):
        if isinstance(value.get("line"), int) and isinstance(value.get("text"), str):
            yield value["line"], value["text"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _lines_in(item)


HANDLERS: dict[str, Callable[..., Doing | str]] = {
    "speak": speak,
    "memorize": memorize,
    "recall": recall,
    "forget": forget,
    "ponder": ponder,
    "tool": use_tool,
    "observe": observe,
    "defer": partial(leave, kind="deferred"),
    "reject": partial(leave, kind="rejected"),
    "task_complete": lambda _, completion_reason: "",  # it has been spoken
}
