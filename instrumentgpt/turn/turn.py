"""One turn: what its events bring, and what is saved of it, whoever answers and however it ends."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.answer import Answer
from instrumentgpt.agents.events import Done, Event, Events, Failure, Outcome, Tool, to_json
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.instruments.conversation import note_names
from instrumentgpt.instruments.devices import Device, Inventory, load_inventory
from instrumentgpt.instruments.fleet import asked_about
from instrumentgpt.instruments.pasted import device_name
from instrumentgpt.instruments.reading.spoken import heads_in, unit_in
from instrumentgpt.instruments.readings import remember_said
from instrumentgpt.memory.state import IN_QUESTION, identity
from instrumentgpt.moments import choose_zone
from instrumentgpt.settings import Settings, settings_in_force
from instrumentgpt.storage.answers import Offer, store_offers
from instrumentgpt.storage.artifacts import list_uploads, upload_path
from instrumentgpt.storage.connection import file_of
from instrumentgpt.storage.entities import Entity, Sighting, list_entities, note_entities, touch_entities
from instrumentgpt.storage.revisions import times_of_deleted
from instrumentgpt.storage.runs import COMMAND, Run, append_events, get_run
from instrumentgpt.turn.entities import refs_in, touched
from instrumentgpt.turn.prompt import keep_long_request, prompt_for, tagged
from instrumentgpt.turn.record import (
    StatesAfter,
    record_answer,
    record_question,
    result_of,
    standing,
    states_after,
    with_causes,
)


def run_folder(database_path: str | Path, run_id: str) -> Path:
    """Return the folder of a run beside the database: its task, what its tools write, its log."""
    return Path(database_path).absolute().parent / "runs" / run_id


@dataclass
class Turn:
    """One question being answered: what is known, and what its events have brought so far."""

    database: Database
    run: Run
    question: db.Message
    settings: Settings
    state: memory.DiagnosticState
    summary: str
    inventory: Inventory
    devices: tuple[Device, ...] = ()  # named in the question
    unknown: tuple[str, ...] = ()  # names and addresses in the question that nobody knows
    filed: dict[str, str] = field(default_factory=dict)  # device → state, of the device that this turn left
    problem: InstrumentGPTError | None = None  # why nothing can be asked
    stopped: Callable[[], bool] = lambda: False
    answer: Answer = field(default_factory=Answer)
    results: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # of our tools: name, JSON
    calls: list[Tool] = field(default_factory=list)  # of any tool, as they ended, in which an agent was asked
    prompts: list[str] = field(default_factory=list)  # as other agents than our own were sent them
    usage: dict[str, float] = field(default_factory=dict)  # of all that was asked in this turn
    offers: list[Offer] = field(default_factory=list)  # what the page offers to say next, as buttons
    learns_from_words: bool = True  # whether the answer's words, and not its tools alone, are remembered
    also_saved: list[Callable[[int], None]] = field(default_factory=list)  # with the answer, given its id

    @property
    def where(self) -> tuple[Database, str]:
        """The database and the conversation, as storage asks for them."""
        return self.database, self.run.conversation_id

    @property
    def earlier(self) -> list[db.Message]:
        """The conversation before the question, oldest first."""
        return db.list_messages(*self.where, before=self.question.id)

    @property
    def folder(self) -> Path:
        """Where this run's task file, artifacts and log lie."""
        return run_folder(file_of(self.database), self.run.id)

    def answered_by(self, mode: "Callable[[Turn], Events]") -> Events:
        """Yield the events of `mode` and save the answer at its Done, which is yielded then, as saved."""
        with closing(mode(self) if self.problem is None else failed(self.problem)) as events:
            for event in events:
                self.take(event)
                if not isinstance(event, Done):
                    yield event
                elif (saved := self.save(event.outcome)) is not None:
                    yield saved

    def take(self, event: Event) -> None:
        """Take what `event` says into what this turn will save."""
        self.answer.take(event)
        if isinstance(event, Tool) and (result := result_of(event)):
            self.results.append((event.name, result))

    def save(self, outcome: Outcome, remember: bool = True) -> Done | None:
        """Store answer, artifacts, memory and Done at once; None if somebody else has ended the run.

        Without `remember` the memory stays as it was.
        """
        asked_at = self.run.started_clock  # None: before a restart, and nobody can say how long it took
        seconds = 0.0 if asked_at is None else max(0.0, time.monotonic() - asked_at)
        done = Done(outcome, self.answer.text, seconds, self.usage)
        with db.transaction(self.database):
            if get_run(self.database, self.run.id).status != "running":
                return None
            message_id = db.finish_turn(*self.where, self.run.id, done.text, outcome)
            if remember:
                self.learn(message_id)
            store_offers(self.database, message_id, self.offers)
            for store in self.also_saved:
                store(message_id)
            append_events(self.database, self.run.id, [to_json(done)])
        return done

    def learn(self, message_id: int) -> None:
        """Keep what the answer, stored as `message_id`, says and what its tools read, for later questions."""
        database, conversation_id = self.where
        words = self.answer.text if self.learns_from_words else ""
        before = {**db.device_states(database, conversation_id), **self.filed}
        words_of_user = self.question.content if self.run.agent != COMMAND else ""
        known, stated = with_causes(self.state, words_of_user)
        after = states_after(known, self.results, words, self.inventory, before)
        with db.transaction(database):
            stands = self._standing(after)
            db.update_memory(conversation_id, self.summary, after.state.serialize(), database)
            items = [replace(item, message_id=message_id) for item in (stands, *stated, *after.items)]
            db.add_state_items(database, conversation_id, items)
            for device, state in {**self.filed, **after.filed}.items():
                db.file_device_state(database, conversation_id, device, state)
            device = memory.device_key(after.state)
            record_answer(database, conversation_id, message_id, words, self.results, device, self.inventory)
            self.note_entities(self.answer.text)

    def _standing(self, after: StatesAfter) -> db.StateItem:
        """Return the record of the state in question, without its device where earlier turns tell it."""
        stands = standing(after.state, IN_QUESTION)
        is_new = identity(self.stored_state()) != identity(after.state)
        is_told = self.devices or any(item.device == stands.device for item in after.items)
        return stands if is_new or is_told or times_of_deleted(*self.where) else replace(stands, device="")

    def turn_to(self, name: str, ip: str = "") -> None:
        """Make a device the one in question ("": the one before), and file what is known of the other."""
        before, filed = self.stored_state(), db.device_states(*self.where)
        self.state = memory.begin_question(before, ip or None, name or None, filed, self.question.content)
        is_left = memory.device_key(before) and identity(before) != identity(self.state)
        self.filed = {memory.device_key(before): before.serialize()} if is_left else {}

    def stored_state(self) -> memory.DiagnosticState:
        """The state as the last turn left it."""
        return memory.DiagnosticState.deserialize(db.get_memory(self.run.conversation_id, self.database)[1])

    def note_entities(self, answer: str = "") -> list[Entity]:
        """Give what this turn's tools touched, and what it made, their refs; return it."""
        where = self.where
        seen = [Sighting("device", device.label, {"device": device.name}) for device in self.devices]
        seen += touched(*where, self.run.id, self.results)
        refs = {entity.ref for entity in note_entities(*where, self.question.id, seen)}
        touch_entities(*where, self.question.id, refs_in(f"{self.question.content}\n{answer}"))
        return [entity for entity in list_entities(*where) if entity.ref in refs]

    def prompt(self, agent: str, reserve: int = 0) -> str:
        """Return the prompt for `agent`.

        What it moves out of the recent messages is in the turn's summary from now on.

        reserve  tokens of the budget that a mode needs for words of its own around it
        """
        budget = max(1, self.settings.prompt_tokens - reserve)
        request = tagged(self.question.content, agent, bool(self.devices))
        prompt = self.composed(request, budget)
        keep_long_request(request, self.workspace(), budget)
        self.summary = prompt.summary
        return prompt.text

    def record(self, question: str, budget: int) -> str:
        """Return what the conversation has on record that bears on `question`, within `budget` tokens.

        It is what a prompt of `question` tells beside the question itself; "" if there is nothing.
        """
        sections = self.composed(question, budget).sections
        return "\n\n".join(section.text for section in sections if section.name != "request")

    def composed(self, request: str, budget: int) -> memory.Prompt:
        """Return the prompt that memory makes of `request`; nothing of the turn changes."""
        return prompt_for(
            *self.where, request, self.question.id, self.state, self.summary,
            self.devices, self.inventory, replace(self.settings, prompt_tokens=budget),
        )  # fmt: skip

    def uploads(self) -> Iterator[Path]:
        """Yield the files that came with this conversation's questions, newest first, as files on disk."""
        for upload in list_uploads(*self.where):
            path = upload_path(self.database, upload)
            if not upload.file and not path.exists():  # an older version keeps it in the database
                kept = db.get_artifact(*self.where, upload.id)
                with whole(made(path.parent) / path.name) as file:
                    file.write(kept.content if kept else b"")
            yield path

    def home(self) -> Path:
        """Return the folder of the database, the cache and the workspaces."""
        return Path(file_of(self.database)).parent

    def workspace(self) -> Path:
        """Return the folder where agents work: one per conversation, so that they find their files again."""
        return made(self.home() / "workspaces" / self.run.conversation_id)


