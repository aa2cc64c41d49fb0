"""Where data belongs on this machine, and that it is its user's alone: folders 0700, files 0600.

Also those of earlier versions.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

import platformdirs

from instrumentgpt.files import whole

DATABASE_NAME = "instrumentgpt.db"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
SECRET_BYTES = 32


def home() -> Path:
    """Return the folder of database, caches and workspaces: $INSTRUMENTGPT_HOME or the user's data folder."""
    return Path(os.environ.get("INSTRUMENTGPT_HOME") or platformdirs.user_data_path("instrumentgpt"))


def database_path() -> Path:
    """Return where the SQLite file is."""
    return home() / DATABASE_NAME


def make_files_private() -> None:
    """Make all files that this process and its children will make their owner's alone."""
    os.umask(OTHERS)


def keep_private(folder: Path) -> None:
    """Make `folder`, what lies in it and what this process and its children will make their owner's alone.

    Links are left alone, and so is what they lead to.
    """
    make_files_private()
    folder.mkdir(parents=True, exist_ok=True)
    inside = (Path(parent, name) for parent, folders, files in os.walk(folder) for name in (*folders, *files))
    for path in (folder, *inside):
        with suppress(OSError):  # gone meanwhile, or another's
            mode = path.lstat().st_mode
            if mode & OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)


def private_secret(path: Path) -> bytes:
    """Return the random bytes that `path` keeps, made where there are none."""
    kept = path.read_bytes() if path.is_file() else b""
    if len(kept) == SECRET_BYTES:
        return kept
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = secrets.token_bytes(SECRET_BYTES)
    with whole(path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(made)
    return made
