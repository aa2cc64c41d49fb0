"""`python -m instrumentgpt export CONVERSATION`: all of a conversation as one zip file."""

import argparse
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.commands.stored import opened
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.storage.export import export_name, export_to


def run(arguments: argparse.Namespace) -> int:
    """Write the zip and print its path; return 0."""
    with opened() as database:
        conversation = db.get_conversation(database, arguments.conversation)
        title = conversation.title if conversation else ""
        path = arguments.output or Path(export_name(title, arguments.conversation))
        write_export(path, database, arguments.conversation)
    print(path)
    return 0


def write_export(path: Path, database: Database, conversation_id: str) -> None:
    """Write the zip of the conversation, whole or not at all; raise UnwritableFile with the remedy."""
    try:
        with whole(path) as file:
            export_to(file, database, conversation_id)
    except OSError as problem:
        if isinstance(problem, InstrumentGPTError):
            raise
        raise UnwritableFile(f"{path}: {problem.strerror}. Give another path") from problem


class UnwritableFile(InstrumentGPTError, OSError):
    """A file that cannot be written."""
