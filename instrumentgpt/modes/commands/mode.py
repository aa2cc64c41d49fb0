"""A command as a turn: read, carried out step by step as the flow says, and answered in its language."""

from collections.abc import Callable

import db
import memory
from instrumentgpt.agents.events import Done, Events, Text
from instrumentgpt.agents.offline.phrases import plain_text, quoted
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.commands.bench import Bench, CannotDo, Doing
from instrumentgpt.modes.commands.flow import Task, after, begin, write
from instrumentgpt.modes.commands.grammar import (
    COMMANDS,
    Action,
    BadCommand,
    is_command,
    known_name,
    parse,
    words_of,
)
from instrumentgpt.modes.commands.notes import defer, forget, memorize, ponder, recall, reject
from instrumentgpt.modes.commands.tool import observe, use_tool
from instrumentgpt.turn.turn import Turn

LOOKED_AT = 20  # messages before a command without words, for the language
TYPED = ("name", "word", "reason")  # fields of a BadCommand that hold what was typed
TURNS_TO_DEVICE = ("observe", "tool")  # commands by which a conversation turns to the device they name


def carry_out(turn: Turn) -> Events:
    """Answer the command that is the turn's question; no agent is asked."""
    bench = Bench(turn, _language(turn))
    turn.learns_from_words = False  # what it says was typed, noted or logged before: nothing was concluded
    action = _first(turn, bench)
    if action.name not in TURNS_TO_DEVICE:
        _stay_with_device(turn)
    task: Task | None = begin(action)
    while task is not None:
        follow_up = yield from performed(bench, task.action)
        task = after(task, follow_up)
    yield Done("ok", turn.answer.text)


def performed(bench: Bench, action: Action) -> Doing:
    """Carry out one action and return its follow-up; what it cannot do is told by a failed one."""
    try:
        content = yield from HANDLERS[action.name](bench, **action.given)
    except InstrumentGPTError as problem:
        why = str(problem) if isinstance(problem, CannotDo) else plain_text(str(problem))
        return write(action.name, bench.say("failed", command=action.name, reason=why), is_done=False)
    return write(action.name, content)


def help_text(bench: Bench, command: str = "") -> str:
    """Return the commands with their usage, or one of them with an example."""
    if command:
        known = COMMANDS[command]
        example = bench.say("help_example", example=known.example)
        return f"`{known.usage(command)}`: {bench.say(f'help_{command}')}\n\n{example}"
    lines = [f"- `{one.usage(name)}`: {bench.say(f'help_{name}')}" for name, one in COMMANDS.items()]
    return "\n".join([bench.say("help"), "", *lines])


def _first(turn: Turn, bench: Bench) -> Action:
    """Return the action that the command asks for; help, and what is wrong with a command, are spoken."""
    try:
        action = parse(turn.question.content)
        if action.name == "help":
            named = known_name(action.given["command"]) if action.given["command"] else ""
            return Action("speak", {"message": help_text(bench, named)})
        return action
    except BadCommand as problem:
        told = {key: quoted(text) if key in TYPED else text for key, text in problem.fields.items()}
        return Action("speak", {"message": bench.say(problem.key, **told)})


def _language(turn: Turn) -> Language:
    """Return the language of the command's words, or, where it has none, of the question before."""
    words = words_of(turn.question.content)
    before = db.list_messages(
        turn.database, turn.run.conversation_id, before=turn.question.id, last=LOOKED_AT
    )
    asked = [one.content for one in before if one.role == "user" and not is_command(one.content)]
    return language_of(words if any(map(str.isalpha, words)) else "".join(asked[-1:]))


def _stay_with_device(turn: Turn) -> None:
    """Undo what opening the turn concluded from a device's name: a note that names one asks nothing of it."""
    _, stored = db.get_memory(turn.run.conversation_id, turn.database)
    turn.state, turn.filed = memory.DiagnosticState.deserialize(stored), {}


def speak(bench: Bench, message: str) -> Doing:
    """Say `message` in the conversation."""
    yield Text(message or bench.say("done"), whole=True)
    return ""


def complete(bench: Bench, completion_reason: str) -> Doing:
    """End the task; it has been spoken."""
    yield from ()
    return ""


HANDLERS: dict[str, Callable[..., Doing]] = {
    "speak": speak,
    "memorize": memorize,
    "recall": recall,
    "forget": forget,
    "ponder": ponder,
    "tool": use_tool,
    "observe": observe,
    "defer": defer,
    "reject": reject,
    "task_complete": complete,
}
