"""What an interview has gathered: the user's own lines by slot, what is missing, and the phase. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from instrumentgpt.memory.quoted import DESCRIPTION_CHARS, ENTRY_CHARS, has_words, replaced
from instrumentgpt.memory.summary import shorten

MOST_TRIES = 2  # questions for one gap; then it is left open: users were over-questioned

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
PROPOSED, REMARKS = "proposed", "remarks"  # what was tried or proposed; corrections of nothing gathered
SLOTS = (
    *("description", "examples", "impact", "who", "context", "workflow"),
    *("must_have", "success_criteria", "constraints", "edge_cases", PROPOSED, REMARKS),
)
_ERROR = re.compile(
    r"(?<!no )(?<!without )(?:error|fail|wrong)|錯誤|错误|出錯|出错|失敗|失败|失效|故障|異常|异常", re.I
)

Lines = Mapping[str, tuple[str, ...]]  # slot → lines in the order in which they were said


@dataclass(frozen=True)
class Note:
    """Words of the user for a slot; `replaces`: the earlier words that they correct, "" if they add."""

    slot: str
    words: str
    replaces: str = ""


@dataclass(frozen=True)
class Interview:
    """An interview up to its newest user message.

    left   slot → "unknown", "skipped" or "unanswered": what is not asked for any more
    tries  slot → how often it was asked for
    new    what the newest message brought, `want` what it wanted instead: a key of texts.toml's wishes,
           "question" or "form"
    turn   how many user messages there were
    """

    lines: Lines = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    tries: Mapping[str, int] = field(default_factory=dict)
    new: tuple[Note, ...] = ()
    want: str = ""
    turn: int = 0

    @property
    def gaps(self) -> list[str]:
        """The slots that are missing and still to be asked for, in the order of the phases.

        >>> Interview({"description": ("it drifts",)}, left={"who": "unknown"}).gaps
        ['examples', 'must_have', 'success_criteria', 'edge_cases']
        """
        held = {**self.lines, "edge_cases": edge_cases(self.lines)}
        needed = {gap: count for phase in NEEDED.values() for gap, count in phase.items()}
        return [g for g, count in needed.items() if len(held.get(g, ())) < count and g not in self.left]

    @property
    def gap(self) -> str:
        """What to ask for next, "" if nothing is."""
        return next(iter(self.gaps), "")

    @property
    def phase(self) -> str:
        """The first phase that still needs something; what was left open is not waited for."""
        return next((phase for phase in NEEDED if self.gap in NEEDED[phase]), PHASES[-1])

    @property
    def info(self) -> dict[str, Any]:
        """`gathered_info` as seed 000 has it, JSON-ready; what it has as one text is joined."""
        held = {slot: list(self.lines.get(slot, ())) for slot in SLOTS}
        joined = {slot: "; ".join(held[slot]) for slot in ("description", "impact", "context", "workflow")}
        description = shorten(joined["description"], DESCRIPTION_CHARS)
        return {
            "phase": self.phase,
            "problem": {"description": description, "examples": held["examples"], "impact": joined["impact"]},
            "users": {"who": held["who"], "context": joined["context"], "workflow": joined["workflow"]},
            "requirements": {name: held[name] for name in ("must_have", "success_criteria", "constraints")},
            "edge_cases": list(edge_cases(self.lines)),
            "gaps": [GAPS[gap] for gap in self.gaps],
        }


def filed(now: Interview, note: Note) -> Interview:
    """Return the interview with `note` in its slot, or in the place of what it replaces; nothing twice.

    >>> now = filed(Interview(), Note("examples", "at 70.8 when it should be 72"))
    >>> now = filed(now, Note("examples", "71.8", replaces="70.8"))
    >>> now.lines, now.new[-1].replaces
    ({'examples': ('at 71.8 when it should be 72',)}, '70.8')
    """
    words = " ".join(note.words.split()).strip(",，;；、 ")
    if note.slot not in SLOTS or not words:
        return now
    for slot in dict.fromkeys((note.slot, *SLOTS)) if note.replaces else ():
        before = now.lines.get(slot, ())
        whole = [line for line in before if has_words(note.replaces, line) and has_words(line, note.replaces)]
        if whole and slot != note.slot:  # it moves
            now = with_lines(now, slot, [line for line in before if line not in whole])
            break
        after = [replaced(line, note.replaces, words) for line in before]
        if after != list(before):
            return replace(with_lines(now, slot, after), new=(*now.new, Note(slot, words, note.replaces)))
    before = now.lines.get(note.slot, ())
    if any(has_words(line, words) for line in before):
        return now
    longer = [line for line in before if not has_words(words, line)]
    return replace(with_lines(now, note.slot, [*longer, words]), new=(*now.new, Note(note.slot, words)))


def with_lines(now: Interview, slot: str, lines: Collection[str]) -> Interview:
    """Return the interview with `lines`, each as long as the slot holds, and nothing else in `slot`."""
    limit = DESCRIPTION_CHARS if slot == "description" else ENTRY_CHARS
    kept = tuple(dict.fromkeys(shorten(" ".join(line.split()), limit) for line in lines))
    others = {name: held for name, held in now.lines.items() if name != slot}
    left = {name: how for name, how in now.left.items() if name != slot or not kept}
    return replace(now, lines={**others, slot: kept} if kept else others, left=left)


def leave(now: Interview, how: str, *slots: str) -> Interview:
    """Return the interview with `slots`, as far as they are gaps, left open."""
    return replace(now, left={**now.left, **{slot: how for slot in slots if slot in now.gaps}})


def edge_cases(lines: Lines) -> tuple[str, ...]:
    """Return the edge cases; an error or failure that the user told of the fault counts as one.

    >>> edge_cases({"edge_cases": ("the door",), "examples": ("E4 error at 9:30", "52.3 instead of 50")})
    ('the door', 'E4 error at 9:30')
    """
    problems = (line for slot in ("description", "examples") for line in lines.get(slot, ()))
    return (*lines.get("edge_cases", ()), *filter(_ERROR.search, problems))
