"""Since when a question asks: "since Monday", "the last three days", 自週一以來; or which end of a log."""

import re
import unicodedata
from datetime import date, timedelta

from instrumentgpt.instruments.fleet import NUMBERS, PLACES

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HAN_DAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "ninety": 90}
_HAN = ("", *"一二三四五六七八九")
_TENS |= {f"{_HAN[n // 10] if n > 19 else ''}十{_HAN[n % 10]}": n for n in range(99, 10, -1)}
_NUMBERS = {**_TENS, **NUMBERS, "兩": 2}
_COUNT = r"(?P<count>\d{1,3}|" + "|".join(_NUMBERS) + ")"
_WEEK = "(?:週|周|星期|禮拜|礼拜)"
_SINCE_WEEKDAY = (
    rf"\bsince (?:last )?(?P<day>{'|'.join(_DAYS)})\b",
    rf"(?:自從?|自从?|從|从)?(?:上|這|这|本)?{_WEEK}(?P<han>[一二三四五六日天])(?:以來|以来|起|開始|开始|之後|之后|到現在|到现在|至今|到今天)",
    rf"(?:自從?|自从?|從|从)(?:上|這|这|本)?{_WEEK}(?P<han>[一二三四五六日天])",
)
_SINCE_DATE = (
    r"(?:\bsince|\bfrom|自從?|自从?|從|从)\s*(?P<y>\d{4})[-/.年](?P<m>\d{1,2})[-/.月](?P<d>\d{1,2})",
    r"(?:\bsince|\bfrom|自從?|自从?|從|从)\s*(?P<m>\d{1,2})[-/月](?P<d>\d{1,2})(?!\d|[-/])",
)
_LAST = (
    rf"\b(?:last|past) {_COUNT} (?P<unit>day|night|week)s?\b",
    rf"(?:最近|過去|过去|近)\s*{_COUNT}\s*[個个]?(?P<unit>{_WEEK}|[天日晚夜])",
)
_YESTERDAY = (
    r"\bsince yesterday\b|(?:自從?|從|从)昨[天日]|昨[天日](?:以來|以来|起|開始|开始|到現在|到现在|至今)"
)
_TODAY = r"\bsince (?:this morning|midnight)\b|\btoday's\b|(?:自|從|从)?今[天早日](?:以來|以来|起|開始|开始)"
_THIS_WEEK = (
    rf"\b(?:since|of|in) this week\b|\bthis week\b|(?:這|这|本)(?:個|个)?{_WEEK}(?![一二三四五六日天])"
)
_LAST_WEEK = rf"\bsince last week\b|(?:自|從|从)上(?:個|个)?{_WEEK}(?![一二三四五六日天])"

_PLACES = {word: number for number, word in enumerate(PLACES, 1)} | {_HAN[n]: n for n in range(1, 10)}
_WORDS = [word for word in NUMBERS if word.isascii()]
_PLACE = rf"(?:{'|'.join(PLACES)}|last|final|\d{{1,2}}(?:st|nd|rd|th))"
_HAN_PLACE = rf"[{''.join(_HAN[1:])}\d]"
_AND = r"\W+(?:(?:and|or|on|in|the|to|versus|vs|with|compared|day|hour)\W+)*"
_UNITS = {"h(?:ou)?rs?\\b|h\\b|小時|小时|鐘頭|钟头": 60, "min|分鐘|分钟": 1}  # min
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})"
_STRETCHES = (
    rf"(?P<beyond>\bafter )?\b(?:the )?(?P<side>first|last|past|latest|final)"
    rf"(?P<both>{_AND}(?:last|final))? (?:{_COUNT} |(?P<half>half (?:an? )?))?{_UNIT}",
    rf"(?P<side>最[後后近初]|過去|过去|[開开一]?[頭头始]|(?<!之)前)\s*的?(?:{_COUNT}|(?P<half>半))\s*[個个]?{_UNIT}"
    "(?P<beyond>之[後后]|以[後后])?(?P<both>(?!))?",
)


def counted(word: str) -> int:
    """Return the number that a word is, 0 for another."""
    return int(word) if word.isdecimal() else _NUMBERS.get(word, 0)


