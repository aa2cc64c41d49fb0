"""`python -m instrumentgpt scripted`: answers by a script, on Cursor's wire; same input, same bytes."""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.edge import run_on, use_utf_8
from instrumentgpt.agents.offline.task import read_fields, standard_input, task_of, use_tool
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.agents.scripted.counts import counter
from instrumentgpt.agents.scripted.script import Answer, Prompt, choose_answer, filled, read_script

MODEL = "script"


def run(arguments: argparse.Namespace) -> int:
    """Answer one prompt on standard output; return 0, or 1 if no answer fits or the answer is an error."""
    use_utf_8()
    words = arguments.prompt or standard_input()
    wire = Wire(
        sys.stdout,
        arguments.output_format,
        arguments.stream_partial_output,
        session=hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        clock=lambda: 0.0,
        model=MODEL,
    )
    remedy = f"Correct {arguments.script}"
    return run_on(wire, ".", lambda: _answer(wire, arguments, words), "The scripted agent", remedy)


def _answer(wire: Wire, arguments: argparse.Namespace, words: str) -> str:
    """Say the script's answer to the prompt `words` through `wire`; return the error it ends with, or ""."""
    told = read_fields(arguments.task)
    script = read_script(arguments.script)
    task = task_of(told, words)
    prompt = Prompt(words, str(told.get("task", "")), task.question, _as_text({**told, **task.given}))
    wire.hear(task.question)
    answer = choose_answer(script, prompt, counter(arguments.counts or Path.cwd(), script.digest))
    if answer.delay:
        time.sleep(answer.delay)
    _say(wire, answer, answer.found(prompt), lambda name, given: use_tool(task, name, given))
    return answer.error


def _say(wire: Wire, answer: Answer, names: dict[str, str], use: Any) -> None:
    """Say the parts of `answer`; what a tool returned is named in the parts after its call."""
    for part in answer.say:
        if isinstance(part, str):
            wire.say(filled(part, names))
            continue
        given = {key: filled(told, names) if isinstance(told, str) else told for key, told in part.items()}
        result = wire.call(given.pop("tool"), given, use)
        names.update(_as_text(result))


def _as_text(told: Mapping[str, Any]) -> dict[str, str]:
    """Return name → text; what is no text is written as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in told.items()
    }
