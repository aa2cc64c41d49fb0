"""`offline`: the offline analyst, as a program that answers one task."""

import argparse
from pathlib import Path

from instrumentgpt.agents.offline import program

NEVER_USED = ("--model", "--resume", "--workspace")  # of Cursor's flags: accepted, and of no effect here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of Cursor's `agent`, of which most matter here, and `--task`."""
    parser.add_argument("prompt", nargs="?", help="the question; without it, it is read from standard input")
    parser.add_argument("--task", type=Path, metavar="FILE", help="the task as JSON (docs/architecture.md)")
    parser.add_argument("-p", "--print", action="store_true", help="answer and end (always so)")
    parser.add_argument(
        "--output-format",
        choices=["text", "json", "stream-json"],
        default="text",
        help="text (default), one JSON result, or one JSON event a line",
    )
    parser.add_argument("--stream-partial-output", action="store_true", help="print the text as it comes")
    for flag in NEVER_USED:
        parser.add_argument(flag, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Answer the task on standard output; return 0, or 1 if there was no answer."""
    return program.run(arguments)
