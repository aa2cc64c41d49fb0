"""How a turn begins: what is known of its conversation, and which device its question is about."""

from collections.abc import Callable, Mapping
from pathlib import Path

from sqlite_utils import Database

import db
import memory
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.compared import asked_about
from instrumentgpt.instruments.conversation import note_names
from instrumentgpt.instruments.devices import Inventory, load_inventory
from instrumentgpt.instruments.pasted import device_name
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.artifacts import list_artifacts
from instrumentgpt.storage.runs import COMMAND, get_run
from instrumentgpt.turn.record import record_question
from instrumentgpt.turn.turn import Turn


def open_turn(database: Database, run_id: str, stopped: Callable[[], bool] = lambda: False) -> Turn:
    """Return the turn of a run with all it knows before it begins; raise UnknownRun if there is none.

    What the question states and calls a device is kept at once: prompt, task file and tools tell it.
    An inventory that cannot be used is the turn's `problem`: its answer will say so.
    """
    run = get_run(database, run_id)
    question_id = run.question_message_id or 0
    question = db.list_messages(database, run.conversation_id, 1, question_id + 1)[0]
    summary, stored = db.get_memory(run.conversation_id, database)
    before = memory.DiagnosticState.deserialize(stored)
    settings = settings_in_force(db.get_settings(database))
    turn = Turn(database, run, question, settings, before, summary, Inventory(Path(), ()), stopped=stopped)
    try:
        inventory = load_inventory(settings.inventory)
    except InstrumentGPTError as error:
        turn.problem = error
        return turn
    turn.inventory = note_names(database, run.conversation_id, question.id, question.content, inventory)
    _turn_to_device(turn, db.device_states(database, run.conversation_id))
    if run.agent != COMMAND:  # what is in a command is what to do
        device = memory.device_key(turn.state)
        record_question(database, run.conversation_id, question, device, turn.inventory)
    return turn


def _turn_to_device(turn: Turn, filed: Mapping[str, str]) -> None:
    """Find the devices that the question is about; the state of another one than before is filed away."""
    named = asked_about(turn.question.content, turn.inventory, turn.state.device_ip)
    turn.devices, turn.unknown = named.devices, named.unknown
    before = turn.state
    if turn.devices:
        ip, name = turn.devices[0].ip, turn.devices[0].name
    else:
        ip, name = "", _pasted_log(turn)
    turn.state = memory.begin_question(before, ip or None, name or None, filed, turn.question.content)
    if memory.device_key(before) and _identity(before) != _identity(turn.state):
        turn.filed = {memory.device_key(before): before.serialize()}


def _identity(state: memory.DiagnosticState) -> str | None:
    return state.device_ip or state.device_name


def _pasted_log(turn: Turn) -> str:
    """Return the name under which the log that is pasted in the question is filed, "" without one.

    Nobody said of which device it is, so it must not be taken for one of the device in view.
    """
    brought = list_artifacts(turn.database, turn.question.id)
    return next((name for one in brought if (name := device_name(one.title))), "")
