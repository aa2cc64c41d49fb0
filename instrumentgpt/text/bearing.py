"""Which parts of earlier messages bear on a question, and how they stand in <diagnostic_context>.

Beside the words of the question counts what kind of thing it asks for: why, when, which file, which number.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby

from instrumentgpt.text.outdated import RULED_OUT, Later, contradicted, is_claim, since_all
from instrumentgpt.text.quantified import quantities_in
from instrumentgpt.text.said import Evidence, Said, line_of, of_one_device
from instrumentgpt.text.terms import fold
from instrumentgpt.text.untrusted import without_tags

SCORE_SHARE = 0.35  # of the message's own score
MOST_TERMS = 6  # of the question that one part can be expected to have
ASKS = {  # what a question asks for, by its words (folded)
    "cause": re.compile(
        r"\b(?:why|cause[sd]?|culprit|reason|behind|verdict|fault|wrong|blamed?|turned out|guilty|mak(?:es?|ing)|made|source|diagnosis|learn(?:ed|t)?"
        r"|explain\w*|conclu\w+)\b|为什么|为何|怎么会|原因|元凶|祸首|凶手|谁(?:害|造成|的错|搞)|根源|主因|害的|怪谁|怎么回事|什么搞|来源|坏掉|结论"
    ),
    "out": re.compile(
        r"\b(?:rul\w+|exclu\w+|cross\w*|reject\w*|eliminat\w*|not|no longer|clear(?:ed)?|drop(?:ped)?|g[ia]ve\w* up|stop\w*|theor\w+|ideas?"
        r"|suspect\w*|hypothes\w+|innocent|dismiss\w*|kill\w*|blamed?|closed?|possibilit\w+|discard\w*|fell|lying|honest)\b|n['’]t\b|its not"
        r"|排除|不是|不用|不必|放下|失去信心|清白|安心|拜拜|没问题|没差|拿掉|猜|假设|怀疑|说法|到此为止|嫌疑|否定|推翻|判断"
    ),
    "time": re.compile(
        r"\b(?:when|time|date|day|until|hour|long)\b|什么时|几点|时间|时刻|何时|哪天|几号|日期|多久"
    ),
    "code": re.compile(
        r"\b(?:code|number|nr|no|alarm|error|fault|warning|status|event|message|hex|complain\w*|report\w*|logs?|export|trend|trace|raw)\b"
        r"|纪录|记录|跳脱|代码|代号|编号|几号|警报|警告|故障|讯息|信息|错误|那笔"
    ),
    "file": re.compile(
        r"\b(?:files?|logs?|where|written|saved|stored|recorded|capture|data|hdf5|csv)\b|档|文件|记录|存|资料"
    ),
    "name": re.compile(
        r"\b(?:serial|part|order|model|version|release|firmware|number|type|s/n|dossier|protocol|certificate|purchase)\b"
        r"|料号|型号|序号|编号|批号|版本|证书|哪一张|哪张|机身|叫什么"
    ),
}
HAS = {  # what has that (folded)
    "time": re.compile(
        r"\d{1,2}:\d\d|\d{4}-\d\d|\b\d{1,2} ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d ?[月年号天]|星期|周[一二三四五六日]"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d ?(?:h|min|hours?|days?|weeks?|小时|分)\b"
    ),
    "code": re.compile(
        r"\b[a-z]{1,5}-?\d{2,5}\b|\b0x[0-9a-f]+|(?:error|fault|alarm|warn|event|code|警报|警告|故障|错误)"
    ),
    "file": re.compile(r"[\w\-]{3,}\.[a-z][a-z0-9]{1,5}\b"),
    "name": re.compile(r"\b(?=[\w\-/.]*\d)(?=[\w\-/.]*[a-z])[a-z0-9][\w\-/.]{3,}\b|\d+\.\d+\.\d+|\d{4,}"),
}
KIND_WORTH = 1.35  # how much more a part counts that has what is asked for
CUE_WORTH = 1.5
LEAST_WORTH = 0.05
BRIEF_CHARS = 80  # a part as short as that, whose values stand in the context, says no more
_NUMBER = re.compile(r"\d")
_ASKED = re.compile(r"[?？]\W*$|[吗呢]\W*$")


def asked_for(question: str) -> set[str]:
    """Return what kinds of things the question asks for, of ASKS.

    >>> sorted(asked_for("Which code, and when?"))
    ['code', 'time']
    """
    folded = fold(question)
    return {name for name, pattern in ASKS.items() if pattern.search(folded)}


def only_of(devices: Sequence[str], evidence: Evidence) -> Evidence:
    """Return the evidence without what was said of other devices than those that the question names, if any."""
    if not devices:
        return evidence
    said = [one for one in evidence.said if not any(one.devices) or not set(devices).isdisjoint(one.devices)]
    return replace(evidence, said=said)


def bearing_on(
    question: str,
    evidence: Evidence,
    devices: Sequence[str],
    most: int,
    told: Collection[tuple[str, str]] = (),
) -> list[Said]:
    """Return the parts that bear most on the question, in their order; of equal ones the newest.

    told  (device, value) of what stands in the context already: a part that says no more is left out
    """
    wanted = asked_for(question)
    weights = sum(sorted(evidence.weights.values(), reverse=True)[:MOST_TERMS]) or 1.0
    worth = {
        one: _worth(one, wanted, evidence, weights, devices) for one in evidence.said if _says(one, told)
    }
    best: dict[str, Said] = {}
    for one in sorted(worth, key=lambda one: (-worth[one], -one.message_id, one.id)):
        if len(best) == most or worth[one] < LEAST_WORTH:
            break
        best.setdefault(one.text, one)
    return sorted(best.values(), key=lambda one: one.place)


def without_settled(said: Sequence[Said]) -> list[Said]:
    """Return the parts without what was supposed of a device before its cause was found."""
    found = [one for one in said if "verdict" in one.cues and "guess" not in one.cues]
    return [
        one
        for one in said
        if not (is_claim(one) and not quantities_in(one.words) and "verdict" not in one.cues)
        or not any(other.message_id > one.message_id and of_one_device(one, other) for other in found)
    ]


def _says(one: Said, told: Collection[tuple[str, str]]) -> bool:
    """Return whether the part says anything that is not told: a bare question does not."""
    numbers = quantities_in(one.words)
    if not numbers:
        return not _ASKED.search(one.text)
    known = all((device, value.number) in told for value in numbers for device in one.devices)
    return not (known and len(one.text) <= BRIEF_CHARS)


def _worth(one: Said, wanted: set[str], evidence: Evidence, most: float, devices: Sequence[str]) -> float:
    held = sum(weight for term, weight in evidence.weights.items() if term in one.terms) / most
    if not held and not one.cues and not _NUMBER.search(one.text):
        return 0.0
    worth = held + SCORE_SHARE * evidence.scores.get(one.message_id, 0.0)
    folded = fold(one.text)
    for name in ("cause", "out"):
        if name in wanted and name in one.cues:
            worth *= CUE_WORTH
    for name, pattern in HAS.items():
        if name in wanted and pattern.search(folded):
            worth *= KIND_WORTH
    if _NUMBER.search(folded):
        worth *= 1.25
    if not any(one.devices) or set(one.devices).isdisjoint(devices):
        worth *= 0.75
    return worth * (0.5 if _ASKED.search(folded) else 1.0)


def said_lines(
    question: str,
    evidence: Evidence,
    devices: Sequence[str],
    later: Later,
    most: int,
    told: Collection[tuple[str, str]] = (),
) -> list[str]:
    """Return the lines that tell what bears on the question: each device's under its name, then what is out.

    devices  those in question, which come first
    later    the parts of `evidence`, made ready
    most     parts told at most
    told     (device, value) of what stands in the context already
    """
    if "out" not in asked_for(question):
        evidence = replace(evidence, said=without_settled(evidence.said))
    chosen = bearing_on(question, evidence, devices, most, told)
    claims = [one for one in evidence.said if is_claim(one)]
    out = [one for one in chosen if _rules_out(one, claims, later.common)]
    rest = [one for one in chosen if one not in out]
    return [
        *_under("Said of", rest, later, devices),
        *_under("Ruled out, as said of", out, later, devices),
    ]


def _rules_out(one: Said, claims: Sequence[Said], common: frozenset[str]) -> bool:
    """Return whether the part takes an earlier suspicion off the list."""
    if "out" not in one.cues:
        return False
    return any(of_one_device(one, claim) and contradicted(claim, one, common) for claim in claims)


def _under(title: str, told: Sequence[Said], later: Later, devices: Sequence[str]) -> list[str]:
    ordered = sorted(told, key=lambda one: (one.devices[0] not in devices, one.devices, one.place))
    notes = since_all(told, later)
    lines = []
    for names, group in groupby(ordered, key=lambda one: one.devices):
        own = [line_of(one, notes[one]) for one in group if not _is_out(one, notes[one])]
        if own:
            lines += [without_tags(f"{title} {', '.join(filter(None, names)) or 'this'}:"), *own]
    return lines


def _is_out(one: Said, note: str) -> bool:
    """Return whether the part only supposes what is ruled out by now: what ruled it out is told instead."""
    return RULED_OUT in note and not quantities_in(one.words)
