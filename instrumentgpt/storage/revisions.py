"""What people changed in the memory of a conversation, stored apart from what was extracted."""

import json
import time

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.reading.names import is_name
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.revisions import (
    ACTIONS,
    MESSAGE,
    NICKNAME,
    NOTE,
    TURN,
    WORDED,
    Item,
    Revision,
    Standings,
    standings_of,
)
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage import uploads
from instrumentgpt.storage.connection import change, insert, rows, transaction
from instrumentgpt.storage.conversations import refuse_while_answering, turn_at, unknown
from instrumentgpt.storage.deleted import forget_turn, switch_turn
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.notes import Note, delete_note

MOST_PINNED = 12  # items of a conversation: so many fit a prompt of 2,000 tokens, shortened
MOST_PUT_BACK = 6  # messages of a conversation
TURN_CHARS = 120  # of a deleted turn's question, by which it is listed

_COLUMNS = (
    "id, device, field, name, channel, action, old, new, after, changed_by, changed_at,"
    " ifnull(undone_by, ''), undone_at"
)


class RefusedRevision(InstrumentGPTError, ValueError):
    """A change of the memory that cannot be made."""


def revise(
    database: Database,
    conversation_id: str,
    item: Item,
    action: str,
    old: str,
    new: str = "",
    changed_by: str = "user",
) -> int:
    """Put a change on record and return its id; it counts from now on, also for what is said later.

    action  one of text.revisions.ACTIONS
    old     what the item says now; "" for what is added
    new     what it says instead, for those of text.revisions.WORDED
    """
    old, new = " ".join(old.split()), " ".join(new.split())
    with transaction(database):
        _refuse_wrong(action, old, new)
        _refuse_too_many(standings_of(list_revisions(database, conversation_id)), item, action)
        return _stored(database, conversation_id, item, action, old, new, changed_by)


def _refuse_wrong(action: str, old: str, new: str) -> None:
    if action not in ACTIONS:
        raise RefusedRevision(f"{action!r} is no change of the memory. Known: {', '.join(ACTIONS)}.")
    if action in WORDED and not new:
        raise RefusedRevision("The new text is empty. Type what is true, or forget the item instead.")
    if action in WORDED and new == old:
        raise RefusedRevision("The new text is the old one. Change it, or close this without saving.")
    if action == "name" and not is_name(new):
        raise RefusedRevision(f"{new!r} is no name of a device. Begin with a letter; 30 characters fit.")
    if len(new) > STATEMENT_CHARS:
        raise RefusedRevision(
            f"The new text has {len(new)} characters; {STATEMENT_CHARS} fit. Say it in fewer words."
        )


def _refuse_too_many(standings: Standings, item: Item, action: str) -> None:
    pinned = [other for other, standing in standings.items() if standing.pinned and other != item]
    messages = sum(other.field == MESSAGE for other in pinned)
    if action == "pin" and sum(other.field not in (MESSAGE, NICKNAME) for other in pinned) >= MOST_PINNED:
        raise RefusedRevision(f"{MOST_PINNED} items are pinned, and no more fit a prompt. Unpin one first.")
    if action == "restore" and item.field == MESSAGE and messages >= MOST_PUT_BACK:
        raise RefusedRevision(
            f"{MOST_PUT_BACK} messages are put back, and no more fit a prompt. Take one out again first."
        )


def _stored(
    database: Database, conversation_id: str, item: Item, action: str, old: str, new: str, changed_by: str
) -> int:
    if not rows(database, "SELECT 1 FROM conversations WHERE id = ?", (conversation_id,)):
        raise unknown(conversation_id)
    sql = "SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = ?"
    [(newest,)] = rows(database, sql, (conversation_id,))
    return insert(
        database, "revisions", conversation_id=conversation_id, **vars(item), action=action, old=old, new=new,
        after=newest, changed_by=changed_by, changed_at=time.time(),
    )  # fmt: skip


def list_revisions(database: Database, conversation_id: str) -> list[Revision]:
    """Return every change of the conversation's memory, oldest first, the undone ones too."""
    sql = f"SELECT {_COLUMNS} FROM revisions WHERE conversation_id = ? ORDER BY id"
    stored = rows(database, sql, (conversation_id,))
    question_ids = places(database, conversation_id)[1] if stored else []
    return [Revision(row[0], Item(*row[1:5]), *(*row[5:], turn_of(row[8], question_ids))) for row in stored]


