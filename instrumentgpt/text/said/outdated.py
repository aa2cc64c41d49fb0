"""What later words have made of earlier ones: a value superseded, a suspicion ruled out.

Only what was said later, of the same device and of the same thing, counts; where the words do not say for
certain that the new value takes the place of the old, both are told apart as that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from instrumentgpt.text.said.numbers import BRIEF_CHARS, Numbers, Spoken
from instrumentgpt.text.said.part import LAST, Said, of_one_device
from instrumentgpt.text.said.quantified import (
    ENOUGH,
    Kind,
    Quantified,
    subjects_of,
    units_fit,
)
from instrumentgpt.text.said.refuted import DENYING, is_claim, ruled_out
from instrumentgpt.text.terms import telling, terms

CHANGED_MOST = 10  # times: a number that differs more is hardly another value of the same thing
RARE = 0.06  # of the parts at hand: words in more of them are of the subject, and name no suspicion


@dataclass(frozen=True)
class Later:
    """Parts of messages, made ready to be asked what they make of earlier ones.

    numbers  theirs
    out      those that may deny something
    """

    said: Sequence[Said] = ()
    numbers: Numbers = field(default_factory=Numbers)
    out: Sequence[Said] = ()

    @cached_property
    def common(self) -> frozenset[str]:
        """The terms that are in too many parts to tell anything."""
        held = Counter(chain.from_iterable(one.terms for one in self.said))
        most = max(3, int(RARE * len(self.said)))
        return frozenset(term for term, count in held.items() if count > most)


WEAK = frozenset(
    terms(
        "make set go went put try take use now then just changed to ok okay yes no please"
        " 改 改成 改為 換成 設 設成 先 就 好 調 現在 那"
    )
)
NOTHING_LATER = Later()


def later_of(said: Sequence[Said]) -> Later:
    """Return the parts made ready."""
    return Later(said, Numbers(said), [one for one in said if not one.cues.isdisjoint(DENYING)])


@dataclass(frozen=True)
class Note:
    """What has become of a number, and the turn that says so (0: its own sentence does)."""

    told: str
    turn: int = 0


def since(one: Said, later: Later) -> str:
    """Return what has become of the part, in brackets; "" if nothing has."""
    return _told(one, superseded(one, later).values(), later)


def since_all(parts: Sequence[Said], later: Later) -> list[str]:
    """Return what has become of each part; what is known of a number in one part holds for those before."""
    notes = [superseded(one, later) for one in parts]
    known = {
        (device, number): note
        for one, own in sorted(zip(parts, notes, strict=True), key=lambda pair: pair[0].place)
        for number, note in own.items()
        for device in one.devices
        if note.turn
    }
    return [
        _told(one, [*own.values(), *_spread(one, own, known)], later)
        for one, own in zip(parts, notes, strict=True)
    ]


def _told(one: Said, notes: Iterable[Note], later: Later) -> str:
    told = [note.told for note in notes]
    if later.out and is_claim(one):
        told += ruled_out(one, (other for other in later.out if _is_after(other, one)), later.common)
    return f" [{'; '.join(dict.fromkeys(told))}]" if told else ""


def _spread(one: Said, own: Mapping[str, Note], known: Mapping[tuple[str, str], Note]) -> Iterator[Note]:
    if not known:
        return
    for value in one.numbers:
        for device in one.devices:
            note = known.get((device, value.number))
            if note and value.number not in own and len(value.number) > 1 and one.turn < note.turn:
                yield note


def _is_after(other: Said, one: Said) -> bool:
    if other.place <= one.place or (one.channel and other.channel and one.channel != other.channel):
        return False
    return of_one_device(one, other) or _of_one_calendar(one, other)


def _of_one_calendar(one: Said, other: Said) -> bool:
    """Return whether both tell dates and one names no device: an audit is moved for all of them."""
    if "implied" not in one.cues | other.cues:
        return False
    return all(any(value.unit == "date" for value in told.numbers) for told in (one, other))


def superseded(one: Said, later: Later) -> dict[str, Note]:
    """Return number → what has become of it."""
    if "log" in one.cues:
        return {}  # an event stays what it was
    own = one.numbers
    found: dict[str, Note] = {}
    for value, kind in zip(own, one.kinds, strict=True):
        note = None
        if value.is_old and any(not other.is_old and units_fit(value, other) for other in own):
            note = Note(f"{value.number}: previous value")
        elif not value.is_old:
            note = _last_word(value, one, _bearing(value, kind, one, later.numbers))
        if note:
            found[value.number] = note
    return found


def _bearing(value: Quantified, kind: Kind, one: Said, later: Numbers) -> list[tuple[Spoken, float]]:
    """Return what was said after the part that can decide what has become of its value, in order."""

    def counts(other: Said) -> bool:
        return _is_after(other, one) and _of_one_row(one, other)

    def replaces(spoken: Spoken, alike: float) -> bool:
        return _replaces(value, one, spoken, alike)

    like = later.alike(value, kind, one.place, counts, replaces)
    found = {spoken.at: (spoken, alike) for spoken, alike in like}
    for spoken in later.brief_in(one.turn, one.turn + 1):
        alike = _answered(value, one, spoken, later)
        if alike and spoken.at not in found and counts(spoken.said):
            found[spoken.at] = spoken, alike
    return [found[at] for at in sorted(found)]


def _last_word(value: Quantified, one: Said, after: Sequence[tuple[Spoken, float]]) -> Note | None:
    """Return what has become of the value by what was said `after` it; None if nothing has."""
    note, best = None, 0.0
    for spoken, alike in after:
        held, other = spoken.number, spoken.said
        same = held.amount == value.amount
        if held.is_old and same:
            note, best = Note(f"{value.number}: superseded in turn {other.turn}", other.turn), 2.0
        elif held.is_old or _is_beside(one, spoken):
            continue
        elif same:
            note, best = None, 0.0  # it is said again
        elif alike >= best and _replaces(value, one, spoken, alike):
            told = f"{value.number}: may be stale, turn {other.turn} says {held.number}"
            note, best = Note(told, other.turn), alike
    return note


def _replaces(value: Quantified, one: Said, spoken: Spoken, alike: float) -> bool:
    """Return whether another number, said later, can be the value's newer one."""
    if spoken.number.is_old or _is_beside(one, spoken):
        return False
    return alike == 1.0 or _near(value, spoken.number, CHANGED_MOST)


