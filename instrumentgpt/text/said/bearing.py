"""Which parts of earlier messages bear on a question, and how they stand in <diagnostic_context>.

Beside the words of the question counts what kind of thing it asks for: why, when, which file, which number.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from instrumentgpt.text.said.cues import cues_in, patterns_of, plain
from instrumentgpt.text.said.outdated import Later, since_all
from instrumentgpt.text.said.part import Evidence, Said, line_of, of_one_device
from instrumentgpt.text.said.quantified import quantities_in
from instrumentgpt.text.said.refuted import RULED_OUT, contradicted, is_claim
from instrumentgpt.text.untrusted import without_tags

SCORE_SHARE = 0.35  # of the message's own score
MOST_TERMS = 6  # of the question that one part can be expected to have
ASKS = patterns_of("asks")  # what a question asks for, by its words
HAS = patterns_of("has")  # what has that
HOW_TO_READ = "Words of earlier turns, the oldest first; of two that differ the later one holds."
KIND_WORTH = 1.35  # how much more a part counts that has what is asked for
ANSWERED_BY = {"cause": "verdict", "out": "out", "code": "log"}  # what a question asks for → cue of a part
OF_OTHERS = 0.75  # what counts of a part of no device that is in question
PERHAPS = 0.87  # and of one that is of it perhaps, but likelier of another
BESIDES = 0.2  # of such a part, whatever its words
CUE_WORTH = 1.5
NOTHING = 12  # characters of a part that says nothing: "Noted.", "Will look."
LEAST_WORTH = 0.05
PLAIN = frozenset({"implied"})  # cues that say nothing of what a part does
BRIEF_CHARS = 80  # a part as short as that, whose values stand in the context, says no more
_CLAUSE = re.compile(r"[,;，；。]\s*|\b(?:and|so|but|then)\b")
_NUMBER = re.compile(r"\d")
_ASKED = re.compile(r"[?？]\W*$|[吗呢]\W*$")


def asked_for(question: str) -> set[str]:
    """Return what kinds of things the question asks for, of ASKS.

    >>> sorted(asked_for("Which code, and when?"))
    ['code', 'time']
    """
    folded = plain(question)
    return {name for name, pattern in ASKS.items() if pattern.search(folded)}


def only_of(devices: Sequence[str], evidence: Evidence) -> Evidence:
    """Return the evidence on the devices that the question names, if any, and on none in particular."""
    if not devices:
        return evidence
    said = [one for one in evidence.said if not one.named or not one.named.isdisjoint(devices)]
    return replace(evidence, said=said)


def bearing_on(
    question: str,
    evidence: Evidence,
    devices: Sequence[str],
    most: int,
    told: Collection[tuple[str, str]] = (),
) -> list[Said]:
    """Return the parts that bear most on the question, in their order; of equal ones the newest.

    told  (device, value) of what stands in the context already: a part that says no more is left out
    """
    sought = _sought(question, evidence, devices)
    worth = {one: _worth(one, sought) for one in evidence.said if _says(one, told)}
    best: dict[str, Said] = {}
    for one in sorted(worth, key=lambda one: (-worth[one], -one.message_id, one.id)):
        if len(best) == most or worth[one] < LEAST_WORTH:
            break
        best.setdefault(one.text, one)
    return sorted(best.values(), key=lambda one: one.place)


def without_settled(said: Sequence[Said]) -> list[Said]:
    """Return the parts without what was supposed of a device before its cause was found.

    What stands beside a supposition in its message is taken for one, too, unless it tells a number.
    """
    found = [one for one in said if "verdict" in one.cues and "guess" not in one.cues]
    supposing = {one.message_id for one in said if "guess" in one.cues and one.role != "user"}
    return [
        one
        for one in said
        if not _supposes(one, supposing)
        or not any(other.message_id > one.message_id and of_one_device(one, other) for other in found)
    ]


def _supposes(one: Said, supposing: Collection[int]) -> bool:
    """Return whether the part says no more than that something may be so."""
    if one.numbers or not one.cues.isdisjoint({"verdict", "out", "row", "code", "log"}):
        return False
    return is_claim(one) or one.message_id in supposing


def _says(one: Said, told: Collection[tuple[str, str]]) -> bool:
    """Return whether the part says anything that is not told: a bare question does not."""
    numbers = one.numbers
    if not numbers:
        return not _ASKED.search(one.text)
    known = all((device, value.number) in told for value in numbers for device in one.devices)
    return not (known and len(one.text) <= BRIEF_CHARS)


@dataclass(frozen=True)
class _Sought:
    """What a question looks for, made ready for the many parts that are held against it.

    weights   its terms, each with how much it tells; `most` is what a part can have of that
    cues      of parts that answer it whatever their words, and `stressed` those that count more
    patterns  of what it asks for
    """

    weights: Sequence[tuple[str, float]]
    most: float
    scores: Mapping[int, float]
    devices: frozenset[str]
    cues: Sequence[str]
    stressed: Sequence[str]
    patterns: Sequence[re.Pattern[str]]


def _sought(question: str, evidence: Evidence, devices: Sequence[str]) -> _Sought:
    wanted = asked_for(question)
    return _Sought(
        [*evidence.weights.items()],
        sum(sorted(evidence.weights.values(), reverse=True)[:MOST_TERMS]) or 1.0,
        evidence.scores,
        frozenset(devices),
        [cue for name, cue in ANSWERED_BY.items() if name in wanted],
        [name for name in ("cause", "out") if name in wanted],
        [pattern for name, pattern in HAS.items() if name in wanted],
    )


def _worth(one: Said, sought: _Sought) -> float:
    terms, folded = one.terms, one.folded
    held = sum([weight for term, weight in sought.weights if term in terms]) / sought.most
    if one.cues <= PLAIN and not _NUMBER.search(one.text) and not (held and len(one.text) > NOTHING):
        return 0.0
    worth = held + SCORE_SHARE * sought.scores.get(one.message_id, 0.0)
    worth += sum([BESIDES for cue in sought.cues if cue in one.cues])
    for cue in sought.stressed:
        if cue in one.cues:
            worth *= CUE_WORTH
    for pattern in sought.patterns:
        if pattern.search(folded):
            worth *= KIND_WORTH
    if _NUMBER.search(folded):
        worth *= 1.25
    if one.named.isdisjoint(sought.devices):
        worth *= OF_OTHERS
    elif one.is_perhaps and one.devices[0] not in sought.devices:
        worth *= PERHAPS
    return worth * (0.5 if _ASKED.search(folded) else 1.0)


def said_lines(
    question: str,
    evidence: Evidence,
    devices: Sequence[str],
    later: Later,
    most: int,
    told: Collection[tuple[str, str]] = (),
) -> list[str]:
    """Return the lines that tell what bears on the question: each device's under its name, then what is out.

    devices  those in question, which come first
    later    the parts of `evidence`, made ready
    most     parts told at most
    told     (device, value) of what stands in the context already
    """
    if "out" not in asked_for(question):
        evidence = replace(evidence, said=without_settled(evidence.said))
    chosen = bearing_on(question, evidence, devices, most, told)
    claims = [one for one in evidence.said if is_claim(one)]
    out = [one for one in chosen if _rules_out(one, claims, later)]
    rest = [one for one in chosen if one not in out]
    groups = [
        *_under("Said of", rest, later, devices),
        *_under("Ruled out, as said of", out, later, devices),
    ]
    return [HOW_TO_READ, *groups] if groups else []


def _rules_out(one: Said, claims: Sequence[Said], later: Later) -> bool:
    """Return whether the part takes a suspicion off the list: an earlier one, or any without a number."""
    if "out" not in one.cues:
        return False
    if any("out" in cues_in(clause) and not quantities_in(clause) for clause in _CLAUSE.split(one.words)):
        return True
    earlier = (claim for claim in claims if of_one_device(one, claim))
    return any(contradicted(claim, one, later.common) for claim in earlier)


def _under(title: str, told: Sequence[Said], later: Later, devices: Sequence[str]) -> list[str]:
    def whose(one: Said) -> tuple[bool, bool, tuple[str, ...]]:
        return one.devices[0] not in devices, one.is_perhaps, one.devices

    ordered = sorted(told, key=lambda one: (whose(one), one.place))
    notes = zip(ordered, since_all(ordered, later), strict=True)
    lines = []
    for (_, perhaps, names), group in groupby(notes, key=lambda noted: whose(noted[0])):
        own = [line_of(one, note) for one, note in group if not _is_out(one, note)]
        named = (", perhaps " if perhaps else ", ").join(filter(None, names)) or "this"
        if own:
            lines += [without_tags(f"{title} {named}:"), *own]
    return lines


def _is_out(one: Said, note: str) -> bool:
    """Return whether the part only supposes what is ruled out by now: what ruled it out is told instead."""
    return RULED_OUT in note and not one.numbers
