"""The root of all errors that a person can do something about, and their words in another language."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from traceback import extract_tb

CHINESE = Path(__file__).with_name("errors_zh.toml")
NO_REASON = "no reason was given"
BROKEN = (LookupError, TypeError, AttributeError, ArithmeticError, NameError, AssertionError)
FIELD = re.compile(r"\{(\w+)\}")
_ENDED = re.compile(r"(?<=[.!?]) (?=[A-Z`“])")  # between two sentences


class InstrumentGPTError(Exception):
    """An expected problem: its text names what, the value, and the remedy.

    The page and the command line print it without a traceback.
    Subclasses also derive from the builtin a caller would expect (ValueError, LookupError, …).
    """

    def message(self, language: str) -> str:
        """Return the text in `language`, "en" or "zh"."""
        return in_language(str(self), language)


def reason(error: BaseException) -> str:
    """Return why something failed, in words for people: without the number and the path of an OSError.

    >>> reason(FileNotFoundError(2, "No such file or directory", "/logs/a.log")), reason(TimeoutError())
    ('No such file or directory', 'no reason was given')
    >>> reason(IndexError("list index out of range"))
    'a fault of the program (IndexError)'
    """
    places = [(Path(frame.filename), frame.lineno) for frame in extract_tb(error.__traceback__)[-1:]]
    is_ours = any(path.is_relative_to(Path(__file__).parent) for path, _ in places)
    unexpected = isinstance(error, BROKEN) or (is_ours and type(error) in (ValueError, RuntimeError))
    if unexpected and not isinstance(error, InstrumentGPTError):
        where = "".join(f" in {path.name}, line {line}" for path, line in places)
        return f"a fault of the program ({type(error).__name__}{where})"
    return str(getattr(error, "strerror", None) or error) or NO_REASON


def in_language(text: str, language: str) -> str:
    """Return the text of a problem in `language` ("en", "zh"): whatever of it errors_zh.toml knows.

    >>> in_language("a.log is empty. Choose a log with lines in it. See docs/logs.md.", "zh")
    'a.log 是空的。請選擇有內容的記錄。請參閱 docs/logs.md。'
    """
    return text if language == "en" else _in_chinese(text)


@lru_cache(256)
def _in_chinese(text: str) -> str:
    sentences = _ENDED.split(text)
    for pattern, chinese in _entries():
        for count in range(1, len(sentences) + 1):
            begin, rest = " ".join(sentences[:count]), " ".join(sentences[count:])
            if found := pattern.fullmatch(begin.removesuffix(".")):
                fields = {name: _in_chinese(value) for name, value in found.groupdict("").items()}
                said = chinese.format(**fields)
                more = _in_chinese(rest)
                end = "。" if begin.endswith(".") or rest else ""
                return said.rstrip("。") + end + (more if more != rest else f" {more}".rstrip())
    if rest := " ".join(sentences[1:]):
        return f"{_in_chinese(sentences[0])} {_in_chinese(rest)}"
    where, colon, what = text.partition(": ")
    return f"{where}：{said}" if colon and (said := _in_chinese(what)) != what else text


@cache
def _entries() -> list[tuple[re.Pattern[str], str]]:
    """Return the catalogue, those with most words of their own first: a loose one fits more than it means."""
    known = tomllib.loads(CHINESE.read_text(encoding="utf-8"))
    closest = sorted(known, key=lambda english: -len(FIELD.sub("", english)))
    return [(_pattern(english), known[english]) for english in closest]


def _pattern(english: str) -> re.Pattern[str]:
    literal = FIELD.split(english)  # words, a field, words, …
    any_text = {"number": r"[\d,]+", "count": r"[\d,]+"}
    parts = [
        f"(?P<{one}>{any_text.get(one, '.*?')})" if place % 2 else re.escape(one)
        for place, one in enumerate(literal)
    ]
    return re.compile("".join(parts), re.DOTALL)
