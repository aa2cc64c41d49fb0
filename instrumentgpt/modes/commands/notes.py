"""The handlers that keep, find and forget notes, and those that leave one: defer and reject."""

from itertools import count

import db
from instrumentgpt.agents.events import Text
from instrumentgpt.agents.offline.phrases import plain_text, quoted
from instrumentgpt.memory.revisions import NOTE
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import phrases
from instrumentgpt.modes.commands.bench import Bench, CannotDo, Doing
from instrumentgpt.modes.commands.flow import MOST_ROUNDS
from instrumentgpt.modes.commands.grammar import TYPES, is_command
from instrumentgpt.storage.notes import EVERYWHERE, found_in, holds, notes_of
from instrumentgpt.storage.revisions import forget_note, list_revisions
from instrumentgpt.turn.prompt import names_of
from instrumentgpt.turn.turn import Turn

MOST_NOTES = 8  # shown of one search
MOST_TURNS = 5
NOTE_CHARACTERS = 400  # shown of a note, and of a piece of an earlier message
DEFERRED, REJECTED = "deferred", "rejected"


def memorize(bench: Bench, id: str, kind: str, scope: str, text: str) -> Doing:
    """Keep a note; one of the same name and scope is replaced."""
    yield from ()
    where = _scope(bench, scope)
    known = {note.id for note in db.list_notes(bench.turn.database, scope=where)}
    db.save_note(bench.turn.database, id, text, kind, where)
    told = {"id": quoted(id), "kind": bench.say(kind), "scope": _scope_name(bench, where)}
    return bench.say("memorized_anew" if id in known else "memorized", **told, text=_line(text))


def recall(bench: Bench, query: str) -> Doing:
    """Return what notes and earlier messages say that bears on `query`, or that its note was forgotten."""
    yield from ()
    notes = [_note(bench, note) for note in _found(bench, query)[:MOST_NOTES]]
    turns = [f"- {said}" for said in _said(bench, query, MOST_TURNS)]
    paragraphs = [
        *(["\n".join([bench.say("recalled_notes", query=quoted(query)), "", *notes])] if notes else []),
        *(["\n".join([bench.say("recalled_turns"), "", *turns])] if turns else []),
        *_forgotten(bench, query),
    ]
    return "\n\n".join(paragraphs) or bench.say("nothing_recalled", query=quoted(query))


def forget(bench: Bench, id: str, reason: str) -> Doing:
    """Remove a note, of the narrowest scope that has one of this name; the reason stays on record."""
    yield from ()
    here = _notes(bench)
    note = next((one for one in here if one.id == id), None)
    if note is None:
        names = ", ".join(dict.fromkeys(quoted(one.id) for one in here[:MOST_NOTES]))
        known = bench.say("notes_are", names=names) if names else bench.say("no_notes")
        raise CannotDo(bench.say("no_note", id=quoted(id), known=known))
    forget_note(bench.turn.database, bench.turn.run.conversation_id, note, reason=reason)
    told = {"id": quoted(id), "scope": _scope_name(bench, note.scope)}
    return bench.say("forgotten", **told, reason=_line(reason))


def ponder(bench: Bench, questions: list[str]) -> Doing:
    """Return for each question what notes and earlier messages say of it, and how many have something."""
    yield from ()
    told, answered = [], 0
    for question in questions:
        known = [_note(bench, note) for note in _found(bench, question)[:2]]
        known += [f"- {said}" for said in _said(bench, question, 2)]
        answered += bool(known)
        lines = "\n\n" + "\n".join(known) if known else bench.say("not_known")
        told.append(bench.say("pondered", question=plain_text(question), known=lines))
    told.append(bench.say("conclusion", count=answered, all=len(questions)))
    return "\n\n".join(told)


def defer(bench: Bench, reason: str) -> Doing:
    """Say that a person is needed, and leave a note for that person in the conversation's memory."""
    why = reason or bench.say("endless", rounds=MOST_ROUNDS)
    yield Text(bench.say("deferred", reason=_line(why), id=quoted(_left(bench, DEFERRED, why))), whole=True)
    return ""


