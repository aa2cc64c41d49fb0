"""Search over everything that was ever asked, answered or found, in all conversations.

It uses the index of recall (raw messages) and that of the state's items: findings, causes, logs, devices.
What holds all that was asked for comes first; where that is little, what holds some of it follows.
`precedents` are what other conversations found on a device, as far as it still stands there.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.recalled import relevant_lines
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.terms import Aliases, SearchTerm, fold, marked, search_terms
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import get_memory
from instrumentgpt.storage.facts import device_states
from instrumentgpt.storage.recall import quoted
from instrumentgpt.storage.revised_memory import revised_memory

HITS = 20  # of one search
FEW = 5  # with fewer hits that hold all words, those that hold some come too
CONTEXT_CHARS = 160  # of a hit, about
READ_CHARS = 20_000  # of a message, around the first hit: a pasted log may have millions
MOST_THINGS = 24  # asked for in one search
INDICES = {  # what is found → its index of words, and which rows of that are of deleted messages
    "message": (
        "message_terms",
        "(SELECT id FROM deleted_messages UNION ALL"
        " SELECT id FROM messages WHERE conversation_id IN deleted_conversations)",
    ),
    "item": (
        "item_terms",
        "(SELECT id FROM all_state_items WHERE message_id IN deleted_messages"
        " OR conversation_id IN deleted_conversations)",
    ),
}


@dataclass(frozen=True)
class Hit:
    """A message or a finding that a search found.

    kind    "question", "answer", or the field of the state: "findings", "root_causes", "downloaded_logs", …
    device  the one in question then, "" if none was
    pieces  the words around the hit, each piece with whether it is what was asked for; not escaped
    """

    conversation_id: str
    title: str
    message_id: int | None
    kind: str
    created_at: float  # s since 1970
    device: str
    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The words around the hit."""
        return "".join(text for text, _ in self.pieces)


def search(database: Database, query: str, aliases: Aliases = (), limit: int = HITS) -> list[Hit]:
    """Return what holds the words of `query`, in either language and under other names, the best first."""
    things = search_terms(query, aliases)[:MOST_THINGS]
    if not things:
        return []
    matches = _matches(database, all_of(things), limit)
    if len(matches) < min(FEW, limit) and len(things) > 1:
        matches += [place for place in _matches(database, _any_of(things), limit) if place not in matches]
    hits: dict[object, Hit] = {}  # a message once, found by its words or by a finding that it brought
    for kind, key in matches:
        hit = (_of_message if kind == "message" else _of_item)(database, key, things)
        hits.setdefault(hit.message_id or (kind, key), hit)
    return list(hits.values())[:limit]


def all_of(things: Sequence[SearchTerm]) -> str:
    """Return what FTS5 is asked for text that holds every one of the terms, in whichever words."""
    return " AND ".join(f"({_any_of([thing])})" for thing in things)


def _any_of(things: Sequence[SearchTerm]) -> str:
    every = [(" ".join(phrase), thing.unfinished) for thing in things for phrase in thing.phrases if phrase]
    return " OR ".join(quoted(words) + " *" * unfinished for words, unfinished in every)


def _matches(database: Database, match: str, limit: int) -> list[tuple[str, int]]:
    """Return ("message" or "item", its id), the best first; what fits equally well, the newest first."""
    every: list[tuple[float, int, str]] = []
    for kind, (table, gone) in INDICES.items():
        sql = (
            f"SELECT rowid, -bm25({table}) AS score FROM {table} WHERE {table} MATCH ?"
            f" AND rowid NOT IN {gone} ORDER BY score DESC, rowid DESC LIMIT ?"
        )
        ranked: list[tuple[int, float]] = rows(database, sql, (f"terms : ({match})", limit))
        best = max((score for _, score in ranked), default=1.0) or 1.0
        every += [(score / best, key, kind) for key, score in ranked]
    return [(kind, key) for _, key, kind in sorted(every, reverse=True)]


def _of_message(database: Database, message_id: int, things: Sequence[SearchTerm]) -> Hit:
    sql = (
        "SELECT conversation_id, title, role, messages.created_at, content,"
        " coalesce((SELECT device FROM facts WHERE message_id = messages.id AND device > '' LIMIT 1),"
        " (SELECT device FROM state_items WHERE state_items.conversation_id = conversations.id"
        " AND message_id >= messages.id AND device != '' ORDER BY message_id LIMIT 1), ''), diagnostic_state"
        " FROM messages JOIN conversations ON conversations.id = conversation_id WHERE messages.id = ?"
    )
    [(conversation_id, title, role, created_at, content, device, state)] = rows(database, sql, (message_id,))
    device = device or device_key(DiagnosticState.deserialize(state or ""))
    kind = "question" if role == "user" else "answer"
    pieces = _around(content, things)
    return Hit(conversation_id, title, message_id, kind, created_at, device, pieces)


