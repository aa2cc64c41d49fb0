"""What the memory holds as data, against what is true: values told as current, constraints in force.

python -m bench.memory_record [set ...]

Sets of bench/conversations that have "values" and "constraints": the ninth to the twelfth. After every
exchange each value and each constraint that a prompt would tell of any device is compared with what their
authors wrote down: once with nobody answering what is asked, once with each question answered truly.

true      of the values told as current, those that are
held      of the moments at which a constraint was in force, those at which it was told
lifted    of the constraints that were lifted or replaced, those that were no longer told at the end
          or in doubt: or only with a later sentence beside that may lift or replace them
doubts    of the moments at which a constraint is told with such a sentence, those at which it was over
useful    of the questions, those whose true answer is not "no": it lays down, lifts or replaces
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.memory_adapter import Memory
from instrumentgpt.memory.measures import amount
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.terms import fold
from instrumentgpt.memory.values import values_in_force
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.turn.open_questions import answer, open_questions

SETS = ("ninth", "tenth", "eleventh", "twelfth")
FOLDER = Path(__file__).parent / "conversations"


def main(names: list[str]) -> None:
    """Print the figures of each set, and of all together."""
    for are_answered in (False, True):
        print("what is asked is answered truly:" if are_answered else "nobody answers:")
        every: Counter[str] = Counter()
        for name in names or SETS:
            told = Counter[str]()
            for conversation in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")):
                told += _scored(conversation, are_answered)
            _print(name, told)
            every += told
        _print("together", every)


def _scored(conversation: dict[str, Any], are_answered: bool) -> Counter[str]:
    memory, counts = Memory(4000), Counter[str]()
    ends = conversation["n"]
    for turn, exchange in enumerate(conversation["ex"], start=1):
        memory.add("user", exchange["u"])
        memory.add("assistant", exchange["a"])
        counts["turns"] += 1
        counts.update(_asked(memory, conversation["constraints"], turn, are_answered))
        rows = revised_memory(
            memory.database,
            memory.conversation,
            DiagnosticState(),
            list_facts(memory.database, memory.conversation),
        ).facts
        for value in values_in_force(rows).values():
            fact = value.now.fact
            known = [one for one in conversation["values"] if _is_of(fact.device, one)]
            is_true = any(
                amount(one["value"].split()[0]) == amount(fact.value)
                and one["from"] <= turn < (one["until"] or ends + 1)
                for one in known
            )
            counts["values"] += 1
            counts["true"] += is_true
        said = [fold(row.sentence) for row in rows if row.kind == "constraint"]
        plain = [fold(row.sentence) for row in rows if row.kind == "constraint" and not row.against]
        doubtful = [text for text in said if text not in plain]
        counts["doubted"] += len(doubtful)
        counts["doubted truly"] += sum(
            not _is_true(text, conversation["constraints"], turn) for text in doubtful
        )
        for one in conversation["constraints"]:
            is_told = any(_same(one["said"], text) for text in said)
            if one["from"] <= turn < (one["until"] or ends + 1):
                counts["in force"] += 1
                counts["held"] += is_told
                counts["held plainly"] += any(_same(one["said"], text) for text in plain)
            if turn == ends and one["until"]:
                counts["to lift"] += 1
                counts["lifted"] += not is_told
                counts["lifted or in doubt"] += not any(_same(one["said"], text) for text in plain)
            if turn == ends:
                counts["ever"] += 1
        counts["told"] += len(said)
        counts["told truly"] += sum(_is_true(text, conversation["constraints"], turn) for text in said)
    return counts


def _asked(memory: Memory, constraints: list[dict[str, Any]], turn: int, are_answered: bool) -> Iterator[str]:
    """Yield "asked" for each question that is open after a turn, and "useful" for one that helps."""
    for question in open_questions(memory.database, memory.conversation):
        is_one = any(_same(one["said"], fold(question.sentence)) and _holds(one, turn) for one in constraints)
        about = [one for one in constraints if _same(one["said"], fold(question.constraint or "\0"))]
        about.sort(key=lambda one: -_share(one["said"], fold(question.constraint)))
        is_over = bool(about) and not _holds(about[0], turn)
        if question.of is None:
            true = "keep" if is_one else "no"
        elif is_over:
            true = "replaced" if is_one or "lifted" not in question.answers else "lifted"
        else:
            true = "both" if is_one or "still" not in question.answers else "still"
        yield "asked"
        if true not in ("no", "still") and (true != "both" or "still" in question.answers):
            yield "useful"
        if are_answered:
            answer(memory.database, memory.conversation, question, true)


def _is_true(text: str, constraints: list[dict[str, Any]], turn: int) -> bool:
    return any(_same(one["said"], text) and _holds(one, turn) for one in constraints)


def _holds(constraint: dict[str, Any], turn: int) -> bool:
    return bool(constraint["from"] <= turn and not (constraint["until"] and constraint["until"] <= turn))


def _is_of(device: str, value: dict[str, Any]) -> bool:
    return device.endswith(str(value["dev"])) or not device


def _same(said: str, text: str) -> bool:
    """Return whether a stored sentence holds the constraint, or a good part of its words."""
    return _share(said, text) >= 0.6


def _share(said: str, text: str) -> float:
    whole = fold(said)
    if whole in text or text in whole:
        return 1.0
    own = {whole[at : at + 4] for at in range(len(whole) - 3)}
    return len({one for one in own if one in text}) / max(1, len(own))


def _print(name: str, counts: Counter[str]) -> None:
    def share(part: str, whole: str) -> str:
        return f"{counts[part]} of {counts[whole]} ({100 * counts[part] / max(1, counts[whole]):.1f} %)"

    print(
        f"{name}: values told as current that are true {share('true', 'values')};"
        f" constraints held {share('held', 'in force')}, without doubt {share('held plainly', 'in force')},"
        f" lifted {share('lifted', 'to lift')}, or in doubt {share('lifted or in doubt', 'to lift')},"
        f" doubts {share('doubted truly', 'doubted')},"
        f" told that are in force {share('told truly', 'told')};"
        f" {10 * counts['asked'] / counts['turns']:.1f} questions in 10 turns,"
        f" useful {share('useful', 'asked')}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
