"""`python -m instrumentgpt rebuild`: the memory of conversations made anew from what was said and done."""

import argparse

import db
from instrumentgpt.commands.stored import opened
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.turn.rebuild import rebuild


def run(arguments: argparse.Namespace) -> int:
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
