"""Tools that look back: at what was said in the conversation, and at what others found on the device."""

from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.instruments.conversation import inventory_of, opened
from instrumentgpt.instruments.precedents import Earlier, day, earlier, siblings
from instrumentgpt.instruments.tools.problems import ToolProblem
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.storage import recall as index


class NothingToRecall(ToolProblem, LookupError):
    """No words to search the conversation for."""


def recall(workspace: Workspace, query: str) -> dict[str, Any]:
    """Return what was said earlier in the conversation on `query`, best first, with what stands around it."""
    if not query.strip():
        raise NothingToRecall("nothing_to_recall")
    devices = inventory_of(workspace).devices
    aliases = [device.names for device in devices]
    with opened(workspace) as database:
        before = _being_answered(database, workspace.conversation)
        found = index.recall(database, workspace.conversation, query, aliases, before)
    return {
        "summary": f"{len(found)} earlier messages bear on {query!r}",
        "messages": [{"turn": one.turn, "said_by": one.role, "text": "\n".join(one.lines)} for one in found],
    }


def device_history(workspace: Workspace, device: str, query: str = "") -> dict[str, Any]:
    """Return what other conversations found on the device and its siblings, the devices of the same model.

    That is history: it tells where to look, and nothing of how the device is now.

    query  what it is about; "" for everything that stands there
    """
    inventory = inventory_of(workspace)
    meant = inventory.find(device)
    with opened(workspace) as database:
        found = earlier(database, meant, inventory, workspace.conversation, query)
    beside = len(siblings(meant, inventory))
    return {
        "summary": f"{len(found)} earlier findings of {meant.name} and its {beside} siblings",
        "device": meant.name,
        "label": meant.label,
        "siblings": beside,
        "earlier": [_told(one) for one in found],
    }


def _told(one: Earlier) -> dict[str, Any]:
    item = one.item
    return {
        "date": day(item.found_at),
        "device": one.device,
        "sibling": one.sibling,
        "kind": item.field,
        "text": item.text,
        "conversation": item.title,
        "conversation_id": item.conversation_id,
        "message_id": item.message_id,
    }


def _being_answered(database: Database, conversation_id: str) -> int | None:
    """Return the id of the question that is being answered: the last message, where it is a user's."""
    last = db.list_messages(database, conversation_id, last=1)
    return last[0].id if last and last[0].role == "user" else None
