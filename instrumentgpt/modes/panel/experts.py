"""The experts: who may speak on what, with which tools (experts.toml).

The decomposition of a problem among them is checked, put in order, written as text that people edit, and read
again.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.contracts import wrong_fields
from instrumentgpt.modes.panel.contracts import FEWEST, MOST, Plan, SubProblem

TABLE = Path(__file__).with_name("experts.toml")
OWN = "experts.toml"  # in the app's home
DOCS = "docs/add-an-expert.md"
ANY = "*"
TOOLS = (  # of instruments/tools that an expert may be given: they read, and record nothing
    "advise_gains", "channel_metrics", "column_figures", "compare_logs", "diagnose_log", "look_at_time",
    "read_lines", "search_events",
)  # fmt: skip
_CODE = re.compile(r"[a-z][a-z0-9_]{1,30}")


class BadExpert(InstrumentGPTError, ValueError):
    """A table of experts that cannot be used."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(_Table):
    """What an expert is called, what it knows, and its role as it is told, in one language."""

    name: str
    field: str
    role: str


def _of(allowed: Iterable[str]) -> AfterValidator:
    """Return the check that each of a list is `allowed`."""
    names = list(allowed)

    def check(given: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [name for name in given if name not in names]:
            raise ValueError(f"it has {wrong[0]!r}, which is none of {', '.join(names)}")
        return given

    return AfterValidator(check)


class Expert(_Table):
    """One expert; `speaks_on` are fault classes, `tools` our tools; English stands in for Chinese."""

    code: str
    speaks_on: Annotated[tuple[str, ...], Field(min_length=1), _of([*faults(), ANY])]
    tools: Annotated[tuple[str, ...], Field(min_length=1), _of(TOOLS)]
    en: Words
    zh: Words | None = None

    @field_validator("speaks_on")
    @classmethod
    def _all(cls, classes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(faults()) if ANY in classes else classes

    def words(self, language: Language) -> Words:
        """Return what it is called and told in `language`."""
        return self.zh if language == "zh" and self.zh else self.en

    def name(self, language: Language) -> str:
        """Return what it is called."""
        return self.words(language).name


def read_experts(home: Path | None = None) -> dict[str, Expert]:
    """Return the experts by code: ours, then those in experts.toml in `home`; an own one replaces ours.

    Raises BadExpert with the file, the expert and the remedy.
    """
    path = home / OWN if home else None
    return {**_read(TABLE), **(_read(path) if path and path.exists() else {})}


def known_experts(experts: Mapping[str, Expert], codes: Iterable[str]) -> list[Expert]:
    """Return the experts called `codes`; raise BadExpert for one that nobody is called."""
    unknown = [code for code in codes if code not in experts]
    if unknown:
        raise BadExpert(f"There is no expert {unknown[0]!r}. Known are: {', '.join(experts)}. See {DOCS}")
    return [experts[code] for code in codes]


def _read(path: Path) -> dict[str, Expert]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadExpert(f"{path}: is no table of experts: {reason(problem)}. See {DOCS}") from None
    experts: dict[str, Expert] = {}
    for code, table in tables.items():
        where = f"{path.name}: [{code}]"
        if not _CODE.fullmatch(code) or not isinstance(table, dict):
            raise BadExpert(
                f"{where}: a code is lower case letters, digits and _, as in [cooling]. See {DOCS}"
            )
        try:
            experts[code] = Expert.model_validate({**table, "code": code})
        except ValidationError as problem:
            raise BadExpert(f"{where}: {wrong_fields(problem)}. See {DOCS}") from None
    return experts


_LINE = re.compile(r"^\s*(?P<id>\d{1,2})\s*[.、)]\s*(?P<rest>\S.*)$")
_AFTER = re.compile(r"^(?:after|先做完|在|需要|needs)\s*(?P<ids>[\d,、 ]+)\s*(?:之後|后|後)?$", re.I)
_REMOVE = re.compile(r"(?:remove|drop|leave out|刪除|刪掉|去掉)\s*第?\s*(?P<id>\d{1,2})\s*個?[.。]?", re.I)


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
    in_order(plan.sub_problems)
    return plan


def in_order(sub_problems: Sequence[SubProblem]) -> list[SubProblem]:
    """Return the sub-problems, each after those that it needs; raise BadPlan if some wait for one another.

    >>> def one(number, *after): return SubProblem(id=number, goal="?", experts=("sensing",), after=after)
    >>> [part.id for part in in_order([one(1, 2), one(2), one(3, 1)])]
    [2, 1, 3]
    """
    by_id = {part.id: part for part in sub_problems}
    sorter = TopologicalSorter({part.id: part.after for part in sub_problems})
    try:
        return [by_id[number] for number in sorter.static_order()]
    except CycleError as problem:
        circle = ", ".join(map(str, sorted(set(problem.args[1]))))
        raise BadPlan(
            f"Sub-problems {circle} wait for one another. Take out one of their dependencies"
        ) from None


def written(plan: Plan) -> str:
    """Return `plan` as the text that people edit, a line each: "1. goal | experts | after 1, 2"."""
    lines = []
    for part in plan.sub_problems:
        after = f" | after {', '.join(map(str, part.after))}" if part.after else ""
        lines.append(f"{part.id}. {part.goal} | {', '.join(part.experts)}{after}")
    return "\n".join(lines)


def edited(plan: Plan, text: str, experts: Mapping[str, Expert]) -> Plan | None:
    """Return `plan` as `text` changes it: lines as `written` has them, or "remove 2"; None if it is no edit.

    What a line leaves out (experts, order) stays as it was; for what is left out as a whole nobody waits.
    Raises BadPlan or BadExpert.
    """
    removal = _REMOVE.fullmatch(text.strip())
    if removal:
        kept = (line for line in written(plan).splitlines() if not line.startswith(f"{removal['id']}."))
        text = "\n".join(kept)
    rows = [row for row in text.splitlines() if row.strip()]
    lines = [hit for row in rows if (hit := _LINE.match(row))]
    if not removal and not FEWEST <= len(lines) == len(rows):
        return None
    if not FEWEST <= len(lines) <= MOST:
        raise BadPlan(f"A panel has {FEWEST} to {MOST} sub-problems, and this would leave {len(lines)}")
    before = {part.id: part for part in plan.sub_problems}
    parts = [_read_line(int(hit["id"]), hit["rest"], before) for hit in lines]
    gone = before.keys() - {part.id for part in parts}
    needs = [tuple(number for number in part.after if number not in gone) for part in parts]
    left = [part.model_copy(update={"after": after}) for part, after in zip(parts, needs, strict=True)]
    return checked(Plan(sub_problems=tuple(left)), experts)


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
