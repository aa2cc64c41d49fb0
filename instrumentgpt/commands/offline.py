"""`offline`: the offline analyst, as a program that answers one task."""

import argparse

from instrumentgpt.agents.offline import program


def run(arguments: argparse.Namespace) -> int:
    """Answer the task on standard output; return 0, or 1 if there was no answer."""
    return program.run(arguments)
