"""Words in two languages: which one a text is in, and how numbers, times and sizes are told in it."""

import math
import re
import string
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_QUOTED = re.compile(r"`[^`]*`|[\"“「『《][^\"”」』》\n]*[\"”」』》]")
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_ASKS = re.compile(  # what only a Chinese sentence asks by
    r"[為为]何|[為为]什[麼么]|[什甚][麼么]|怎[麼么樣样]|如何|[嗎吗呢]|多少|[幾几][個个次度點点]|哪[個个些一裡里台]?|是否|可否"
    r"|能否|[是能會会有要可對对]不[是能會会可對对]|有[沒没]有|[還还]是"
)
_FUNCTION = re.compile(  # what makes a sentence English
    r"\b(?:why|what|how|when|where|which|who|is|are|was|were|does|do|did|can|could|should|would|will|has|have"
    r"|the|of|in|on|at|to|for|from|with|and|or|but|it|its|this|that|these|there|my|we|you|i|please|not"
    r"|if|than|after|before)\b",
    re.IGNORECASE,
)


def language_of(text: str) -> Language:
    """Return "zh" if the sentences of `text` are Chinese, else "en"; what is quoted in them does not count.

    Names, units and messages are Latin in both languages: a Chinese question word decides, else whether there
    are more than two Chinese characters to each English word that makes a sentence.

    >>> language_of("10.1.1.47 為什麼溫度波動？"), language_of("那 kp 可以調高嗎？"), language_of("why?")
    ('zh', 'zh', 'en')
    >>> language_of("InstrumentDebug log setpoint overshoot settling time kp ki kd margin 怎麼看")
    'zh'
    >>> language_of("why does the log of 溫控 say heater timeout on channel 3")
    'en'
    """
    plain = unicodedata.normalize("NFKC", text)
    unquoted = _QUOTED.sub(" ", _CODE.sub(" ", plain))
    prose = unquoted if _HAN.search(unquoted) or _LATIN_WORD.search(unquoted) else plain
    is_chinese = len(_HAN.findall(prose)) > 2 * len(_FUNCTION.findall(prose))
    return "zh" if is_chinese or _ASKS.search(prose) else "en"


MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0  # s
SPAN_FROM = 300.0  # s: from here on seconds alone are hard to read
_SPANS: dict[Language, tuple[tuple[float, str, str], ...]] = {  # s, its name, how many of it are told
    "en": ((DAY, "d", ".0f"), (HOUR, "h", ".1f"), (MINUTE, "min", ".0f"), (1.0, "s", ".0f")),
    "zh": ((DAY, "天", ".0f"), (HOUR, "小時", ".1f"), (MINUTE, "分鐘", ".0f"), (1.0, "秒", ".0f")),
}
_SECONDS: dict[Language, re.Pattern[str]] = {  # no rate, no range, and not told already
    "en": re.compile(r"(?<![\w.,–-])(\d[\d,]*(?:\.\d+)?) s\b(?! \(|/|\w|²)"),
    "zh": re.compile(r"(?<![\w.,–-])(\d[\d,]*(?:\.\d+)?) 秒(?!（|/)"),
}


def span_text(seconds: float, language: Language = "en", exact: bool = False) -> str:
    """Return a stretch of time as people read it, `exact`ly: in no less than two figures.

    >>> span_text(42.4), span_text(2400), span_text(9000), span_text(6_808_200)
    ('42 s', '40 min', '2.5 h', '79 d')
    >>> span_text(0.44, exact=True), span_text(155, exact=True), span_text(360, exact=True)
    ('0.44 s', '2.6 min', '6 min')
    """
    *longer, shortest = _SPANS[language]
    unit, name, form = next((span for span in longer if seconds >= 2 * span[0]), shortest)
    few = exact and form == ".0f" and seconds / unit < 10
    return f"{seconds / unit:{'.2g' if few else form}} {name}"


