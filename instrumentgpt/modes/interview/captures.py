"""Which slots the words of a message are for: by their signs, and by what was asked. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence

from instrumentgpt.memory.terms import fold
from instrumentgpt.modes.interview.gathered import SLOTS, Gathered
from instrumentgpt.modes.interview.intentions import says_something
from instrumentgpt.modes.interview.pieces import is_question, pieces_of
from instrumentgpt.modes.interview.signs import has, roles_in, slots_of, word

# What is clearly another matter than was asked for, though it was said in reply.
_OTHER_MATTER = {
    "examples": frozenset(("must_have", "success_criteria", "constraints")),
    "who": frozenset(SLOTS),
    "must_have": frozenset(("examples",)),
    "success_criteria": frozenset(("examples",)),
    "edge_cases": frozenset(("must_have", "success_criteria", "constraints")),
}


def slots_in(piece: str) -> tuple[str, ...]:
    """Return the slots that a piece of a message has signs of."""
    slots = slots_of(piece)
    if is_question(piece):
        return tuple(slot for slot in slots if slot == "description" or _is_what_if(piece, slot))
    return (*slots, "who") if roles_in(piece) else slots


def _is_what_if(piece: str, slot: str) -> bool:
    return (
        slot == "edge_cases"
        and re.match(r"\W*(?:(?:and|but|so) )?what|如果|假如|萬一|万一|要是|若", piece, re.I) is not None
    )


def fits(asked: str, named: Collection[str], gathered: Gathered, whole: str) -> bool:
    """Return whether words with signs of the slots `named` can answer what was asked for."""
    if not asked:
        return False
    if asked == "who" and (has("quantity", whole) or has("moment", whole) or re.search(r"\d", whole)):
        return False
    if asked == "who" and named:
        return has("person", whole)
    if set(named) == {"who"} and not says_something(word("role").sub(" ", fold(whole))):
        return asked in ("description", "examples")
    if "description" in named and is_weak(gathered):
        return False
    return not named or not set(named) <= _OTHER_MATTER.get(asked, frozenset())


def is_weak(gathered: Gathered) -> bool:
    """Return whether the description is no more than an answer without any sign of a trouble."""
    return bool(gathered.description) and "description" not in slots_of(gathered.description)


def answers(asked: str, words: str, whole: str) -> list[str]:
    """Return the answer as entries of the slot: of edge cases each line or sentence is one."""
    if asked == "edge_cases":
        return [piece for piece in pieces_of(words) if not is_question(piece)] or [whole]
    return [whole or words]


def joined(captured: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the captures with neighbouring sentences of the description as one text; people as named."""
    found: list[tuple[str, str]] = []
    description = " ".join(text for slot, text in captured if slot == "description")
    for slot, text in captured:
        if slot == "description":
            if description:
                found.append((slot, description))
            description = ""
        elif slot == "who":
            found += [(slot, role) for role in roles_in(text)] or [(slot, text)]
        else:
            found.append((slot, text))
    return found


def together(pieces: Iterable[str]) -> str:
    """Return the pieces as one text: after Chinese stands no blank."""
    text = ""
    for piece in pieces:
        text += f" {piece}" if text and text[-1].isascii() else piece
    return text
