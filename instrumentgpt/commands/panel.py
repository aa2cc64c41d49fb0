"""`panel`: several possible causes, examined by experts; the decomposition is shown and approved first."""

import argparse
import sys
from contextlib import closing
from pathlib import Path

from instrumentgpt.commands import ask
from instrumentgpt.commands.stored import conversation_for, opened
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.storage.panels import latest_panel
from instrumentgpt.storage.paths import database_path, make_files_private
from instrumentgpt.turn import runs

MODE = "panel"


class NoAnswer(InstrumentGPTError, EOFError):
    """The decomposition was not approved, because nobody could be asked."""


def run(arguments: argparse.Namespace) -> int:
    """Print the decomposition, and after approval each stage; return 0 once the panel has concluded."""
    make_files_private()
    files = [ask.known_file(path) for path in arguments.log]
    conversation = conversation_for(arguments.question, arguments)
    message: str | None = arguments.question
    code = 0
    while message is not None:
        code = _turn(conversation, message, arguments.agent, files)
        files = []
        message = _next(conversation, arguments.yes) if code == 0 else None
    print(f"conversation {conversation} (go on with --continue)", file=sys.stderr)
    return code


def _turn(conversation: str, message: str, agent: str, files: list[Path]) -> int:
    events = runs.consume(database_path(), conversation, message, mode=MODE, agent=agent, attachments=files)
    with closing(events) as stream:
        return ask.print_text(stream, as_they_come=True)


def _next(conversation: str, approved: bool) -> str | None:
    """Return what to say to a proposed decomposition: what the user types; None if none is waiting."""
    with opened() as database:
        panel = latest_panel(database, conversation)
    if panel is None or panel.status != "proposed":
        return None
    if approved:
        return "yes"
    try:
        return input("yes, no, “remove 2”, or the changed list in one line a sub-problem: ")
    except EOFError:
        raise NoAnswer("The decomposition was not approved. Give --yes, or answer on a terminal") from None
