"""What was read from a log, as the rest of the house sees it."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.errors import InstrumentGPTError, in_language
from instrumentgpt.instruments.reading.clocks import ClockStep
from instrumentgpt.instruments.reading.placeholders import Placeholder

EVENT_COLUMNS = {"time": "float64", "level": "str", "source": "str", "text": "str", "line": "int64"}
DEGREES_PER_UNIT: Mapping[str, float] = {"°C": 1.0, "K": 1.0, "°F": 5 / 9}  # °C per unit of a difference
STATE = "state"  # level of what `Log.states` has
HOW_TO = "See docs/add-a-log-format.md"


class UnreadableLog(InstrumentGPTError, ValueError):
    """A log that no format recognises, or that is no text."""


ALSO_BESIDE = ("position", "cooling")  # roles whose columns are asked for by their own heads, too


@dataclass(frozen=True)
class Broken:
    """Lines meant as samples that cannot be read: how many; of the first few (number, text, reason)."""

    count: int = 0
    examples: tuple[tuple[int, str, str], ...] = ()


def no_events() -> pd.DataFrame:
    """Return an empty frame of events."""
    return pd.DataFrame(columns=[*EVENT_COLUMNS]).astype(EVENT_COLUMNS)


def nothing(rows: int) -> NDArray[np.float16]:
    """Return a column (rows,) of nan that takes no memory: what a long log does not carry; read-only."""
    return np.broadcast_to(np.float16(math.nan), rows)


def missing_of(samples: pd.DataFrame) -> tuple[str, ...]:
    """Return which of setpoint, pv and output no sample carries."""
    return tuple(name for name in ("setpoint", "pv", "output") if not samples[name].notna().any())


@dataclass(frozen=True)
class StatedLoop:
    """What people say of a loop; what they do not is told from its log.

    drive    a drive of analysis.kind, "" if nothing is said
    reverse  whether more output lowers pv
    band     deviation worth a word, in the unit of pv
    """

    drive: str = ""
    reverse: bool | None = None
    band: float | None = None


UNSTATED = StatedLoop()


@dataclass(frozen=True, eq=False)
class Log:
    """One log.

    samples   time (s since the first line), channel (int), setpoint, pv (both in `unit`), output (percent),
              kp, ki, kd, line (1-based), in the order of the file; nan where the log says nothing; and where
              an actuator is measured its position (percent)
    start     wall clock of time 0, None where the log carries no date
    of_day    s since midnight at time 0, of a log with a clock and no date
    counted   s that a log which counts them has counted at time 0
    missing   what the file does not carry: "time", "period" (time then counts rows), "setpoint", "output";
              a verdict that needs it is withheld by that name
    output_scale      percent per unit of the output as it stands in the log: 100 for a duty 0..1
    channel_units     units of channels whose pv is in another one than `unit`
    logged_units      channel → unit in its file, where it is shown in another; gains are always per this one
    placeholders      values that are no readings, which `samples` keeps
    layout    what logs of one make have in common: the heads of a table, the name of a text log's format
    columns   of a table: name → 0-based column it was read from
    heads     of a table: the heads of its columns, in their order; "" for one without
    of_loops  of a table: channel → role → column; 0: those of the time and of the channel
    guessed   columns or units that were inferred, not stated by the file: name → the reason, for people
    unnamed   roles of columns that no head names, which are told by how they behave
    clock_steps     steps of the log's own clock that are no passing of time
    notes     what a reader should know, for people
    stated_loops    channel → what people said of its loop
    kept      path and stem of what is kept of this content, None if nothing is
    """

    path: Path
    name: str
    format: str
    samples: pd.DataFrame
    start: pd.Timestamp | None
    lines: int
    broken: Broken = Broken()
    unit: str = "°C"
    missing: tuple[str, ...] = ()
    output_scale: float = 1.0
    layout: str = ""
    columns: Mapping[str, int] = field(default_factory=dict)
    heads: Sequence[str] = field(default_factory=list)
    of_loops: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)
    unnamed: tuple[str, ...] = ()
    channel_names: Mapping[int, str] = field(default_factory=dict)
    channel_units: Mapping[int, str] = field(default_factory=dict)
    logged_units: Mapping[int, str] = field(default_factory=dict)
    placeholders: tuple[Placeholder, ...] = ()
    clock_steps: tuple[ClockStep, ...] = ()
    notes: tuple[str, ...] = ()
    load_events: Callable[[], pd.DataFrame] = no_events
    stated_loops: Mapping[int, StatedLoop] = field(default_factory=dict)
    kept: Path | None = None
    of_day: float | None = None
    counted: float = 0.0

    @cached_property
    def events(self) -> pd.DataFrame:
        """Return the lines that are no samples: time (s), level, source, text, line; read when asked for."""
        return self._written[self._written["level"] != STATE].reset_index(drop=True)

    @cached_property
    def states(self) -> pd.DataFrame:
        """Return where columns of few values change that are no loop's, likewise: the head, the new value."""
        return self._written[self._written["level"] == STATE].reset_index(drop=True)

    @cached_property
    def _written(self) -> pd.DataFrame:
        return self.load_events()

    @cached_property
    def readings(self) -> pd.DataFrame:
        """Return `samples` with nan for each value that is no reading."""
        samples, pv = self.samples, self.samples["pv"].to_numpy(copy=True)
        for none in (row for row in self.placeholders if row.column == "pv"):
            pv[(pv == none.value) & (samples["channel"] == none.channel).to_numpy()] = math.nan
        return samples.assign(pv=pv) if self.placeholders else samples

    @property
    def degrees_per_unit(self) -> float:
        """Return °C per unit of a pv difference, nan for what is no temperature, or counts."""
        return DEGREES_PER_UNIT.get(self.unit, math.nan)

    @property
    def logged_unit(self) -> str:
        """Return the unit of the file, which gains are per; of several that of the first channel."""
        return next(iter(self.logged_units.values()), self.unit)

    def at(self, time: float, line: int) -> dict[str, Any]:
        """Return a moment as tools tell it: its clock, and its line."""
        return {"clock": self.clock(float(time)), "line": int(line)}

    @property
    def beside(self) -> list[str]:
        """Return the heads of the columns that are no loop's, by their places where they have none."""
        roles = (pair for columns in self.of_loops.values() for pair in columns.items())
        taken = {at for role, at in roles if role not in ALSO_BESIDE}
        return [head or f"column {at + 1}" for at, head in enumerate(self.heads) if at not in taken]

    def head_of(self, channel: int, role: str) -> str:
        """Return the head of the column of a channel's `role`; "" where there is none."""
        at = (self.of_loops.get(channel) or self.columns).get(role)
        return self.heads[at] if at is not None and at < len(self.heads) else ""

    def remarks(self, language: str) -> list[str]:
        """Return the notes, and what was guessed with its reasons, in `language` ("en", "zh")."""
        guessed = (f"{name}: {in_language(reason, language)}" for name, reason in self.guessed.items())
        return [*(in_language(note, language) for note in self.notes), *guessed]

    def unit_of(self, channel: int) -> str:
        """Return the unit that pv and setpoint of `channel` are shown in."""
        return self.channel_units.get(channel, self.unit)

    def logged_unit_of(self, channel: int) -> str:
        """Return the unit that pv and setpoint of `channel` have in the file, which its gains are per."""
        return self.logged_units.get(channel) or self.unit_of(channel)

    def clock(self, time: float) -> str:
        """Return the log's wall clock at `time` (s), to the millisecond; else its count of s: "+12.345 s".

        A clock without a date stands behind: "+12.345 s (23:59:59)", "+86412.345 s (23:59:59 +1 d)".
        """
        if math.isnan(time):
            return "?"
        if self.start is None and self.of_day is None:
            return f"+{self.counted + time:.3f} s"
        stepped = sum(step.seconds for step in self.clock_steps if time >= step.time)
        if self.start is None:
            of_day = pd.Timestamp(0) + pd.Timedelta(seconds=(self.of_day or 0.0) + time + stepped)
            later = f" +{of_day.day_of_year - 1} d" if of_day.day_of_year > 1 else ""
            return f"+{time:.3f} s ({of_day:%H:%M:%S}{later})"
        moment = self.start + pd.Timedelta(round((time + stepped) * 1000), unit="ms")
        return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"


