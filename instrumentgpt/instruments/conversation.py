"""The devices as one conversation knows them: those of the inventory, with what its users call them."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from urllib.parse import quote

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Inventory, load_inventory, with_nicknames
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.storage.history import LAST_ID, list_questions
from instrumentgpt.storage.nicknames import (
    by_device,
    likely_upto,
    list_nicknames,
    nicknames_everywhere,
    store_likely,
    store_nicknames,
    store_use,
)
from instrumentgpt.text.nicknames import Naming, key_of, nicknames_in
from instrumentgpt.text.nicknames.likely import equated_in_answer, likely_in_answer, likely_in_question
from instrumentgpt.text.nicknames.use import OwnWords, is_said_of, is_used_as_name, times_said

QUESTIONS, QUESTION_CHARS = 100, 2_000  # in which a nickname that an answer offers must stand


class NoConversation(InstrumentGPTError, LookupError):
    """Tools that were started outside of a conversation, or whose conversation cannot be read."""


def nicknamed(
    database: Database, conversation_id: str, inventory: Inventory, upto: int = LAST_ID
) -> Inventory:
    """Return the inventory with the nicknames that hold in the conversation after the message `upto`."""
    return with_nicknames(inventory, by_device(list_nicknames(database, conversation_id, upto)))


def learn_nicknames(
    database: Database, conversation_id: str, message_id: int, text: str, inventory: Inventory
) -> Inventory:
    """Keep the nicknames that a user's message gives or takes back; return the inventory as it is then.

    What stood beside a device where a name would stand is its nickname from when a user says it elsewhere.
    The name of a device's type is what others are, too: "052 is ZSPR-4" names nobody.
    """
    own = tuple(device.own_names for device in inventory.devices)
    said, likely = (_not_types(found(text, own), inventory) for found in (nicknames_in, likely_in_question))
    store_nicknames(database, conversation_id, message_id, said)
    store_likely(database, conversation_id, message_id, likely)
    _note_use(database, conversation_id, message_id, [(message_id, OwnWords(text))])
    return nicknamed(database, conversation_id, inventory, message_id)


def learn_from_answer(
    database: Database, conversation_id: str, message_id: int, text: str, inventory: Inventory
) -> Inventory:
    """Keep what an answer calls devices; return the inventory as it is then.

    It is a nickname if a user has used it as a name: a word that merely stands beside a device is none.
    What the answer sets equal to a device ("walk-in = 055") a user need only have said of that device.
    """
    own = tuple(device.own_names for device in inventory.devices)
    likely = _not_types(likely_in_answer(text, own), inventory)
    equated = equated_in_answer(text, own) if likely else []
    latest = (
        list_questions(database, conversation_id, message_id, QUESTIONS, QUESTION_CHARS) if likely else []
    )
    asked = [(question, OwnWords(words)) for question, words in latest]

    def is_users(one: Naming, words: OwnWords) -> bool:
        if is_used_as_name(one.nickname, words):
            return True
        return one in equated and is_said_of(one.nickname, one.device, words, own)

    said = [one for one in likely if any(is_users(one, words) for _, words in asked)]
    store_likely(database, conversation_id, message_id, said)
    _note_use(database, conversation_id, message_id, asked)
    return nicknamed(database, conversation_id, inventory, message_id)


def _not_types(namings: Sequence[Naming], inventory: Inventory) -> list[Naming]:
    types = {key_of(device.model) for device in inventory.devices if device.model}
    return [one for one in namings if key_of(one.nickname) not in types]


def _note_use(
    database: Database, conversation_id: str, message_id: int, asked: Sequence[tuple[int, OwnWords]]
) -> None:
    """Keep which of the names given up to a message the questions (id, words) say, beside giving them."""
    likely = likely_upto(database, conversation_id, message_id) if asked else []
    store_use(
        database,
        [
            (one, question)
            for one in likely
            for question, words in asked
            if times_said(one.nickname, words) > (question == one.message_id)
        ],
    )


def nicknamed_anywhere(database: Database, inventory: Inventory) -> Inventory:
    """Return the inventory with what its devices are called in any conversation, by nobody another one."""
    return with_nicknames(inventory, nicknames_everywhere(database))


def inventory_of(workspace: Workspace) -> Inventory:
    """Return the inventory as the conversation of the workspace knows it, or as it is outside of one."""
    inventory = load_inventory(workspace.inventory)
    try:
        with opened(workspace) as database:
            return nicknamed(database, workspace.conversation, inventory)
    except InstrumentGPTError:  # without what its users call them, devices still have their names
        return inventory


@contextmanager
def opened(workspace: Workspace) -> Iterator[Database]:
    """Open the conversation's database for reading only; raise NoConversation if there is none."""
    if workspace.database is None or not workspace.conversation:
        raise NoConversation("These tools were started outside of a conversation: there is nothing to recall")
    file = f"file:{quote(str(workspace.database.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(file, uri=True)) as connection:
            yield Database(connection)
    except sqlite3.OperationalError as error:
        raise NoConversation(
            f"The conversation cannot be read: {error}. Go on with what the prompt says of it"
        ) from error
