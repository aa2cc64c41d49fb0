"""`python -m instrumentgpt offline`: reads a task, answers it on Cursor's wire."""

import argparse
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from instrumentgpt.agents.offline.panel_plan import brief, plan
from instrumentgpt.agents.offline.panel_words import conclusion, contribute, synthesis
from instrumentgpt.agents.offline.steps import reply, step
from instrumentgpt.agents.offline.task import BadTask, calling, read_fields, task_of
from instrumentgpt.agents.offline.think import think
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst import answers
from instrumentgpt.analyst.case import Case, Task
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.devices import Inventory, load_inventory, with_nicknames
from instrumentgpt.settings import settings_in_force


def run_offline(arguments: argparse.Namespace) -> int:
    """Answer one task on standard output; return 0, or 1 if there was no answer."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    wire, error = Wire(sys.stdout), ""
    wire.open(str(Path.cwd()))
    try:
        task = read_task(arguments.task, sys.stdin.buffer.read().decode("utf-8", "replace"))
        wire.hear(task.question)
        for words in TASKS[task.task](task, wire):
            wire.say(words)
    except InstrumentGPTError as problem:
        error = str(problem)
    except Exception as problem:  # the edge of the program: the wire must end with a result
        error = f"The offline analyst failed: {reason(problem)}. Please report this question."
    wire.close(error)
    return 1 if error else 0


def rehearse() -> None:
    """Answer a question about a small log, to nobody: so is loaded what is loaded at its first use."""
    rows = (f"{second},40.0,{40 + second % 7 / 10:.1f},{30 + second % 5}" for second in range(300))
    with TemporaryDirectory() as folder:
        log = Path(folder) / "rehearsal.csv"
        log.write_text("\n".join(("time,setpoint,pv,output", *rows)), encoding="utf-8")
        question, cache, charts = "Why does the temperature fluctuate?", f"{folder}/cache", f"{folder}/charts"
        task = Task(question, attachments=(str(log),), cache=cache, artifacts=charts)
        for _ in ("read", "kept"):
            for _ in chat(task, Wire(io.StringIO())):
                pass


def chat(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the answer to each question of `task`, calling tools through `wire`."""
    yield from answers.chat(task, _inventory_of(task), calling(task, wire))


def _of_panel(answer: Callable[[Case], Iterator[str]]) -> Callable[[Task, Wire], Iterator[str]]:
    return lambda task, wire: answer(answers.read(task, _inventory_of(task), calling(task, wire)))


def _inventory_of(task: Task) -> Inventory:
    """Return the devices as the conversation of the task knows them."""
    return with_nicknames(load_inventory(task.inventory or settings_in_force({}).inventory), task.nicknames)


TASKS: dict[str, Callable[[Task, Wire], Iterator[str]]] = {
    "chat": chat,
    "think": lambda task, _: think(task, _inventory_of(task)),
    "step": step,
    "reply": reply,
    "panel_brief": _of_panel(brief),
    "panel_plan": _of_panel(plan),
    "panel_contribution": _of_panel(contribute),
    "panel_synthesis": _of_panel(synthesis),
    "panel_conclusion": _of_panel(conclusion),
}


def read_task(path: Path | None, prompt: str) -> Task:
    """Return the task in the file at `path`, or a question without a past made of `prompt`."""
    task = task_of(read_fields(path), prompt)
    if task.task not in TASKS:
        raise BadTask(
            f"task {task.task!r} is none of {', '.join(TASKS)}. Ask another agent, or correct {path}"
        )
    return task
