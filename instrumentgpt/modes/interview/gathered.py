"""What an interview has gathered, what is still missing, and the phase that follows from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from instrumentgpt.memory.summary import shorten

DESCRIPTION_CHARS = 200  # seed 000
ENTRY_CHARS = 150  # seed 000, of everything else

PHASES = ("problem_discovery", "user_analysis", "requirements", "edge_cases", "wrap_up")  # seed 000
NEEDED = {  # what a phase needs before the next begins: seed 000
    "problem_discovery": {"description": 1, "examples": 1},
    "user_analysis": {"who": 1},
    "requirements": {"must_have": 1, "success_criteria": 1},
    "edge_cases": {"edge_cases": 2},
}
GAPS = {  # what is missing → how seed 000 says it
    "description": "Problem description not clear",
    "examples": "No concrete examples of the problem",
    "who": "Users not identified",
    "must_have": "Core requirements not defined",
    "success_criteria": "Success criteria not established",
    "edge_cases": "Edge cases need more exploration",
}
MORE = {  # what a phase may ask for beyond its gaps, when somebody chooses the phase
    "problem_discovery": ("impact", "examples"),
    "user_analysis": ("context", "workflow", "who"),
    "requirements": ("constraints", "must_have"),
    "edge_cases": ("edge_cases",),
}


@dataclass(frozen=True)
class Gathered:
    """What the user has said, by what it is about: a text, or texts in order; "" and () are not known yet."""

    description: str = ""
    examples: tuple[str, ...] = ()
    impact: str = ""
    who: tuple[str, ...] = ()
    context: str = ""
    workflow: str = ""
    must_have: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    edge_cases: tuple[str, ...] = ()

    def texts(self, slot: str) -> tuple[str, ...]:
        """Return what stands in `slot`, as texts."""
        held = getattr(self, slot)
        return held if isinstance(held, tuple) else (held,) if held else ()

    def filled(self) -> dict[str, tuple[str, ...]]:
        """Return slot → texts of all that is known, in the order of a statement."""
        return {slot: self.texts(slot) for slot in SLOTS if self.texts(slot)}


SLOTS = tuple(Gathered.__dataclass_fields__)


def with_entry(gathered: Gathered, slot: str, text: str) -> Gathered:
    """Return what is gathered with `text` in `slot`, shortened; of a single text the first one stays.

    >>> with_entry(Gathered(who=("operators",)), "who", " Operators ").who
    ('operators',)
    """
    told = cut(slot, text)
    held = getattr(gathered, slot)
    if not told or (held and not isinstance(held, tuple)):
        return gathered
    if not isinstance(held, tuple):
        return _with(gathered, slot, told)
    if told.casefold() in (one.casefold() for one in held):
        return gathered
    return _with(gathered, slot, (*held, told))


def with_only(gathered: Gathered, slot: str, texts: Collection[str]) -> Gathered:
    """Return what is gathered with `texts`, and nothing else, in `slot`."""
    kept = tuple(dict.fromkeys(told for text in texts if (told := cut(slot, text))))
    several = isinstance(getattr(gathered, slot), tuple)
    return _with(gathered, slot, kept if several else next(iter(kept), ""))


def cut(slot: str, text: str) -> str:
    """Return `text` on one line, as long as `slot` holds."""
    return shorten(
        " ".join(text.split()).strip(",，;；、 "), DESCRIPTION_CHARS if slot == "description" else ENTRY_CHARS
    )


def _with(gathered: Gathered, slot: str, held: str | tuple[str, ...]) -> Gathered:
    return replace(gathered, **{slot: held})  # type: ignore[arg-type]  # one name of ten


def phase_of(gathered: Gathered, closed: Collection[str] = ()) -> str:
    """Return the phase, from content only; what is `closed` (skipped, not known) is not waited for.

    >>> phase_of(Gathered("it drifts", ("52 instead of 50",), who=("operators",)))
    'requirements'
    """
    missing = open_gaps(gathered, closed)
    return next((phase for phase in PHASES[:-1] if any(gap in NEEDED[phase] for gap in missing)), PHASES[-1])


def open_gaps(gathered: Gathered, closed: Collection[str] = ()) -> list[str]:
    """Return the names of what is missing and not `closed`, in the order of the phases.

    >>> open_gaps(Gathered("it drifts"), closed=["who"])
    ['examples', 'must_have', 'success_criteria', 'edge_cases']
    """
    needed = {gap: count for phase in NEEDED.values() for gap, count in phase.items()}
    return [gap for gap, count in needed.items() if len(gathered.texts(gap)) < count and gap not in closed]


def gathered_info(gathered: Gathered, phase: str, gaps: Collection[str]) -> dict[str, Any]:
    """Return the structure of seed 000, JSON-ready.

    >>> gathered_info(Gathered(), "problem_discovery", ["who"])["gaps"]
    ['Users not identified']
    """
    held: Mapping[str, Any] = {
        slot: list(value) if isinstance(value := getattr(gathered, slot), tuple) else value for slot in SLOTS
    }
    return {
        "phase": phase,
        "problem": {name: held[name] for name in ("description", "examples", "impact")},
        "users": {name: held[name] for name in ("who", "context", "workflow")},
        "requirements": {name: held[name] for name in ("must_have", "success_criteria", "constraints")},
        "edge_cases": held["edge_cases"],
        "gaps": [GAPS[gap] for gap in gaps],
    }
