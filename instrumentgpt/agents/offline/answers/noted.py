"""What a user states without asking: values, constraints, names, what is out, and what was done."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import device_label
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted
from instrumentgpt.agents.offline.task import inventory_of
from instrumentgpt.instruments.devices import InventoryError
from instrumentgpt.memory.facts import Fact
from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.reading.names import names_in
from instrumentgpt.memory.reading.values import values_in

STATED = ("act", "metrics", "unknown")  # what a statement may be taken for: "kp is 0.08", "do not restart it"
CHANGED = (*STATED, "gain", "tune")  # … where it says that something was done: "we raised kp to 9"
WISHED = ("act", "unknown")
WORDS = ("unknown", "why", "evidence", "ruled_out")  # for a statement that holds neither value nor constraint
_FLAGS = re.IGNORECASE | re.ASCII
_ORDER = re.compile(
    r"^\W*(?:please\W+)?(?:set|change|write|put)\b|[把將将]|[設设調调改](?:成|到|為|为)", re.I
)
_ASKS = re.compile(
    r"[?？]|\b(?:why|what|which|how|when|where|who)\b|[嗎吗呢]|[什甚][麼么]|哪|怎|是否|多少|[為为]何|能不能|可不可以",
    _FLAGS,
)
_DONE = re.compile(
    r"\b(?:was|were|has been|have been|had)\b|\b(?:we|i|they|he|she)(?:['’]ve| have| just|\s\w+ly)*\s"
    r"(?:\w+ed|swapped|put|took|did|made|set|cut|reset|rebuilt)\b"
    r"|(?:昨天|今[天早]|[剛刚]才?|上[週周]|早上|已[經经]?)[^，。；,;]{0,12}(?:了|[過过])"
    r"|[換换修清洗調调裝装移拆改設设](?:[成到為为高低]\s*[\d.]+\s*\S{0,6})?[了過过]"
    r"|已[經经]?[^，。；,;]{0,8}[換换修清洗調调裝装移拆改設设]"
    r"|[剛刚](?:才|剛|刚)?(?:有|已經|已经)?[把將将]|^\W*(?:我[們们]?|他[們们]?|她|同事|夜班|早班)(?:就|也|先)?[把將将]",
    _FLAGS,
)
_FORBIDS = re.compile(  # whatever it is about: "never open the door during a run"
    r"^\W*(?:please\W+)?(?:never|do not|don['’]?t|avoid)\b"
    r"|^\W*(?:[請请]|[^，。]{0,12}(?:之前|以前|前|期[間间]|[時时]))?\s*(?:都|先|[絕绝][對对]|千[萬万])?"
    r"(?:不要|[別别勿]|不准|不得|不可(?!以)|禁止)",
    _FLAGS,
)
_CORRECTED = re.compile(  # "should be 80, not 75"
    r"\b(?:should|must|ought to) (?:be|have been|read)\b.{1,24}\bnot\b"
    r"|[應应][該该]?是[^。；]{1,16}(?:不是|而非|[並并]非)"
    r"|不是[^。；]{1,16}(?:而是|[應应][該该]?是|才[對对])",
    _FLAGS,
)
_OUT = re.compile(
    r"\b(?:is|was|are|were|it['’]s|that['’]s)(?: (?:definitely|certainly|surely|clearly))?(?: not|n['’]t)"
    r" (?:the|a|an|due|because|caused|from|in the)\b"
    r"|\b(?:we|i|they)(?:['’]ve| have| can)?(?: already)? (?:ruled?|rul(?:ed|ing)) (?:\w+ ){0,4}?out\b"
    r"|\b(?:is|was|are|were|has been|have been) (?:already )?ruled out\b"
    r"|不是(?![很太那這这應应有沒没說说要])|[並并]非|[問问][題题]不在|(?:已[經经]?|[我們们]{1,2}先?)排除|排除了",
    _FLAGS,
)


def is_done(text: str) -> bool:
    """Return whether `text` says that something was done, and does not ask.

    >>> is_done("we swapped the thermocouple"), is_done("我昨天換了加熱器"), is_done("was it swapped?")
    (True, True, False)
    """
    return bool(_DONE.search(text)) and not _ASKS.search(text)


def is_noted(case: Case) -> bool:
    """Return whether the question asks for nothing but states or lays something down."""
    return bool(_points(case))


def noted(case: Case) -> Iterator[str]:
    """Say what was understood, line by line, and what becomes of it."""
    named = case.task.devices
    about = (named[0] if len(named) == 1 else "") if named else device_label(case)
    lines = _points(case)
    yield phrase("noted", case.language, label=about or phrase("noted_all", case.language), count=len(lines))
    yield "\n\n" + "\n".join(f"- {line}" for line in lines)
    yield "\n\n" + phrase("noted_kept", case.language)


def _points(case: Case) -> list[str]:
    """Return what is stated, a line each; nothing for a question or an order."""
    text = case.question.text
    if "?" in text or "？" in text or case.question.pasted:
        return []
    if told := _stated(case):
        return told
    if case.question.intent in STATED and _CORRECTED.search(text) and not _ASKS.search(text):
        return [quoted(" ".join(case.task.question.split()))]
    if _ASKS.search(text) or case.question.intent not in WORDS:
        return []
    is_done = case.question.intent == "unknown" and _DONE.search(text)
    return _names(case) or (
        [quoted(" ".join(case.task.question.split()))] if is_done or _OUT.search(text) else []
    )


def _stated(case: Case) -> list[str]:
    """Return the values that are stated, and what is laid down."""
    text, intent = case.question.text, case.question.intent
    constraints = [said for _, said in constraints_in(text)]
    forbids = bool(_FORBIDS.search(text) and not _ASKS.search(text))
    is_constraint = bool(constraints) and (intent in WISHED or forbids)
    is_done = intent in CHANGED and not _ASKS.search(text) and bool(_DONE.search(text))
    if not (is_constraint or is_done or (intent in STATED and intent != "act" and not _ORDER.search(text))):
        return []
    values = [_told(case, fact) for fact in values_in(text, case.device)]
    return [*values, *map(quoted, constraints)] if values or is_constraint else []


def _names(case: Case) -> list[str]:
    """Return what the question calls devices: 'zspr 052 is called "Tallinn"'."""
    try:
        own = tuple(device.own_names for device in inventory_of(case.task).devices)
    except InventoryError:
        return []
    named = [one for one in names_in(case.question.text, own) if one.kind != "withdrawn"]
    return [
        phrase("noted_name", case.language, device=one.device, name=quoted(one.nickname)) for one in named
    ]


def _told(case: Case, fact: Fact) -> str:
    where = phrase("stated_channel", case.language, channel=fact.channel) if fact.channel else ""
    return f"{quoted(fact.parameter)}{where}: {quoted(f'{fact.value} {fact.unit}')}"