def open_turn(database: Database, run_id: str, stopped: Callable[[], bool] = lambda: False) -> Turn:
    """Return the turn of a run with all it knows before it begins; raise UnknownRun if there is none.

    What the question states and calls a device is kept at once: prompt, task file and tools tell it.
    An inventory that cannot be used is the turn's `problem`: its answer will say so.
    """
    run = get_run(database, run_id)
    question = db.list_messages(database, run.conversation_id, 1, (run.question_message_id or 0) + 1)[0]
    summary, stored = db.get_memory(run.conversation_id, database)
    before = memory.DiagnosticState.deserialize(stored)
    settings = settings_in_force(db.get_settings(database))
    choose_zone(settings.timezone)
    turn = Turn(database, run, question, settings, before, summary, Inventory(Path(), ()), stopped=stopped)
    try:
        inventory = load_inventory(settings.inventory)
    except InstrumentGPTError as error:
        turn.problem = error
        return turn
    turn.inventory = note_names(database, run.conversation_id, question.id, question.content, inventory)
    _turn_to_device(turn)
    if run.agent != COMMAND:  # what is in a command is what to do
        record_question(*turn.where, question, memory.device_key(turn.state), turn.inventory)
        heads, unit = heads_in(question.content), unit_in(question.content)
        if (heads or unit) and (path := next(turn.uploads(), None)):
            remember_said(database, run.conversation_id, path, heads, unit)
    return turn


def _turn_to_device(turn: Turn) -> None:
    """Find the devices that the question is about, and turn to the first."""
    named = asked_about(turn.question.content, turn.inventory, identity(turn.state))
    turn.devices, turn.unknown = named.devices, named.unknown
    if turn.devices:
        turn.turn_to(turn.devices[0].name, turn.devices[0].ip)
    else:  # nobody said of which device a pasted log is: it must not be taken for one of the device in view
        brought = db.list_artifacts(turn.database, turn.question.id)
        turn.turn_to(next((name for upload in brought if (name := device_name(upload.title))), ""))


def failed(error: InstrumentGPTError) -> Events:
    """Yield the events of a turn that cannot ask anybody."""
    yield Failure("error", str(error))
    yield Done("error", "")


def made(folder: Path) -> Path:
    """Return `folder`, which is there from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder
