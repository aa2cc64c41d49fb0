"""The command line: `python -m instrumentgpt COMMAND …` (docs/command-line.md).

Only the module of the command that is named is imported, so that `--help` starts at once.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from instrumentgpt.commands import terminal
from instrumentgpt.errors import InstrumentGPTError

COMMANDS = {  # command → what it does; the module of its name takes its arguments and runs it
    "ask": "ask a question about a device or a log, and follow up on it",
    "panel": "examine several possible causes of a problem by a panel of experts",
    "diagnose": "say what is wrong in log files, with the lines that show it",
    "compare": "say what changed between two logs, or in one log at a time of day",
    "plot": "draw a log: setpoint, temperature and output with the findings shaded",
    "devices": "list the devices of the inventory and the newest log of each",
    "simulate": "write logs of simulated instruments, the same bytes every time",
    "search": "find what was asked, answered or found in any conversation",
    "export": "write a conversation with its charts, files, notes, saved documents and prompts as one zip",
    "prune": "say what pruning conversations untouched for long would free; with --yes prune them",
    "rebuild": "make the memory of conversations anew from their messages, tools' results and your changes",
    "doctor": "say what works, what is missing, and how to get it",
    "offline": "answer one task from standard input, on the wire of a CLI agent, without any model",
}
FAILED, INTERRUPTED = 1, 130  # 128 + SIGINT, as shells report it


def module_of(command: str) -> ModuleType:
    """Return the module of commands/ with the command's `add_arguments` and `run`."""
    return import_module(f"instrumentgpt.commands.{command}")


def parser(command: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands, and of the arguments of `command`, whose module it imports."""
    top = argparse.ArgumentParser(
        prog="python -m instrumentgpt", description="Ask instruments what is wrong."
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        row = commands.add_parser(name, help=purpose, description=purpose)
        if name == command:
            module = module_of(name)
            module.add_arguments(row)
            row.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` name; return its exit code: 0 done, 1 failed, 2 used wrongly."""
    with terminal.harmless_output():
        words = sys.argv[1:] if arguments is None else arguments
        chosen = parser(next(iter(words), "")).parse_args(words)
    as_json = getattr(chosen, "json", False) or getattr(chosen, "output_format", "text") != "text"
    with terminal.harmless_output(as_json):
        return _run(chosen)


def _run(chosen: argparse.Namespace) -> int:
    try:
        code: int = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except InstrumentGPTError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:  # a fault of ours; its text may be of a log
        traceback.print_exc()
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
