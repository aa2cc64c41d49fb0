"""The unit of pv and the full scale of the output of a table: as the header states or the values suggest."""

from collections.abc import Mapping, Sequence

import numpy as np

from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.headers import CERTAIN, DEGREES, HUMIDITY, TEMPERATURE, Heading

PV_UNITS = (*DEGREES, "counts", HUMIDITY)
HOTTEST_ROOM = {"°F": 45.0, "K": 200.0}  # above, the median temperature of a room is not in °C
OUTPUT_RANGES = (100.0, 255.0, 1023.0, 4095.0, 65535.0)  # full scale: percent, 8-bit PWM, 10, 12 and 16 bits
ELECTRIC = ("A", "W", "V", "electricity")  # units of what drives a loop, whose full scale no log states
SIGNED_BYTE = 127.0  # full scale of firmware that halves its 8-bit PWM
TEN_VOLTS = 10.0  # full scale of an analogue output, where it stands there
MOST_STAGES = 3.0  # whole numbers up to it are stages, or 1 and 2 for off and on
PLATEAU = 0.02  # share of rows
NEARLY_FULL = 0.9  # of its full scale an output of a converter once comes to, where a head names it
OVER = 1.02  # an output may exceed its range by so much
ROOM = {"K": (285.0, 310.0), "°F": (60.0, 88.0)}  # a room before heating, in that unit
JUMP = 5.0  # degrees, by which the first reading is none
COUNTS_ABOVE = 150.0  # beside columns in degrees, a value like this is not in degrees
LOOP_TAGS = frozenset(
    ("fic", "pic", "lic", "fc", "pc", "lc", "fi", "pi", "li", "pdic")
)  # ISA-5.1: flow, pressure, level
PLAUSIBLE_CELSIUS = (-100.0, 1800.0)


def output_scale(values: Floats, heading: Heading | None, switched: bool = False) -> tuple[float, str]:
    """Return percent per unit of the output `values`, and what was assumed ("" if it is stated).

    switched  the column says ON and OFF

    >>> output_scale(np.array([0.0, 128.0, 255.0]), None)
    (0.39215686274509803, '100 % is 255')
    """
    if switched:
        return 100.0, ""
    if heading and heading.unit in ("%", "‰"):
        return 1.0 if heading.unit == "%" else 0.1, ""
    sizes = np.abs(values[np.isfinite(values)])
    top = float(sizes.max()) if len(sizes) else 0.0
    unit = heading.unit if heading and heading.text[-2:].lower() != "mv" else ""  # MV: what is manipulated
    if unit in ELECTRIC and top > 0:
        named = unit if len(unit) == 1 else ""
        return 100.0 / top, f"100 % is the greatest value in the log, {top:g} {named}".strip()
    if top > 1.0 and min(-np.nanmin(values), np.nanmax(values)) * OVER >= top:
        return 100.0 / top, "" if top == 100 else f"100 % is {top:g}, its limit both ways"
    if 0 < top <= 1.0 + 1e-9:
        return 100.0, "a duty of 0 to 1"
    if 1 < top <= MOST_STAGES and bool((sizes == np.round(sizes)).all()):
        return 100.0 / top, f"stages up to {top:g}"
    if top == SIGNED_BYTE or (top == TEN_VOLTS and (sizes == top).sum() > 1 and len(np.unique(sizes)) > top):
        return 100.0 / top, f"100 % is {top:g}"
    is_whole = bool((sizes == np.round(sizes)).all())
    least = 255.0 if heading and "pwm" in heading.words and is_whole else 100.0
    stays = float((sizes > NEARLY_FULL * top).mean()) >= PLATEAU  # at what is then all of it
    is_digits = not heading or heading.scores.get("output") == CERTAIN or (is_whole and not stays)
    for full in OUTPUT_RANGES:
        may = is_digits or least == full or (is_whole and top >= NEARLY_FULL * full)  # those of a converter
        if top <= full * OVER and full >= least and (full == 100 or (may and not unit)):
            return 100.0 / full, "" if full == 100 and heading else f"100 % is {full:g}"
    return 100.0 / top, f"100 % is the greatest value in the log, {top:g}"


def unit_of(
    pv: Floats,
    output: Floats | None,
    heading: Heading | None,
    degrees: Sequence[tuple[str, Floats]],
    rooms: Mapping[str, Floats] | None = None,
) -> tuple[str, str]:
    """Return the unit of `pv`, "" if it is no temperature, and why it was assumed ("" if it is stated).

    degrees  unit and readings of each temperature beside it that states one
    rooms    readings of rooms beside it, by their names

    >>> unit_of(np.array([299.5, 299.6, 310.0]), np.array([0.0, 100.0, 100.0]), None, [])
    ('K', '299.5 before the output rises would be a room in K')
    """
    if heading and heading.unit in PV_UNITS:
        return heading.unit, ""
    finite = pv[np.isfinite(pv)]
    middle = float(np.median(finite)) if len(finite) else 0.0
    named = heading is not None and any(word in " ".join(heading.words) for word in TEMPERATURE)
    tagged = heading is not None and (bool(LOOP_TAGS & set(heading.words)) or heading.has_other_unit())
    if tagged and not named:
        return "", "no temperature, by the column's name"
    if not named and middle > COUNTS_ABOVE and degrees:
        alike = next((unit for unit, values in degrees if (values > middle).any()), "")
        counts = "counts", "other columns are in degrees, this one is not"
        return (alike, f"other columns are in {alike}, and as high") if alike else counts
    for name, room in (rooms or {}).items():
        warm = float(np.median(room[np.isfinite(room)])) if np.isfinite(room).any() else 0.0
        for unit in ("K", "°F"):
            if warm > HOTTEST_ROOM[unit]:
                return unit, f"“{name}” of {warm:g} would be no room in °C"
    early = _before_heating(pv, output) if output is not None else None
    for unit, (low, high) in ROOM.items():
        if early is not None and low <= early <= high:
            return unit, f"{early:g} before the output rises would be a room in {unit}"
    low, high = PLAUSIBLE_CELSIUS
    return (
        ("°C", "the file names no unit") if low <= middle <= high else ("", "no temperature, by its values")
    )


def _before_heating(pv: Floats, output: Floats) -> float | None:
    """Return the first pv if the output is then 0 and rises later, and the next pv is near; else None."""
    finite = output[np.isfinite(output)]
    if not finite.size or finite[0] != 0 or not (finite > 0).any() or not np.isfinite(pv[:2]).all():
        return None
    return float(pv[0]) if abs(float(pv[0] - pv[1])) < JUMP else None
