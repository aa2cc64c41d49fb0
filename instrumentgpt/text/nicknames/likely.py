"""What stands where a name would stand beside a device: `belly` in `054 runs the growth zone ("the belly")`.

Nobody says for certain that it is one. It is the device's nickname once a user uses it somewhere else,
so what is read here may be read leniently; what an answer offers counts if a user has said it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from instrumentgpt.text.facts.devices import Names
from instrumentgpt.text.nicknames import patterns
from instrumentgpt.text.nicknames.fitting import describes, is_makers, is_name, kind_of_equipment
from instrumentgpt.text.nicknames.marked import Line, lines_read, marked
from instrumentgpt.text.nicknames.naming import Naming, key_of

_D, _Q, _HAN = patterns.DEVICE, patterns.QUOTE, patterns.HAN
_ARTICLE = r"(?i:the\s|our\s|my\s|an?\s)?"
_LATIN = r"[^\W\d_][\w\-]*(?:\s[^\W\d_][\w\-]*){0,2}"
_MIXED = rf"[A-Za-z]{{0,3}}[{_HAN}][{_HAN}\w]{{0,9}}"
_NAME = rf"(?:(?P<quoted>{_Q})|(?P<han>{_MIXED})|{_ARTICLE}(?P<latin>{_LATIN}))"
_STOP = r"(?=\s*(?:$|[,，、.;；。:：!！?？()（）\ue000-\ue2ff])|\s+(?i:and|but|so)\b)"
_START = r"(?:^|(?<=[\s,，、.;；。:：(（]))"
_NAMING = (
    r"(?:\b(?i:names?(?:\s(?:is|was))?|named|nick(?:name|named)?(?:\sis)?|calls?|called|says?|known\sas|aka|dubbed|alias)\b"
    r"(?:\s(?i:it|her|him|this\sone|that\sone)\b)?"
    r"|[叫喊](?:[它他她]|做|作|成)?|[稱称](?:[它他她]|為|为|作|之為|之为)?|[暱昵]稱|[暱昵]称|外[號号]|[綽绰][號号]|俗[稱称]|[簡简][稱称]|代[號号]|名字)"
    r"\s*(?:是|就是|[:：])?\s*"
)
_THAT_IS = re.compile(rf"\s*(?:(?i:that|this|it|she|he)(?:['’]s|\s(?i:is))|那?(?:就|也)?是)\s*{_NAME}{_STOP}")
_DENIES = re.compile(
    r"\b(?i:(?:not|no\slonger|never|stop)\s(?:be\s)?(?:call|name)|\w*n['’]t\s(?:call|name))|不再?[叫喊稱称]|[別别][叫喊]"
    r"|\b(?i:is|are)\s[^.?]*(?i:called|named)[^.?]*\?|[叫喊稱称][^。？]*[嗎吗][？?]?$"
)
_BRACKETS = re.compile(r"[（(]([^()（）]*)[)）]")
_IN_BRACKETS = re.compile(rf"(?:.*?{_NAMING})?{_NAME}")
_CALLED = re.compile(_NAMING + _NAME + _STOP)
_EQUALS = re.compile(rf"\s*[=＝]\s*{_NAME}{_STOP}")
_EQUALS_SPACED = re.compile(rf"\s*[=＝]\s*{_NAME}(?=\s|[,，、;；。(（]|$)")
_IS_HAN = re.compile(
    rf"\s*(?:就?是|為|为)\s*(?P<np>[{_HAN}A-Za-z\-]{{2,16}}?)(?=\s*(?:$|[\s,，、;；。(（!！]))"
)
_APPOSED = re.compile(rf"\s*(?:(?i:is\b|runs?\b|does\b|drives?\b)|=|就?是)[^,，;；]+[,，]\s*{_NAME}\s*$")
_QUOTE_APPOSED = re.compile(rf"[(（,，]\s*(?:\w+\s){{0,3}}(?P<quoted>{_Q})")
_BEFORE_EQUALS = re.compile(
    rf"{_START}(?:(?P<han>{_MIXED})|{_ARTICLE}(?P<latin>{_LATIN}))\s*[=＝]\s*(?P<device>{_D})"
)
_BEFORE_IS = re.compile(
    rf"{_START}(?P<np>[{_HAN}A-Za-z]{{2,10}})(?:[（(][^()（）]*[)）])?[{_HAN}]{{0,6}}?就?是\s*(?P<device>{_D})"
)
_BESIDE = (  # in an answer
    re.compile(rf"(?P<word>(?:(?<!\w)[^\W\d_][\w\-]{{0,30}}\s)?(?<!\w)[^\W\d_][\w\-]{{0,30}})\s*[（(]\s*(?P<device>{_D})\s*[)）]"),
    re.compile(rf"(?P<device>{_D})\s*[（(]\s*{_NAME}\s*[)）]"),
    re.compile(rf"(?:^|(?<=\|))[\s*_]*(?P<word>[^\W\d_][\w\-]*(?:\s[^\W\d_][\w\-]*)?)\s+(?P<device>{_D})[\s*_]*(?:$|(?=\|))"),
    re.compile(rf"(?:^|(?<=\|))[\s*_]*(?P<device>{_D})\s+(?P<word>[^\W\d_][\w\-]*(?:\s[^\W\d_][\w\-]*)?)[\s*_]*(?:$|(?=\|))"),
)  # fmt: skip
_EQUATED = (  # likewise
    re.compile(rf"(?P<word>(?<!\w)[^\W\d_][\w\-]{{0,30}}(?:\s[^\W\d_][\w\-]{{0,30}})?)\s*[=＝]\s*(?P<device>{_D})"),
    re.compile(rf"(?P<device>{_D})\s*[=＝]\s*{_NAME}{_STOP}"),
)  # fmt: skip


def likely_in_question(text: str, names: Names) -> list[Naming]:
    """Return what a user's message may call its devices, each once.

    names  of all devices: of each the one it is filed under, then its others
    """
    return _each_once(naming for line in lines_read(text) for naming in _of_user(marked(line, names)))


def likely_in_answer(text: str, names: Names) -> list[Naming]:
    """Return what an answer may call its devices, each once."""
    lines = [marked(line, names) for line in lines_read(text)]
    return _each_once(naming for line in lines for naming in _of_agent(line, (*_BESIDE, *_EQUATED)))


def equated_in_answer(text: str, names: Names) -> list[Naming]:
    """Return what an answer sets equal to devices ("walk-in = 055"), each once."""
    lines = [marked(line, names) for line in lines_read(text)]
    return _each_once(naming for line in lines for naming in _of_agent(line, _EQUATED))


def _each_once(found: Iterable[Naming]) -> list[Naming]:
    return list({(one.device, key_of(one.nickname)): one for one in found}.values())


def _of_user(line: Line) -> Iterator[Naming]:
    if not line.devices or _DENIES.search(line.text):
        return
    marks = list(re.finditer(_D, line.text))
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(line.text)
        first, *more = patterns.SENTENCE.split(line.text[mark.end() : end].strip())
        yield from _behind(line, mark.group(), first.strip(" .。!！"))
        for sentence in more:
            for found in (*_CALLED.finditer(sentence), *_THAT_IS.finditer(sentence)):
                yield from _named(line, mark.group(), found)
    for pattern in (_BEFORE_EQUALS, _BEFORE_IS):
        for found in pattern.finditer(line.text):
            yield from _named(line, found["device"], found)


def _behind(line: Line, mark: str, told: str) -> Iterator[Naming]:
    """Yield what the words behind a device, up to the next, may call it."""
    for bracket in _BRACKETS.finditer(told):
        for piece in re.split(r"[,，;；、]", bracket[1]):
            found = _IN_BRACKETS.fullmatch(piece.strip())
            if found and (bracket.start() == 0 or found["quoted"] or re.search(_NAMING, piece)):
                yield from _named(line, mark, found)
    plain = _BRACKETS.sub(" ", told)
    matches = [
        _EQUALS.match(plain) or _EQUALS_SPACED.match(plain),
        _IS_HAN.match(told),
        _APPOSED.match(plain),
    ]
    for found in filter(None, [*matches, *_CALLED.finditer(plain), *_QUOTE_APPOSED.finditer(told)]):
        yield from _named(line, mark, found)


def _of_agent(line: Line, beside: Sequence[re.Pattern[str]]) -> Iterator[Naming]:
    if not line.devices or _DENIES.search(line.text):
        return
    for pattern in beside:
        for found in pattern.finditer(line.text):
            yield from _named(line, found["device"], found)


def _named(line: Line, mark: str, found: re.Match[str]) -> Iterator[Naming]:
    """Yield what a pattern found, if it can be a name; of several words each end of them may be."""
    told = found.groupdict()
    if told.get("quoted"):
        name = line.quotes[ord(told["quoted"]) - patterns.FIRST_QUOTE]
        candidates = [re.sub(rf"^{_ARTICLE}", "", name)]
    elif told.get("np"):
        candidates = list(_described(told["np"]))
    elif told.get("word"):
        words = told["word"].split()
        candidates = [" ".join(words[at:]) for at in range(len(words))]
    else:
        candidates = [next(filter(None, (told.get("han"), told.get("latin"))), "")]
    quoted = bool(told.get("quoted"))
    for name in candidates:
        if is_name(name, quoted, line.names) and (quoted or not is_makers(name)):
            yield Naming(line.device(mark), name)


def _described(words: str) -> Iterator[str]:
    """Yield the equipment that words end in, as it is, and with just what tells it from others: 大箱."""
    if describes(words):
        yield words
        kind = kind_of_equipment(words)
        yield words[-len(kind) - 1 :]
