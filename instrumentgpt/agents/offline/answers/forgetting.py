"""“Forget the thermocouple”, “undo that”: where that is done, and to what; nothing is pretended.

An agent never changes the memory: people do, on the page, where each change can be undone.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.phrases import phrase, quoted
from instrumentgpt.memory.revisions import Revision
from instrumentgpt.memory.search_query import holds
from instrumentgpt.memory.terms import phrases, telling, terms

MOST_NAMED = 6  # things remembered that name what is to be forgotten
LISTS = ("root_causes", "findings", "hypotheses")
_VERB = re.compile(
    r"\b(?:please|can you|could you|forget|undo|unlearn|revert|disregard|take|back|about|from|the|your|my|our"
    r"|memory|that|this|it|all|everything|again|i said|we said|last|change)\b|[請请幫帮我把將将]"
    r"|忘[掉記记了]|[復复]原|撤[銷销回]|取消|[還还]原|[剛刚][才剛刚]|上一?[個个步次]|那[個个件]?|[這这][個个件]?|的|事|吧|一下",
    FLAGS,
)
_UNDO = re.compile(r"\bundo\b|\brevert\b|\btake\b.{0,12}\bback\b|[復复]原|撤[銷销回]|取消|[還还]原", FLAGS)


def forget(case: Case) -> Iterator[str]:
    """Say that a sentence changes nothing in the memory, where it is changed, and what would be meant."""
    if _UNDO.search(case.question.text):
        yield from _undo(case)
        return
    yield phrase("forget_where", case.language)
    thing = _VERB.sub(" ", case.question.text).strip(" .。!！?？,，")
    if found := [*_remembered(case, thing), *_notes(case, thing)][:MOST_NAMED]:
        yield "\n\n" + phrase("forget_meant", case.language) + "\n\n" + "\n".join(f"- {one}" for one in found)
    elif thing:
        yield "\n\n" + phrase("forget_nothing", case.language, thing=quoted(thing))


def _undo(case: Case) -> Iterator[str]:
    yield phrase("undo_where", case.language)
    newest = next((one for one in reversed(_revisions(case)) if one.undone_at is None), None)
    if newest is None:
        yield "\n\n" + phrase("undo_nothing", case.language)
    else:
        told = {"action": newest.action, "text": quoted(newest.old or newest.item.name), "turn": newest.turn}
        yield "\n\n" + phrase("undo_newest", case.language, **told)


def _remembered(case: Case, thing: str) -> list[str]:
    """Return what is known of the device in question, or laid down, that names `thing`."""
    state, task = case.task.state, case.task
    texts = [text for name in LISTS for text in state.get(name) or []]
    texts += [*task.ruled_out, *task.constraints]
    texts += [" ".join(filter(None, (row["parameter"], row["value"], row["unit"]))) for row in task.stated]
    texts += [f"{device}: {name}" for device, names in task.nicknames.items() for name in names]
    return [quoted(text) for text in dict.fromkeys(texts) if _names(text, thing)]


def _notes(case: Case, thing: str) -> list[str]:
    """Return the command that forgets each note that names `thing`."""
    if not _is_stored(case):
        return []
    import db  # pandas comes with it: only where there is a conversation to look into

    with closing(db.connect(Path(case.task.database))) as database:
        scopes = [case.task.conversation_id, *filter(None, [case.device])]
        notes = [note for scope in scopes for note in db.list_notes(database, scope=scope)]
    return [
        phrase("forget_note", case.language, id=note.id, text=quoted(note.text))
        for note in notes
        if _names(f"{note.id} {note.text}", thing)
    ]


def _revisions(case: Case) -> list[Revision]:
    if not _is_stored(case):
        return []
    import db
    from instrumentgpt.storage.revisions import list_revisions

    with closing(db.connect(Path(case.task.database))) as database:
        return list_revisions(database, case.task.conversation_id)


def _is_stored(case: Case) -> bool:
    return bool(case.task.conversation_id) and Path(case.task.database).is_file()


def _names(text: str, thing: str) -> bool:
    """Return whether `text` speaks of `thing`, under this or another name."""
    said, asked = terms(text), phrases(thing)
    return bool(telling(terms(thing))) and any(holds(said, one) for one in asked)
