"""What the assistant remembers of a conversation, and the prompt made of it.

Five layers: the request as it was typed, the diagnostic state, a rolling summary of older messages,
what older messages say of this very question, and the recent messages.
Everything here is pure: texts and values in, texts and values out.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from instrumentgpt.text.budget import (
    PROMPT_TOKENS,
    Parts,
    Section,
    is_too_long,
    request_in_file,
    within,
)
from instrumentgpt.text.context import Case, context_lines, keys_of, lines_pinned, wanted_terms
from instrumentgpt.text.facts import errors_in, facts_in
from instrumentgpt.text.filtering import filter_content
from instrumentgpt.text.recalled import Recalled
from instrumentgpt.text.state import (
    DiagnosticState,
    begin_question,
    device_key,
    extract_state_updates,
    new_items,
    record_tool,
    told_fields,
)
from instrumentgpt.text.summary import (
    CONCLUSION,
    ENTRY_CHARS,
    Entry,
    MessageId,
    entry,
    parse,
    settle,
    shorten,
    write,
)
from instrumentgpt.text.tokens import count_tokens
from instrumentgpt.text.untrusted import without_speakers
from instrumentgpt.text.wishes import wishes_in

__all__ = [
    "LAYERS",
    "NOTE",
    "PROMPT_TOKENS",
    "RECENT_EXCHANGES",
    "Beside",
    "Case",
    "DiagnosticState",
    "Prompt",
    "Recalled",
    "Rules",
    "Section",
    "begin_question",
    "build_prompt",
    "build_summary",
    "compose",
    "compress_message",
    "device_key",
    "errors_in",
    "extract_state_updates",
    "facts_in",
    "filter_content",
    "is_too_long",
    "keys_of",
    "message_names",
    "new_items",
    "record_tool",
    "request_in_file",
    "told_fields",
    "wanted_terms",
    "wishes_in",
]

RECENT_EXCHANGES = 3  # N of seed 004
LAYERS = ("state", "facts", "history", "summary", "recalled", "recent")  # beside the request
GAP = " … "  # between the paragraphs that a summarised answer keeps
LEAST_PARTS, MOST_PARTS, TOKENS_PER_PART = 6, 24, 220  # of what messages said, in the diagnostic context
LEAST_CHARS = 40  # a shorter piece of a paragraph says nothing
NOTE = (
    "<note>Use diagnostic_context and conversation_summary to avoid\n"
    "re-downloading logs already analyzed. Reuse existing findings.</note>"
)

StoredMessage = Mapping[str, Any]  # "role", "content", and "id" where it has been stored


def compress_message(role: str, content: str) -> str:
    """Return one message as the summary keeps it, on one line: what was asked, what was concluded.

    A user's text keeps its beginning; an assistant's its first and last paragraph, and what is
    called a conclusion between them if there is room; each about 300 characters.

    >>> compress_message("assistant", "It oscillates.\\n\\nLong middle.\\n\\nRoot cause: kp is too high.")
    'Assistant: It oscillates. … Root cause: kp is too high.'
    """
    speaker = _speaker(role)
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


def _speaker(role: str) -> str:
    return "User" if role.casefold() == "user" else "Assistant"


def build_summary(existing: str, turns_to_evict: Sequence[StoredMessage]) -> str:
    """Return the stored summary `existing` with the messages added, old entries merged to keep it bounded.

    A message that is in it already is not added again.
    """
    entries = parse(existing)
    added = [
        entry(name, compress_message(message["role"], message["content"]))
        for name, message in zip(message_names(turns_to_evict), turns_to_evict, strict=True)
        if not any(row.holds(name) for row in entries)
    ]
    return write(settle([*entries, *added]))


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


@dataclass(frozen=True)
class Prompt:
    """A prompt with its parts in order.

    summary  the summary to store
    evicted  the messages that this prompt moved from the recent ones into the summary
    """

    sections: tuple[Section, ...]
    summary: str
    evicted: tuple[MessageId, ...]

    @property
    def text(self) -> str:
        """The whole prompt, as it is sent."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt."""
        return count_tokens(self.text)


@dataclass(frozen=True)
class Beside:
    """What a prompt tells beside the case and the messages.

    is_device_query  the question names a device: the note on logs already analyzed stands below the context
    request          what stands for a question that is too long for the budget (`request_in_file`)
    recalled         what earlier messages say that bears on the question, as `db.recall` found it
    elsewhere        lines on what other conversations found on the device, below their heading
    notes            what the user had kept, a line each, what bears on the question first
    """

    is_device_query: bool = False
    request: str = ""
    recalled: Sequence[Recalled] = ()
    elsewhere: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Rules:
    """How much a prompt tells.

    recent_exchanges  N: the newest 2 N messages stay as they are, beginning with a user's
    budget            tokens, shared by the rules of text/budget.py; the question is never shortened
    layers            which of LAYERS are told. Messages are summarised whatever is, the recent ones too
                      where they are not told
    """

    recent_exchanges: int = RECENT_EXCHANGES
    budget: int = PROMPT_TOKENS
    layers: Collection[str] = LAYERS


