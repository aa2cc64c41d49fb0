"""What people changed in the memory: revisions, what those of one item come to, and the memory as revised.

A revision names its item by the words under which it was first known, whatever it has been called since.
What is extracted stays as it is, revisions are laid over it: undoing one gives back exactly what would be
known without it, and no later extraction revives what was forgotten.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instrumentgpt.memory.facts import Fact, value_in
from instrumentgpt.memory.reading.constraints import Ruling, rulings_in_force
from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.values import StoredFact

LISTS = ("root_causes", "findings", "hypotheses", "downloaded_logs")  # fields of the state that hold items
DEVICE_FIELDS = ("device_name", "device_ip")
SENTENCES = ("constraint", "ruled_out")  # kinds of facts that are sentences
VALUE, MESSAGE, NOTE, NICKNAME, TURN = "value", "message", "note", "nickname", "turn"
CORRECTED = "corrected by the user"  # the mark of a value
UNCLEAR = "unclear"  # a sentence that may lay something down or lift it: a person says what it does


@dataclass(frozen=True)
class Item:
    """What a revision is about.

    field    a field of DiagnosticState, a kind of fact, "message" (an older one), "note", "nickname", "turn"
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
    changed_by: str
    changed_at: float
    undone_by: str
    undone_at: float | None
    turn: int


@dataclass(frozen=True)
class RevisedItem:
    """What the revisions of one item come to.

    text       what stands in place of its words; "" for its own
    words      what it says now; of a forgotten one, what it said
    forms      all it has been called, as `same` folds it
    forgotten  the newest message when it was forgotten or lifted, None if it is not
    lifted     whether it held until then, and is no mistake: a lifted constraint
    """

    text: str = ""
    words: str = ""
    forms: frozenset[str] = frozenset()
    pinned: bool = False
    forgotten: int | None = None
    lifted: bool = False
    after: int = 0
    turn: int = 1
    changed_at: float = 0.0


Standings = Mapping[Item, RevisedItem]


def _form(item: Item, text: str) -> str:
    return value_in(text)[0] if item.field == VALUE else same(text)


def standings_of(revisions: Iterable[Revision]) -> dict[Item, RevisedItem]:
    """Return what the revisions that are not undone come to, oldest first; a deleted turn is no item."""
    standing_of: dict[Item, RevisedItem] = {}
    for revision in revisions:
        if revision.undone_at is None and revision.item.field != TURN:
            before = standing_of.get(
                revision.item, RevisedItem(forms=frozenset({_form(revision.item, revision.item.name)}))
            )
            standing_of[revision.item] = _after(before, revision)
    return standing_of


def _after(before: RevisedItem, revision: Revision) -> RevisedItem:
    """Return what an item comes to with one more revision; what a person adds is worded by him."""
    item, old, new = revision.item, revision.old, revision.new
    now = replace(before, turn=revision.turn, changed_at=revision.changed_at)
    match revision.action:
        case "unpin":
            return replace(before, pinned=False)
        case "restore":
            return replace(before, forgotten=None, pinned=before.pinned or item.field == MESSAGE)
        case "pin" | "name":
            return replace(before, pinned=True, words=old, forgotten=None, turn=revision.turn)
        case "forget" | "lift":
            now = replace(now, pinned=False, words=old, forms=before.forms | {_form(item, old)})
            return replace(now, forgotten=revision.after, lifted=revision.action == "lift")
    forms = before.forms | {_form(item, old), _form(item, new)}
    return replace(now, text=new, words=new, forms=forms, forgotten=None, after=revision.after)


WORDED = ("edit", "correct", "lay_down", "confirm", "rule_out")  # those that need new words
ACTIONS = (*WORDED, "pin", "unpin", "forget", "lift", "name", "restore")


def item_of(standings: Standings, device: str, field: str, text: str) -> Item:
    """Return the item that `text` is: one that has been revised under any of its wordings, or a new one."""
    folded = same(text)
    for item, standing in standings.items():
        if item.field == field and is_of(item, device) and folded in standing.forms:
            return item
    return Item(device, field, text)


def is_of(item: Item, device: str) -> bool:
    """Return whether the item is one of `device`; constraints, and what was said before any, are of all."""
    return item.field == "constraint" or item.device in ("", device)


@dataclass(frozen=True)
class RevisedMemory:
    """What is known with all revisions applied; `pinned` are (field, text) of the state's pinned items."""

    state: DiagnosticState
    facts: tuple[StoredFact, ...] = ()
    pinned: tuple[tuple[str, str], ...] = ()
    standings: Standings = field(default_factory=dict)