NAME = (  # “A:tip” before “=”; nothing of what stands behind another “=”: “room=FRZ-B T=…”
    r"(?<![\w=])(?<![^\W\d]-)(?:[^\W\d]\w*:(?=[^\W\d]\w*=))?"
    r"[^\W\d][\w°./]*(?:-[^\W\d][\w°./]*)*(?: [^\W\d][\w°./]*){0,2}"
)
GLUED = (  # a unit that stands at the number without a blank
    r"(?<=\d)(?:[kmµμ]?[AVW]|[kmh]?Pa|m?bar|psi|[KkM]?Hz|rpm|[mk]?[lgLm](?:/(?:min|s|h))?|sccm|ppm|m?s|min|Ω)\b"
)
PAIR, BARE_PAIR = (  # "pv=25.3", and where a line has none of these "PV 25.3"
    re.compile(
        rf"(?P<name>{NAME}{number}){between}"
        r"(?P<value>[-+]?(?:\d+(?:[.,]\d+|\.)?|[.,]\d+)(?:[eE][-+]?\d+)?|nan|null|none|on|off|true|false|開|關|开|关)"
        rf"(?P<unit>\s*(?:%|°[CF]|℃|℉|[CFK]\b)|{GLUED})?(?:(?<=\d)[iu]\b)?(?![\w.:]|-\d|/(?![^\W\d]))",
        re.IGNORECASE,
    )
    for number, between in ((r"(?: \d\d?(?=\s*=|: ))?", r"[\"']?\s*[=:：]\s*[\"']?"), ("", " +"))
)
ALONE = re.compile(rf"(?:^|(?<=[(,;|\t]))\s*{BARE_PAIR.pattern}\s*(?=[),;|\t]|$)", re.IGNORECASE)
_NUMBER = r"\d+(?:\.\d+)?"
STAMP = re.compile(
    r"(?:\W{0,2}(?i:ts|time|timestamp)[\"']?\s*[=:]\s*|[A-Za-z]{1,8}[.,:]? +(?=\d{1,4}[-/.]\d\d))?\W{0,5}"
    r"(?:T\+)?(\d+h\d\dm\d\ds|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d \d{4}"
    r"|(?:20)?\d\d[01]\d[0-3]\d[-_T ][0-2]\d[0-5]\d[0-5]\d"
    r"|\d{4}[-/]\d\d[-/]\d\d[T _,;\t]\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?"
    r"|\d\d?:\d\d:\d\d(?:[.,]\d+)?"
    r"|(?:\d\d?[-/]\d\d?(?:[-/](?:\d\d){1,2})?|\d\d\.\d\d\.?(?:\d{4})?|[A-Z][a-z]{2} [ \d]?\d"
    r"|\d\d?[ -][A-Z][a-z]{2})"
    r"[ T,;\t]+"
    r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: [AaPp][Mm])?)(?=\W|$)"
)
GAINS = re.compile(rf"(?i)\bpid\b[^\d\n-]{{0,12}}({_NUMBER})[,;/ ]\s*({_NUMBER})[,;/ ]\s*({_NUMBER})")
_GAIN = r"(\d+(?:[.,]\d+)?)(?![\d.]*\d)"
_UNIT = r"(?:\s*(%/?\s?(?:°?[CFK]\b)?|°[CF]|℃|[CFK]\b|min\b|s(?:ec)?\b|分|秒))?"
_OLD = r"was|before|old|vorher|alt|from|von|原來?為?|原来?为?|舊|旧"
GAIN = re.compile(  # by its name; what held before stands before an arrow, or in brackets
    r"(?i)(?<![A-Za-z])(?:(?P<p>k_?p|p|xp|pb|prop[a-z]*[- ]?(?:band|bereich)|比例[帶带]|比例增益)"
    r"|(?P<i>k_?i|i|t[in]|nachstellzeit|integral time|[積积]分[時时][間间]|[積积]分增益)"
    r"|(?P<d>k_?d|d|t[vd]|vorhaltezeit|derivative time|微分[時时][間间]|微分增益))(?![A-Za-z])"
    rf"(?:\s*[=:：;]\s*|\s+(?:[a-z]+ )?(?:von )?){_GAIN}{_UNIT}"
    rf"(?:\s*(?:[-=]>|→|\bto\b|\bauf\b|\bbis\b|改為|改为)\s*{_GAIN}{_UNIT}|\s*[(（](?:{_OLD})\s*{_GAIN}{_UNIT}\s*[)）])?"
)
BEFORE = re.compile(r"(?i)\((?:was|before|old|vorher)\b(?!\s*\d)[^)]*\)")
TIME, BAND = (
    re.compile(r"(?i)t[invd]$|zeit|time|[時时][間间]"),
    re.compile(r"(?i)xp$|pb$|band|bereich|[帶带]$"),
)
TICKS = re.compile(r"[EWIDV] \((\d+)\) \w+: ")  # ESP-IDF: ms since boot
LEAD = re.compile(  # what runs on before the values: “[R] 000015 SP=…”, “15000 temp=…”, “t+15s T=…”
    r"\W{0,2}\s*(?:[A-Za-z]{1,4}\]\s*|[Tt]\s?[+=]\s?)?(\d{1,12}(?:\.\d+)?)(?:\s?m?s)?[\s\])|,:;>-]+(?=[^\W\d])"
)
EPOCH = re.compile(r"(?<=\s)(\d{10}(?:\d{3}){0,3})\s*$")  # behind the values: InfluxDB's lines
OBJECT = re.compile(r"(?P<topic>(?:\S{1,99} +)?)(?P<object>\{.*\}\s*)$")  # of JSON, as MQTT clients print it
REST = ""  # the name of what a line says beside its values: “[Z1]”
TIMES = {"time", "time (ms)", "lead", REST}
LETTERED = re.compile(r"(?:[A-Za-z]-?\d+(?:\.\d+)?(?:[,; \t]+|\s*$)){3,}$")  # “M0,t1953017,T3021,r3984”
WORDS = re.compile(r"\w+(?:[-.]\w+)*")
LONGEST_LISTED = 16  # values or objects in one of a line: more are a series
LEAST_SHARE = 0.6  # of the lines that must have a name for it to be a column


