"""Which column of a table is what: by its header, by how it behaves, or as the reader was told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, islice

import numpy as np

from instrumentgpt.instruments.analysis.position import AT_FIRST, followed_by
from instrumentgpt.instruments.reading.behaviour import (
    LEAST_ROWS,
    STRAIGHT,
    goes_on,
    goes_to_and_fro,
    is_steps,
    runs_on,
    same_reading,
    stated_setpoint,
    straight,
)
from instrumentgpt.instruments.reading.headers import CERTAIN, DEGREES, LIKELY, ROLES
from instrumentgpt.instruments.reading.pairing import Columns, Loop, loops_of

NARROW = 0.1  # share of its size in which no output stays while the setpoint moves by such a share of pv
MOVES, FOLLOWS = 3.0, 0.8  # times that a position may differ from its output, that both move; correlation
MOST_COLUMNS, MOST_ROWS = 40, 4000  # in which what no head says is looked for
Loops = dict[int, dict[str, int]]  # number of the channel → role → column
DATE_AND_CLOCK = ("date", "clock")  # texts that are a time together
GAINS = ("kp", "ki", "kd")
SWITCHED = 3  # values of what goes on and off, nan with them


@dataclass(frozen=True)
class Roles:
    """For each channel its columns, role → number of column; `time` columns; `guessed` role → reason.

    `unnamed` are the roles of columns that no head names: they are told by how they behave.

    A channel without a setpoint may have instead an "error", setpoint - pv, or "deviation", pv - setpoint.
    """

    time: tuple[int, ...]
    channels: Mapping[int, Mapping[str, int]]
    guessed: Mapping[str, str] = field(default_factory=dict)
    channel_column: int | None = None
    unnamed: frozenset[str] = frozenset()


def roles_of(columns: Columns) -> Roles | None:
    """Return what each column is, by its head and, where that says nothing, by how it behaves.

    None if there is no column of numbers that a loop could have.
    """
    time = times_of(columns)
    own = [at for at in range(len(columns.values)) if at != columns.channel]
    rest = [at for at in own if not (at in time or columns.texts[at] or _is_fraction(columns, time, at))]
    filled = [at for at in rest if np.isfinite(columns.values[at]).any()] or rest
    named = {role: [at for at in filled if columns.best(at) == role] for role in ROLES}
    named |= {role: [at] for role, at in columns.stated.items()}
    positions = _positions(columns, named, filled)
    read = [at for at in named["setpoint"] if _is_read(columns, at, named["setpoint"])]
    apart = {*positions, *read, *(at for at in named["pv"] if _is_another_time(columns, at))}
    among = [at for at in filled if at not in apart and _has_values(columns, at)]
    is_open = all(map(columns.says_nothing, among))
    errors = (
        _with_errors(columns, [at for at in among if not is_steps(columns.values[at])]) if is_open else []
    )
    loops = _to_be_told(columns, loops_of(columns, among, errors)) or [
        {"output": at} for at in named["output"]
    ]
    if not loops:
        return None
    _add_error(columns, loops[0], rest)
    channels = _numbered(columns, loops)
    for gain in GAINS:
        for loop in channels.values() if named[gain] else ():
            loop[gain] = max(named[gain], key=partial(_likeness, columns, loop.get("pv", 0)))
    alike = {*DEGREES, *(columns.unit(loop["pv"]) for loop in loops if "setpoint" in loop)}
    for at in (at for at in read if columns.unit(at) in alike):
        channels[max(channels) + 1] = {"pv": at}
    driving = [loop["output"] for loop in channels.values() if "output" in loop]
    free = {*filled} - {at for loop in channels.values() for at in loop.values()}
    positions |= _positions(columns, {**named, "output": driving, "pv": []}, free - {*positions})
    for at, output in positions.items():
        for loop in (loop for loop in channels.values() if loop.get("output") == output):
            loop.setdefault("position", at)
    _add_cooling(columns, channels, [at for at in among if at not in apart])
    unmoved = [loop for loop in channels.values() if _is_unmoved(columns, loop)]
    rests = ", ".join(f"“{columns.headings[loop.pop('output')].text}”" for loop in unmoved)
    guessed = {"output": f"cannot tell: {rests} rests while the setpoint moves"} if rests else {}
    unsure = {
        role: at
        for roles in reversed(channels.values())
        for role, at in roles.items()
        if role != "cooling" and columns.score(at, role) < LIKELY
    }
    if time and not columns.texts[time[0]] and columns.says_nothing(time[0]):
        unsure["time"] = time[0]
    guessed |= {role: _why(columns, at, role) for role, at in unsure.items()}
    by_error = ("error", "deviation")
    unnamed = {role for role, at in unsure.items() if role not in by_error and not columns.score(at, role)}
    return Roles(time, channels, guessed, columns.channel, frozenset(unnamed))


def _has_values(columns: Columns, at: int) -> bool:
    """Return whether column `at` has a role by its head, or numbers in a fifth of the rows."""
    return not columns.says_nothing(at) or np.isfinite(columns.values[at]).mean() > 0.2


def _to_be_told(columns: Columns, loops: list[Loop]) -> list[Loop]:
    """Return the loops in the order of channels: temperatures first, then by column, pvs alone last.

    Of pvs alone no mean, no other quantity beside a temperature but in the unit of a loop's pv, nothing in
    another unit that is told.
    """
    kinds = {loop["pv"]: columns.kind(loop["pv"]) not in ("", "temperature") for loop in loops}
    is_thermal = any(
        columns.kind(at) == "temperature" or (not is_other and columns.score(at, "pv") == CERTAIN)
        for at, is_other in kinds.items()
    )
    in_order = sorted(loops, key=lambda loop: (len(loop) == 1, kinds[loop["pv"]], loop["pv"]))
    told = [loop for loop in in_order if len(loop) > 1] or loops[:1]
    of_loops = {columns.unit(loop["pv"]) for loop in told if "setpoint" in loop} - {""}
    for loop in in_order if columns.channel is None else ():
        at, used = loop["pv"], [other["pv"] for other in told]
        is_again = any(same_reading(columns.values[at], columns.values[other]) for other in used)
        is_mean = bool(columns.headings) and columns.headings[at].says("pv", "computed")
        is_other = is_thermal and kinds[at] and columns.unit(at) not in of_loops
        is_unread = bool(told) and not np.nan_to_num(columns.values[at]).any()
        if len(loop) == 1 and not (is_again or is_mean or is_other or is_unread or at in used):
            told.append(loop)
    return told


def _numbered(columns: Columns, loops: Sequence[Loop]) -> Loops:
    """Return the loops by the number of their channel: as their pvs are numbered, else in their order."""
    heads = [columns.headings[loop["pv"]] if columns.headings and "pv" in loop else None for loop in loops]
    numbers = [head.index if head else None for head in heads]
    controlled = [
        (number, {columns.headings[at].index for role, at in loop.items() if role != "pv"} - {None})
        for number, loop in zip(numbers, loops, strict=True)
        if len(loop) > 1 and columns.headings
    ]
    of_loops = [number for number, others in controlled if number is not None and number in others]
    words = [head.words for head in heads if head and head.index is not None]
    is_row = len({*words}) < len(words) and all(number is not None and not own for number, own in controlled)
    own = of_loops or [number for number in numbers if number is not None and is_row]
    channels: Loops = {}
    if len({*numbers} - {None}) > 1 and 0 < len(own) == len({*own}):
        for number, loop in zip(numbers, loops, strict=True):
            if number is not None:
                channels.setdefault(number, loop)
    for loop in loops:
        if not any(loop is other for other in channels.values()):
            channels[max(channels, default=0) + 1] = loop
    return dict(sorted(channels.items()))


def _likeness(columns: Columns, pv: int, at: int) -> tuple[bool, int]:
    """Return how well the head of the gain `at` fits that of `pv`: the number of its loop, shared words."""
    head, its = columns.headings[at], columns.headings[pv]
    return head.index == its.index, len({*head.words} & {*its.words})


def _add_cooling(columns: Columns, channels: Loops, among: Sequence[int]) -> None:
    """Give loops that heat the output that cools them, and those that cool the one that heats, by heads.

    The two are alike in unit; of several it is the nearest. Where cooling has a
    setpoint of its own, they are two loops.
    """
    if any(columns.best(at) == "setpoint" and columns.headings[at].says("setpoint", "aside") for at in among):
        return
    used = {at for loop in channels.values() for at in loop.values()}
    free = [at for at in among if at not in used and columns.score(at, "output") and _works(columns, at)]
    for loop in channels.values():
        own = loop.get("output", -1)
        pairs = [at for at in free if _are_halves(columns, own, at)] if _works(columns, own) else []
        if pairs:
            other = min(pairs, key=lambda at: abs(at - own))
            free.remove(other)
            loop["output"], loop["cooling"] = (other, own) if _cools(columns, own) else (own, other)


def _works(columns: Columns, at: int) -> bool:
    values = columns.values[at][np.isfinite(columns.values[at])] if at >= 0 else np.empty(0)
    return bool(values.size and values.min() >= 0 and np.ptp(values) > 0)


def _cools(columns: Columns, at: int) -> bool:
    return columns.headings[at].says("output", "cooling") if columns.headings else False


def _are_halves(columns: Columns, one: int, other: int) -> bool:
    alike = {(columns.unit(at), len(np.unique(columns.values[at])) <= SWITCHED) for at in (one, other)}
    return len(alike) == 1 and _cools(columns, one) != _cools(columns, other)


def _add_error(columns: Columns, loop: Loop, rest: Sequence[int]) -> None:
    """Give a loop without a setpoint the control error, whose sum with pv is constant in steps."""
    if "setpoint" in loop or "error" in loop or "pv" not in loop or not columns.headings:
        return
    for at in (at for at in rest if columns.headings[at].says("other", "error")):
        for role, way in (("error", 1.0), ("deviation", -1.0)):
            if is_steps(stated_setpoint(columns.values[loop["pv"]], columns.values[at], way)):
                loop.setdefault(role, at)


def _positions(columns: Columns, named: Mapping[str, list[int]], among: Iterable[int]) -> dict[int, int]:
    """Return the columns that measure where an actuator stands → the column of the output it follows.

    Their heads say so, or nothing; then they must move as the output does, and be no pv for want of another.
    """
    heads, found = columns.headings, dict[int, int]()
    told = {at for at in among if heads and heads[at].names_position()} - {*columns.stated.values()}
    commands = [at for at in named["output"] if at not in told]
    asked = [{*heads[at].words} for at in named["setpoint"]] if heads else []
    unsaid = {
        at
        for at in among
        if named["pv"]
        and columns.says_nothing(at)
        and not any({*heads[at].words} < words for words in asked)  # “mash” of “mash_sp”
    } - {*columns.stated.values()}
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
        moves &= 2 * np.ptp(read) > np.ptp(asked)
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
    forward = (at for at in unsaid if not columns.texts[at] and runs_on(columns.values[at], at == 0))
    heads = {at: columns.headings[at].scores.get("time", 0) for at in own} if columns.headings else {}
    surest = sorted(  # a date with a clock is the time, whatever a number beside it is called
        (at for at in heads if heads[at] >= LIKELY or columns.texts[at] == "stamp"),
        key=lambda at: (columns.texts[at] != "stamp", -heads[at]),
    )
    named = [at for at in surest if columns.texts[at] or goes_on(columns.values[at])][:2]
    kinds = {columns.texts[at] for at in named if heads[at] == CERTAIN}  # of two clocks one is the time
    both = len(kinds - {""}) == len(named)
    time = named[: 1 + both] or written[:1] or [*islice(forward, 1)]
    if len(time) == 1 and columns.texts[time[0]] in DATE_AND_CLOCK:
        time += [at for at in written if {columns.texts[at], columns.texts[time[0]]} == {*DATE_AND_CLOCK}][:1]
    return tuple(sorted(time, key=lambda at: columns.texts[at] == DATE_AND_CLOCK[1]))


def _is_read(columns: Columns, at: int, setpoints: Sequence[int]) -> bool:
    """Return whether column `at`, of the `setpoints` by its head, is a reading: “Ref” beside “Set”."""
    values, sure = columns.values[at], [columns.score(other, "setpoint") == CERTAIN for other in setpoints]
    is_said = columns.score(at, "setpoint") == CERTAIN or not any(sure)
    return not (is_said or is_steps(values) or (straight(values) >= STRAIGHT and not goes_to_and_fro(values)))


def _is_fraction(columns: Columns, time: Sequence[int], at: int) -> bool:
    """Return whether column `at` counts on within each second of the `time`, as a struct timeval does."""
    if len(time) != 1 or columns.texts[time[0]] or not columns.says_nothing(at):
        return False
    within = np.diff(columns.values[time[0]]) == 0
    moves, least = np.diff(columns.values[at])[within], np.nanmin(columns.values[at], initial=np.inf)
    return len(moves) >= LEAST_ROWS and bool((moves > 0).all() and least >= 0)


def _is_another_time(columns: Columns, at: int) -> bool:
    """Return whether column `at`, whose head rather names a time, runs on like one: “t” beside a date."""
    scores = columns.headings[at].scores
    return scores.get("time", 0) > scores.get("pv", 0) and runs_on(columns.values[at], False)


def _with_errors(columns: Columns, moving: Sequence[int]) -> list[dict[str, int]]:
    """Return a loop for each pair whose sum is constant in steps: pv, and the error, nearer to 0."""
    loops: list[dict[str, int]] = []
    for pair in combinations(moving, 2) if len(moving) <= MOST_COLUMNS else ():
        used = {column for loop in loops for column in loop.values()}
        one, other = (columns.values[at][:MOST_ROWS] for at in pair)
        if used.isdisjoint(pair) and is_steps(stated_setpoint(one, other, 1.0)):
            error, pv = sorted(pair, key=lambda at: (np.nanmin(np.abs(columns.values[at])), -at))
            loops.append({"pv": pv, "error": error})
    return loops
