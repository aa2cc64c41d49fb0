"""How long an answer is asked to be, and an answer of that length."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.questions import spelled
from instrumentgpt.instruments.fleet import NUMBERS

_HAN = "一二三四五六七八九"
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_TENS |= {f"{_HAN[n // 10 - 1] * (n > 10)}十": n for n in range(10, 100, 10)} | {"百": 100, "一百": 100}
_NUMBERS = _TENS | NUMBERS | {"a single": 1, "an": 1, "a": 1}
_COUNT = rf"(\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_LENGTHS = (  # of sentences, or of words
    ("sentences", re.compile(rf"\b(?:in|with|as|using|about|of) (?:just |only |at most )?{_COUNT} (?:short )?sentences?\b")),  # noqa: E501
    ("sentences", re.compile(rf"\b{_COUNT}[ -]sentence\b|{_COUNT} ?句话?")),
    ("words", re.compile(rf"\b{_COUNT} words?\b")),
    ("words", re.compile(rf"{_COUNT} ?个?字(?!典|母)")),
)  # fmt: skip
_HEADING = re.compile(r"(?m)^\s*(?:#+ .*|[^\n]{1,24}[:：]\s*)$")  # a title of what follows
_ASIDE = re.compile(
    r"\s?[(（][^()（）]*(?:\[[^\]]*\]\([^)]*\)[^()（）]*)*[)）]"
)  # in brackets, links in it too
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_CLAUSE = re.compile(r"(?:[;；,，:：]|、(?=自))\s*(?=[^;；,，:：]*$)")


def length_asked(text: str) -> tuple[str, int] | None:
    """Return in how many "sentences" or "words" the answer is asked for, None if in no length.

    >>> length_asked("What is wrong? In two sentences"), length_asked("用三十字以內說明")
    (('sentences', 2), ('words', 30))
    """
    words = spelled(text)
    for unit, pattern in _LENGTHS:
        if match := pattern.search(words):
            count = next(filter(None, match.groups()))
            return unit, int(count) if count.isdigit() else _NUMBERS[count]
    return None


def shortened(text: str, unit: str, most: int) -> str:
    r"""Return the first sentences of an answer that are no longer than was asked for.

    Titles and lists are no sentences of their own; what stands in brackets goes first, then the last clause.

    >>> shortened("**Hot: 40 °C ([L 3](?log=a&line=3)).**\n\nFindings:\n\n- It rose.", "words", 5)
    'Hot: 40 °C ([L 3](?log=a&line=3)).'
    """
    plain = re.sub(r"(?m)^\s*(?:[-*]|\d+\.) ", "", _HEADING.sub("", text.replace("**", "")))
    sentences = [part.strip() for part in _END.split(plain) if part and part.strip()]
    if unit == "sentences":
        return " ".join(sentences[:most])
    told = list[str]()
    for sentence in sentences:
        for short in _shorter(sentence):
            if _count([*told, short]) <= most:
                told.append(short)
                break
        else:
            break
    return " ".join(told) or sentences[0]


def _shorter(sentence: str) -> Iterator[str]:
    """Yield a sentence, without what it has in brackets, then without its last clauses."""
    yield sentence
    yield (bare := _ASIDE.sub("", sentence))
    end = bare[-1:] if bare[-1:] in ".。!！?？" else ""
    while (fewer := _CLAUSE.split(bare)[0]) != bare:
        bare = fewer.rstrip()
        yield bare + end


def _count(sentences: list[str]) -> int:
    shown = re.sub(r"\]\([^()\s]*\)", "]", " ".join(sentences))
    return len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", shown))
