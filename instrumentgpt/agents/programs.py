"""Where an agent's program is, and which options it knows: versions differ, and --help is the only list."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.agents.family import end_all, family_of
from instrumentgpt.agents.stream import clean, json_object
from instrumentgpt.files import whole
from instrumentgpt.settings import home

HELP_SECONDS = 10.0  # the slowest of the known agents takes 3 s on a small machine
GRACE_SECONDS = 0.5  # between SIGTERM and SIGKILL
MOST_OUTPUT = 80_000  # bytes of a short command's that are read
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\w-])")


@dataclass(frozen=True)
class Options:
    """The options that a program lists; if it told none, `listed` is empty and any is taken for known."""

    listed: frozenset[str]

    def of(self, option: str, *values: str) -> list[str]:
        """Return `option` with its values as words of a command line, or nothing if it is not known.

        >>> Options(frozenset({"--trust"})).of("--trust"), Options(frozenset({"--trust"})).of("--force")
        (['--trust'], [])
        """
        return [option, *values] if option in self.listed or not self.listed else []


@cache
def agent_table() -> Mapping[str, Mapping[str, Any]]:
    """Return programs.toml: agent → its names, how to install it, its folders, signs and the rest."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def find_program(names: tuple[str, ...], setting: str = "") -> str | None:
    """Return the path of a program: `setting` if it is one, else the first of `names` that is found."""
    installed = [str(Path.home() / ".local/bin" / name) for name in names]  # a server's PATH often lacks it
    candidates = [os.path.expanduser(setting)] if setting else [*names, *installed]
    return next((path for path in map(shutil.which, candidates) if path), None)


def known_options(program: str, *command: str, environment: Mapping[str, str]) -> Options:
    """Return the options of `program` (of its sub-`command`), asked once for each version of its file."""
    kept = home() / "cache" / "agent_options.json"
    version: tuple[str, ...] = ()
    with suppress(OSError):
        seen = Path(program).resolve().stat()
        version = (str(seen.st_mtime_ns), str(seen.st_size))
    key = " ".join((program, *version, *command))
    options: dict[str, list[str]] = {}
    with suppress(OSError):
        options = json_object(kept.read_bytes())
    if key not in options:
        code, text = output_of((program, *command, "--help"), environment, HELP_SECONDS)
        options = {**options, key: sorted(set(_OPTION.findall(text))) if code == 0 else []}
        with suppress(OSError):  # without a folder to write to the programs are asked again
            kept.parent.mkdir(parents=True, exist_ok=True)
            with whole(kept) as file:
                file.write(json.dumps(options).encode())
    return Options(frozenset(options[key]))


def output_of(argv: Sequence[str], environment: Mapping[str, str], seconds: float) -> tuple[int, str]:
    """Return exit code and output of a short command; (1, "") where there was none in time.

    Nothing that it started stays.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError:
        return 1, ""
    try:
        output, _ = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        code, output = 1, b""
    finally:
        end_all(family_of(process.pid), GRACE_SECONDS)
        with process:
            process.kill()
    return code, "\n".join(clean(line) for line in output[:MOST_OUTPUT].split(b"\n"))
