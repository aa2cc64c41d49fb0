"""The prompt of a question: what memory composes, with what the database recalls for that very question."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from sqlite_utils import Database

import db
import memory
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.settings import Settings


def prompt_for(
    database: Database,
    conversation_id: str,
    request: str,
    messages: Sequence[db.Message],
    state: memory.DiagnosticState,
    summary: str,
    devices: Sequence[Device],
    inventory: Inventory,
    settings: Settings,
) -> memory.Prompt:
    """Return the prompt of `request`; stores nothing.

    messages  the whole conversation before the request, oldest first
    devices   those that the request names
    """
    budget = settings.prompt_tokens
    before = messages[-1].id + 1 if messages else 0
    told = memory.request_in_file(request, request_file(request), budget)
    return memory.compose(
        request,
        [vars(message) for message in messages],
        state,
        summary,
        is_device_query=bool(devices),
        recent_exchanges=settings.recent_exchanges,
        budget=budget,
        recalled=db.recall(database, conversation_id, request, names_of(inventory), before),
        request=told if memory.is_too_long(request, budget) else "",
    )


def names_of(inventory: Inventory) -> list[tuple[str, ...]]:
    """Return the names of each device: in a conversation one stands for the others."""
    return [(device.name, device.ip, *device.aliases) for device in inventory.devices]


def request_file(request: str) -> str:
    """Return the name of the file in the agent's folder that holds a request too long for its prompt."""
    return f"request-{hashlib.blake2b(request.encode('utf-8', 'replace'), digest_size=4).hexdigest()}.txt"


def keep_long_request(request: str, folder: Path, settings: Settings) -> None:
    """Write the request into `folder`, where the agent works, if its prompt points to it there."""
    if memory.is_too_long(request, settings.prompt_tokens):
        (folder / request_file(request)).write_text(request, encoding="utf-8", errors="replace")
