"""What can be set: from the environment, and saved in the database by the Settings page."""

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from instrumentgpt.storage.paths import database_path as database_path
from instrumentgpt.storage.paths import home as home

CHECKOUT = Path(__file__).parents[1]
DEMO_INVENTORY = CHECKOUT / "demo" / "devices.toml"


@dataclass(frozen=True)
class Settings:
    """All settings with their values in force; see docs/settings.md for what each does."""

    agent: str = "auto"  # "auto": Cursor's if it is found, else the offline analyst
    model: str = ""
    language: str = "auto"  # of the page: "en", "zh", or "auto" for the browser's
    timezone: str = "auto"  # of moments: a name of IANA's, or "auto" for the browser's, else the machine's
    temperatures: str = "auto"  # unit that they are shown in: "°C", "°F", "K", or "auto" for each log's own
    recent_exchanges: int = 3  # N of the memory design
    prompt_tokens: int = 8000  # budget of a whole prompt, seed 004
    inventory: str = str(DEMO_INVENTORY)
    agent_path: str = ""  # the chosen agent's program, where it is not on PATH
    script: str = ""  # the program of the scripted agent, which tests answer by
    effort: str = "auto"  # of Investigate: QUICK 2, BENCH 4, PLAN 8, CREATE 4 steps; "auto": by the question
    profile: str = ""  # who asks, and what he wants of every plan of Investigate
    plan_guidance: str = ""  # what every plan of Investigate has to keep to
    first_event_seconds: float = 60.0
    silence_seconds: float = 180.0
    total_seconds: float = 900.0
    runs_at_once: int = 3  # answers in progress, of all conversations; further ones wait
    retention_days: int = 0  # conversations untouched for longer lose charts, files and caches; 0: none does
    sandbox: bool = True  # whether CLI agents are confined where the kernel can do that
    agent_reads: str = ""  # further folders that a confined agent may read, as words of a command line
    alerts: str = ""  # where a watch tells of faults: addresses of apprise, separated by spaces
    background_summary: bool = False  # whether the CLI agent that answers also writes the summary, afterwards


def settings_in_force(saved: dict[str, Any]) -> Settings:
    """Return the defaults, over them what was `saved`, over that the environment (INSTRUMENTGPT_AGENT, …).

    >>> settings_in_force({"recent_exchanges": 5, "unknown": 1}).recent_exchanges
    5
    """
    known = {field.name: field.type for field in fields(Settings)}
    chosen = replace(Settings(), **{name: value for name, value in saved.items() if name in known})
    given = {
        name: _read(type(getattr(chosen, name)), os.environ[f"INSTRUMENTGPT_{name.upper()}"])
        for name in known
        if f"INSTRUMENTGPT_{name.upper()}" in os.environ
    }
    return replace(chosen, **given)


def _read(kind: type, text: str) -> Any:
    """
    >>> _read(bool, "off"), _read(bool, "1"), _read(int, "30")
    (False, True, 30)
    """
    return text.strip().casefold() in ("1", "true", "yes", "on") if kind is bool else kind(text)