def build_prompt(
    current_question: str,
    all_messages: Sequence[StoredMessage],
    diagnostic_state: DiagnosticState,
    existing_summary: str,
    is_device_query: bool,
) -> tuple[str, str]:
    """Return (prompt, summary to store); see `compose`."""
    case, beside = Case(current_question, diagnostic_state), Beside(is_device_query)
    prompt = compose(case, all_messages, existing_summary, beside)
    return prompt.text, prompt.summary


def compose(
    case: Case,
    all_messages: Sequence[StoredMessage],
    existing_summary: str = "",
    beside: Beside = Beside(),
    rules: Rules = Rules(),
) -> Prompt:
    """Return the prompt for the question of `case`, and what becomes of the older messages.

    all_messages      all messages of the conversation, oldest first, raw; the current question may be the
                      last one. With ids, the newest part will do as long as N is not raised.
    existing_summary  as stored; what it says of messages that are recent again or deleted is dropped
    """
    names = message_names(all_messages)
    end = len(names) - _ends_with(all_messages, case.question)
    cut = _cut(all_messages[:end], rules.recent_exchanges if "recent" in rules.layers else 0)
    kept = _still_true(parse(existing_summary), names, cut)
    entries, evicted = _with_older(kept, names[:cut], all_messages[:cut])
    entries = settle(entries)
    parts = _parts(case, entries, all_messages[cut:end], beside, rules)
    return Prompt(within(rules.budget, parts), write(entries), evicted)


def _parts(
    case: Case,
    entries: Sequence[Entry],
    recent: Sequence[StoredMessage],
    beside: Beside,
    rules: Rules,
) -> Parts:
    """Return what the prompt is made of, without the layers that are not told."""
    layers = rules.layers
    said = max(LEAST_PARTS, min(MOST_PARTS, rules.budget // TOKENS_PER_PART))
    return Parts(
        beside.request or case.question,
        context_lines(case, "state" in layers, "facts" in layers, said),
        NOTE if beside.is_device_query else "",
        entries if "summary" in layers else (),
        [(_speaker(row["role"]), filter_content(row["content"])) for row in recent],
        beside.recalled if "recalled" in layers else (),
        lines_pinned(case),
        beside.elsewhere if "history" in layers else (),
        beside.notes,
    )


def _ends_with(messages: Sequence[StoredMessage], question: str) -> bool:
    """Return whether the last message is the question, as typed or enriched at either end."""
    if not messages or _speaker(messages[-1]["role"]) != "User":
        return False
    last, asked = messages[-1]["content"].strip(), question.strip()
    return last == asked or (bool(last) and (asked.startswith(last) or asked.endswith(last)))


def _cut(messages: Sequence[StoredMessage], recent_exchanges: int) -> int:
    """Return the place of the first recent message: a user's, at most 2 N from the end."""
    earliest = max(0, len(messages) - 2 * recent_exchanges)
    if earliest == 0:
        return 0
    users = (place for place in range(earliest, len(messages)) if _speaker(messages[place]["role"]) == "User")
    return next(users, earliest)


def _still_true(entries: Sequence[Entry], names: Sequence[MessageId], cut: int) -> list[Entry]:
    """Return the entries whose messages are all older ones; others are made anew from the raw messages.

    An entry from before the oldest message given cannot be checked, and stays.
    """
    if not names:
        return list(entries)
    older = _numbers(names[:cut])
    digests = set(names[:cut]).difference(older)
    recent = names[cut:]
    loaded_from = min(_numbers(names), default=0)

    def is_true(row: Entry) -> bool:
        if any(row.holds(name) for name in recent) or not digests.issuperset(row.digests):
            return False
        return row.first is None or row.first < loaded_from or len(_held(row, older)) == row.count

    return [row for row in entries if is_true(row)]


def _numbers(names: Sequence[MessageId]) -> list[int]:
    """Return the ids among the names, sorted; of a long conversation all are, as is seen at once."""
    if set(map(type, names)) <= {int}:
        return sorted(names)  # type: ignore[arg-type]
    return sorted(name for name in names if isinstance(name, int))


def _held(row: Entry, numbers: Sequence[int]) -> Sequence[int]:
    if row.first is None or row.last is None:
        return ()
    return numbers[bisect_left(numbers, row.first) : bisect_right(numbers, row.last)]


def _with_older(
    entries: Sequence[Entry], names: Sequence[MessageId], messages: Sequence[StoredMessage]
) -> tuple[list[Entry], tuple[MessageId, ...]]:
    """Return the entries with one more for each message that none holds, in order; and those messages."""
    place = dict(zip(names, range(len(names)), strict=True))
    numbers = _numbers(names)
    ordered: list[tuple[int, Entry]] = []
    held: set[MessageId] = set()
    for row in entries:
        inside: list[MessageId] = [*_held(row, numbers), *row.digests]
        held.update(inside)
        ordered.append((min(map(place.get, inside, repeat(-1)), default=-1), row))
    new = place.keys() - held
    evicted = tuple(name for name in names if name in new) if new else ()
    for name in evicted:
        message = messages[place[name]]
        ordered.append((place[name], entry(name, compress_message(message["role"], message["content"]))))
    ordered.sort(key=lambda placed: placed[0])
    return [row for _, row in ordered], evicted
