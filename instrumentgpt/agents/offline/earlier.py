"""What was asked before in the conversation, and the questions that go on about it: "same for channel 2"."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.case import Task
from instrumentgpt.agents.offline.intents import Question, read_question
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.task import inventory_of
from instrumentgpt.memory.facts import devices_in
from instrumentgpt.memory.reading.own_words import is_asked, own_lines, sentences
from instrumentgpt.memory.state import DiagnosticState, begin_question, device_key

STATEMENTS = 2_000  # newest sentences that are looked at
MESSAGES = 12  # messages in which the question is sought that another goes on about
MOST_SAID = 8  # sentences laid down or ruled out of a device, the newest
MOST_CHARS = 60  # a longer question says itself what it asks
SUBJECTS = ("channel", "gain", "day", "log")  # what a question may name anew
NOT_REPEATED = ("act", "courtesy", "excerpt", "help", "unknown")
_WHICH_VALUE = r"\bwhat (?:is|are|was|were)\b|\bhow (?:much|big|high|large)\b|多少|[幾几]"
_AGAIN = re.compile(
    r"^\W*(?:and |but |so |then |ok(?:ay)?,? )*(?:(?:the |do |is (?:it|that) )*same\b|likewise|ditto"
    r"|(?:what|how) about\b|and\b)"
    r"|呢\W*$|[同一][樣样]|也(?:是|看|要|[這这][樣样]|一[樣样])|^\W*(?:那|[換换]成?)\s*(?:通道|第)",
    FLAGS,
)


def questions_before(task: Task) -> list[str]:
    """Return what the user wrote before the question of `task`, newest first; [] without one."""
    if not (task.conversation_id and Path(task.database).is_file()):
        return []
    import db  # pandas comes with it: only where there is a conversation to look into

    with closing(db.connect(Path(task.database))) as database:
        last = db.list_messages(database, task.conversation_id, last=MESSAGES)
    asked = [one.content for one in reversed(last) if one.role == "user"]
    return asked[1:] if asked and asked[0].strip() == task.question.strip() else asked


def sentences_before(task: Task) -> list[tuple[int, str, str]]:
    """Return (turn, device, sentence) of what the user said in the conversation, oldest first.

    A sentence that names no device is of the one that was named last; "" before any is.
    """
    if not (task.conversation_id and Path(task.database).is_file()):
        return []
    import db

    with closing(db.connect(Path(task.database))) as database:
        last = [one for one in db.list_messages(database, task.conversation_id) if one.role == "user"]
    names = tuple(device.names for device in inventory_of(task).devices)
    device, told = "", []
    for turn, message in enumerate(last, start=1):
        for sentence in (one for line in own_lines(message.content) for one in sentences(line)):
            named = devices_in(sentence, names)
            device = named[-1] if named else device
            told.append((turn, device, sentence))
    return told[-STATEMENTS:]


def states_left(task: Task) -> dict[str, dict[str, Any]]:
    """Return device → state of the devices that the conversation has left, but the one in question now."""
    if not (task.conversation_id and Path(task.database).is_file()):
        return {}
    import db

    with closing(db.connect(Path(task.database))) as database:
        filed = db.device_states(database, task.conversation_id)
    own = {task.state.get("device_name"), task.state.get("device_ip")}
    return {device: json.loads(state) for device, state in filed.items() if device not in own}


def task_about(task: Task, device: str) -> Task:
    """Return `task` with what is known of `device`, another one than the question turned to."""
    known = (task.state.get("device_name"), task.state.get("device_ip"))
    if device in known or not (task.conversation_id and Path(task.database).is_file()):
        return task
    import db
    from instrumentgpt.storage.facts import list_facts
    from instrumentgpt.storage.in_force import memory_in_force

    with closing(db.connect(Path(task.database))) as database:
        told = database, task.conversation_id
        before = DiagnosticState.deserialize(db.get_memory(task.conversation_id, database)[1])
        filed = {**db.device_states(*told), device_key(before): before.serialize()}
        state = begin_question(DiagnosticState(), None, device, filed)
        found = memory_in_force(*told, state, list_facts(*told, ["", device]))
    stated = {
        one.fact.key: {**asdict(one.fact), "turn": one.turn}
        for one in found.known
        if (one.kind, one.source, one.fact.device) == ("value", "user", device)
    }
    said = {
        kind: tuple(dict.fromkeys(one.said for one in found.known if one.kind == kind))
        for kind in ("constraint", "ruled_out")
    }
    return replace(
        task,
        state=asdict(found.state),
        stated=tuple(stated.values()),
        constraints=said["constraint"][-MOST_SAID:],
        ruled_out=said["ruled_out"][-MOST_SAID:],
    )


def going_on(question: Question, task: Task, asked: Sequence[str] = ()) -> Question:
    """Return `question`, or the one before it with what is named anew, if it only goes on about that.

    asked  what the same message asks before it, newest first
    """
    if not (_says_no_task(question) and (task.devices or _own(question))):
        return question
    before = next(_repeatable([*asked, *questions_before(task)]), None)
    return _with(before, question, bool(task.devices)) if before else question


def _says_no_task(question: Question) -> bool:
    if len(question.text) > MOST_CHARS or not _AGAIN.search(question.text):
        return False
    asks_for_value = question.gain == "" or re.search(_WHICH_VALUE, question.text, FLAGS)
    return question.intent == "unknown" or (question.intent == "metrics" and not asks_for_value)


def _own(question: Question) -> dict[str, Any]:
    """Return the subjects that `question` names itself."""
    return {name: value for name in SUBJECTS if (value := getattr(question, name)) not in (None, "")}


def _repeatable(asked: list[str]) -> Iterator[Question]:
    """Yield the questions that one may go on about; one that goes on itself says nothing of its own."""
    for words in asked:
        before = read_question(words)
        if before.intent == "metrics" and not is_asked(before.text):  # "kp is 12 now": kp is spoken of
            before = replace(before, text=f"{before.gain}?", intent="metrics" if before.gain else "unknown")
        if before.intent not in NOT_REPEATED and not _says_no_task(before):
            yield before


def _with(before: Question, question: Question, elsewhere: bool) -> Question:
    """Return the question `before` with what `question` names; of another device no log is carried over."""
    own = _own(question)
    if elsewhere:
        before = replace(before, log="", day="", previous=False, channel=None, lines=None, clock="")
    if question.gain not in ("", before.gain):  # 6 was meant for the other gain
        before = replace(before, target=question.target)
    if question.gain and before.intent == "metrics":
        return replace(before, text=question.text, **own)
    return replace(before, text=f"{before.text} {question.text}", **own)
