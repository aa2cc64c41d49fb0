"""What of all that happened in a log bears on a question: by its words, numbers, times and channels.

No operation is parsed out of the question: what the log has is ranked, as memory ranks what was said, and the
best few are told. Words of heads and places count in any tongue that columns.toml has them in.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from instrumentgpt.analyst.case import Case, Result, Subject, faults_of
from instrumentgpt.analyst.columns import is_of, subjects
from instrumentgpt.analyst.questions import means, numbers_in, spelled, table
from instrumentgpt.analyst.words import plain_text, together
from instrumentgpt.instruments.language import MINUTE
from instrumentgpt.memory.terms import Phrase, holds, phrases, terms

MOST = 4  # rows
BEARS = 2.0  # score of words, numbers and times, from which a row bears on the question
NEAR, NEAR_SHARE = 15, 0.05  # beside a time that is named, at most: minutes; of the log, or a minute
OF_TIME, AT_TIME, OF_NUMBER, OF_CHANNEL, OF_PLACE = 3.0, 3.0, 2.0, 1.0, 2.0  # scores
FEWEST_DIGITS = 2  # of a number that says something
SAYS = ("said", "state")  # what is written, or set, and may be the reason of what happened
WEIGHTS = {"out": 0.8, "programme": 0.8, "set": 0.5, "said": 0.4}
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?\)?$")
_COUNTED = re.compile(r"\+(\d+(?:\.\d+)?) ?([smh])(?!.*\()")
_WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d)")
OF_VERDICT = ("cycle", "offset")  # how a loop works, which a fault is told by
DAY = 24 * 60  # minutes
MOST_TIMES = 4  # of figures, whose reasons may be asked for
AT_TOLD, BESIDE, SHORT = 2.0, 0.01, 0.25  # score; share of a log that is beside a time; of one that says when


@dataclass(frozen=True)
class Asked:
    """What of a question rows are ranked by."""

    words: tuple[Phrase, ...]
    places: tuple[Result, ...]
    numbers: Collection[float]
    minutes: tuple[float, ...]
    days: tuple[str, ...]
    channels: Collection[int]
    told_at: tuple[tuple[str, float], ...]  # day, minute


def bearing(case: Case, about: Subject, diagnosis: Result, told: str = "") -> Iterator[str]:
    """Yield what happened that bears most on the question, in its order; findings have their own sentences.

    told  the figures that answer it: what happened at their times may be their reason
    """
    asked, length = asked_of(case, told), (diagnosis["seconds"] or 0.0) / MINUTE
    rows = _ranked(diagnosis, asked)
    scores = named_by(asked, rows, length)
    named = [row for row, score in zip(rows, scores, strict=True) if score >= BEARS and row["what"] in SAYS]
    for at, row in enumerate(rows):  # what came of what is named
        if row["what"] not in SAYS and any(_follows(row, one, length) for one in named):
            scores[at] += AT_TOLD
    own = [WEIGHTS.get(row["what"], 0.2) + OF_CHANNEL * (row["channel"] in asked.channels) for row in rows]
    best = sorted(range(len(rows)), key=lambda at: -scores[at] - own[at])
    best = [at for at in best if scores[at] >= BEARS]
    says = [at for at in best if rows[at]["what"] in SAYS][MOST // 2 :]  # more of it than half
    rest = [at for at in best if at not in says]
    best = (rest if len(rest) >= MOST else best)[:MOST]
    for row in sorted((rows[at] for at in best), key=lambda row: row["line"]):
        text = plain_text(row["summary"])
        if text not in told and not _is_way_told(row, told):
            told += text
            yield case.item("happened_row", **about.at(row, diagnosis["start"]) | {"told": text})


def workings_asked(case: Case, diagnosis: Result) -> list[str]:
    """Return how the loops work, as far as the question asks for it; first of those with a finding.

    Nothing where the verdict answers it: of a fault, what it does; of a danger, all.
    """
    words, ill = case.question.words, [one["channel"] for one in faults_of(diagnosis)]
    named = [name for name, pattern in table()["workings"].items() if pattern.search(words)]
    if any(fault["danger"] for fault in faults_of(diagnosis)):
        return []
    is_told = case.question.quantity != "settling" and any(
        fault["confidence"] != "possible" for fault in faults_of(diagnosis)
    )
    named = [name for name in named if not (ill and name in OF_VERDICT) and not (is_told and name == "ends")]
    rows = [row for row in diagnosis["workings"] if row["about"] in named and row["key"] != "swing"]
    rows.sort(key=lambda row: (row["channel"] not in ill, named.index(row["about"])))
    alike: dict[str, list[Result]] = {}
    for row in rows:
        alike.setdefault(row["key"], []).append(row)
    return [_told_of_all(case, group) for group in [*alike.values()][:MOST]]


def _told_of_all(case: Case, rows: Sequence[Result]) -> str:
    """Return what the first of alike rows says, and which channels are like it."""
    others = [row["channel"] for row in rows[1:]]
    like = case.say("likewise", channels=case.listed(others)) if others else ""
    return together(filter(None, (plain_text(rows[0]["summary"]), like)), case.language)


def _is_way_told(row: Result, told: str) -> bool:
    """Return whether the way from a setpoint to the next is among the figures already."""
    way = rf"(?<![\d.]){row['from']:g}\D{{1,9}}{row['to']:g}(?![\d.])" if row["what"] == "set" else "(?!)"
    return bool(re.search(way, told))


def _ranked(diagnosis: Result, asked: Asked) -> list[Result]:
    """Return what is ranked: how often and how long a state was says more than when."""
    said = (row for row in diagnosis["timeline"] if not row["what"].startswith("found"))
    own = {"programme": "text"}  # one of a phase, whatever it explains
    alike = {(row["what"], row["channel"], row[own.get(row["what"], "line")]): row for row in said}
    rows = [*alike.values()]
    if not asked.minutes:
        heads = tuple(f"{row['text'].partition(' ')[0]} " for row in diagnosis["states"])
        rows = [row for row in rows if row["what"] != "said" or not row["text"].startswith(heads)]
    return [*rows, *diagnosis["states"]]


def asked_of(case: Case, told: str = "") -> Asked:
    """Return what the question names, and the times of the figures that were `told`."""
    question, words = case.question, spelled(case.question.text)
    places = tuple(row for row in subjects().values() if row["pattern"].search(words))
    numbers = {number for number in numbers_in(words) if len(f"{abs(number):g}") >= FEWEST_DIGITS}
    minutes = (_minutes(moment) for moment in question.moments)
    at = tuple(minute for minute in minutes if minute is not None)
    clocks = dict.fromkeys(_WRITTEN.findall(told))
    there = tuple((day, minute) for day, clock in clocks if (minute := _minutes(clock)) is not None)
    own = (tuple(phrases(words)), places, numbers, at, question.days, {*question.channels})
    return Asked(*own, there if len(there) <= MOST_TIMES else ())  # of many none is the one


def named_by(asked: Asked, rows: Sequence[Result], length: float) -> list[float]:
    """Return how much of each of `rows` is named: words that few have count most, those of most nothing.

    length  of the log, minutes
    """
    texts = [spelled(row["summary"]) for row in rows]
    every = [terms(text) for text in texts]
    common = Counter(phrase for phrase in asked.words for row in every if holds(row, phrase))
    telling = [phrase for phrase, count in common.items() if count <= max(1, len(rows) / 2)]
    scores = list[float]()
    for row, text, own in zip(rows, texts, every, strict=True):
        score = sum(math.log(1 + len(rows) / common[phrase]) for phrase in telling if holds(own, phrase))
        score += OF_PLACE * any(is_of(row.get("text") or "", place) for place in asked.places)
        there = [abs(number) for number in numbers_in(text)]
        score += OF_NUMBER * sum(any(means(abs(number), one) for one in there) for number in asked.numbers)
        near = min(NEAR, max(NEAR_SHARE * length, 0.0 if row["clock"][0] == "+" else 1.0))
        scores.append(score + _of_time(asked, row, near) + _at_told(asked, row, length))
    return scores


def _of_time(asked: Asked, row: Result, near: float) -> float:
    """Return the score of a row whose time, or time of day, is named."""
    if asked.days and not any(day in row["clock"] for day in asked.days):
        return 0.0
    begin, end = _minutes(row["clock"]), _minutes(row["end_clock"])
    score = OF_TIME if asked.days and not asked.minutes else 0.0
    for minute in asked.minutes:
        if begin is None or end is None:
            continue
        length = (end - begin) % DAY
        score += OF_TIME * (row["count"] == 1 and (minute - begin + near) % DAY <= length + 2 * near)
        score += AT_TIME * (min((minute - begin) % DAY, (begin - minute) % DAY) <= near)
    return score


def _at_told(asked: Asked, row: Result, length: float) -> float:
    """Return the score of a row that begins as a told figure was read, or that this is in the middle of."""
    near = max(1.0, BESIDE * length)
    is_short = row["count"] == 1 and row["seconds"] < SHORT * length * MINUTE
    if (begin := _minutes(row["clock"])) is None or row["count"] > MOST:
        return 0.0
    for day, minute in asked.told_at:
        if day and day not in row["clock"]:
            continue
        if -near <= minute - begin <= near + is_short * row["seconds"] / MINUTE:
            return AT_TOLD
    return 0.0


def _follows(row: Result, said: Result, length: float) -> bool:
    """Return whether what happened began as, or soon after, a line was written or a state began."""
    begin, at = _minutes(row["clock"]), _minutes(said["clock"])
    if begin is None or at is None or row["clock"].partition(" ")[0] != said["clock"].partition(" ")[0]:
        return False
    return 0 <= begin - at <= max(1.0, BESIDE * length)


def _minutes(clock: str) -> float | None:
    """Return the minutes since midnight of a clock, or since a log began to count, None where it is none.

    >>> _minutes("2026-02-20 14:30:05"), _minutes("+90.000 s"), _minutes("+2 h")
    (870, 1.5, 120.0)
    """
    if counted := _COUNTED.match(clock):
        return float(counted[1]) * {"s": 1 / MINUTE, "m": 1.0, "h": MINUTE}[counted[2]]
    match = _CLOCK.search(clock)
    return 60 * int(match[1]) + int(match[2]) if match else None