def with_spans(text: str, language: Language) -> str:
    """Return `text` with minutes, hours or days beside each stretch of five minutes or more told in seconds.

    >>> with_spans("38 % in 1978 s, 45 s each", "en"), with_spans("1,799 秒內 7,200 筆", "zh")
    ('38 % in 1978 s (33 min), 45 s each', '1,799 秒（30 分鐘）內 7,200 筆')
    """

    def with_span(match: re.Match[str]) -> str:
        seconds = float(match.group(1).replace(",", ""))
        if seconds < SPAN_FROM:
            return match.group()
        span = span_text(seconds, language)
        return f"{match.group()} ({span})" if language == "en" else f"{match.group()}（{span}）"

    return _SECONDS[language].sub(with_span, text)


UNKNOWN = "?"  # stands for a number that is not known
_CHOICE = re.compile(r"\[\[(.*?)\|(.*?)\]\]")
_NO_RANGE = re.compile(r"(?<!from )(?<!由 )(?<![\w.,:+-])([+-]?\d[\d,.]*) (?:to|到) \1(?![\w:]|[.,]\d)")


class Sentence(string.Formatter):
    """Fills in fields as str.format does; {count:?line|lines} is the word of the number (a third: of 0).

    What is not known (None, nan) is "?"; where that is in "[[kp {kp:g}|they]]", the second is told.
    What is rounded to 0 has no sign; words are told as they are.

    >>> [Sentence().format("{n} {n:?line|lines}", n=n) for n in (0, 1, 2)]
    ['0 lines', '1 line', '2 lines']
    >>> [Sentence().format("by {a:.1f} to {b:.1f} s", a=1.0, b=b) for b in (1.02, 2.0)]  # no range is none
    ['by 1.0 s', 'by 1.0 to 2.0 s']
    >>> Sentence().format("{lag:.3g} s, {lag:+.2g} s, {x:+.1f}", lag=1634.0, x=-0.01)
    '1630 s, +1600 s, 0.0'
    >>> [Sentence().format("[[kp {kp:g}|they]] swing", kp=kp) for kp in (2.0, None)]
    ['kp 2 swing', 'they swing']
    """

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Return the sentence; a range whose ends are told alike is one number."""

        def chosen(choice: re.Match[str]) -> str:
            known = UNKNOWN not in super(Sentence, self).vformat(choice[1], args, kwargs)
            return choice[1] if known else choice[2]

        return _NO_RANGE.sub(r"\1", super().vformat(_CHOICE.sub(chosen, format_string), args, kwargs))

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return `value` as `format_spec` has it."""
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return UNKNOWN
        if format_spec.startswith("?"):
            singular, plural, *none = format_spec[1:].split("|")
            return singular if value == 1 else none[0] if none and value == 0 else plural
        if isinstance(value, str):
            return value
        written = str(super().format_field(value, format_spec))
        if "e+0" in written:  # of a thousand seconds nobody speaks in powers of ten
            written = f"{float(written):{'+' * ('+' in format_spec)}.0f}"
        return written if written.strip("+-0.%") else written.lstrip("+-")


@cache
def table(path: Path) -> dict[str, Any]:
    """Return the TOML table of words or patterns at `path`, read once."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def phrase(path: Path, key: str, language: Language, *values: object, **numbers: object) -> str:
    """Return the sentence `key` ("drive.on_off", "more") of the table at `path`, its fields filled in."""
    entry: Any = table(path)
    for part in key.split("."):
        entry = entry[part]
    return Sentence().format(entry[language], *values, **numbers)


def size_text(size: int) -> str:
    """Return a size in bytes as people read it.

    >>> size_text(950), size_text(12_340), size_text(1_234_567), size_text(3_000_000_000)
    ('950 B', '12 kB', '1.2 MB', '3.0 GB')
    """
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1_000_000_000 else f"{size / 1e9:.1f} GB"


DIGITS = 6  # significant; more than any log carries


def plain(value: Any) -> Any:
    """Return `value` with numbers JSON can write: nan and inf as None, 6 significant digits, no numpy types.

    >>> plain({"kp": float("nan"), "period": 63.0000001, "n": 3, "lines": (1, 2)})
    {'kp': None, 'period': 63.0, 'n': 3, 'lines': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | str | int):
        return value
    if hasattr(value, "item"):  # a numpy scalar
        return plain(value.item())
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None
