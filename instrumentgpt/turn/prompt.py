"""The prompt of a question: what memory composes, with what the database recalls for that very question."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from sqlite_utils import Database

import memory
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.faults import NO_FAULT, fault_classes
from instrumentgpt.instruments.precedents import earlier, lines, settled_before
from instrumentgpt.memory.facts import Names
from instrumentgpt.memory.state import identity
from instrumentgpt.settings import Settings
from instrumentgpt.storage.facts import list_facts, origins_of
from instrumentgpt.storage.history import history, spoken
from instrumentgpt.storage.notes import constraints_of, matching_notes, notes_of
from instrumentgpt.storage.recall import pieces
from instrumentgpt.storage.revised_memory import messages_put_back, revised_memory

RULE_TAG = "@instrument"  # seed 004; the name of our rule in the agent's folder
TAGGED = ("cursor",)  # agents that know rules by a tag in the request
LOOKED_AT = 1_000  # characters of a request that say what it is about; it may hold a pasted log


def prompt_for(
    database: Database,
    conversation_id: str,
    request: str,
    before: int,
    state: memory.DiagnosticState,
    summary: str,
    devices: Sequence[Device],
    inventory: Inventory,
    settings: Settings,
) -> memory.Prompt:
    """Return the prompt of `request`, with the memory as people revised it; stores nothing.

    before   id of the request's message: the conversation goes as far as that
    devices  those that the request names
    """
    budget = settings.prompt_tokens
    names = names_of(inventory)
    named = [device.name for device in devices]
    placed = spoken(database, conversation_id)
    scope = memory.Case(request, state, devices=named).scope
    facts = list_facts(database, conversation_id, scope, memory.keywords_of(request), placed)
    revised = revised_memory(database, conversation_id, state, facts)
    case = memory.Case(
        request,
        revised.state,
        facts=revised.facts,
        devices=named,
        names=names,
        pinned=revised.pinned,
        origins=origins_of(database, conversation_id, revised.state, placed),
        called={device.name: device.nicknames for device in inventory.devices if device.nicknames},
        is_device_query=bool(devices),
        request=memory.request_in_file(request, request_file(request), budget),
        put_back=messages_put_back(database, conversation_id, revised.standings),
        recalled=pieces(database, conversation_id, request, names, before, placed),
        elsewhere=_elsewhere(database, conversation_id, request, revised.state, inventory),
        notes=_notes(database, conversation_id, request, [memory.device_key(revised.state), *named], names),
    )
    rules = memory.Rules(settings.recent_exchanges, budget)
    return memory.compose(case, history(database, conversation_id, before, placed), summary, rules)


def _notes(
    database: Database,
    conversation_id: str,
    request: str,
    devices: Sequence[str],
    names: Names,
) -> list[str]:
    """Return the notes that count here, a line each: those that bear on the request, then the narrowest.

    One that is nothing but a constraint stands among the constraints in force.
    """
    counting = notes_of(database, conversation_id, dict.fromkeys(filter(None, devices)))
    every = [note for note in counting if constraints_of(note) != (" ".join(note.text.split()),)]
    ordered = [*matching_notes(every, request[:LOOKED_AT], names), *every]
    return [
        f"- {note.id} ({', '.join([note.kind, *([] if note.scope == conversation_id else [note.scope])])}):"
        f" {note.text}"
        for note in dict.fromkeys(ordered)
    ]


def _elsewhere(
    database: Database,
    conversation_id: str,
    request: str,
    state: memory.DiagnosticState,
    inventory: Inventory,
) -> list[str]:
    """Return the lines on what other conversations found on the state's device and its siblings."""
    device = inventory.known_as(identity(state))
    if device is None:
        return []
    items = [*state.findings, *state.hypotheses]
    classes = {name for text in [request[:LOOKED_AT], *items] for name in fault_classes(text)} - {*NO_FAULT}
    cases = settled_before(database, device, inventory, classes) if classes else []
    precedents = earlier(database, device, inventory, conversation_id, request[:LOOKED_AT], items)
    return lines(precedents, cases)


def names_of(inventory: Inventory) -> tuple[tuple[str, ...], ...]:
    """Return the names of each device: in a conversation one stands for the others."""
    return tuple(device.names for device in inventory.devices)


def request_file(request: str) -> str:
    """Return the name of the file in the agent's folder that holds a request too long for its prompt."""
    return f"request-{hashlib.blake2b(request.encode('utf-8', 'replace'), digest_size=4).hexdigest()}.txt"


def keep_long_request(request: str, folder: Path, budget: int) -> None:
    """Write the request into `folder`, where the agent works, if its prompt points to it; no older one."""
    for path in folder.glob("request-????????.txt"):
        path.unlink()
    if memory.is_too_long(request, budget):
        (folder / request_file(request)).write_text(request, encoding="utf-8", errors="replace")


def tagged(question: str, agent: str, is_device_query: bool) -> str:
    """Return the request for `agent`: as typed, and below it the rule's tag if a device is named.

    >>> tagged("10.1.1.47 為什麼溫度波動？", "cursor", True)
    '10.1.1.47 為什麼溫度波動？\\n\\n@instrument'
    >>> tagged("why?", "cursor", False)
    'why?'
    """
    return f"{question}\n\n{RULE_TAG}" if is_device_query and agent in TAGGED else question
