"""`offline`: the offline analyst, as a program that answers one task."""

import argparse

from instrumentgpt.agents.offline.edge import add_wire_arguments

HELP = "answer one task from standard input, on the wire of a CLI agent, without any model"
NEVER_USED = ("--model", "--resume", "--workspace")  # of Cursor's flags: accepted, and of no effect here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of Cursor's `agent`, of which most matter here, and `--task`."""
    add_wire_arguments(parser, "the question")
    for flag in NEVER_USED:
        parser.add_argument(flag, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Answer the task on standard output; return 0, or 1 if there was no answer."""
    from instrumentgpt.agents.offline import program  # all that it understands: not needed for --help

    return program.run(arguments)
