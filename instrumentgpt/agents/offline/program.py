"""`python -m instrumentgpt offline`: reads a task, answers it on Cursor's wire."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from instrumentgpt.agents.offline.answers.several import answer_each
from instrumentgpt.agents.offline.calls import calling
from instrumentgpt.agents.offline.case import Case, Task
from instrumentgpt.agents.offline.earlier import going_on
from instrumentgpt.agents.offline.edge import run_on, use_utf_8
from instrumentgpt.agents.offline.intents import Question, read_question
from instrumentgpt.agents.offline.interview import interview
from instrumentgpt.agents.offline.panel.tasks import PANEL_TASKS
from instrumentgpt.agents.offline.task import BadTask, inventory_of, read_fields, standard_input, task_of
from instrumentgpt.agents.offline.tasks.reply import reply
from instrumentgpt.agents.offline.tasks.step import step
from instrumentgpt.agents.offline.tasks.think import think
from instrumentgpt.agents.offline.unheard import unheard_of
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.instruments.devices import resolve
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.pasted import LOG_LINES, number_of
from instrumentgpt.memory.reading.own_words import is_asked


def run(arguments: argparse.Namespace) -> int:
    """Answer one task on standard output; return 0, or 1 if there was no answer."""
    use_utf_8()
    wire = Wire(sys.stdout, arguments.output_format, arguments.stream_partial_output)
    return run_on(
        wire,
        str(Path.cwd()),
        lambda: _answer(wire, arguments),
        "The offline analyst",
        "Please report this question.",
    )


def _answer(wire: Wire, arguments: argparse.Namespace) -> str:
    """Say the answer to the task through `wire`; return "": what cannot be answered raises."""
    task = read_task(arguments.task, arguments.prompt or standard_input())
    wire.hear(task.question)
    for words in TASKS[task.task](task, wire):
        wire.say(words)
    return ""


def chat(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the answer to each question of `task`, calling tools through `wire`."""
    yield from answer_each(_case(task, wire))


def _of_pasted(question: Question, task: Task) -> Question:
    """Return a question that a pasted log comes with: it is on that log, if that is here as a file."""
    if len(question.pasted) < LOG_LINES or question.intent == "excerpt":
        return question
    brought = Path(task.attachments[0]).name if task.attachments else ""
    if not number_of(brought):
        return replace(question, intent="excerpt")
    return replace(question, intent="why") if question.intent in ("unknown", "courtesy") else question


def _of_panel(name: str) -> Callable[[Task, Wire], Iterator[str]]:
    return lambda task, wire: PANEL_TASKS[name](_case(task, wire))


def _case(task: Task, wire: Wire) -> Case:
    """Return the question of `task` as answers take it, with the devices that it names."""
    inventory = inventory_of(task)
    named = resolve(task.question, inventory)
    devices = task.devices or tuple(device.name for device in named.devices)
    task = replace(task, devices=devices)
    asked = _of_pasted(read_question(task.question), task)
    language: Language = task.given.get("language") or language_of(asked.text)  # a mode may know better
    unknown = named.unknown or (unheard_of(asked.text, inventory) if is_asked(asked.text) else ())
    return Case(task, going_on(asked, task), language, calling(task, wire), unknown)


TASKS: dict[str, Callable[[Task, Wire], Iterator[str]]] = {
    "chat": chat,
    "interview": interview,
    "think": think,
    "step": step,
    "reply": reply,
    **{name: _of_panel(name) for name in PANEL_TASKS},
}


def read_task(path: Path | None, prompt: str) -> Task:
    """Return the task in the file at `path`, or a question without a past made of `prompt`."""
    task = task_of(read_fields(path), prompt)
    if task.task not in TASKS:
        raise BadTask(
            f"task {task.task!r} is none of {', '.join(TASKS)}. Ask another agent, or correct {path}"
        )
    return task
