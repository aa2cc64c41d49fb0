"""A tool's result as people read it: its summary, then its fields, bounded, with nothing live of a log."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from instrumentgpt.agents.offline.phrases import line_link, plain_text, quoted
from instrumentgpt.modes.commands.bench import Bench
from instrumentgpt.text.summary import shorten

HIDDEN = ("summary", "artifact")  # shown above, and as a chart
MOST_ITEMS = 10  # of one list
MOST_LINES = 60
VALUE_CHARACTERS = 300


def shown(bench: Bench, result: Mapping[str, Any]) -> str:
    """Return `result` as Markdown of at most MOST_LINES lines."""
    log, device = result.get("log"), result.get("device")
    reference = f"{device}/{log}" if device and log else str(log or "")
    lines = [
        line for key, value in result.items() if key not in HIDDEN for line in _field(key, value, reference)
    ]
    left = len(lines) - MOST_LINES
    if left > 0:
        lines = [*lines[:MOST_LINES], f"- {bench.say('more', count=left)}"]
    summary = plain_text(shorten(str(result.get("summary", "")), 2 * VALUE_CHARACTERS))
    return "\n\n".join(part for part in (summary, "\n".join(lines)) if part)


def _field(key: str, value: Any, log: str) -> Iterator[str]:
    """Yield the lines of one field: a bullet, with one below for each item of a list."""
    name = plain_text(key.replace("_", " "))
    if value is None or value in ("", [], {}):
        return
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield f"- {name}:"
        yield from (f"  - {_item(item, log)}" for item in value[:MOST_ITEMS])
        if len(value) > MOST_ITEMS:
            yield f"  - … {len(value) - MOST_ITEMS}"
    else:
        yield f"- {name}: {_value(key, value, log)}"


def _item(item: Any, log: str) -> str:
    if not isinstance(item, dict):
        return _value("", item, log)
    told = [(key, value) for key, value in item.items() if value is not None and value not in ("", [], {})]
    return ", ".join(f"{plain_text(key.replace('_', ' '))} {_value(key, value, log)}" for key, value in told)


def _value(key: str, value: Any, log: str) -> str:
    if key == "line" and isinstance(value, int) and log:
        return line_link(log, value)
    if isinstance(value, str):
        return quoted(value) if key == "text" else plain_text(shorten(value, VALUE_CHARACTERS))
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        more = "…" if len(value) > MOST_ITEMS else ""
        return ", ".join(_value(key, item, log) for item in value[:MOST_ITEMS]) + more
    if isinstance(value, dict | list):
        return quoted(json.dumps(value, ensure_ascii=False))
    return str(value)
