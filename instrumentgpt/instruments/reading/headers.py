"""What the header of a table says about its columns: role, unit and channel of each."""

import difflib
import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

WORDS = Path(__file__).with_name("columns.toml")
ROLES = ("time", "setpoint", "pv", "output", "channel", "kp", "ki", "kd")
CERTAIN, LIKELY, TYPO = 3, 2, 1  # how sure a header word makes of a role
TYPO_RATIO = 0.82  # difflib ratio: "ouput" for "output"
COMPOUND = 7  # letters of a word that may end a longer one: Ofentemperatur, Heizleistung
TYPO_LETTERS = 5  # shorter words are too alike
CAMEL = re.compile(
    r"(?<=[a-z])(?!(?<=^r)H$)(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z])"
    r"|(?<=[^\x00-\x7f])(?=\d)|(?<=\d)(?=[^\x00-\x7f])"
)
LETTERED = re.compile(r"T[A-Z]\d*$")
OF_SOMETHING = re.compile(r"T[_ ]+[^\W\d_]{2}")  # T_bath, no t_ms: a temperature has a capital letter
OF_ONE = re.compile(r"\w[_ .:/a-z]T(?: ?[\[(]|$)")  # “bath T”, “InletT”, “Z1:T”
NO_DEGREE = re.compile(r"(?:\ufffd|Â°)(?=[CFK]\b)")  # a degree sign in another code page
UNIT_BEHIND = re.compile(r"\d(?:\s*(?=[°CFK%℃℉]))?([^\d\s.,:;-]{1,7})$")
HUMIDITY = "%RH"
DEGREES = ("°C", "°F", "K")
CLOCKED = ("s", "min", "h", "d")  # the ends of units of flow that no list has
READ = (
    "flow",
    "pressure",
    "composition",
    "resistance",
    "mass",
    "speed",
    "length",
    "conductivity",
)  # units of what is read, and hardly set
NO_TEMPERATURE = ("A", "V", "W", "rotation", "electricity", *READ, HUMIDITY)
MANIPULATED = re.compile(r"(?:MV|[./]mv)$")  # no millivolt, which is mV or in brackets
TAG = re.compile(  # of ISA-5.1, behind the plant's own: “PM2_DG3_PIC301_PV”
    r"(?:[A-Za-z0-9]+[_.])*(?!PT1000?\b)([FMPS])(?:I?[CRT]|[EI])[-_]?\d{2,4}[A-Z]?(?![A-Za-z0-9])"
)
BRACKETED = re.compile(r"[\[(]([^\]\[()]{1,9})[\])](?=\s+\w)")
CONTROLLER_OUTPUT = re.compile(r"[A-Z]C-?\d{2,5}[A-Z]?[._ ](?:OP|OUT|MV|CO|LMN)\b")  # “TIC205.OUT”
VALVE_TAG = re.compile(r"(?:[A-Za-z0-9]+[_.])*[FLPTQ]V[-_]?\d{2,4}[A-Z]?(?![A-Za-z0-9])")  # control valve
POSITION_TAG = re.compile(r"Z(?:I?T|[EI])[-_ ]?\d{2,4}[A-Z]?(?![A-Za-z0-9])")
TAGGED = {"F": "flow", "M": HUMIDITY, "P": "pressure", "S": "rotation"}  # its first letter
LETTERED_LOOP = re.compile(r"[A-Z]:(?=\w)")  # “A:tip”
LONE_LETTER = re.compile(r"[\s_]\w$")  # “sensor A” is no current
FIRST_CJK = "\u2e80"
TEMPERATURE = ("temp", "溫度", "温度", "온도", "lämpö", "teplot", "темпер", "sıcakl", "hőmér")
SPELLED_UNIT = re.compile(
    r"(?:deg(?:rees?)?[. ]*|°\s?)([CFK])\b|\b(celsius|fahrenheit|kelvin)\b|\bunits?\s*[:=]\s*([CFK])\b",
    re.IGNORECASE,
)
SAID_VALUE = re.compile(  # its name, a mark, the number, and a unit
    r"\W*([^\d,;:=]*[^\W\d][^\d,;:=]*?)(\s*[:=,;\t]\s*|\s+)([-+]?\d+(?:[.,]\d+)?)(?!\s*[-–.]+\s*\d)"
    r"(?:[\s;]?(deg\.? ?[CFK]\b|[^\s\d,;:=/-]+))?(?=[\s,;]|$)"
)
WRITTEN_UNIT = re.compile(r"[^\s_\[(/][\s_\[(/]+([^\s_\[\]()]+)[\])]?$")
SEPARATOR = re.compile(r"[\s_\-./\\:#,&()\[\]{}|]+|(?<=[^\W\d_])(?=%)")  # and before the sign of “OUT%”
NAMES = re.compile(r"[^\s=:]+\s*[=:]")  # “fault=”, which says nothing bad


