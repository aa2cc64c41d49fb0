"""The rolling summary as text: one line per entry, each saying which messages it holds.

    [#12] User: 10.1.1.47 plot temp control
    [#1-#8 x8] User: why does … · Assistant: saturated at 100 % …

`#12` is the message's id, `#1-#8 x8` the eight messages of this conversation with ids 1 to 8.
Messages without ids are named by digests: `[~k3fq9a] User: …`.
A line without such a head (from an older application) is kept, and belongs to no message.
Text inside an entry never has a newline, so no message can forge an entry.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from instrumentgpt.memory.tokens import count_tokens

SUMMARY_TOKENS = 1500  # cap of the rendered summary; about 5,000 English characters, as the old application
ENTRY_CHARS = 300  # seed 004: "~300 chars"
JOINT = " · "  # between what two merged entries keep
LEAST_TOLD = 6  # characters of a sentence that is a fact: shorter words may stand anywhere
TOLD_CHARS = (120, 60, 30)  # beginnings of a clause that are looked for where it does not stand whole

MessageId = int | str  # the database's id, or "~" and a digest

_HEAD = re.compile(r"\[(?:#(\d+)(?:-#(\d+) x(\d+))?)?((?: ?~[0-9a-z.]+)*)\] ")
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

    first, last  ids of the oldest and newest numbered message in it; None if there are none
    count        how many numbered messages it holds
    digests      names of the messages without ids
    """

    text: str
    first: int | None = None
    last: int | None = None
    count: int = 0
    digests: tuple[str, ...] = ()

    def holds(self, message_id: MessageId) -> bool:
        """Return whether the message is in this entry."""
        if isinstance(message_id, str):
            return message_id in self.digests
        return self.first is not None and self.last is not None and self.first <= message_id <= self.last


def entry(message_id: MessageId, text: str) -> Entry:
    """Return the entry of one message.

    >>> write([entry(12, "User: why?"), entry("~k3fq9a", "User: and\\nnow?")])
    '[#12] User: why?\\n[~k3fq9a] User: and now?'
    """
    folded = " ".join(text.split())
    if isinstance(message_id, str):
        return Entry(folded, digests=(message_id,))
    return Entry(folded, message_id, message_id, 1)


def parse(summary: str) -> list[Entry]:
    """Return the entries of a stored summary, oldest first.

    >>> parse("[#1-#8 x8] User: why?")
    [Entry(text='User: why?', first=1, last=8, count=8, digests=())]
    """
    return [_parse_line(line) for line in summary.split("\n") if line.strip()]


def _parse_line(line: str) -> Entry:
    head = _HEAD.match(line)
    if not head or not (head[1] or head[4]):
        return Entry(line)
    first = int(head[1]) if head[1] else None
    last = int(head[2]) if head[2] else first
    count = int(head[3]) if head[3] else int(first is not None)
    return Entry(line[head.end() :], first, last, count, tuple(head[4].split()))


def write(entries: Iterable[Entry]) -> str:
    """Return the entries as the text to store; `parse` reads it back."""
    return "\n".join(_head(row) + row.text for row in entries)


def _head(row: Entry) -> str:
    numbers = f"#{row.first}" if row.first is not None else ""
    if row.last != row.first:
        numbers += f"-#{row.last} x{row.count}"
    names = " ".join([*([numbers] if numbers else []), *row.digests])
    return f"[{names}] " if names else ""


def render(entries: Iterable[Entry]) -> str:
    """Return the entries as a prompt shows them: without their heads."""
    return "\n".join(row.text for row in entries)


def forget(summary: str, message_ids: Collection[MessageId]) -> str:
    """Return the stored summary without any entry that holds one of the messages.

    Other messages of a dropped entry are summarised anew when the next prompt is built.
    """
    return write(row for row in parse(summary) if not any(row.holds(name) for name in message_ids))


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
            place = _pair_to_merge(settled)
            merged = merge(settled[place], settled[place + 1])
            total += _tokens(merged) - _tokens(settled[place]) - _tokens(settled[place + 1])
            settled[place : place + 2] = [merged]
        if total > limit:
            settled = [replace(row, text=condense(row.text, ENTRY_CHARS)) for row in settled]
            total = sum(map(_tokens, settled))
    return settled


