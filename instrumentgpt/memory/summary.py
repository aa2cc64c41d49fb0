"""The rolling summary: older messages on one line each, under their names, merged as they grow old.

As text it has one line per entry, each saying which messages it holds.

    [#12] User: 10.1.1.47 plot temp control
    [#1-#8 x8] User: why does … · Assistant: saturated at 100 % …

`#12` is the message's id, `#1-#8 x8` the eight messages of this conversation with ids 1 to 8.
A line without such a head (from an older application) is kept, and belongs to no message.
Text inside an entry never has a newline, so no message can forge an entry.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Any

from instrumentgpt.memory.filtering import filter_content, without_speakers
from instrumentgpt.memory.tokens import count_tokens

SUMMARY_TOKENS = 1500  # cap of the rendered summary; about 5,000 English characters, as the old application
ENTRY_CHARS = 300  # seed 004: "~300 chars"
JOINT = " · "  # between what two merged entries keep
LEAST_SENTENCE = 6  # characters of a sentence that is a fact: shorter words may stand anywhere
CLAUSE_STEPS = (120, 60, 30)  # beginnings of a clause that are looked for where it does not stand whole

_HEAD = re.compile(r"\[#(\d+)(?:-#(\d+) x(\d+))?\] ")
# What ends a clause begins with a space, which is found quicker than what stands before it.
_CLAUSE_END = re.compile(r" (?:[·…] |(?<=[.!?;] )(?![·…]) *)")
_CHINESE_END = re.compile(r"(?<=[。！？；])(?! [·…]) *")
_DIGIT = re.compile(r"\d")
_EDGES = "-*•… .。"  # around a sentence, as it is quoted or not
_LABEL = re.compile(r"[^:：]{1,30}[:：] *")
_SPEAKER = re.compile(r"(?:User|Assistant): ")
CONCLUSION = re.compile(
    r"root cause|conclusion|confirmed|ruled out|根因|根本原因|結論|结论|確認|确认|排除", re.I
)


@dataclass(frozen=True)
class Entry:
    """One line of the summary.

    first, last  ids of the oldest and newest message in it; None if there are none
    count        how many messages it holds
    """

    text: str
    first: int | None = None
    last: int | None = None
    count: int = 0

    def holds(self, message_id: int) -> bool:
        """Return whether the message is in this entry."""
        return self.first is not None and self.last is not None and self.first <= message_id <= self.last


def entry(message_id: int | None, text: str) -> Entry:
    """Return the entry of one message; without an id it belongs to none.

    >>> write([entry(12, "User: and\\nnow?")])
    '[#12] User: and now?'
    """
    return Entry(" ".join(text.split()), message_id, message_id, int(message_id is not None))


def parse(summary: str) -> list[Entry]:
    """Return the entries of a stored summary, oldest first.

    >>> parse("[#1-#8 x8] User: why?")
    [Entry(text='User: why?', first=1, last=8, count=8)]
    """
    entries = []
    for line in filter(str.strip, summary.split("\n")):
        head = _HEAD.match(line)
        numbers = (int(head[1]), int(head[2] or head[1]), int(head[3] or 1)) if head else ()
        entries.append(Entry(line[head.end() :] if head else line, *numbers))
    return entries


def write(entries: Iterable[Entry]) -> str:
    """Return the entries as the text to store; `parse` reads it back."""
    lines = []
    for row in entries:
        several = f"-#{row.last} x{row.count}" if row.last != row.first else ""
        lines.append(row.text if row.first is None else f"[#{row.first}{several}] {row.text}")
    return "\n".join(lines)


def render(entries: Iterable[Entry]) -> str:
    """Return the entries as a prompt shows them: without their heads."""
    return "\n".join(row.text for row in entries)


def settle(entries: Iterable[Entry], limit: int = SUMMARY_TOKENS) -> list[Entry]:
    """Return the entries, older ones merged as far as needed to stay within `limit` tokens.

    They are taken in one by one, so the result is the same whether they came at once or over many turns.
    """
    settled: list[Entry] = []
    total = 0
    for row in entries:
        settled.append(row)
        total += _tokens(row)
        while total > limit and len(settled) > 1:
            pairs = enumerate(pairwise(settled))  # the oldest of sizes that do not grow with age: 8 4 2 1
            place = next((at for at, (older, newer) in pairs if older.count <= newer.count), 0)
            merged = merge(settled[place], settled[place + 1])
            total += _tokens(merged) - _tokens(settled[place]) - _tokens(settled[place + 1])
            settled[place : place + 2] = [merged]
        if total > limit:
            settled = [replace(row, text=condense(row.text, ENTRY_CHARS)) for row in settled]
            total = sum(map(_tokens, settled))
    return settled


def _tokens(row: Entry) -> int:
    return count_tokens(row.text) + 2  # its newline


def merge(older: Entry, newer: Entry) -> Entry:
    """Return one entry that holds the messages of both, and of each text its share of telling clauses."""
    numbers = [row for row in (older, newer) if row.first is not None]
    room, half = ENTRY_CHARS - len(JOINT), (ENTRY_CHARS - len(JOINT)) // 2
    texts = (
        condense(older.text, max(half, room - len(newer.text))),
        condense(newer.text, max(half, room - len(older.text))),
    )
    first, last = (numbers[0].first, numbers[-1].last) if numbers else (None, None)
    return Entry(JOINT.join(texts), first, last, older.count + newer.count)


def condense(text: str, limit: int) -> str:
    """Return the most telling clauses of `text`, in their order, in at most `limit` characters.

    Conclusions come before clauses with numbers, those before others; of equals, the earlier.
    Who said a clause stays with it.

    >>> condense("User: why? · Hm. · Assistant: Let me see. Root cause: heater 3 open. · Good luck.", 55)
    'User: why? · Assistant: Root cause: heater 3 open.'
    """
    if len(text) <= limit:
        return text
    clauses = _clauses(text)
    kept: set[tuple[str, str]] = set()
    room = limit
    for speaker, clause in sorted(clauses, key=lambda row: -_worth(row[1])):
        cost = len(speaker) + min(len(clause), limit // 2) + len(JOINT)
        if cost <= room and (speaker, clause) not in kept:
            kept.add((speaker, clause))
            room -= cost
    return _joined([row for row in dict.fromkeys(clauses) if row in kept], limit // 2) or shorten(text, limit)


def without_shown(entries: Iterable[Entry], shown: str) -> list[Entry]:
    """Return the entries without the clauses that stand in `shown`, cut or whole; without entries left empty.

    >>> left = without_shown([entry(1, "User: why? · Kp is 9 here, and…")], "Kp is 9 here, and low")
    >>> [row.text for row in left]
    ['User: why?']
    """
    folded, left = " ".join(shown.split()), []
    for row in entries:
        clauses = _clauses(row.text)
        kept = [(speaker, clause) for speaker, clause in clauses if not stands_in(clause, folded)]
        if len(kept) == len(clauses):
            left.append(row)
        elif kept:
            left.append(replace(row, text=_joined(kept, ENTRY_CHARS)))
    return left


def shown_clauses(text: str, shown: str) -> str:
    """Return the clauses of an entry's `text` that stand in `shown`, cut where they stand there cut.

    >>> shown_clauses("User: why? · Assistant: Kp is 9 here. · It is clean.", "User: why?\\n- Kp is 9 here")
    'User: why? · Assistant: Kp is 9 here.'
    >>> shown_clauses("The seal of the upper door is worn all round.", "- The seal of the upper door…")
    'The seal of the upper door…'
    """
    folded, kept = " ".join(shown.split()), []
    for speaker, clause in _clauses(text):
        forms = (shorten(clause, limit) for limit in (len(clause), *CLAUSE_STEPS))
        kept += [(speaker, form) for form in forms if stands_in(form, folded) or speaker + form in folded][:1]
    return _joined(kept, ENTRY_CHARS)


def stands_in(sentence: str, shown: str) -> bool:
    """Return whether `shown` has the sentence, be it cut, or as an item of a list without its label.

    >>> stands_in("**Root cause**: the seal leaks.", "Root causes:\\n  - the seal leaks (turn 2)")
    True
    """
    bare = sentence.replace("**", "").strip(_EDGES)
    if len(bare) < LEAST_SENTENCE:
        return False
    if bare in shown:
        return True
    label = _LABEL.match(bare)
    return label is not None and f"- {bare[label.end() :]}" in shown


def _clauses(text: str) -> list[tuple[str, str]]:
    """Return (speaker's prefix, clause), in order."""
    clauses, speaker = [], ""
    parts = [text] if text.isascii() else _CHINESE_END.split(text)
    for clause in chain.from_iterable(map(_CLAUSE_END.split, parts)):
        match = _SPEAKER.match(clause)
        speaker = match.group() if match else speaker
        words = clause[match.end() :].strip() if match else clause.strip()
        if words:
            clauses.append((speaker, words))
    return clauses


def _joined(clauses: list[tuple[str, str]], limit: int) -> str:
    parts, last = [], ""
    for speaker, clause in clauses:
        parts.append(("" if speaker == last else speaker) + shorten(clause, limit))
        last = speaker
    return JOINT.join(parts)


@lru_cache(maxsize=4096)  # a clause is judged each time its entry is merged
def _worth(clause: str) -> int:
    return 2 * bool(CONCLUSION.search(clause)) + bool(_DIGIT.search(clause))


def shorten(text: str, limit: int) -> str:
    """Return `text`, or its beginning and "…", in at most `limit` characters, cut between words if it can.

    >>> shorten("the heater is open", 12), shorten("加熱器開路了", 4)
    ('the heater…', '加熱器…')
    """
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip() + "…"


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
    if len(paragraphs) < 2:
        return f"Assistant: {shorten(''.join(paragraphs), ENTRY_CHARS)}"
    first, *middle, last = paragraphs
    last = shorten(last, max(ENTRY_CHARS // 2, ENTRY_CHARS - len(GAP) - len(first)))
    kept = [shorten(first, ENTRY_CHARS - len(GAP) - len(last))]
    for paragraph in filter(CONCLUSION.search, middle):
        room = ENTRY_CHARS - len(GAP.join([*kept, last])) - len(GAP)
        if room >= LEAST_CHARS:
            kept.append(shorten(paragraph, room))
    return f"Assistant: {GAP.join([*kept, last])}"


def speaker_of(role: str) -> str:
    """Return what stands before a message of the role."""
    return "User" if role.casefold() == "user" else "Assistant"


def message_ids(messages: Sequence[StoredMessage]) -> list[int]:
    """Return the ids of the messages; those that have none are counted, from 1."""
    ids = getattr(messages, "ids", None)  # of messages that are not all in memory
    return list(ids) if ids is not None else [row.get("id", at) for at, row in enumerate(messages, start=1)]


def of_first(entries: Sequence[Entry], ids: Sequence[int]) -> list[Entry]:
    """Return the entries if they hold the first of the messages `ids`, else those that hold none.

    So a summary is what its messages make of it, whatever was deleted, brought back or recent before.

    >>> entries = parse("older\\n[#1-#4 x2] User: why?")
    >>> len(of_first(entries, [1, 4, 6])), len(of_first(entries, [1, 3, 4]))
    (2, 1)
    """
    ends = accumulate(row.count for row in entries)
    fits = all(
        row.first is None or [row.first, row.last] == [*ids[end - row.count : end][:1], *ids[end - 1 : end]]
        for row, end in zip(entries, ends, strict=True)
    )
    return [row for row in entries if fits or row.first is None]


def with_older(
    entries: Sequence[Entry], ids: Sequence[int], messages: Sequence[StoredMessage]
) -> list[Entry]:
    """Return the entries with one more for each of the older messages `ids`, the first of `messages`."""
    kept = of_first(entries, ids)
    new = range(sum(row.count for row in kept), len(ids))
    compressed = (compress_message(row["role"], row["content"]) for row in map(messages.__getitem__, new))
    return [*kept, *map(entry, ids[new.start :], compressed)]
