"""The number gate: each number of an agent's answer is looked up in what the turn had to know it from.

First what our tools returned in this turn, then the user's own words, then the record: what its prompts held.
Last what the agent's own programs printed, and that is told as what it is: nobody knows what they did.
"""

import json
from collections.abc import Sequence

import db
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.memory.gate import Mark, Source, marks_of
from instrumentgpt.storage.answers import marks_of_answer, store_marks
from instrumentgpt.turn.prompt import names_of
from instrumentgpt.turn.record import result_of, rows_of
from instrumentgpt.turn.turn import Turn

ON_RECORD = (  # tools that return what the agent told them: no source, but for the lines of the log
    "record_finding", "record_hypothesis", "confirm_root_cause", "rule_out", "record_value",
    "record_constraint", "lift_constraint", "note",
)  # fmt: skip


def check(turn: Turn) -> None:
    """Have the turn keep with its answer where each of its numbers is from."""

    def store(message_id: int) -> None:
        origins = sources(turn.calls, turn.question.content, turn.earlier, turn.prompts, _unsourced(turn))
        store_marks(turn.database, message_id, marks_of(turn.answer.text, origins, names_of(turn.inventory)))

    turn.also_saved.append(store)


def sources(
    calls: Sequence[Tool],
    question: str,
    earlier: Sequence[db.Message] = (),
    prompts: Sequence[str] = (),
    unsourced: Sequence[str] = (),
) -> list[Source]:
    """Return what numbers may be from, the first to be asked first.

    unsourced  what earlier answers said that nobody had computed: that a prompt repeats it makes it no fact
    """
    user_texts = [message.content for message in reversed(earlier) if message.role == "user"]
    ended = [tool for tool in calls if tool.status == "ok"]
    held = "\n".join(prompts)
    for words in unsourced:
        held = held.replace(words, " ")
    return [
        *(Source(tool.name, "computed", _result(tool)) for tool in ended if tool.server == SERVER),
        *(Source("question", "user", words) for words in (question, *user_texts)),
        Source("record", "computed", held),
        *(Source(tool.name, "agent", tool.result) for tool in ended if tool.server != SERVER),
    ]


def _result(tool: Tool) -> str:
    if tool.name not in ON_RECORD:
        return tool.result
    rows = rows_of(result_of(tool), "findings", "hypotheses", "root_causes", "values")
    return json.dumps([row.get("evidence") for row in rows], ensure_ascii=False)


def _unsourced(turn: Turn) -> list[str]:
    """Return the words of earlier answers' numbers that had no source."""
    unsourced: list[str] = []
    for message in turn.earlier:
        marks: Sequence[Mark] = marks_of_answer(turn.database, message.id) or ()
        unsourced += [message.content[mark.start : mark.end] for mark in marks if mark.kind == "unknown"]
    return sorted({words for words in unsourced if len(words) > 1}, key=len, reverse=True)
