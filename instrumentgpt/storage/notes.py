"""Notes where they count: of a conversation, of its devices, and of everywhere; found by their words."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqlite_utils import Database

from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.terms import Phrase, phrases, terms
from instrumentgpt.storage.saved import Note, list_notes

EVERYWHERE = "global"  # the scope of notes that count in every conversation


def scopes(conversation_id: str, devices: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the scopes that count in a conversation about `devices` (their names), the narrowest first.

    >>> scopes("3f2a", ["zspr 052"])
    ('3f2a', 'zspr 052', 'global')
    """
    return (conversation_id, *devices, EVERYWHERE)


def notes_of(database: Database, conversation_id: str, devices: Iterable[str] = ()) -> list[Note]:
    """Return the notes that count in a conversation about `devices`: narrow scopes first."""
    return [note for scope in scopes(conversation_id, devices) for note in list_notes(database, scope=scope)]


def constraints_of(note: Note) -> tuple[str, ...]:
    """Return the sentences of a note that lay something down; what was deferred or rejected does not."""
    return _constraints(note.text) if note.kind not in ("deferred", "rejected") else ()


@lru_cache(maxsize=256)  # notes are looked at for every prompt
def _constraints(text: str) -> tuple[str, ...]:
    return tuple(said for kind, said in constraints_in(text) if kind == "constraint")


def found_in(notes: Iterable[Note], query: str, aliases: Sequence[Sequence[str]] = ()) -> list[Note]:
    """Return the notes that bear on `query`, in either language and under other names, the best first.

    aliases  lists of names of one device each
    """
    asked = phrases(query, aliases)
    scored = [(_score(note, query, asked), note) for note in notes]
    return [note for score, note in sorted(scored, key=lambda pair: -pair[0]) if score]


def holds(text: str, asked: Iterable[Phrase]) -> int:
    """Return how many of the phrases `text` holds.

    >>> holds("the proportional gain", [("kp",), ("proport", "gain")])
    1
    """
    held = f" {' '.join(terms(text))} "
    return sum(f" {' '.join(phrase)} " in held for phrase in asked)


def _score(note: Note, query: str, asked: Sequence[Phrase]) -> int:
    """Return how many of the phrases the note holds; its own name is worth all of them."""
    named = note.id.casefold() == query.strip().casefold()
    return holds(f"{note.id} {note.kind} {note.text}", asked) + named * (len(asked) + 1)
