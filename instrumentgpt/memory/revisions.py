"""What people changed in the memory: revisions, and what those of one item come to.

A revision names its item by the words under which it was first known, whatever it has been called since.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from instrumentgpt.memory.facts import value_in
from instrumentgpt.memory.reading.statements import same

LISTS = ("root_causes", "findings", "hypotheses", "downloaded_logs")  # fields of the state that hold items
DEVICE_FIELDS = ("device_name", "device_ip")
SENTENCES = ("constraint", "ruled_out", "error")  # kinds of Known that are sentences
VALUE, MESSAGE, NOTE, NICKNAME, TURN = "value", "message", "note", "nickname", "turn"


@dataclass(frozen=True)
class Item:
    """What a revision is about.

    field    a field of DiagnosticState, a kind of Known, "message" (an older one), "note", "nickname", "turn"
    name     its words when it was first revised; of a value the parameter, of a message its id, of a turn
             that of its first message
    """

    device: str
    field: str
    name: str
    channel: str = ""


@dataclass(frozen=True)
class Revision:
    """One change by a person; `after` is the newest message then, `turn` its turn (from 1).

    Times in seconds since 1970; `undone_at` is None while the revision counts.
    """

    id: int
    item: Item
    action: str
    old: str
    new: str
    after: int
    turn: int
    changed_by: str
    changed_at: float
    undone_by: str = ""
    undone_at: float | None = None


@dataclass(frozen=True)
class Standing:
    """What the revisions of one item come to.

    text       what stands in place of its words; "" for its own
    said       what it says now; of a forgotten one, what it said
    forms      all it has been called, as `same` folds it
    forgotten  the newest message when it was forgotten or lifted, None if it is not
    lifted     whether it held until then, and is no mistake: a lifted constraint
    """

    text: str = ""
    said: str = ""
    forms: frozenset[str] = frozenset()
    pinned: bool = False
    forgotten: int | None = None
    lifted: bool = False
    after: int = 0
    turn: int = 1
    changed_at: float = 0.0


Standings = Mapping[Item, Standing]


def _form(item: Item, text: str) -> str:
    return value_in(text)[0] if item.field == VALUE else same(text)


def standings(revisions: Iterable[Revision]) -> dict[Item, Standing]:
    """Return what the revisions that are not undone come to, oldest first; a deleted turn is no item."""
    found: dict[Item, Standing] = {}
    for revision in revisions:
        if revision.undone_at is None and revision.item.field != TURN:
            before = found.get(
                revision.item, Standing(forms=frozenset({_form(revision.item, revision.item.name)}))
            )
            found[revision.item] = _STEPS[revision.action](before, revision)
    return found


def _reworded(before: Standing, revision: Revision) -> Standing:
    return replace(
        before,
        text=revision.new,
        said=revision.new,
        forms=before.forms | {_form(revision.item, revision.old), _form(revision.item, revision.new)},
        forgotten=None,
        after=revision.after,
        turn=revision.turn,
        changed_at=revision.changed_at,
    )


def _pinned(before: Standing, revision: Revision) -> Standing:
    return replace(before, pinned=True, said=revision.old, forgotten=None, turn=revision.turn)


def _forgotten(before: Standing, revision: Revision) -> Standing:
    return replace(
        before,
        pinned=False,
        said=revision.old,
        forms=before.forms | {_form(revision.item, revision.old)},
        forgotten=revision.after,
        lifted=revision.action == "lift",
        turn=revision.turn,
        changed_at=revision.changed_at,
    )


_STEPS: Mapping[str, Callable[[Standing, Revision], Standing]] = {
    "edit": _reworded,
    "correct": _reworded,
    "pin": _pinned,
    "unpin": lambda before, _: replace(before, pinned=False),
    "forget": _forgotten,
    "lift": _forgotten,
    "lay_down": _reworded,  # what a person adds is worded by him from the start
    "confirm": _reworded,
    "rule_out": _reworded,
    "name": _pinned,
    "restore": lambda before, revision: replace(
        before, forgotten=None, pinned=before.pinned or revision.item.field == MESSAGE
    ),
}
ACTIONS = tuple(_STEPS)
WORDED = tuple(action for action, step in _STEPS.items() if step is _reworded)  # those that need new words


def item_of(found: Standings, device: str, field: str, text: str) -> Item:
    """Return the item that `text` is: one that has been revised under any of its wordings, or a new one."""
    folded = same(text)
    for item, standing in found.items():
        if item.field == field and is_of(item, device) and folded in standing.forms:
            return item
    return Item(device, field, text)


def is_of(item: Item, device: str) -> bool:
    """Return whether the item is one of `device`; constraints, and what was said before any, are of all."""
    return item.field == "constraint" or item.device in ("", device)
