"""What the users of a conversation call its devices, kept beside the message that says so.

They go with their message. What a person forgot stays forgotten, until a later message says it again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.memory.reading.names import Naming, borne, key_of
from instrumentgpt.memory.revisions import NICKNAME, Item, standings
from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.storage.revisions import list_revisions


@dataclass(frozen=True)
class Nickname:
    """A nickname in force, and the message that gave it last (0: a person gave it in the inspector)."""

    device: str
    nickname: str
    message_id: int


def store_nicknames(
    database: Database, conversation_id: str, message_id: int, namings: Iterable[Naming]
) -> None:
    """Keep what the message says of nicknames, in place of what was kept of it before."""
    with transaction(database):
        database.conn.execute("DELETE FROM all_nicknames WHERE message_id = ?", (message_id,))
        database.conn.executemany(
            "INSERT INTO all_nicknames (conversation_id, message_id, device, nickname, kind)"
            " VALUES (?, ?, ?, ?, ?)",
            [(conversation_id, message_id, one.device, one.nickname, one.kind) for one in namings],
        )


def list_nicknames(database: Database, conversation_id: str, upto: int = LAST_ID) -> list[Nickname]:
    """Return the nicknames in force after the message `upto`, those of one device together."""
    sql = (
        "SELECT message_id, device, nickname, kind FROM nicknames"
        " WHERE conversation_id = ? AND message_id <= ? ORDER BY message_id, id"
    )
    told = rows(database, sql, (conversation_id, upto))
    found = standings(one for one in list_revisions(database, conversation_id) if one.after <= upto)
    by_people = {item: one for item, one in found.items() if item.field == NICKNAME}
    forgotten = {
        (item.device, key_of(item.name)): one.forgotten
        for item, one in by_people.items()
        if one.forgotten is not None
    }
    kept = [row for row in told if row[0] > forgotten.get((row[1], key_of(row[2])), 0)]
    kept += [(0, item.device, item.name, "named") for item, one in by_people.items() if one.pinned]
    last = {(device, key_of(nickname)): message for message, device, nickname, _ in kept}
    held = borne(Naming(device, nickname, kind) for _, device, nickname, kind in kept)
    return [
        Nickname(device, nickname, last[device, key_of(nickname)])
        for device, nicknames in held.items()
        for nickname in nicknames
    ]


def by_device(nicknames: Iterable[Nickname]) -> dict[str, list[str]]:
    """Return device → its nicknames."""
    found: dict[str, list[str]] = {}
    for one in nicknames:
        found.setdefault(one.device, []).append(one.nickname)
    return found


def item_of(nickname: Nickname) -> Item:
    """Return what a revision of the nickname is about."""
    return Item(nickname.device, NICKNAME, nickname.nickname)


def nicknames_everywhere(database: Database) -> dict[str, list[str]]:
    """Return device → what it is called in any conversation."""
    found = rows(
        database,
        "SELECT conversation_id FROM nicknames UNION SELECT conversation_id FROM revisions WHERE field = ?",
        (NICKNAME,),
    )
    every = [one for (conversation,) in found for one in list_nicknames(database, str(conversation))]
    held = borne(Naming(one.device, one.nickname) for one in every)
    return {device: list(nicknames) for device, nicknames in held.items()}
