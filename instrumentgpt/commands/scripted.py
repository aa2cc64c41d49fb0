"""`scripted`: the agent that answers by a script, as a program."""

import argparse
from pathlib import Path

from instrumentgpt.agents.offline.edge import add_wire_arguments

HELP = "answer a prompt by a script of expected prompts, on the wire of a CLI agent, without any model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the script, where its answers are counted, and what every program on the wire takes."""
    add_wire_arguments(parser, "the prompt")
    parser.add_argument("--script", type=Path, required=True, metavar="FILE", help="docs/scripted-agent.md")
    parser.add_argument("--counts", type=Path, metavar="FOLDER", help="where `once` and `nth` are counted")


def run(arguments: argparse.Namespace) -> int:
    """Answer one prompt on standard output; return 0, or 1 if no answer fits or the answer is an error."""
    from instrumentgpt.agents.scripted import program  # pydantic: not needed for --help

    return program.run(arguments)
