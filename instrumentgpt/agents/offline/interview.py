"""The interview's next reply, without any model: what is clear, and the question for the first gap."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Task
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.summary import shorten

QUOTE_CHARS = 150  # of what the user said, repeated to him
_MARKS = re.compile("[✅❓?？]+")  # a reply has one of each: none in what it repeats
_NAMELESS: dict[Language, str] = {"en": "the instrument", "zh": "這台儀器"}


def interview(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the reply to an interview's newest message; `task.given` is what the mode told (`reply`)."""
    yield reply({"language": language_of(task.question), **task.given})


def reply(told: Mapping[str, Any]) -> str:
    """Return one ✅ line and one ❓ question, from what the interview knows.

    language  "en" or "zh"
    gap       what is asked for: a gap, or a slot of what is gathered
    askings   how often in a row it has been asked for already
    new       [slot, text] that the last message brought; `want` what it wanted instead; `words` its words
    vague     whether the answer is to be challenged
    known     texts that were clear before
    device    the instrument's name; `finding` what its last log showed; `cause` an earlier root cause

    >>> print(reply({"language": "en", "gap": "who", "new": [["description", "it drifts"]]}))
    ✅ Clear: it drifts
    <BLANKLINE>
    ❓ Who works with the instrument, and who noticed this?
    """
    return f"✅ {_clear(told)}\n\n❓ {question(told)}"


def question(told: Mapping[str, Any]) -> str:
    """Return the question for the gap that is told, phrased for an instrument."""
    gap, language = str(told.get("gap") or "description"), _language(told)
    device = str(told.get("device") or _NAMELESS[language])
    if told.get("vague"):
        return _filled(
            _told()["challenge"].get(gap, _told()["challenge"]["other"])[language], language, device
        )
    if gap == "examples" and told.get("finding") and not told.get("askings"):
        gap = "with_finding"
    asked = _told()["questions"].get(gap, _told()["questions"]["description"])[language]
    finding = _quote(str(told.get("finding") or "")).rstrip(".。")
    return _filled(asked[min(int(told.get("askings") or 0), len(asked) - 1)], language, device, finding)


def _filled(sentence: str, language: Language, device: str, finding: str = "") -> str:
    """Return the sentence with its fields; between Chinese and a Latin name stands a blank."""
    name = plain_text(device)
    if language == "zh" and name[-1:].isascii():
        name = f" {name} "
    return re.sub(r" (?=[，：。？])", "", sentence.format(device=name, finding=finding).strip())


def _clear(told: Mapping[str, Any]) -> str:
    language, want = _language(told), str(told.get("want") or "")
    new = [text for _, text in told.get("new") or () if text]
    known = [str(text) for text in told.get("known") or ()]
    if new:
        return _said("new", language, text=_quote(" · ".join(dict.fromkeys(map(str, new)))))
    if told.get("vague"):
        return _said("vague", language, text=_quote(str(told.get("words") or "")))
    if want in ("skip", "unknown", "none", "phase", "target", "question"):
        return _said(want, language)
    if known:
        return _said("so_far", language, text=_quote(known[-1]))
    device, cause = plain_text(str(told.get("device") or "")), _quote(str(told.get("cause") or ""))
    name = f" {device}" if language == "zh" else device
    if device and cause:
        return _said("history", language, device=name, cause=cause)
    if device:
        return _said("device", language, device=name)
    return _said("begin", language)


def _quote(text: str) -> str:
    return _MARKS.sub("", plain_text(shorten(" ".join(text.split()), QUOTE_CHARS))).strip()


def _said(key: str, language: Language, **fields: str) -> str:
    return str(_told()["clear"][key][language].format(**fields))


def _language(told: Mapping[str, Any]) -> Language:
    return "zh" if told.get("language") == "zh" else "en"


@cache
def _told() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
