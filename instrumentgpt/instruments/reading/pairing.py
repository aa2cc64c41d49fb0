"""Which columns are a loop together: setpoint, pv and output, by one score of all that speaks for a pair.

What the heads call them, the words that tell loops apart, their units, and how the columns behave. Each
counts in one measure: a word that is sure of its role is worth 3. The pair with the most comes first; each
column is used once, but a setpoint that outputs show to be of several loops.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.behaviour import (
    ANSWERS,
    LEAST_ROWS,
    STRAIGHT,
    answers,
    distance,
    drives,
    is_alike,
    is_steps,
    is_target,
    stands_at_limits,
    straight,
    switched_apart,
    varies,
)
from instrumentgpt.instruments.reading.headers import (
    CAMEL,
    CERTAIN,
    DEGREES,
    LIKELY,
    NO_DEGREE,
    READ,
    SEPARATOR,
    TYPO,
    Heading,
    is_unit,
    vocabulary,
)
from instrumentgpt.instruments.reading.scales import ELECTRIC

SURE = {CERTAIN: 3.0, LIKELY: 1.5, TYPO: 1.0, 0: 0.0}  # of a setpoint's head
SUPPORT = 1 / 3  # of that counts the head of a pv
DRIVEN = 2 / 3  # and of an output
ASIDE = {"setpoint": 2.0, "pv": 2.0, "output": 1.0}  # off for a word that says so: “cooling SP”
COMPUTED, OTHER_ROLE = 2.0, 2.0
LEAST, LEAST_OUTPUT = 2.0, 1.5  # of a setpoint and its pv; of an output and its loop
SHARED, LACKING, MORE = 1.0, 1.0, 0.2  # of a word both have, one only the first has, one only the second
MOST_SHARED, OTHER_NUMBER = 2.0, 2.0
NEARLY_BEST = 0.3  # less than the best words of a setpoint: “Supply Heating SP” is not of “Outdoor”
SAME_UNIT, OTHER_UNIT = 0.5, 3.0
RESTS, BEHAVES = 2.0, 2.5  # off a setpoint that moves like a reading; for one that only behaves like one
NEAR, FAR, CLOSE = 1.5, 3.0, 0.5  # times as far from the setpoint as the nearest reading; what it is worth
ADJACENT, WITHIN, FOLLOWED = 0.3, 0.2, 0.5  # for the next column; one of the next two; the nearest setpoint
ACTS, SWITCHES = 2.0, 1.5  # of an output that answers all of the error; share of a switch
DRIVES = 0.5  # of one that pv moves with, where no setpoint tells the error
STANDS = 2.0  # off one that never moves, where another does: the heating of a fridge
IDLE, AT_LIMITS = 0.5, 0.5  # off an output that moves without answering; for one at its limits
PERCENT, ELECTRICAL = 1.0, 0.25
OF_A_LOOP = 1.0  # for a pv with a setpoint
HELD = 0.2  # of the range of pv, within which it is half of the time, of a setpoint that no head names
ANSWERS_ALL, SENSOR = 0.9, 0.95  # of what looks like a reading; correlation with pv of another reading of it
SHORTEST = 3  # letters of a word that a longer one may begin with: “roofset” beside “roof_F”
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
MOST, MOST_ROWS = 3_000, 50_000  # pairs, and rows, that are looked at
Loop = dict[str, int]  # role → column


@dataclass(frozen=True)
class Columns:
    """The columns of a table: what their heads say, their values as numbers, and what their texts are.

    texts    "date", "clock", "stamp" with both, "" for numbers

    channel  the column that says whose each row is; the values are of the rows of one channel
    """

    headings: Sequence[Heading]
    values: Sequence[Floats]
    texts: Sequence[str]
    channel: int | None = None
    stated: Mapping[str, int] = field(default_factory=dict)

    def as_stated(self, stated: Mapping[str, int]) -> "Columns":
        """Return the columns, of which those `stated` (role → number) alone have their roles."""
        headings = list(self.headings)
        for role, at in stated.items():
            headings[at] = replace(headings[at], scores={role: CERTAIN})
        return replace(self, headings=headings, stated=stated)

    def score(self, at: int, role: str) -> int:
        """Return how surely the head of column `at` says `role`."""
        return self.headings[at].scores.get(role, 0) if self.headings else 0

    def best(self, at: int) -> str:
        """Return the role that the head of column `at` names, "" if none."""
        scores = self.headings[at].scores if self.headings else {}
        roles = [role for role in scores if role not in ("time", "channel")]
        return max(roles, key=scores.__getitem__, default="")

    def is_humid(self, at: int) -> bool:
        """Return whether the head of column `at` is one of a humidity."""
        return bool(self.headings) and self.headings[at].names_humidity()

    def is_other(self, at: int) -> bool:
        """Return whether the head of column `at` surely is of something that no loop has."""
        head = self.headings[at] if self.headings else None
        return head is not None and head.says("other", "certain")

    def says_nothing(self, at: int) -> bool:
        """Return whether the head of column `at` leaves open what it is."""
        scores = self.headings[at].scores.keys() - {"channel"} if self.headings else set()
        return not scores and not (self.headings and self.headings[at].says("other", "certain"))

    def unit(self, at: int) -> str:
        """Return the unit of column `at`, "" if its head has none."""
        return self.headings[at].unit if self.headings else ""

    def kind(self, at: int) -> str:
        """Return what column `at` measures, by its head; "" if that leaves it open."""
        if not self.headings:
            return ""
        head = self.headings[at]
        if head.names_humidity():
            return "humidity"
        if head.names_temperature():
            return "temperature"
        return (head.unit or "another") if head.has_other_unit() else ""


def loops_of(columns: Columns, among: Sequence[int], known: Sequence[Loop] = ()) -> list[Loop]:
    """Return the loops of the columns `among`: with a setpoint, an output or both; then pvs alone.

    known  loops with their pvs, which lack only outputs

    The pvs alone are those that a head names, or, where nothing else is found, those that a head does not.
    """
    pairs = _Pairs(columns, among)
    loops = [*known] or pairs.with_setpoints()
    pairs.controlled |= {loop["pv"] for loop in loops}
    alone = [] if known else pairs.alone({at for loop in loops for at in loop.values()}, bool(loops))
    every = [*loops, *(pairs.sharing(at, loops) for at in alone)]
    for is_named in (True, False):
        pairs.add_outputs(every, is_named)
    if every and not any("output" in loop for loop in every):
        pairs.add_likeliest(every)
    driving = {loop["output"] for loop in every if "output" in loop}
    for loop in every[len(loops) :]:
        if "output" not in loop:
            loop.pop("setpoint", None)
    return [loop for loop in every if loop["pv"] not in driving]


class _Pairs:
    """The columns `among` that may be setpoints, pvs and outputs, and what speaks for each pair of them."""

    def __init__(self, columns: Columns, among: Sequence[int]) -> None:
        stride = 1 + max(map(len, columns.values), default=0) // MOST_ROWS
        columns = replace(columns, values=[values[::stride] for values in columns.values])
        self.columns, self.among = columns, among
        self.is_open = all(map(columns.says_nothing, among))
        self.words = _words(columns, among)
        self.weights = _weights(columns, self.words)
        pvs = [at for at in among if self._may_be_pv(at)]
        self.pvs = [at for at in pvs if columns.best(at) == "pv" or not is_steps(columns.values[at])] or pvs
        named = [at for at in among if self._names_setpoint(at)]
        self.setpoints = named or [at for at in among if self._may_be_setpoint(at)]
        self.outputs = [at for at in among if self._may_be_output(at)]
        self._without_odd_numbers()
        self._actions: dict[tuple[int, ...], float] = {}
        self.controlled = set[int]()  # pvs
        self.likeliest = 0.0  # of pvs alone, what the head of one that is driven says at least
        self._distances: dict[tuple[int, int], float] = {}
        self._moving: dict[int, bool] = {}

    def _without_odd_numbers(self) -> None:
        """Forget the numbers of the pvs where the setpoints have others: “Probe D3” is of “SP 1”."""
        numbers, others = (
            {word for at in of_role for word in self.words[at] if word.isdigit()}
            for of_role in (self.setpoints, self.pvs)
        )
        for at in self.pvs if not numbers <= others else ():
            self.words[at] = frozenset(word for word in self.words[at] if not word.isdigit())

    def with_setpoints(self) -> list[Loop]:
        """Return the loops of a setpoint and its pv, the surest first."""
        fitting = {
            at: max((self.alike(at, pv) for pv in self.pvs if pv != at), default=0.0) for at in self.setpoints
        }
        scored = [
            (self.of_setpoint(at, pv), at, pv)
            for at in self.setpoints
            for pv in self.pvs
            if at != pv and self.alike(at, pv) >= fitting[at] - NEARLY_BEST
        ]
        scored = sorted((row for row in scored if row[0] > 0), reverse=True)[:MOST]
        best = {at: score for score, at, _ in reversed(scored)}
        acted = [
            (score + self._most_action(at, pv), at, -pv)
            for score, at, pv in scored
            if score + SWITCHES >= best[at]
        ]
        loops: list[Loop] = []
        used = set[int]()
        for score, at, pv in sorted(acted, reverse=True):
            if score >= LEAST and used.isdisjoint({at, -pv}):
                loops.append({"pv": -pv, "setpoint": at})
                used |= {at, -pv}
        return loops

    def alone(self, used: set[int], has_loops: bool) -> list[int]:
        """Return the pvs that no setpoint is of, the likeliest first."""
        columns = self.columns
        named = [at for at in self.pvs if at not in used and columns.best(at) == "pv"]
        plain = [at for at in named if not columns.headings[at].says("pv", "computed")]
        found = plain or named or ([] if has_loops else self.pvs)
        if named and not has_loops:  # “Radiator” beside “Room”
            found += [at for at in self.pvs if at not in found and self._is_like_one_of(at, found)]
        self.likeliest = max((self._word(at, "pv") for at in found), default=0.0) - ASIDE["pv"] / 2
        return sorted(found, key=lambda at: (-self._word(at, "pv"), at))

    def _is_like_one_of(self, at: int, pvs: Sequence[int]) -> bool:
        """Return whether a column whose head leaves open what it is may be read beside one of `pvs`."""
        values = self.columns.values
        is_open = self.columns.says_nothing(at) and not stands_at_limits(values[at])
        return is_open and any(is_alike(values[at], values[pv]) for pv in pvs)

    def add_outputs(self, loops: Sequence[Loop], is_named: bool) -> None:
        """Give the loops that lack one the outputs that heads name, or those that no head does."""
        columns, free = self.columns, self._free(loops, is_named)
        if self.is_open and not is_named:
            self._add_next(loops, [at for at in free if stands_at_limits(columns.values[at])])
        lacking = [loop for loop in loops if "output" not in loop]
        controlled = [loop for loop in lacking if "setpoint" in loop or self._is_own(loop)]
        for loop, at in self._assigned(controlled, free, is_named):
            loop["output"] = at
        bare = [loop for loop in lacking if loop not in controlled]
        pairs = [(place, at) for place, loop in enumerate(bare) for at in free]
        scored = sorted((-self.of_output(at, bare[place]), at, place) for place, at in pairs)
        for score, at, place in scored:
            loop, used = bare[place], [other.get("output") for other in loops]
            is_free = -score >= LEAST_OUTPUT and at not in used and "output" not in loop
            if is_free and self._may_drive(at, loop, loops, is_named):
                loop["output"] = at
        if self.is_open and not is_named:
            self._add_next(loops, [at for at in free if is_steps(columns.values[at])])
        percent = [at for at in self._free(loops, is_named) if columns.unit(at) == "%"]
        controlled = [loop for loop in loops if "setpoint" in loop and self._is_own(loop)]
        lacks_all = len(percent) == len(controlled) and not any("output" in loop for loop in controlled)
        for loop, at in zip(sorted(controlled, key=lambda loop: loop["pv"]), percent, strict=False):
            loop |= {"output": at} if lacks_all and not is_named else {}

    def _assigned(self, loops: list[Loop], free: list[int], is_named: bool) -> Iterator[tuple[Loop, int]]:
        """Yield loops with the outputs that together are the likeliest."""
        from scipy.optimize import linear_sum_assignment  # 0.2 s: only for tables

        scores, actions = np.zeros((len(loops), len(free))), np.zeros((len(loops), len(free)))
        for place, loop in enumerate(loops):
            may = [self._may_drive(at, loop, loops, is_named) for at in free]
            scores[place] = [self.of_output(at, loop) for at in free] * np.array(may, dtype=bool)
            actions[place] = [self.action(at, loop) for at in free]
        if loops and free:  # what answers one loop is of no other
            scores -= ACTS * np.where(actions == 0, actions.max(axis=0), 0.0)
        scores[scores < LEAST_OUTPUT] = 0.0
        rows, columns = linear_sum_assignment(scores, maximize=True)
        for place, column in zip(rows.tolist(), columns.tolist(), strict=True):
            if scores[place, column]:
                yield loops[place], free[column]

    def add_likeliest(self, loops: Sequence[Loop]) -> None:
        """Give a loop the output that a head names, however little else speaks for it."""
        free = self._free(loops, is_named=True)
        controlled = [place for place, loop in enumerate(loops) if "setpoint" in loop]
        pairs = [
            (place, at)
            for place in controlled or range(len(loops))
            for at in free
            if at != loops[place]["pv"]
        ]
        if pairs:
            place, at = max(
                pairs, key=lambda pair: (self.of_output(pair[1], loops[pair[0]]), -pair[1], -pair[0])
            )
            loops[place]["output"] = at

    def _free(self, loops: Iterable[Loop], is_named: bool) -> list[int]:
        """Return the outputs that no loop has, of those that heads name or of the others."""
        used = {at for loop in loops for role, at in loop.items() if role != "pv" or self._is_own(loop)}
        wanted = (at for at in self.outputs if bool(self.columns.score(at, "output")) == is_named)
        return [at for at in wanted if at not in used]

    def _add_next(self, loops: Sequence[Loop], among: Sequence[int]) -> None:
        """Give loops the next of these columns that is no reading: a switch, or a test in open loop."""
        values = self.columns.values
        for loop in (loop for loop in loops if "output" not in loop and (len(loop) > 1 or loop is loops[0])):
            taken = {at for other in loops if len(other) > 1 or other is loop for at in other.values()}
            behind = sorted((at for at in among if at not in taken), key=lambda at: (at < loop["pv"], at))
            for at in behind:
                own = varies(values[at]) and not is_alike(values[at], values[loop["pv"]])
                if "output" not in loop and (own or stands_at_limits(values[at])):
                    loop["output"] = at

    def sharing(self, pv: int, loops: Sequence[Loop]) -> Loop:
        """Return the loop of a pv that no setpoint is of: with one that it may share with others."""
        setpoints = [loop["setpoint"] for loop in loops if "setpoint" in loop]
        best = max(setpoints, key=lambda at: self.of_setpoint(at, pv), default=None)
        if best is None or self.of_setpoint(best, pv) < LEAST:
            return {"pv": pv}
        own = any(self.weights[word] for word in self.words[best] - self.words[pv])
        return {"pv": pv} if own else {"pv": pv, "setpoint": best}

    def _is_own(self, loop: Loop) -> bool:
        """Return whether the loop has a setpoint of its own, or its error."""
        return loop["pv"] in self.controlled

    def _may_drive(self, at: int, loop: Loop, loops: Sequence[Loop], is_named: bool) -> bool:
        """Return whether column `at` may drive `loop`: without a setpoint of its own it must be alike."""
        if self._is_own(loop):
            return True
        alike = self.alike(at, loop["pv"]) > NEARLY_BEST
        if "setpoint" in loop:
            return alike and (is_named or self.columns.unit(at) == "%")
        if any("setpoint" in other for other in loops) or self._word(loop["pv"], "pv") < self.likeliest:
            return False
        is_first = not any("output" in other for other in loops)
        is_told = is_named or self.columns.unit(at) == "%"
        return (is_first or (is_told and alike)) and (is_told or loop is loops[0])

    def of_setpoint(self, at: int, pv: int) -> float:
        """Return what speaks for column `at` as the setpoint of column `pv`."""
        columns, values = self.columns, self.columns.values
        score = self._word(at, "setpoint") + SUPPORT * self._word(pv, "pv") + self.alike(at, pv)
        own = {"", *ELECTRIC} | ({"%"} if columns.is_humid(pv) else set())  # “Current SP”; a humidity in %
        units, kinds = ({of(at), of(pv)} - own for of in (columns.unit, columns.kind))
        score -= OTHER_UNIT * (len(units) > 1 or len(kinds) > 1)
        score += SAME_UNIT * (columns.unit(at) == columns.unit(pv) != "") + ADJACENT * (abs(at - pv) == 1)
        if not self._names_setpoint(at):
            held = is_target(values[at], values[pv], HELD if columns.headings else 1.0)
            score += BEHAVES if held else -math.inf
        elif self._moves(at):
            score -= RESTS
        away = self._away(pv, at)
        score += FOLLOWED * all(away <= self._away(pv, other) for other in self.setpoints if other != pv)
        nearest = min((self._away(other, at) for other in self.pvs if other != at), default=0.0)
        is_near, is_far = away <= NEAR * nearest + 1e-9, away > FAR * nearest
        return score + CLOSE * (is_near - is_far)

    def of_output(self, at: int, loop: Loop) -> float:
        """Return what speaks for column `at` as the output of `loop`."""
        columns, pv, setpoint = self.columns, loop["pv"], loop.get("setpoint")
        action, is_named = self.action(at, loop), columns.score(at, "output") > 0
        told = columns.unit(at) == "%" and self.alike(at, pv) > NEARLY_BEST  # “Z1_Stell_%”
        if at == pv or not (is_named or action or told):
            return 0.0
        unit = columns.unit(at)
        score = DRIVEN * self._word(at, "output") + max(self.alike(at, other) for other in loop.values())
        score += PERCENT * (unit == "%") + ELECTRICAL * (unit in ELECTRIC)
        score -= unit not in ("", "%", *ELECTRIC)
        score -= columns.is_humid(at) != columns.is_humid(pv)
        score += ACTS * action if action else -IDLE * varies(columns.values[at])
        score += AT_LIMITS * stands_at_limits(columns.values[at])
        if setpoint is not None:
            score += OF_A_LOOP
        else:
            share = round(drives(columns.values[at], columns.values[pv]), 1)
            apart = max(1.0, switched_apart(columns.values[at], columns.values[pv]))  # of what it switches by
            score += self._word(pv, "pv") / 2 + DRIVES * share + math.log10(apart)
        score += WITHIN * (setpoint is not None and abs(at - pv) <= 2)
        return score if varies(columns.values[at]) else min(score, max(LEAST_OUTPUT, score - STANDS))

    def action(self, at: int, loop: Loop) -> float:
        """Return how plainly column `at` drives `loop`: its steps answer the error, or it switches."""
        key = at, *sorted(loop.values())
        if key not in self._actions:
            values, pv = self.columns.values, loop["pv"]
            error = values[pv] - (values[loop["setpoint"]] if "setpoint" in loop else 0.0)
            error = -values[loop["error"]] if "error" in loop else error
            switches = switched_apart(values[at], error) > 1.0
            share = SWITCHES if switches else answers(values[at], error)
            is_named = switches or self.columns.score(at, "output") > 0
            is_drive = share > ANSWERS and (is_named or not self._is_reading(at, pv, share))
            self._actions[key] = share if is_drive else 0.0
        return self._actions[key]

    def alike(self, at: int, other: int) -> float:
        """Return what the words of two heads say: shared, or only in the first, or only in the other."""
        one, two = self.words[at], self.words[other]
        shared, lacking, more = (
            sum(self.weights[word] for word in words) for words in (one & two, one - two, two - one)
        )
        numbers, others = ({word for word in words if word.isdigit()} for words in (one, two))
        score = SHARED * min(MOST_SHARED, shared) - LACKING * lacking - MORE * more
        return score - OTHER_NUMBER * (bool(numbers and others) and numbers.isdisjoint(others))

    def _most_action(self, setpoint: int, pv: int) -> float:
        """Return how plainly an output drives the pair; one that no head surely names counts half."""
        loop, heads = {"pv": pv, "setpoint": setpoint}, self.columns.headings
        others = [at for at in self.outputs if at not in (setpoint, pv)]
        sure = {
            at for at in others if self.columns.score(at, "output") and not heads[at].says("output", "aside")
        }
        return max((self.action(at, loop) / (1 if at in sure else 2) for at in others), default=0.0)

    def _word(self, at: int, role: str) -> float:
        """Return what the head of column `at` says for or against `role`."""
        if not self.columns.headings:
            return 0.0
        head, sure = self.columns.headings[at], self.columns.score(at, role)
        if role == "setpoint" and not sure and self._names_setpoint(at):
            return SURE[LIKELY]
        if sure:
            computed = role == "pv" and head.says("pv", "computed")
            return SURE[sure] - ASIDE[role] * head.says(role, "aside") - COMPUTED * computed
        best = self.columns.best(at)
        return -OTHER_ROLE if self.columns.score(at, best) == CERTAIN else -OTHER_ROLE / 2 if best else 0.0

    def _names_setpoint(self, at: int) -> bool:
        columns = self.columns
        compound = columns.says_nothing(at) and self.words[at] & {*vocabulary()["setpoint"]["certain"]}
        return columns.best(at) == "setpoint" or bool(compound)

    def _may_be_setpoint(self, at: int) -> bool:
        columns = self.columns
        may = columns.says_nothing(at) and not stands_at_limits(columns.values[at])
        return (may or columns.best(at) == "pv") and not columns.is_other(at)

    def _may_be_pv(self, at: int) -> bool:
        columns, values = self.columns, self.columns.values[at]
        if columns.best(at) == "pv":
            return not columns.is_other(at)
        likely = columns.score(at, "output") == LIKELY and columns.headings[at].says("output", "aside")  # air
        may = (columns.says_nothing(at) or likely) and not columns.is_other(at) and varies(values)
        return bool(may) and not (columns.unit(at) in ("", "%") and stands_at_limits(values))

    def _may_be_output(self, at: int) -> bool:
        columns = self.columns
        may = columns.score(at, "output") > 0 or (columns.says_nothing(at) and columns.unit(at) not in READ)
        return may and columns.unit(at) not in DEGREES and not columns.is_other(at)

    def _away(self, pv: int, setpoint: int) -> float:
        if (pv, setpoint) not in self._distances:
            self._distances[pv, setpoint] = distance(self.columns.values[pv], self.columns.values[setpoint])
        return self._distances[pv, setpoint]

    def _moves(self, at: int) -> bool:
        """Return whether column `at` moves like a reading, neither in steps nor straight."""
        if at not in self._moving:
            values = self.columns.values[at]
            self._moving[at] = not (is_steps(values) or straight(values) >= STRAIGHT)
        return self._moving[at]

    def _is_reading(self, at: int, of: int, share: float) -> bool:
        """Return whether column `at` is a temperature, or reads what the pv in column `of` does.

        What looks like it is none if its steps answer nearly all of the control error.
        """
        values, pv = self.columns.values[at], self.columns.values[of]
        both = np.isfinite(values) & np.isfinite(pv)
        if both.sum() <= LEAST_ROWS or np.ptp(values[both]) == 0 or np.ptp(pv[both]) == 0:
            return True
        unit, its = self.columns.unit(at), self.columns.unit(of)
        both_ways = values[both].min() < 0 <= pv[both].min()  # a Peltier current
        may = unit != "%" and not (its in DEGREES and not unit)  # beside a humidity an output has its range
        if may and not both_ways and share < ANSWERS_ALL and is_alike(values, pv):
            return True
        return float(np.corrcoef(values[both], pv[both])[0, 1]) > SENSOR


def _words(columns: Columns, among: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return column → the words of its head without its unit; of Chinese the characters.

    A word that begins with another head's and ends with one of a setpoint is both.
    """
    words = {at: _parts(columns.headings[at].text) if columns.headings else frozenset[str]() for at in among}
    texts = {at: columns.headings[at].text for at in words} if columns.headings else {}
    for at, text in texts.items():  # of several named alike the first has no number
        words[at] |= {"1"} if f"{text} 2" in texts.values() else frozenset()
    for at, group in _groups(texts).items():
        words[at] |= set() if any(word.isdigit() for word in words[at]) else {str(group)}
    every = {word for of_head in words.values() for word in of_head}
    setpoint = {*vocabulary()["setpoint"]["certain"]}
    for at, of_head in words.items():
        for word in of_head:
            for start in (start for start in every if len(start) >= SHORTEST and word.startswith(start)):
                if word[len(start) :] in setpoint:
                    words[at] = words[at] - {word} | {start, word[len(start) :]}
    return words


