"""Values that a message states, each of one device and parameter: `kp` of zspr 052 is 0.12.

Structure is read before phrases: JSON, tables, `key: value` and bold labels, then sentences about
quantities that have a name (synonyms.toml).
What is asked, denied, proposed, supposed, quoted, or stands in log lines or programs is no fact.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.filtering import prose_lines
from instrumentgpt.text.terms import fold, quantities

Names = tuple[tuple[str, ...], ...]  # of each device: the name it is filed under, then its others

LABEL_WORDS = 5  # a longer label is a sentence
REMARK_WORDS = 3  # behind the value of a label that is no quantity we know
GAP_CHARS = 45  # between a quantity and its value
LINE_CHARS = 1000  # a longer line is data
JSON_CHARS = 20_000
ERROR_CHARS = 160  # of a log line's message
_NUMBER = r"[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT = (
    r"(?:\s?(?:°\s?[cfk]\b|℃|%|％|µ?m?[vaw]\b|k?ohms?\b|k?Ω|[km]?hz\b|[kmµ]?pa\b|m?bar\b|psi\b|rpm\b"
    r"|m?l/(?:min|h|s)\b|sccm\b|k/min\b|°c/min\b|ms\b|s\b|min\b|h\b|seconds?\b|minutes?\b|hours?\b"
    r"|k\b|mm\b|kg\b|g\b|nm\b|db\b|轉|秒|分鐘|分钟|小時|小时|度))?"
)
_IDENTIFIER = (
    r"(?:\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?|v?\d+(?:\.\d+){2,}[\w.\-]*"
    r"|(?=[\w.\-/]*\d)(?=[\w.\-/]*[a-z])[a-z0-9][\w.\-/]*[a-z0-9])"
)
_VALUE = re.compile(
    rf"(?<![\w.])(?:(?P<id>{_IDENTIFIER})(?![\w])|(?P<number>{_NUMBER})(?P<unit>{_UNIT})(?![\w.]*\d))", re.I
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；;])|\n")
_UNREAL = re.compile(  # what is proposed or supposed
    r"\b(?:if|would|should|could|might|may|suggest\w*|recommend\w*|propos\w*|try|consider|assum\w*|suppose"
    r"|e\.g|example"
    r"|wrong|incorrect|mistake|typo|ignore|typical(?:ly)?|usually|ideal(?:ly)?|datasheet|spec)\b"
    r"|如果|假如|若|建議|建议|應該|应该|可以|可能|試|试|假設|假设|例如|錯|错|通常|一般|理想|規格|规格",
    re.I,
)
_OLD = re.compile(
    r"(?:\bnot|n't(?: be)?|\bnever|\bfrom|\binstead of|\brather than|\bprevious(?:ly)?|\bformer(?:ly)?"
    r"|\bold|\bused to be"
    r"|\bno longer|\bbefore|不是|並非|并非|而非|非|從|从|由|原本|原來|原来"
    r"|之前|先前|舊|旧|本來|本来|不再是?)[\s:：=是為为的,，]*(?:value|值)?\s*$",
    re.I,
)
_NEW = re.compile(
    r"(?:\bto|\bnow|\bnew|\bcurrently|→|->|=>|改為|改为|改成|調到|调到|調為|调为"
    r"|變成|变成|現在是?|现在是?|目前是?|而是|應為|应为)[\s:：=是為为]*$",
    re.I,
)
_LINK = re.compile(
    r"\b(?:is|are|was|were|be|reads?|reading|equals?|at|of|to|set|now|stands|sits|shows?|measur\w*|runs?|running"
    r"|has|down|up|about|around)\b"
    r"|[=:：≈~→]|->|為|为|是|設|设|約|约|目前|現在|现在|(?<!直)到|成|改|讀|读|有|在|值|達|达|等於|等于",
    re.I,
)
_PAIR = re.compile(
    r"(?P<label>[^\s=:：,，;；|(（][^=:：,，;；|()（）]{0,50}?)"
    r"\s*(?:[：=]|:(?!(?<=\d:)\d\d))\s*(?P<value>[^,，;；|]+)"  # but a time of day is no pair
)
_ORNAMENT = re.compile(r"\*\*|__|`|^[\s>]*(?:[-*•·+–]|\d{1,2}[.)、])\s+|^\s*#{1,6}\s+|~~[^~]*~~")
_CHANNEL = re.compile(
    r"(?:\b(?:channel|ch|zone|loop)\s*[#.]?\s*(?P<a>\d{1,2})\b|第\s*(?P<b>\d{1,2})\s*(?:通道|頻道|频道|區|区)|(?:通道|頻道|频道)\s*(?P<c>\d{1,2}))",
    re.I,
)
_EVIDENCE = re.compile(r"\[L [\d,]+\]\([^()\s]*\)")  # a link to a log line: its number is no value
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ERROR_LINE = re.compile(
    r"^[ \t>]*\[?(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)[.,\d]*\]?[^\n\w]{0,5}(?:\w{1,20}[^\n\w]{1,5})?"
    r"(?P<message>(?:ERROR|FATAL|CRITICAL|ALARM|FAULT)\b[^\n]{1,400})",
    re.M,
)
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_NOT_A_LABEL = re.compile(
    r"^(?:turn|line|step|note|ps|source|file|log|time|date|http\w*|user|assistant|q|a|re|\d+)$", re.I
)
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(?:json)?[ \t]*\n(.*?)^[ \t]*(?:```|~~~)", re.M | re.S | re.I)
_ARTICLE = re.compile(
    r"^(?:(?:the|its|our|a|an|current|new|measured|present|now|no|yes|actually)\b"
    r"|目前的?|現在的?|现在的?|該|该|其)\s*",
    re.I,
)


@dataclass(frozen=True)
class Fact:
    """One value that a message states; `channel` and `unit` are "" where there is none."""

    device: str
    channel: str
    parameter: str
    value: str
    unit: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What the value is of; another value of the same key supersedes it."""
        return self.device, self.channel, self.parameter


