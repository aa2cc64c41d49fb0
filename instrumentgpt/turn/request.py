"""What one asking of a mode gives to an agent: its prompt, its task file, its folder and what it may do.

The folder has our rule and tools, and the conversation's files.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import db
from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.registry import Agent, model_for
from instrumentgpt.agents.sandbox import confines, tools_entry
from instrumentgpt.agents.workspace import copy_logs, prepare, tool_server, write_pasted
from instrumentgpt.instruments.devices import Device, resolve
from instrumentgpt.memory.filtering import RAW_LOG, RECENT_CHARS, filter_content
from instrumentgpt.memory.reading.own_words import own_lines
from instrumentgpt.memory.revisions import CORRECTED, RevisedMemory
from instrumentgpt.memory.state import DiagnosticState, device_key, identity
from instrumentgpt.moments import now
from instrumentgpt.storage.connection import file_of
from instrumentgpt.storage.conversations import Permission, permission_in_force
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.runs import keep_prompt
from instrumentgpt.turn.turn import Turn, made


@dataclass(frozen=True)
class Asking:
    """One thing that a mode asks of an agent.

    task    its name, by which our own analyst and scripts know what is wanted
    prompt  all that the agent is told; None: the question with what memory adds
    told    facts for our own analyst, which reads data and no prompts: `given` in its task file
    agent   who is asked; "": the agent that the user chose
    resume  whether the agent goes on with its session of this conversation
    read_only  whether it may only read, whatever the conversation allows
    """

    task: str = "chat"
    prompt: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    resume: bool = False
    read_only: bool = False


CHAT = Asking(resume=True)


def request_of(turn: Turn, agent: Agent, asking: Asking) -> Request:
    """Return what is asked of `agent`, whose folder is made ready for it."""
    where, device_memory = turn.where, _device_memory(turn)
    allowed = Permission() if asking.read_only else permission_in_force(*where)
    folder, task_file = turn.workspace(), write_task_file(turn, asking.task, asking.told, device_memory)
    source = source_of(device_of(turn))
    prompt = turn.prompt(agent.name) if asking.prompt is None else asking.prompt
    keep_prompt(  # the memory inspector shows it word by word
        *where, turn.question.id, prompt, run_id=turn.run.id, task=asking.task, agent=agent.name,
        budget=turn.settings.prompt_tokens,
    )  # fmt: skip
    resume = ""
    if asking.resume and agent.resumes:
        resume = db.get_agent_session(*where, agent.name, str(source or folder))
    request = Request(
        prompt, folder, task_file, model_for(agent, turn.settings), resume=resume, source=source,
        may_run=allowed.may_run, may_edit=allowed.may_edit, may_browse=allowed.may_browse,
        confined=bool(agent.state) and confines(turn.settings), run_folder=turn.folder,
    )  # fmt: skip
    if agent.name == "offline":  # it is our own, and needs none of this
        return request
    server = tool_server(task_file, turn.home(), {RUN_VARIABLE: turn.run.id})
    entry = tools_entry(server, turn.folder) if agent.state else server
    mcp_config = prepare(folder, agent.name, entry, allowed, source)
    logs = device_memory.state.downloaded_logs[-MOST_LOGS:]
    paths, names = sorted((turn.home() / "cache").glob("*/*")) if logs else [], set(logs)
    fetched = [
        (path.parent.name, path) for path in paths if {path.name, path.name.removesuffix(".gz")} & names
    ]
    copy_logs(folder / "logs", [*fetched, *(("dropped", path) for path in turn.uploads())])
    write_pasted(folder / "pasted", pasted(turn.earlier))
    return replace(request, server=server, mcp_config=mcp_config)


def device_of(turn: Turn) -> Device | None:
    """Return the device that the turn is about: named in its question, else the one of before."""
    return turn.devices[0] if turn.devices else turn.inventory.known_as(identity(turn.state))


def _device_memory(turn: Turn) -> RevisedMemory:
    """Return what is known of the device in question, and of none in particular, as people revised it."""
    where, name = turn.where, device_key(turn.state)
    revised = revised_memory(*where, turn.state, list_facts(*where, ["", name]))
    return revised if device_key(revised.state) == name else revised_memory(*where, turn.state)


MOST_SENTENCES = 8  # of a kind told to our own analyst, the newest


def write_task_file(turn: Turn, task: str, given: Mapping[str, Any], device_memory: RevisedMemory) -> Path:
    """Write the turn's next task file (docs/architecture.md, The task file); return its path.

    task, given  what a mode asks for, and what it tells beside the question
    device_memory   what is known of the device in question
    """
    home, state = turn.home(), device_memory.state
    ours = (state.device_name, state.device_ip)
    filed = db.device_states(*turn.where)
    left: dict[str, str] = {}  # what this question turned away from
    for device, stored in turn.filed.items():
        left = {"device": device, "log": DiagnosticState.deserialize(stored).last_log_file or ""}
    record = {
        "task": task,
        "question": turn.question.content,
        "conversation_id": turn.run.conversation_id,
        "database": file_of(turn.database),
        "inventory": str(turn.inventory.path),
        "cache": str(home / "cache"),
        "artifacts": str(made(turn.folder / "artifacts")),
        "devices": [device.name for device in turn.devices],
        "nicknames": {device.name: device.nicknames for device in turn.inventory.devices if device.nicknames},
        "left": left,
        "state": asdict(state),
        "others": {device: json.loads(stored) for device, stored in filed.items() if device not in ours},
        "messages": _messages(turn),
        "stated": _stated(device_memory),
        "constraints": _sentences_of(device_memory, "constraint"),
        "causes": _causes_of(device_memory),
        "ruled_out": _sentences_of(device_memory, "ruled_out"),
        "attachments": [str(path) for path in turn.uploads()],
        "today": now().replace(tzinfo=None).isoformat(),
        "given": dict(given),
    }
    names = ("task.json" if number == 1 else f"task-{number}.json" for number in count(1))
    path = next(path for name in names if not (path := turn.folder / name).exists())
    path.write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def on_record(turn: Turn) -> list[str]:
    """Return what the user laid down, ruled out, stated and pinned of the device in question, a line each."""
    revised = _device_memory(turn)
    constraints = [f"laid down: {text}" for text in _sentences_of(revised, "constraint")]
    ruled_out = [f"ruled out: {text}" for text in _sentences_of(revised, "ruled_out")]
    stated = [
        f"stated: {'channel ' if row['channel'] else ''}{row['channel']} {row['parameter']} is"
        f" {row['value']} {row['unit']}"
        for row in _stated(revised)
    ]
    pinned = [f"pinned: {text}" for _, text in revised.pinned]  # an approved statement, among others
    return [" ".join(line.split()) for line in [*constraints, *ruled_out, *stated, *pinned]]


MOST_ANSWERS, MOST_QUESTIONS = 12, 400  # of earlier messages told to our own analyst, the newest
MOST_CHARS = 20_000  # of one of them


def _messages(turn: Turn) -> list[dict[str, Any]]:
    """Return what was said before this question: turn, role, text and, of a question, its devices.

    Of questions only what their author says himself; of answers the newest.
    """
    messages: list[dict[str, Any]] = []
    number = 0
    for message in turn.earlier:
        is_question = message.role == "user"
        number += is_question
        text = "\n".join(own_lines(message.content)) if is_question else message.content
        row: dict[str, Any] = {"turn": number, "role": message.role, "text": text[:MOST_CHARS]}
        if is_question:
            row["devices"] = [device.name for device in resolve(message.content, turn.inventory).devices]
        messages.append(row)
    answers = [row for row in messages if row["role"] != "user"][-MOST_ANSWERS:]
    return [row for row in messages if row["role"] == "user" or row in answers][-MOST_QUESTIONS:]


def _stated(device_memory: RevisedMemory) -> list[dict[str, Any]]:
    """Return what the user said last of each value of the device in question; turn 0: it was corrected."""
    about = "value", "user", device_key(device_memory.state)
    rows = [row for row in device_memory.facts if (row.kind, row.source, row.fact.device) == about]
    turns = ((row.fact, row.turn * (row.mark != CORRECTED)) for row in rows)
    return list({fact.key: {**asdict(fact), "turn": turn} for fact, turn in turns}.values())


def _causes_of(device_memory: RevisedMemory) -> list[str]:
    """Return the root causes of the device in question that people confirmed or worded."""
    worded = {one.text for item, one in device_memory.standings.items() if item.field == "root_causes"}
    return [text for text in device_memory.state.root_causes if text in worded]


def _sentences_of(device_memory: RevisedMemory, kind: str) -> list[str]:
    """Return the newest sentences of `kind` for the device in question, or for all, the oldest first."""
    about = ("", device_key(device_memory.state))
    rows = [row for row in device_memory.facts if row.kind == kind and row.fact.device in about]
    return list(dict.fromkeys(row.sentence for row in rows))[-MOST_SENTENCES:]


MOST_LOGS = 5  # newest fetched logs copied for an agent; our tools open all


def source_of(device: Device | None) -> Path | None:
    """Return the folder of the repository of the device's software, if it names one that is there."""
    path = Path(device.source) if device and device.source else None
    return path if path is not None and path.is_dir() else None


def missing_source(device: Device | None) -> str:
    """Return what to tell of a source that is named but not there, or ""."""
    if device is None or not device.source or source_of(device) is not None:
        return ""
    return f"{device.label}: its source {device.source} is not there; the agent works without it"


def pasted(messages: Sequence[db.Message]) -> dict[str, str]:
    """Return file name → raw text of the messages of which a prompt leaves something out."""
    files, turn = {}, 0
    for message in messages:
        turn += message.role == "user"
        kept = filter_content(message.content)
        if RAW_LOG in kept or "characters left out]" in kept or len(kept) > RECENT_CHARS:
            files[f"turn-{turn:03d}-{message.role}.md"] = message.content
    return files
