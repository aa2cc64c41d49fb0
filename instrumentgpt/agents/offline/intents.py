"""Which question is it: patterns over its words (intents.toml), and the particulars that the words give."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATTERNS = Path(__file__).with_name("intents.toml")
OF_THE_CONVERSATION = ("forbidden", "which_log", "earlier", "said")  # asked before all others
LOOKED_BACK = (*OF_THE_CONVERSATION, "recall", "history")  # answered from what was said and found
FLAGS = re.IGNORECASE | re.ASCII  # ASCII: a Chinese character beside "kp" is no part of the word

_GAIN = (
    r"\bk ?[pid]\b|\bpid\b|\bgains?\b|\b(?:proportional|integral|derivative)\b"
    r"|增益|比例|[積积]分|微分|[參参][數数]"
)
_UP = (
    r"\brais(?:e|ing)|\bincreas|\bhigher|\bbump|\bturn(?:ed)? up|\bdoubl|\bstronger|\baggressive|\bgo up"
    r"|[調调升提拉][高升]|加[大倍]|增加|[調调]大|更大"
)
_DOWN = (
    r"\blower|\breduc|\bdecreas|\bhalve|\bsmaller|\bturn(?:ed)? down|\bgo down"
    r"|[調调降拉減减][低小少半]|降[低下]"
)
_TUNE = (
    r"\b(?:re)?tun(?:e|ing)\b"
    r"|\b(?:new|better|recommend\w*|suggest\w*|optimal|best) (?:\w+ )?(?:gains?|pid|k[pid])\b"
    r"|\b(?:gains?|pid|k[pid])\b.{0,20}\b(?:recommend|suggest|advise|use|try)"
    r"|(?:建[議议]|推[薦荐]|最佳|新的).{0,6}(?:增益|[參参][數数]|pid|k[pid])|整定|[調调][參参]"
    r"|(?:增益|[參参][數数]|pid|k[pid]).{0,6}(?:怎[麼么][調调]|如何[調调]|[調调]整|[該该][設设調调])"
)
_SUSPECTED = (
    r"\bsensor|\bheater|\b(?:bad|wrong|poor)\w* tun|\btuning (?:bad|wrong|ok|problem|issue|fault)|感測|加熱"
)
_ACT = (
    r"\b(?:restart|reboot|reset|shut ?down|power cycle|delete|erase)\b"
    r"|\b(?:switch|turn) (?:it )?(?:on|off)\b"
    r"|\b(?:set|change|write) (?:the )?(?:k[pid]|gains?|set ?point|sp|temperature)\b.{0,24}\bto\b"
    r"|重啟|重启|重新[開开][機机]|[關关][機机]|[關关]掉|打[開开]|[刪删]除|(?:[設设]|改|[調调])(?:成|[為为]|到)"
)
_ORDER = (  # what asks for an act however politely
    r"^\W*(?:(?:please|pls|can you|could you|will you|would you|i want you to)\W+)*"
    r"(?:set(?! ?(?:points?|temp\w*|values?)\b(?!.*\bto\b))|change(?! (?:of|in|since|from|between)\b)"
    r"|(?:put|write)\b(?=.{0,40}\d)|adjust|start (?:heating|it|the)|stop|enable|disable|calibrate"
    r"|(?:turn|switch|power|shut) ?(?:it |the \w+ )?(?:on|off|up|down)|power.?cycle|restart|reboot|reset"
    r"|ramp(?! rate)|apply)\b"
    r"|(?:^|[請请幫帮]).{0,8}(?:把|將|将).{1,16}(?:[設设改調调升降][成為为到定]|[關关][掉閉闭機机]|重[啟启])"
    r"|[幫帮請请].{0,8}(?:重[啟启]|[關关][機机閉闭掉]|[開开][機机啟启]|[設设]定?[成為为到])"
)
_ASKS = (
    r"\?|\bwhy\b|\bcan\b|\bcould\b|\bshould\b|\bmay\b|\bsafe|\bwhat if\b"
    r"|為什麼|为什么|原因|可以|能否|能不能|可否|[嗎吗]|是否|如果"
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_UNIT = r"\s*(?:°?\s?[cf]\b|度|℃)?"
_THEN = (
    r"(?:then|next|later|->|→|=>|to|and|followed by|jump\w*|drop\w*|becomes?|suddenly|on|the|line|after|that"
    r"|之[後后]|然[後后]|接[著着]|下一?行|[變变]成|跳到|掉到|降到|突然|就|[卻却]|是|,)"
)
_JUMP = _NUMBER + _UNIT + rf"\s*(?:{_THEN}\s*)+" + _NUMBER
_NEXT_LINE = (
    r"next line|one line|consecutive|between two lines|\bjump|sudden"
    r"|下一?行|隔一行|[連连][續续][兩两]行|相[鄰邻]|跳|突然"
)
_LINES = (
    r"(?:\blines?|\bL|第)\s*#?\s*(\d[\d,]*)"
    r"(?:\s*(?:-|–|\bto\b|\bthrough\b|~|到|至)\s*(?:L ?)?(\d[\d,]*))?\s*(行)?"
)
_CHANNEL = (
    r"(?:\bchann?ell?s?|\bch|\bzone|\bloop|\bid|\bsensor|通道|[頻频]道|[迴回]路)\s*[=#.]?\s*(\d{1,2})\b"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:channel|loop|zone|sensor)\b"
    r"|(\d{1,2})\s*[號号]\s*(?:通道|[迴回]路|[頻频]道)"
    r"|(?:第\s*(\d{1,2}|[一二三四五六七八九])\s*[個个]?\s*(?:通道|[迴回]路|[頻频]道)|(?:通道|[迴回]路|[頻频]道)([一二三四五六七八九]))"
)
_HAN_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)}
_PERCENT = r"(\d+(?:\.\d+)?)\s*(?:%|percent|趴)"
_TIMES = r"(\d+(?:\.\d+)?)\s*(?:x\b|×|times|倍)"
_TARGET = r"(?:\bto|\bat|=|到|成|[為为])\s*(\d+(?:\.\d+)?)(?![\d.:])(?!\s*(?:%|percent|x\b|×|times|倍))"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAYS = (  # year, month and day in these groups
    r"(?<![\d.\-])(?:(?P<y>20\d\d)[-/.年])?(?P<m>0[1-9]|1[0-2])[-/](?P<d>0[1-9]|[12]\d|3[01])(?![\d\-])",
    r"(?:(?P<y>20\d\d)[/.年])?(?<!\d)(?P<m>1[0-2]|0?[1-9])月(?P<d>3[01]|[12]\d|0?[1-9])[日號号]?",
    rf"\b(?P<d>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)? (?P<m>{_MONTH})\b(?:,? (?P<y>20\d\d))?",
    rf"\b(?P<m>{_MONTH}) (?P<d>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?\b(?:,? (?P<y>20\d\d))?",
)
_PREVIOUS = (
    r"\b(?:previous|older|earlier|preceding) (?:log|run|file|record|one)\b|\b(?:log|run|one) before\b"
    r"|\blog before (?:that|this|it)\b"
    r"|[上前]一?[個个份次](?![說说提講讲])(?:的?(?:log|[記记][錄录]|日[誌志]))?"
)
_LOG_NAME = r"[\w.\-]+\.(?:log|csv|txt|tsv)(?:\.gz)?\b"
_QUOTED = r"[\"“「『]([^\"”」』\n]{2,80})[\"”」』]"
_DECIMAL = r"(?<![\d.])\d+\.\d+(?!\.?\d)"  # not a part of an address
_CLOCK = r"(?<![\d:])((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?![\d:])"
_TIME_OF_DAY = r"\d{1,2}:\d\d:\d\d"
_READINGS = r"\b(?:sp|pv|out|setpoint|processvalue|t\d|temp\w*)\b\W{0,4}-?\d"
_GAIN_NAMES = {
    "kp": r"\bk ?p\b|\bproportional|比例",
    "ki": r"\bk ?i\b|\bintegral|[積积]分",
    "kd": r"\bk ?d\b|\bderivative|微分",
}


@dataclass(frozen=True)
class Question:
    """What is asked, and the particulars that the words give."""

    intent: str  # a table of intents.toml, or "gain", "tune", "excerpt", "lines", "moment", "act", "unknown"
    text: str
    channel: int | None = None
    gain: str = ""  # "kp", "ki" or "kd", if one is named
    direction: str = ""  # "up" or "down"
    factor: float | None = None  # the change asked for, as a ratio to the present gain
    target: float | None = None  # … or as the new value
    lines: tuple[int, int] | None = None  # first and last line asked for
    values: tuple[float, float] | None = None  # "61.9 then 29.4"
    clock: str = ""  # a time of day: "14:20" or "14:20:05"
    log: str = ""  # the log's file name, if one is named
    day: str = ""  # the day of a log: "02-18" or "2026-02-18"
    previous: bool = False  # whether the log before the known one, or before the newest, is meant
    search: str = ""  # words in quotation marks
    pasted: tuple[str, ...] = ()  # log lines that stand in the question


@cache
def intents() -> dict[str, Any]:
    """Return the tables of intents.toml, in their order."""
    with PATTERNS.open("rb") as file:
        return tomllib.load(file)


def read_question(text: str) -> Question:
    """Return what `text` asks.

    >>> read_question("那 kp 可以調高嗎？").intent, read_question("10.1.1.47 為什麼溫度波動？").intent
    ('gain', 'why')
    >>> read_question("temp 61.9 then 29.4 on the next line, why?").values
    (61.9, 29.4)
    """
    pasted, rest = _split_pasted(text)
    words = unicodedata.normalize("NFKC", rest)
    values = _jump(words)
    log, search = _find(_LOG_NAME, words), _find(_QUOTED, words)
    return Question(
        intent=_intent(words, pasted, values),
        text=words,
        channel=_channel(words),
        gain=_gain(words),
        direction="up" if _find(_UP, words) else "down" if _find(_DOWN, words) else "",
        factor=_factor(words),
        target=_target(words),
        lines=_lines(words),
        values=values,
        clock=clock.group(1) if (clock := _find(_CLOCK, words)) else "",
        log=log.group() if log else "",
        day=_day(words) if not log and not _lines(words) else "",
        previous=not log and bool(_find(_PREVIOUS, words)),
        search=search.group(1) if search else "",
        pasted=pasted,
    )


def _find(pattern: str, words: str) -> re.Match[str] | None:
    return re.search(pattern, words, FLAGS)


def _intent(words: str, pasted: tuple[str, ...], values: tuple[float, float] | None) -> str:
    if len(pasted) >= 2 or (values and _find(_NEXT_LINE, words)):
        return "excerpt"
    if _find(_ORDER, words) and not _find(r"\bwhat if\b|如果|為什麼|为什么|\bwhy\b|嗎|吗", words):
        return "act"
    if of_conversation := _first(words, OF_THE_CONVERSATION):
        return of_conversation
    if kind := _gain_question(words):
        return kind
    if _find(_ACT, words) and not _find(_ASKS, words):
        return "act"
    if _lines(words):
        return "lines"
    if _find(_CLOCK, words):
        return "moment"
    return _first(words, intents()) or "unknown"


def _first(words: str, names: Iterable[str]) -> str:
    """Return the first of the intents `names` that has a pattern for `words`, "" if none has."""
    rules = intents()
    fitting = (
        name for name in names if any(_find(p, words) for p in (*rules[name]["en"], *rules[name]["zh"]))
    )
    return next(fitting, "")


def _gain_question(words: str) -> str:
    """Return "gain" if a change of a gain is asked about, "tune" if better gains are, else ""."""
    moves = _find(_UP, words) or _find(_DOWN, words) or (_target(words) is not None and _find(_ASKS, words))
    if moves and _find(_GAIN, words):
        return "gain"
    return "tune" if _find(_TUNE, words) and not _find(_SUSPECTED, words) else ""


def _day(words: str) -> str:
    """Return the day that is named, as "02-18" or "2026-02-18", else "".

    >>> [_day(words) for words in ("the log of Feb 18", "2026/02/18", "用 2月18日 的 log", "lines 3-5")]
    ['02-18', '2026-02-18', '02-18', '']
    """
    for pattern in _DAYS:
        if found := _find(pattern, words):
            month = found["m"].casefold()
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            return f"{found['y'] + '-' if found['y'] else ''}{number:02d}-{int(found['d']):02d}"
    return ""


def _split_pasted(text: str) -> tuple[tuple[str, ...], str]:
    """Return the log lines that stand in `text`, and the other lines."""
    lines = text.splitlines()
    pasted = tuple(line.strip() for line in lines if _looks_logged(line))
    if len(lines) < 2 or not pasted:
        return (), text
    return pasted, "\n".join(line for line in lines if not _looks_logged(line) and line.strip() != "```")


def _looks_logged(line: str) -> bool:
    readings = re.findall(_DECIMAL, line)
    timed = _find(_TIME_OF_DAY, line) and (readings or line.lstrip().startswith("["))
    return bool(
        timed or len(readings) >= 2 or (readings and _find(_READINGS, line) and not _find(_ASKS, line))
    )


def _jump(words: str) -> tuple[float, float] | None:
    found = _find(_JUMP, words)
    return (float(found.group(1)), float(found.group(2))) if found else None


def _channel(words: str) -> int | None:
    found = _find(_CHANNEL, words)
    if not found:
        return None
    digits = next(group for group in found.groups() if group)
    return _HAN_DIGITS.get(digits) or int(digits)


def gains_in(words: str) -> list[str]:
    """Return which of "kp", "ki", "kd" and "setpoint" `words` name; all gains where they name gains as such.

    >>> gains_in("what was kp before?"), gains_in("原本的增益？"), gains_in("why?")
    (['kp'], ['kp', 'ki', 'kd'], [])
    """
    named = [name for name, pattern in _GAIN_NAMES.items() if _find(pattern, words)]
    if not named and _find(r"\bgains?\b|\bpid\b|增益|[參参][數数]", words):
        named = [*_GAIN_NAMES]
    return [*named, "setpoint"] if _find(r"\bset ?points?\b|[設设]定[值點点]", words) else named


def _gain(words: str) -> str:
    return next((name for name, pattern in _GAIN_NAMES.items() if _find(pattern, words)), "")


def _factor(words: str) -> float | None:
    if _find(r"\bdoubl|加倍", words):
        return 2.0
    if _find(r"\bhalve|\bhalf\b|[減减]半|一半", words):
        return 0.5
    if found := _find(_PERCENT, words):
        return 1 + (-1 if _find(_DOWN, words) else 1) * float(found.group(1)) / 100
    found = _find(_TIMES, words)
    return float(found.group(1)) if found else None


def _target(words: str) -> float | None:
    found = _find(_TARGET, words) if _gain(words) else None
    return float(found.group(1)) if found else None


def _lines(words: str) -> tuple[int, int] | None:
    found = _find(_LINES, words)
    if not found or ("第" in found.group() and not found.group(3)):
        return None
    numbers = [int(number.replace(",", "")) for number in found.group(1, 2) if number]
    return min(numbers), max(numbers)
