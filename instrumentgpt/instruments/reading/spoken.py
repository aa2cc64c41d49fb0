"""What people say in a sentence of the columns of a log, and of the unit of its readings."""

import re

from instrumentgpt.instruments.reading.headers import heading_of

_LISTED = re.compile(
    r"(?i)\b(?:columns?|cols)(?: are)?\s*[:=]\s*([^()\n?!]+)"
    r"|(?:[欄栏]位|各[欄栏])[:：是為为]\s*([^()（）\n?？]+)"
)
_WHAT = r"([^\s\d,;，；、。()（）?？!:：=](?:(?!\.\s)[^,;，；、。()（）?？!\n]){0,30})"
_HEADED = re.compile(
    rf"(?i)\bcol(?:umn)?\.? ?#?(\d{{1,2}})\b\s*(?:is|=|:|was|holds|has|being)?\s*[(]?(?:the |a |an )?{_WHAT}"
    rf"|第 ?(\d{{1,2}}) ?[欄栏列]\s*(?:是|為|为|=|:|：)?\s*{_WHAT}"
)
NAMES = {"kelvin": "k", "celsius": "c", "fahrenheit": "f", "攝氏": "c", "摄氏": "c", "華氏": "f", "华氏": "f"}
_UNIT = r"(kelvin|celsius|fahrenheit|°c|°f|(?-i:[CFK])(?![a-z]))"
_IN_UNIT = re.compile(
    r"(?i)\b(?:it|this|all|everything|temperatures?|temps?|values|readings) (?:is|are) (?:all )?(?:in )?"
    rf"{_UNIT}"
    r"|[單单]位[是為为:：]?\s*([攝摄華华]氏|kelvin|°?[CFK](?![a-z]))"
)
UNITS = {"c": "°C", "°c": "°C", "f": "°F", "°f": "°F", "k": "K", "counts": "counts"}


def heads_in(text: str) -> dict[int, str]:
    """Return the columns (0-based) that `text` says what they are, with what it calls them.

    >>> heads_in("why so slow? (col 2 setpoint, column 3 is the bath temp °C, col 5 goes to 0)")
    {1: 'setpoint', 2: 'bath temp °C'}
    >>> heads_in("columns: time s, set, actual, heater %"), heads_in("第3欄是溫度，第4欄是輸出")
    ({0: 'time s', 1: 'set', 2: 'actual', 3: 'heater %'}, {2: '溫度', 3: '輸出'})
    """
    if (listed := _LISTED.search(text)) and len(
        heads := re.split(r"\s*[,;，；、|]\s*", listed[1] or listed[2])
    ) > 2:
        return {at: head for at, head in enumerate(head.strip(" .") for head in heads)}
    told = {int(match[1] or match[3]) - 1: match[2] or match[4] for match in _HEADED.finditer(text)}
    return {at: head.strip() for at, head in told.items() if at >= 0 and heading_of(head).scores}


def unit_in(text: str) -> str:
    """Return the unit in which `text` says that the readings are, "" if it says none.

    >>> unit_in("it is kelvin"), unit_in("單位是°F"), unit_in("is it in K?"), unit_in("it is cold")
    ('K', '°F', '', '')
    """
    told = _IN_UNIT.search(text)
    return UNITS[NAMES.get(name := (told[1] or told[2]).lower(), name)] if told else ""
