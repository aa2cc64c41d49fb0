"""What is known of devices, dated: the newest value of each quantity, and what it was before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from instrumentgpt.text.facts import Fact, Names, facts_in, is_known, name_of
from instrumentgpt.text.terms import phrases, terms
from instrumentgpt.text.untrusted import without_tags

EARLIER_SHOWN = 2  # superseded values told beside the one in force
ASKED_SHOWN = 8  # values that fit the question
WISHES_SHOWN = 8
RULED_OUT_SHOWN = 6
ERRORS_SHOWN = 4
SAID = {"wish": "laid down", "ruled_out": "ruled out", "error": "logged"}  # as pinned sentences are told


@dataclass(frozen=True)
class Known:
    """A fact as stored: who stated it, in which turn (from 1); `said` is the sentence of a wish, …

    kind    "value", "wish" (what a user laid down), "ruled_out" or "error" (a log line)
    source  "tool", "user" or "agent"
    pinned  stays in every prompt, whatever is said later
    mark    what a person did with it: "corrected by the user"
    against a later value that others state, and that is not in force
    log, line, clock  where and for what time a tool read it; message_id is that of the first reading
    """

    kind: str
    fact: Fact
    source: str
    turn: int
    said: str = ""
    message_id: int = 0
    pinned: bool = False
    mark: str = ""
    against: "Known | None" = None
    log: str = ""
    line: int | None = None
    clock: str = ""


@dataclass
class Value:
    """A quantity: its value in force, and the other ones before it, the newest first."""

    now: Known
    earlier: list[Known] = field(default_factory=list)


def values_in_force(known: Iterable[Known]) -> dict[tuple[str, str, str], Value]:
    """Return the newest value of each key with the other ones before it, the newest first."""
    values: dict[tuple[str, str, str], Value] = {}
    for row in known:
        if row.kind != "value":
            continue
        held = values.pop(row.fact.key, None)
        if held is None:
            values[row.fact.key] = Value(row)
            continue
        others = [old for old in (held.now, *held.earlier) if old.fact.value != row.fact.value]
        values[row.fact.key] = Value(row, others[:EARLIER_SHOWN])
    return values


def still_true(texts: Sequence[str], known: Sequence[Known], device: str, names: Names) -> list[str]:
    """Return the findings that state no value which a later one has superseded."""
    values = values_in_force(known) if texts else {}

    def holds(text: str) -> bool:
        told = _stated(text, device, names)
        return not any(fact.key in values and values[fact.key].now.fact.value != fact.value for fact in told)

    return [text for text in texts if holds(text)]


def keys_in(texts: Sequence[str], device: str, names: Names) -> set[tuple[str, str, str]]:
    """Return what the texts state values of: `still_true` needs to know what has become of those."""
    return {fact.key for text in texts for fact in _stated(text, device, names)}


@lru_cache(maxsize=256)
def _stated(text: str, device: str, names: Names) -> tuple[Fact, ...]:
    return tuple(facts_in(text, device, names))


def render_known(known: Sequence[Known], devices: Sequence[str], question: str) -> list[str]:
    """Return the lines of what is known of `devices`, what `question` asks for first.

    Each device stands under its own name; of other devices only the names are told.
    """
    wanted = {term for phrase in phrases(question) for term in phrase}
    values = [value for value in values_in_force(known).values() if not value.now.pinned]
    asked: list[str] = []
    others: list[str] = []
    for device in devices:
        own = [value for value in values if value.now.fact.device == device]
        own.sort(
            key=lambda value: (
                _fit(value.now.fact, wanted),
                is_known(value.now.fact.parameter),
                value.now.turn,
            )
        )
        fitting = [_told(value) for value in reversed(own) if _fit(value.now.fact, wanted)]
        rest = [_told(value) for value in reversed(own) if not _fit(value.now.fact, wanted)]
        asked += _listed(f"Known values of {device}", fitting[:ASKED_SHOWN])
        others += _listed(f"{'Further' if fitting else 'Known'} values of {device}", rest)
    said = [
        *_listed("Errors logged", _best(known, "error", devices, wanted, ERRORS_SHOWN)),
        *_listed("Ruled out", _best(known, "ruled_out", devices, wanted, RULED_OUT_SHOWN)),
        *_listed("The user laid down", _best(known, "wish", (), wanted, WISHES_SHOWN)),
    ]
    strangers = dict.fromkeys(value.now.fact.device for value in values)
    named = [_line(device) for device in strangers if device and device not in devices]
    last = [f"Other devices of this conversation: {', '.join(named)}"] if named else []
    return [*asked, *said, *others, *last]


def pinned_lines(known: Sequence[Known], devices: Sequence[str]) -> list[str]:
    """Return what is pinned of `devices`, each on its line; what the user laid down is of all."""
    values = [
        _line(f"{_told(value)} — {value.now.fact.device}" if value.now.fact.device else _told(value))
        for value in values_in_force(known).values()
        if value.now.pinned and value.now.fact.device in devices
    ]
    said = [
        _line(f"  - {SAID[row.kind]}: {row.said} (turn {row.turn})")
        for row in known
        if row.kind in SAID and row.pinned and (row.kind == "wish" or row.fact.device in devices)
    ]
    return [*values, *said]


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{_line(title)}:", *lines] if lines else []


def _best(
    known: Sequence[Known], kind: str, devices: Sequence[str], wanted: set[str], limit: int
) -> list[str]:
    """Return the sentences of a kind that fit the question best, of equals the newest; not the pinned."""
    rows = {
        row.said: row
        for row in known
        if row.kind == kind and not row.pinned and (not devices or row.fact.device in devices)
    }
    best = sorted(rows.values(), key=lambda row: (-_share(row.said, wanted), -row.turn))[:limit]
    return [f"  - {_line(row.said)} (turn {row.turn})" for row in sorted(best, key=lambda row: row.turn)]


def _fit(fact: Fact, wanted: set[str]) -> int:
    return sum(term in wanted for term in terms(fact.parameter))


def _share(text: str, wanted: set[str]) -> int:
    return len(wanted & set(terms(text)))


def _told(value: Value) -> str:
    """Return one value and where it is from: `kp: 0.12 (turn 9, user; previously 0.09 in turn 3)`."""
    fact = value.now.fact
    channel = f" (channel {fact.channel})" if fact.channel else ""
    source = "" if value.now.source == "agent" else f", {value.now.mark or value.now.source}"
    before = ", ".join(
        f"{old.fact.value}{_unit(old.fact)} in turn {old.turn}" for old in value.earlier[:EARLIER_SHOWN]
    )
    history = f"; previously {before}" if before else ""
    other = value.now.against
    dissent = f"; turn {other.turn} says {other.fact.value}{_unit(other.fact)}" if other else ""
    origin = f"(turn {value.now.turn}{source}{history}{dissent})"
    return _line(f"  - {name_of(fact.parameter)}{channel}: {fact.value}{_unit(fact)} {origin}")


def _unit(fact: Fact) -> str:
    return fact.unit if fact.unit[:1] in ("%", "％", "°", "℃", "") else f" {fact.unit}"


def _line(text: str) -> str:
    indent = "  " if text.startswith("  - ") else ""
    return indent + without_tags(" ".join(text.split()))
