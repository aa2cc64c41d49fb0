"""Each fault class: severity and sentences (faults.toml), what decides it (next_tests.toml), its names."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.findings import SEVERITIES, Finding, Severity
from instrumentgpt.instruments.language import table
from instrumentgpt.memory.terms import Phrase, holds, terms

TABLE = Path(__file__).with_name("faults.toml")
NEXT_TESTS = Path(__file__).with_name("next_tests.toml")
NO_FAULT = ("healthy", "insufficient_data", "data_gap")
TUNED = ("oscillation_tuning", "overshoot_tuning", "proportional_offset", "sluggish_tuning")  # gains cure
LANGUAGES = ("en", "zh")


@cache
def faults() -> Mapping[str, Mapping[str, Any]]:
    """Return the table of fault classes by name, in the order in which they explain one another away.

    Of each what faults.toml has, and language → its sentences.
    """
    return {
        name: {**entry, **{language: _sentences(entry, language) for language in LANGUAGES}}
        for name, entry in table(TABLE).items()
    }


def _sentences(entry: Mapping[str, Any], language: str) -> dict[str, Any]:
    told = {
        part: text[language] for part, text in entry.items() if isinstance(text, dict) and language in text
    }
    return told | ({"reasons": _sentences(entry["reasons"], language)} if "reasons" in entry else {})


def severity(fault: str) -> Severity:
    """Return how bad `fault` is.

    >>> severity("sensor_open")
    'critical'
    """
    named: Severity = faults()[fault]["severity"]
    assert named in SEVERITIES, f"faults.toml: {fault} has severity {named!r}, not one of {SEVERITIES}"
    return named


def explains(fault: str) -> frozenset[str]:
    """Return the faults that are mere consequences where `fault` is the cause.

    >>> "saturation" in explains("heater_failure")
    True
    """
    return frozenset(faults()[fault].get("explains", ()))


def cause_title(cause: str, language: str) -> str:
    """Return the name of a fault class in `language`; another cause is its own name.

    >>> cause_title("sensor_bias", "en"), cause_title("a loose screw", "en")
    ('Sensor offset', 'a loose screw')
    """
    fault = faults().get(cause)
    return str(fault[language]["title"]) if fault else cause


def next_tests() -> Mapping[str, Mapping[str, Any]]:
    """Return fault class → what looks like it, which signs rule the first of that out, and what decides."""
    return table(NEXT_TESTS)


def open_rival(finding: Finding) -> str:
    """Return what looks most like `finding`, if neither its check, signs nor kind rule that out, else ""."""
    test = next_tests().get(finding.fault, {})
    is_open = "settled" in test and not {*test["settled"]} & {*finding.signs, finding.numbers.get("kind")}
    return str(test["rivals"][0]) if is_open else ""


@lru_cache(maxsize=2_000)
def fault_classes(text: str) -> frozenset[str]:
    """Return the fault classes that `text` tells of, in English or Chinese; none if it tells of none.

    >>> sorted(fault_classes("the sensor open again"))
    ['sensor_open']
    """
    classes = frozenset(name for name, pattern in _forms() if pattern.search(text))
    if classes:
        return classes
    text_terms = terms(text)
    return frozenset(name for name, phrase in _titles() if holds(text_terms, phrase))


def title_terms(fault: str) -> list[str]:
    """Return the terms of the class's titles in both languages, by which questions name it."""
    return [term for language in LANGUAGES for term in terms(faults()[fault][language]["title"])]


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(_form(sentence)))
        for name, texts in _texts()
        for part, sentence in texts.items()
        if part.startswith(("summary", "cause"))
    )


@cache
def _titles() -> tuple[tuple[str, Phrase], ...]:
    return tuple((name, tuple(terms(texts["title"]))) for name, texts in _texts())


def _texts() -> Iterator[tuple[str, dict[str, str]]]:
    for name, fault in faults().items():
        for language in LANGUAGES:
            yield name, fault[language]


def _form(template: str) -> str:
    """Return a pattern that fits the first clause, whatever fills its fields, be it in seconds or in rows."""
    clause = re.split(r"[;；]|\[\[[^|]*\|\]\]", template)[0]
    words = (part.strip(" ,，:：()（）") for part in re.split(r"\{[^}]*\}|\b(?:s|to)\b|秒|到", clause))
    return ".{0,80}?".join(re.escape(part) for part in words if len(part) > 1)