@dataclass(frozen=True)
class Heading:
    """What one header cell says: role → sureness, unit ("" if unstated), number of its channel."""

    text: str
    words: tuple[str, ...]
    scores: Mapping[str, int]
    unit: str
    index: int | None

    def in_unit(self, unit: str) -> "Heading":
        """Return it with the `unit` of its cells: what is in degrees is no time."""
        scores = {role: score for role, score in self.scores.items() if role != "time" or unit not in DEGREES}
        return replace(self, unit=unit, scores=scores)

    def says(self, role: str, kind: str) -> bool:
        """Return whether it has a word that columns.toml lists as `kind` for `role`: pv, aside."""
        return _says(self.words, vocabulary()[role].get(kind, ()))

    def names_temperature(self) -> bool:
        """Return whether it plainly is a temperature: by its unit, or a word for one."""
        return self.unit in DEGREES or any(word in name for name in self.words for word in TEMPERATURE)

    def names_position(self) -> bool:
        """Return whether it is of where an actuator stands: by a word for that, or a tag of ISA-5.1."""
        return self.says("position", "certain") or bool(POSITION_TAG.match(self.text))

    def names_humidity(self) -> bool:
        """Return whether it plainly is a humidity, or an output or setpoint of one."""
        named = self.unit in ("", "%") and any(self.says("humidity", kind) for kind in ("certain", "output"))
        return self.unit == HUMIDITY or named

    def has_other_unit(self) -> bool:
        """Return whether it is of something else than a temperature, by its unit or, without one, by name."""
        other = self.unit in NO_TEMPERATURE and not LONE_LETTER.search(self.text)
        named = self.unit in ("", "%", *CLOCKED) and self.says("quantity", "certain")
        return (other or named) and not self.names_temperature()


@cache
def vocabulary() -> dict[str, Any]:
    """Return columns.toml, with the words of all its quantities as those that are certain of one."""
    read = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    for part in ("quantities", "readings", "places"):
        plain = (row.split() for row in read[part].pop("plain", ()))
        read[part] |= {words[0]: {"words": words, "heads": words} for words in plain}
    for quantity in ("flow", "pressure", "level"):
        row = read["quantities"][quantity]
        read["pv"]["likely"] += row["words"] + row.get("heads", [])
    humidity, rows = read["readings"]["humidity"], read["quantities"].values()
    read["humidity"] = {"certain": humidity["words"] + humidity["heads"], "output": humidity["output"]}
    certain = [word for row in rows for kind in ("words", "heads") for word in row.get(kind, ())]
    return read | {"quantity": {"certain": certain}}


