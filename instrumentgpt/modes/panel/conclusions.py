"""What experts concluded in other conversations: kept if the user wants it, told again where it fits.

It is opt-in (setting `panel_remembers`), marked as earlier and from where, and without names where it is
about another device.
"""

import re
import time
from collections.abc import Mapping, Sequence

from sqlite_utils import Database

from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.contracts import Plan
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.conclusions import Conclusion, find_conclusions, save_conclusions

MOST = 2  # earlier conclusions that one expert is told of
_LOG = re.compile(r"\b[\w.\-]+\.(?:log|csv|tsv|txt|jsonl|xlsx|parquet|alog)(?:\.gz)?\b", re.I)
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_CLOCK = re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
_LINES = re.compile(r"\bLines? [\d, ]+\.?|第 [\d、, ]+ 行。?")


def keep(database: Database, results: Sequence[SubProblemResult], conversation_id: str, device: str) -> None:
    """Keep each expert's summary of each sub-problem, by the device and by what it voted for."""
    save_conclusions(
        database,
        [
            Conclusion(code, device, _vote(one, code), one.sub_problem_goal, summary, conversation_id)
            for one in results
            for code, summary in one.expert_summaries.items()
        ],
    )


def earlier_of(
    database: Database,
    plan: Plan,
    question: str,
    conversation_id: str,
    device: str,
    inventory: Inventory,
    language: Language,
) -> dict[str, list[str]]:
    """Return expert → what it concluded about this device, or about its candidates' fault classes, before."""
    found: dict[str, list[str]] = {}
    for code in dict.fromkeys(code for part in plan.sub_problems for code in part.experts):
        parts = [part for part in plan.sub_problems if code in part.experts]
        faults = list(dict.fromkeys(cause for part in parts for cause in part.candidates))
        known = find_conclusions(database, code, device, faults, question, conversation_id, MOST)
        if known:
            found[code] = [_told(one, device, inventory, language) for one in known]
    return found


def anonymous(text: str, inventory: Inventory) -> str:
    """Return `text` without what tells whose instrument it was: devices, addresses, logs, dates, lines.

    >>> from pathlib import Path
    >>> anonymous("zspr 052 (10.1.1.47), run.log of 2026-02-20: kp 9. Lines 7, 8.", Inventory(Path(), ()))
    'zspr 052 (‹address›), ‹log› of ‹date›: kp 9. '
    """
    names = sorted((name for one in inventory.devices for name in (one.name, *one.aliases)), key=len)
    for name in reversed(names):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "‹device›", text, flags=re.I)
    for pattern, instead in ((_LINES, ""), (_LOG, "‹log›"), (_ADDRESS, "‹address›"), (_CLOCK, "‹date›")):
        text = pattern.sub(instead, text)
    return text


def _vote(result: SubProblemResult, code: str) -> str:
    return next((str(one["cause"]) for one in result.votes if one["expert"] == code), "")


def _told(one: Conclusion, device: str, inventory: Inventory, language: Language) -> str:
    """Return an earlier conclusion with where it is from; that of another device tells no names."""
    day = time.strftime("%Y-%m-%d", time.localtime(one.saved_at))
    if one.device and one.device == device:
        return say("earlier_same", language, day=day, device=one.device, goal=one.goal, text=one.text)
    goal, text = anonymous(one.goal, inventory), anonymous(one.text, inventory)
    return say("earlier_other", language, goal=goal, text=text)


def introduced(earlier: Mapping[str, Sequence[str]], names: Mapping[str, str], language: Language) -> str:
    """Return who is told of how many earlier conclusions; "" if nobody is."""
    if not earlier:
        return ""
    listed = ", ".join(f"{names[code]} ({len(told)})" for code, told in earlier.items())
    return say("earlier_told", language, experts=listed) + "\n"
