"""`search`, `export`, `prune`, `rebuild`: what was said, found, written out, removed, or told anew."""

import argparse
import json
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.commands.shared import opened, saved_inventory, writing
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.instruments.conversation import nicknamed_anywhere
from instrumentgpt.instruments.devices import spoken_names
from instrumentgpt.instruments.language import size_text
from instrumentgpt.moments import day, moment
from instrumentgpt.pruning import prunable, prune
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.export import export_name, export_to
from instrumentgpt.turn.rebuild import rebuild


def run_search(arguments: argparse.Namespace) -> int:
    """Print the hits, the best first; return 0, or 1 if there is none."""
    with opened() as database:
        names = spoken_names(nicknamed_anywhere(database, saved_inventory()))
        hits = db.search(database, " ".join(arguments.words), names, max(1, arguments.limit))
    for hit in hits:
        fields = {**vars(hit), "text": hit.text}
        del fields["pieces"]
        print(json.dumps(fields, ensure_ascii=False) if arguments.json else _as_text(hit))
    return 0 if hits else 1


def _as_text(hit: db.Hit) -> str:
    when = moment(hit.created_at)
    device = f" · {hit.device}" if hit.device else ""
    title, text = (" ".join(words.split()) for words in (hit.title, hit.text))
    address = f"?conv={hit.conversation_id}" + (f"&msg={hit.message_id}" if hit.message_id else "")
    return f"{when}{device} · {hit.kind} · {title}\n    {text}\n    {address}"


def run_export(arguments: argparse.Namespace) -> int:
    """Write the zip and print its path; return 0."""
    with opened() as database:
        conversation = db.get_conversation(database, arguments.conversation)
        title = conversation.title if conversation else ""
        path = arguments.output or Path(export_name(title, arguments.conversation))
        write_export(path, database, arguments.conversation)
    print(path)
    return 0


def write_export(path: Path, database: Database, conversation_id: str) -> None:
    """Write the zip of the conversation, whole or not at all; raise WrongArguments with the remedy."""
    with writing(path, "path"), whole(path) as file:
        export_to(file, database, conversation_id)


def run_prune(arguments: argparse.Namespace) -> int:
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
            with writing(arguments.export, "folder to --export"):
                arguments.export.mkdir(parents=True, exist_ok=True)
            for talk in talks:
                path = arguments.export / export_name(talk.title, talk.conversation_id)
                write_export(path, database, talk.conversation_id)
        result = prune(database, talks)
    print(f"{len(result.pruned)} conversations pruned, {size_text(result.freed)} freed.")
    sizes = size_text(result.database_before), size_text(result.database_after)
    print(f"Database: {sizes[0]} before, {sizes[1]} after.")
    if result.skipped:
        print(f"{len(result.skipped)} left alone: they are in use again.")
    return 0


def run_rebuild(arguments: argparse.Namespace) -> int:
    """Rebuild each conversation and say which could not be; return 1 if there were such."""
    refused = 0
    with opened() as database:
        ids = arguments.conversation or [talk.id for talk in db.list_conversations(database, limit=-1)]
        for conversation_id in ids:
            try:
                rebuild(database, conversation_id)
            except InstrumentGPTError as problem:
                refused += 1
                print(problem)
    print(f"{len(ids) - refused} of {len(ids)} memories made anew.")
    return 1 if refused else 0