def undo_revision(database: Database, revision_id: int, undone_by: str = "user") -> None:
    """Take the change back: the memory is what it would be without it. Undone already: nothing happens."""
    _switch(database, revision_id, undone_by, undone=True)


def redo_revision(database: Database, revision_id: int) -> None:
    """Make an undone change count again, in its old place among the others."""
    _switch(database, revision_id, None, undone=False)


def _switch(database: Database, revision_id: int, undone_by: str | None, undone: bool) -> None:
    with transaction(database):
        changed = change(
            database,
            "UPDATE revisions SET undone_by = ?, undone_at = ? WHERE id = ? AND (undone_at IS NULL) = ?",
            (undone_by, time.time() if undone else None, revision_id, undone),
        )
        sql = "SELECT field, conversation_id, name, old FROM revisions WHERE id = ?"
        stored = rows(database, sql, (revision_id,)) if changed else []
        for field, conversation_id, name, old in stored:
            if field == TURN:
                refuse_while_answering(database, conversation_id)
                if not undone and not turn_at(database, int(name)):
                    raise RefusedRevision(
                        "This turn is deleted already, by a later change. Undo that one first."
                    )
                switch_turn(database, conversation_id, int(name), None if undone else time.time())
            elif field == NOTE and undone:
                # a note saved under this name since then stays
                insert(database, "notes", "INSERT OR IGNORE", **json.loads(old))
            elif field == NOTE:
                delete_note(database, (kept := json.loads(old))["id"], kept["scope"])


def delete_turn(database: Database, message_id: int, changed_by: str = "user") -> list[int]:
    """Delete the turn that the message belongs to (a question and its answers) and return the deleted ids.

    It is a change that can be undone, until `forget_deleted`. An unknown id deletes nothing.
    Raises RunInProgress while the conversation is being answered.
    """
    with transaction(database):
        turn = turn_at(database, message_id)
        if not turn:
            return []
        sql = "SELECT conversation_id, content FROM messages WHERE id = ?"
        [(conversation_id, content)] = rows(database, sql, (turn[0],))
        refuse_while_answering(database, str(conversation_id))
        words = shorten(" ".join(str(content).split()), TURN_CHARS)
        item = Item("", TURN, str(turn[0]))
        _stored(database, str(conversation_id), item, "forget", words, "", changed_by)
        switch_turn(database, str(conversation_id), turn[0], time.time())
    return turn


def list_deleted(database: Database, conversation_id: str) -> list[Revision]:
    """Return the deletions whose turns can be brought back, oldest first."""
    every = list_revisions(database, conversation_id)
    return [revision for revision in every if revision.item.field == TURN and revision.undone_at is None]


def forget_deleted(database: Database, revision_id: int) -> None:
    """Delete for good what a deletion has marked, and the record of it; nothing if it is undone.

    Raises RunInProgress while the conversation is being answered.
    """
    digests: list[str] = []
    with transaction(database):
        sql = "SELECT conversation_id, name FROM revisions WHERE id = ? AND field = ? AND undone_at IS NULL"
        for conversation_id, name in rows(database, sql, (revision_id, TURN)):
            refuse_while_answering(database, str(conversation_id))
            digests = uploads.digests_of(database, str(conversation_id))
            forget_turn(database, str(conversation_id), int(str(name)))
            change(database, "DELETE FROM revisions WHERE id = ?", (revision_id,))
    uploads.sweep(database, digests)


def forget_note(
    database: Database, conversation_id: str, note: Note, changed_by: str = "user", reason: str = ""
) -> int:
    """Forget a note wherever it counts, as a change that can be undone here; return the change's id.

    reason  why, kept as what the change says instead
    """
    with transaction(database):
        delete_note(database, note.id, note.scope)
        item = Item(note.scope, NOTE, note.id)
        kept = json.dumps(vars(note), ensure_ascii=False)
        return _stored(database, conversation_id, item, "forget", kept, reason, changed_by)