@lru_cache(maxsize=4096)
def heading_of(cell: str) -> Heading:
    """Return what the header cell `cell` says.

    >>> heading = heading_of("Temperature 1 (degC)")
    >>> dict(heading.scores), heading.unit, heading.index
    ({'pv': 2}, '°C', 1)
    """
    text = unicodedata.normalize("NFKC", NO_DEGREE.sub("°", cell)).strip().strip('"').strip()
    words = [word for word in SEPARATOR.split(LETTERED_LOOP.sub("", text)) if word]
    tag = TAG.match(text)
    unit = "" if MANIPULATED.search(text) else _unit(words) or (TAGGED[tag[1]] if tag else "")
    if not unit and (bracketed := BRACKETED.search(text)):  # “T_cell (degC) TI20”
        inner = _unit(["", *filter(None, SEPARATOR.split(bracketed[1]))])
        unit = inner if inner not in CLOCKED else ""
    of_kind = vocabulary()["quantity"]["certain"]
    whole = {word for word in words if word.lower() in of_kind or is_unit(word)}  # pH, CO2, mV
    parts = ([word] if word in whole else CAMEL.split(word) for word in words)
    split = [part.lower() for part in chain.from_iterable(parts) if part]
    numbers = [int(word) for word in split if word.isdigit() and len(word) < 3]
    index = numbers[0] if len(numbers) == 1 and len(split) > 1 else None
    if len(split) > 1 and split[-1].isdigit():
        index = int(split[-1])
    names = [word for word in split if not word.isdigit()]
    if len(names) > 1 and _unit(names[-1:]):
        names = names[:-1]
    if names[1:] and names[-1] == "status" and _scores(names[:-1]).get("output"):
        names = names[:-1]  # "Fan Status": on or off
    quantity = _says(names, of_kind)
    scores = _scores([*names, *(word.lower() for word in words)])
    if tag and scores.get("output") == CERTAIN and unit == TAGGED[tag[1]]:
        unit = ""
    if VALVE_TAG.match(text) and not unit:
        scores = {"output": LIKELY}
    if names[-1:] == ["out"] and _says(names, vocabulary()["output"]["outlet"]):
        scores = {"pv": LIKELY}
    if (names == ["t"] and index is not None) or LETTERED.match(text):
        scores = {"pv": LIKELY}  # T1, T2, TI, TE: temperatures, not times
    elif OF_ONE.search(text):
        scores = {"pv": LIKELY}
    elif names == ["y"]:
        scores = {"pv": TYPO, "output": TYPO}  # over x, or the output of DIN 19226
    elif names == ["t"]:
        scores = {"time": LIKELY, "pv": TYPO}  # a time, or beside one a temperature
    elif len(names) > 1 and OF_SOMETHING.match(text):
        scores = {role: score for role, score in scores.items() if role not in ("time", "output")}
    if unit in DEGREES:
        scores.pop("time", None)  # "FH3.T[K]"
    if _says(names, vocabulary()["pv"]["sensors"]) and scores.get("setpoint") == LIKELY:
        scores = {"pv": LIKELY}  # "reference thermometer"
    if not scores.keys() - {"channel"} and not _says(names, vocabulary()["other"]["certain"]):
        scores |= {"pv": LIKELY} if unit in DEGREES or _says(names, vocabulary()["pv"]["room"]) else {}
    if unit:  # the number of a channel has none: "P_ch (mbar)"
        scores.pop("channel", None)
    humid = unit == HUMIDITY or _says(names, vocabulary()["humidity"]["certain"])
    if humid and unit in ("", "%") and scores.get("output") != CERTAIN:
        unit = HUMIDITY
    if humid and not scores and not _says(names, vocabulary()["other"]["certain"]):
        scores = {"pv": TYPO}
    read = unit in (*DEGREES, *READ) or (quantity and unit != "%" and scores.get("output") == LIKELY)
    if CONTROLLER_OUTPUT.search(text):  # a cascade's may be in the unit of what it sets
        scores = {"output": CERTAIN}
    elif read or (unit != "%" and any(word in name for name in names for word in TEMPERATURE)):
        if scores.pop("output", None) and read:  # "heater temperature", "supply air [C]", "steam kPa"
            scores.setdefault("pv", LIKELY)
    elif _says(names, vocabulary()["pv"]["sensors"]) and scores.get("output") == LIKELY and unit != "%":
        scores.pop("output")  # "control TC"
    elif unit == "%" or (
        "output" in scores and names != ["y"] and scores.get("pv") == LIKELY and not quantity
    ):
        scores.pop("pv", None)  # "oven power"
    return Heading(text, tuple(names), scores, unit, index)


def numbered_alike(headings: Sequence[Heading]) -> list[Heading]:
    """Return `headings` with the one of their numbers that tells loops apart as the number of their channel.

    >>> heads = [heading_of(f"Line 2 TIC{loop}.{role}") for loop in (101, 102) for role in ("PV", "SP")]
    >>> [heading.index for heading in numbered_alike(heads)]
    [101, 101, 102, 102]
    """
    numbers = [re.findall(r"\d+", heading.text) for heading in headings]
    usual = Counter(filter(None, map(len, numbers))).most_common(1)
    numbers = [number if usual and len(number) == usual[0][0] else [] for number in numbers]
    places = [[int(number) for number in each] for each in zip(*filter(None, numbers), strict=True)]
    varying = [place for place, each in enumerate(places) if len(set(each)) > 1]
    if len(varying) != 1 or len(set(of_loops := places[varying[0]])) == len(of_loops):
        return list(headings)
    return [
        replace(heading, index=int(number[varying[0]])) if number else heading
        for heading, number in zip(headings, numbers, strict=True)
    ]


def known_header(lines: Sequence[str], name: str) -> list[str]:
    """Return the header that the table of the file `name` is known to leave out; [] if none is known."""
    for table in vocabulary()["known"]:
        if lines and all(re.match(table["line"], line) for line in lines) and re.search(table["name"], name):
            return list(table["header"])
    return []


def unit_of_cells(cells: Sequence[str]) -> str:
    """Return the unit that most of the `cells` of a column end in, "" if they are plain.

    >>> unit_of_cells(["25.3 C", "25.4 C", "--"])
    '°C'
    """
    tails = Counter(match[1].lower() for cell in cells if (match := UNIT_BEHIND.search(cell)))
    tail, count = tails.most_common(1)[0] if tails else ("", 0)
    return _unit(["value", tail]) if 2 * count > len(cells) else ""


