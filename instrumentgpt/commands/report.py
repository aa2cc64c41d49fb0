"""`report`: what happened since a moment, a case or an answer, to hand on."""

import argparse
import os
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.analyst.handover import shift_start
from instrumentgpt.commands.export import UnwritableFile
from instrumentgpt.commands.stored import opened, saved_inventory
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.fleet.watch import ADDRESS
from instrumentgpt.handover.document import Document, answer_document, case_document
from instrumentgpt.handover.shift import shift_document
from instrumentgpt.moments import now

SUFFIXES = (".html", ".pdf", ".md")


class NothingNamed(InstrumentGPTError, ValueError):
    """What is to be reported, or where to, cannot be told from what was given."""


def run(arguments: argparse.Namespace) -> int:
    """Print the report as Markdown, or write it to the file and print its path; return 0."""
    path: Path | None = arguments.output
    if path and path.suffix not in SUFFIXES:
        raise NothingNamed(f"{path}: a report is written as .html, .pdf or .md. Give such a file to --output")
    with opened() as database:
        document = _document(database, arguments)
    if path is None:
        print(document.markdown(), end="")
        return 0
    try:
        with whole(path) as file:
            file.write(document.as_file(path.suffix))
    except OSError as problem:
        raise UnwritableFile(f"{path}: {problem.strerror}. Give another path to --output") from problem
    print(path)
    return 0


def _document(database: Database, arguments: argparse.Namespace) -> Document:
    address = os.environ.get("INSTRUMENTGPT_ADDRESS", ADDRESS).rstrip("/") + "/"
    which, language = str(arguments.which), arguments.language
    if arguments.what == "shift":
        since = shift_start(arguments.since, now())
        if since is None:
            raise NothingNamed(f"{arguments.since!r} names no moment. Write --since “yesterday 18:00”")
        devices = saved_inventory().devices
        return shift_document(database, devices, since.timestamp(), language, address)
    conversation, _, number = which.partition("/") if arguments.what == "answer" else ("", "", which)
    if not (number.isdecimal() or (conversation and not number)):
        raise NothingNamed(
            f"{which!r} names no {arguments.what}: give a case's number, or a conversation's id"
        )
    if arguments.what == "case":
        return case_document(database, int(number), language, address)
    return answer_document(database, conversation, int(number) if number else None, language, address)