def _of_item(database: Database, item_id: int, things: Sequence[SearchTerm]) -> Hit:
    sql = (
        "SELECT conversation_id, title, message_id, field, state_items.created_at, device, text"
        " FROM state_items JOIN conversations ON conversations.id = conversation_id WHERE state_items.id = ?"
    )
    [(conversation_id, title, message_id, field, created_at, device, text)] = rows(database, sql, (item_id,))
    return Hit(conversation_id, title, message_id, field, created_at, device, _around(text, things))


def _around(content: str, things: Sequence[SearchTerm]) -> tuple[tuple[str, bool], ...]:
    """Return the lines of `content` that hold most of what was asked for."""
    weights = {term: 1.0 for thing in things for phrase in thing.phrases for term in phrase if term}
    near = content
    if len(content) > READ_CHARS:
        folded = fold(content)
        places = [place for term in weights if (place := folded.find(term)) >= 0]
        start = max(0, min(places, default=0) - READ_CHARS // 2)
        near = content[start : start + READ_CHARS]
    lines = relevant_lines(near, weights, CONTEXT_CHARS)
    return tuple(marked(" ".join(lines), things))


FIELDS = ("root_causes", "findings")
_RULED_OUT = re.compile(r"\W*(?:ruled out|已?排除)", re.I)  # as the tool `rule_out` puts it on record
LOOKED_AT = 100  # newest items of the devices
CONVERSATIONS = 8  # whose memory is read for one question, the newest ones with a fitting item


@dataclass(frozen=True)
class Precedent:
    """One item of an earlier state; `field` is "root_causes" or "findings"."""

    device: str
    field: str
    text: str
    conversation_id: str
    title: str
    message_id: int | None
    found_at: float  # s since 1970
    log: str = ""
    line: int | None = None


def precedents(
    database: Database, devices: Sequence[str], except_for: str, fits: Callable[[Precedent], bool]
) -> list[Precedent]:
    """Return what stands in the memory of other conversations of these devices, newest first, each once.

    devices     every name under which states may be filed
    except_for  the conversation that asks
    fits        whether an item bears on the question; asked before anything else is read
    """
    fitting = [item for item in _recorded(database, devices, except_for) if fits(item)]
    conversations = dict.fromkeys((item.conversation_id, item.device) for item in fitting)
    standing = {place: _items_shown(database, *place) for place in list(conversations)[:CONVERSATIONS]}
    distinct: dict[tuple[str, str], Precedent] = {}
    for item in fitting:
        there = standing.get((item.conversation_id, item.device))
        if there and (item.field, text := same(item.text)) in there:
            distinct.setdefault((item.device, text), item)
    return list(distinct.values())


def _recorded(database: Database, devices: Sequence[str], except_for: str) -> list[Precedent]:
    marks, fields = ",".join("?" * len(devices)), ",".join("?" * len(FIELDS))
    sql = (
        "SELECT device, field, text, conversation_id, title, message_id,"
        " state_items.created_at, log, line"
        " FROM state_items JOIN conversations ON conversations.id = conversation_id AND deleted_at IS NULL"
        f" WHERE device IN ({marks}) AND field IN ({fields}) AND conversation_id != ?"
        " ORDER BY state_items.id DESC LIMIT ?"
    )
    stored = rows(database, sql, (*devices, *FIELDS, except_for, LOOKED_AT))
    return [Precedent(*row) for row in stored if not _RULED_OUT.match(row[2])]


def _items_shown(database: Database, conversation_id: str, device: str) -> set[tuple[str, str]]:
    """Return (field, text) of what the conversation holds of the device now."""
    state = DiagnosticState.deserialize(get_memory(conversation_id, database)[1])
    if device_key(state) != device:
        state = DiagnosticState.deserialize(device_states(database, conversation_id).get(device, ""))
    state = revised_memory(database, conversation_id, state, ()).state
    sql = "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND said != ''"
    out = [same(sentence) for (sentence,) in rows(database, sql, (conversation_id,))]
    return {
        (field, same(text))
        for field in FIELDS
        for text in getattr(state, field)
        if not any(same(text) in hypothesis or hypothesis in same(text) for hypothesis in out)
    }
