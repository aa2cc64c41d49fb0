"""The scripted agent: a program that answers by a file of expected prompts, on Cursor's wire.

`scripted_agent.py SCRIPT --task FILE`; SCRIPT is JSON, {"answer": [{…}, …]}, as the fixture `scripted`
writes it. The first answer that fits is said; the rest is real: the turn, the process, the tools, what is
stored. Same input, same bytes: no clock, no chance, no network.

    task      names, one of which the turn's task has
    contains  texts that all stand in the prompt
    matches   a regular expression that is found in it
    question  a text that stands in the user's words alone
    given     field of the task file, or of its `given` → text that stands in it
    nth       it answers only the n-th such prompt of the conversation; `once` is nth = 1
    say       text, or a list of texts and calls of our tools: {"tool": name, argument: value, …}
    error     ends the answer as failed, with these words
    delay     s before the first word

`${name}` in a text or an argument is a named group of `matches`, or a field of the latest tool results.
"""

import fcntl
import hashlib
import itertools
import json
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from instrumentgpt.agents.offline.wire import Wire

COUNTS = ".scripted-agent.json"  # in the folder where the agent works: one per conversation


class Answer(NamedTuple):
    task: str | list[str] = ()
    contains: str | list[str] = ()
    matches: str = ""
    question: str = ""
    given: Mapping[str, str] = {}
    once: bool = False
    nth: int = 0
    say: Any = ()
    error: str = ""
    delay: float = 0.0

    def misses(self, prompt: str, task: str, question: str, fields: Mapping[str, str]) -> list[str]:
        """Return the features that the prompt lacks, in words; none if this answers it."""
        is_other = self.task and task not in listed(self.task)
        return [
            *([f"the task is {task!r}, not {self.task}"] if is_other else []),
            *(f"it does not contain {text!r}" for text in listed(self.contains) if text not in prompt),
            *([] if re.search(self.matches, prompt) else [f"it does not match {self.matches!r}"]),
            *([] if self.question in question else [f"the question does not contain {self.question!r}"]),
            *(
                f"the task's {name} does not contain {text!r}"
                for name, text in self.given.items()
                if text not in fields.get(name, "")
            ),
        ]  # fmt: skip


def main() -> int:
    script, *options = sys.argv[1:]
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # half a character, as JSON has it
    name = hashlib.blake2b(prompt.encode(), digest_size=16).hexdigest()
    wire = Wire(sys.stdout)
    wire.session, wire.clock, wire.model = name, lambda: 0.0, "script"
    wire.open(".")
    files = [Path(name) for option, name in itertools.pairwise(options) if option == "--task"]
    told = json.loads(files[0].read_text(encoding="utf-8")) if files else {}
    question = told.get("question", prompt.strip())
    wire.hear(question)
    fields = as_text({**told, **(told.get("given") or {})})
    answer, error = chosen(Path(script), prompt, str(told.get("task", "")), question, fields)
    if answer is not None:
        time.sleep(answer.delay)
        names = found.groupdict("") if (found := re.search(answer.matches, prompt)) else {}

        def use(tool: str, arguments: dict[str, Any]) -> Any:
            from instrumentgpt.agents.offline.task import task_of, use_tool  # half of the start's time

            return use_tool(task_of(told, prompt), tool, arguments)

        say(wire, answer, names, use)
    wire.close(error)
    return bool(error)


def chosen(script: Path, prompt: str, *asked: Any) -> tuple[Answer | None, str]:
    """Return the first answer that fits, and the error it ends with; without one, what each looked for."""
    content = script.read_text(encoding="utf-8")
    missing = []
    for number, entry in enumerate(json.loads(content)["answer"]):
        answer = Answer(**entry)
        misses = answer.misses(prompt, *asked)
        if not misses and (wanted := answer.nth or int(answer.once)):
            nth = count(content, number)
            misses = [] if nth == wanted else [f"it is for time {wanted}, and this is time {nth}"]
        if not misses:
            return answer, answer.error
        missing.append("; ".join(misses))
    return None, "\n".join(["no answer fits this prompt:", *missing])


def count(script: str, number: int) -> int:
    """Return how often answer `number` of `script` was reached in this folder, this time included."""
    with Path(COUNTS).open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # experts of a panel may be asked at the same time
        file.seek(0)
        counts = json.loads(file.read() or "{}")
        own = counts.setdefault(hashlib.blake2b(script.encode(), digest_size=8).hexdigest(), {})
        own[str(number)] = reached = own.get(str(number), 0) + 1
        file.seek(0)
        file.truncate()
        json.dump(counts, file)
    return reached


def say(wire: Wire, answer: Answer, names: dict[str, str], use: Any) -> None:
    """Say the parts of `answer`; what a tool returned is named in the parts after its call."""
    for part in listed(answer.say):
        if isinstance(part, str):
            wire.say(filled(part, names))
            continue
        given = {key: filled(told, names) if isinstance(told, str) else told for key, told in part.items()}
        names.update(as_text(wire.call(given.pop("tool"), given, use)))


def filled(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda hit: names.get(hit[1], hit[0]), text)


def as_text(told: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in told.items()
    }


def listed(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


if __name__ == "__main__":
    sys.exit(main())
