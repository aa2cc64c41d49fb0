"""What the users of a conversation call its devices, kept beside the message that says so.

They go with their message. What a person forgot stays forgotten, until a later message says it again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.storage.revisions import list_revisions
from instrumentgpt.text.nicknames import Naming, borne, key_of
from instrumentgpt.text.revisions import NICKNAME, Item, standings

MOST_LIKELY = 200  # names that may be nicknames, the newest


@dataclass(frozen=True)
class Learned:
    """A nickname in force, and the message that gave it last."""

    device: str
    nickname: str
    message_id: int


def store_nicknames(
    database: Database, conversation_id: str, message_id: int, namings: Iterable[Naming]
) -> None:
    """Keep what the message says of nicknames, in place of what was kept of it before."""
    told = [(one.device, one.nickname, one.kind) for one in namings]
    _store(database, "nicknames", ("device", "nickname", "kind"), conversation_id, message_id, told)


def store_likely(database: Database, conversation_id: str, message_id: int, likely: Iterable[Naming]) -> None:
    """Keep what the message may call its devices, in place of what was kept of it before.

    Where that is the same, they stay nicknames as far as they were.
    """
    told = [(one.device, one.nickname) for one in likely]
    _store(database, "likely_nicknames", ("device", "nickname"), conversation_id, message_id, told)


def _store(
    database: Database,
    table: str,
    columns: Sequence[str],
    conversation_id: str,
    message_id: int,
    told: Sequence[tuple[str, ...]],
) -> None:
    listed = ", ".join(columns)
    sql = f"SELECT {listed} FROM {table} WHERE message_id = ? ORDER BY id"
    if rows(database, sql, (message_id,)) == told:
        return
    marks = ", ".join("?" * (2 + len(columns)))
    with transaction(database):
        database.conn.execute(f"DELETE FROM {table} WHERE message_id = ?", (message_id,))
        database.conn.executemany(
            f"INSERT INTO {table} (conversation_id, message_id, {listed}) VALUES ({marks})",
            [(conversation_id, message_id, *row) for row in told],
        )


@dataclass(frozen=True)
class Likely:
    """A name that a message may have given a device, while no user has said it elsewhere."""

    id: int
    message_id: int
    nickname: str


def likely_upto(database: Database, conversation_id: str, message_id: int) -> list[Likely]:
    """Return the newest names that may be nicknames, of messages up to this one."""
    sql = (
        "SELECT id, message_id, nickname FROM likely_nicknames WHERE conversation_id = ?"
        " AND said_in IS NULL AND message_id <= ? ORDER BY message_id DESC, id DESC LIMIT ?"
    )
    found: list[Any] = rows(database, sql, (conversation_id, message_id, MOST_LIKELY))
    return [Likely(*row) for row in found]


def store_use(database: Database, used: Iterable[tuple[Likely, int]]) -> None:
    """Keep that users' messages say these names: they are nicknames from then on."""
    told = [(message_id, one.id) for one, message_id in used]
    if told:
        with transaction(database):
            database.conn.executemany("UPDATE likely_nicknames SET said_in = ? WHERE id = ?", told)


def list_nicknames(database: Database, conversation_id: str, upto: int = LAST_ID) -> list[Learned]:
    """Return the nicknames in force after the message `upto`, those of one device together."""
    sql = (
        "SELECT message_id, device, nickname, kind FROM nicknames"
        " WHERE conversation_id = ? AND message_id <= ? ORDER BY message_id, id"
    )
    told: list[Any] = rows(database, sql, (conversation_id, upto))
    sql = (
        "SELECT message_id, device, nickname, 'named' FROM likely_nicknames"
        " WHERE conversation_id = ? AND said_in <= ? ORDER BY message_id, id"
    )
    likely: list[Any] = rows(database, sql, (conversation_id, upto))
    kept = _in_force(database, conversation_id, told, likely) if told or likely else []
    last = {(device, key_of(nickname)): message for message, device, nickname, _ in kept}
    held = borne(Naming(device, nickname, kind) for _, device, nickname, kind in kept)
    return [
        Learned(device, nickname, last[device, key_of(nickname)])
        for device, nicknames in held.items()
        for nickname in nicknames
    ]


def _in_force(
    database: Database, conversation_id: str, told: Sequence[Any], likely: Sequence[Any]
) -> list[Any]:
    """Return the rows that were not forgotten; of a name that anything certain was said of, only that."""
    forgotten = {
        (item.device, key_of(item.name)): standing.forgotten
        for item, standing in standings(list_revisions(database, conversation_id)).items()
        if item.field == NICKNAME and standing.forgotten is not None
    }
    certain = {key_of(row[2]) for row in told}.union(name for _, name in forgotten)
    kept = [row for row in told if row[0] > forgotten.get((row[1], key_of(row[2])), 0)]
    return [*kept, *(row for row in likely if key_of(row[2]) not in certain)]


def by_device(learned: Iterable[Learned]) -> dict[str, list[str]]:
    """Return device → its nicknames."""
    found: dict[str, list[str]] = {}
    for one in learned:
        found.setdefault(one.device, []).append(one.nickname)
    return found


def item_of(learned: Learned) -> Item:
    """Return what a revision of the nickname is about."""
    return Item(learned.device, NICKNAME, learned.nickname)


def nicknames_everywhere(database: Database) -> dict[str, list[str]]:
    """Return device → what it is called in any conversation, by nobody another device."""
    found: list[Any] = rows(
        database,
        "SELECT conversation_id FROM nicknames UNION"
        " SELECT conversation_id FROM likely_nicknames WHERE said_in IS NOT NULL",
    )
    every = [one for (conversation,) in found for one in list_nicknames(database, str(conversation))]
    held = borne(Naming(one.device, one.nickname) for one in every)
    return {device: list(nicknames) for device, nicknames in held.items()}