def _is_beside(one: Said, spoken: Spoken) -> bool:
    """Return whether a number only stands in the same message: it is no newer value.

    A user's brief sentence that names nothing is about what stands before it: "260 is sluggish. No, 245."
    """
    other = spoken.said
    if other.message_id != one.message_id or other.id == LAST:
        return False
    is_of_it = other.role == "user" and len(other.text) <= BRIEF_CHARS and not spoken.number.label - WEAK
    return not (is_of_it and other.id == one.id + 1)


def _answered(value: Quantified, one: Said, spoken: Spoken, later: Numbers) -> float:
    """Return how much speaks for a brief sentence soon after to give another value: "make it 205", 「先 40」.

    What stands beside its number must not be the name of any other's.
    """
    held, other = spoken.number, spoken.said
    if not units_fit(value, held) or not _near(value, held, 2):
        return 0.0
    if other.role != "user" and not (_is_alone(value, one) and _is_alone(held, other)):
        return 0.0
    label = held.label - subjects_of(one.text) - WEAK
    return 0.0 if any(later.names(term, other.turn) for term in label) else ENOUGH


def _is_alone(value: Quantified, one: Said) -> bool:
    """Return whether a sentence in words tells no other number that may be of the same thing."""
    return one.cues.isdisjoint({"row", "code", "log"}) and not any(
        other is not value and units_fit(other, value) and not other.is_old for other in one.numbers
    )


def _near(one: Quantified, other: Quantified, times: float) -> bool:
    """Return whether neither is more than so many times the other; dates are always near one another."""
    if one.unit == "date":
        return True
    first, second = one.size, other.size
    if first is None or second is None:
        return False
    if not first * second:
        return True
    return first * second > 0 and 1 / times <= first / second <= times


def _of_one_row(one: Said, other: Said) -> bool:
    """Return whether rows of tables, if they are any, can be of one thing: what heads a row is in both."""
    for row, words in ((one, other), (other, one)):
        if "row" in row.cues and " — " in row.text:
            head = telling(terms(row.text.partition(" — ")[0]))
            if head and not any(term in words.terms for term in head):
                return False
    return True
