"""Which column of a table is what: by its header, by how it behaves, or as the reader was told."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, permutations, product

import numpy as np

from instrumentgpt.instruments.analysis.position import AT_FIRST, followed_by
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.headers import CERTAIN, DEGREES, LIKELY, ROLES, Heading, vocabulary
from instrumentgpt.instruments.reading.scales import ELECTRIC, OUTPUT_RANGES, SIGNED_BYTE

STEPS_AT_MOST = 0.05  # share of rows at which a setpoint changes
DISTINCT_AT_MOST = 0.1  # distinct values of a setpoint, per row
EVEN = 0.5  # a step of a time differs from the usual by less than this share
STARTS_AGAIN = 0.8  # share of rows at which a column called time goes on or stands still
HESITATES = 0.8  # share of rows at which a time in the first column goes on, at the least
FORWARD = 0.98  # share of rows at which a time goes on
AT_LIMITS = 0.02  # share of rows at which an output stands at 0 or at full scale
ROUGHER = 3.0  # an output moves from row to row by so many times more of its range than pv
STRAIGHT = 0.2  # share of rows by which a programme runs straight more often than its pv
BENDS = 200  # of a column, at the most, that are looked for
FEW_MOVES, AHEAD = 10, 0.75  # of a setpoint, and the share of a move that pv has then before it
DIGITS, REVERSALS = 2.01, 0.25  # by which a reading trembles; share of its moves that undo the one before
DECIMALS = 6  # more than a log of temperatures carries
HELD = 0.2  # of the range of pv, within which it is half of the time, of a setpoint that no head names
ANSWERS, LEAST_ROWS = 0.5, 40  # share of its steps that the error explains of an output; rows that show it
LACKING = 4  # loops for which what no head names is looked at as an output
ANSWERS_ALL = 0.9  # of what looks like a reading
NEAREST = 3.0  # times as far from the setpoint as the nearest reading is no pv
FAR_APART, SAME_LEVEL, TURNS = 0.25, 0.1, 0.9  # move of a row, of the range; of that in a turn; of rows
MOST_TURN, MANY_DIGITS = 64, 20.0  # sensors in one column; digits they are apart
NARROW = 0.1  # share of its size in which no output stays while the setpoint moves by such a share of pv
SENSOR = 0.95  # correlation with pv of what is another reading of the same
MOVES, FOLLOWS = 3.0, 0.8  # times that a position may differ from its output, that both move; correlation
UNNAMED = 2.0  # times nearer than what a head calls a temperature must a reading be that no head names
SWITCHES = 4  # on and off, that show to which sides of the setpoint a column switches
MOST_COLUMNS, MOST_ROWS = 40, 4000  # in which what no head says is looked for
Loops = dict[int, dict[str, int]]  # number of the channel → role → column
DATE_AND_CLOCK = ("date", "clock")  # texts that are a time together
THREE, AGREED = ("setpoint", "pv", "output"), 0.75  # what each of several loops has; share that says where
OWN = ("setpoint", "output", "kp", "ki", "kd")  # roles that belong to a pv


@dataclass(frozen=True)
class Roles:
    """For each channel its columns, role → number of column; `time` columns; `guessed` role → reason.

    A channel without a setpoint may have instead an "error", setpoint - pv, or "deviation", pv - setpoint.
    """

    time: tuple[int, ...]
    channels: Mapping[int, Mapping[str, int]]
    guessed: Mapping[str, str] = field(default_factory=dict)
    channel_column: int | None = None


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

    def best(self, at: int) -> str:
        """Return the role that the head of column `at` names, "" if none."""
        scores = self.headings[at].scores if self.headings else {}
        roles = [role for role in scores if role not in ("time", "channel")]
        return max(roles, key=scores.__getitem__, default="")

    def rank(self, at: int, role: str) -> tuple[bool, int]:
        """Return how well the head of column `at` says `role`."""
        return (not self.headings[at].says(role, "aside"), self.headings[at].scores.get(role, 0))

    def is_humid(self, at: int) -> bool:
        """Return whether the head of column `at` is one of a humidity."""
        return bool(self.headings) and self.headings[at].names_humidity()

    def says_nothing(self, at: int) -> bool:
        """Return whether the head of column `at` leaves open what it is."""
        scores = self.headings[at].scores.keys() - {"channel"} if self.headings else set()
        return not scores and not (self.headings and self.headings[at].says("other", "certain"))


def roles_of(columns: Columns) -> Roles | None:
    """Return what each column is, by its head and, where that says nothing, by how it behaves.

    None if there is no column of numbers that a loop could have.
    """
    columns = _with_numbered_pvs(columns)
    time = times_of(columns)
    own = [at for at in range(len(columns.values)) if at != columns.channel]
    rest = [at for at in own if at not in time and not columns.texts[at]]
    filled = [at for at in rest if np.isfinite(columns.values[at]).any()]
    named = {role: [at for at in filled or rest if columns.best(at) == role] for role in ROLES}
    named |= {role: [at] for role, at in columns.stated.items()}
    positions = _positions(columns, named, filled)
    named = {role: [at for at in of_role if at not in positions] for role, of_role in named.items()}
    rest, filled = ([at for at in among if at not in positions] for among in (rest, filled))
    damp = all(any(map(columns.is_humid, named[role])) for role in ("setpoint", "pv"))
    damp = damp or all(map(columns.is_humid, named["pv"]))
    for role in ("setpoint", "pv"):
        named[role] = [at for at in named[role] if damp or not columns.is_humid(at)]
    named["pv"] = [at for at in named["pv"] if not _is_another_time(columns, at)]
    read = [at for at in named["setpoint"] if _is_read(columns, at, named["setpoint"])]
    named["setpoint"] = [at for at in named["setpoint"] if at not in read]
    heads = {at: columns.headings[at] for at in named["pv"]} if columns.headings else {}
    if any(
        head.names_temperature() or (head.scores["pv"] == CERTAIN and not head.has_other_unit())
        for head in heads.values()
    ):
        asked = {columns.headings[at].unit for at in named["setpoint"]}
        named["pv"] = [at for at, head in heads.items() if not head.has_other_unit() or head.unit in asked]
    is_finite = {at: np.isfinite(columns.values[at]) for at in rest if columns.says_nothing(at)}
    open_columns = [at for at, where in is_finite.items() if where.sum() > 0.2 * len(where)]
    named["output"] += [] if named["output"] else _numbered_outputs(columns, named, open_columns)
    open_columns = [at for at in open_columns if at not in named["output"]]
    may = columns.headings and columns.channel is None and named["pv"]
    alone = _one_loop(columns, named, open_columns) if may else {}
    channels = _loops(columns, named, alone) if named["pv"] or named["output"] or alone else {}
    if not any("pv" in roles for roles in channels.values()) and open_columns:
        channels = _unnamed_loops(columns, open_columns, named) or channels
    if not channels:
        return None
    _add_setpoints(columns, channels, rest)
    _add_outputs(columns, channels, filled)
    for at in (at for at in read if columns.headings[at].unit in DEGREES):
        channels[max(channels) + 1] = {"pv": at}
    for at, output in positions.items():
        for loop in (loop for loop in channels.values() if loop.get("output") == output):
            loop.setdefault("position", at)
    unmoved = [loop for loop in channels.values() if _is_unmoved(columns, loop)]
    rests = ", ".join(f"“{columns.headings[loop.pop('output')].text}”" for loop in unmoved)
    guessed = {"output": f"cannot tell: {rests} rests while the setpoint moves"} if rests else {}
    guessed |= {
        role: _why(columns, at, role)
        for roles in reversed(channels.values())
        for role, at in roles.items()
        if not columns.headings or columns.headings[at].scores.get(role, 0) < 2
    }
    if time and not columns.texts[time[0]] and columns.says_nothing(time[0]):
        guessed["time"] = f"column {time[0] + 1}, by how it behaves"
    return Roles(time, channels, guessed, columns.channel)


def _positions(columns: Columns, named: Mapping[str, list[int]], among: Iterable[int]) -> dict[int, int]:
    """Return the columns that measure where an actuator stands → the column of the output it follows.

    Their heads say so, or nothing; then they must move as the output does, and be no pv for want of another.
    """
    heads, found = columns.headings, dict[int, int]()
    told = {at for at in among if heads and heads[at].names_position()} - {*columns.stated.values()}
    commands = [at for at in named["output"] if at not in told]
    unsaid = {at for at in among if named["pv"] and columns.says_nothing(at)} - {*columns.stated.values()}
    for at in sorted(told | unsaid) if commands and heads else ():
        alike = (output for output in commands if heads[at].unit in ("", heads[output].unit or "%"))
        measured = [output for output in alike if _is_position(columns, at, output, at in told)]
        if measured:
            numbered = (output for output in measured if heads[output].index == heads[at].index)
            found[at] = next(numbered, measured[0])
    return found


def _is_position(columns: Columns, at: int, output: int, is_told: bool) -> bool:
    """Return whether column `at` follows the `output`; unless it `is_told` to, in moves of its own."""
    some = slice(None, None, 1 + len(columns.values[at]) // MOST_ROWS)
    position, command = columns.values[at][some], columns.values[output][some]
    followed = followed_by(position, command)
    if followed is None or is_told:
        return followed is not None
    both = np.flatnonzero(np.isfinite(position) & np.isfinite(command))
    for part in (both[: round(AT_FIRST * len(both))], both):
        read, asked = position[part], command[part]
        moves = min(np.ptp(read), np.ptp(asked)) > MOVES * followed.within
        late = followed.rows // 2
        if moves and np.corrcoef(read[late:], asked[: len(asked) - late])[0, 1] > FOLLOWS:
            return True
    return False


def _is_unmoved(columns: Columns, loop: Mapping[str, int]) -> bool:
    """Return whether the output of `loop`, of no certain name, rests while the setpoint moves."""
    if not columns.headings or not {"setpoint", "output", "pv"} <= loop.keys():
        return False
    pv, setpoint, output = (columns.values[loop[role]] for role in ("pv", "setpoint", "output"))
    moves = np.nanmax(setpoint) - np.nanmin(setpoint) > NARROW * (np.nanmax(pv) - np.nanmin(pv))
    rests = np.nanmax(output) - np.nanmin(output) < NARROW * np.nanmax(np.abs(output))
    return bool(moves and rests) and columns.headings[loop["output"]].scores.get("output", 0) < CERTAIN


def _why(columns: Columns, at: int, role: str) -> str:
    if role in ("error", "deviation"):
        return f"pv {'+' if role == 'error' else '-'} column {at + 1}, which is then constant in steps"
    if columns.headings and columns.headings[at].scores.get(role):
        return f"column {at + 1} “{columns.headings[at].text}”"
    return f"column {at + 1}, by how it behaves"


def times_of(columns: Columns) -> tuple[int, ...]:
    """Return the column of time, or those of dates and of the clock: by name, or by what they hold."""
    own = [at for at in range(len(columns.values)) if at != columns.channel]
    counts = {at for at in own if columns.headings and columns.headings[at].says("time", "count")}
    unsaid = [at for at in own if columns.says_nothing(at) and at not in counts]
    written = sorted((at for at in own if columns.texts[at]), key=lambda at: at not in unsaid)
    forward = (at for at in unsaid if not columns.texts[at] and _runs_on(columns.values[at], at == 0))
    heads = {at: columns.headings[at].scores.get("time", 0) for at in own} if columns.headings else {}
    surest = sorted(  # a date with a clock is the time, whatever a number beside it is called
        (at for at in heads if heads[at] >= LIKELY or columns.texts[at] == "stamp"),
        key=lambda at: (columns.texts[at] != "stamp", -heads[at]),
    )
    named = [at for at in surest if columns.texts[at] or goes_on(columns.values[at])][:2]
    both = all(columns.texts[at] and heads[at] == CERTAIN for at in named)
    time = named[: 1 + both] or written[:1] or [*islice(forward, 1)]
    if len(time) == 1 and columns.texts[time[0]] in DATE_AND_CLOCK:
        time += [at for at in written if {columns.texts[at], columns.texts[time[0]]} == {*DATE_AND_CLOCK}][:1]
    return tuple(sorted(time, key=lambda at: columns.texts[at] == DATE_AND_CLOCK[1]))


def _is_read(columns: Columns, at: int, setpoints: Sequence[int]) -> bool:
    """Return whether column `at`, of the `setpoints` by its head, is a reading: “Ref” beside “Set”."""
    values, sure = columns.values[at], [columns.rank(other, "setpoint")[1] == CERTAIN for other in setpoints]
    is_said = columns.rank(at, "setpoint")[1] == CERTAIN or not any(sure)
    return not (is_said or _is_steps(values) or _straight(values) >= STRAIGHT)


def _is_another_time(columns: Columns, at: int) -> bool:
    """Return whether column `at`, whose head rather names a time, runs on like one: “t” beside a date."""
    scores = columns.headings[at].scores
    return scores.get("time", 0) > scores.get("pv", 0) and _runs_on(columns.values[at], False)


def _runs_on(values: Floats, first: bool) -> bool:
    """Return whether `values` behave like a time: forward, evenly; the `first` column may hesitate."""
    finite = values[np.isfinite(values)]
    steps = np.diff(finite)
    if len(finite) < 2 or len(finite) <= 0.9 * len(values) or not (steps > 0).any():
        return False
    usual = float(np.median(steps[steps > 0]))
    odd = np.abs(steps - usual) > EVEN * usual
    even = float((~odd).mean()) >= FORWARD
    onward = float((steps > 0).mean())
    hesitates = first and bool((steps >= 0).all()) and onward > HESITATES and float(np.std(steps)) < 3 * usual
    return (even and onward >= FORWARD) or hesitates


def goes_on(values: Floats) -> bool:
    """Return whether a column called time can be one: it may stand still, start again, or run backwards."""
    finite = values[np.isfinite(values)]
    steps = np.diff(finite)
    way = max(float((steps >= 0).mean()), float((steps <= 0).mean())) if len(steps) else 0.0
    return bool((steps != 0).any() and way >= STARTS_AGAIN)


def _loops(columns: Columns, named: Mapping[str, list[int]], alone: dict[str, int]) -> Loops:
    """Return the loops that the heads name, or the one `alone`, then the pvs without one, each a channel."""
    if alone:
        channels = {1: alone}
    elif not named["pv"]:
        return {number: {"output": at} for number, at in enumerate(named["output"], start=1)}
    else:
        channels = _by_index(columns, named) or dict(enumerate(_by_words(columns, named), start=1))
        ordered = _by_order(columns, named)
        if sum(map(len, ordered.values())) > sum(map(len, channels.values())):
            channels = ordered
    if columns.channel is not None:
        return channels
    used = [roles["pv"] for roles in channels.values()]
    for at in (at for at in named["pv"] if not columns.headings[at].says("pv", "computed")):
        if not any(at == other or _same_reading(columns, at, other) for other in used):
            channels[max(channels) + 1] = {"pv": at}
            used.append(at)
    return channels


def _one_loop(columns: Columns, named: Mapping[str, list[int]], unsaid: Sequence[int]) -> dict[str, int]:
    """Return the loop of a table that has one, where no head surely names its pv; {} if nothing tells it.

    Its pv is what an output answers most plainly, else what is nearest to the setpoint on average: what only
    follows the process answers less, and comes later. What no head names must do so by twice as much.
    """
    values = columns.values
    targets, outputs = ([at for at in named[role] if columns.rank(at, role)[0]] for role in THREE[::2])
    targets, aside = targets or named["setpoint"], set(named["output"]) - set(outputs)
    likely = [at for at in named["pv"] if columns.rank(at, "pv")[0]]
    sure = any(columns.rank(at, "pv")[1] == CERTAIN for at in likely)
    is_shared = not outputs and len([at for at in likely if columns.headings[at].index is not None]) > 1
    is_told = any(_shared_words(columns, *pair) for pair in product(targets, likely))
    if sure or is_told or is_shared or max(len(targets), len(outputs)) > 1 or len(likely) + len(unsaid) < 2:
        return {}
    moving = [at for at in (*likely, *unsaid) if len(np.unique(values[at][np.isfinite(values[at])])) > 2]
    readings = [at for at in moving if not _stands_at_limits(values[at])]
    if not targets and (found := _target(columns, unsaid, readings)) is not None:
        targets, readings = [found], [at for at in readings if at != found]
    elif not targets:
        readings = [at for at in readings if not _is_steps(values[at])]
    target: Floats | float = values[targets[0]] if targets else 0.0
    share = {at: 1.0 if at in likely else UNNAMED for at in readings}
    away = {at: _distance(values[at], values[targets[0]], np.mean) for at in readings if targets}
    near = [at for at in readings if not targets or away[at] <= NEAREST * min(away.values())]
    may = outputs or [at for at in (*unsaid, *aside) if at not in targets and not (targets and at in near)]
    pairs = [(pv, at) for pv, at in product(near, may) if pv != at]
    left = {(pv, at): _unanswered(columns, pv, at, target, at in outputs) for pv, at in pairs}
    best = min(left, key=lambda pair: left[pair] * share[pair[0]], default=(-1, -1))
    loop = {"setpoint": targets[0]} if targets else {}
    if left.get(best, 1.0) < 1.0 - ANSWERS:
        return {"pv": best[0], **loop, "output": best[1]}
    if not away:
        return {}
    loop |= {"output": outputs[0]} if outputs else {}
    return {"pv": min(away, key=lambda at: away[at] * share[at]), **loop}


def _unanswered(columns: Columns, pv: int, at: int, target: Floats | float, is_named: bool) -> float:
    """Return the share of the steps of column `at` that no error of `pv` explains; 1.0 of a reading."""
    values, error = columns.values[at], columns.values[pv] - target
    answers = 1.0 if _switched_apart(values, error) > 1.0 else _answers(values, error)
    is_drive = answers > ANSWERS and (is_named or not _is_reading(columns, at, pv, answers))
    return 1.0 - answers if is_drive else 1.0


def _target(columns: Columns, among: Sequence[int], readings: Sequence[int]) -> int | None:
    """Return that of the columns `among` which is the setpoint of one of the `readings`, None if none is."""
    values = columns.values
    within = HELD if columns.headings else 1.0
    still = [at for at in among if _is_steps(values[at]) or _straight(values[at]) >= STRAIGHT]
    pairs = ((at, pv) for at in still for pv in readings if pv != at and not _stands_at_limits(values[at]))
    found = (pair for pair in pairs if _is_target(values[pair[0]], values[pair[1]], within))
    near = {at: _distance(values[pv], values[at]) for at, pv in found}
    return min(near, key=near.__getitem__, default=None)


def _numbered_outputs(columns: Columns, named: Mapping[str, list[int]], unsaid: Sequence[int]) -> list[int]:
    """Return the columns that no head names, numbered as the pvs are, of which one drives its own."""
    heads = columns.headings
    pvs = {heads[at].index: at for at in named["pv"] if heads and heads[at].index is not None}
    targets = {heads[at].index: columns.values[at] for at in named["setpoint"]}
    for family in _families(columns, unsaid, pvs) if len(pvs) > 1 else ():
        target = {index: targets.get(index, targets.get(None, 0.0)) for index in pvs}
        of = [(pvs[heads[at].index], at, target[heads[at].index]) for at in family]
        if any(_unanswered(columns, pv, at, aim, False) < 1.0 - ANSWERS for pv, at, aim in of):
            return family
    return []


def _families(
    columns: Columns, unsaid: Iterable[int], numbers: Collection[int | None]
) -> Iterator[list[int]]:
    """Yield the columns of like heads among those that no head names, where they have all the `numbers`."""
    heads, families = columns.headings, dict[tuple[str, ...], list[int]]()
    for at in unsaid:
        families.setdefault(heads[at].words, []).append(at)
    yield from (family for family in families.values() if {heads[at].index for at in family} == {*numbers})


def _with_numbered_pvs(columns: Columns) -> Columns:
    """Return the columns; as pvs those that no head names, numbered as the setpoints are, nearest to them."""
    heads = columns.headings
    targets = {heads[at].index: at for at in range(len(heads)) if columns.best(at) == "setpoint"}
    pvs = {heads[at].index for at in range(len(heads)) if columns.best(at) == "pv"}
    if len(targets) < 2 or None in targets or targets.keys() & pvs:
        return columns
    unsaid = (at for at in range(len(heads)) if columns.says_nothing(at))
    away = {
        sum(_distance(columns.values[at], columns.values[targets[heads[at].index]]) for at in family): family
        for family in _families(columns, unsaid, targets)
    }
    family = away[min(away)] if away else ()
    named = (replace(head, scores={"pv": CERTAIN}) if at in family else head for at, head in enumerate(heads))
    return replace(columns, headings=[*named])


def _by_index(columns: Columns, named: Mapping[str, list[int]]) -> Loops:
    """Return the channels of columns like “Temperature 1”, “Heater 1”, “Temperature 2”; {} if one."""
    headings = columns.headings
    numbered = [at for at in named["pv"] if headings[at].index is not None]
    of_loops = any(headings[at].index is not None for role in OWN for at in named[role])
    if not of_loops and len({headings[at].words for at in numbered}) == len(numbered):
        return {}  # the numbers of a logger's inputs
    best = max((headings[at].scores["pv"] for at in numbered), default=0)
    pvs = {headings[at].index: at for at in reversed(numbered) if headings[at].scores["pv"] == best}
    if len(pvs) < 2 or any(headings[at].scores["pv"] > best for at in named["pv"]):
        return {}
    named_alike = {
        pv for setpoint, pv in product(named["setpoint"], named["pv"]) if _shared_words(columns, setpoint, pv)
    }
    if named_alike and named_alike.isdisjoint(numbered):
        return {}  # “Shelf SP” is of “Shelf”: those that are numbered lie in it
    channels: Loops = {}
    for index, pv in sorted((index, at) for index, at in pvs.items() if index is not None):
        channels[index] = {"pv": pv}
        for role in OWN:
            matching = [at for at in named[role] if headings[at].index == index]
            shared = [at for at in named[role] if headings[at].index is None]
            if matching or shared:
                best = (matching or _ranked(columns, shared, role))[0]
                many = role == "setpoint" and matching
                channels[index][role] = _followed(columns, pv, matching) if many else best
    return channels


def _by_order(columns: Columns, named: Mapping[str, list[int]]) -> Loops:
    """Return the loops of columns in blocks of pv, setpoint and output, or role by role; {} if in no order.

    Whatever their names say: “Input A”, “Setpoint 1”, “Input B”, “Setpoint 2”. Most setpoints must be the
    nearest to the pv they come with.
    """
    roles = [role for role in THREE if named[role]]
    of = {at: role for role in roles for at in named[role]}
    count, letters = len(named["setpoint"]), "".join(of[at][0] for at in sorted(of))
    if count < 2 or any(columns.headings[at].says("setpoint", "aside") for at in named["setpoint"]):
        return {}
    best: tuple[int, Loops] = (math.ceil(count / 2) - 1, {})
    for order in permutations(role[0] for role in roles):
        blocks = re.search(f"(?:{''.join(order)}){{{count}}}", letters)
        groups = re.fullmatch("".join(f"{letter}{{{count}}}" for letter in order), letters)
        if match := blocks or groups:
            found = sorted(of)[match.start() : match.end()]
            loops = [
                found[len(roles) * at :][: len(roles)] if blocks else found[at::count] for at in range(count)
            ]
            channels = {number: {of[at]: at for at in loop} for number, loop in enumerate(loops, start=1)}
            near = sum(
                loop["setpoint"] == _followed(columns, loop["pv"], named["setpoint"])
                for loop in channels.values()
            )
            best = max(best, (near, channels), key=lambda pair: pair[0])
    return best[1]


def _followed(columns: Columns, pv: int, setpoints: Sequence[int]) -> int:
    """Return that of several setpoints which pv follows: of target and working setpoint the working one."""

    def away(at: int) -> tuple[bool, float]:
        mean = _distance(columns.values[pv], columns.values[at], np.mean)
        return columns.headings[at].says("setpoint", "aside"), mean

    return min(setpoints, key=away)


def _ranked(columns: Columns, among: Sequence[int], role: str) -> list[int]:
    return sorted(among, key=lambda at: columns.rank(at, role), reverse=True)


def _by_words(columns: Columns, named: Mapping[str, list[int]]) -> list[dict[str, int]]:
    """Return the loops of “Beer Temp”, “Beer Setpoint”, “Fridge Temp”: a setpoint's pv is named alike.

    Of pvs that are named alike, or not at all, the one nearest to the setpoint is meant.
    """
    loops: list[dict[str, int]] = []
    spare: list[int] = []
    for setpoint in _ranked(columns, named["setpoint"], "setpoint"):
        free = [at for at in named["pv"] if at not in [loop["pv"] for loop in loops]]
        if not all(map(columns.is_humid, named["pv"])):
            free = [at for at in free if columns.is_humid(at) == columns.is_humid(setpoint)]
        alike = [at for at in free if _shared_words(columns, setpoint, at)]
        paired = any(columns.is_humid(loop["setpoint"]) == columns.is_humid(setpoint) for loop in loops)
        if alike or (free and not paired):
            loops.append({"pv": _nearest(columns, setpoint, alike or free), "setpoint": setpoint})
        else:
            spare.append(setpoint)
    for loop in loops:
        pv, shared = loop["pv"], _shared_words(columns, loop["setpoint"], loop["pv"])
        of_kind = (at for at in spare if columns.is_humid(at) == columns.is_humid(pv))
        rivals = [at for at in of_kind if _shared_words(columns, at, pv) >= shared]
        loop["setpoint"] = _followed(columns, pv, [loop["setpoint"], *rivals])
    if not loops:
        best = max(
            named["pv"], key=lambda at: (*columns.rank(at, "pv"), columns.headings[at].unit == "°C", -at)
        )
        loops.append({"pv": best})
    for role in OWN[1:]:
        free = named[role]
        for loop in loops:
            head = loop.get("setpoint", loop["pv"])

            def likeness(at: int, head: int = head, role: str = role) -> tuple[bool, bool, int, int, bool]:
                aside, score = columns.rank(at, role)
                shared = _letters(columns.headings[at]) & _letters(columns.headings[head])
                measured = columns.headings[at].unit in ELECTRIC
                same = columns.is_humid(at) == columns.is_humid(head)
                return same, aside, len(shared), score, not measured

            if free:
                loop[role] = max(free, key=likeness)
                free = [at for at in free if at != loop[role]] if role == "output" else free
    return sorted(loops, key=lambda loop: columns.is_humid(loop["pv"]))


def _letters(heading: Heading) -> set[str]:
    """Return the words of `heading`; of Chinese, which has no blanks, the characters."""
    return {part for word in heading.words for part in ([word] if word.isascii() else word)}


def _shared_words(columns: Columns, setpoint: int, pv: int) -> int:
    """Return how many words of its own the head of `setpoint` has, 0 if that of `pv` lacks one of them."""
    words = vocabulary()["setpoint"]
    every = [*words["certain"], *words["likely"], *words["aside"]]
    of_role = {part for word in every for part in word.split()}
    of_role |= {letter for word in of_role if not word.isascii() for letter in word}
    of_role |= {"heating", "heat", "加", "熱", "热"}
    letters = _letters(columns.headings[setpoint]) - of_role
    return len(letters) if letters <= _letters(columns.headings[pv]) else 0


def _nearest(columns: Columns, setpoint: int, pvs: Sequence[int]) -> int:
    target = columns.values[setpoint]

    def rank(at: int) -> tuple[object, ...]:
        shared = _shared_words(columns, setpoint, at)
        heading = columns.headings[at]
        away = _distance(columns.values[at], target)
        return shared, -away, not heading.says("pv", "aside"), heading.unit == "°C", -at

    return max(pvs, key=rank)


def _same_reading(columns: Columns, column: int, other: int) -> bool:
    """Return whether one column is the other in another unit: on a straight line to the last digit."""
    both = np.isfinite(columns.values[column]) & np.isfinite(columns.values[other])
    x, y = columns.values[column][both], columns.values[other][both]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0 or _is_steps(x) != _is_steps(y):
        return False
    slope, offset = np.polyfit(x - x.mean(), y, 1)
    digit = abs(slope) * _digit(x) + _digit(y)
    return bool(np.abs(y - offset - slope * (x - x.mean())).max() <= digit)


def _digit(values: Floats) -> float:
    """Return the least step between different values, nan if all are equal."""
    steps = np.diff(np.unique(values))
    return float(steps.min()) if len(steps) else math.nan


def _add_setpoints(columns: Columns, channels: Loops, rest: Sequence[int]) -> None:
    """Give channels of a headed table a setpoint that its head does not name, from how the columns behave.

    Either a control error, whose sum with pv is constant in steps, or a column that changes in steps while pv
    follows it, even if both are named as pv.
    """
    if not columns.headings or any("setpoint" in roles or "error" in roles for roles in channels.values()):
        return
    first = next(iter(channels.values()))
    pv = first.get("pv")
    if pv is None:
        return
    for at in (at for at in rest if columns.headings[at].says("other", "error")):
        for role, way in (("error", 1.0), ("deviation", -1.0)):
            if _is_steps(stated_setpoint(columns.values[pv], columns.values[at], way)):
                first[role] = at
                return
    others = {roles["pv"]: number for number, roles in list(channels.items())[1:] if set(roles) == {"pv"}}
    for at in [*others, *(at for at in rest if columns.says_nothing(at))]:
        for target, reading in ((at, pv), (pv, at)):
            both = columns.values[target], columns.values[reading]
            if not _stands_at_limits(both[1]) and _is_target(*both, HELD):
                first |= {"pv": reading, "setpoint": target}
                channels.pop(others.get(at, 0), None)
                return


def _add_outputs(columns: Columns, channels: Loops, rest: Sequence[int]) -> None:
    """Give the loops with a setpoint, and the first, of a headed table outputs that no head names.

    A column is the loop's that it drives most plainly. As many in percent as loops are left go in order.
    """
    first = next(iter(channels.values()))
    told = [loop for loop in channels.values() if "pv" in loop and ("setpoint" in loop or loop is first)]
    lacking = [loop for loop in told if "output" not in loop][:LACKING] if columns.headings else []
    used = {at for loop in channels.values() for at in loop.values()}
    unsaid = [at for at in rest if columns.says_nothing(at) and at not in used]
    drives = [_drives(columns, loop, unsaid) for loop in lacking]
    while any(drives):
        number = max(range(len(drives)), key=lambda number: drives[number][:1])
        _, at = drives.pop(number)[0]
        lacking.pop(number)["output"] = at
        unsaid.remove(at)
        drives = [[drive for drive in of_loop if drive[1] != at] for of_loop in drives]
    percent = [at for at in unsaid if columns.headings and columns.headings[at].unit == "%"]
    if len(percent) == len(lacking) and len(channels) > 1:
        for loop, at in zip(sorted(lacking, key=lambda loop: loop["pv"]), percent, strict=True):
            loop["output"] = at


def _drives(columns: Columns, loop: Mapping[str, int], unsaid: Sequence[int]) -> list[tuple[float, int]]:
    """Return how plainly each of the columns `unsaid` drives `loop`, the plainest first; only those that do.

    What switches to either side of it; without such what answers the control error from row to row, as
    proportional and integral action do.
    """
    pv = columns.values[loop["pv"]]
    error = pv - (columns.values[loop["setpoint"]] if "setpoint" in loop else 0.0)
    for weight, least in ((_switched_apart, 1.0), (_answers, ANSWERS)):
        likely = {at: weight(columns.values[at], error) for at in unsaid}
        units = {at: columns.headings[at].unit for at in likely}  # of current and voltage that say the same
        order = {
            at: -ELECTRIC.index(unit) if unit in ELECTRIC else -len(ELECTRIC) for at, unit in units.items()
        }
        ranked = sorted(likely, key=lambda at: (round(likely[at], 1), order[at]), reverse=True)
        if drives := [(likely[at], at) for at in ranked if likely[at] > least]:
            return drives
        unsaid = [at for at in unsaid if "setpoint" in loop and not _is_reading(columns, at, loop["pv"])]
    return []


def _is_reading(columns: Columns, at: int, of: int, answers: float = 0.0) -> bool:
    """Return whether column `at` is a temperature, or reads what the pv in column `of` does.

    What looks like it is none if it `answers` nearly all of the control error.
    """
    values, pv = columns.values[at], columns.values[of]
    both = np.isfinite(values) & np.isfinite(pv)
    moves = both.sum() > LEAST_ROWS and np.ptp(values[both]) > 0 and np.ptp(pv[both]) > 0
    unit, its = (columns.headings[column].unit if columns.headings else "" for column in (at, of))
    both_ways = moves and values[both].min() < 0 <= pv[both].min()  # a Peltier current
    may = unit != "%" and not (its in DEGREES and not unit)  # beside a humidity an output has its range
    alike = may and not both_ways and answers < ANSWERS_ALL and _is_alike(values, pv)
    return unit in DEGREES or not moves or alike or float(np.corrcoef(values[both], pv[both])[0, 1]) > SENSOR


def _answers(values: Floats, error: Floats) -> float:
    """Return the share of the steps of `values`, but at limits, that `error` and its steps explain.

    What goes the way of pv is an output only where it stands at limits, as for cooling: else it follows pv.
    """
    both = np.isfinite(values) & np.isfinite(error)
    values, error = values[both], error[both]
    share, follows = max(_explained(values, error, lag) for lag in {1, max(1, len(values) // BENDS)})
    if share <= ANSWERS or not follows or _stands_at_limits(values):
        return share
    ends = max(float((values == end).mean()) for end in (values.min(), values.max()))
    return share if ends >= AT_LIMITS and len(np.unique(values)) > LEAST_ROWS else 0.0


def _explained(values: Floats, error: Floats, lag: int) -> tuple[float, bool]:
    """Return the share of the steps of `values` over `lag` rows that `error` explains; if they follow it."""
    rows = np.arange(0, len(values) - lag, max(1, len(values) // MOST_ROWS))
    least, most = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    inside = (values > least) & (values < most)
    rows = rows[inside[rows] & inside[rows + lag]]
    steps = values[rows + lag] - values[rows]
    if len(steps) < LEAST_ROWS or not steps.any():
        return 0.0, False
    causes = np.column_stack([error[rows + lag] - error[rows], error[rows + lag]])
    acts = np.linalg.lstsq(causes, steps)[0]
    left = steps - causes @ acts
    strongest = acts[np.argmax(np.abs(acts) * np.std(causes, axis=0))]
    return 1.0 - float((left @ left) / (steps @ steps)), bool(strongest > 0)


def _switched_apart(values: Floats, error: Floats) -> float:
    """Return how far apart `values` switch on and off, per spread of each; 0: it is no switch."""
    if not _stands_at_limits(values) or len(np.unique(values)) != 2:
        return 0.0
    on, off = (error[1:][way * np.diff(values) > 0] for way in (1, -1))
    if min(np.isfinite(on).sum(), np.isfinite(off).sum()) < SWITCHES:
        return 0.0
    (low, high), (least, most) = (np.nanquantile(part, (0.25, 0.75)).tolist() for part in (on, off))
    return float(max(low - most, least - high) / max(high - low, most - least, 1e-9))


def is_mixed(values: Floats) -> bool:
    """Return whether `values` are of several sensors that take turns row by row, as of tags without a name.

    Each row is far from the one before, nearly all are where the row one turn before them was.

    >>> is_mixed(np.tile([21.4, 60.2, 118.0], 40)), is_mixed(np.tile([20.0, 20.1], 60))
    (True, False)
    """
    finite = values[np.isfinite(values)][:MOST_ROWS]
    moves = np.abs(np.diff(finite))
    if len(finite) < LEAST_ROWS or moves.mean() < FAR_APART * np.ptp(np.quantile(finite, (0.01, 0.99))):
        return False
    turns = (np.abs(finite[turn:] - finite[:-turn]) for turn in range(2, min(MOST_TURN, len(finite) // 5)))
    near = any(np.quantile(back, TURNS) <= SAME_LEVEL * moves.mean() for back in turns)
    return bool(near and moves.mean() >= MANY_DIGITS * _resolution(finite))


def stated_setpoint(pv: Floats, error: Floats, way: float) -> Floats:
    """Return the setpoint from `pv` and its control error: pv + way * error, to the digits of pv."""
    digit = min(filter(math.isfinite, (_digit(pv[np.isfinite(pv)]), 1.0)), default=1.0)
    decimals = max(0, min(9, -math.floor(math.log10(digit) + 1e-9)))
    return np.asarray(np.round(pv + way * error, decimals))


def _is_target(values: Floats, pv: Floats, within: float = 1.0) -> bool:
    """Return whether pv moves, mostly `within` that share of its range of `values`, which rest or run on."""
    if _trembles(values, pv):
        return False
    away, moves = _distance(pv, values), np.diff(values)
    made = np.flatnonzero(np.isfinite(moves) & (moves != 0))
    left = np.abs(values - pv)[made + 1]  # a coarse sensor moves half-way
    near = (left < AHEAD * np.abs(moves[made]))[np.isfinite(left)]
    follows = len(near) > FEW_MOVES and float(np.mean(near)) > 0.5
    if follows or math.isinf(away) or away > within * float(np.ptp(pv[np.isfinite(pv)])):
        return False
    rests = _is_steps(values) and len(made) < int(np.count_nonzero(np.diff(pv[np.isfinite(pv)])))
    return rests or _straight(values) >= _straight(pv) + STRAIGHT


def _trembles(values: Floats, pv: Floats) -> bool:
    """Return whether `values` move by the last digits they or `pv` are written in, to and fro: a reading."""
    finite = values[np.isfinite(values)]
    moves = np.diff(finite)
    moves = moves[moves != 0]
    if not len(moves):
        return False
    digits = DIGITS * min(_resolution(finite), _resolution(pv[np.isfinite(pv)]))
    to_and_fro = float((moves[1:] * moves[:-1] < 0).mean()) if len(moves) > FEW_MOVES else 0.0
    return bool(np.ptp(finite) <= digits or (to_and_fro > REVERSALS and np.median(np.abs(moves)) <= digits))


def _resolution(values: Floats) -> float:
    """Return the place of the last digit that `values` are written with: 0.1 for 20.5."""
    some = values[:: max(1, len(values) // MOST_ROWS)]
    places = (place for place in range(DECIMALS) if np.allclose(some, np.round(some, place), atol=1e-9))
    return float(10.0 ** -next(places, DECIMALS))


def _straight(values: Floats) -> float:
    """Return the share of rows at which `values` go on as they did, to their digit."""
    finite = values[np.isfinite(values)]
    finite = finite[:: max(1, len(finite) // MOST_ROWS)]
    lag = max(1, len(finite) // BENDS)
    bends = finite[2 * lag :] - 2 * finite[lag:-lag] + finite[: -2 * lag]
    return float((np.abs(bends) <= 1.01 * _digit(finite)).mean()) if len(bends) else 0.0


def _unnamed_loops(columns: Columns, rest: Sequence[int], named: Mapping[str, list[int]]) -> Loops:
    """Return the loops of the columns `rest`, whose heads say no more than the number of a channel."""
    index = {at: heading.index or 0 for at, heading in enumerate(columns.headings)}
    channels: Loops = {}
    for number in sorted({index.get(at, 0) for at in rest} - {0}):
        heads = {role: [at for at in every if index[at] == number] for role, every in named.items()}
        numbered = [at for at in rest if index[at] == number]
        channels |= {number: _loops_by_behaviour(columns, numbered, heads)[1]} if len(numbered) > 1 else {}
    if len(channels) > 1:
        return channels
    repeated = {} if any(named.values()) else _repeated_loops(columns, rest)
    return repeated or _loops_by_behaviour(columns, rest, named)


def _repeated_loops(columns: Columns, rest: Sequence[int]) -> Loops:
    """Return the loops of columns in threes, loop by loop or role by role; {} if they are no such.

    Told one by one from how they behave, most of the loops must have their columns in the same order.
    """
    count, over = divmod(len(rest), len(THREE))
    if over or count < 2:
        return {}
    one_by_one = [rest[at : at + len(THREE)] for at in range(0, len(rest), len(THREE))]
    for loops in (one_by_one, [rest[at::count] for at in range(count)]):
        orders: Counter[tuple[int, ...]] = Counter()
        for of_loop in loops:
            channels = _loops_by_behaviour(columns, of_loop, {role: [] for role in ROLES})
            if len(channels) == 1 and set(channels[1]) == set(THREE):
                orders[tuple(of_loop.index(channels[1][role]) for role in THREE)] += 1
        for order, votes in orders.items():
            if votes >= AGREED * count:
                placed = ([of_loop[place] for place in order] for of_loop in loops)
                return {number: dict(zip(THREE, of, strict=True)) for number, of in enumerate(placed, 1)}
    return {}


def _loops_by_behaviour(columns: Columns, rest: Sequence[int], named: Mapping[str, list[int]]) -> Loops:
    """Return loops from how the columns `rest` behave, whose heads say nothing; {} without a likely pv.

    The sum of pv and control error changes rarely, as a setpoint does; pv comes near its setpoint and is the
    smoothest; an output stands at its limits or is rougher than pv.
    """
    values = columns.values
    moving = [at for at in rest if not _is_steps(values[at])]
    at_limits = {at for at in rest if _stands_at_limits(values[at])}
    loops = _with_errors(columns, moving)
    if not loops and (alone := _one_loop(columns, named, rest)):
        loops = [alone]
    elif not loops:
        loop: dict[str, int] = {role: named[role][0] for role in ("setpoint", "output") if named[role]}
        left = [at for at in moving or rest if at not in loop.values()]
        if left:
            free = [at for at in left if at not in at_limits] or left
            loops = [loop | {"pv": min(free, key=lambda at: (_roughness(values[at]), at))}]
    used = {at for loop in loops for at in loop.values()}
    for loop in loops:
        pv, free = loop["pv"], [at for at in rest if at not in used]
        behind = [at for at in free if at > pv] + [at for at in free if at < pv]
        moving_steps = (at for at in behind if _is_steps(values[at]) and np.nanstd(values[at]) > 0)
        steps = (at for at in moving_steps if not _is_alike(values[at], values[pv]))
        output = next(chain((at for at in behind if at in at_limits), steps), None)
        if output is not None and "output" not in loop:
            loop["output"] = output
            used.add(output)
    return dict(enumerate(loops, start=1))


def _with_errors(columns: Columns, moving: Sequence[int]) -> list[dict[str, int]]:
    """Return a loop for each pair whose sum is constant in steps: pv, and the error, nearer to 0."""
    loops: list[dict[str, int]] = []
    for pair in combinations(moving, 2) if len(moving) <= MOST_COLUMNS else ():
        used = {column for loop in loops for column in loop.values()}
        one, other = (columns.values[at][:MOST_ROWS] for at in pair)
        if used.isdisjoint(pair) and _is_steps(stated_setpoint(one, other, 1.0)):
            error, pv = sorted(pair, key=lambda at: (np.nanmin(np.abs(columns.values[at])), -at))
            loops.append({"pv": pv, "error": error})
    return loops


def _stands_at_limits(values: Floats) -> bool:
    """Return whether `values` are in the range of an output and stand for a while at 0 or full scale."""
    finite = np.abs(values[np.isfinite(values)])
    if len(finite) < 2 or finite.max() == 0:
        return False
    if np.ptp(finite) == 0:
        return finite[0] in (100.0, *OUTPUT_RANGES)
    full = [limit for limit in (1.0, 100.0, SIGNED_BYTE, *OUTPUT_RANGES) if finite.max() <= limit]
    at_limit = (finite == 0) | ((finite == finite.max()) & (finite.max() in full))
    return bool(full) and float(at_limit.mean()) >= AT_LIMITS


def _is_alike(values: Floats, pv: Floats) -> bool:
    """Return whether `values` are in the range of pv and as smooth: another reading of the kind."""
    (least, most), (low, high) = np.nanquantile((values, pv), [0.02, 0.98], axis=1).T  # no first zeros
    return bool(least <= high and most >= low and _roughness(values) <= ROUGHER * _roughness(pv))


def _distance(pv: Floats, setpoint: Floats, of: Callable[[Floats], np.floating] = np.median) -> float:
    both = np.isfinite(pv) & np.isfinite(setpoint)
    return float(of(np.abs(pv[both] - setpoint[both]))) if both.any() else math.inf


def _is_steps(values: Floats) -> bool:
    finite = values[np.isfinite(values)]
    changes = float((np.diff(finite) != 0).mean()) if len(finite) > 1 else 0.0
    return changes <= STEPS_AT_MOST and len(np.unique(finite)) <= max(10, DISTINCT_AT_MOST * len(finite))


def _roughness(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    spread = float(np.std(finite))
    return float(np.std(np.diff(finite))) / spread if spread and len(finite) > 2 else math.inf
