"""How much work a request is worth: the most steps that a plan may have before it is proposed."""

import re
from collections.abc import Sequence

STEPS = {"QUICK": 2, "BENCH": 4, "PLAN": 8, "CREATE": 4}  # the think-prompt design
AUTOMATIC = "auto"

_NAMED = (  # what overrides the rest: a name, or words that mean it
    (
        "QUICK",
        r"\beffort[ :=]+quick\b|^\s*quick\b|\bquick(?:ly)? (?:look|check|answer)\b|\bbriefly\b"
        r"|快速|簡短|简短",
    ),
    ("BENCH", r"\beffort[ :=]+bench\b"),
    ("PLAN", r"\beffort[ :=]+plan\b|\b(?:in depth|thorough(?:ly)?|in detail)\b|深入|徹底|彻底|仔細|仔细"),
    ("CREATE", r"\beffort[ :=]+create\b"),
)
_CREATES = r"\breports?\b|\bdocument\b|\bwrite (?:a|an|the|up)\b|報告|报告|報表|报表|撰寫|撰写"
_PLANS = r"\bcompar|\bsince\b|\ball\b|\bevery\b|\beach\b|\bfleet\b|\btrend"
_PLANS += "|比較|比较|所有|全部|每[台個个]|以來|以来"
_ONE_VALUE = (
    r"\bwhat (?:is|are)\b|\bhow (?:many|much|hot)\b|\bwhich\b|\blist\b|多少|哪些|列出|是什麼|是什么|幾度|几度"
)


def effort_of(request: str, setting: str = AUTOMATIC, devices: Sequence[object] = ()) -> str:
    """Return the effort for `request`: as its words say, else the setting, else by what it asks for.

    >>> [effort_of(words) for words in ("what is the setpoint of 052?", "10.1.1.47 為什麼溫度波動？")]
    ['QUICK', 'BENCH']
    >>> [effort_of(words) for words in ("compare all ovens", "write a report on 052", "quick check of 052")]
    ['PLAN', 'CREATE', 'QUICK']
    """
    words = request.casefold()
    named = next((name for name, pattern in _NAMED if re.search(pattern, words)), "")
    if named or setting in STEPS:
        return named or setting
    if re.search(_CREATES, words):
        return "CREATE"
    if len(devices) > 1 or re.search(_PLANS, words):
        return "PLAN"
    return "QUICK" if re.search(_ONE_VALUE, words) else "BENCH"
