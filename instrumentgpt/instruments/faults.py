"""What is known of each fault class: severity and sentences (faults.toml), what decides (next_tests.toml)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.findings import SEVERITIES, Finding, Severity

TABLE = Path(__file__).with_name("faults.toml")
NEXT_TESTS = Path(__file__).with_name("next_tests.toml")


@cache
def faults() -> Mapping[str, Mapping[str, Any]]:
    """Return the table of fault classes by name, in the order in which they explain one another away."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


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
    known = faults().get(cause)
    return str(known[language]["title"]) if known else cause


@cache
def next_tests() -> Mapping[str, Mapping[str, Any]]:
    """Return fault class → what looks like it, which signs rule the first of that out, and what decides."""
    return tomllib.loads(NEXT_TESTS.read_text(encoding="utf-8"))


def is_open(finding: Finding) -> bool:
    """Return whether what looks most like `finding` is ruled out neither by its check, signs nor kind."""
    settled = next_tests().get(finding.fault, {}).get("settled")
    return settled is not None and not set(settled) & {*finding.signs, finding.numbers.get("kind")}
