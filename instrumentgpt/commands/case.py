"""`case`: list, open, show, close and reopen cases."""

import argparse
import getpass
import json
from contextlib import suppress
from dataclasses import asdict
from datetime import date

from sqlite_utils import Database

import db
from instrumentgpt.commands.stored import opened, saved_inventory
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import about, case_from, end_of, markdown, settle, title_of
from instrumentgpt.instruments.language import Language
from instrumentgpt.moments import today
from instrumentgpt.storage.cases import Case, change_case, changes_of, evidence_of, get_case, list_cases


class NoSuchCase(InstrumentGPTError, ValueError):
    """Words that name no case, conversation or day."""


def run(arguments: argparse.Namespace) -> int:
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
                print(_line(case, arguments.language))
    return 0 if cases else 1


def _changed(database: Database, arguments: argparse.Namespace) -> Case:
    """Return the case that is named, as it is after what is asked."""
    which = " ".join(arguments.which)
    if arguments.action == "open":
        if db.get_conversation(database, which) is None:
            raise NoSuchCase(f"There is no conversation {which!r}. `search` prints ids, as ?conv=ID")
        inventory = saved_inventory()
        return get_case(database, case_from(database, which, inventory, _who()))
    if not (which.isascii() and which.isdigit()):
        raise NoSuchCase(f"{which!r} is no number of a case. `case list` prints those that there are")
    case = get_case(database, int(which))
    if arguments.action == "close":
        settle(database, case, _who(), arguments.outcome, end_of(_day(arguments.on)))
    elif arguments.action == "reopen":
        change_case(database, case.id, _who(), state="reopened")
    return get_case(database, case.id)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else today()
    except ValueError as problem:
        raise NoSuchCase(f"{text!r} is no day. Write --on as 2026-11-24") from problem


def _who() -> str:
    with suppress(OSError, KeyError):
        return getpass.getuser()
    return "command line"


def _line(case: Case, language: Language) -> str:
    return f"{case.id}  {title_of(case, language)}  {about(case, language)}  {case.outcome}".rstrip()
