"""`python -m instrumentgpt prune`: what pruning would remove, and with --yes its removal."""

import argparse
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.commands.export import UnwritableFile, write_export
from instrumentgpt.commands.stored import opened
from instrumentgpt.instruments.language import size_text
from instrumentgpt.moments import day
from instrumentgpt.pruning import prunable, prune
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.export import export_name


def run(arguments: argparse.Namespace) -> int:
    """Print each conversation with what goes, and the sum; return 0."""
    with opened() as database:
        settings = settings_in_force(db.get_settings(database))
        days = settings.retention_days if arguments.days is None else arguments.days
        if days <= 0:
            print("0 conversations: pruning is off at 0 days. Nothing was changed. Say how many: --days 30.")
            return 0
        talks = prunable(database, days)
        for talk in talks:
            when = day(talk.updated_at)
            title = " ".join(talk.title.split()) or "Untitled"
            print(f"{talk.conversation_id}  {when}  {size_text(talk.size):>8}  {title}")
        total = size_text(sum(talk.size for talk in talks))
        if not arguments.yes:
            print(f"{len(talks)} conversations untouched for {days:g} days, {total}. Nothing was changed.")
            return 0
        if arguments.export:
            _export(database, arguments.export, [(talk.title, talk.conversation_id) for talk in talks])
        result = prune(database, talks)
    print(f"{len(result.pruned)} conversations pruned, {size_text(result.freed)} freed.")
    sizes = size_text(result.database_before), size_text(result.database_after)
    print(f"Database: {sizes[0]} before, {sizes[1]} after.")
    if result.skipped:
        print(f"{len(result.skipped)} left alone: they are in use again.")
    return 0


def _export(database: Database, folder: Path, conversations: list[tuple[str, str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UnwritableFile(f"{folder}: {problem.strerror}. Give another folder to --export") from problem
    for title, conversation_id in conversations:
        write_export(folder / export_name(title, conversation_id), database, conversation_id)
