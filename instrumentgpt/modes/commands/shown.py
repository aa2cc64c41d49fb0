"""A tool's result as people read it: its summary, then its fields, bounded, with nothing live of a log."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from instrumentgpt.agents.offline.phrases import QUOTE_CHARS, line_link, plain_text, quoted
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.commands.bench import Bench

HIDDEN = ("summary", "artifact", "checks", "titles")  # shown above, as a chart; or words of other fields
MOST_ITEMS = 10  # of one list
MOST_FIELDS = 8  # of an item within an item
MOST_LINES = 60
VALUE_CHARACTERS = 300


def shown(bench: Bench, result: Mapping[str, Any], device: str = "") -> str:
    """Return `result` as Markdown of at most MOST_LINES lines.

    device  which the log is of, where the result does not say it
    """
    log, device = result.get("log"), result.get("device") or device
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
    """Return an item on one line, each of its texts once."""
    if not isinstance(item, dict):
        return _value("", item, log)
    told, texts = [], set()
    for key, value in item.items():
        if value is None or value in ("", [], {}) or (isinstance(value, str) and value in texts):
            continue
        texts.update([value] if isinstance(value, str) else [])
        told.append(f"{plain_text(key.replace('_', ' '))} {_value(key, value, log)}")
    return ", ".join(told)


def _value(key: str, value: Any, log: str) -> str:
    if key == "line" and isinstance(value, int) and log:
        return line_link(log, value)
    if isinstance(value, str):
        is_quote = key == "text" and len(value) <= QUOTE_CHARS
        return quoted(value) if is_quote else plain_text(shorten(value, VALUE_CHARACTERS))
    if isinstance(value, list):
        more = "…" if len(value) > MOST_ITEMS else ""
        return ", ".join(_nested(key, item, log) for item in value[:MOST_ITEMS]) + more
    if isinstance(value, dict):
        return _nested(key, value, log)
    return str(value)


def _nested(key: str, value: Any, log: str) -> str:
    """Return a value within a value: of a line of the log its link, of an object its first fields."""
    if isinstance(value, dict) and log and isinstance(value.get("line"), int) and "text" in value:
        return line_link(log, value["line"])
    if isinstance(value, dict):
        plain = {name: one for name, one in value.items() if isinstance(one, str | int | float)}
        return f"({_item(dict(list(plain.items())[:MOST_FIELDS]), log)})"
    return (
        quoted(json.dumps(value, ensure_ascii=False)) if isinstance(value, list) else _value(key, value, log)
    )