def _groups(texts: Mapping[int, str]) -> dict[int, int]:
    """Return column → number of its group, where heads come again for each: “bath | heat% | block | heat%”.

    >>> _groups(dict(enumerate(["bath", "heat%", "block", "heat%", "room"])))
    {0: 1, 1: 1, 2: 2, 3: 2}
    """
    again = {text for text, count in Counter(texts.values()).items() if count > 1}
    groups, met = dict[int, int](), set[str]()
    for at, text in sorted(texts.items()):
        if text not in again or text in met or not groups:
            groups[at], met = max(groups.values(), default=0) + 1, {text}
        else:
            groups[at], met = groups[max(groups)], met | {text}
    grouped = {groups[at] for at, text in texts.items() if text in again}
    return {at: group for at, group in groups.items() if group in grouped}


def _parts(text: str) -> frozenset[str]:
    words = [word for word in SEPARATOR.split(NO_DEGREE.sub("°", text)) if word]
    if len(words) > 1 and is_unit(words[-1]):
        words = words[:-1]
    whole = vocabulary()["quantity"]["certain"]  # pH, SpO2
    split = ([word] if word.lower() in whole else CAMEL.split(word) for word in words)
    parts = [part.lower() for part in chain.from_iterable(split) if part]
    latin = [part.lstrip("0") or "0" if part.isdigit() else HAN.sub("", part) for part in parts]
    return frozenset([*filter(None, latin), *HAN.findall("".join(parts))]) - {"%", "℃"}


def _weights(columns: Columns, words: Mapping[int, frozenset[str]]) -> dict[str, float]:
    """Return word → how well it tells loops apart: the rarer, the better, if several roles have it."""
    count = Counter(word for of_head in words.values() for word in of_head)
    roles: dict[str, set[str]] = {word: set() for word in count}
    setpoint = {*vocabulary()["setpoint"]["certain"]}
    for at, of_head in words.items():
        for word in of_head:
            roles[word].add(columns.best(at) or ("setpoint" if of_head & setpoint else ""))
    most = math.log(max(3, len(words)) / 2)
    return {
        word: math.log(max(3, len(words)) / often) / most if often > 1 and len(roles[word]) > 1 else 0.0
        for word, often in count.items()
    }