def _tokens(row: Entry) -> int:
    return count_tokens(row.text) + 2  # its newline


def _size(row: Entry) -> int:
    return row.count + len(row.digests)


def _pair_to_merge(entries: list[Entry]) -> int:
    """Return the place of the oldest pair whose older half is not bigger: sizes grow with age (8 4 2 1)."""
    for place in range(len(entries) - 1):
        if _size(entries[place]) <= _size(entries[place + 1]):
            return place
    return 0


def merge(older: Entry, newer: Entry) -> Entry:
    """Return one entry that holds the messages of both, and of each text its share of telling clauses."""
    numbers = [row for row in (older, newer) if row.first is not None]
    room, half = ENTRY_CHARS - len(JOINT), (ENTRY_CHARS - len(JOINT)) // 2
    texts = (
        condense(older.text, max(half, room - len(newer.text))),
        condense(newer.text, max(half, room - len(older.text))),
    )
    return Entry(
        JOINT.join(texts),
        numbers[0].first if numbers else None,
        numbers[-1].last if numbers else None,
        older.count + newer.count,
        older.digests + newer.digests,
    )


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


def without_told(entries: Iterable[Entry], told: str) -> list[Entry]:
    """Return the entries without the clauses that stand in `told`, cut or whole; without entries left empty.

    >>> left = without_told([entry(1, "User: why? · Kp is 9 here, and…")], "Kp is 9 here, and low")
    >>> [row.text for row in left]
    ['User: why?']
    """
    folded, left = " ".join(told.split()), []
    for row in entries:
        clauses = _clauses(row.text)
        kept = [(speaker, clause) for speaker, clause in clauses if not stands_in(clause, folded)]
        if len(kept) == len(clauses):
            left.append(row)
        elif kept:
            left.append(replace(row, text=_joined(kept, ENTRY_CHARS)))
    return left


def told_of(text: str, told: str) -> str:
    """Return the clauses of an entry's `text` that stand in `told`, cut where they stand there cut.

    >>> told_of("User: why? · Assistant: Kp is 9 here. · It was cleaned.", "User: why?\\n- Kp is 9 here")
    'User: why? · Assistant: Kp is 9 here.'
    >>> told_of("The seal of the upper door is worn, all the way round.", "- The seal of the upper door…")
    'The seal of the upper door…'
    """
    folded, kept = " ".join(told.split()), []
    for speaker, clause in _clauses(text):
        forms = (shorten(clause, limit) for limit in (len(clause), *TOLD_CHARS))
        said = [(speaker, form) for form in forms if stands_in(form, folded) or f"{speaker}{form}" in folded]
        kept += said[:1]
    return _joined(kept, ENTRY_CHARS)


def stands_in(sentence: str, told: str) -> bool:
    """Return whether `told` has the sentence, be it cut, or as an item of a list without its label.

    >>> stands_in("**Root cause**: the seal leaks.", "Root causes:\\n  - the seal leaks (turn 2)")
    True
    """
    bare = sentence.replace("**", "").strip(_EDGES)
    if len(bare) < LEAST_TOLD:
        return False
    label = _LABEL.match(bare)
    return bare in told or (label is not None and f"- {bare[label.end() :]}" in told)


def _clauses(text: str) -> list[tuple[str, str]]:
    """Return (speaker's prefix, clause), in order."""
    clauses, speaker = [], ""
    parts = [text] if text.isascii() else _CHINESE_END.split(text)
    for clause in chain.from_iterable(map(_CLAUSE_END.split, parts)):
        said = _SPEAKER.match(clause)
        speaker = said.group() if said else speaker
        words = clause[said.end() :].strip() if said else clause.strip()
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