def facts_in(text: str, device: str, names: Names = ()) -> list[Fact]:
    """Return the values that `text` states, the last of each key, in order.

    device  whose they are where the text names none
    names   of all devices

    >>> facts_in("| kp | 0.12 |\\nThe fan speed on zspr 053 is 4017 rpm.", "zspr 052", (("zspr 053",),))
    [Fact(device='zspr 052', channel='', parameter='kp', value='0.12', unit=''),
     Fact(device='zspr 053', channel='', parameter='fan speed', value='4017', unit='rpm')]
    """
    found: dict[tuple[str, str, str], Fact] = {}
    for fact in [*_in_json(text, device, names), *_in_lines(prose_lines(text), device, names)]:
        found.pop(fact.key, None)
        found[fact.key] = fact
    return list(found.values())


def _in_json(text: str, device: str, names: Names) -> Iterator[Fact]:
    for block in _FENCED.finditer(text):
        before = text[: block.start()].rstrip().rpartition("\n")[2]
        scope = device_named(before, names) or device
        try:
            told = json.loads(block[1][:JSON_CHARS])
        except (ValueError, RecursionError):
            continue
        yield from _of_object(told, scope, "", names)


def _of_object(told: object, device: str, channel: str, names: Names) -> Iterator[Fact]:
    if isinstance(told, list):
        for item in told[:200]:
            yield from _of_object(item, device, channel, names)
    if not isinstance(told, Mapping):
        return
    for value in told.values():
        if isinstance(value, str) and device_named(value, names):
            device = device_named(value, names)
    for label, value in told.items():
        scope = device_named(str(label), names) or device
        if isinstance(value, Mapping | list):
            yield from _of_object(value, scope, _channel(str(label)) or channel, names)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            if device_named(str(value), names):
                continue
            yield from _pair(str(label).replace("_", " "), str(value), scope, channel, names)


def _in_lines(lines: Sequence[str], device: str, names: Names) -> Iterator[Fact]:
    """Yield the facts of lines; a heading or a line that ends in a colon names the device of those below."""
    header: list[str] = []
    announced = paragraph = device
    for raw in lines:
        line = _MARKDOWN_LINK.sub(r"\1", _EVIDENCE.sub(" ", raw))
        line = _ORNAMENT.sub("", _ORNAMENT.sub("", line)).strip()
        if not line:
            paragraph, header = announced, []
            continue
        if len(line) > LINE_CHARS:
            continue
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if any(re.search(r"\w", cell) for cell in cells):
                yield from _row(cells, header, paragraph, names)
                header = header or cells
            continue
        named = device_named(line, names)
        paragraph = named or paragraph
        if named and (raw.lstrip().startswith("#") or line.endswith((":", "："))):
            announced = named
        yield from _of_line(line, paragraph, names)