def pairs_of(line: str) -> dict[str, str]:
    """Return the values that `line` names, in its order; {} if it names none.

    >>> pairs_of("12:00:01 Temp: 25.3 C, Heater=40%")
    {'time': '12:00:01', 'Temp': '25.3 C', 'Heater': '40%'}
    >>> pairs_of('{"t": 1.5, "oven": {"pv": 25.3, "on": true}}')
    {'t': '1.5', 'oven.pv': '25.3', 'oven.on': 'true'}
    >>> pairs_of("bath1 SP 45 PV 44.9 | bath2 SP 50 PV 49.8")
    {'bath1 SP': '45', 'bath1 PV': '44.9', 'bath2 SP': '50', 'bath2 PV': '49.8'}
    >>> pairs_of("T 25.1 SV 25 | H 60.2 SV 60")
    {'T': '25.1', 'SV': '25', 'H': '60.2', 'SV 2': '60'}
    >>> pairs_of("T: 37.02C; duty 12%")
    {'T': '37.02C', 'duty': '12%'}
    >>> pairs_of("P=25psi, pump=1i, T=37.0")
    {'P': '25psi', 'pump': '1', 'T': '37.0'}
    >>> pairs_of('lab/bath {"ts": "12:00:01", "T": 37.0}'), pairs_of("bath T=37.0,rpm=0i 1726531200")
    ({'ts': '12:00:01', 'T': '37.0'}, {'time': '1726531200', 'bath T': '37.0', 'rpm': '0'})
    """
    if match := OBJECT.match(line):
        try:
            values = flat(json.loads(match["object"])).items()
            return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values}
        except (ValueError, AttributeError, RecursionError):
            pass
    return {name: value for name, value, _ in _values_in(line) if name}


