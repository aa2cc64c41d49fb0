"""What an expert remembers of earlier sub-problems: a summary of 50 to 100 tokens for each.

A model makes it where one answers, and it is checked: its length, and that its numbers are the expert's.
Else a rule does: the position stays word for word, then come confidence, condition and dissent, and as much
of the evidence as fits.
"""

import re
from collections.abc import Sequence

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.panel.contracts import View
from instrumentgpt.modes.panel.wording import say

FEWEST_TOKENS, TARGET_TOKENS, MOST_TOKENS = 50, 75, 100  # seed 001: "50-100 tokens (strict)", target 75
MARGIN = 0.93  # of the cap: the estimate is 7 % off at worst (text/tokens.py)
_NUMBER = re.compile(
    r"[-+±−<>≤≥≈]?\s?\d[\d,]*(?:\.\d+)?\s?(?:°\s?[CFK]\b|℃|%|K\b|s\b|min\b|h\b|Hz\b|秒|分鐘)?"
)


class SummaryTooLong(InstrumentGPTError, ValueError):
    """What must stay of a contribution does not fit into a summary."""


def summarized(name: str, goal: str, views: Sequence[View], lead: str, language: Language) -> str:
    """Return the summary of one expert's contributions to a sub-problem: 50 to 100 tokens.

    name   what the expert is called
    views  its contributions, oldest first: the last one is its position
    lead   the candidate that the panel took; another vote is told as dissent

    Raises SummaryTooLong if position, confidence and condition do not fit.
    """
    last = views[-1]
    kept = [f"{name}: {last.position}", say("memory_confidence", language, value=last.confidence)]
    if last.condition:
        kept.append(say("memory_condition", language, text=last.condition))
    if last.cause and last.cause != lead:
        kept.append(say("memory_dissent", language, lead=lead or "-"))
    if count_tokens(_joined(kept)) > MOST_TOKENS * MARGIN:
        raise SummaryTooLong(
            f"{name}: position, confidence and condition take {count_tokens(_joined(kept))} tokens, "
            f"and a summary has at most {MOST_TOKENS}"
        )
    further = _further(views, goal, language)
    kept = _filled(kept, further, TARGET_TOKENS)
    return _joined(_filled(kept, further, int(MOST_TOKENS * MARGIN)) if _is_short(kept) else kept)


def is_usable(summary: str, views: Sequence[View]) -> bool:
    """Return whether a model's summary of an expert's `views` may be its memory.

    It has 50 to 100 tokens, every number of the position, and none that the expert did not give.
    """
    last = views[-1]
    given = {
        number
        for view in views
        for text in (
            view.position, view.condition, view.measurement, f"{view.confidence} {view.confidence:.2f}",
            *(claim.text for claim in view.claims), *(out.because for out in view.rejects),
        )
        for number in numbers_in(text)
    }  # fmt: skip
    used = set(numbers_in(summary))
    return (
        count_tokens(summary) / MARGIN >= FEWEST_TOKENS
        and count_tokens(summary) <= MOST_TOKENS * MARGIN
        and set(numbers_in(last.position)) <= used <= given
    )


def numbers_in(text: str) -> list[str]:
    """Return the numbers of `text` with their units, blanks taken out.

    >>> numbers_in("pv swings by ±2.71 °C every 45 s at kp 0.09")
    ['±2.71°C', '45s', '0.09']
    """
    return [re.sub(r"\s", "", number) for number in _NUMBER.findall(text)]


def _further(views: Sequence[View], goal: str, language: Language) -> list[str]:
    """Return what may follow, the most telling first."""
    last = views[-1]
    lines = [str(item.line) for claim in last.claims for item in claim.evidence if item.line]
    tools = dict.fromkeys(tool for view in views for tool in view.tools)
    rows = [
        *(("evidence", {"text": claim.text}) for claim in last.claims),
        *(("rejects", {"cause": row.cause, "text": row.because}) for row in last.rejects),
        *([("measurement", {"text": last.measurement})] if last.measurement else []),
        *([("lines", {"text": ", ".join(lines)})] if lines else []),
        *([("tools", {"text": ", ".join(tools)})] if tools else []),
        ("about", {"text": goal}),
    ]
    return [say(f"memory_{key}", language, **fields) for key, fields in rows]


def _filled(kept: Sequence[str], further: Sequence[str], most: int) -> list[str]:
    """Return `kept` with those of `further` that fit into `most` tokens, as they come, until it is enough."""
    filled = list(kept)
    for more in further:
        if not _is_short(filled):
            break
        if more not in filled and count_tokens(_joined([*filled, more])) <= most:
            filled.append(more)
    return filled


def _is_short(kept: Sequence[str]) -> bool:
    return count_tokens(_joined(kept)) * MARGIN < FEWEST_TOKENS


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(sentences)
