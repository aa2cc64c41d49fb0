"""The command line: `python -m instrumentgpt COMMAND …` (docs/command-line.md).

Modules of commands import what they need when they run, so that `--help` starts at once.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from instrumentgpt.commands import (
    ask,
    compare,
    devices,
    diagnose,
    doctor,
    export,
    offline,
    panel,
    plot,
    prune,
    rebuild,
    search,
    simulate,
    terminal,
)
from instrumentgpt.errors import InstrumentGPTError

COMMANDS: dict[str, ModuleType] = {
    "ask": ask,
    "panel": panel,
    "diagnose": diagnose,
    "compare": compare,
    "plot": plot,
    "devices": devices,
    "simulate": simulate,
    "search": search,
    "export": export,
    "prune": prune,
    "rebuild": rebuild,
    "doctor": doctor,
    "offline": offline,
}
FAILED, INTERRUPTED = 1, 130  # 128 + SIGINT, as shells report it


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m instrumentgpt", description="Ask instruments what is wrong."
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        one = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(one)
        one.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` name; return its exit code: 0 done, 1 failed, 2 used wrongly."""
    with terminal.harmless_output():
        chosen = parser().parse_args(arguments)
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
