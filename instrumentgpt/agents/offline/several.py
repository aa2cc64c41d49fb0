"""Which questions one message asks: it is cut where another question begins that stands by itself.

Where one sentence ends, another question may begin whatever its words; within a sentence only after a
question, and only where what follows asks by itself ("… and is 050 fine?"). "Temperature and power" does not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CHARS = 2_000  # a longer message is a report or a log, and whose questions they are nobody knows

_LEAD = (  # what stands before a question and asks nothing
    r"\W*(?:(?:and|also|but|so|then|plus|ok(?:ay)?|hi|hello|well|first(?:ly)?|second(?:ly)?|finally|next"
    r"|by the way|btw|besides|moreover|another (?:question|thing)|one more (?:question|thing))\b\W*)*"
)
_AUX = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|shall|may|might|will|would|must)"
    r"(?:n['’]t)?"
)
_SUBJECT = (
    r"(?:it|its|this|that|these|those|the|there|i|we|you|they|he|she|my|our|your|any\w*|all|both|each|every\w*"
    r"|some\w*|zspr|channels?|ch|loop|k ?[pid]|temp\w*|power|output|pv|setpoint|\d[\w.]*|(?-i:[A-Z]\w+))\b"
)
_WH = (
    rf"(?:why|when|where|how(?: \w+){{0,2}}) {_AUX}\b"
    rf"|(?:what|which|who|whose)(?:['’]s| (?:\w+ ){{0,3}}?{_AUX})\b"
    r"|(?:what|how) about\b"
)
_REQUEST = (
    r"(?:(?:please|pls) )?(?:(?:show|tell|give) (?:me|us)|show|plot|draw|list|compare|diagnose|check|fetch"
    r"|summari[sz]e|recap)\b(?! me$)"
)
_ZH_WORD = (  # asks by itself
    r"[為为](?:什[麼么]|何)|[什甚][麼么]|怎[麼么樣样]|如何|多少|[幾几](?=[個个次度點点台天行]|\W*$)|哪(?!怕)|[誰谁]"
)
_ZH_ASKS = rf"{_ZH_WORD}|[嗎吗呢](?=\W|$)|是否|能否|可否|[是能會会有要可對对]不[是能會会可對对]|有[沒没]有"
_ZH_NOT_ASKED = (  # question words that ask nothing: "not much", "whatever"
    r"[沒没]有?(?:什[麼么]|多少|怎[麼么])|什[麼么]都|[誰谁]都|哪[裡里]?都|多少有"
)
_ZH_GIVEN = r"^\W*(?:如果|假如|要是|若|不管|不[論论]|[無无][論论]|既然)"
_ZH_LEAD = (
    r"\W*(?:[順顺]便(?:再?問|再?问|一提)?|另外|[還还]有|然[後后]|再[來来者]?|[並并]且|而且|同[時时]|以及"
    r"|那[麼么]?|[請请][問问]?)"
)
_ZH_REQUEST = (
    r"\W*(?:[請请幫帮]我?[^，。]{0,2})?(?:[畫画]|列出|比[較较]|[對对]比|[診诊][斷断]|[檢检]查|[總总][結结]"
    r"|告[訴诉]我)"
)
_CONTINUES = re.compile(  # goes on with the question before: its ground, its alternative
    rf"^{_LEAD}(?:why|how(?: so| come| much| many)?|when|where|really|[為为](?:什[麼么]|何)"
    r"|怎[麼么][說说])\W*$"
    r"|^\W*(?:or|because|since|not|i mean|i\.e\.|e\.g\.|for example|due to|if)\b"
    r"|^\W*(?:[還还]是|或|因[為为]|是因[為为]|是不是|是否|[會会]不[會会]|例如|比如|也就是|我是[說说])",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[?？!！。\n]+[\"”」』)）]*\s*|\.\s+(?=[A-Z\u3400-\u9fff])|[;；]\s*")
_JOINT = re.compile(  # where a second question may begin within a sentence
    r",?\s+(?P<and>(?:and|also|but|then|plus)\b(?:,?\s+(?:also|then|so|now)\b)*)\s+"
    rf"|[，,、]?\s*(?=(?P<zh_and>{_ZH_LEAD}))"
    r"|(?P<comma>[,，])\s*",
    re.IGNORECASE,
)
_MASKED = re.compile(  # no question begins in what is quoted
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’", re.DOTALL
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Part:
    """One question of a message.

    context  what the message says before it without asking
    firm     whether a sentence of its own; else it was cut out of one, and may not have been meant so
    """

    text: str
    context: str = ""
    firm: bool = True


def parts_of(text: str) -> list[Part]:
    """Return the questions that `text` asks, in their order; the whole of it where they are not several.

    >>> [part.text for part in parts_of("why does 047 fluctuate and is 050 fine?")]
    ['why does 047 fluctuate', 'is 050 fine?']
    >>> [part.text for part in parts_of("溫度為什麼波動？順便問 kp 現在是多少？")]
    ['溫度為什麼波動？', '順便問 kp 現在是多少？']
    >>> [part.text for part in parts_of("why does temperature and power swing?")]
    ['why does temperature and power swing?']
    """
    found: list[Part] = []
    context = ""
    for sentence in _sentences(text) if len(text) <= MOST_CHARS else ():
        if not _asks(sentence):
            context += sentence
        elif found and _CONTINUES.search(sentence):
            found[-1] = Part(found[-1].text + context + sentence, found[-1].context, found[-1].firm)
            context = ""
        else:
            first, *others = _clauses(sentence)
            found += [
                Part(first.strip(), context.strip()),
                *(Part(one.strip(), firm=False) for one in others),
            ]
            context = ""
    return found if len(found) > 1 else [Part(text)]


def asks_by_itself(text: str) -> bool:
    """Return whether `text` begins a question, or asks for something to be shown; a fragment does not.

    >>> asks_by_itself("and is 050 fine?"), asks_by_itself("the newest?"), asks_by_itself("kp 現在是多少？")
    (True, False, True)
    """
    plain = _masked(text)
    if re.match(
        rf"(?:{_ZH_LEAD}[\s，,]*)?{_LEAD}(?:{_WH}|{_AUX} {_SUBJECT}|{_REQUEST})", plain, re.IGNORECASE
    ):
        return True
    return bool(_zh_asks(plain) or re.match(rf"(?:{_ZH_LEAD})?{_ZH_REQUEST}", plain, re.IGNORECASE))


def without_lead(text: str) -> str:
    """Return a question without what leads over to it.

    >>> without_lead("and what is kp?"), without_lead("順便問 kp 多少？")
    ('what is kp?', 'kp 多少？')
    """
    return re.sub(rf"^(?:{_LEAD}|{_ZH_LEAD})[\s，,]*", "", text.strip(), flags=re.IGNORECASE)


def _asks(sentence: str) -> bool:
    return bool(_WORD.search(sentence)) and (
        asks_by_itself(sentence) or bool(re.search("[?？]", _masked(sentence)))
    )


def _zh_asks(plain: str, pattern: str = _ZH_ASKS) -> bool:
    return bool(re.search(pattern, re.sub(_ZH_NOT_ASKED, " ", plain), re.IGNORECASE))


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(_masked(text)):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the questions of one sentence: it is cut where both what stands before and after asks."""
    plain, start = _masked(sentence), 0
    for joint in _JOINT.finditer(plain):
        before, after = plain[start : joint.start()], plain[joint.end() :]
        if asks_by_itself(before) and _begins(after, joint) and not re.search(_ZH_GIVEN, before):
            yield sentence[start : joint.start()]
            start = joint.end()
    yield sentence[start:]


def _begins(after: str, joint: re.Match[str]) -> bool:
    """Return whether a question of its own begins at `after`; a comma alone takes a word that asks."""
    if _CONTINUES.search(after):
        return False
    clause = re.split("[,，;；]", after, maxsplit=1)[0]
    if joint["comma"]:
        return bool(re.match(_WH, after, re.IGNORECASE)) or _zh_asks(clause, _ZH_WORD)
    if joint["and"]:
        return asks_by_itself(clause) and not re.match(rf"\W*{_AUX} (?:not|also)\b", after, re.IGNORECASE)
    return asks_by_itself(after)


def _masked(text: str) -> str:
    """Return `text` with what is quoted blanked out, as long as before."""
    return _MASKED.sub(lambda found: "x" * len(found.group()), text)
