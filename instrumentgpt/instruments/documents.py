"""Files of a device that hold values and no readings over time: its configuration, its health, in JSON."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.instruments.reading.headers import heading_of

SENTENCES = Path(__file__).with_name("comparison.toml")
SUFFIXES = (".json", ".json.gz")
LARGEST = 4_000_000  # bytes: what is larger is a log
MOST_READINGS = 0.5  # of its values: alarms with their times do not make a log of a state
LONG = 10  # values or rows of a list, from which it is a series
LONGEST = 200  # characters of a value in a sentence
Values = dict[str, str]  # the way to each value ("pid.2.kp"), and the value as it is written
word = partial(phrase, SENTENCES)


@dataclass(frozen=True)
class ValueChange:
    """A value before and after; "" where the document has none of that name."""

    name: str
    before: str
    after: str

    def sentence(self, language: Language) -> str:
        """Return the change as a sentence."""
        kind = "value_changed" if self.before and self.after else "value_new" if self.after else "value_gone"
        short = {name: text[:LONGEST] for name, text in vars(self).items()}
        return word(kind, language, **short)


def is_document_name(name: str) -> bool:
    """Return whether a file of this name may be a document.

    >>> [is_document_name(name) for name in ("SystemHealth_2026-11-20.json", "run.jsonl", ".a.json")]
    [True, False, False]
    """
    return name.casefold().endswith(SUFFIXES) and not name.startswith(".")


def is_listed_name(name: str) -> bool:
    """Return whether a file of this name is shown: a log or a document."""
    return is_log_name(name) or is_document_name(name)


def values_of(path: Path) -> Values | None:
    """Return the values of the JSON document at `path`; None if it is none, or holds readings over time."""
    if not (is_document_name(path.name) and path.is_file() and path.stat().st_size <= LARGEST):
        return None
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = json.loads(file.read(LARGEST + 1))
    except (ValueError, RecursionError, EOFError, gzip.BadGzipFile):
        return None
    if not isinstance(content, dict | list):
        return None
    values = dict(_values_in(content))
    return values if _readings_in(content) <= MOST_READINGS * len(values) else None


def changes_between(before: Values, after: Values) -> list[ValueChange]:
    """Return the values that differ in two documents, in their order; 8 and 8.0 are the same."""
    named = ((name, before.get(name, ""), after.get(name, "")) for name in {**before, **after})
    return [ValueChange(*each) for each in named if _number(each[1]) != _number(each[2])]


def change_sentences(
    before: str, after: str, changes: Sequence[ValueChange], language: Language
) -> list[str]:
    """Return what changed from the document called `before` to that called `after`, headed by their names."""
    changed = [change.sentence(language) for change in changes]
    return [word("head", language, before=before, after=after), *(changed or [word("values_same", language)])]


def _values_in(content: Any, way: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value with the keys that lead to it; those of a list are counted from 1."""
    if isinstance(content, dict | list) and content:
        items = content.items() if isinstance(content, dict) else enumerate(content, start=1)
        for key, value in items:
            yield from _values_in(value, f"{way}.{key}" if way else str(key))
    else:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        yield way, text or '""'


def _readings_in(content: Any) -> int:
    """Return how many values stand in tables: rows that tell their time, columns beside one, long lists."""
    if isinstance(content, Mapping):
        if any(isinstance(content[name], list) for name in content if _tells_time(name)):
            return len(dict(_values_in(content)))
        return sum(map(_readings_in, content.values()))
    if not isinstance(content, list):
        return 0
    timed = [each for each in content if isinstance(each, Mapping) and any(map(_tells_time, each))]
    rows = [each for each in content if not isinstance(each, Mapping)]
    is_table = len(timed) > 1 or len(rows) >= LONG
    return len(dict(_values_in(content))) if is_table else sum(map(_readings_in, content))


def _tells_time(name: str) -> bool:
    return heading_of(name).says("time", "certain")


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
