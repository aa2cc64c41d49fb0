"""Values in clauses that are nothing but a name and a value: `回水 25.7 度`, `the fan reads 610 rpm`."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from instrumentgpt.text.facts.labels import parameter_named
from instrumentgpt.text.facts.values import VALUE, at_last, fits, is_identifier, quantity
from instrumentgpt.text.facts.wording import HAN, is_old, is_out, is_unreal
from instrumentgpt.text.terms import fold

HAN_CHARS = 8  # of a name
WORDS = 4
REMARK_CHARS = 14  # behind the value
_PART = re.compile(r"([,，、。;；]|\s(?:and|with|while|but)\s)")
_CLAUSE = re.compile(
    r"(?P<label>[^\W\d_][^\d:：=()（）<>≤≥±]{0,38}?)"
    r"\s*(?:(?<![a-z])(?:is|are|reads|shows|averages|measures|gives|stands|sits|runs|turns|takes|draws"
    r"|remains|stays"
    r"|pulls|weighs|rotates|spins|delivers|holds|keeps|says|needs|idles|regulating|recorded|set|now|at"
    r"|as|to|about"
    r"|around|of|roughly|currently|on average|again|still|up|down)(?![a-z])"
    r"|設定為|设定为|設在|设在|設為|设为|設定在|為|为|是|約|约|大約|目前|現在|现在|維持在?|维持在?|只有|剩下?|還有|有|要|達|达|到"
    r"|在|的|正負|改成?|調成?|降|升|也|都|先|就|回|[放拉提縮缩延退加減减](?=[到至成回])|至|成|=|[~≈])*\s*",
    re.I,
)
_MEASURED = re.compile(  # the last word of a name that says what is measured
    r"(?<![a-z])(?:temp(?:erature)?|pressure|flow|speed|rate|time|level|power|current|voltage|limit"
    r"|threshold|setpoint"
    r"|interval|count|hours|ratio|width|length|height|depth|volume|weight|torque|gain|offset|resistance"
    r"|duty|band|delay"
    r"|humidity|vacuum|frequency|thickness|diameter|distance|concentration|conductivity|capacity|load"
    r"|angle|tension"
    r"|stiffness|noise|vibration|amplitude|period|delta|hysteresis|lag|tolerance|accuracy|dose|energy"
    r"|impedance)s?$"
    r"|(?:度|率|量|值|數|数|壓|压|流|溫|温|差|比|長|长|寬|宽|高|重|距|速|力|間|间|期|點|点|耗|轉|转|阻|幅|位|徑|径|角|濃度|面積|面积|上限|下限|門檻|门槛"
    r"|功率|設定|设定)$",
    re.I,
)
_JUNK = re.compile(
    r"(?<![a-z])(?:like|so|roughly|afterwards|then|another|more|less|further|total|likely|probably"
    r"|maybe|about|nearly"
    r"|some|any|many|several|few|two|three|four|five|ten|shes|hes|thats|today|yesterday|tonight"
    r"|tomorrow|say|below|above"
    r"|again|went|cost|costs|price|around|spec|target)(?![a-z])"
    r"|(?<![a-z])by$|^(?:needs?|draws?|takes?|stays?|gets?|goe?s?|via\b.*)$"
    r"|^(?:今天|昨天|明天|今早|早上|上週|上周|最|大概|一般|正常|每|它|其中|總共|总共|一共|合計|合计|另外|接著|接着|然後|然后)"
    r"|(?:加|減|减|增)$|相差|差真|比(?!例|值|率)|低於|高於|超過|(?<!使)用(?!量)|再",
    re.I,
)


class Bare(NamedTuple):
    """A name with its value, and where that begins in the text."""

    start: int
    parameter: str
    found: re.Match[str]
    alone: bool  # whether the text is nothing but such clauses


def bare_values(text: str, labels: Collection[str]) -> Iterator[Bare]:
    """Yield the values of `text` that stand alone in their clause with a name.

    The name must say what is measured ("pressure", 溫度) or be in use (`labels`, folded),
    unless the text is nothing but such clauses.
    """
    parts = _PART.split(text)
    found = [_of_part(part) for part in parts[::2]]
    told = [part for part in parts[::2] if part.strip(" .。!！")]
    alone = len(told) == sum(one is not None for one in found)
    place = 0
    for at, part in enumerate(parts):
        one = found[at // 2] if at % 2 == 0 else None
        if one is not None and (alone or _MEASURED.search(one[0]) or fold(one[0]) in labels):
            yield Bare(place + one[1].start(), one[0], one[1], alone)
        place += len(part)


def _of_part(part: str) -> tuple[str, re.Match[str]] | None:
    """Return name and value of a clause, if it is nothing else."""
    found = next((one for one in VALUE.finditer(part) if not is_identifier(one)), None)
    if found is None or not (quantity(found)[1] or _is_exact(found)):
        return None
    now = at_last(found)
    before, after = part[: found.start()], part[now.end() :]
    if is_unreal(before) or is_out(after) or len(after.strip()) > REMARK_CHARS:
        return None
    told = _CLAUSE.fullmatch(before.strip())
    label = told["label"].strip() if told else ""
    if not label or _JUNK.search(label) or is_old(before):
        return None
    parameter = parameter_named(label)
    if not parameter or len(HAN.findall(label)) > HAN_CHARS or len(label.split()) > WORDS or len(label) < 2:
        return None
    return (parameter, now) if fits(parameter, now) else None


def _is_exact(found: re.Match[str]) -> bool:
    """Return whether a number without a unit is one that was measured or set: it has decimals."""
    return bool(found["number"]) and bool(re.search(r"\d\.\d", found["number"]))