def rest_of(line: str) -> str:
    """Return the words of `line` beside its values and their names.

    >>> rest_of("12:00:01 [Z1] PV 25.3 SP 25"), rest_of("oven,zone=2 pv=25.3,sp=25 1770454723000000000")
    ('Z1', 'oven')
    """
    if match := OBJECT.match(line):
        return match["topic"].strip()
    return " ".join(WORDS.findall(" ".join(gap for *_, gap in _values_in(line))))


def _values_in(line: str) -> Iterator[tuple[str, str, str]]:
    """Yield name and value of each that `line` names, and what stands before; names that come again count.

    Last, without a name, what stands behind them.
    """
    if LETTERED.match(line):
        yield from ((cell[0], cell[1:], "") for cell in re.split(r"[,;\s]+", line.strip()))
        line = ""
    stamp, ticks = STAMP.match(line), TICKS.match(line)
    epoch = None if stamp or ticks else EPOCH.search(line)
    line = line[: epoch.start()] if epoch else line
    end = match.end() if (match := stamp or ticks) else 0
    if match := match or epoch:
        yield "time (ms)" if match is ticks else "time", match[1], ""
    elif lead := LEAD.match(line):
        yield "lead", lead[1], ""
        end = lead.end()
    group, met = "", Counter[str]()
    pairs = [*PAIR.finditer(line, end)]
    bare = [*ALONE.finditer(line, end)] if pairs else []
    pairs += [one for one in bare if not any(other.start() <= one.start(1) < other.end() for other in pairs)]
    for pair in sorted(pairs, key=re.Match.start) or [*BARE_PAIR.finditer(line, end)]:
        head, _, name = pair["name"].rpartition(" ")
        group = head if head[-1:].isdigit() else group if not head else ""
        full = f"{group} {name}" if group else pair["name"]
        met[full] += 1
        numbered = f"{full} {met[full]}" if met[full] > 1 else full
        yield numbered, pair["value"] + (pair["unit"] or ""), line[end : pair.start()]
        end = pair.end()
    yield REST, "", line[end:]


