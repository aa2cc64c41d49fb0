"""What the memory holds as data, against what is true: values told as current, constraints in force.

python -m bench.memory_record [set ...]

Sets of bench/conversations that have "values" and "constraints": the ninth and the tenth. After every
exchange each value and each constraint that a prompt would tell of any device is compared with what their
authors wrote down.

true      of the values told as current, those that are
held      of the moments at which a constraint was in force, those at which it was told
lifted    of the constraints that were lifted or replaced, those that were no longer told at the end
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from bench.memory_adapter import Memory
from instrumentgpt.memory.measures import amount
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.terms import fold
from instrumentgpt.memory.values import values_in_force
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.in_force import memory_in_force

SETS = ("ninth", "tenth")
FOLDER = Path(__file__).parent / "conversations"


def main(names: list[str]) -> None:
    """Print the figures of each set, and of all together."""
    every: Counter[str] = Counter()
    for name in names or SETS:
        told = Counter[str]()
        for conversation in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")):
            told += _scored(conversation)
        _print(name, told)
        every += told
    _print("together", every)


def _scored(conversation: dict[str, Any]) -> Counter[str]:
    memory, counts = Memory(4000), Counter[str]()
    ends = conversation["n"]
    for turn, exchange in enumerate(conversation["ex"], start=1):
        memory.add("user", exchange["u"])
        memory.add("assistant", exchange["a"])
        rows = memory_in_force(
            memory.database,
            memory.conversation,
            DiagnosticState(),
            list_facts(memory.database, memory.conversation),
        ).known
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
        said = [fold(row.said) for row in rows if row.kind == "constraint"]
        for one in conversation["constraints"]:
            is_told = any(_same(one["said"], text) for text in said)
            if one["from"] <= turn < (one["until"] or ends + 1):
                counts["in force"] += 1
                counts["held"] += is_told
            if turn == ends and one["until"]:
                counts["to lift"] += 1
                counts["lifted"] += not is_told
            if turn == ends:
                counts["ever"] += 1
        counts["told"] += len(said)
        counts["told truly"] += sum(
            any(
                _same(one["said"], text) and one["from"] <= turn < (one["until"] or ends + 1)
                for one in conversation["constraints"]
            )
            for text in said
        )
    return counts


def _is_of(device: str, value: dict[str, Any]) -> bool:
    return device.endswith(str(value["dev"])) or not device


def _same(said: str, text: str) -> bool:
    """Return whether a stored sentence holds the constraint, or a good part of its words."""
    whole = fold(said)
    if whole in text or text in whole:
        return True
    own = {whole[at : at + 4] for at in range(len(whole) - 3)}
    return len({one for one in own if one in text}) >= 0.6 * max(1, len(own))


def _print(name: str, counts: Counter[str]) -> None:
    def share(part: str, whole: str) -> str:
        return f"{counts[part]} of {counts[whole]} ({100 * counts[part] / max(1, counts[whole]):.1f} %)"

    print(
        f"{name}: values told as current that are true {share('true', 'values')};"
        f" constraints held {share('held', 'in force')}, lifted {share('lifted', 'to lift')},"
        f" told that are in force {share('told truly', 'told')}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
