"""Which question is it: patterns over its words (intents.toml), with the particulars that the words give."""

import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.particulars import (
    channel_in,
    clock_in,
    day_in,
    direction_in,
    factor_in,
    gain_in,
    jump_in,
    lines_in,
    log_in,
    means_previous,
    quoted_in,
    target_in,
)
from instrumentgpt.agents.offline.patterns import find
from instrumentgpt.instruments.pasted import ASKS, LOG_LINES, split_pasted

PATTERNS = Path(__file__).with_name("intents.toml")
OF_THE_CONVERSATION = (
    "forget",
    "forbidden",
    "newest_log",
    "which_log",
    "earlier",
    "done",
    "said",
)  # asked before all others
LOOKED_BACK = (*OF_THE_CONVERSATION, "recall", "history")  # answered from what was said and found

_GAIN = (
    r"\bk ?[pid]\b|\bpid\b|\bgains?\b|\b(?:proportional|integral|derivative)\b"
    r"|增益|比例|[積积]分|微分|[參参][數数]"
)
_TUNE = (
    r"\b(?:re)?tun(?:e|ing)\b"
    r"|\b(?:new|better|recommend\w*|suggest\w*|optimal|best) (?:\w+ )?(?:gains?|pid|k[pid])\b"
    r"|\b(?:gains?|pid|k[pid])\b.{0,20}\b(?:recommend|suggest|advise|use|try)"
    r"|(?:建[議议]|推[薦荐]|最佳|新的).{0,6}(?:增益|[參参][數数]|pid|k[pid])|整定|[調调][參参]"
    r"|\b(?:should|needs?|must|have to)\b.{0,24}\b(?:gains?|pid|k[pid])\b.{0,16}\b(?:change|adjust|retun)"
    r"|(?:增益|[參参][數数]|pid|k[pid])\s?.{0,3}(?:要|需|[該该得]).{0,3}(?:改|[調调])(?![成到為为高低大小])"
    r"|(?:增益|[參参][數数]|pid|k[pid]).{0,6}(?:怎[麼么][調调]|如何[調调]|[調调]整|[該该][設设調调])"
)
_SUSPECTED = (
    r"\bsensor|\bheater|\b(?:bad|wrong|poor)\w* tun|\btuning (?:bad|wrong|ok|problem|issue|fault)|感測|加熱"
)
_EFFECT = (  # asks what became of something that was done
    r"\b(?:did|has|have) (?:that|it|this|they|the \w+(?: \w+)?) (?:really )?(?:help|work|fix|improve|change)"
    r"|(?<![會会能])(?:有|[沒没]有)(?:比[較较])?(?:[幫帮]助|改善|效果|[變变]好|好[轉转])(?:了)?[嗎吗]"
)
_ACT = (
    r"\b(?:restart|reboot|reset|shut ?down|power cycle|delete|erase)\b"
    r"|\b(?:switch|turn) (?:it )?(?:on|off)\b"
    r"|\b(?:set|change|write) (?:the )?(?:k[pid]|gains?|set ?point|sp|temperature)\b.{0,24}\bto\b"
    r"|重啟|重启|重新[開开][機机]|[關关][機机]|[關关]掉|打[開开]|[刪删]除|(?:[設设]|改|[調调])(?:成|[為为]|到)"
)
_ORDER = (  # what asks for an act however politely
    r"^\W*(?:(?:please|pls|can you|could you|will you|would you|i want you to)\W+)*"
    r"(?:set(?! ?(?:points?|temp\w*|values?)\b(?!.*\bto\b))|change(?! (?:of|in|since|from|between)\b)"
    r"|(?:put|write)\b(?=.{0,40}\d)|adjust|start (?:heating|it|the)|stop|enable|disable|calibrate"
    r"|(?:turn|switch|power|shut) ?(?:it |the \w+ )?(?:on|off|up|down)|power.?cycle|restart|reboot|reset"
    r"|ramp(?! rate)|apply)\b"
    r"|(?:^|[請请幫帮]).{0,8}(?:把|將|将).{1,16}(?:[設设改調调升降][成為为到定]|[關关][掉閉闭機机]|重[啟启])"
    r"|[幫帮請请].{0,8}(?:重[啟启]|[關关][機机閉闭掉]|[開开][機机啟启]|[設设]定?[成為为到])"
)
_NEXT_LINE = (
    r"next line|one line|consecutive|between two lines|\bjump|sudden"
    r"|下一?行|隔一行|[連连][續续][兩两]行|相[鄰邻]|跳|突然"
)


