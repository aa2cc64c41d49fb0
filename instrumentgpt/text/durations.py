"""Stretches of time as people read them."""

import re

from instrumentgpt.text.language import Language

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0  # s
TOLD_TOO_FROM = 300.0  # s: from here on seconds alone are hard to read
_WORDS: dict[Language, tuple[str, str, str]] = {"en": ("min", "h", "d"), "zh": ("分鐘", "小時", "天")}
_SECONDS: dict[Language, re.Pattern[str]] = {  # no rate, no range, and not told already
    "en": re.compile(r"(?<![\w.,–-])(\d[\d,]*(?:\.\d+)?) s\b(?! \(|/|\w|²)"),
    "zh": re.compile(r"(?<![\w.,–-])(\d[\d,]*(?:\.\d+)?) 秒(?!（|/)"),
}
TOLD_TOO = r"(?:\ ?[(（][\d.]+\ (?:min|h|d|分鐘|小時|天)[)）])?"  # a pattern of what `with_spans` puts in


def span_text(seconds: float, language: Language = "en") -> str:
    """Return a stretch of time as people read it.

    >>> span_text(42.4), span_text(2400), span_text(9000), span_text(6_808_200)
    ('42 s', '40 min', '2.5 h', '79 d')
    """
    minutes, hours, days = _WORDS[language]
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} {'s' if language == 'en' else '秒'}"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} {minutes}"
    return f"{seconds / HOUR:.1f} {hours}" if seconds < 2 * DAY else f"{seconds / DAY:.0f} {days}"


def with_spans(text: str, language: Language) -> str:
    """Return `text` with minutes, hours or days beside each stretch of five minutes or more told in seconds.

    >>> with_spans("38 % in 1978 s, 45 s each", "en"), with_spans("1,799 秒內 7,200 筆", "zh")
    ('38 % in 1978 s (33 min), 45 s each', '1,799 秒（30 分鐘）內 7,200 筆')
    """

    def told_too(found: re.Match[str]) -> str:
        seconds = float(found.group(1).replace(",", ""))
        if seconds < TOLD_TOO_FROM:
            return found.group()
        span = span_text(seconds, language)
        return f"{found.group()} ({span})" if language == "en" else f"{found.group()}（{span}）"

    return _SECONDS[language].sub(told_too, text)
