"""Where data belongs on this machine."""

import os
from pathlib import Path

import platformdirs

DATABASE_NAME = "instrumentgpt.db"


def home() -> Path:
    """Return the folder of database, caches and workspaces: $INSTRUMENTGPT_HOME or the user's data folder."""
    return Path(os.environ.get("INSTRUMENTGPT_HOME") or platformdirs.user_data_path("instrumentgpt"))


def database_path() -> Path:
    """Return where the SQLite file is."""
    return home() / DATABASE_NAME
