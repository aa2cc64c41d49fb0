"""How well the analyst understands questions of people who never read its code: a rate, not single pins.

    python -m bench.questions [--half open|frozen|fresh]

questions.toml was written before the code by somebody who did not read it; the frozen half was looked at by
nobody while it was built, nor was questions_fresh.toml. Counted is the kind, the kind or a button beside it,
and the slots: device, channels, whether a time was seen.
"""

import argparse
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from instrumentgpt.analyst.questions import Question, devices_in, read_question
from instrumentgpt.instruments.devices import Inventory, load_inventory

QUESTIONS = Path(__file__).with_name("questions.toml")
INVENTORY = Path(__file__).parents[1] / "demo" / "devices.toml"
SCORES = ("kind", "kind or button", "device", "channels", "time")


def questions(half: str = "") -> list[dict[str, Any]]:
    """Return the questions of `half`, "open", "frozen" or "fresh"; all of the first two for ""."""
    path = QUESTIONS.with_stem("questions_fresh") if half == "fresh" else QUESTIONS
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    if half == "fresh":
        return rows
    return [row for row in rows if half in ("", "frozen" if row.get("frozen") else "open")]


def understood(row: Mapping[str, Any], inventory: Inventory) -> tuple[Question, str]:
    """Return what is read of a question, and the device it is about: "" if that must be asked."""
    named = devices_in(row["text"], inventory)
    known = named or devices_in(row.get("before", ""), inventory)
    question = read_question(row["text"], row["in_view"], len(named), *filter(None, [row.get("before")]))
    return question, known[0].name if known else ""


def scored(row: Mapping[str, Any], inventory: Inventory) -> dict[str, bool]:
    """Return whether kind and slots of a question are read right."""
    question, device = understood(row, inventory)
    wanted = "" if row["device"] == "ask" else row["device"]
    every = question.all_channels and row["channels"] in ([], [1, 2, 3, 4])
    timed = bool(question.clocks or question.days or question.relative)
    return {
        "kind": question.kind in row["kind"],
        "kind or button": bool({question.kind, *question.others} & set(row["kind"])),
        "device": device == wanted,
        "channels": every or list(question.channels) == row["channels"],
        "time": timed == bool(row["time"]),
    }


def rates(half: str = "") -> dict[str, dict[str, float]]:
    """Return group → score → share that is right: all, by half, by who asks, by language."""
    inventory = load_inventory(INVENTORY)
    counted: dict[str, Counter[str]] = {}
    for row in questions(half):
        right = scored(row, inventory)
        for group in _groups(row):
            counted.setdefault(group, Counter()).update({"of": 1, **{one: int(right[one]) for one in SCORES}})
    return {group: {one: found[one] / found["of"] for one in SCORES} for group, found in counted.items()}


def _groups(row: Mapping[str, Any]) -> Iterator[str]:
    yield from ("all", "frozen" if row.get("frozen") else "open", row["who"], row["language"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["open", "frozen", "fresh"], default="")
    for group, found in rates(parser.parse_args().half).items():
        print(f"{group:12}", *(f"{name} {share:5.0%}" for name, share in found.items()))