def _row(cells: Sequence[str], header: Sequence[str], device: str, names: Names) -> Iterator[Fact]:
    """Yield the facts of a table's row: its first cell names the parameter, the device or the channel."""
    first = cells[0]
    own, channel = device_named(first, names), _channel(first)
    if own or channel:
        for label, value in zip(header[1:], cells[1:], strict=False):
            yield from _pair(label, value, own or device, channel, names)
        return
    pairs = list(zip(header[1:] or [""] * len(cells[1:]), cells[1:], strict=False))
    devices = [(device_named(label, names), value) for label, value in pairs]
    if any(name for name, _ in devices):
        for name, value in devices:
            if name:
                yield from _pair(first, value, name, "", names)
    elif pairs:
        current = [
            value for label, value in pairs if re.search(r"new|now|current|after|新|現|现|目前", label, re.I)
        ]
        yield from _pair(first, (current or [pairs[0][1]])[0], device, "", names)


def _of_line(line: str, device: str, names: Names) -> Iterator[Fact]:
    for sentence in _SENTENCE.split(line):
        if not sentence.strip() or is_asked(sentence):
            continue
        masked = _without_devices(sentence, names)
        scope, channel = device_named(sentence, names) or device, _channel(sentence)
        told = list(_in_sentence(_CHANNEL.sub(" ", masked), scope, channel))
        yield from told
        known = {fact.value for fact in told}
        for pair in _PAIR.finditer(masked):
            if _UNREAL.search(masked[: pair.start()]):
                break
            for fact in _pair(pair["label"], pair["value"], scope, channel, names):
                if fact.value not in known:
                    yield fact


def _pair(label: str, value: str, device: str, channel: str, names: Names) -> Iterator[Fact]:
    """Yield the fact that `label` has `value`, if the label can be a name and the value is one."""
    bare = " ".join(_ORNAMENT.sub("", _CHANNEL.sub(" ", _without_devices(label, names))).split())
    parameter = parameter_named(bare)
    found = _VALUE.search(_ORNAMENT.sub("", value)[:80])
    if not parameter or found is None or _UNREAL.search(label) or _OLD.search(value[: found.start()]):
        return
    if found.start() > 12 or not _fits(parameter, found):
        return
    if not is_known(parameter) and (found.start() > 4 or _goes_on(found)):
        return
    yield Fact(device, channel or _channel(label), parameter, *_value(found))


def _goes_on(found: re.Match[str]) -> bool:
    """Return whether what follows the value is more than a remark: then it begins a sentence."""
    rest = re.sub(r"[（(][^（()）]*[)）]", " ", found.string[found.end() :])
    return len(re.findall(r"[^\W\d_]+", rest)) > REMARK_WORDS or len(_HAN.findall(rest)) > REMARK_WORDS + 3


def parameter_named(label: str) -> str:
    """Return the name under which values of `label` are filed; "" if it is no name of a quantity.

    >>> parameter_named("Proportional gain"), parameter_named("比例增益"), parameter_named("door torque")
    ('kp', 'kp', 'door torque')
    """
    folded = " ".join(re.sub(r"[_\-\s]+", " ", _ARTICLE.sub("", fold(label))).split())
    if folded in _filed():
        return _filed()[folded]
    bare = re.sub(r"\s*\(.*", "", folded)
    if bare in _filed():
        return _filed()[bare]
    words = folded.split()
    if not 0 < len(words) <= LABEL_WORDS or _NOT_A_LABEL.match(folded) or len(folded) > 40:
        return ""
    return folded if re.match(r"[^\W\d_]", folded) and not re.search(r"\d{3,}|//|[.!?。！？]", folded) else ""


@lru_cache
def _filed() -> dict[str, str]:
    return {fold(name): names[0] for names in quantities() for name in names}


@lru_cache
def _known() -> re.Pattern[str]:
    spelled = sorted((fold(name) for names in quantities() for name in names), key=len, reverse=True)
    latin = [re.escape(name).replace(r"\ ", r"[\s_\-]+") for name in spelled if name.isascii()]
    han = [re.escape(name) for name in spelled if not name.isascii()]
    return re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(latin)})(?![a-z0-9])|{'|'.join(han)}")


def _in_sentence(sentence: str, device: str, channel: str) -> Iterator[Fact]:
    """Yield the facts that a sentence states of quantities that have a name: the values after the name."""
    folded = fold(sentence)
    if len(folded) != len(sentence):
        sentence = folded
    mentions = list(_known().finditer(folded))
    for mention, following in zip(mentions, [*mentions[1:], None], strict=False):
        stop = following.start() if following else len(sentence)
        parameter = _filed()[" ".join(re.sub(r"[_\-\s]+", " ", mention.group()).split())]
        found = _stated(sentence, mention.end(), stop, parameter)
        if found is not None:
            yield Fact(device, channel, parameter, *_value(found))


