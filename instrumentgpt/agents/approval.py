"""Whether a person's words say yes or no to what was proposed, in English or Chinese.

All words must belong to the answer: "yes, but only the first two" is neither, for it asks for more.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

Answer = Literal["yes", "no"]

LONGEST = 300  # characters; who agrees or refuses says so in fewer
_REF = r"(?:[a-z]+_)+\d+"  # what a conversation calls a thing: gen_report_1
_ENDS = ".,;:!，。；：！、\n"
_DECORATION = f"{_ENDS} \t\r-~\"'*_()"


def approval(text: str) -> Answer | None:
    """Return whether `text` agrees, refuses, or does neither (a question, an amendment, another matter).

    >>> approval("yes, go ahead"), approval("好的，請執行"), approval("不要"), approval("don't save it")
    ('yes', 'yes', 'no', 'no')
    >>> approval("It broke yesterday"), approval("no, only the first two"), approval("可以嗎？")
    (None, None, None)
    """
    # NFKC, lower case, straight apostrophes, single blanks, no skin colours
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("\ufe0f", "")
    plain = re.sub("[\U0001f3fb-\U0001f3ff]", "", plain)
    plain = re.sub(r"\byes{2,}\b", "yes", plain)
    folded = re.sub(r"[^\S\n]+", " ", plain).strip()
    if len(folded) > LONGEST or _QUESTION.search(folded):
        return None
    if _PHRASE.sub("", folded).strip(_DECORATION):
        return None  # something else is said
    answers = set(_answers_in(folded))
    return answers.pop() if len(answers) == 1 else None


def _answers_in(folded: str) -> Iterator[Answer]:
    """Yield the yeses and noes in order; within a clause all that follows "not" is refused."""
    negated = False
    for match in _PHRASE.finditer(folded):
        phrase = match.group()
        if phrase in _ENDS:
            negated = False
        elif phrase in _KINDS["not"]:
            negated = True
            yield "no"
        elif phrase in _KINDS["no"]:
            yield "no"
        elif phrase in _KINDS["yes"] and not negated:
            yield "yes"


def _pattern(phrases: Iterable[str]) -> str:
    """Return a pattern of `phrases`, the longest first; Latin ones are whole words."""
    ordered = sorted(map(re.escape, phrases), key=len, reverse=True)
    latin = "|".join(phrase for phrase in ordered if phrase.isascii())
    return "|".join([_whole(latin), *(phrase for phrase in ordered if not phrase.isascii())])


def _whole(pattern: str) -> str:
    return rf"(?<![a-z0-9_'])(?:{pattern})(?![a-z0-9_'])"


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS = {kind: frozenset(phrases) for kind, phrases in _TABLE.items()}  # yes, no, not, polite, unsure
_SAID = frozenset().union(*(_KINDS[kind] for kind in ("yes", "no", "not", "polite")))
_PHRASE = re.compile(f"{_whole(_REF)}|{_pattern(_SAID)}|[{re.escape(_ENDS)}]", re.ASCII)
_QUESTION = re.compile(f"[?嗎吗]|{_pattern(_KINDS['unsure'])}", re.ASCII)
