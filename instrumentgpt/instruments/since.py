"""Since when a question asks: "since Monday", "the last three days", 自週一以來; or which end of a log."""

import re
import unicodedata
from datetime import date, timedelta

from instrumentgpt.instruments.fleet import NUMBERS

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
_LAST_DAYS = (
    rf"\b(?:the )?(?:last|past) {_COUNT} (?:day|night)s?\b",
    rf"(?:最近|過去|过去|近)\s*{_COUNT}\s*(?:[天日晚夜]|[個个]晚上)",
)
_LAST_WEEKS = (
    rf"\b(?:the )?(?:last|past) {_COUNT} weeks?\b",
    rf"(?:最近|過去|过去|近)\s*{_COUNT}\s*(?:個|个)?{_WEEK}",
)
_YESTERDAY = (
    r"\bsince yesterday\b|(?:自從?|從|从)昨[天日]|昨[天日](?:以來|以来|起|開始|开始|到現在|到现在|至今)"
)
_TODAY = r"\bsince (?:this morning|midnight)\b|\btoday's\b|(?:自|從|从)?今[天早日](?:以來|以来|起|開始|开始)"
_THIS_WEEK = (
    rf"\b(?:since|of|in) this week\b|\bthis week\b|(?:這|这|本)(?:個|个)?{_WEEK}(?![一二三四五六日天])"
)
_LAST_WEEK = rf"\bsince last week\b|(?:自|從|从)上(?:個|个)?{_WEEK}(?![一二三四五六日天])"

_UNIT = r"(?P<unit>h(?:ou)?rs?\b|h\b|min)"
_STRETCHES = (
    rf"\b(?P<side>first|last|past|latest|final) (?:{_COUNT} |(?P<half>half (?:an? )?))?{_UNIT}",
    rf"(?P<side>最[後后近初]|過去|过去|[開开一]?[頭头始]|(?<!之)前)\s*的?(?:{_COUNT}|(?P<half>半))\s*[個个]?"
    "(?P<unit>小時|小时|鐘頭|钟头|分鐘|分钟)",
)


def stretch(text: str) -> dict[str, str]:
    """Return the stretch at an end of a log that `text` names, as tools take it; {} if it names none.

    >>> stretch("and the last half hour?"), stretch("前20分鐘"), stretch("the last two days")
    ({'since': '-30 min'}, {'until': '+20 min'}, {})
    """
    words = unicodedata.normalize("NFKC", text).casefold()
    match = next(filter(None, (re.search(pattern, words) for pattern in _STRETCHES)), None)
    if not match:
        return {}
    count = match["count"] or "1"
    minutes = (int(count) if count.isdigit() else _NUMBERS[count]) * (1 if match["unit"][0] in "m分" else 60)
    minutes //= 2 if match["half"] else 1
    is_begin = re.match("first|最初|前|.?[頭头始]", match["side"])
    return {"until": f"+{minutes} min"} if is_begin else {"since": f"-{minutes} min"}


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
    return _counted(words, today)


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


def _counted(words: str, today: date) -> date | None:
    """Return the beginning of a stretch that is named by its length, or by its name."""
    for patterns, days in ((_LAST_DAYS, 1), (_LAST_WEEKS, 7)):
        for pattern in patterns:
            if match := re.search(pattern, words):
                count = match["count"]
                return today - timedelta(days=days * (int(count) if count.isdigit() else _NUMBERS[count]))
    monday = today - timedelta(days=today.weekday())
    yesterday, last_monday = today - timedelta(days=1), monday - timedelta(days=7)
    names = {_YESTERDAY: yesterday, _TODAY: today, _LAST_WEEK: last_monday, _THIS_WEEK: monday}
    return next((day for pattern, day in names.items() if re.search(pattern, words)), None)