def _stated(sentence: str, start: int, stop: int, parameter: str) -> re.Match[str] | None:
    """Return the value in force among those that follow the name of a quantity, or None."""
    values: list[re.Match[str]] = []
    last = start
    for found in _VALUE.finditer(sentence, start, stop):
        gap = sentence[last : found.start()]
        linked = values or not gap.strip() or _LINK.search(gap) or _OLD.search(gap)
        if len(gap) > GAP_CHARS or not linked or _UNREAL.search(sentence[: found.start()]):
            break
        last = found.end()
        if _fits(parameter, found) and not _OLD.search(gap):
            values.append(found)
    renewed = [found for found in values if _NEW.search(sentence[start : found.start()])]
    chosen = renewed[-1:] or values[:1]
    return chosen[0] if chosen else None


def _fits(parameter: str, found: re.Match[str]) -> bool:
    """Return whether the value can be one of the parameter: dates and times only of what has them."""
    if found["number"] and re.fullmatch(r"0\d+", found["number"]):  # 052 is a name: no quantity is written so
        return bool(re.search(r"serial|code|order|ticket|model|version|number|號|号", parameter))
    if _DATE.match(found.string, found.start()):
        return bool(re.search(r"date|time|window|maintenance|calibration|日|時|时", parameter))
    return True


def _value(found: re.Match[str]) -> tuple[str, str]:
    if found["id"]:
        return found["id"], ""
    return found["number"].replace("−", "-"), (found["unit"] or "").strip()


def value_in(text: str) -> tuple[str, str]:
    """Return (value, unit) of what somebody typed as a value; what has no number is a value as it is.

    >>> value_in(" 4,017 rpm"), value_in("off")
    (('4,017', 'rpm'), ('off', ''))
    """
    told = " ".join(text.split())
    found = _VALUE.fullmatch(told)
    return _value(found) if found else (told, "")


def is_known(parameter: str) -> bool:
    """Return whether the quantity has a name in synonyms.toml."""
    return fold(parameter) in _filed()


def name_of(parameter: str) -> str:
    """Return how a quantity is told: in both languages, where it has a name in both.

    >>> name_of("fan speed"), name_of("door torque")
    ('fan speed (風扇轉速)', 'door torque')
    """
    names = next((names for names in quantities() if names[0] == parameter), ())
    others = [name for name in names if not name.isascii()][:1]
    return f"{parameter} ({others[0]})" if others else parameter


def errors_in(text: str) -> list[tuple[str, str]]:
    """Return (time, message) of the log lines in `text` that report an error, each message once.

    >>> errors_in("[2026-02-19 23:40:53] INFO ok\\n[2026-02-19 23:40:54] ERROR E-4071 valve stuck")
    [('2026-02-19 23:40:54', 'ERROR E-4071 valve stuck')]
    """
    found: dict[str, str] = {}
    for line in _ERROR_LINE.finditer(text):
        found.setdefault(" ".join(line["message"].split())[:ERROR_CHARS], line["time"])
    return [(time, message) for message, time in found.items()]


def _channel(text: str) -> str:
    found = _CHANNEL.search(text)
    return next((part for part in found.groups() if part), "") if found else ""


@lru_cache(maxsize=16)
def _devices(names: Names) -> tuple[re.Pattern[str], dict[str, str]]:
    filed: dict[str, str] = {}
    spellings: list[str] = []
    for known in names:
        for name in known:
            words = re.findall(r"\d+|[^\W\d_]+", fold(name)) if not _ADDRESS.fullmatch(name) else [name]
            filed["".join(words)] = known[0]
            spellings.append(r"[\s_\-#]*".join(map(re.escape, words)))
        number = re.search(r"(?<!\d)0\d+$", known[0])
        if number:
            filed[number.group()] = known[0]
            spellings.append(number.group())
    spellings.sort(key=len, reverse=True)
    every = "|".join([*spellings, _ADDRESS.pattern])
    return re.compile(rf"(?<![a-z0-9.])(?:{every})(?![a-z0-9]|\.\d)", re.I), filed


def device_named(text: str, names: Names) -> str:
    """Return the device that `text` names last, an unknown address as it is; "" if it names none."""
    pattern, filed = _devices(names)
    last = ""
    for found in pattern.finditer(text):
        last = filed.get(re.sub(r"[\s_\-#]+", "", fold(found.group())), found.group())
    return last


def _without_devices(text: str, names: Names) -> str:
    return _devices(names)[0].sub(" ", text)
