"""Where an agent's program is, and which options it knows: versions differ, and --help is the only list."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.agents.stream import json_object
from instrumentgpt.settings import home

HELP_SECONDS = 10.0  # the slowest of the known agents takes 3 s on a small machine
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
    key = " ".join((*_version(program), *command))
    options: dict[str, list[str]] = {}
    with suppress(OSError):
        options = json_object(kept.read_bytes())
    if key not in options:
        options = {**options, key: _ask(program, command, environment)}
        with suppress(OSError):  # without a folder to write to the programs are asked again
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(options), encoding="utf-8")
            part.replace(kept)
    return Options(frozenset(options[key]))


def _version(program: str) -> tuple[str, ...]:
    with suppress(OSError):
        seen = Path(program).resolve().stat()
        return (program, str(seen.st_mtime_ns), str(seen.st_size))
    return (program,)


def _ask(program: str, command: tuple[str, ...], environment: Mapping[str, str]) -> list[str]:
    try:
        result = subprocess.run(
            [program, *command, "--help"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=HELP_SECONDS,
            env=dict(environment),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    text = (result.stdout + result.stderr).decode(errors="replace")
    return sorted(set(_OPTION.findall(text))) if result.returncode == 0 else []
