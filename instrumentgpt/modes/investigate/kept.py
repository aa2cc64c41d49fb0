"""What Investigate keeps: what waits for an answer, a note on each turn, saved documents."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.investigate import say
from instrumentgpt.modes.investigate.contract import ThinkStep
from instrumentgpt.storage.artifacts import SUFFIXES, documents_folder
from instrumentgpt.storage.entities import Entity, mark_created
from instrumentgpt.turn.entities import refs_in

MODE = "investigate"
RECENT_NOTES = 2  # turn notes in the prompt: seed think-prompt, "last 2 summaries"
NOTE_CHARS = 240
REASONING_CHARS = 600  # of what older notes become
MOST_NOTES = 60

Kind = Literal["proposal", "question", "save"]


@dataclass(frozen=True)
class Pending:
    """What an answer left open, and the next turn may settle.

    kind        a proposal to agree to, a question to answer, or something generated to save
    message     what was said
    asked       the request that it belongs to, and `amendments` what was said to it since
    steps       what is carried out on a yes; none: it is thought through again, as agreed to
    effort      of the request
    ref         of what would be saved
    devices     names of those that it is on; excluded: those that the user took out
    report      whether a report is wanted; None: nobody said
    """

    kind: Kind
    message: str
    asked: str
    goal: str = ""
    amendments: tuple[str, ...] = ()
    steps: tuple[ThinkStep, ...] = ()
    effort: str = ""
    ref: str = ""
    devices: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    report: bool | None = None


_PENDING = TypeAdapter[Pending | None](Pending | None)


@dataclass(frozen=True)
class Note:
    """One turn in a sentence; `message` is the id of its question."""

    message: int
    text: str


@dataclass(frozen=True)
class ModeState:
    """The state of the mode in a conversation; `deleted` are notes on turns that are not there now."""

    pending: Pending | None = None
    notes: tuple[Note, ...] = field(default=())
    deleted: tuple[Note, ...] = field(default=())

    def recent_notes(self) -> list[str]:
        """Return the notes of the last turns, oldest first."""
        return [note.text for note in self.notes[-RECENT_NOTES:]]

    def reasoning(self) -> str:
        """Return one summary of the older notes, the newest of them longest kept; "" if there are none."""
        older = [note.text for note in self.notes[:-RECENT_NOTES]]
        kept: list[str] = []
        for text in reversed(older):
            short = shorten(text, REASONING_CHARS // 4)
            if sum(map(len, kept)) + len(short) > REASONING_CHARS:
                kept.append(f"{len(older) - len(kept)} earlier turns.")
                break
            kept.append(short)
        return " ".join(reversed(kept))


def read_kept(state: Mapping[str, Any], messages: Collection[int]) -> ModeState:
    """Return what is stored as `state`; what turns left that are not among `messages` now is set aside."""
    pending = _PENDING.validate_python(state.get("pending") or None)
    stored = [Note(**note) for note in state.get("notes", [])]
    notes = tuple(note for note in stored if note.message in messages)
    deleted = tuple(note for note in stored if note.message not in messages)
    is_gone = bool(stored) and stored[-1] in deleted  # the newest turn of the mode left what is pending
    return ModeState(None if is_gone else pending, notes, deleted)


def written(kept: ModeState) -> dict[str, Any]:
    """Return `kept` as JSON-ready data that `read_kept` reads."""
    notes = sorted((*kept.deleted, *kept.notes), key=lambda note: note.message)[-MOST_NOTES:]
    pending = _PENDING.dump_python(kept.pending, mode="json")
    return {"pending": pending, "notes": [asdict(note) for note in notes]}


def with_note(kept: ModeState, message: int, text: str) -> tuple[Note, ...]:
    """Return the notes with one on the turn of the question `message`."""
    return (*kept.notes, Note(message, shorten(" ".join(text.split()), NOTE_CHARS)))


_SAVE = r"\b(?:save|keep|store)\b|儲存|储存|保存|存檔|存档|存起來|存起来|存下來|存下来"
_NEGATED = r"\b(?:don'?t|do not|not|never|without|no)\b|不要|不用|不必|別|别|先不"
_REPORT = r"\breports?\b|\bdocument\b|報告|报告"


def wished(message: str, entities: Sequence[Entity]) -> list[str]:
    """Return the refs that `message` asks to save, [] if it asks for none.

    "Save the report" means the only unsaved one.
    """
    words = message.casefold()
    if not re.search(_SAVE, words) or re.search(_NEGATED, words):
        return []
    named = [ref for ref in refs_in(message) if ref.startswith("gen_")]
    unsaved = [entity.ref for entity in entities if entity.flag == "unsaved"]
    if named or len(unsaved) != 1:
        return named
    is_short = len(words) <= 40 and "?" not in words and "？" not in words
    return unsaved if is_short and re.search(_REPORT, words) else []


def saved(
    database: Database,
    conversation_id: str,
    refs: Sequence[str],
    entities: Sequence[Entity],
    language: Language,
) -> str:
    """Save each of `refs` as a document and return what to tell about it."""
    generated = {entity.ref: entity for entity in entities if entity.generated}
    return "\n\n".join(_saved(database, conversation_id, ref, generated, language) for ref in refs)


def _saved(
    database: Database, conversation_id: str, ref: str, generated: dict[str, Entity], language: Language
) -> str:
    entity = generated.get(ref)
    if entity is not None and entity.flag == "created":
        return say("saved_before", language, ref=ref)
    made = db.get_artifact(database, conversation_id, str(entity.link["artifact"])) if entity else None
    if entity is None or made is None:
        refs = ", ".join(f"`{entity.ref}`" for entity in generated.values() if entity.flag == "unsaved")
        text = say("can_be_saved", language, refs=refs) if refs else say("none_to_save", language)
        return say("nothing_to_save", language, ref=ref, known=text)
    kind = made.kind if made.kind in SUFFIXES else "html"
    with db.transaction(database):
        document = db.save_document(database, conversation_id, ref, kind, entity.label, made.content)
        mark_created(database, conversation_id, ref)
    return say(
        "saved", language, ref=ref, file=f"`{document.file}`", folder=f"`{documents_folder(database)}`"
    )
