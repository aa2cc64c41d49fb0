"""The devices as one conversation knows them: those of the inventory, with what its users call them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.devices import Inventory, load_inventory, with_nicknames
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.memory.reading.names import names_in
from instrumentgpt.storage.connection import StorageError, opened_to_read
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.storage.revised_memory import list_nicknames, nicknames_everywhere, store_nicknames


class NoConversation(InstrumentGPTError, LookupError):
    """Tools that were started outside of a conversation, or whose conversation cannot be read."""


def nicknamed(
    database: Database, conversation_id: str, inventory: Inventory, upto: int = LAST_ID
) -> Inventory:
    """Return the inventory with the nicknames that hold in the conversation after the message `upto`."""
    return with_nicknames(inventory, list_nicknames(database, conversation_id, upto))


def note_names(
    database: Database, conversation_id: str, message_id: int, text: str, inventory: Inventory
) -> Inventory:
    """Keep what a user's message tells us to call devices; return the inventory as it is then."""
    names = tuple(device.own_names for device in inventory.devices)
    store_nicknames(database, conversation_id, message_id, names_in(text, names))
    return nicknamed(database, conversation_id, inventory, message_id)


def nicknamed_anywhere(database: Database, inventory: Inventory) -> Inventory:
    """Return the inventory with what its devices are called in any conversation."""
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
    try:
        with opened_to_read(workspace.database) as database:
            yield database
    except (StorageError, sqlite3.OperationalError) as error:
        raise NoConversation(
            f"The conversation cannot be read: {reason(error)}. Go on with what the prompt says of it"
        ) from error