@dataclass(frozen=True)
class Question:
    """What is asked, and the particulars that the words give."""

    intent: str  # a table of intents.toml, or "gain", "tune", "excerpt", "lines", "moment", "act", "unknown"
    text: str
    channel: int | None = None
    gain: str = ""  # "kp", "ki" or "kd", if one is named
    direction: str = ""  # "up" or "down"
    factor: float | None = None  # the change asked for, as a ratio to the present gain
    target: float | None = None  # … or as the new value
    lines: tuple[int, int] | None = None  # first and last line asked for
    values: tuple[float, float] | None = None  # "61.9 then 29.4"
    clock: str = ""  # a time of day: "14:20" or "14:20:05"
    log: str = ""  # the log's file name, if one is named
    day: str = ""  # the day of a log: "02-18" or "2026-02-18"
    previous: bool = False  # whether the log before the known one, or before the newest, is meant
    search: str = ""  # words in quotation marks
    pasted: tuple[str, ...] = ()  # log lines that stand in the question


@cache
def intents() -> dict[str, Any]:
    """Return the tables of intents.toml, in their order."""
    with PATTERNS.open("rb") as file:
        return tomllib.load(file)


def read_question(text: str) -> Question:
    """Return what `text` asks.

    >>> read_question("那 kp 可以調高嗎？").intent, read_question("10.1.1.47 為什麼溫度波動？").intent
    ('gain', 'why')
    >>> read_question("temp 61.9 then 29.4 on the next line, why?").values
    (61.9, 29.4)
    """
    pasted, rest = split_pasted(text)
    words = unicodedata.normalize("NFKC", rest)
    values = jump_in(words)
    log = log_in(words)
    return Question(
        intent=_intent(words, pasted, values),
        text=words,
        channel=channel_in(words),
        gain=gain_in(words),
        direction=direction_in(words),
        factor=factor_in(words),
        target=target_in(words),
        lines=lines_in(words),
        values=values,
        clock=clock_in(words),
        log=log,
        day=day_in(words) if not log and not lines_in(words) else "",
        previous=not log and means_previous(words),
        search=quoted_in(words),
        pasted=pasted,
    )


def _intent(words: str, pasted: tuple[str, ...], values: tuple[float, float] | None) -> str:
    steps = values or find(_NEXT_LINE, words)
    if (len(pasted) >= 2 and (len(pasted) < LOG_LINES or steps)) or (values and find(_NEXT_LINE, words)):
        return "excerpt"
    if find(_ORDER, words) and not find(r"\bwhat if\b|如果|為什麼|为什么|\bwhy\b|嗎|吗", words):
        return "act"
    if of_conversation := _first(words, OF_THE_CONVERSATION):
        return of_conversation
    if find(_EFFECT, words):
        return "compare"
    if kind := _gain_question(words):
        return kind
    if find(_ACT, words) and not find(ASKS, words):
        return "act"
    if lines_in(words):
        return "lines"
    if clock_in(words):
        return "moment"
    return _first(words, intents()) or "unknown"


def _first(words: str, names: Iterable[str]) -> str:
    """Return the first of the intents `names` that has a pattern for `words`, "" if none has."""
    rules = intents()
    fitting = (
        name for name in names if any(find(p, words) for p in (*rules[name]["en"], *rules[name]["zh"]))
    )
    return next(fitting, "")


def _gain_question(words: str) -> str:
    """Return "gain" if a change of a gain is asked about, "tune" if better gains are, else ""."""
    moves = direction_in(words) or (target_in(words) is not None and find(ASKS, words))
    if moves and find(_GAIN, words):
        return "gain"
    return "tune" if find(_TUNE, words) and not find(_SUSPECTED, words) else ""
