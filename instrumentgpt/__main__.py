"""The command line: `python -m instrumentgpt COMMAND …` (docs/command-line.md).

Only the module of the command that runs is imported, so that every `--help` starts at once.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

from instrumentgpt.commands import arguments, terminal
from instrumentgpt.errors import InstrumentGPTError

COMMANDS = {  # command → what it does; arguments.py says what it takes
    "ask": "ask a question about a device or a log, and follow up on it",
    "panel": "examine several possible causes of a problem by a panel of experts",
    "diagnose": "say what is wrong in log files, with the lines that show it",
    "compare": "say what changed between two logs, or in one log at a time of day",
    "plot": "draw a log: setpoint, temperature and output with the findings shaded",
    "devices": "list the devices of the inventory and the newest log of each",
    "scan": "judge what is new in the logs of all devices, and say how each stands, worst first",
    "watch": "judge what is new again and again, and tell people of faults that came or went",
    "search": "find what was asked, answered or found in any conversation",
    "report": "write what happened since a moment, a case or an answer, as Markdown, HTML or PDF",
    "case": "list, open, show, close and reopen cases: faults with their evidence and outcome",
    "export": "write a conversation with its charts, files, notes, saved documents and prompts as one zip",
    "prune": "say what pruning conversations untouched for long would free; with --yes prune them",
    "rebuild": "make the memory of conversations anew from their messages, tools' results and your changes",
    "doctor": "say what works, what is missing, and how to get it",
    "eval": "measure how well agents answer cases whose truth is known",
    "offline": "answer one task from standard input, on the wire of a CLI agent, without any model",
}
MODULES = {  # module → the commands that its functions `run_COMMAND` do
    "commands.ask": ("ask", "panel"),
    "commands.logs": ("diagnose", "compare", "plot"),
    "commands.fleet": ("devices", "scan", "watch"),
    "commands.conversations": ("search", "export", "prune", "rebuild"),
    "commands.cases": ("case", "report"),
    "commands.doctor": ("doctor",),
    "commands.eval": ("eval",),
    "agents.offline.program": ("offline",),
}
FAILED, INTERRUPTED = 1, 130  # 128 + SIGINT, as shells report it


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m instrumentgpt", description="Ask instruments what is wrong."
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        row = commands.add_parser(name, help=purpose, description=purpose)
        arguments.add_options(row, name)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that `words`, else the command line, name; return 0 done, 1 failed, 2 used wrongly."""
    with terminal.harmless_output():
        chosen = parser().parse_args(words)
    as_json = getattr(chosen, "json", False) or getattr(chosen, "output_format", "text") != "text"
    with terminal.harmless_output(as_json):
        return _run(chosen)


def _run(chosen: argparse.Namespace) -> int:
    try:
        module = next(name for name, commands in MODULES.items() if chosen.command in commands)
        code: int = getattr(import_module(f"instrumentgpt.{module}"), f"run_{chosen.command}")(chosen)
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
