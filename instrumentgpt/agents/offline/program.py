"""`python -m instrumentgpt offline`: reads a task, answers it on Cursor's wire."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from instrumentgpt.agents.offline.answers.registry import answer
from instrumentgpt.agents.offline.calls import calling
from instrumentgpt.agents.offline.case import Case, Task
from instrumentgpt.agents.offline.intents import read_question
from instrumentgpt.agents.offline.interview import interview
from instrumentgpt.agents.offline.panel.tasks import PANEL_TASKS
from instrumentgpt.agents.offline.task import BadTask, read_fields, standard_input, task_of
from instrumentgpt.agents.offline.tasks.reply import reply
from instrumentgpt.agents.offline.tasks.step import step
from instrumentgpt.agents.offline.tasks.think import think
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import load_inventory, resolve
from instrumentgpt.settings import settings_in_force
from instrumentgpt.text.language import Language, language_of

HELP = "answer one task from standard input, on the wire of a CLI agent, without any model"
NEVER_USED = ("--model", "--resume", "--workspace")  # of Cursor's flags: accepted, and of no effect here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of Cursor's `agent` that matter here, and `--task`."""
    parser.add_argument("prompt", nargs="?", help="the question; without it, it is read from standard input")
    parser.add_argument("-p", "--print", action="store_true", help="answer and end (always so)")
    parser.add_argument(
        "--output-format",
        choices=["text", "json", "stream-json"],
        default="text",
        help="text (default), one JSON result, or one JSON event a line",
    )
    parser.add_argument("--stream-partial-output", action="store_true", help="print the text as it comes")
    parser.add_argument("--task", type=Path, metavar="FILE", help="the task as JSON (docs/architecture.md)")
    for flag in NEVER_USED:
        parser.add_argument(flag, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Answer one task on standard output; return 0, or 1 if there was no answer."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    wire = Wire(sys.stdout, arguments.output_format, arguments.stream_partial_output)
    wire.open(str(Path.cwd()))
    error = ""
    try:
        task = read_task(arguments.task, arguments.prompt or standard_input())
        wire.hear(task.question)
        for words in TASKS[task.task](task, wire):
            wire.say(words)
    except InstrumentGPTError as problem:
        error = str(problem)
    except Exception as problem:  # the edge of the program: the wire must end with a result
        error = (
            f"The offline analyst failed: {type(problem).__name__}: {problem}. Please report this question."
        )
    wire.close(error)
    return 1 if error else 0


def chat(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the answer to the question of `task`, calling tools through `wire`."""
    yield from answer(_case(task, wire))


def _of_panel(name: str) -> Callable[[Task, Wire], Iterator[str]]:
    return lambda task, wire: PANEL_TASKS[name](_case(task, wire))


def _case(task: Task, wire: Wire) -> Case:
    """Return the question of `task` as answers take it, with the devices that it names."""
    question = read_question(task.question)
    named = resolve(task.question, load_inventory(task.inventory or settings_in_force({}).inventory))
    devices = task.devices or tuple(device.name for device in named.devices)
    language: Language = task.given.get("language") or language_of(question.text)  # a mode may know better
    return Case(replace(task, devices=devices), question, language, calling(task, wire), named.unknown)


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
