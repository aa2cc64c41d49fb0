"""`case` and `report`: cases listed, opened, settled; a case, an answer or a shift handed on."""

import argparse
import getpass
import json
import os
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.analyst.handover import shift_start
from instrumentgpt.commands.shared import WrongArguments, opened, saved_inventory, writing
from instrumentgpt.files import whole
from instrumentgpt.fleet.cases import about, case_from, end_of, markdown, settle, title_of
from instrumentgpt.fleet.standing import ADDRESS
from instrumentgpt.handover.document import Document, answer_document, case_document
from instrumentgpt.handover.shift import shift_document
from instrumentgpt.moments import now, today
from instrumentgpt.storage.cases import Case, change_case, changes_of, evidence_of, get_case, list_cases


def run_case(arguments: argparse.Namespace) -> int:
    """Do with cases what is asked, and print them; return 1 if none is listed, else 0."""
    with opened() as database:
        if arguments.action == "list":
            cases = list_cases(database, " ".join(arguments.which), arguments.state, device=arguments.device)
        else:
            cases = [_changed(database, arguments)]
        for case in cases:
            if arguments.json:
                print(json.dumps(asdict(case), ensure_ascii=False))
            elif arguments.action == "show":
                parts = evidence_of(database, case.id), changes_of(database, case.id)
                print(markdown(case, *parts, arguments.language))
            else:
                words = title_of(case, arguments.language), about(case, arguments.language), case.outcome
                print("  ".join([str(case.id), *words]).rstrip())
    return 0 if cases else 1


def _changed(database: Database, arguments: argparse.Namespace) -> Case:
    """Return the case that is named, as it is after what is asked."""
    which = " ".join(arguments.which)
    if arguments.action == "open":
        if db.get_conversation(database, which) is None:
            raise WrongArguments(f"There is no conversation {which!r}. `search` prints ids, as ?conv=ID")
        inventory = saved_inventory()
        return get_case(database, case_from(database, which, inventory, _who()))
    if not (which.isascii() and which.isdigit()):
        raise WrongArguments(f"{which!r} is no number of a case. `case list` prints those that there are")
    case = get_case(database, int(which))
    if arguments.action == "close":
        try:
            day = date.fromisoformat(arguments.on) if arguments.on else today()
        except ValueError as problem:
            raise WrongArguments(f"{arguments.on!r} is no day. Write --on as 2026-11-24") from problem
        settle(database, case, _who(), arguments.outcome, end_of(day))
    elif arguments.action == "reopen":
        change_case(database, case.id, _who(), state="reopened")
    return get_case(database, case.id)


def _who() -> str:
    with suppress(OSError, KeyError):
        return getpass.getuser()
    return "command line"


SUFFIXES = (".html", ".pdf", ".md")


def run_report(arguments: argparse.Namespace) -> int:
    """Print the report as Markdown, or write it to the file and print its path; return 0."""
    path: Path | None = arguments.output
    if path and path.suffix not in SUFFIXES:
        raise WrongArguments(
            f"{path}: a report is written as .html, .pdf or .md. Give such a file to --output"
        )
    with opened() as database:
        document = _document(database, arguments)
    if path is None:
        print(document.markdown(), end="")
        return 0
    with writing(path, "path to --output"), whole(path) as file:
        file.write(document.as_file(path.suffix))
    print(path)
    return 0


def _document(database: Database, arguments: argparse.Namespace) -> Document:
    address = os.environ.get("INSTRUMENTGPT_ADDRESS", ADDRESS).rstrip("/") + "/"
    which, language = str(arguments.which), arguments.language
    if arguments.what == "shift":
        since = shift_start(arguments.since, now())
        if since is None:
            raise WrongArguments(f"{arguments.since!r} names no moment. Write --since “yesterday 18:00”")
        devices = saved_inventory().devices
        return shift_document(database, devices, since.timestamp(), language, address)
    conversation, _, number = which.partition("/") if arguments.what == "answer" else ("", "", which)
    if not (number.isdecimal() or (conversation and not number)):
        raise WrongArguments(
            f"{which!r} names no {arguments.what}: give a case's number, or a conversation's id"
        )
    if arguments.what == "case":
        return case_document(database, int(number), language, address)
    return answer_document(database, conversation, int(number) if number else None, language, address)
