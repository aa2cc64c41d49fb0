"""What words ask of Investigate: how much work a request is worth, what they make of a proposal that waits.

Words agree, refuse, change it, ask about it, or are another matter; what is neither is not carried out: it
is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instrumentgpt.agents.approval import approval
from instrumentgpt.instruments.devices import Device, Inventory, UnknownDevice
from instrumentgpt.instruments.fleet import choose
from instrumentgpt.instruments.mentions import normalised
from instrumentgpt.memory.terms import in_simplified
from instrumentgpt.modes.investigate.decisions import STEPS, Pending
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.entities import refs_in

AUTOMATIC = "auto"

# what overrides the rest: a name, or words that mean it
_EFFORT = r"\beffort[ :=]+(quick|bench|plan|create)\b"
_QUICK = r"^\s*quick\b|\bquick(?:ly)? (?:look|check|answer)\b|\bbriefly\b|快速|簡短|简短"
_IN_DEPTH = r"\b(?:in depth|thorough(?:ly)?|in detail)\b|深入|徹底|彻底|仔細|仔细"
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
    if named := re.search(_EFFORT, words):
        return named[1].upper()
    if re.search(_QUICK, words):
        return "QUICK"
    if re.search(_IN_DEPTH, words):
        return "PLAN"
    if setting in STEPS:
        return setting
    if re.search(_CREATES, words):
        return "CREATE"
    if len(devices) > 1 or re.search(_PLANS, words):
        return "PLAN"
    return "QUICK" if re.search(_ONE_VALUE, words) else "BENCH"


Kind = Literal["yes", "no", "change", "question", "unclear", "other"]
MOST_WORDS = 12  # of what says nothing of its own: a longer text is a request of its own
_ASKS = re.compile(
    r"\b(?:what|why|how|which|when|where|who|does|will|is there|are there)\b"
    r"|什么|为何|为什么|怎么|怎样|多久|多长|几分|哪"
)
_OF_THE_PLAN = re.compile(
    r"\b(?:plan|steps?|reports?|proposal|contain|includ\w*|take|long|missing|left out|in it|not in|run)\b"
    r"|计划|步骤|报告|提案|包含|包括|内容|多久|没有|为什么不|漏"
)
_FORM = re.compile(r"^(?P<key>devices|steps)\s*:\s*(?P<value>.*)$", re.MULTILINE)  # as the page sends it


@dataclass(frozen=True)
class Reply:
    """What the words make of what waits.

    devices   those that it is on now, excluded those that were taken out
    report    whether a report is wanted; None: as it was
    steps     numbers of its steps that stay, in their order; (): as they were
    """

    kind: Kind
    devices: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    report: bool | None = None
    steps: tuple[int, ...] = ()


def reply_to(pending: Pending, words: str, inventory: Inventory) -> Reply:
    """Return what `words` make of `pending`; a question that waits takes all words as its answer."""
    if pending.kind == "question":
        return Reply("change", tuple(device.name for device in choose(words, inventory).devices))
    by_name = {device.name: device for device in inventory.devices}
    among = [by_name[name] for name in pending.devices if name in by_name]  # "the second one" counts in them
    only_report = pending.kind == "proposal" and choose(words, inventory, among).report is False
    if not only_report and (answer := approval(words)) is not None:
        return Reply(answer, pending.devices)
    if form := dict(_FORM.findall(words)):
        return _sent(form, among, inventory)
    first, *rest = re.split(r"[,，;；。!！\n]|\.(?!\d)", words.strip(), maxsplit=1)
    begins = None if choose(first, inventory, among).report is False else approval(first)
    amendment = "".join(rest) if begins and rest else words  # "no, only the first two"
    choice, folded = choose(amendment, inventory, among), in_simplified(normalised(amendment))
    devices = tuple(device.name for device in choice.devices)
    excluded = tuple(device.name for device in choice.excluded)
    is_question = bool(_ASKS.search(folded))
    if is_question and (not choice.changes or choice.is_bare or _OF_THE_PLAN.search(folded)):
        return Reply("question", pending.devices)
    if is_question and not choice.edits:
        return Reply("other")
    if not choice.changes and choice.report is None and begins == "no":
        return Reply("no", pending.devices)
    if not choice.is_clear or (choice.changes and not devices):
        return Reply("unclear", pending.devices)
    if choice.edits or choice.is_bare or (choice.report is not None and not choice.changes):
        return Reply("change", devices, excluded, choice.report)
    says_little = len(re.findall(r"\w+", folded)) <= MOST_WORDS and not choice.changes
    return Reply("unclear", pending.devices) if says_little else Reply("other")


def _sent(form: dict[str, str], among: list[Device], inventory: Inventory) -> Reply:
    """Return what the page's form says: the devices by name, and the numbers of the steps."""
    names = [name.strip() for name in form.get("devices", "").split(",") if name.strip()]
    try:
        devices = [inventory.find(name) for name in names] or among
    except UnknownDevice:
        return Reply("unclear", tuple(device.name for device in among))
    steps = tuple(int(number) for number in re.findall(r"\d+", form.get("steps", "")))
    chosen = tuple(device.name for device in devices)
    excluded = tuple(device.name for device in among if device.name not in chosen)
    return Reply("change", chosen, excluded, None, steps)


_SAVE = r"\b(?:save|keep|store)\b|儲存|储存|保存|存檔|存档|存起來|存起来|存下來|存下来"
_NEGATED = r"\b(?:don'?t|do not|not|never|without|no)\b|不要|不用|不必|別|别|先不"
_REPORT = r"\breports?\b|\bdocument\b|報告|报告"


def wished(message: str, entities: Sequence[Entity]) -> list[str]:
    """Return the refs that `message` asks to save, [] if it asks for none.

    "Save the report" means the only unsaved one.
    """
    words = message.casefold()
    if not re.search(_SAVE, words) or re.search(_NEGATED, words):
        return []
    named = [ref for ref in refs_in(message) if ref.startswith("gen_")]
    unsaved = [entity.ref for entity in entities if entity.flag == "unsaved"]
    if named or len(unsaved) != 1:
        return named
    is_short = len(words) <= 40 and "?" not in words and "？" not in words
    return unsaved if is_short and re.search(_REPORT, words) else []
