"""Whether a reply is an interviewer's: one ✅, one ❓, no solution, in the user's language."""

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path

from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.terms import fold

LONGEST = 1200  # characters; an acknowledgement and one question need fewer
CLEAR, ASKS = "✅", "❓"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QUOTED = re.compile(r"“[^”]{0,300}”|「[^」]{0,300}」|\"[^\"\n]{0,300}\"")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")


def faults_of(reply: str, language: Language, source: str = "", earlier: Collection[str] = ()) -> list[str]:
    """Return what keeps `reply` from being an interviewer's, in words for who is asked again; [] if nothing.

    source   what the user has said, and what is known: numbers and sentences from there may be repeated
    earlier  replies: none of their questions is asked again in the same words

    >>> faults_of("✅ Clear: it drifts.\\n\\n❓ Since when does it drift?", "en")
    []
    >>> faults_of("You should lower kp to 0.05.", "en")[:2]
    ['it has no ✅ line', 'it has no ❓ question']
    """
    plain = reply.strip()
    if not plain:
        return ["it is empty"]
    return [
        *_of_shape(plain),
        *_of_content(plain, source),
        *([f"it is not in {_NAMES[language]}"] if language_of(_QUOTED.sub("", plain)) != language else []),
        *(["it repeats an earlier question word for word"] if _repeats(plain, earlier) else []),
        *(["it is too long"] if len(plain) > LONGEST else []),
    ]


_NAMES: dict[Language, str] = {"en": "English", "zh": "Traditional Chinese, the user's language"}


def shaped(reply: str) -> str:
    """Return the ✅ line and the ❓ question of a reply without faults, and nothing beside them.

    >>> shaped("Sure!\\n✅ Clear: it drifts.\\n❓ Since when?\\nThanks")
    '✅ Clear: it drifts.\\n\\n❓ Since when?'
    """
    clear = next((line.strip(" *#>-") for line in reply.split("\n") if CLEAR in line), "")
    return f"{clear}\n\n{_question_in(reply)}"


def advises(sentence: str) -> bool:
    """Return whether a sentence says what to do: of a user, a proposal and no requirement.

    >>> advises("I think you should just raise kp"), advises("it must hold 0.1 °C")
    (True, False)
    """
    return _patterns()["proposals"].search(fold(sentence)) is not None


def _repeats(reply: str, earlier: Collection[str]) -> bool:
    question = fold(_question_in(reply)) if ASKS in reply else ""
    return any(question == fold(_question_in(text)) for text in earlier if ASKS in text)


def _question_in(reply: str) -> str:
    """Return the question: from its mark up to its question mark, on one line."""
    text = " ".join(reply[reply.index(ASKS) :].split("\n\n")[0].split())
    end = re.search(r"[?？]", text)
    return text[: end.end()].replace("*", "") if end else text


def _of_shape(reply: str) -> list[str]:
    clear, asks = reply.count(CLEAR), reply.count(ASKS)
    questions = len(re.findall(r"[?？]+", _QUOTED.sub("", reply)))
    counts = (
        (clear, "has no ✅ line", f"has {clear} ✅ lines"),
        (asks, "has no ❓ question", f"has {asks} ❓"),
        (questions, "asks nothing", f"asks {questions} questions"),
    )
    faults = [f"it {some} instead of one" if n else f"it {none}" for n, none, some in counts if n != 1]
    if clear == asks == 1 and reply.index(CLEAR) > reply.index(ASKS):
        faults.append("its ✅ line stands after its ❓ question")
    if clear == asks == 1 and questions == 1 and not re.search(r"[?？]", reply[reply.index(ASKS) :]):
        faults.append("its ❓ line asks nothing")
    return faults


def _of_content(reply: str, source: str) -> list[str]:
    folded, numbers = fold(source), set(_NUMBER.findall(fold(source)))
    faults: dict[str, None] = {}
    for sentence in _SENTENCES.split(reply):
        plain = fold(sentence.replace(CLEAR, f"{CLEAR} ")).strip()
        rest = _without_quotes(plain, folded)
        for kind, words in _FAULTS.items():
            match = _patterns()[kind].search(rest)
            if match and not (kind == "code" and match.group() in folded):
                faults[f"{words}: “{' '.join(match.group().split())[:60]}”"] = None
        for match in _patterns()["setting"].finditer(plain):
            number = next(value for value in match.groups() if value)
            if number.lstrip("±+-") not in numbers:
                faults[f"it names a value to set: “{match.group().strip()[:60]}”"] = None
    return list(faults)


_FAULTS = {
    "openings": "it advises",
    "solutions": "it gives a solution or a cause",
    "code": "it talks of programs",
}


def _without_quotes(sentence: str, source: str) -> str:
    """Return the sentence without what the user said in the same words: repeating him is no advice."""
    rest = _QUOTED.sub(" ", sentence)
    for part in (rest.partition(": ")[2], rest.lstrip("✅❓ *")):
        words = part.strip(" .。")
        if len(words) > 3 and words in source:
            return rest.replace(words, " ")
    return rest


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns of persona.toml, compiled over folded text."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        kind: re.compile("|".join(f"(?:{fold(pattern)})" for pattern in patterns), re.ASCII | re.M)
        for kind, patterns in tables.items()
    }
