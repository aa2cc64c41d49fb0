"""What lies beside the database for a conversation: where agents work, its files, the folders of its runs."""

import logging
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.storage import conversations, uploads
from instrumentgpt.storage.artifacts import list_uploads
from instrumentgpt.storage.connection import file_of, rows

WORKSPACES, RUNS = "workspaces", "runs"  # under the database's folder
_log = logging.getLogger(__name__)


def delete_conversation(database: Database, conversation_id: str) -> None:
    """Delete the conversation with all the database has of it, then its folders; nothing if there is none.

    Raises RunInProgress, and deletes nothing, while it is being answered.
    A folder that cannot be removed is left behind, with a warning in the log.
    """
    folders = list(folders_of(database, conversation_id))
    digests = uploads.digests_of(database, conversation_id)
    conversations.delete_conversation(database, conversation_id)
    remove(folders)
    uploads.sweep(database, digests)


def remove(folders: Iterable[Path]) -> None:
    """Remove the folders with all that is in them, as far as that can be done."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            _log.warning("%s could not be removed. Delete it by hand.", folder)


def folders_of(database: Database, conversation_id: str) -> Iterator[Path]:
    """Yield the conversation's own folders, whether they are there or not; other files are `uploads`."""
    if conversations.get_conversation(database, conversation_id) is None or file_of(database) == ":memory:":
        return
    home = Path(file_of(database)).parent
    names = [(WORKSPACES, conversation_id)]
    held = [upload.id for upload in list_uploads(database, conversation_id) if not upload.file]
    names += [(uploads.ATTACHMENTS, upload_id) for upload_id in held]
    runs = rows(database, "SELECT id FROM runs WHERE conversation_id = ?", (conversation_id,))
    names += [(RUNS, str(run_id)) for (run_id,) in runs]
    for kind, name in names:
        if name not in ("", ".", "..") and Path(name).name == name:  # an old database's ids may be anything
            yield home / kind / name
