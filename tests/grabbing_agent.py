"""A CLI agent for tests that takes what it can, by itself: it reads, writes, runs and calls our tools.

Used as a program, never imported: `python grabbing_agent.py FOLDER FILE … [agent options]`.
It speaks Cursor's stream, and stands for Cursor's own program, which cannot be installed for tests.
"""

import os
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

from mcp_agent import work


def tried(what):
    try:
        return what()
    except OSError as error:
        return f"{type(error).__name__}: {error}"


def main():
    folder, *files = takewhile(lambda word: not word.startswith("-"), sys.argv[1:])
    told = [tried(lambda file=file: Path(file).read_text(errors="replace")) for file in files]
    told += [
        subprocess.run(["cat", file], capture_output=True, text=True, check=False).stdout for file in files
    ]
    for place in (folder, os.getcwd()):
        told.append(tried(lambda place=place: Path(place, "written").write_text("x")))
        subprocess.run(["touch", f"{place}/touched"], capture_output=True, check=False)
    work([("list_devices", {})], "\n".join(map(str, told)))


if __name__ == "__main__":
    main()
