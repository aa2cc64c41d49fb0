"""The edge of a program of our own that answers on the wire: its flags, and a run that ends with a result."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.errors import InstrumentGPTError


def add_wire_arguments(parser: argparse.ArgumentParser, prompt: str) -> None:
    """Add what every such program takes: the prompt (`prompt` says of what), the task, Cursor's flags."""
    parser.add_argument("prompt", nargs="?", help=f"{prompt}; without it, it is read from standard input")
    parser.add_argument("--task", type=Path, metavar="FILE", help="the task as JSON (docs/architecture.md)")
    parser.add_argument("-p", "--print", action="store_true", help="answer and end (always so)")
    parser.add_argument(
        "--output-format",
        choices=["text", "json", "stream-json"],
        default="text",
        help="text (default), one JSON result, or one JSON event a line",
    )
    parser.add_argument("--stream-partial-output", action="store_true", help="print the text as it comes")


def use_utf_8() -> None:
    """Write UTF-8 to standard output, whatever the terminal's encoding is."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


def run_on(wire: Wire, folder: str, answered: Callable[[], str], program: str, remedy: str) -> int:
    """Open `wire`, let `answered` say the answer, close it; return 0, or 1 if there was an error.

    answered  returns the error that the answer ends with, "" if it ends well
    program   who failed, and `remedy` what to do, should it fail in a way that nobody thought of
    """
    wire.open(folder)
    try:
        error = answered()
    except InstrumentGPTError as problem:
        error = str(problem)
    except Exception as problem:  # the edge of the program: the wire must end with a result
        error = f"{program} failed: {type(problem).__name__}: {problem}. {remedy}"
    wire.close(error)
    return 1 if error else 0
