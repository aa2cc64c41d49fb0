"""What the number gate marks falsely, and which invented numbers it finds: `python -m bench.gate`.

The offline analyst says nothing that it did not compute, so whatever of its answers has no source is marked
falsely. The captures are of a model that said the same whatever was asked: what of it a tool returned, or the
question told, has a source. An invented number is one of an answer whose digits are drawn anew.
"""

import json
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.memory.claims import Claim, claims_in
from instrumentgpt.memory.gate import Source, marks_of
from instrumentgpt.settings import CHECKOUT, DEMO_INVENTORY
from instrumentgpt.turn.ask import sources

RESULTS = Path(__file__).parent / "results" / "gate.txt"
SEED = 18
OF_A_KIND = 10  # questions of each kind that the analyst knows
INVENTED = 4_000
DEVICES = 6  # of the demo inventory
ASKED = {  # of whom there is no question beside the transcript: what the answer takes up of it
    "captures": "Is the 12 V rail of PSU-7 within ±2 %?",
    "cursor": "Status byte 0x24, lock ±0.4 µV, chiller 18.0 °C within 0.1 K: what does it mean?",
}
UNSOURCED = {"11.93"}  # what captures without a tool say all the same
OWN = "own words"  # an agent has no such source: what is invented is not looked up there
OWN_WORDS = (
    "analyst/phrases.toml",
    "analyst/terms.toml",
    "instruments/faults.toml",
)  # its definitions, examples

Answered = tuple[str, list[Source]]


def main() -> None:
    """Measure, print, and keep the figures in bench/results/gate.txt."""
    names = tuple(device.names for device in load_inventory(DEMO_INVENTORY).devices)
    analyst, agents = list(of_the_analyst()), list(of_agents())
    lines = [
        *false_marks("offline analyst", analyst, names),
        *false_marks("transcripts and captures", agents, names),
        *invented(analyst + agents, names),
    ]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    RESULTS.write_text(text, encoding="utf-8")


def of_the_analyst() -> Iterator[Answered]:
    """Yield answers to examples of each kind of question, asked of a demo device, and what they rest on."""
    sys.path.insert(0, str(CHECKOUT / "tests"))
    asked = import_module("offline_case").asked

    draw, examples = random.Random(SEED), Path(CHECKOUT / "instrumentgpt/analyst/examples.tsv")
    by_kind: dict[str, list[str]] = {}
    for line in examples.read_text(encoding="utf-8").splitlines():
        kind, _, question = line.partition("\t")
        by_kind.setdefault(kind, []).append(question)
    own = Source(OWN, "computed", json.dumps([_own_words(name) for name in OWN_WORDS]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TESTS_JUDGED"] = f"{folder}/judged"
        (Path(folder) / "cache").mkdir()
        for kind in sorted(by_kind):
            for question in draw.sample(by_kind[kind], min(OF_A_KIND, len(by_kind[kind]))):
                words = f"zspr 05{draw.randrange(DEVICES)}: {question}"
                answer = asked(words, Path(folder))
                results = zip(answer.tools, answer.results, strict=True)
                calls = [
                    Tool("", name, "ok", result=json.dumps(told), server=SERVER) for name, told in results
                ]
                yield answer.text, [*sources(calls, words), own]


def of_agents() -> Iterator[Answered]:
    """Yield the answers in the recorded streams of agents, and what they rest on."""
    for path in sorted((CHECKOUT / "tests").glob("*/*/*.jsonl")):
        agent = path.parent.name
        if agent not in AGENTS:
            continue
        events = list(AGENTS[agent].parse(path.read_bytes().splitlines(keepends=True)))
        calls = [event for event in events if isinstance(event, Tool)]
        question = ASKED["cursor" if agent == "cursor" else "captures"]
        yield answer_text(events), sources(calls, question)


def false_marks(name: str, answers: list[Answered], names: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return how many claims with a source the gate says to have none."""
    claims, wrong, missing = 0, [], 0
    for text, known in answers:
        has_tool = any(source.name not in ("question", "record") for source in known)
        for mark in marks_of(text, known, names):
            claims += 1
            words = text[mark.start : mark.end]
            if mark.kind == "unknown" and not (not has_tool and words in UNSOURCED):
                wrong.append(text[max(0, mark.start - 40) : mark.end + 10].replace("\n", " "))
            missing += mark.kind == "unknown" and not has_tool and words in UNSOURCED
    said = f"{name}: {len(answers)} answers, {claims} claims, false marks {len(wrong)} (aim 0)"
    return [said + (f", rightly marked {missing}" if missing else ""), *(f"  {words}" for words in wrong)]


def invented(answers: list[Answered], names: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return how many of the answers with one number drawn anew have that number marked."""
    draw, tried, found = random.Random(SEED), Counter[str](), Counter[str]()

    @cache
    def sourced(place: int) -> tuple[list[Source], list[Claim]]:
        known = [source for source in answers[place][1] if source.name != OWN]
        starts = {mark.start for mark in marks_of(answers[place][0], known, names) if mark.kind != "unknown"}
        claims = [claim for claim in claims_in(answers[place][0], names) if claim.start in starts]
        return known, [claim for claim in claims if _digits(claim.text).strip("0")]

    while tried["all"] < INVENTED:
        place = draw.choice(range(len(answers)))
        text, (known, places) = answers[place][0], sourced(place)
        if not places:
            continue
        claim = draw.choice(places)
        changed = _drawn_anew(text, claim.start, claim.end, draw)
        marks = [mark for mark in marks_of(changed, known, names) if mark.start < claim.end]
        is_found = any(mark.end > claim.start and mark.kind == "unknown" for mark in marks)
        digits = len(_digits(changed[claim.start : claim.end]).lstrip("0"))
        for group in ("all", "one digit" if digits < 2 else "two digits" if digits == 2 else "three or more"):
            tried[group] += 1
            found[group] += is_found
    return [
        f"invented numbers found, {group}: {found[group]} of {tried[group]}"
        f" ({found[group] / tried[group]:.1%}){' (aim 98 %)' if group == 'all' else ''}"
        for group in ("all", "one digit", "two digits", "three or more")
        if tried[group]
    ]


def _drawn_anew(text: str, start: int, end: int, draw: random.Random) -> str:
    """Return the text with the digits of a place drawn anew: its length and a leading 0 stay."""
    places = [place for place in range(start, end) if text[place].isdigit()]
    while True:
        changed = list(text)
        for place in places:
            if place != places[0] or text[place] != "0":
                changed[place] = draw.choice("123456789" if place == places[0] else "0123456789")
        if "".join(changed) != text:
            return "".join(changed)


def _digits(words: str) -> str:
    return "".join(filter(str.isdigit, words))


def _own_words(name: str) -> str:
    """Return a file of the analyst's sentences, without what is filled in."""
    return re.sub(
        r"\{\w+(?::[^{}\s]*)?\}", " ", (CHECKOUT / "instrumentgpt" / name).read_text(encoding="utf-8")
    )


if __name__ == "__main__":
    main()