def apply_revisions(
    state: DiagnosticState, facts: Sequence[StoredFact], standings: Standings, restated: Collection[Item] = ()
) -> RevisedMemory:
    """Return `state` and `facts` as `standings` revise them; neither is changed.

    restated  forgotten items of the state that the user has stated anew since
    """
    if not standings:
        return RevisedMemory(state, _in_force(facts, standings))
    device = device_key(state)
    revised_facts = _revised_facts(facts, standings)
    ruled_out = [row for row in revised_facts if row.kind == "ruled_out"]
    revised, pinned = _revised_state(state, standings, restated, ruled_out)
    name = device_key(revised)
    if name and name != device:
        revised_facts = [
            replace(row, fact=replace(row.fact, device=name)) if row.fact.device == device else row
            for row in revised_facts
        ]
    return RevisedMemory(revised, _in_force(revised_facts, standings), pinned, standings)


def _in_force(facts: Sequence[StoredFact], standings: Standings) -> tuple[StoredFact, ...]:
    """Return the rows but the constraints that a later word lifted or replaced, and what lifted them.

    Those in force have beside them the newest sentence that may lift or replace them, until it is answered.
    """
    constraints = sorted(
        (row for row in facts if row.kind in ("constraint", "lift")), key=lambda row: row.message_id
    )
    rulings = [
        Ruling("lift" if row.kind == "lift" else "constraint", row.sentence, row.fact.device)
        for row in constraints
    ]
    lifted = {id(row) for row in constraints} - {id(constraints[at]) for at in rulings_in_force(rulings)}
    answered = {
        form
        for item, standing in standings.items()
        if item.field in (UNCLEAR, "constraint")
        for form in standing.forms
    }
    unclear: dict[str, StoredFact] = {}  # by the first words of the constraint
    for row in facts:
        if row.kind == UNCLEAR:
            unclear.pop(row.fact.value, None)
            if same(row.sentence) not in answered:
                unclear[row.fact.value] = row
    return tuple(
        _with_unclear(row, unclear, standings) if row.kind == "constraint" and unclear else row
        for row in facts
        if id(row) not in lifted or row.pinned
    )


def _with_unclear(row: StoredFact, unclear: Mapping[str, StoredFact], standings: Standings) -> StoredFact:
    item = item_of(standings, row.fact.device, row.kind, row.sentence)
    later = unclear.get(item.name)
    since = max(row.message_id, standings.get(item, RevisedItem()).after)
    return replace(row, against=later) if later and later.message_id > since else row


def _revised_state(
    state: DiagnosticState, standings: Standings, restated: Collection[Item], ruled_out: Sequence[StoredFact]
) -> tuple[DiagnosticState, tuple[tuple[str, str], ...]]:
    device, revised = device_key(state), state.copy()
    pinned: list[tuple[str, str]] = []
    out = _added(standings, device, "ruled_out")
    for name in LISTS:
        items = _revised_list(getattr(state, name), standings, restated, device, name)
        gone = out | _added(standings, device, "root_causes") if name == "hypotheses" else out
        if name in ("findings", "hypotheses"):
            items = [(text, item) for text, item in items if same(text) not in gone]
        if name == "hypotheses":
            items = _still_open(items, standings, ruled_out, revised.root_causes)
        setattr(revised, name, [text for text, _ in items])
        pinned += [(name, text) for text, item in items if item in standings and standings[item].pinned]
    for name in DEVICE_FIELDS:
        standing = standings.get(Item(device, name, name))
        if standing and (standing.text or standing.forgotten is not None):
            setattr(revised, name, standing.text if standing.forgotten is None else None)
    if revised.last_log_file not in revised.downloaded_logs and state.last_log_file in state.downloaded_logs:
        revised.last_log_file = revised.downloaded_logs[-1] if revised.downloaded_logs else None
    if revised.status == "resolved" and state.root_causes and not revised.root_causes:
        revised.status = "investigating"
    return revised, tuple(pinned)


def _added(standings: Standings, device: str, field: str) -> set[str]:
    """Return what people confirmed or ruled out of the device, as `same` folds it."""
    return {
        same(standing.text)
        for item, standing in standings.items()
        if item.field == field and standing.text and standing.forgotten is None and is_of(item, device)
    }


def _revised_list(
    texts: Sequence[str], standings: Standings, restated: Collection[Item], device: str, field: str
) -> list[tuple[str, Item]]:
    """Return (text, item): reworded, each once, without the forgotten; first what only people still hold."""
    items = [item_of(standings, device, field, text) for text in texts]
    kept: dict[Item, str] = {}
    for item, text in zip(items, texts, strict=True):
        standing = standings.get(item)
        if standing and standing.forgotten is not None and item not in restated:
            continue
        kept.setdefault(item, standing.text if standing and standing.text else text)
    lost = [
        (standing.words, item)
        for item, standing in standings.items()
        if item.field == field and item not in kept and is_of(item, device)
        if standing.forgotten is None and (standing.pinned or standing.text)
    ]
    return lost + [(text, item) for item, text in kept.items()]