@dataclass(frozen=True)
class Term:
    """A gain as a log names it: "Xp" 12 "K"."""

    name: str
    value: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.value:g}" + (f" {self.unit}" if self.unit else "")


Terms = dict[str, Term]  # by "p", "i", "d"


def gains_in(line: str) -> tuple[Terms, Terms]:
    """Return the gains that a line states, and those it says held before.

    >>> after, before = gains_in("Xp 12,0 -> 2,2 K, Tn 600 -> 100 s (user chen)")
    >>> written(after), written(before), gains_of({**before, **after})[0] * 2.2
    ('Xp 2.2 K, Tn 100 s', 'Xp 12 K, Tn 600 s', 100.0)
    >>> [written(terms) for terms in gains_in("# 2026-11-20T10:42:10Z CMD PID 2.20,0.050,0")]
    ['kp 2.2, ki 0.05, kd 0', '']
    """
    if match := GAINS.search(line):
        return {
            name[1]: Term(name, float(value))
            for name, value in zip(("kp", "ki", "kd"), match.groups(), strict=True)
        }, {}
    after: Terms = {}
    before: Terms = {}
    for part in (*BEFORE.findall(line), BEFORE.sub("", line)):
        for match in GAIN.finditer(part):
            role = next(name for name in "pid" if match[name])
            first, unit, new, new_unit, old, old_unit = match.groups()[3:]
            if role in after or old:
                before[role] = Term(match[role], _gain(old), old_unit or unit or "") if old else after[role]
            elif new:
                before[role] = Term(match[role], _gain(first), unit or new_unit or "")
            after[role] = Term(match[role], _gain(new or first), new_unit or unit or "")
    plain = {"p", "i"} <= after.keys()
    named = {role: term for role, term in after.items() if plain or len(term.name) > 1}
    return named, {role: term for role, term in before.items() if role in named}


