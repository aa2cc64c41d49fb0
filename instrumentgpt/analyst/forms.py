"""How long an answer is asked to be, and an answer of that length."""

import re
from collections.abc import Iterator

from instrumentgpt.instruments.fleet import NUMBERS

_HAN = "一二三四五六七八九"
_NUMBERS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_NUMBERS |= {f"{_HAN[n // 10 - 1] * (n > 10)}十": n for n in range(10, 100, 10)} | {"百": 100, "一百": 100}
_NUMBERS |= NUMBERS | {"兩": 2, "a single": 1, "a": 1}
_LENGTH = re.compile(
    r"(?:[,;，；]\s*)?(?:\b(?:(?:please|answer|reply|in|with|using|as|just|only|about|under|below|at most|max"
    r"|(?:no|not) more than|(?:less|fewer) than|up to) )*|[請请]?[用以]?(?:不[超多][過过於于]|最多)?\s*)"
    rf"(?<![\d.])(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})[ -]?"
    r"(?P<unit>(?:short )?sentences?\b|words?\b|句[話话]?|[個个]?字)(?: or (?:less|fewer)|[以之][內内])?",
    re.IGNORECASE,
)
FEWEST_WORDS = 5  # that can be asked for: "a word on the sensor" is none
_HEADING = re.compile(r"(?m)^\s*(?:#+ .*|[^\n]{1,24}[:：]\s*)$")  # a title of what follows
_ASIDE = re.compile(r"\s?[(（][^()（）]*(?:\[[^\]]*\]\([^)]*\)[^()（）]*)*[)）]")  # with its links
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_CLAUSE = re.compile(r"(?:[;；,，:：]|、(?=自))\s*(?=[^;；,，:：]*$)")


def length_asked(text: str) -> tuple[tuple[str, int] | None, str]:
    """Return in how many "sentences" or "words" the answer is asked for, and the text without that.

    >>> length_asked("What is wrong, in two sentences?"), length_asked("用三十字以內說明")
    ((('sentences', 2), 'What is wrong?'), (('words', 30), '說明'))
    >>> length_asked("a word on the sensor, in under 25 words")
    (('words', 25), 'a word on the sensor')
    """
    for match in _LENGTH.finditer(text):
        unit = (
            "sentences"
            if match["unit"].casefold().endswith(("sentence", "sentences", "句", "話", "话"))
            else "words"
        )
        count = _NUMBERS.get(match["count"].casefold()) or int(match["count"])
        if unit == "sentences" or count >= FEWEST_WORDS:
            return (unit, count), (text[: match.start()] + text[match.end() :]).strip()
    return None, text


def shortened(text: str, unit: str, most: int) -> str:
    r"""Return the first sentences of an answer that are no longer than was asked for.

    Titles and lists are no sentences of their own; what stands in brackets goes first, then the last clause.

    >>> shortened("**Hot: 40 °C ([L 3](?log=a&line=3)).**\n\nFindings:\n\n- It rose.", "words", 5)
    'Hot: 40 °C ([L 3](?log=a&line=3)).'
    """
    plain = re.sub(r"(?m)^\s*(?:[-*]|\d+\.) ", "", _HEADING.sub("", text.replace("**", "")))
    sentences = [part.strip() for part in _END.split(plain) if part and part.strip()]
    if len(sentences) > 1 and not re.search(r"\d", sentences[0]):  # the figure that it rests on goes with it
        joint = "：" if sentences[0].endswith("。") else ": "
        sentences[:2] = [sentences[0].rstrip(".。") + joint + sentences[1]]
    if unit == "sentences":
        return " ".join(sentences[:most])
    told = list[str]()
    for sentence in sentences:
        for short in _shorter(sentence):
            shown = re.sub(r"\]\([^()\s]*\)", "]", " ".join([*told, short]))
            words = re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", shown)
            if len(words) <= most:
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
        if not re.search(r"\d", bare):  # a clause without its figure tells nothing
            return
        yield bare + end
