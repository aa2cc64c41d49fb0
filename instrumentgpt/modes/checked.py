"""What an answer claims to be wrong, and what our checks found in its turn that it leaves out.

Claims are read as fault classes, whoever wrote the answer, in English or Chinese: what its verdict names (the
first paragraph that does not only deny), what it states as a cause or a hypothesis, and what it lists under
the name that our tools give it; never what it denies, rules out, calls a consequence, quotes or asks. That a
quantity is named is no claim: "overshoot 0.2 °C".
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.analyst.words import phrase
from instrumentgpt.instruments.faults import NO_FAULT, cause_title, fault_classes, faults
from instrumentgpt.instruments.language import language_of, table
from instrumentgpt.instruments.lognames import line_link, reference_to
from instrumentgpt.memory.reading.statements import statements
from instrumentgpt.turn.record import rows_of
from instrumentgpt.turn.turn import Turn

WORDS = Path(__file__).with_name("claims.toml")
CAUSES = ("root_cause", "hypothesis")
VERDICT = 3  # paragraphs: an answer may first say what of a suspicion is not so
_QUOTED = re.compile(r"`[^`\n]*`|\[([^\[\]\n]*)\]\([^()\s]*\)|[*_~]")
_CLAUSE = re.compile(r"[.;](?=\s|$)|[。；？?\n]|\s[–—]\s|, (?=but\b|not\b|and not\b)|，(?=不|並非|而|沒)")


def left_out(turn: Turn) -> str:
    """Return the fault that our checks found first in each log of `turn` and its answer leaves out; or "".

    An agent may overlook one, or obey a line of a log that asks it to: who asks reads it all the same.
    """
    newest = {str(result.get("log")): result for name, result in turn.results if name == "diagnose_log"}
    found = {
        log: (result, row)
        for log, result in newest.items()
        for row in rows_of(result, "findings")[:1]
        if str(row.get("class")) in {*faults()} - {*NO_FAULT} and row.get("confidence") != "possible"
    }
    told = {*claims(turn.answer.text)} if found else set()
    language = language_of(turn.question.content)
    rows = [
        f"- {cause_title(row['class'], language)}"
        + (phrase("stated_channel", language, channel=number) if (number := _whole(row, "channel")) else "")
        + f" {line_link(reference_to(log, str(result.get('device') or '')), _whole(row, 'line') or 1)}"
        for log, (result, row) in found.items()
        if row["class"] not in told
    ]
    return phrase("checks_found", language) + "\n\n" + "\n".join(rows) if rows else ""


def _whole(row: Mapping[str, Any], key: str) -> int:
    """Return a number of a result that an agent handed over; 0 for anything else."""
    return value if isinstance(value := row.get(key), int) else 0


def claims(answer: str) -> list[str]:
    """Return the classes that `answer` claims, each once, in their order.

    >>> claims("Channel 2: the gains are too high, kp 50. It is no noise. Ruled out: saturation")
    ['oscillation_tuning']
    >>> claims("通道 1 感測器突波：讀值跳動 5 次，不是感測器偏移。"), claims("Heater failure: not judged.")
    (['sensor_spike'], [])
    """
    entries = statements(answer)
    named_by = [*_verdict(answer), *(entry.text for entry in entries if entry.kind in CAUSES)]
    classes: list[str] = []
    for text in named_by:
        classes += _by_title(text) or [name for part in _clauses(text) for name in named_classes(part)]
    listed = [entry.text for entry in entries if entry.kind == "finding"]
    if not classes:
        ruled_out = {entry.text for entry in entries if entry.kind == "ruled_out"}
        items = [line for line in answer.splitlines() if re.match(r"\s*[-*•]\s", line)]
        listed += [item for item in items if not any(text in item for text in ruled_out)]
    classes += [name for text in listed for name in _by_title(text)]
    return list(dict.fromkeys(classes))


def _by_title(text: str) -> list[str]:
    """Return the class that `text` has by its title, or in a sentence of our tools; none if denied."""
    clauses = list(_clauses(text))
    if not clauses or _denied().search(clauses[0]):
        return []
    classes = fault_classes(" ".join(clauses))
    return list(classes - {"healthy"}) if len(classes) == 1 else []


def named_classes(clause: str) -> list[str]:
    """Return the classes that one clause names, in its order; none if it takes back what it names."""
    if _denied().search(clause):
        return []
    hits = [(hit.start(), name) for name, pattern in _patterns() if (hit := pattern.search(clause))]
    return [name for _, name in sorted(hits)]


def _verdict(answer: str) -> list[str]:
    """Return the first paragraph that is more than a denial."""
    paragraphs = (part.strip() for part in re.split(r"\n\s*\n", answer))
    candidates = [part for part in paragraphs if part and not part.startswith(("#", "<!--"))][:VERDICT]
    return next(([part] for part in candidates if not all(map(_denied().search, _clauses(part)))), [])


def _clauses(text: str) -> Iterator[str]:
    yield from filter(None, map(str.strip, _CLAUSE.split(_QUOTED.sub(lambda match: match[1] or "", text))))


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile("|".join(words), re.I)) for name, words in table(WORDS)["classes"].items()]


@cache
def _denied() -> re.Pattern[str]:
    return re.compile("|".join(table(WORDS)["denied"]["words"]), re.I)
