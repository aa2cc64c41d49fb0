"""Saving what was generated, once the user says so; its ref stays."""

import re
from collections.abc import Sequence

from sqlite_utils import Database

import db
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.investigate.wording import say
from instrumentgpt.storage.artifacts import SUFFIXES, documents_folder
from instrumentgpt.storage.entities import Entity, mark_created
from instrumentgpt.turn.entities import refs_in

_SAVE = r"\b(?:save|keep|store)\b|儲存|储存|保存|存檔|存档|存起來|存起来|存下來|存下来"
_NEGATED = r"\b(?:don'?t|do not|not|never|without|no)\b|不要|不用|不必|別|别|先不"
_REPORT = r"\breports?\b|\bdocument\b|報告|报告"


def wished(said: str, entities: Sequence[Entity]) -> list[str]:
    """Return the refs that `said` asks to save, [] if it asks for none.

    "Save the report" means the only unsaved one.
    """
    words = said.casefold()
    if not re.search(_SAVE, words) or re.search(_NEGATED, words):
        return []
    named = [ref for ref in refs_in(said) if ref.startswith("gen_")]
    unsaved = [one.ref for one in entities if one.flag == "unsaved"]
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
    known = {one.ref: one for one in entities if one.generated}
    return "\n\n".join(_saved(database, conversation_id, ref, known, language) for ref in refs)


def _saved(
    database: Database, conversation_id: str, ref: str, known: dict[str, Entity], language: Language
) -> str:
    entity = known.get(ref)
    if entity is not None and entity.flag == "created":
        return say("saved_before", language, ref=ref)
    made = db.get_artifact(database, conversation_id, str(entity.link["artifact"])) if entity else None
    if entity is None or made is None:
        refs = ", ".join(f"`{one.ref}`" for one in known.values() if one.flag == "unsaved")
        told = say("can_be_saved", language, refs=refs) if refs else say("none_to_save", language)
        return say("nothing_to_save", language, ref=ref, known=told)
    kind = made.kind if made.kind in SUFFIXES else "html"
    with db.transaction(database):
        document = db.save_document(database, conversation_id, ref, kind, entity.label, made.content)
        mark_created(database, conversation_id, ref)
    return say(
        "saved", language, ref=ref, file=f"`{document.file}`", folder=f"`{documents_folder(database)}`"
    )