def units_in(line: str) -> set[str]:
    """Return the units of temperatures that a line of words names.

    >>> units_in("ZONE LOG (deg F)"), units_in("Batch F")
    ({'°F'}, set())
    """
    found = (match[match.lastindex or 0] for match in SPELLED_UNIT.finditer(NO_DEGREE.sub("°", line)))
    return {{"C": "°C", "F": "°F", "K": "K"}[name[0].upper()] for name in found}


def setpoint_in(line: str, marked: bool = True) -> tuple[float, str]:
    """Return the setpoint that a line of words states, and its unit ("" without one); nan if none.

    marked  whether a value without a unit must stand behind a colon or the like

    >>> setpoint_in("Setpoint\t4,0 C  hysteresis 2.0"), setpoint_in("Set date 2026-08-31")
    ((4.0, '°C'), (nan, ''))
    """
    match = SAID_VALUE.match(unicodedata.normalize("NFKC", NO_DEGREE.sub("°", line)))
    heading = heading_of(match[1] if match else "")
    unit = match and (heading_of(f"set ({match[4]})").unit or heading.unit)
    sure = {role for role, score in heading.scores.items() if score > TYPO} - {"pv"} == {"setpoint"}
    if not (match and sure and (unit in DEGREES or (not unit and (match[2].strip(" ") or not marked)))):
        return math.nan, ""
    return (math.nan if heading.says("setpoint", "aside") else float(match[3].replace(",", "."))), unit or ""


def is_unit(cell: str) -> bool:
    """Return whether `cell` is nothing but the name of a unit.

    >>> is_unit("degC"), is_unit("desc")
    (True, False)
    """
    cell = " ".join(SEPARATOR.split(NO_DEGREE.sub("°", cell).lower()))
    return any(cell in spellings for spellings in vocabulary()["units"].values())


def level_of(text: str) -> str:
    """Return how bad it is what a line of words says.

    >>> level_of("*** ALARM Z3 DEV HIGH"), level_of("# door opened")
    ('error', 'info')
    >>> level_of("[ALM] 07 RH DEV LOW"), level_of("recalm")
    ('error', 'info')
    """
    said = vocabulary()["said"].items()
    return next((level for level, parts in said if re.search("|".join(parts), text.lower())), "info")


def written_unit(head: str) -> str:
    """Return the unit at the end of `head` as it is written there, "" without one.

    >>> written_unit("Flow (l/min)"), written_unit("Humidity [%RH]"), written_unit("mains_v")
    ('l/min', '%RH', 'v')
    """
    match = WRITTEN_UNIT.search(head)
    return match[1] if match and is_unit(match[1]) else ""


def _unit(words: Sequence[str]) -> str:
    units: dict[str, list[str]] = vocabulary()["units"]
    if words and words[-1][1:].endswith("%"):  # “Heiz%”
        return "%"
    for count in (2, 1):
        tail = " ".join(words[-count:]).lower()
        for unit, spellings in units.items():
            alone = len(words) == count
            if tail in spellings and (not alone or unit in ("counts", "ms", "%", HUMIDITY)):
                return unit
    spelled = [word.lower() for word in words if len(word) > 1 or word == "%"]
    return next(
        (unit for unit in ("%", "counts", "A", "V") if any(word in units[unit] for word in spelled)), ""
    )


def _scores(names: Sequence[str]) -> dict[str, int]:
    if _says(names, vocabulary()["other"]["certain"]):
        return {}
    scores: dict[str, int] = {}
    for role in ROLES:
        words = vocabulary()[role]
        if _says(names, words["certain"]):
            scores[role] = CERTAIN
        elif _says(names, words["likely"]):
            scores[role] = LIKELY
        elif any(_nearly(name, word) for name in names for word in words["certain"]):
            scores[role] = TYPO
    return scores


def _says(names: Sequence[str], words: Sequence[str]) -> bool:
    text = " ".join(names)
    return any(_has(text, names, word) for word in words)


def _has(text: str, names: Sequence[str], word: str) -> bool:
    if word >= FIRST_CJK:  # it has no blanks: the word may stand anywhere in the cell
        return word in text
    if " " in word:
        return f" {word} " in f" {text} "
    return word in names or (len(word) >= COMPOUND and any(name.endswith(word) for name in names))


def _nearly(name: str, word: str) -> bool:
    long = len(name) >= TYPO_LETTERS and len(word) >= TYPO_LETTERS and word.isascii()
    return long and difflib.SequenceMatcher(None, name, word).ratio() >= TYPO_RATIO
