"""What is put on record of a turn: what its tools report as data, and what its question and answer state.

Tools' results are handed over by an agent, so they are checked like anything an agent says.
Values come from tools, and from what a user states plainly; an answer's words state none, but what a user
said before is in doubt where they plainly say otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sqlite_utils import Database

import db
import memory
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream import json_object, string
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.memory.facts import Names, device_named, devices_in
from instrumentgpt.memory.reading.constraints import (
    CONSTRAINT_CHARS,
    Ruling,
    affected_constraint,
    constraints_in,
    stated_in,
)
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS, same, statements
from instrumentgpt.memory.reading.values import doubts_in, values_in
from instrumentgpt.memory.revisions import UNCLEAR, apply_revisions, item_of, standings_of
from instrumentgpt.memory.state import FILED, IN_QUESTION, RULED_OUT, bare, identity, ruled_out_by
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.values import readings_in
from instrumentgpt.storage.facts import list_facts, ruled_out_before
from instrumentgpt.storage.revisions import list_revisions
from instrumentgpt.turn.prompt import LOOKED_AT, names_of

LARGEST_ARTIFACT = 32 * 1024 * 1024  # bytes; a chart of 4,000 points a trace has 0.1–1 MB
KINDS = ("plotly", "html", "markdown", "image", "log", "report", "file")
TITLE_CHARACTERS = 200
ALT_CHARACTERS = 2000

Result = tuple[str, Mapping[str, Any]]  # of one of our tools: its name, and the JSON that it returned


class RefusedArtifact(InstrumentGPTError, ValueError):
    """A file that a tool's result names, and that may not or cannot be taken in."""


def result_of(tool: Tool) -> dict[str, Any]:
    """Return the JSON object that one of our tools returned; {} for another tool, a failure, or other text.

    >>> result_of(Tool("1", "diagnose_log", "ok", result='{"log": "a.log"}', server="instrumentgpt"))
    {'log': 'a.log'}
    >>> result_of(Tool("1", "shell", "ok", result='{"log": "a.log"}'))
    {}
    """
    return json_object(tool.result) if tool.server == SERVER and tool.status == "ok" else {}


