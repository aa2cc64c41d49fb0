"""Corrections of a summary: words put in the place of others, a labelled text, an entry taken out."""

import re
from collections.abc import Callable

from instrumentgpt.memory.terms import fold, terms
from instrumentgpt.modes.interview.gathered import SLOTS, Gathered, with_entry, with_only
from instrumentgpt.modes.interview.patterns import told

Changes = list[tuple[str, str]]  # (slot, its new text), "" where an entry was taken out
_NUMBER = re.compile(
    r"(?P<number>[±+\-]?\d+(?:\.\d+)?|\b(?:half a|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|[一二兩两三四五六七八九十半]+(?:點[一二三四五六七八九])?)"
    r"(?P<blank> ?)(?P<unit>degrees?|°c|℃|°|kelvin|k\b|%|percent|volts?|bar|batch(?:es)?|minutes?|hours?"
    r"|days?|seconds?|度|分鐘|分钟|小時|小时|天|秒|次|批)",
    re.I,
)


def contradicts(words: str) -> bool:
    """Return whether `words` begin as those who correct what was said.

    >>> contradicts("no, it was 3 batches"), contradicts("不對，是三批"), contradicts("nobody saw it")
    (True, True, False)
    """
    return re.match(told(__file__)["contradicts"], words.strip(), re.I) is not None


def amended(gathered: Gathered, words: str) -> tuple[Gathered, Changes]:
    """Return what is gathered as `words` correct it, and what they changed; nothing if they do not.

    >>> amended(Gathered("it is off by two degrees"), "no, it's three degrees")[0].description
    'it is off by three degrees'
    >>> amended(Gathered("爐子差兩度", who=("夜班",)), "不是夜班，是日班")[0].who
    ('日班',)
    """
    plain = " ".join(words.split())
    for step in (_removed, _labelled, _swapped, _renumbered):
        after, changes = step(gathered, plain)
        if changes:
            return after, changes
    return gathered, []


def _swapped(gathered: Gathered, words: str) -> tuple[Gathered, Changes]:
    for pattern in told(__file__)["swaps"]:
        found = re.search(pattern, words, re.I)
        if not found:
            continue
        wrong, right = (
            re.sub(told(__file__)["lead"], "", found[name], flags=re.I) for name in ("wrong", "right")
        )
        if wrong and right:
            after, changes = _replaced(gathered, wrong.strip(), right.strip())
            if changes:
                return after, changes
    return gathered, []


def _replaced(gathered: Gathered, wrong: str, right: str) -> tuple[Gathered, Changes]:
    """Put `right` for `wrong` wherever it stands as words of its own."""
    edge = (r"(?<![a-z0-9])" if wrong[0].isascii() else "", r"(?![a-z0-9])" if wrong[-1].isascii() else "")
    pattern = re.compile(edge[0] + re.escape(wrong) + edge[1], re.I | re.ASCII)
    return _mapped(gathered, lambda text: pattern.sub(lambda _: right, text))


def _renumbered(gathered: Gathered, words: str) -> tuple[Gathered, Changes]:
    """Put the one quantity of `words` for the one of the same unit that is gathered."""
    said = list(_NUMBER.finditer(words))
    held = [
        (slot, text, one) for slot in SLOTS for text in gathered.texts(slot) for one in _NUMBER.finditer(text)
    ]
    if len(said) != 1 or len(terms(_NUMBER.sub(" ", words))) > 6:
        return gathered, []
    same = [
        row
        for row in held
        if _unit(row[2]) == _unit(said[0]) and _is_limit(row) == _is_limit(("", words, said[0]))
    ]
    fitting = [row for row in same if row[0] == "description"] or same
    if len({row[2].group() for row in fitting}) != 1:
        return gathered, []
    return _replaced(gathered, fitting[0][2].group(), said[0].group())


def _is_limit(row: tuple[str, str, re.Match[str]]) -> bool:
    """Whether a quantity is a tolerance: another kind than what is measured."""
    _, text, found = row
    return (
        re.search(r"(?:±|\+/-|within|正負|正负) ?$", text[: found.start()]) is not None
        or "±" in found.group()
    )


def _unit(found: re.Match[str]) -> str:
    unit = fold(found["unit"]).rstrip("s")
    return "degree" if unit in ("°c", "°", "degree", "度") else unit


def _labelled(gathered: Gathered, words: str) -> tuple[Gathered, Changes]:
    """Put the text after a label in its slot: in the place of what is there, or beside it where it adds."""
    adds = re.search(told(__file__)["adds"], words, re.I) is not None
    for slot, labels in told(__file__)["labels"].items():
        label = "|".join(labels)
        says = r"\s*(?:[:：]|(?:is|are|should be)\b|是|為|为|應該是|改成)\s*"
        found = re.search(rf"(?:^|\b|[，,。])(?:{label}){says}(?P<text>.{{2,}})$", words, re.I)
        if found:
            text = found["text"].strip()
            after = with_entry(gathered, slot, text) if adds else with_only(gathered, slot, [text])
            return after, [(slot, text)]
    return gathered, []


def _removed(gathered: Gathered, words: str) -> tuple[Gathered, Changes]:
    for pattern in told(__file__)["removes"]:
        found = re.search(pattern, words, re.I)
        if found:
            return _without(gathered, found["what"])
    return gathered, []


def _without(gathered: Gathered, what: str) -> tuple[Gathered, Changes]:
    """Take out what a label names, else the entries that hold most of the words."""
    for slot, labels in told(__file__)["labels"].items():
        if re.fullmatch(rf"(?:{'|'.join(labels)})", what.strip(), re.I):
            return with_only(gathered, slot, []), [(slot, "")]
    wanted = set(terms(what))
    changes: Changes = []
    for slot in SLOTS:
        texts = gathered.texts(slot)
        kept = [text for text in texts if len(wanted & set(terms(text))) < max(1, len(wanted) * 0.6)]
        if len(kept) < len(texts):
            gathered = with_only(gathered, slot, kept)
            changes.append((slot, ""))
    return gathered, changes


def _mapped(gathered: Gathered, change: Callable[[str], str]) -> tuple[Gathered, Changes]:
    changes: Changes = []
    for slot, texts in gathered.filled().items():
        after = [change(text) for text in texts]
        if after != list(texts):
            gathered = with_only(gathered, slot, after)
            changes += [(slot, new) for old, new in zip(texts, after, strict=True) if old != new]
    return gathered, changes