def _gain(text: str) -> float:
    return float(text.replace(",", "."))


def gains_of(terms: Terms) -> tuple[float, float, float]:
    """Return kp, ki, kd of `terms`, of which a band and times are turned into gains; nan for one unknown.

    >>> gains_of({"p": Term("P", 22.0, "%/C"), "i": Term("I", 900.0, "s")})[1]
    0.02444...
    """
    p, i, d = (terms.get(role) for role in "pid")
    kp = math.nan if p is None or (is_band(terms) and (p.unit == "%" or not p.value)) else p.value
    kp = 100.0 / kp if is_band(terms) else kp
    times = [_seconds(term) if term else math.nan for term in (i, d)]
    ki, kd = (term.value if term else math.nan for term in (i, d))
    ki = ki if math.isnan(times[0]) else kp / times[0] if times[0] else 0.0
    return kp, ki, kd if math.isnan(times[1]) else kp * times[1]


def is_band(terms: Terms) -> bool:
    """Return whether the log names a proportional band, which is softer the larger it is."""
    p = terms.get("p")
    return bool(p and (BAND.search(p.name) or p.unit.lstrip("°") in ("C", "F", "K", "℃")))


def _seconds(term: Term) -> float:
    """Return the s of a time, nan of what is a gain."""
    is_time = TIME.search(term.name) or term.unit.lower() in ("s", "sec", "min", "秒", "分")
    return term.value * (60 if term.unit.lower() in ("min", "分") else 1) if is_time else math.nan


def written(terms: Terms) -> str:
    """Return `terms` as the log names them."""
    return ", ".join(str(terms[role]) for role in "pid" if role in terms)


def gains_stated(lines: Iterable[tuple[int, str]]) -> list[tuple[int, Terms]]:
    """Return number and all gains in force from each line on that states any; the first, 0: those before."""
    stated: list[tuple[int, Terms]] = [(0, {})]
    for number, text in lines:
        after, before = gains_in(text)
        if after and (len(stated) == 1 or stated[-1][1] | after != stated[-1][1]):
            stated[0] = (0, before) if len(stated) == 1 else stated[0]
            stated.append((number, stated[-1][1] | after))
    return stated


def flat(node: Mapping[str, Any], before: str = "") -> dict[str, object]:
    """Return the plain values of an object, those within others or in short lists named “outer.inner”.

    >>> flat({"t": 1, "zones": [{"pv": 25.3}, {"pv": 40.1}]})
    {'t': 1, 'zones.1.pv': 25.3, 'zones.2.pv': 40.1}
    """
    values: dict[str, object] = {}
    for name, value in node.items():
        inner = dict(enumerate(value, 1)) if isinstance(value, list) else value
        if isinstance(inner, dict) and (inner is value or len(inner) <= LONGEST_LISTED):
            values |= flat(inner, f"{before}{name}.")
        elif inner is value:
            values[f"{before}{name}"] = value
    return values


def names_in(lines: Sequence[str]) -> list[str]:
    """Return the names that most of the `lines` that name values have, in order; [] if few name any."""
    records = [record for line in lines if (record := pairs_of(line)).keys() - TIMES]
    if len(records) < LEAST_SHARE * len(lines):
        return []
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if sum(name in record for record in records) >= LEAST_SHARE * len(records)]
