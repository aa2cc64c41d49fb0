"""A command as a turn: read, carried out step by step as the table says, and answered in its language."""

from collections.abc import Callable

import db
import memory
from instrumentgpt.agents.events import Events
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.commands import handlers, table
from instrumentgpt.modes.commands.handlers import Bench, CannotDo, Doing
from instrumentgpt.turn.turn import Turn

LOOKED_AT = 20  # messages before a command without words, for the language
TYPED = ("name", "word")  # fields of a BadCommand that hold what was typed
TURNS_TO_DEVICE = ("observe", "tool")  # commands by which a conversation turns to the device they name
HANDLERS: dict[str, Callable[..., Doing]] = {
    "speak": handlers.speak,
    "memorize": handlers.memorize,
    "recall": handlers.recall,
    "forget": handlers.forget,
    "ponder": handlers.ponder,
    "tool": handlers.use_tool,
    "observe": handlers.observe,
    "defer": handlers.defer,
    "reject": handlers.reject,
    "task_complete": handlers.complete,
}


def carry_out(turn: Turn) -> Events:
    """Answer the command that is the turn's question; no agent is asked."""
    bench = Bench(turn, _language(turn))
    turn.learns_from_words = False  # what it says was typed, noted or logged before: nothing was concluded
    first = _first(turn, bench)
    if first.name not in TURNS_TO_DEVICE:  # a note that names a device asks nothing of it
        _, stored = db.get_memory(turn.run.conversation_id, turn.database)
        turn.state, turn.filed = memory.DiagnosticState.deserialize(stored), {}
    action: table.Action | None = table.begin(first)
    while action is not None:
        follow_up = yield from performed(bench, action)
        action = table.after(action, follow_up)


def performed(bench: Bench, action: table.Action) -> Doing:
    """Carry out one action and return its follow-up; what it cannot do is told by a failed one."""
    rounds = table.ponder_rounds(_user_messages(bench.turn)) + 1 if action.name == "ponder" else 1
    try:
        content = yield from HANDLERS[action.name](bench, **action.given)
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
    except table.BadCommand as problem:
        fields = {key: quoted(text) if key in TYPED else text for key, text in problem.fields.items()}
        return table.Action("speak", {"message": bench.say(problem.key, **fields)})


def _user_messages(turn: Turn, last: int = -1) -> list[str]:
    """Return the user's messages before the command, of the `last` messages."""
    before = db.list_messages(*turn.where, before=turn.question.id, last=last)
    return [message.content for message in before if message.role == "user"]


def _language(turn: Turn) -> Language:
    """Return the language of the command's words, or, where it has none, of the question before."""
    words = table.words_of(turn.question.content)
    questions = [text for text in _user_messages(turn, LOOKED_AT) if not table.is_command(text)]
    return language_of(words if any(map(str.isalpha, words)) else "".join(questions[-1:]))