def reject(bench: Bench, reason: str) -> Doing:
    """Say what is rejected, and note it, so that agents know."""
    yield Text(bench.say("rejected", reason=_line(reason), id=quoted(_left(bench, REJECTED, reason))))
    return ""


def _left(bench: Bench, kind: str, text: str) -> str:
    """Leave a note of `kind` in the conversation and return its name, which no other has."""
    where = bench.turn.run.conversation_id
    taken = {note.id for note in db.list_notes(bench.turn.database, scope=where)}
    name = next(name for number in count(1) if (name := f"{kind}-{number}") not in taken)
    db.save_note(bench.turn.database, name, text, kind, where)
    return name


def _scope(bench: Bench, scope: str) -> str:
    if scope == "global":
        return EVERYWHERE
    if scope == "conversation":
        return bench.turn.run.conversation_id
    if bench.device is None:
        raise CannotDo(bench.say("no_device"))
    return bench.device.name


def _scope_name(bench: Bench, scope: str) -> str:
    if scope == EVERYWHERE:
        return bench.say("global")
    return bench.say("conversation") if scope == bench.turn.run.conversation_id else plain_text(scope)


def _notes(bench: Bench) -> list[db.Note]:
    """Return all notes but those of other conversations: first what is nearest to this one."""
    near = [bench.device.name] if bench.device else []
    every = dict.fromkeys([*near, *(device.name for device in bench.turn.inventory.devices)])
    return notes_of(bench.turn.database, bench.turn.run.conversation_id, every)


def _found(bench: Bench, query: str) -> list[db.Note]:
    return found_in(_notes(bench), query, names_of(bench.turn.inventory))


def _note(bench: Bench, note: db.Note) -> str:
    kind = (
        bench.say(note.kind if note.kind in TYPES else f"{note.kind}_note") if _is_ours(note) else note.kind
    )
    return f"- {quoted(note.id)} ({plain_text(kind)}, {_scope_name(bench, note.scope)}): {_line(note.text)}"


def _is_ours(note: db.Note) -> bool:
    return note.kind in (*TYPES, DEFERRED, REJECTED)


def _said(bench: Bench, query: str, most: int) -> list[str]:
    """Return what earlier messages say that bears on `query`, the best first; commands are left out."""
    turn = bench.turn
    names = names_of(turn.inventory)
    found = db.recall(turn.database, turn.run.conversation_id, query, names, turn.question.id)
    asked = phrases(query, names)
    told: list[str] = []
    for piece in found:
        is_hit = holds(" ".join(piece.lines), asked) > 0  # and not what stands beside one
        if len(told) < most and is_hit and not _is_of_command(turn, piece.message_id):
            speaker = bench.say("User" if piece.role == "user" else "Assistant")
            where = bench.say("turn", turn=piece.turn, speaker=speaker)
            told.append(f"{where}: {_line(' '.join(piece.lines))}")
    return told


def _is_of_command(turn: Turn, message_id: int) -> bool:
    """Return whether the message is a command, or what was answered to one."""
    pair = db.list_messages(turn.database, turn.run.conversation_id, before=message_id + 1, last=2)
    asked = [message for message in pair if message.role == "user"]
    return bool(asked) and is_command(asked[-1].content)


def _forgotten(bench: Bench, query: str) -> list[str]:
    """Return that a note of the name `query` was forgotten, when and why; the latest time."""
    every = list_revisions(bench.turn.database, bench.turn.run.conversation_id)
    gone = [
        one for one in every if one.item.field == NOTE and one.item.name == query and one.undone_at is None
    ]
    if not gone or any(note.id == query for note in _notes(bench)):
        return []
    told = {"id": quoted(query), "turn": gone[-1].turn}
    return [bench.say("was_forgotten", **told, reason=_line(gone[-1].new))]


def _line(text: str) -> str:
    return plain_text(shorten(" ".join(text.split()), NOTE_CHARACTERS))
