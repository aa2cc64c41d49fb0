"""The prompt that a question would send now, by the same code as a turn; nothing is stored."""

from pathlib import Path

from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.registry import choose
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.compared import asked_about
from instrumentgpt.instruments.conversation import nicknamed
from instrumentgpt.instruments.devices import Inventory, load_inventory
from instrumentgpt.settings import Settings
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.turn.prompt import prompt_for, tagged


def next_prompt(
    database: Database, conversation_id: str, question: str, settings: Settings
) -> tuple[memory.Prompt, memory.DiagnosticState]:
    """Return the prompt that `question` would send now, and the state it begins with; stores nothing.

    The state is as extracted: `storage.in_force.listing` shows it as people revised it.
    """
    summary, stored = db.get_memory(conversation_id, database)
    state = memory.DiagnosticState.deserialize(stored)
    try:
        inventory = load_inventory(settings.inventory)
    except InstrumentGPTError:
        inventory = Inventory(Path(), ())
    inventory = nicknamed(database, conversation_id, inventory)
    devices = asked_about(question, inventory, state.device_ip).devices
    first = devices[0] if devices else None
    filed = db.device_states(database, conversation_id)
    state = memory.begin_question(
        state, first.ip if first else None, first.name if first else None, filed, question
    )
    prompt = prompt_for(
        database,
        conversation_id,
        tagged(question, settings.rule_tag, _answering(settings), bool(devices)),
        LAST_ID,
        state,
        summary,
        devices,
        inventory,
        settings,
    )
    return prompt, state


def _answering(settings: Settings) -> str:
    """Return the name of the agent that would answer, "" if none can."""
    try:
        return choose(settings.agent, settings)[0].name
    except InstrumentGPTError:
        return ""
