"""The lines that a program prints, as JSON objects whatever else comes with them, and their fields.

A field that is missing or of another type is empty, never an error.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

LONGEST_LINE = 32 * 1024 * 1024  # bytes; a whole file in one tool result is a few MB
_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_PREFIX = re.compile(r"\s*(?:stdout:\s*)?")


class LineSplitter:
    """Cuts bytes, as they come, into lines; a line over `longest` bytes is dropped whole and counted."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.longest = longest
        self.dropped = 0
        self._pieces: list[bytes] = []
        self._size = 0
        self._dropping = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines, without their newline, that `chunk` completes.

        >>> splitter = LineSplitter(longest=4)
        >>> [list(splitter.feed(chunk)) for chunk in (b"ab", b"c\\nd", b"efgh", b"\\nj\\n")], splitter.dropped
        ([[], [b'abc'], [], [b'j']], 1)
        """
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._keep(piece)
            line = self._take()
            if line is not None:
                yield line
        self._keep(rest)

    def rest(self) -> bytes:
        """Return what came after the last newline: a line that was cut, or nothing."""
        return self._take() or b""

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self.longest:
            self._dropping = True
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _take(self) -> bytes | None:
        line = None if self._dropping else b"".join(self._pieces)
        self.dropped += self._dropping
        self._pieces, self._size, self._dropping = [], 0, False
        return line


def clean(line: bytes) -> str:
    """Return `line` as text without terminal codes, NUL, CR and a `stdout:` prefix.

    Inside a JSON string these bytes are always escaped, so nothing of an answer is touched.

    >>> clean(b'\\x1b[2K\\x1b[1Gstdout: {"a": "\\\\u001b[31m"}\\r\\n')
    '{"a": "\\\\u001b[31m"}'
    """
    text = line.decode("utf-8", errors="replace")
    if "\x1b" in text:
        text = _TERMINAL_CODES.sub("", text)
    text = text.replace("\0", "").replace("\r", "")
    return text[_PREFIX.match(text).end() :].rstrip()  # type: ignore[union-attr]  # the pattern fits everything


def json_objects(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects among `lines`; warnings, bare values and cut lines are passed over.

    >>> list(json_objects([b"(node:1) Warning", b"42", b"[]", b'{"a": 1}', b'{"b":']))
    [{'a': 1}]
    """
    for line in lines:
        text = clean(line)
        if not text.startswith("{"):
            continue
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            continue
        yield _well_formed(parsed) if "\\ud" in text.lower() else parsed


def _well_formed(parsed: dict[str, Any]) -> dict[str, Any]:
    """Return `parsed` with halves of characters joined or replaced: SQLite refuses them.

    >>> _well_formed({"a": "\\ud83d\\ude00", "b": "\\ud83d"})
    {'a': '😀', 'b': '\ufffd'}
    """
    text = json.dumps(parsed, ensure_ascii=False)
    result: dict[str, Any] = json.loads(
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
    return result


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


def json_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object that `text` holds, {} for any other text.

    >>> json_object('{"log": "a.log"}'), json_object("no log")
    ({'log': 'a.log'}, {})
    """
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


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
