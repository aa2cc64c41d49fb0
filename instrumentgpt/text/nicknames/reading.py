"""The nicknames that a message gives or takes back, by verbs of naming, by "is", and by brackets."""

import re
from collections.abc import Iterator
from dataclasses import replace

from instrumentgpt.text.facts.devices import Names
from instrumentgpt.text.nicknames import patterns
from instrumentgpt.text.nicknames.fitting import describes, is_makers, is_name
from instrumentgpt.text.nicknames.marked import Line, lines_read, marked
from instrumentgpt.text.nicknames.naming import Kind, Naming, key_of


def nicknames_in(text: str, names: Names) -> list[Naming]:
    """Return the nicknames that a user's `text` gives to devices, or takes back, in order.

    names  of all devices: of each the one it is filed under, then its others

    >>> nicknames_in('051 (we call it "Tallinn"); 054 就叫「北極」', (("zspr 051",), ("zspr 054",)))
    [Naming(device='zspr 051', nickname='Tallinn', kind='named'),
     Naming(device='zspr 054', nickname='北極', kind='named')]
    """
    found: dict[tuple[str, str], Naming] = {}
    for line in lines_read(text):
        for naming in _of_line(line, names):
            found[naming.device, key_of(naming.nickname)] = naming
    return list(found.values())


def _of_line(line: str, names: Names) -> Iterator[Naming]:
    whole = marked(line, names)
    if not whole.devices:
        return
    sentences = [part for part in patterns.SENTENCE.split(whole.text) if part.strip()]
    stated = [replace(whole, text=_stated(part)) for part in sentences]
    by_verb = [
        naming
        for at, sentence in enumerate(stated)
        for naming in _by_verb(sentence, _subject(sentences[at - 1]) if at else "")
    ]
    for sentence in stated:
        yield from _by_place(sentence)
        if by_verb:
            yield from _alike(sentence)
    yield from by_verb


def _stated(sentence: str) -> str:
    """Return what a sentence states before it asks; "" if all of it asks."""
    asks = bool(re.search(r"[?？]\W*$|[嗎吗呢][。.]?\s*$", sentence))
    if patterns.REQUEST.match(sentence):
        return sentence
    if patterns.ASKS.search(sentence) and not (asks and re.search(r"[,，]", sentence)):
        return ""
    if not asks:
        return sentence
    before, comma, rest = sentence.replace("，", ",").rpartition(",")
    if not comma or patterns.ASKS.match(sentence) or patterns.ASKED_BACK.fullmatch(rest.strip(" ?？嗎吗呢")):
        return ""
    return before


def _subject(sentence: str) -> str:
    """Return the one device that a sentence says something of, as its character; "" if there is none."""
    found = re.findall(patterns.DEVICE, sentence)
    told = re.match(rf"\s*({patterns.DEVICE})\s*(?:(?i:is\b|['’]s\b)|就?是)", sentence)
    return told[1] if told and len(found) == 1 else ""


def _by_verb(line: Line, subject: str) -> Iterator[Naming]:
    """Yield what verbs of naming say; `subject` is the device of the sentence before, which "it" may mean."""
    text = line.text
    if patterns.RESPECTIVELY.search(text):
        yield from _in_turn(line)
        return
    for verb in patterns.VERB.finditer(text):
        told = patterns.OBJECT.match(text, verb.end())
        if told is None:
            continue
        denied = patterns.DENIED.search(text[: verb.start()])
        before = text[: denied.start()] + (denied["rest"] or "").lstrip() if denied else text[: verb.start()]
        device = told["device"] or _bearer(before, verb, bool(told["pronoun"]), subject)
        found = patterns.AFTER_VERB.match(text, told.end())
        if not device or found is None or not _is_called(before, verb, told, found):
            continue
        yield from _naming(line, device, found, bool(denied), verb.start(), is_stated=True)
        while told["device"] and (more := patterns.GOES_ON.match(text, found.end())):
            found = patterns.AFTER_VERB.match(text, more.end())
            if found is None:
                break
            yield from _naming(line, more["device"], found, bool(denied), verb.start(), is_stated=True)


def _bearer(before: str, verb: re.Match[str], pronoun: bool, subject: str) -> str:
    """Return the device, as its character, whose name the verb behind `before` gives; "" if nobody's."""
    places = [found.start() for found in re.finditer(patterns.DEVICE, before)]
    if not places:
        tail, device = before, subject if pronoun else ""
    else:
        tail, device = before[places[-1] + 1 :], before[places[-1]]
        led = before[: places[-1]]
        if patterns.JOINED.search(led) or patterns.OF_ANOTHER.search(led):
            return ""
    return device if _leads(tail, verb, pronoun) else ""


def _leads(tail: str, verb: re.Match[str], pronoun: bool) -> bool:
    """Return whether what stands between a device and a verb says whose name the verb gives."""
    if verb["noun"]:
        return bool(patterns.NOUN_TAIL.fullmatch(tail))
    if verb["strong"] or verb["bare"]:
        found = patterns.HAN_TAIL.fullmatch(tail)
        subject = found["subject"].strip() if found else ""
        return found is not None and (pronoun or not subject or bool(patterns.GROUP.fullmatch(subject)))
    word = (verb["active"] or "").lower()
    if word.startswith("say"):
        return bool(patterns.SAY_TAIL.fullmatch(tail))
    is_active = word and (pronoun or word not in patterns.PARTICIPLES)
    if is_active and (pronoun or re.search(r"\w", tail)) and patterns.ACTIVE_TAIL.fullmatch(tail):
        return True
    return (not word or word in patterns.PARTICIPLES) and bool(patterns.PASSIVE_TAIL.fullmatch(tail))


