"""Messages as the summary has them: each on one line, under its name, and which of them it holds."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

from instrumentgpt.memory.filtering import filter_content
from instrumentgpt.memory.summary import CONCLUSION, ENTRY_CHARS, Entry, MessageId, entry, shorten
from instrumentgpt.memory.untrusted import without_speakers

GAP = " … "  # between the paragraphs that a summarised answer keeps
LEAST_CHARS = 40  # a shorter piece of a paragraph says nothing

StoredMessage = Mapping[str, Any]  # "role", "content", and "id" where it has been stored


def compress_message(role: str, content: str) -> str:
    """Return one message as the summary keeps it, on one line: what was asked, what was concluded.

    A user's text keeps its beginning; an assistant's its first and last paragraph, and what is
    called a conclusion between them if there is room; each about 300 characters.

    >>> compress_message("assistant", "It oscillates.\\n\\nLong middle.\\n\\nRoot cause: kp is too high.")
    'Assistant: It oscillates. … Root cause: kp is too high.'
    """
    speaker = speaker_of(role)
    text = without_speakers(filter_content(content)).strip()
    if speaker == "User":
        return f"User: {shorten(' '.join(text.split()), ENTRY_CHARS)}"
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    return f"Assistant: {_first_and_last(paragraphs)}"


def _first_and_last(paragraphs: Sequence[str]) -> str:
    """Return the two ends, and between them the conclusions for which there is room."""
    if len(paragraphs) < 2:
        return shorten(paragraphs[0] if paragraphs else "", ENTRY_CHARS)
    first, *middle, last = paragraphs
    last = shorten(last, max(ENTRY_CHARS // 2, ENTRY_CHARS - len(GAP) - len(first)))
    kept = [shorten(first, ENTRY_CHARS - len(GAP) - len(last))]
    for paragraph in filter(CONCLUSION.search, middle):
        room = ENTRY_CHARS - len(GAP.join([*kept, last])) - len(GAP)
        if room >= LEAST_CHARS:
            kept.append(shorten(paragraph, room))
    return GAP.join([*kept, last])


def speaker_of(role: str) -> str:
    """Return what stands before a message of the role."""
    return "User" if role.casefold() == "user" else "Assistant"


def message_names(messages: Sequence[StoredMessage]) -> list[MessageId]:
    """Return what the summary calls each message: its id, or else a digest of its words."""
    told = getattr(messages, "ids", None)  # of messages that are not all in memory
    if told is not None:
        return list(told)
    names: list[MessageId] = [name for name in (row.get("id") for row in messages) if isinstance(name, int)]
    if len(names) == len(messages):
        return names
    names = []
    occurrences: Counter[str] = Counter()
    for message in messages:
        if isinstance(message.get("id"), int):
            names.append(message["id"])
            continue
        words = f"{message['role']}\n{message['content']}".encode("utf-8", "surrogatepass")
        digest = "~" + hashlib.blake2b(words, digest_size=4).hexdigest()
        occurrences[digest] += 1
        names.append(digest if occurrences[digest] == 1 else f"{digest}.{occurrences[digest]}")
    return names


def still_true(entries: Sequence[Entry], names: Sequence[MessageId], cut: int) -> list[Entry]:
    """Return the entries whose messages are all older ones; others are made anew from the raw messages.

    An entry from before the oldest message given cannot be checked, and stays.
    """
    if not names:
        return list(entries)
    older, recent = _numbers(names[:cut]), names[cut:]
    digests = set(names[:cut]).difference(older) if len(older) < cut else set()
    loaded_from = min([*older[:1], *_numbers(recent)], default=0)

    def is_true(row: Entry) -> bool:
        if any(row.holds(name) for name in recent) or not digests.issuperset(row.digests):
            return False
        first, behind = _inside(row, older)
        return row.first is None or row.first < loaded_from or behind - first == row.count

    return [row for row in entries if is_true(row)]


def _numbers(names: Sequence[MessageId]) -> list[int]:
    """Return the ids among the names, sorted; of a long conversation all are, as is seen at once."""
    if set(map(type, names)) <= {int}:
        return sorted(names)  # type: ignore[arg-type]
    return sorted(name for name in names if isinstance(name, int))


def _inside(row: Entry, numbers: Sequence[int]) -> tuple[int, int]:
    """Return the places, from and up to, of those of the numbers that the entry holds."""
    if row.first is None or row.last is None:
        return 0, 0
    return bisect_left(numbers, row.first), bisect_right(numbers, row.last)


def with_older(
    entries: Sequence[Entry], names: Sequence[MessageId], messages: Sequence[StoredMessage]
) -> tuple[list[Entry], tuple[MessageId, ...]]:
    """Return the entries with one more for each message that none holds, in order; and those messages."""
    numbers = _numbers(names)
    place = _place_in(names, numbers)
    ordered: list[tuple[int, Entry]] = []
    is_new = bytearray(b"\1" * len(numbers))
    digests = set(names).difference(numbers) if len(numbers) < len(names) else set()
    for row in entries:
        first, behind = _inside(row, numbers)
        is_new[first:behind] = bytes(behind - first)
        digests.difference_update(row.digests)
        inside: list[MessageId] = [*numbers[first:behind][:1], *row.digests]
        ordered.append((min(map(place, inside), default=-1), row))
    new: list[MessageId] = [*compress(numbers, is_new), *digests]
    evicted = sorted(new, key=place)
    for name in evicted:
        message = messages[place(name)]
        ordered.append((place(name), entry(name, compress_message(message["role"], message["content"]))))
    ordered.sort(key=lambda placed: placed[0])
    return [row for _, row in ordered], tuple(evicted)


def _place_in(names: Sequence[MessageId], numbers: Sequence[int]) -> Callable[[MessageId], int]:
    """Return what tells the place of a name, -1 for none; `numbers`, sorted, are those names that are ids."""
    if names and numbers == names:
        return partial(bisect_left, numbers)
    places = dict(zip(names, range(len(names)), strict=True))
    return lambda name: places.get(name, -1)
