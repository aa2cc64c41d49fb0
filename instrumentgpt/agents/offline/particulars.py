"""The particulars that the words of a question give: channel, gain, lines, times, a log, pasted lines."""

from instrumentgpt.agents.offline.patterns import find

_UP = (
    r"\brais(?:e|ing)|\bincreas|\bhigher|\bbigger|\blarger|\bbump|\bturn(?:ed)? up|\bdoubl|\bstronger"
    r"|\baggressive|\bgo up"
    r"|[調调升提拉][高升]|加[大倍]|增加|[調调]大|更[大高]"
)
_DOWN = (
    r"\blower|\breduc|\bdecreas|\bhalve|\bsmaller|\bturn(?:ed)? down|\bgo down"
    r"|[調调降拉減减][低小少半]|降[低下]"
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_UNIT = r"\s*(?:°?\s?[cf]\b|度|℃)?"
_THEN = (
    r"(?:then|next|later|->|→|=>|to|and|followed by|jump\w*|drop\w*|becomes?|suddenly|on|the|line|after|that"
    r"|之[後后]|然[後后]|接[著着]|下一?行|[變变]成|跳到|掉到|降到|突然|就|[卻却]|是|,)"
)
_JUMP = _NUMBER + _UNIT + rf"\s*(?:{_THEN}\s*)+" + _NUMBER
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
_LOG_NAME = r"[\w.\-]+\.(?:log|csv|txt|tsv|jsonl|xlsx|parquet|alog)(?:\.gz)?\b"
_QUOTED = r"[\"“「『]([^\"”」』\n]{2,80})[\"”」』]"
_CLOCK = r"(?<![\d:])((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?![\d:])"
_GAIN_NAMES = {
    "kp": r"\bk ?p\b|\bproportional|比例",
    "ki": r"\bk ?i\b|\bintegral|[積积]分",
    "kd": r"\bk ?d\b|\bderivative|微分",
}


def log_in(words: str) -> str:
    """Return the name of a log file that is named, else ""."""
    found = find(_LOG_NAME, words)
    return found.group() if found else ""


def means_previous(words: str) -> bool:
    """Return whether the log before the known one, or before the newest, is meant."""
    return bool(find(_PREVIOUS, words))


def quoted_in(words: str) -> str:
    """Return the first words in quotation marks, else ""."""
    found = find(_QUOTED, words)
    return found.group(1) if found else ""


def clock_in(words: str) -> str:
    """Return the time of day that is named, as it is written: "14:20" or "14:20:05", else ""."""
    found = find(_CLOCK, words)
    return found.group(1) if found else ""


def day_in(words: str) -> str:
    """Return the day that is named, as "02-18" or "2026-02-18", else "".

    >>> [day_in(words) for words in ("the log of Feb 18", "2026/02/18", "用 2月18日 的 log", "lines 3-5")]
    ['02-18', '2026-02-18', '02-18', '']
    """
    for pattern in _DAYS:
        if found := find(pattern, words):
            month = found["m"].casefold()
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            return f"{found['y'] + '-' if found['y'] else ''}{number:02d}-{int(found['d']):02d}"
    return ""


def jump_in(words: str) -> tuple[float, float] | None:
    """Return the two readings of which one follows the other, as in "61.9 then 29.4", else None."""
    found = find(_JUMP, words)
    return (float(found.group(1)), float(found.group(2))) if found else None


def channel_in(words: str) -> int | None:
    """Return the number of the channel that is named, else None."""
    found = find(_CHANNEL, words)
    if not found:
        return None
    digits = next(group for group in found.groups() if group)
    return _HAN_DIGITS.get(digits) or int(digits)


def gains_in(words: str) -> list[str]:
    """Return which of "kp", "ki", "kd" and "setpoint" `words` name; all gains where they name gains as such.

    >>> gains_in("what was kp before?"), gains_in("原本的增益？"), gains_in("why?")
    (['kp'], ['kp', 'ki', 'kd'], [])
    """
    named = [name for name, pattern in _GAIN_NAMES.items() if find(pattern, words)]
    if not named and find(r"\bgains?\b|\bpid\b|增益|[參参][數数]", words):
        named = [*_GAIN_NAMES]
    return [*named, "setpoint"] if find(r"\bset ?points?\b|[設设]定[值點点]", words) else named


def gain_in(words: str) -> str:
    """Return the gain that is named, "kp", "ki" or "kd", else ""."""
    return next((name for name, pattern in _GAIN_NAMES.items() if find(pattern, words)), "")


def direction_in(words: str) -> str:
    """Return which way a value is to go, "up" or "down", else ""."""
    return "up" if find(_UP, words) else "down" if find(_DOWN, words) else ""


def factor_in(words: str) -> float | None:
    """Return the change asked for as a ratio to the present value, else None."""
    if find(r"\bdoubl|加倍", words):
        return 2.0
    if find(r"\bhalve|\bhalf\b|[減减]半|一半", words):
        return 0.5
    if found := find(_PERCENT, words):
        return 1 + (-1 if find(_DOWN, words) else 1) * float(found.group(1)) / 100
    found = find(_TIMES, words)
    return float(found.group(1)) if found else None


def target_in(words: str) -> float | None:
    """Return the new value that a named gain is to have, else None."""
    found = find(_TARGET, words) if gain_in(words) else None
    return float(found.group(1)) if found else None


def lines_in(words: str) -> tuple[int, int] | None:
    """Return the first and the last line that are asked for, the same if it is one; else None."""
    found = find(_LINES, words)
    if not found or ("第" in found.group() and not found.group(3)):
        return None
    numbers = [int(number.replace(",", "")) for number in found.group(1, 2) if number]
    return min(numbers), max(numbers)
