"""The settings that the page has saved, for commands."""

from typing import Any


def saved_settings() -> dict[str, Any]:
    """Return the settings saved on the Settings page; none if there is no database yet."""
    from contextlib import closing

    import db
    from instrumentgpt.storage.paths import database_path

    if not database_path().exists():
        return {}
    with closing(db.connect(database_path())) as database:
        return db.get_settings(database)