def _is_called(before: str, verb: re.Match[str], told: re.Match[str], found: re.Match[str]) -> bool:
    """Return whether 叫 means "is called" and not "tell" or "cry": the name is quoted, or people say so."""
    if verb["noun"] and not found["quoted"] and verb["noun"] == verb[0].rstrip():
        return verb["noun"] not in patterns.PLAIN_NOUNS
    if not verb["bare"] or not found["han"]:
        return True
    if not told["device"] and not told["pronoun"] and before.rstrip().endswith("我"):
        return False
    if not told["device"] and not told["pronoun"] and patterns.DEVICE_LAST.search(before):
        return True
    led = before[-patterns.GROUP_CHARS :]
    return any(patterns.GROUP.fullmatch(led, at) for at in range(len(led)))


def _in_turn(line: Line) -> Iterator[Naming]:
    """Yield names told in the order of their devices: "… are called A and B, respectively"."""
    verb = next(patterns.VERB.finditer(line.text), None)
    if verb is None:
        return
    devices = re.findall(patterns.DEVICE, line.text[: verb.start()])
    found: list[re.Match[str]] = []
    at = verb.end()
    while len(found) < len(devices):
        limit = patterns.LISTED.search(line.text, at + 1)
        one = patterns.AFTER_VERB.match(line.text[: limit.start()] if limit else line.text, at)
        if one is None:
            return
        found.append(one)
        at = limit.end() if limit else len(line.text)
    for device, one in zip(devices, found, strict=True):
        yield from _naming(line, device, one, False, verb.start(), is_stated=True)


def _by_place(line: Line) -> Iterator[Naming]:
    """Yield what "is" and brackets say: "the peptide oven is 051", `052 ("Tallinn")`."""
    for found in patterns.IS_DEVICE.finditer(line.text):
        if _may_be_what_is(line, found, is_subject=True):
            kind: Kind | None = "renamed" if patterns.NOT_ANOTHER.match(line.text, found.end()) else None
            yield from _naming(line, found["device"], found, bool(found["no"]), found.start(), kind)
            other = patterns.INSTEAD.match(line.text, found.end()) if found["no"] else None
            if other:
                yield from _naming(line, other["device"], found, False, found.start(), "renamed")
    for found in patterns.DEVICE_IS.finditer(line.text):
        led = patterns.OF_ANOTHER.search(line.text[: found.start()])
        if not led and _may_be_what_is(line, found, is_subject=False):
            yield from _naming(line, found["device"], found, bool(found["no"]), found.start())
    for pattern in (patterns.BRACKETED, patterns.DEVICE_BRACKETED, patterns.WHAT_WE_CALL):
        for found in pattern.finditer(line.text):
            name, quoted = line.name(found)
            if pattern is not patterns.DEVICE_BRACKETED or quoted or describes(name):
                device = found["device"] or found["of"]
                yield from _naming(line, device, found, False, found.start())
    for found in patterns.BRACKETED_BARE.finditer(line.text):
        if not is_makers(found["capital"]):
            yield from _naming(line, found["device"], found, False, found.start())


def _alike(line: Line) -> Iterator[Naming]:
    for pattern in patterns.ALIKE:
        for found in pattern.finditer(line.text):
            yield from _naming(line, found["device"], found, False, found.start())


def _may_be_what_is(line: Line, found: re.Match[str], is_subject: bool) -> bool:
    """Return whether what stands beside "is" and a device may be a name, and is not what is said of it."""
    name, quoted = line.name(found)
    if found["no"]:
        return True
    if quoted:
        states = name[:1].islower() and name[:1].isascii() and not name.startswith("the ") and not is_subject
        return not (states or patterns.ERROR_CODE.fullmatch(name) or patterns.NOT_OF_A_NAME.search(name))
    if found["the"]:
        return describes(name)
    if is_makers(name):
        return False
    if found["capital"]:
        return not patterns.ERROR_CODE.fullmatch(name) and (not name.isupper() or any(map(str.isdigit, name)))
    return (bool(found["same"]) and (is_subject or describes(name))) or (is_subject and describes(name))


def _naming(
    line: Line,
    device: str,
    found: re.Match[str],
    denied: bool,
    start: int,
    kind: Kind | None = None,
    is_stated: bool = False,
) -> Iterator[Naming]:
    """Yield that the device has the name, if it can be one and nothing beside it says that it may be not.

    is_stated  whether a verb says that it is called so
    """
    name, quoted = line.name(found)
    name = " ".join(name.split())
    clause = max((line.text.rfind(mark, 0, start + 1) for mark in ",，;；。(（"), default=-1) + 1
    beside = line.text[clause : found.end()]
    if patterns.DOUBT.search(beside) or not is_name(name, quoted, line.names, is_stated):
        return
    anew = patterns.ANEW.search(line.text[clause : found.end() + 25])
    yield Naming(
        line.device(device), name, "withdrawn" if denied else kind or ("renamed" if anew else "named")
    )