def _still_open(
    items: Sequence[tuple[str, Item]],
    standings: Standings,
    ruled_out: Sequence[StoredFact],
    causes: Sequence[str],
) -> list[tuple[str, Item]]:
    """Return the hypotheses without reworded ones that were ruled out, or became a root cause, since then."""
    known_causes = set(map(same, causes))
    still_open = []
    for text, item in items:
        folded, standing = same(text), standings.get(item, RevisedItem())
        later = (same(row.sentence) for row in ruled_out if row.message_id > standing.after)
        is_out = folded in known_causes or any(folded in other or other in folded for other in later)
        if standing.pinned or not standing.text or not is_out:
            still_open.append((text, item))
    return still_open


def _revised_facts(facts: Sequence[StoredFact], standings: Standings) -> list[StoredFact]:
    """Return the rows as revised; in order, but that a quantity's rows stay together."""
    rows: dict[Item, list[StoredFact]] = {}
    revised = [row for row in facts if row.kind == UNCLEAR]
    for row in (row for row in facts if row.kind != UNCLEAR):
        if row.kind == VALUE:
            item = Item(row.fact.device, VALUE, row.fact.parameter, row.fact.channel)
        else:
            item = item_of(standings, row.fact.device, row.kind, row.sentence)
        rows.setdefault(item, []).append(row)
    for item, standing in standings.items():
        if (standing.pinned or standing.text) and item.field in (VALUE, *SENTENCES):
            rows.setdefault(item, [])
    for item, of_item in rows.items():
        of_kind = _value if item.field == VALUE else _sentence
        revised += of_kind(item, of_item, standings.get(item, RevisedItem()))
    return revised


def _sentence(item: Item, rows: Sequence[StoredFact], standing: RevisedItem) -> list[StoredFact]:
    text = standing.text or standing.words
    blank = StoredFact(item.field, Fact(item.device, "", "", ""), "user", standing.turn, text, standing.after)
    if standing.forgotten is not None:
        again = [row for row in rows if row.source == "user" and row.message_id > standing.forgotten]
        if not standing.lifted:
            return again
        # the constraint as it was until it was lifted, and its lifting: it has replaced what it has
        until = [row for row in rows or [blank] if row.message_id <= standing.forgotten]
        before = [replace(row, sentence=standing.words) for row in until]
        lifts = [replace(row, kind="lift", message_id=standing.forgotten) for row in before[-1:]]
        return [*before, *lifts, *again]
    if not standing.pinned and not standing.text:
        return list(rows)
    row = replace(rows[0] if rows else blank, sentence=text, pinned=standing.pinned)
    return [replace(row, source="user", turn=standing.turn) if standing.text else row]


def _value(item: Item, rows: Sequence[StoredFact], standing: RevisedItem) -> list[StoredFact]:
    """Return the values of one quantity, the one in force last, a corrected one where it was corrected.

    What the user says later supersedes that, and so does another value that a tool reads or an agent records
    later. Nothing does while it is pinned: that is told beside it.
    """
    if standing.forgotten is not None:
        return _told_anew(rows, standing.forgotten, standing.forms)
    if not standing.text:
        return _until_pinned(item, rows, standing) if standing.pinned else list(rows)
    current = _of_user(item, standing, CORRECTED)
    earlier = [row for row in rows if row.message_id <= standing.after]
    later = [row for row in rows if row not in earlier and row.fact.value != current.fact.value]
    anew = _told_anew([*earlier, *later], standing.after, standing.forms)
    if anew and not standing.pinned:
        return [*earlier, current, *anew]
    dissenting = [row for row in later if row.source != "agent" or row in anew]
    return [*earlier, replace(current, against=dissenting[-1] if dissenting else None)]


def _until_pinned(item: Item, rows: Sequence[StoredFact], standing: RevisedItem) -> list[StoredFact]:
    """Return the values up to the pinned one; a newer one is told beside it."""
    value, _ = value_in(standing.words)
    places = [place for place, row in enumerate(rows) if row.fact.value == value]
    if not places:
        return [replace(_of_user(item, standing, "user"), against=rows[-1] if rows else None)]
    first, last = places[0], places[-1]
    later = [row for row in rows[first:] if row.fact.value != value]
    current = replace(rows[last], pinned=True, against=later[-1] if later else None)
    return [*rows[:first], current]


def _of_user(item: Item, standing: RevisedItem, mark: str) -> StoredFact:
    value, unit = value_in(standing.words)
    fact = Fact(item.device, item.channel, item.name, value, unit)
    return StoredFact(VALUE, fact, "user", standing.turn, "", standing.after, standing.pinned, mark)


def _told_anew(rows: Sequence[StoredFact], after: int, forms: Collection[str]) -> list[StoredFact]:
    """Return the rows after message `after`, without withdrawn values that others than the user repeat."""
    withdrawn = {row.fact.value for row in rows if row.message_id <= after} | set(forms)
    later = [row for row in rows if row.message_id > after]
    return [row for row in later if row.source == "user" or row.fact.value not in withdrawn]
