"""Which devices a text names: by address, by name, or by a number that can only be a device."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from instrumentgpt.memory.terms import in_simplified

Span = tuple[int, int, str]  # start, stop, key of the device (or of what is unknown)

_ADDRESS = re.compile(
    r"(?<![\d.])(?<!\bv)(?<!version )(?<!firmware )(?<!版本)(?<!版本 )"
    r"(\d{1,3}(?:\.\d{1,3}){3})(?!\d|\.\d|/\d)(?::\d+)?"
)
_FILE_NAME = re.compile(
    r"(?<![a-z0-9_.\-])[a-z0-9_.\-]+\.(?:log|csv|tsv|txt|jsonl?|xlsx|parquet|alog)(?:\.gz)?(?![a-z0-9])"
)
_LOG_LINE = re.compile(r"\[?\d{4}-\d\d-\d\d[ t]\d\d:\d\d:\d\d.*")  # a pasted log names clients, not devices
_NUMBER = re.compile(r"(?<![a-z0-9_.:/+\-±=<>])\d+(?![a-z0-9_/]|[.:\-]\d)")
_UNIT = re.compile(
    r"\s*(?:°|deg|度|%|percent|[km]?hz\b|[mkuµ]?[svwa]\b|[cmuµ]m\b|[hmcfk]\b|m?sec|min|hours?\b|hrs?\b|days?\b|weeks?\b"
    r"|times?\b|lines?\b|rows?\b|points?\b|samples?\b|more\b(?! [a-z]*[a-rt-z]\b)|kelvin|celsius"
    r"|bar\b|rpm\b|[kmg]b\b|秒|分|小時|天|日|月|年|週|次|行|筆|點|個|倍|號(?!\s*(?:機|設備|儀器|裝置|爐|烤箱)))"
)
_OTHER_NUMBER = re.compile(  # what stands before a number that is something else
    r"(?:\b(?:line|port|version|v|rev|build|channel|ch|id|error|code|step|page|kp|ki|kd|sp|pv|row)"
    r"|第|行|埠|版本|通道|頻道|錯誤|代碼|步驟)\s*[:=#]?\s*$"
)
PARTS = (  # of an instrument, which are no names of it
    "sensor|heater|ssr|relay|door|room|thermocouple|probe|valve|tuning|controller|gains?|pid|noise|actuator"
)
_LEADS = r"\b(?:the|my|our|of|for|on|about|with|and|vs\.?|compare|plot|check|is|how'?s)"
_NOUN = re.compile(
    r"(?:\b(?:devices?|instruments?|machines?|units?|ovens?)|設備|裝置|儀器|機台|機器|烤箱)\s*(?:no\.?|number|編號)?\s*[:#]?\s*$"
)
_NOUN_AFTER = re.compile(r"\s*號\s*(?:機|設備|儀器|裝置|爐|烤箱)")
_WRONG_WITH = re.compile(
    r"\b(?:wrong|happening|happened|problem|matter) (?:with|to)\s*$|\bcompare\s*$|比較\s*$"
)
_WHAT_IS_IT = re.compile(r"\s*(?:怎麼|為什麼|為何|有什麼問題|不穩|振盪|震盪|飄)")
_RANGE = re.compile(
    r"(?<![0-9_.:/\-])(0\d{1,8})\s*(?:-|–|—|~|至|到|through)\s*[a-z]*\s*(0\d{1,8})(?![a-z0-9_/:]|[.\-]\d)"
)
_JOINER = re.compile(r"\s*(?:,|、|,?\s*\b(?:and|or|vs\.?|versus|with)\b|&|/|和|與|跟|及|或|還有)\s*")


def normalised(text: str) -> str:
    """Return `text` in one spelling: full-width forms narrow, case folded, a 。 between digits a dot.

    >>> normalised("１０．１．１．４７ ＺＳＰＲ 52℃ 10。1。1。47")
    '10.1.1.47 zspr 52°c 10.1.1.47'
    """
    return re.sub(r"(?<=\d)[。｡](?=\d)", ".", unicodedata.normalize("NFKC", text).casefold())


def name_key(name: str) -> tuple[str, ...]:
    """Return what spellings of one name share: its words and numbers, without zeros in front.

    >>> name_key("ZSPR-052") == name_key("zspr 52") == name_key("zspr_052")
    True
    >>> name_key("左邊烤箱") == name_key("左边烤箱")
    True
    """
    words = re.findall(r"\d+|[^\W\d_]+", in_simplified(normalised(name)))
    return tuple(str(int(word)) if word.isdigit() else word for word in words)


def mention_spans(
    text: str,
    names: Mapping[str, Sequence[str]],
    nicknames: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[Span]:
    """Return where `normalised(text)` names devices, or what is not known, in order: (start, stop, key).

    `names` maps the key of each device (its address, or its name) to its name and aliases.
    `nicknames` are further names as a whole: the 3 of "HP3" is no number of the device.
    Unknown are addresses, and names of a known family with another number ("zspr 099").

    >>> mention_spans("set zspr-52 and 10.1.1.9 to 52 °C", {"10.1.1.47": ["zspr 052"]})
    [(4, 11, '10.1.1.47'), (16, 24, '10.1.1.9')]
    """
    folded = _without(_without(normalised(text), _LOG_LINE), _FILE_NAME)
    spans = [*_addresses(folded)]
    folded = _without(folded, _ADDRESS)
    plain = in_simplified(folded)
    ends = {address: _ends(group) for address, group in names.items()}
    shared = Counter(end for group in ends.values() for end in group)
    spellings = {
        address: (*group, *nicknames.get(address, ()), *(end for end in ends[address] if shared[end] == 1))
        for address, group in names.items()
    }
    named = _named(plain, spellings)
    named += [span for span in _strangers(plain, names) if not _overlaps(span, named)]
    spans += named
    numbers = _numbers(names)
    spans += _ranged(folded, numbers)
    spans += _numbered(folded, spans, numbers)
    return sorted(spans or _called_shortly(plain, names))


def _called_shortly(text: str, names: Mapping[str, Sequence[str]]) -> Iterator[Span]:
    """Devices called by a word, in Chinese the end of one, that only their names have: "the freezer"."""
    owners: dict[str, set[str]] = {}
    for address, group in names.items():
        for word in (word for name in group for word in name_key(name)):
            for tail in [word] if word.isascii() else [word[at:] for at in range(len(word) - 1)]:
                owners.setdefault(tail, set()).add(address)
    own = {word: min(keys) for word, keys in owners.items() if len(keys) == 1}
    chinese = "|".join(sorted((re.escape(word) for word in own if not word.isascii()), key=len, reverse=True))
    for match in re.finditer(
        rf"(?:{_LEADS} (?=[a-z]{{4}})|^\W*(?:\w*\d )?)(?!(?:{PARTS})\b)([a-z]{{3,}})\b|({chinese or '(?!)'})",
        text,
    ):
        if (word := match[1] or match[2]) in own:
            yield match.end() - len(word), match.end(), own[word]


def _without(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: "\0" * len(match.group()), text)


def _addresses(text: str) -> Iterator[Span]:
    for match in _ADDRESS.finditer(text):
        octets = [int(octet) for octet in match.group(1).split(".")]
        if max(octets) <= 255:
            yield match.start(), match.end(), ".".join(map(str, octets))


def _ends(names: Sequence[str]) -> set[str]:
    """Return the last word with the number of names that have more words: "k 3" of "Lab fridge K3"."""
    keys = map(name_key, names)
    ends = (key[-2:] for key in keys if len(key) > 2 and key[-1].isdigit())
    return {" ".join(end) for end in ends if not _OTHER_NUMBER.match(end[0])}  # "ch 2" is a channel


def _spelling(key: tuple[str, ...]) -> str:
    return r"[\s_\-#]*".join(f"0*{word}" if word.isdigit() else re.escape(word) for word in key)


def _bounded(spelling: str, key: tuple[str, ...]) -> str:
    left = r"(?<![a-z0-9])" if key[0].isascii() else ""
    right = r"(?![a-z0-9]|[.:]\d)" if key[-1].isascii() else ""
    return left + spelling + right


def _named(text: str, names: Mapping[str, Sequence[str]]) -> list[Span]:
    spans: list[Span] = []
    for address, spellings in names.items():
        for key in (name_key(name) for name in spellings):
            if key and not "".join(key).isdigit():
                matches = re.finditer(_bounded(_spelling(key), key), text)
                spans += [(match.start(), match.end(), address) for match in matches]
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not _overlaps(span, kept):
            kept.append(span)
    return kept


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < stop and start < span[1] for start, stop, _ in others)


def _strangers(text: str, names: Mapping[str, Sequence[str]]) -> Iterator[Span]:
    """Names of a known family whose number nobody has."""
    keys = {name_key(spellings[0]) for spellings in names.values() if spellings}
    for family in sorted({key[:-1] for key in keys if len(key) > 1 and key[-1].isdigit()}):
        pattern = _bounded(_spelling(family) + r"[\s_\-#]*(\d{2,})", (*family, "0"))
        for match in re.finditer(pattern, text):
            yield match.start(), match.end(), f"{' '.join(family)} {match.group(1)}"


def _numbers(names: Mapping[str, Sequence[str]]) -> dict[int, str]:
    """Number → address, for numbers that only one device ends on."""
    owners: dict[int, set[str]] = {}
    for address, spellings in names.items():
        for key in map(name_key, spellings):
            if key and key[-1].isdigit():
                owners.setdefault(int(key[-1]), set()).add(address)
    return {number: addresses.pop() for number, addresses in owners.items() if len(addresses) == 1}


def _ranged(text: str, numbers: Mapping[int, str]) -> Iterator[Span]:
    """All devices from one to another ("050-055", "052 到 054"), where both are known."""
    for match in _RANGE.finditer(text):
        first, last = int(match.group(1)), int(match.group(2))
        if first in numbers and last in numbers and not _UNIT.match(text, match.end()):
            between = sorted(number for number in numbers if min(first, last) <= number <= max(first, last))
            for place, number in enumerate(between if first < last else reversed(between)):
                yield match.start() + place, match.end(), numbers[number]


def _numbered(text: str, named: Sequence[Span], numbers: Mapping[int, str]) -> list[Span]:
    spans: list[Span] = []
    stops = {stop for _, stop, _ in named}
    for match in _NUMBER.finditer(text):
        address = numbers.get(int(match.group())) if len(match.group()) < 10 else None
        if address is None or _overlaps((match.start(), match.end(), ""), named):
            continue
        if _only_a_device(text, match, stops):
            spans.append((match.start(), match.end(), address))
            stops.add(match.end())
    return spans


def _only_a_device(text: str, match: re.Match[str], stops: set[int]) -> bool:
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 40]
    if _UNIT.match(after):
        return False
    if _NOUN.search(before) or _NOUN_AFTER.match(after) or _goes_on(text, match.start(), stops):
        return True
    if _OTHER_NUMBER.search(before):
        return False
    return match.group().startswith("0") or bool(_WRONG_WITH.search(before)) or bool(_WHAT_IS_IT.match(after))


def _goes_on(text: str, start: int, stops: set[int]) -> bool:
    """Whether only a joiner ("、", "and") stands between a device and the number at `start`."""
    return any(_JOINER.fullmatch(text, stop, start) for stop in stops if 0 < start - stop <= 12)
