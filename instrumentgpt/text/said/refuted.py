"""Suspicions, and what takes them back."""

from collections.abc import Collection, Iterable, Iterator

from instrumentgpt.text.said.part import Said
from instrumentgpt.text.terms import telling, terms
from instrumentgpt.text.wanted import surfaces

RULED_OUT = "ruled out"
DENYING = frozenset({"out", "denial"})  # cues of what may take back a suspicion
SOON = 2  # turns within which one word is enough to know what is dismissed
OF_DIAGNOSES = frozenset(  # what any suspicion is called, whatever it is of
    terms(
        "root cause reason culprit fault problem issue suspect suspicion idea theory hypothesis guess"
        " explanation 原因 根因 真因 主因 元兇 禍首 問題 懷疑 嫌疑 假設 說法 猜測 排除"
    )
)


def is_claim(one: Said) -> bool:
    """Return whether the part may suppose something: by its words, or as a list's item without numbers."""
    return not one.cues.isdisjoint({"guess", "cause"}) or ("item" in one.cues and not one.numbers)


def ruled_out(one: Said, after: Iterable[Said], common: Collection[str]) -> Iterator[str]:
    """Yield what is said of a suspicion, once one of the parts `after` it takes it back.

    common  terms that are in too many parts to tell anything
    """
    plain = not one.numbers
    for other in after:
        if "verdict" in one.cues and other.message_id == one.message_id:
            continue  # who names the cause rules out the others
        shared = contradicted(one, other, common) if plain or "out" in other.cues else []
        if shared:
            how = RULED_OUT if "out" in other.cues else "perhaps refuted"
            yield f"{surfaces(one.text, shared)}: {how} in turn {other.turn}"
            return


def contradicted(one: Said, other: Said, common: Collection[str]) -> list[str]:
    """Return the telling terms of a suspicion that `other` takes up to deny it; none if it does not."""
    if other.cues.isdisjoint(DENYING) or other.place <= one.place:
        return []
    both = (one.terms & other.terms) - OF_DIAGNOSES
    shared = [term for term in telling(both) if not term[0].isdigit() and len(term) > 1]
    rare = [term for term in shared if term not in common]
    near = other.turn - one.turn <= SOON and any(len(term) > 4 or not term.isascii() for term in shared)
    strong = "out" in other.cues and (len(shared) > 1 or near)
    return shared if strong or (rare and (len(shared) > 1 or len(rare[0]) > 4)) else []
