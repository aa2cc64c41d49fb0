"""What commands share: the settings, the conversation that they go on with, what cannot be done."""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Inventory, load_inventory
from instrumentgpt.settings import Settings, database_path, settings_in_force

TITLE_CHARACTERS = 60


class WrongArguments(InstrumentGPTError, ValueError):
    """What a command was given and can do nothing with; the text says what to give instead."""


@contextmanager
def opened() -> Iterator[Database]:
    """Give the database for the block."""
    with closing(db.connect(database_path())) as database:
        yield database


@contextmanager
def writing(path: Path, other: str) -> Iterator[None]:
    """Raise WrongArguments where the block cannot write `path`: `other` helps, a "path to --report"."""
    try:
        yield
    except OSError as problem:
        if isinstance(problem, InstrumentGPTError):
            raise
        raise WrongArguments(f"{path}: {problem.strerror}. Give another {other}") from problem


def conversation_for(question: str, arguments: argparse.Namespace) -> str:
    """Return the id of the conversation that the arguments name, or of a new one for `question`.

    Raises WrongArguments if there is none to go on with.
    """
    with opened() as database:
        if arguments.conversation:
            conversation = db.get_conversation(database, arguments.conversation)
            if conversation is None:
                raise WrongArguments(f"There is no conversation {arguments.conversation!r}. Ask without it")
            return conversation.id
        if not arguments.continue_:
            return db.create_conversation(database, " ".join(question.split())[:TITLE_CHARACTERS])
        latest = db.list_conversations(database, limit=1)
        if not latest:
            raise WrongArguments("There is no conversation to go on with. Ask without --continue first")
        return latest[0].id


def saved_settings() -> Settings:
    """Return the settings in force, with those saved on the Settings page if there is a database."""
    if not database_path().exists():
        return settings_in_force({})
    with opened() as database:
        return settings_in_force(db.get_settings(database))


def saved_inventory() -> Inventory:
    """Return the devices of the inventory that is set."""
    return load_inventory(saved_settings().inventory)
