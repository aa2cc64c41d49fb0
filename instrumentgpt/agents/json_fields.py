"""Fields of lines that may have any shape: what is missing or of another type is empty, never an error."""

import json
from typing import Any


def at(value: object, *keys: str) -> Any:
    """Return what lies in nested objects under `keys`, or None.

    >>> at({"a": {"b": 1}}, "a", "b"), at({"a": [1]}, "a", "b")
    (1, None)
    """
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def string(value: object) -> str:
    """Return `value` if it is text, else ""."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    """Return `value` if it is an object, else {}."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return `value` if it is a list, else []."""
    return value if isinstance(value, list) else []


def parsed(arguments: object) -> dict[str, Any]:
    """Return the object that the text `arguments` holds; other text comes back under "arguments".

    >>> parsed('{"channel": 1}'), parsed("ls -1")
    ({'channel': 1}, {'arguments': 'ls -1'})
    """
    try:
        return mapping(json.loads(string(arguments) or "{}"))
    except (ValueError, RecursionError):
        return {"arguments": arguments}


def content(parts: object) -> str:
    """Return the joined text of a content list, in either shape: {"text": "…"} or {"text": {"text": "…"}}.

    >>> content([{"type": "text", "text": "a"}, {"text": {"text": "b"}}, {"type": "image"}])
    'ab'
    """
    texts = [at(part, "text") for part in parts] if isinstance(parts, list) else [parts]
    return "".join(string(text if isinstance(text, str) else at(text, "text")) for text in texts)


def as_text(value: object) -> str:
    """Return `value` as it is if it is text, "" if there is nothing, else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def figures(**counts: object) -> dict[str, float]:
    """Return those of `counts` that are numbers.

    >>> figures(inputTokens=120, outputTokens=None, costUSD=0.01, cacheReadTokens=True)
    {'inputTokens': 120, 'costUSD': 0.01}
    """
    return {name: count for name, count in counts.items() if type(count) in (int, float)}  # type: ignore[misc]
