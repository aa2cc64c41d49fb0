"""A question stored with what comes with it, and the run that is to answer it."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from sqlite_utils import Database

import db
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.registry import choose
from instrumentgpt.instruments.pasted import file_name, number_of, pasted_log
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.modes.registry import MODES, known_mode
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.artifacts import add_upload, attach_uploads, get_artifact, list_uploads
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.runs import COMMAND, live_run, start_run
from instrumentgpt.storage.uploads import Received, received
from instrumentgpt.turn.close import reap

Attachment = str | Path | tuple[str, bytes]  # id of a stored artifact, a file, or (file name, content)


def stored(
    database: Database,
    conversation_id: str,
    text: str,
    mode: str,
    agent: str,
    attachments: Sequence[Attachment],
) -> str:
    """Store the question raw, with its attachments, and return the id of its run, which nobody answers yet.

    A log that is pasted into its words is one of its attachments, too.
    Raises RunInProgress if the conversation is being answered, and UnknownAgent; then nothing is stored.
    """
    known_mode(mode)
    settings = settings_in_force(db.get_settings(database))
    if is_command(text):
        who = COMMAND
    else:
        who = choose(settings.agent if agent == "auto" else agent, settings)[0].name
        mode = _mode_of_reply(database, conversation_id, text, mode)
    stale = live_run(database, conversation_id)
    if stale is not None:
        reap(database, stale, longest=float("inf"))
    known = [given for given in attachments if isinstance(given, str)]
    with ExitStack() as files:
        brought = [
            files.enter_context(_received(database, given))
            for given in attachments
            if not isinstance(given, str)
        ]
        if who != COMMAND and (pasted := _pasted(database, conversation_id, text, known, brought)):
            brought.append(files.enter_context(_received(database, pasted)))
        with db.transaction(database):
            message_id = db.add_message(database, conversation_id, "user", text)
            attach_uploads(database, conversation_id, known, message_id)
            for file in brought:
                add_upload(database, conversation_id, message_id, file)
            return start_run(database, conversation_id, who, mode, message_id)


def _mode_of_reply(database: Database, conversation_id: str, text: str, mode: str) -> str:
    """Return the mode that a plain yes or no belongs to: that of the last answer's offer that means it."""
    meant = approval(text)
    latest = db.list_messages(database, conversation_id)[-1:] if meant else []
    offers = db.list_offers(database, latest[0].id) if latest and latest[0].role == "assistant" else []
    modes = [offer.mode for offer in offers if approval(offer.text) == meant and offer.mode in MODES]
    return mode if mode in modes else next(iter(modes), mode)


@contextmanager
def _received(database: Database, given: Path | tuple[str, bytes]) -> Iterator[Received]:
    with ExitStack() as opened:
        if isinstance(given, Path):
            source: IO[bytes] = opened.enter_context(given.open("rb"))
            name = given.name
        else:
            name, source = given[0], io.BytesIO(given[1])
        yield opened.enter_context(received(database, name, source))


def _pasted(
    database: Database, conversation_id: str, text: str, known: Sequence[str], brought: Sequence[Received]
) -> tuple[str, bytes] | None:
    """Return the log that is pasted in the question as a file, unless it is among what comes with it."""
    content = pasted_log(text).encode()
    digest = hashlib.sha256(content).hexdigest()
    same = any(given.digest == digest for given in brought)
    if not content or same or any(_holds(database, conversation_id, one, content) for one in known):
        return None
    before = [number for one in list_uploads(database, conversation_id) if (number := number_of(one.title))]
    return file_name(max(map(int, before), default=0) + 1), content


def _holds(database: Database, conversation_id: str, artifact_id: str, content: bytes) -> bool:
    sql = "SELECT 1 FROM artifacts WHERE id = ? AND conversation_id = ? AND size = ?"
    if not rows(database, sql, (artifact_id, conversation_id, len(content))):
        return False
    kept = get_artifact(database, conversation_id, artifact_id)
    return kept is not None and kept.content == content
