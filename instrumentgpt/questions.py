"""A question stored with what comes with it, and the run that is to answer it."""

from collections.abc import Sequence
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.agents.registry import choose
from instrumentgpt.ended import reap
from instrumentgpt.modes.commands.grammar import COMMAND, is_command
from instrumentgpt.modes.registry import MODES, known_mode
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.artifacts import attach_uploads, get_artifact, list_uploads
from instrumentgpt.storage.runs import live_run, start_run
from instrumentgpt.text.approval import approval
from instrumentgpt.text.pasted import file_name, number_of, pasted_log

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")

Attachment = str | tuple[str, bytes]  # the id of a stored artifact, or (file name, content)


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
    with db.transaction(database):
        message_id = db.add_message(database, conversation_id, "user", text)
        if who != COMMAND:
            attachments = [*attachments, *_pasted(database, conversation_id, text, attachments)]
        _attach(database, conversation_id, message_id, attachments)
        return start_run(database, conversation_id, who, mode, message_id)


def _mode_of_reply(database: Database, conversation_id: str, text: str, mode: str) -> str:
    """Return the mode that a plain yes or no belongs to: that of the last answer's offer that means it."""
    meant = approval(text)
    latest = db.list_messages(database, conversation_id)[-1:] if meant else []
    offers = db.list_offers(database, latest[0].id) if latest and latest[0].role == "assistant" else []
    modes = [offer.mode for offer in offers if approval(offer.text) == meant and offer.mode in MODES]
    return mode if mode in modes else next(iter(modes), mode)


def _pasted(
    database: Database, conversation_id: str, text: str, attachments: Sequence[Attachment]
) -> list[Attachment]:
    """Return the log that is pasted in the question as a file, unless it is among `attachments`."""
    content = pasted_log(text).encode()
    if not content or content in (_content(database, conversation_id, one) for one in attachments):
        return []
    before = [number for one in list_uploads(database, conversation_id) if (number := number_of(one.title))]
    return [(file_name(max(map(int, before), default=0) + 1), content)]


def _content(database: Database, conversation_id: str, attachment: Attachment) -> bytes:
    if isinstance(attachment, tuple):
        return attachment[1]
    kept = get_artifact(database, conversation_id, attachment)
    return kept.content if kept else b""


def _attach(
    database: Database, conversation_id: str, message_id: int, attachments: Sequence[Attachment]
) -> None:
    attach_uploads(
        database, conversation_id, [given for given in attachments if isinstance(given, str)], message_id
    )
    for given in attachments:
        if isinstance(given, tuple):
            name, content = Path(given[0]).name, given[1]
            kind = "image" if name.lower().endswith(IMAGE_SUFFIXES) else "log"
            db.add_artifact(
                database, conversation_id, None, message_id, kind, name, f"{name}, attached", content
            )