def places_in(text: str, of: str) -> list[int]:
    """Return the places of what the pattern `of` names, of the last -1.

    >>> places_in("the first and third day", "days?"), places_in("第二天", "天"), places_in("last run", "run")
    ([1, 3], [2], [-1])
    """
    latin = rf"\b({_PLACE}(?:{_AND}{_PLACE})*) (?:{of})"
    han = rf"第({_HAN_PLACE}(?:\S?[和跟與与、]第?{_HAN_PLACE})*) ?(?:{of})"
    named = " ".join(match[1] or match[2] for match in re.finditer(f"{latin}|{han}", text))
    places = re.findall(rf"{_PLACE}|{_HAN_PLACE}", named)
    number = rf"(?:{'|'.join(_WORDS)}|\d{{1,2}})"  # "day three"; "minutes 30 to 60" are moments
    behind = rf"\b(?:{of}) ({number}(?:{_AND}{number})*)(?![\w:])" if "min" not in of else r"(?!)"
    listed = (match[1] for match in re.finditer(behind, text))
    numbers = [counted(word) for words in listed for word in re.findall(number, words)]
    return numbers + [_PLACES.get(place) or int(re.sub(r"\D", "", place) or -1) for place in places]


def parts_of(text: str) -> list[tuple[str, str]]:
    """Return since and until of each part of a log that `text` names by its end or its number.

    >>> parts_of("and the last half hour?"), parts_of("前20分鐘"), parts_of("the last two days")
    ([('-30 min', '')], [('', '20 min')], [])
    >>> parts_of("the first and the third hour"), parts_of("after the first two hours")
    ([('', '60 min'), ('120 min', '180 min')], [('120 min', '')])
    """
    words, parts = unicodedata.normalize("NFKC", text).casefold(), list[tuple[str, str]]()
    for unit, long in () if re.search(r"\bafter the first", words) else _UNITS.items():
        for number in places_in(words, f"[個个]?(?:{unit})"):
            first = f"{long * (number - 1)} min" if number > 1 else ""
            parts.append((first, f"{long * number} min") if number > 0 else (f"-{long} min", ""))
    for match in (match for pattern in _STRETCHES for match in re.finditer(pattern, words)):
        long = next(long for unit, long in _UNITS.items() if re.fullmatch(unit, match["unit"]))
        minutes = long * (counted(match["count"]) if match["count"] else 1) // (2 if match["half"] else 1)
        is_begin = re.match("first|最初|前|.?[頭头始]", match["side"])
        last = (f"-{minutes} min", "")
        begin = (f"{minutes} min", "") if match["beyond"] else ("", f"{minutes} min")
        parts += ([begin] * bool(is_begin)) + ([last] * bool(not is_begin or match["both"]))
    return list(dict.fromkeys(parts))


def since(text: str, today: date) -> date | None:
    """Return the day from which on `text` asks, None if it names no beginning.

    A weekday is the latest one before `today`, today itself only if it is that day.

    >>> saturday = date(2026, 11, 21)
    >>> str(since("compare the six ovens since Monday", saturday)), str(since("最近三天的溫度", saturday))
    ('2026-11-16', '2026-11-18')
    >>> since("why does it swing on Monday?", saturday) is None
    True
    """
    words = unicodedata.normalize("NFKC", text).casefold()
    if day := _dated(words, today):
        return day
    for pattern in _SINCE_WEEKDAY:
        if match := re.search(pattern, words):
            named = match.groupdict()
            weekday = _DAYS.index(named["day"]) if named.get("day") else _HAN_DAYS[named["han"]]
            return today - timedelta(days=(today.weekday() - weekday) % 7)
    for pattern in _LAST:
        if match := re.search(pattern, words):
            days = 1 if re.fullmatch("day|night|[天日晚夜]", match["unit"]) else 7
            return today - timedelta(days=days * counted(match["count"]))
    monday = today - timedelta(days=today.weekday())
    yesterday, last_monday = today - timedelta(days=1), monday - timedelta(days=7)
    names = {_YESTERDAY: yesterday, _TODAY: today, _LAST_WEEK: last_monday, _THIS_WEEK: monday}
    return next((day for pattern, day in names.items() if re.search(pattern, words)), None)


def _dated(words: str, today: date) -> date | None:
    """Return the date that is named; without a year the latest such day that is not to come."""
    for pattern in _SINCE_DATE:
        if match := re.search(pattern, words):
            named = match.groupdict()
            try:
                day = date(int(named.get("y") or today.year), int(named["m"]), int(named["d"]))
            except ValueError:
                continue
            return day if named.get("y") or day <= today else day.replace(year=today.year - 1)
    return None