def rows_of(result: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """Return the objects in those lists of a tool's result: whatever an agent handed over, no others."""
    listed = [result.get(name) for name in names]
    return [row for rows in listed if isinstance(rows, list) for row in rows if isinstance(row, dict)]


def origins(results: Iterable[Result]) -> dict[str, tuple[str, int | None, bool]]:
    """Return for each statement in the tools' `results`, as the state keeps it, its log and first line.

    Last whether it is an opinion of the agent, that no line and no result supports.

    >>> finding = {"text": "slow", "evidence": [{"line": 7}]}
    >>> origins([("diagnose_log", {"log": "a.log", "findings": [finding, 1]})])
    {'slow': ('a.log', 7, False)}
    """
    origin_of_text = {}
    for _, result in results:
        for item in rows_of(result, "findings", "hypotheses", "root_causes"):
            text = shorten(" ".join(string(item.get("text")).split()), STATEMENT_CHARS)
            line = next((row.get("line") for row in rows_of(item, "evidence")), None)
            log = string(item.get("log")) or string(result.get("log"))
            is_line = isinstance(line, int) and line > 0
            origin_of_text[text] = log, line if is_line else None, bool(item.get("opinion"))
    return origin_of_text


def artifact(result: Mapping[str, Any], folder: Path) -> tuple[str, str, str, bytes] | None:
    """Return kind, title, words and content of the artifact in `folder` that `result` names, None if none.

    Raises RefusedArtifact if it does not lie in `folder`, is too big, or is not what it says.
    """
    named = result.get("artifact")
    if not isinstance(named, dict):
        return None
    kind, file = string(named.get("kind")), string(named.get("file"))
    title = " ".join(string(named.get("title")).split())[:TITLE_CHARACTERS]
    if kind not in KINDS:
        raise RefusedArtifact(f"An artifact of kind {kind!r} was refused. Known kinds: {', '.join(KINDS)}.")
    content = _content(folder, file)
    if kind == "plotly" and not isinstance(json_object(content).get("data"), list):
        raise RefusedArtifact(f"{file!r} is no Plotly figure (a JSON object with `data`) and was refused.")
    return kind, title or kind, string(named.get("alt"))[:ALT_CHARACTERS], content


def _content(folder: Path, file: str) -> bytes:
    try:
        path, content = (folder / file).resolve(), b""
        if is_ours := path.is_relative_to(folder.resolve()) and path.is_file():
            with path.open("rb") as opened:
                content = opened.read(LARGEST_ARTIFACT + 1)
    except (OSError, ValueError) as error:
        raise RefusedArtifact(f"{file!r} cannot be read: {reason(error)}. It was refused.") from error
    if not is_ours:
        raise RefusedArtifact(f"{file!r} is no file in the run's own folder {folder} and was refused.")
    if len(content) > LARGEST_ARTIFACT:
        raise RefusedArtifact(f"{file!r} is larger than {LARGEST_ARTIFACT:,} bytes and was refused.")
    return content


# fields of results: beside them a log's name in words is no log read
SPEAK_OF_LOGS = {"log", "logs", "devices"}


@dataclass(frozen=True)
class StatesAfter:
    """The states after a turn, and where each new line of them came from.

    state  of the device that the conversation is about
    filed  device → state as JSON, of the other devices that tools looked at
    """

    state: memory.DiagnosticState
    filed: Mapping[str, str]
    items: Sequence[db.StateItem]


def states_after(
    state: memory.DiagnosticState,
    results: Sequence[Result],
    answer: str,
    inventory: Inventory,
    filed: Mapping[str, str],
) -> StatesAfter:
    """Return what `results` and the words of `answer` add to `state`, and to the states `filed` of others.

    What our tools reported as data counts; the answer's words only where no tool spoke of the same, and not
    at all where tools looked at several devices: nobody can say whose they are.
    """
    shares: dict[Device | None, list[Result]] = {}  # of results that state something; None: a dropped file
    for result in results:
        if memory.fields_reported(result[1]):
            shares.setdefault(_device_of_result(result, inventory), []).append(result)
    others = [device for device in shares if device and device != inventory.known_as(identity(state))]
    if not memory.device_key(state) and len(others) == 1:
        state = memory.begin_question(state, others[0].ip, others[0].name, filed)
        others = []
    own = inventory.known_as(identity(state))
    strange = {*inventory.devices} - {own} if identity(state) else {*others}
    ours = [result for result in results if _device_of_result(result, inventory) not in strange]
    after, items = _after(state, ours, answer if len(ours) == len(results) and len(shares) < 2 else "")
    added: dict[str, str] = {}
    for device in others:
        begun = memory.begin_question(memory.DiagnosticState(), device.ip, device.name)
        kept = filed.get(memory.device_key(begun), "")
        before = memory.DiagnosticState.deserialize(kept) if kept else begun
        changed, new = _after(before, shares[device], "")
        added[memory.device_key(before)] = changed.serialize()
        items += [standing(changed, FILED), *new]
    return StatesAfter(after, added, items)


def with_causes(
    state: memory.DiagnosticState, question: str
) -> tuple[memory.DiagnosticState, list[db.StateItem]]:
    """Return the state with the causes that the user states or rules out in `question`, and their records."""
    stated = statements(question)
    causes, out = ([row.text for row in stated if row.kind == kind] for kind in ("root_cause", "ruled_out"))
    said = {"root_causes": causes, "ruled_out": out}
    after = memory.record_tool(state, "pin", said) if causes or out else state
    items = [db.StateItem(memory.device_key(after), *item, "user") for item in memory.new_items(state, after)]
    return after, [*items, *_taken_back(after, out)]


def put_on_record(
    database: Database, conversation_id: str, name: str, device: Device | None, data: Mapping[str, Any]
) -> tuple[memory.DiagnosticState, memory.DiagnosticState, db.StateItem]:
    """Put what a person states of a device into its state, in force or left.

    Return the state before and after, and its record, to be stored.

    name    under which the device's state is filed, which is there for files of no device too
    device  the one of the inventory; in question from now on, where none was
    """
    summary, stored = db.get_memory(conversation_id, database)
    before = memory.DiagnosticState.deserialize(stored)
    in_force = device is None or identity(before) in (None, device.ip, device.name)
    if not in_force:
        before = memory.DiagnosticState.deserialize(db.device_states(database, conversation_id).get(name, ""))
    begun = before
    if device is not None and identity(before) is None:
        begun = memory.begin_question(before, device.ip, device.name)
    after = memory.record_tool(begun, "pin", data)
    if in_force:
        db.update_memory(conversation_id, summary, after.serialize(), database)
    else:
        db.file_device_state(database, conversation_id, name, after.serialize())
    return before, after, standing(after, IN_QUESTION if in_force else FILED, "user")


def _after(
    state: memory.DiagnosticState, results: Sequence[Result], answer: str
) -> tuple[memory.DiagnosticState, list[db.StateItem]]:
    """Return the state with what `results`, then `answer`, say of its device, and the new lines' origins."""
    items = []
    lines = origins(results)
    reported = {name for _, result in results for name in memory.fields_reported(result)}
    for tool_name, result in results:
        after = memory.record_tool(state, tool_name, result)
        for name, text in memory.new_items(state, after):
            log, line, is_opinion = lines.get(text, ("", None, False))
            is_opinion = is_opinion or tool_name == "record_hypothesis"
            source: Literal["agent", "tool"] = "agent" if is_opinion else "tool"
            items.append(db.StateItem(memory.device_key(after), name, text, source, log=log, line=line))
        items += _taken_back(after, ruled_out_by(result))
        state = after
    after = memory.extract_state_updates(answer, state)
    for name in reported:
        setattr(after, name, getattr(state, name))
    if any(SPEAK_OF_LOGS & result.keys() for _, result in results):
        after.downloaded_logs, after.last_log_file = state.downloaded_logs, state.last_log_file
    if "root_causes" in reported:
        after.status = state.status
    new = memory.new_items(state, after)
    items += [db.StateItem(memory.device_key(after), *item, "agent") for item in new]
    out = [row.text for row in statements(answer) if row.kind == "ruled_out" and "hypotheses" not in reported]
    return after, [*items, *_taken_back(after, out)]


def _taken_back(state: memory.DiagnosticState, texts: Sequence[str]) -> list[db.StateItem]:
    return [db.StateItem(memory.device_key(state), RULED_OUT, text, "agent") for text in texts]


def standing(
    state: memory.DiagnosticState, field: str, source: Literal["tool", "user"] = "tool"
) -> db.StateItem:
    """Return the record of a state but for its lists; `field`: IN_QUESTION or FILED."""
    return db.StateItem(memory.device_key(state), field, bare(state).serialize(), source)


def _device_of_result(result: Result, inventory: Inventory) -> Device | None:
    return inventory.known_as(result[1].get("device"))


MOST_CONSTRAINTS = 8  # constraints of one result

Sentence = tuple[str, ...]  # kind, text, device; of an unclear one the constraint that it may be about


def record_question(
    database: Database, conversation_id: str, question: db.Message, device: str, inventory: Inventory
) -> None:
    """Keep what a question states plainly: values, constraints and their lifting, what is ruled out.

    device  which the turn is about
    """
    words, names = question.content, names_of(inventory)
    # a value that names no device is of `device` where only that is spoken of, else of none
    before = db.list_messages(database, conversation_id, before=question.id, last=2)
    spoken_of = {name for message in before for name in devices_in(message.content[:LOOKED_AT], names)}
    others = bool(spoken_of - {device}) or bool(db.device_states(database, conversation_id))
    owner = device if spoken_of == {device} or not others else ""
    facts = values_in(words, owner, names)
    doubts = [row for row in doubts_in(words, owner, names) if row.key not in {fact.key for fact in facts}]
    kinds = {sentence: kind for kind, sentence in constraints_in(words)}
    stated = dict.fromkeys(shorten(row, CONSTRAINT_CHARS) for row in stated_in(words))
    rulings = [Ruling(kinds.get(text), text, _device_named_in(text, "", names)) for text in stated]
    laid = (row.text for row in rulings if row.kind == "constraint")
    sentences: list[Sentence] = [("constraint", text, _device_named_in(text, device, names)) for text in laid]
    sentences += [
        *_ended(database, conversation_id, question.id, rulings, device),
        *_ruled_out(words, device),
    ]
    db.store_facts(database, conversation_id, question.id, "user", facts, sentences, doubts=doubts)


def record_answer(
    database: Database,
    conversation_id: str,
    message_id: int,
    answer: str,
    results: Sequence[Result],
    device: str,
    inventory: Inventory,
) -> None:
    """Keep what the tools of a turn read, and what they and its answer put on record.

    device  whose they are where nothing else is said
    """
    names = names_of(inventory)
    readings = [reading for _, result in results for reading in readings_in(result, device, names)]
    already_out = set(map(same, ruled_out_before(database, conversation_id, message_id)))
    out = _ruled_out_by_tools(results, device) or _ruled_out(answer, device)
    sentences = [row for row in out if same(row[1]) not in already_out]  # what it repeats stays whose it was
    sentences += _constraints_by_tools(results, device, names)
    doubts = values_in(answer, device, names)
    db.store_facts(database, conversation_id, message_id, "agent", (), sentences, readings, doubts)


def _device_named_in(sentence: str, device: str, names: Names) -> str:
    """Return the device that a sentence names, `device` if it names none; "" if it names several."""
    named = devices_in(sentence, names)
    return device if not named else named[0] if len(named) == 1 else ""


def _ended(
    database: Database, conversation_id: str, before: int, rulings: Sequence[Ruling], device: str
) -> Iterator[Sentence]:
    """Yield those of a question's sentences that lift what was in force before, or may lift or replace it.

    What people undid meanwhile counts as they had it, so that the same is made of it anew.
    """
    revisions = list_revisions(database, conversation_id)
    standings = standings_of(replace(row, undone_at=None) for row in revisions if row.after < before)
    facts = list_facts(database, conversation_id, ())
    revised = apply_revisions(memory.DiagnosticState(), facts, standings).facts
    new = {row.text for row in rulings}
    held = [row for row in revised if row.kind == "constraint" and row.sentence not in new]
    constraints = [Ruling("constraint", row.sentence, row.fact.device) for row in held]
    for ruling in rulings:
        place, is_sure = affected_constraint(ruling, constraints) or (-1, False)
        row = held[place] if place >= 0 else None
        if ruling.kind == "lift":  # where it names none of these it may be a note's
            yield "lift", ruling.text, row.fact.device if row and is_sure else ruling.device or device
        if row and not is_sure:
            item = item_of(standings, row.fact.device, "constraint", row.sentence)
            yield UNCLEAR, ruling.text, ruling.device, item.name


def _ruled_out(text: str, device: str) -> list[Sentence]:
    return [("ruled_out", row.sentence, device) for row in statements(text) if row.kind == "ruled_out"]


def _constraints_by_tools(results: Sequence[Result], device: str, names: Names) -> Iterator[Sentence]:
    """Yield the constraints that an agent put on record, and those that it lifted."""
    for _, result in results:
        for name, kind in (("constraints", "constraint"), ("lifted", "lift")):
            listed = result.get(name)
            for row in listed[:MOST_CONSTRAINTS] if isinstance(listed, list) else ():
                if text := shorten(" ".join(string(row).split()), STATEMENT_CHARS):
                    named = device_named(str(result.get("device")), names)
                    yield kind, text, named or _device_named_in(text, device, names)


def _ruled_out_by_tools(results: Sequence[Result], device: str) -> list[Sentence]:
    """Return what tools ruled out, each with its reason."""
    return [
        ("ruled_out", shorten(" ".join(summary.split()), STATEMENT_CHARS), device)
        for _, result in results
        if result.get("ruled_out") and isinstance(summary := result.get("summary"), str) and summary.strip()
    ]
