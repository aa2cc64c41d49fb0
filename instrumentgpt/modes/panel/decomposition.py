"""The decomposition of a problem: checked, put in order, written as text that people edit, and read again."""

import re
from collections.abc import Mapping, Sequence

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.panel.contracts import FEWEST, MOST, Plan, SubProblem
from instrumentgpt.modes.panel.experts import Expert, known_experts

_LINE = re.compile(r"^\s*(?P<id>\d{1,2})\s*[.、)]\s*(?P<rest>\S.*)$")
_AFTER = re.compile(r"^(?:after|先做完|在|需要|needs)\s*(?P<ids>[\d,、 ]+)\s*(?:之後|后|後)?$", re.I)
_REMOVE = re.compile(
    r"^(?:please\s+)?(?:remove|drop|delete|skip|without|leave out|刪除|刪掉|去掉|移除|不要|跳過)\s*"
    r"(?:sub-?problem|no\.?|number|子問題|第)?\s*(?P<ids>\d{1,2}(?:\s*(?:,|、|and|和|與)\s*\d{1,2})*)\s*(?:個|項)?[.。]?$",
    re.I,
)


class BadPlan(InstrumentGPTError, ValueError):
    """A decomposition that cannot be worked on."""


def checked(plan: Plan, experts: Mapping[str, Expert]) -> Plan:
    """Return `plan` if it can be carried out; raise BadPlan or BadExpert saying what is wrong."""
    ids = [part.id for part in plan.sub_problems]
    if len(set(ids)) != len(ids):
        raise BadPlan(
            f"Two sub-problems have the number {max(ids, key=ids.count)}. Number them 1 to {len(ids)}"
        )
    for part in plan.sub_problems:
        known_experts(experts, part.experts)
        missing = [number for number in part.after if number not in ids]
        if missing:
            raise BadPlan(f"Sub-problem {part.id} comes after {missing[0]}, which there is not. Known: {ids}")
    batches(plan.sub_problems)
    return plan


def batches(sub_problems: Sequence[SubProblem]) -> list[list[SubProblem]]:
    """Return the sub-problems in groups that can be worked on at once, each after those that it needs.

    Raises BadPlan if some wait for one another.

    >>> def one(number, *after): return SubProblem(id=number, goal="?", experts=("sensing",), after=after)
    >>> [[part.id for part in batch] for batch in batches([one(1), one(2, 1), one(3, 1), one(4, 2, 3)])]
    [[1], [2, 3], [4]]
    """
    waiting, done, groups = list(sub_problems), set[int](), []
    while waiting:
        ready = [part for part in waiting if set(part.after) <= done]
        if not ready:
            circle = ", ".join(str(part.id) for part in waiting)
            raise BadPlan(f"Sub-problems {circle} wait for one another. Take out one of their dependencies")
        groups.append(ready)
        done |= {part.id for part in ready}
        waiting = [part for part in waiting if part not in ready]
    return groups


def written(plan: Plan) -> str:
    """Return `plan` as the text that people edit, a line each: "1. goal | experts | after 1, 2"."""
    return "\n".join(_line(part) for part in plan.sub_problems)


def edited(plan: Plan, text: str, experts: Mapping[str, Expert]) -> Plan | None:
    """Return `plan` as `text` changes it: lines as `written` has them, or "remove 2"; None if it is no edit.

    What a line leaves out (experts, order) stays as it was. Raises BadPlan or BadExpert.
    """
    if removal := _REMOVE.match(text.strip()):
        gone = {int(number) for number in re.findall(r"\d+", removal["ids"])}
        return checked(_without(plan, gone), experts)
    lines = [hit for line in text.splitlines() if (hit := _LINE.match(line))]
    if len(lines) < FEWEST or len(lines) != sum(bool(line.strip()) for line in text.splitlines()):
        return None
    if len(lines) > MOST:
        raise BadPlan(f"{len(lines)} sub-problems are too many. Leave at most {MOST}")
    before = {part.id: part for part in plan.sub_problems}
    parts = tuple(_read_line(int(hit["id"]), hit["rest"], before) for hit in lines)
    return checked(Plan(sub_problems=parts), experts)


def _line(part: SubProblem) -> str:
    after = f" | after {', '.join(map(str, part.after))}" if part.after else ""
    return f"{part.id}. {part.goal} | {', '.join(part.experts)}{after}"


def _read_line(number: int, rest: str, before: Mapping[int, SubProblem]) -> SubProblem:
    goal, *fields = [part.strip() for part in rest.split("|")]
    earlier = before.get(number)
    codes = earlier.experts if earlier else ("statistics",)
    after: tuple[int, ...] = () if fields else earlier.after if earlier else ()
    for text in fields:
        if hit := _AFTER.match(text):
            after = tuple(int(digits) for digits in re.findall(r"\d+", hit["ids"]))
        elif text:
            codes = tuple(re.split(r"[,、\s]+", text))
    if earlier:
        return earlier.model_copy(update={"goal": goal, "experts": codes, "after": after})
    everything = tuple(dict.fromkeys(candidate for part in before.values() for candidate in part.candidates))
    return SubProblem(id=number, goal=goal, experts=codes, after=after, candidates=everything)


def _without(plan: Plan, gone: set[int]) -> Plan:
    left = [part for part in plan.sub_problems if part.id not in gone]
    if len(left) == len(plan.sub_problems):
        raise BadPlan(f"There is no sub-problem {min(gone)}. Say one of 1 to {len(left)}")
    if len(left) < FEWEST:
        raise BadPlan(
            f"{len(left)} sub-problem would be left; a panel has at least {FEWEST}. Ask it in the chat"
        )
    after = {part.id: tuple(number for number in part.after if number not in gone) for part in left}
    return Plan(sub_problems=tuple(part.model_copy(update={"after": after[part.id]}) for part in left))
