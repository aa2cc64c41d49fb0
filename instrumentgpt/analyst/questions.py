"""What a message asks: one of eleven kinds, by the weights of questions.toml and likeness to examples.tsv."""

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from math import inf, log
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.devices import Device, Inventory, resolve
from instrumentgpt.instruments.fleet import device_ending
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.mentions import PARTS, name_key
from instrumentgpt.instruments.pasted import LOG_LINES, split_pasted
from instrumentgpt.instruments.since import counted, parts_of, places_in, since
from instrumentgpt.memory.likeness import LOG_NAME
from instrumentgpt.memory.likeness import likeness as likeness_to
from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.terms import in_simplified

TABLE = Path(__file__).with_name("questions.toml")
WEIGHTS = Path(__file__).with_name("weights.tsv")  # learnt from examples.tsv
TERMS = Path(__file__).with_name("terms.toml")
NAMING = ("quantities", "readings", "places")  # tables of columns.toml whose words questions have
KINDS: dict[str, dict[Language, str]] = {  # kind → its name, as a button has it: "name: question"
    "diagnosis": {"en": "Diagnosis", "zh": "診斷"},
    "figures": {"en": "Figures", "zh": "數值"},
    "plot": {"en": "Chart", "zh": "圖表"},
    "compare": {"en": "Comparison", "zh": "比較"},
    "gains": {"en": "Gains", "zh": "增益"},
    "events": {"en": "Log lines", "zh": "記錄行"},
    "remembered": {"en": "On record", "zh": "已知事項"},
    "survey": {"en": "All devices", "zh": "所有設備"},
    "handover": {"en": "Hand-over", "zh": "交接"},
    "term": {"en": "Meaning of words", "zh": "名詞解釋"},
    "help": {"en": "Help", "zh": "說明"},
}
CHOSEN = float("inf")  # score of a kind that was clicked
DOUBT = 4  # points: kinds so near the best are offered
MOST_OFFERED = 2  # other kinds
ALONE = 5  # weight from which a sentence asks something by itself
LIKENESS = 3.0  # weight of a unit of log odds, of which a kind has 2.4 at most (0143)
FEW = 2  # words: no more than a slot, "and Feb 18?", which says nothing of the kind
SHORT = 24  # characters: a question no longer than this may only go on about the one before
NEAR = 0.83  # likeness (difflib) from which a name that nobody has is offered as another one
GAINS = {
    "kp": r"(?<![a-z])k ?p(?![a-z])|proportional|比例增益",
    "ki": r"(?<![a-z])k ?i(?![a-z])|\bintegral (?:gain|term|action)|积分(?:增益|项)",
    "kd": r"(?<![a-z])k ?d(?![a-z])|\bderivative|微分",
}
_NUMBER = r"(\d+(?:\.\d+)?)"
_CHANNEL_WORD = r"(?:\b(?:chann?e?ls?|chans?|ch|zones?|loops?|sensors?|id)|通道|频道|回路)"
CHANNELS = re.compile(
    _CHANNEL_WORD + r"\s*[=#.]?\s*((?:\d{1,2}|[一二三四])"
    r"(?:\s*(?:,|、|&|/|and|or|跟|和|与|to|-|到)\s*(?:ch(?:annel)?\s*|通道)?\d{1,2}(?![\d.:%]))*)(?![\d.:])"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:channel|loop|zone|sensor)\b"
    r"|(?:第\s*(\d{1,2}|[一二三四五六七八九])\s*[号个]?|(?<![\d.])(\d{1,2})\s*号?)\s*(?:通道|回路|频道|区)(?!\s*\d)"
    r"|(?<=\bon )(\d)(?![\d/:.]|\s*(?:°|c\b|degree|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)
_CLOCK = re.compile(
    r"(?<![\d:.])((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?![\d:])\s*(am|pm)?"
    r"|\b(1[0-2]|[1-9]) ?(am|pm|o'clock(?: in the (?:afternoon|evening))?)\b"
    r"|(早上|上午|凌晨|中午|下午|晚上|傍晚)?(?<!\d)(\d{1,2}|[一二两三四五六七八九十]{1,2})[点时](?!间)(?:(\d{1,2}|半)分?|(多))?"
    r"|(\bnoon\b|(?<=[日号天])中午)"
)  # fmt: skip
_ONE = r"\+?(\d{1,5}(?:\.\d+)?)"
_SPAN = _ONE + r" ?(h|hours?|mins?|minutes?|s|secs?|seconds?|小时|分钟?|秒)(?![a-z])"
_ABOUT = "(?:(?:the|about|around|roughly) )*"
_ELAPSED = re.compile(  # since the first line: at minute 205, between 200 and 215 min, 第205分钟, 205分钟前后
    rf"\b(?:between|from|at|around|near) {_ABOUT}{_ONE} ?(?:h|min\w*|s)? ?(?:and|to|-) ?{_SPAN}"
    rf"|\b(?:at|around|near|before|after|past|from|since|until) {_ABOUT}"
    rf"(?:(hour|min|sec)\w* {_ONE}|{_SPAN})"
    r"|\b(min)(?:ute)?s? (\d{1,5}) ?(?:to|and|-|through) (\d{1,5})(?!\d)"
    rf"|{_ONE} ?(?:小时|分钟?|秒)? ?[到至] ?{_SPAN}|(?:^|(?<=[\s,:在从])){_SPAN}(?=[之以][后前])"
    rf"|第 ?{_SPAN}|(?<![点时\d]){_SPAN}(?=前后|左右|附近|的时候|那|这|时|处)"
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_HAN_MONTHS = ("", *"一二三四五六七八九十", "十一", "十二")
_DAY = r"(?P<d>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_UP_TO = r" ?(?:to|and|or|through|until|till|-|–|~|&|,) ?(?:the )?"
_RANGES = (  # whose days have one month, or year, between them: from 13 to 30 may, may 13-30, 5月13日到30日
    rf"(?<![\d.:/-]){_DAY}(?=(?:{_UP_TO}\d{{1,2}}(?:st|nd|rd|th)?){{1,4}} (?:of )?(?P<m>{_MONTH})\b"
    r"(?:,? (?P<y>20\d\d))?)",
    rf"\b(?P<m>{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?{_UP_TO}{_DAY}\b(?P<y>)"
    rf"(?![.:]\d| ?(?:°|c\b|[ap]m\b|%|{_MONTH}))",
    r"(?:(?P<y>20\d\d)年)?(?<!\d)(?P<m>1[0-2]|0?[1-9])月\d{1,2}[日号]?[到至和跟与、~-](?P<d>3[01]|[12]\d|0?[1-9])[日号]",
)
_WHOLE_MONTH = (
    r"\b(?:in|during|of|throughout|(?:all|whole|entire)(?: of)?) (?:early |late |mid-?)?"
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?! \d{1,2}\b)(?: (?P<y>20\d\d))?"
    r"|(?:(?P<year>20\d\d)年)?(?<!\d)(?P<han>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?!\d|[初底末])"
)
_DAYS = (
    r"(?<![\d.\-/])(?:(?P<y>20\d\d)[-/.年])?(?P<m>0?[1-9]|1[0-2])[-/](?P<d>0?[1-9]|[12]\d|3[01])(?![\d\-/])",
    r"(?:(?P<y>20\d\d)[/.年])?(?<!\d)(?P<m>1[0-2]|0?[1-9])月(?P<d>3[01]|[12]\d|0?[1-9])[日号]?",
    rf"(?<![\d.:]){_DAY} (?:of )?(?P<m>{_MONTH})\b(?:,? (?P<y>20\d\d))?",
    rf"\b(?P<m>{_MONTH}) {_DAY}\b(?:,? (?P<y>20\d\d))?",
    r"(?:\bthe |\()(?P<d>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)\b(?P<m>)(?P<y>)(?! (?:channel|zone|loop|one))",
    r"(?<![月\d])(?P<d>[12]\d|3[01]|0?[1-9])[日号](?P<m>)(?P<y>)(?!通道|回路|机)",
)  # fmt: skip
WEEKDAY = re.compile(  # beside a time of day; "since Monday" is a beginning
    r"(?<!since )(?<!from )\b(mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|(?:周|星期|礼拜)([一二三四五六日天])(?!号)"  # 这个礼拜一号机
)
_WEEK = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun", *"一二三四五六日")
_NOT_THAT = re.compile(  # "not nov 2", 不是 11/2
    rf"(?:不是|而非|并非|\bnot|\binstead of|\brather than)\s*(?:(?:with|on|of|the|跟|和) ?)*"
    rf"(?:{_MONTH} ?\d|\d{{1,4}} ?[-/.月日])[\d/.月日-]*"
)
_LINES = (
    r"(?:\blines?|\bl|第)\s*#?\s*(\d[\d,]*)"
    r"(?:\s*(?:-|–|\bto\b|\bthrough\b|~|到|至)\s*(?:l ?)?(\d[\d,]*))?\s*(行)?"
)
_PURPOSE = (
    r"\b(?:for|in|into) (?:the|a|an|my|our|your|their) (?:\w+ ){0,2}reports?\b|报告(?:用|里|要[写填用])"
)
_QUOTED = r"[\"“「『]([^\"”」』\n]{2,80})[\"”」』]"
_DAY_OF_LIST = re.compile(
    r"(?<![\d.:月/-])(\d{1,2})(?=\s?[、,和跟与到至]\s?(?:\d{1,2}\s?[、,和跟与到至]\s?)*\d{1,2}[日号])"
)
_BLANK_BY_HAN = re.compile(r"(?<=\d) (?=[年月日号点时分秒度区个行])|(?<=[年月第]) (?=\d)")  # 23 日 is 23日
ASKED = ("quantity", "extreme", "previous")
TIMED = ("clocks", "moments", "relative", "timed")  # the slots of a time
LONGEST_QUESTION = 120  # letters: what is longer tells a story
SENTENCE_END = re.compile(r"(?<=[?？!！。;；])\s*|(?<=\.)\s+|\n+")
_READING = re.compile(
    r"(?<![\w.:/-])-?(?!0\d)\d+(?:\.\d+)?(?![\w.:]*[\d:]|/\d|\s*(?:[ap]m\b|%|min|sec|s\b|h\b|hour|[分点时秒日月]))",
    re.ASCII,
)


@dataclass(frozen=True)
class Question:
    """What is asked, and the slots that the words fill; `words` is the text in the spelling of the table."""

    kind: str  # one of KINDS
    text: str
    words: str = ""
    score: float = 0.0
    channels: tuple[int, ...] = ()  # named; () for all
    all_channels: bool = False  # "all four", 「四個通道一起」
    quantity: str = ""
    extreme: str = ""  # "least", "most", "range" (both), "mean" or "when"
    gain: str = ""  # "kp", "ki" or "kd"
    direction: str = ""  # "up" or "down"
    factor: float | None = None  # the change asked for, as a ratio to the present gain
    target: float | None = None  # … or as the new value
    lines: tuple[int, int] | None = None
    clocks: tuple[str, ...] = ()  # times of day: "14:20", "14:20:05"
    moments: tuple[str, ...] = ()  # each of them with its day, if one is said: "14:20", "-23 14:20"
    days: tuple[str, ...] = ()  # "2026-02-18", "02-18" or "-18"
    months: tuple[str, ...] = ()  # named without a day: "2026-02-" or "-02-"
    relative: str = ""  # a name of [times]: "last night"
    before: str = ""  # the question before it in the same message, whose columns it may go on about
    timed: str = ""  # the words that its time of day or day is told from: of this question or the one before
    log: str = ""
    previous: bool = False  # the log before the known one, or before the newest
    search: str = ""  # words in quotation marks
    pasted: tuple[str, ...] = ()
    order: bool = False  # asks for an act, which is never carried out
    again: bool = False  # goes on about the question before: "and channel 2?"
    yes_no: bool = False  # a yes or a no is asked for
    others: tuple[str, ...] = ()  # kinds that may have been meant instead, likeliest first

    @property
    def is_story(self) -> bool:
        """Return whether so much is told that not each of its words and numbers asks something."""
        return len(re.sub(r"[\u4e00-\u9fff]", "xx", self.text)) > 2 * SHORT

    @property
    def channel(self) -> int | None:
        """The one channel that is named, None for all or several."""
        return self.channels[0] if len(self.channels) == 1 else None

    @property
    def is_timed(self) -> bool:
        """Whether it names a time of its own."""
        named = self.days or self.months or self.clocks or self.relative or parts_of(self.text)
        return bool(named or aspect("by_event", self.words) or since(self.text, date.max))

    @property
    def day(self) -> str:
        """The one day that is named, "" for none or several."""
        return self.days[0] if len(self.days) == 1 else ""


@cache
def table() -> dict[str, Any]:
    """Return questions.toml with its words made patterns: kind → [(weight, pattern or @name)]."""
    read = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    kinds = {
        kind: [
            (float(weight), fragment if re.fullmatch(r"@\w+", fragment) else _pattern(fragment))
            for weight, fragments in rows.items()
            for fragment in fragments
        ]
        for kind, rows in read["kinds"].items()
    }
    named: dict[str, Any] = {
        row: {name: pattern_of(words) for name, words in read[row].items()}
        for row in ("quantities", "units", "languages", "roles", "asked", "workings")
    }
    worded = {
        part: {name: {**row, "pattern": pattern_of(row["words"])} for name, row in read[part].items()}
        for part in ("times", "parts_of_day", "suspects", "topics")
    }
    aspects = {name: re.compile(pattern, re.ASCII) for name, pattern in read["aspects"].items()}
    named["suspecting"] = pattern_of(read["suspecting"])
    return {"least": read["least"], "kinds": kinds, "aspects": aspects, **named, **worded}


def aspect(name: str, words: str) -> re.Match[str] | None:
    """Return where `words` (spelled) have the aspect `name` of questions.toml, None if they have not."""
    pattern: re.Pattern[str] = table()["aspects"][name]
    return pattern.search(words)


def asking(words: str) -> list[str]:
    """Return the sentences of `words` (spelled) that ask something."""
    return [part for part in SENTENCE_END.split(words) if aspect("asks", part)]


@cache
def terms() -> dict[str, dict[str, Any]]:
    """Return the glossary: name of a word → `also` (its other names), `en`, `zh`."""
    read: dict[str, dict[str, Any]] = tomllib.loads(TERMS.read_text(encoding="utf-8"))
    return read


def pattern_of(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of any of `words`, fragments as questions.toml has them."""
    return re.compile("|".join(f"(?:{_pattern(word).pattern})" for word in words))


@cache
def term_names() -> str:
    """Return a pattern of all words of the glossary."""
    names = [name for key, row in terms().items() for name in (key, *row["also"])]
    return "|".join(
        re.escape(name).replace("\\ ", " ") for name in sorted(map(spelled, names), key=len, reverse=True)
    )


def _pattern(fragment: str) -> re.Pattern[str]:
    fragment = spelled(fragment)
    text = fragment.replace("@part", PARTS).replace("@term", term_names()).replace("@gain", "k[pid]")
    text = text.replace("@clock", r"\d{1,2}:\d\d")
    text = re.sub(r"(?<=[a-z])\*", r"[a-z]*", text.replace(" .. ", r"[^.?!;。\n]{0,30}?(?<![a-z0-9])"))
    text = re.sub(r"(?<!\?) (?!\?)", r"\\s+", text)
    if not fragment.isascii():
        return re.compile(text)
    return re.compile(rf"(?<![a-z0-9])(?:{text})(?![a-z0-9])")


@cache
def spelled(text: str) -> str:
    """Return `text` in the one spelling of the table.

    >>> spelled("為什麼 KP ５？")
    '为什么 kp 5?'
    """
    return in_simplified(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))


def written(word: str, text: str) -> str:
    """Return `word`, which stands in `text` as it is spelled for the table, as it is written there.

    >>> written("转速", "轉速多少？"), written("oil", "the Oil?")
    ('轉速', 'Oil')
    """
    words = spelled(text)
    place = words.find(word) if len(words) == len(text) else -1
    return text[place : place + len(word)] if place >= 0 else word


def read_question(text: str, in_view: bool = False, devices: int = 0, *before: str) -> Question:
    """Return what `text` asks.

    in_view  whether a device or a log is in view already
    devices  how many devices the text names
    before   the questions before, newest first, each of which may go on about the next, or this one may
             repeat the first with the name of a kind before it

    >>> read_question("那 kp 可以調高嗎？").kind, read_question("10.1.1.47 為什麼溫度波動？", devices=1).kind
    ('gains', 'diagnosis')
    >>> last = read_question("the maximum?", True, 0, "and channel 4?", "lowest output of channel 2?")
    >>> last.kind, last.channels, last.quantity, last.extreme
    ('figures', (4,), 'output', 'most')
    """
    pasted, rest = split_pasted(text)
    chosen, body = named_kind(rest)
    chosen = chosen if [body.strip()] == [*before[:1]] else ""  # a button; typed, it is words among others
    rest = body if chosen else rest
    words = _DAY_OF_LIST.sub(r"\1日", _BLANK_BY_HAN.sub("", spelled(rest)))  # 24、25日
    question = _slots(Question("", rest, words, pasted=pasted))
    named = _names(question, in_view, devices)
    plain = re.sub(f"{LOG_NAME}|{_PURPOSE}", " ", words)  # what asks for nothing
    weights = {kind: _score(rows, plain, named) for kind, rows in table()["kinds"].items()}
    like = likeness(without_times(words))  # a time is of no kind
    fallback = "diagnosis" if in_view or devices > 0 or pasted else "survey"
    said = max(_score(rows, plain, frozenset()) for rows in table()["kinds"].values())
    nothing = max(weights.values()) < table()["least"] or not said
    if not said and question.quantity and fallback == "diagnosis" and not suspected(words, is_asked=False):
        fallback = "figures"
    floor = 0.0 if nothing else -inf  # that no example is like it speaks against no kind
    scores = {
        kind: weights[kind]
        + LIKENESS * max(floor, like[kind])
        + (table()["least"] if nothing and kind == fallback else 0)
        for kind in KINDS
    }
    best = max(scores, key=lambda kind: scores[kind])
    slot = question.extreme or question.channels or question.relative
    if not (devices or question.channels or question.all_channels):
        question = replace(question, channels=next(filter(None, map(channels_in, before)), ()))
    if chosen:
        return replace(question, kind=chosen, score=CHOSEN)
    if before and (question.again or (slot and not devices and not any(like.values()))):
        clicked, repeated = named_kind(before[0])
        previous = read_question(before[0], in_view, devices, *([repeated] if clicked else before[1:]))
        is_of_log = question.again and question.previous and len(words) <= 2 * SHORT  # and in the one before
        if weights[best] < ALONE or best == previous.kind or is_of_log:
            return _going_on(question, previous)
    if len(pasted) >= LOG_LINES and weights[best] < ALONE:
        best = "diagnosis"
    elif best == "gains" and len(suspected(words)) > (0 if aspect("blames", words) else 1):
        best = "diagnosis"  # "is it kp or the relay?"
    is_statement = (aspect("done", words) or aspect("not_the_cause", words)) and not aspect("asks", words)
    ranked = [] if is_statement or pasted else sorted(set(KINDS) - {best}, key=lambda kind: -scores[kind])
    others = tuple(kind for kind in ranked[:MOST_OFFERED] if scores[kind] > scores[best] - DOUBT)
    return replace(question, kind=best, score=weights[best], others=others)


def named_kind(text: str) -> tuple[str, str]:
    """Return the kind that `text` begins with, "" for none, and the question.

    >>> named_kind("Chart: how was channel 2?"), named_kind("圖表：通道 2"), named_kind("note: all fine")
    (('plot', 'how was channel 2?'), ('plot', '通道 2'), ('', 'note: all fine'))
    """
    first, *rest = re.split(r"[:：]\s*", text, maxsplit=1)
    name = first.strip().casefold()
    kinds = (kind for kind, names in KINDS.items() if name in map(str.casefold, names.values()))
    kind = next(kinds, "") if rest and rest[0] else ""
    return (kind, rest[0]) if kind else ("", text)


def _score(rows: Sequence[tuple[float, Any]], words: str, named: frozenset[str]) -> float:
    return sum(
        weight
        for weight, fragment in rows
        if (fragment in named if isinstance(fragment, str) else fragment.search(words))
    )


def likeness(words: str) -> dict[str, float]:
    """Return kind → how much likelier than by chance `words` (spelled) are of it, in log odds; 0 of FEW.

    >>> max(likeness("who left the door open?").items(), key=lambda item: item[1])[0]
    'events'
    """
    if len(re.findall(r"[a-z']+|[\u4e00-\u9fff]{1,2}", CHANNELS.sub(" ", words))) <= FEW:
        return dict.fromkeys(KINDS, 0.0)
    return {kind: log(len(KINDS) * share) for kind, share in likeness_to(words, WEIGHTS).items()}


def _names(question: Question, in_view: bool, devices: int) -> frozenset[str]:
    """Return the @names that hold of a question."""
    changed = question.gain and (question.target is not None or question.factor is not None)
    held = {
        "@device": devices > 0, "@devices": devices > 1, "@channel": bool(question.channels),
        "@channels": len(question.channels) > 1 or question.all_channels, "@clock": bool(question.clocks),
        "@day": bool(question.days), "@lines": question.lines is not None, "@log": bool(question.log),
        "@gain": bool(question.gain), "@target": bool(changed), "@quantity": bool(question.quantity),
        "@term": bool(re.search(term_names(), question.words)), "@pasted": bool(question.pasted),
        "@view": in_view, "@short": len(question.words) <= SHORT,
        **{f"@{name}": aspect(name, question.words) for name in ("plant", "of_log")},
    }  # fmt: skip
    return frozenset(name for name, holds in held.items() if holds)


def _going_on(question: Question, before: Question) -> Question:
    """Return the question before with the slots that this one fills anew."""
    slots: dict[str, Any] = {
        name: value
        for name in ("channels", "gain", "days", "months", "log", "target", "factor", *ASKED)
        if (value := getattr(question, name)) not in ((), "", None, False)
    }
    is_now = aspect("now", question.words)
    slots |= {"days": (), "months": ()} if is_now else {}
    if is_now or question.is_timed:
        slots |= {name: getattr(question, name) for name in TIMED}
    slots |= {"yes_no": question.yes_no or (before.yes_no and not aspect("open_form", question.words))}
    if question.gain not in ("", before.gain):  # the number was meant for the other gain
        before = replace(before, target=None)
    words = f"{before.words} {question.words}"
    return replace(before, text=question.text, words=words, again=True, **slots)


def _slots(question: Question) -> Question:
    words, patterns = question.words, table()
    lines = _lines_in(words)
    log = re.search(LOG_NAME, words)
    quoted = re.search(_QUOTED, question.text)
    act = aspect("order", words) or ""
    is_put_otherwise = unit_asked(words) or (language_asked(words) and not aspect("paragraph", words))
    is_of_form = len(words) <= SHORT and is_put_otherwise
    extremes = {name: patterns["asked"][name] for name in ("least", "most", "mean")}
    asked = {name for name, pattern in extremes.items() if pattern.search(words)}
    when = "when" if patterns["asked"]["when"].search(words) else ""
    gain = next((name for name, pattern in GAINS.items() if re.search(pattern, words)), "")
    return replace(
        question,
        channels=channels_in(words),
        all_channels=bool(aspect("all_channels", words)),
        quantity=_first(patterns["quantities"], re.split("how much|多少", words)[-1])  # 維持溫度要多少功率
        or _first(patterns["quantities"], words),
        extreme="range" if len(asked) > 1 else _first(extremes, words) or when,
        gain=gain,
        direction="up" if aspect("up", words) else "down" if aspect("down", words) else "",
        factor=_factor_in(words),
        target=_target_in(words) if gain else None,
        lines=lines,
        clocks=clocks_in(words),
        moments=_moments(words),
        days=() if lines or log else days_in(words),
        months=() if lines or log else months_in(words),
        relative=next((name for name, row in patterns["times"].items() if row["pattern"].search(words)), ""),
        timed=question.text,
        log=log_name[0] if (log_name := re.search(LOG_NAME, question.text, re.I)) else "",
        previous=not log and bool(aspect("previous", words)),
        search=quoted[1] if quoted else "",
        yes_no=asks_yes_no(words),
        order=bool(act) and not aspect("no_order", words) and not constraints_in(act[0]),
        again=bool((len(words) <= 2 * SHORT and aspect("again", words)) or is_of_form),
    )


def asks_yes_no(words: str) -> bool:
    """Return whether `words` (spelled) ask for a yes or a no.

    >>> [asks_yes_no(text) for text in ("ok so is it fine?", "check, was it ever hot", "what is it?")]
    [True, True, False]
    >>> [asks_yes_no(text) for text in ("有没有超过38", "平均多少?", "is it kp or ki?", "一切正常吗")]
    [True, False, False, True]
    """
    asked = aspect("yes_no", words)
    if not asked or aspect("alternatives", words):
        return False
    return not aspect("open_form", words[: asked.end()] if words.isascii() else words)


def unit_asked(text: str) -> str:
    """Return the unit that temperatures are asked in, "" for none.

    >>> unit_asked("how far off is zone 2, in °F?"), unit_asked("用攝氏說"), unit_asked("set it to 45 °C")
    ('°F', '°C', '')
    """
    return _first(table()["units"], spelled(text))


def language_asked(text: str) -> Language | None:
    """Return the language that the answer is asked for in, None where none is named.

    >>> language_asked("two sentences in Chinese for the night shift"), language_asked("log 是英文的")
    ('zh', None)
    """
    languages: dict[str, Language] = {"en": "en", "zh": "zh"}
    return languages.get(_first(table()["languages"], spelled(text)))


def _first(patterns: Mapping[str, re.Pattern[str]], words: str) -> str:
    """Return the name whose words stand first in `words`, "" if none does."""
    places = {name: match.start() for name, pattern in patterns.items() if (match := pattern.search(words))}
    return min(places, key=lambda name: places[name], default="")


def channels_in(words: str) -> tuple[int, ...]:
    """Return the numbers of the channels that are named, in order.

    >>> channels_in("ch1 跟 ch3"), channels_in("第二通道"), channels_in("channel 2 at 14:20")
    ((1, 3), (2,), (2,))
    """
    channels: list[int] = []
    for match in CHANNELS.finditer(spelled(words)):
        digits = next(group for group in match.groups() if group)
        numbers = [counted(digit) for digit in re.findall(r"\d+|[一二三四五六七八九]", digits)]
        spread = len(numbers) == 2 and re.search(r"\d\s*(?:to|-|到)\s*\d", digits)
        channels += range(numbers[0], numbers[1] + 1) if spread else numbers
    return tuple(dict.fromkeys(channels))


def clocks_in(words: str) -> tuple[str, ...]:
    """Return the times of day that are named, as 24 hours, and those counted since a log's first line.

    >>> clocks_in("from 08:50 to 9:05"), clocks_in("昨天下午三点"), clocks_in("3 am"), clocks_in("14点20分")
    (('08:50', '09:05'), ('15:00',), ('03:00',), ('14:20',))
    >>> clocks_in("说详细一点"), clocks_in("下午一点"), clocks_in("早上十点多"), clocks_in("21日中午")
    ((), ('13:00',), ('10:00', '10:59'), ('12:00',))
    >>> clocks_in("between 200 and 215 min"), clocks_in("around minute 205"), clocks_in("205分钟前后")
    (('+200 min', '+215 min'), ('+205 min',), ('+205 min',))
    """
    return tuple(dict.fromkeys(clock for _, clock in _clock_places(words)))


def _clock_places(words: str) -> list[tuple[int, str]]:
    """Return where times of day begin, and the times as `clocks_in` tells them."""
    clocks = list[tuple[int, str]]()
    for match in _ELAPSED.finditer(words):
        texts = [text for text in match.groups() if text]
        unit = next(text for text in texts if not text[0].isdigit())[0]
        name = {"h": "h", "小": "h", "s": "s", "秒": "s"}.get(unit, "min")
        clocks += [(match.start(), f"+{number} {name}") for number in texts if number[0].isdigit()]
    for match in _CLOCK.finditer(words):
        written, half, hour, hour_half, part, han, minute, past, noon = match.groups()
        if han == "一" and not (part or minute):  # 一點: a little
            continue
        if written or noon:
            first, _, rest = (written or "12:00").partition(":")
        else:
            first, rest = str(counted(hour or han)), "30" if minute == "半" else f"{int(minute or 0):02d}"
            is_late = part in ("下午", "晚上", "傍晚") or re.search("noon|evening", hour_half or "")
            half = "pm" if is_late else hour_half
        number = int(first) % 12 + 12 if half == "pm" and int(first) <= 12 else int(first) % 24
        number = 0 if half == "am" and number == 12 else number
        clocks += [(match.start(), f"{number:02d}:{rest}")] + [(match.end(), f"{number:02d}:59")] * bool(past)
    return clocks


def _moments(words: str) -> tuple[str, ...]:
    """Return the times of day that are named, each with its day, if there is one; "@1": a Tuesday.

    >>> _moments("at 14:00 on the 23rd and 5 o'clock (25th)"), _moments("25日5点和23日14:00")
    (('-23 14:00', '-25 05:00'), ('-25 05:00', '-23 14:00'))
    >>> _moments("from 10:00 to 11:00")
    ('10:00', '11:00')
    >>> _moments("they tightened it on tuesday around 10:30"), _moments("周日早上5点")
    (('@1 10:30',), ('@6 05:00',))
    """
    days, clocks, moments = _day_places(words), _clock_places(words), dict[str, None]()
    weekdays = ((match.start(), match[1] or match[2]) for match in WEEKDAY.finditer(words))
    days = days or {place: f"@{_WEEK.index(name.replace('天', '日')) % 7}" for place, name in weekdays}
    places = sorted(days)
    leads = bool(days and clocks) and places[0] < min(place for place, _ in clocks)  # "on the 23rd at 14:00"
    for place, clock in clocks:
        before, after = ([at for at in places if (at < place) is is_before] for is_before in (True, False))
        at = [*before[-1:], *after[:1]] if leads else [*after[:1], *before[-1:]]
        day = days[at[0]] if at and clock[0] != "+" else ""
        moments[f"{day} {clock}".strip()] = None
    return tuple(moments)


def days_in(words: str) -> tuple[str, ...]:
    """Return the days that are named, as far as they are said: year-month-day, month-day, "-day".

    >>> days_in("the log of feb 18"), days_in("2026/02/18"), days_in("between the 16th and the 20th")
    (('02-18',), ('2026-02-18',), ('-16', '-20'))
    >>> days_in("i meant nov 9, not nov 2"), days_in("是跟 11/9 比，不是 11/2")
    (('11-09',), ('11-09',))
    >>> days_in("every day from 13 to 30 may?"), days_in("jan 5 - 15"), days_in("5月13日到30日")
    (('05-13', '05-30'), ('01-05', '01-15'), ('05-13', '05-30'))
    """
    days = _day_places(words)
    return tuple(dict.fromkeys(days[place] for place in sorted(days)))


def months_in(words: str) -> tuple[str, ...]:
    """Return the months that are named without a day, as they stand in a date.

    >>> months_in("when did it go down in february?"), months_in("2014年二月"), months_in("on may 3")
    (('-02-',), ('2014-02-',), ())
    """
    found = dict[str, None]()
    for match in re.finditer(_WHOLE_MONTH, _days_told(words)[1]):
        name = match["m"] or match["han"]
        latin = name[:3] in _MONTHS and _MONTHS.index(name[:3]) + 1
        number = latin or (int(name) if name.isdecimal() else _HAN_MONTHS.index(name))
        found[f"{match['y'] or match['year'] or ''}-{number:02d}-"] = None
    return tuple(found)


def weekdays_in(words: str) -> set[int]:
    """Return the days of the week that are named, Monday as 0.

    >>> weekdays_in("on tuesday night"), weekdays_in("周日早上")
    ({1}, {6})
    """
    names = ((match[1] or match[2]).replace("天", "日") for match in WEEKDAY.finditer(words))
    return {_WEEK.index(name) % 7 for name in names}


def counted_days(words: str) -> list[int]:
    """Return the numbers of the days of a log that are counted.

    >>> counted_days("第二天"), counted_days("days 2 and 4")
    ([2], [2, 4])
    """
    return [*places_in(words, "days?|天")]


def without_times(words: str) -> str:
    """Return `words` without its times of day, days and lengths of time, which are no readings.

    >>> without_times("mean between 10:00 and 11:00 on 2026-03-04?").split()
    ['mean', 'between', 'and', 'on', '?']
    """
    for pattern in (
        *_DAYS,
        _CLOCK.pattern,
        _ELAPSED.pattern,
        _SPAN,
        r"(?<![\w.])\d{1,5} ?个?(?:钟头|天|days?)",
    ):
        words = re.sub(pattern, " ", words)
    return words


def numbers_in(words: str) -> set[float]:
    """Return the numbers of `words` that may be setpoints: no times, days, shares, or parts of names.

    >>> sorted(numbers_in("052: rms at 77 k in zone2, 85 度?")), numbers_in("at 14:20 on 11/16, 3 days, 9 %")
    ([77.0, 85.0], set())
    """
    return {float(match[0]) for match in _READING.finditer(without_times(words))}


def means(number: float, value: float) -> bool:
    """Return whether `value` is what a person who writes `number` may mean, by the digits that are written.

    >>> means(121, 121.5), means(5, 5.4), means(80.5, 80.6), means(80.5, 80.5)
    (True, False, False, True)
    """
    digit = 10.0 ** -len(f"{number:g}".partition(".")[2])
    return number == value or (abs(number) >= 10 * digit and 2 * abs(number - value) <= digit)


def limits_in(words: str) -> dict[str, float]:
    """Return the limits that `words` (spelled) name, by their sides.

    >>> limits_in("how long below 36?"), limits_in("38度以上几次"), limits_in("above 5 min")
    ({'below': 36.0}, {'above': 38.0}, {})
    """
    number = r"\s*±?\s*(-?\d+(?:\.\d+)?)(?![\d.]|\s*(?:min|s\b|sec|h\b|hour|分|秒|小时))"
    behind = {"above": "以上|or (?:more|above|higher)", "below": "以下|or (?:less|below|lower)"}
    found = dict[str, float]()
    for name, end in behind.items():
        before = rf"(?:{table()['aspects'][name].pattern}){number}"
        if match := re.search(before, words) or re.search(
            rf"{number}[ °]*[a-z%度℃]{{0,3}} ?(?:{end})", words
        ):
            found[name] = float(match[1])
    return found


def limits_asked(words: str) -> dict[str, float]:
    """Return the limits that `words`, a question and no story, ask of how often or long pv was past them.

    >>> limits_asked("how long below 36?"), limits_asked("kp above 3?"), limits_asked("how long above 90 %?")
    ({'below': 36.0}, {}, {})
    """
    is_pv = not re.search(r"\d\s*%", words) or re.search(r"humid|\brh\b|湿度", words)
    is_asked = is_pv and len(words) <= LONGEST_QUESTION and aspect("how_often", words)
    return limits_in(words) if is_asked else {}


def _day_places(words: str) -> dict[int, str]:
    """Return where days begin → the days as `days_in` tells them."""
    return _days_told(words)[0]


def _days_told(words: str) -> tuple[dict[int, str], str]:
    """Return where days begin → the days, and `words` without them."""
    days, rest = dict[int, str](), _NOT_THAT.sub(lambda match: " " * len(match[0]), words)
    for pattern in (*_RANGES, *_DAYS):
        gone = list[tuple[int, int]]()
        for match in re.finditer(pattern, rest):
            month, year = match["m"] or "", match["y"] or ""
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1 if month else 0
            day = f"{year + '-' if year else ''}{f'{number:02d}' if number else ''}-{int(match['d']):02d}"
            days[match.start("d") if pattern in _RANGES else match.start()] = day
            gone.append(match.span("d" if pattern in _RANGES else 0))
        for start, stop in gone:
            rest = rest[:start] + "\0" * (stop - start) + rest[stop:]
    return days, rest


def dated(moments: Sequence[str], today: date) -> tuple[str, ...]:
    """Return `moments` with the latest day of that name for each weekday.

    >>> dated(("@1 10:30", "-23 14:00"), date(2026, 11, 26))
    ('2026-11-24 10:30', '-23 14:00')
    """

    def day_of(match: re.Match[str]) -> str:
        return str(today - timedelta(days=(today.weekday() - int(match[1])) % 7))

    return tuple(re.sub(r"^@(\d)", day_of, moment) for moment in moments)


def _factor_in(words: str) -> float | None:
    if re.search(r"\bdoubl|加倍", words):
        return 2.0
    if re.search(r"\bhalve|\bhalf\b|减半|一半", words):
        return 0.5
    if match := re.search(_NUMBER + r"\s*(?:%|percent|趴)", words):
        return 1 + (-1 if aspect("down", words) else 1) * float(match[1]) / 100
    match = re.search(_NUMBER + r"\s*(?:x\b|×|times|倍)", words)
    return float(match[1]) if match else None


def _target_in(words: str) -> float | None:
    match = re.search(
        r"(?:\b(?:to|at|be)|[=到成为回至])\s*" + _NUMBER + r"(?![\d.:])(?!\s*(?:%|percent|x\b|×|times|倍))",
        words,
    )
    return float(match[1]) if match else None


def _lines_in(words: str) -> tuple[int, int] | None:
    match = re.search(_LINES, words)
    if not match or ("第" in match.group() and not match.group(3)):
        return None
    numbers = [int(number.replace(",", "")) for number in match.group(1, 2) if number]
    return min(numbers), max(numbers)


def relative_words(question: Question) -> str:
    """Return the words by which a time before today is named: "last night"; "" where none is."""
    row = table()["times"].get(question.relative)
    match = row["pattern"].search(spelled(question.timed)) if row else None
    return question.timed[match.start() : match.end()] if match else ""


def part_of_day(text: str) -> tuple[int, int, str]:
    """Return the first and the last hour of the part of a day that `text` names, and its words; (0, 24, "").

    >>> part_of_day("max in the afternoon of the 22nd"), part_of_day("24 日白天"), part_of_day("the 22nd")
    ((12, 18, 'afternoon'), (6, 18, '白天'), (0, 24, ''))
    """
    words = spelled(text)
    for row in table()["parts_of_day"].values():
        if match := row["pattern"].search(words):
            return row["from"], row["to"], text[match.start() : match.end()]
    return 0, 24, ""


def span_of(relative: str, today: datetime) -> tuple[datetime, datetime]:
    """Return the first and the last moment of a time relative to `today`: "last night"."""
    row = table()["times"][relative]
    start = today.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=row["back"])
    return start + timedelta(hours=row["from"]), start + timedelta(hours=row["to"])


def devices_in(text: str, inventory: Inventory) -> tuple[Device, ...]:
    """Return the devices that `text` names; where none is, one by the end of its address or its number.

    A number is taken for a device only where it stands as people name them: ".85", "on 112", "51 ch3".
    """
    if (named := resolve(text, inventory)).devices or named.unknown:
        return named.devices
    words, devices = spelled(text), dict[Device, None]()
    for match in re.finditer(
        r"(?<![\w./%-])(?<!\d:)(\.|0)?(\d{2,3})(?=$|[^\w.:/%°-]|[\u4e00-\u9fff])(?!\s*(?:%|度|°|秒|分|s\b|c\b|deg|k\b|行|min|hour|点|percent))",
        words,
    ):
        before, after = words[: match.start()].rstrip()[-8:], words[match.end() :]  # a word, and what it ends
        placed = re.search(r"(?:\b(?:on|of|for|about|open|plot|with)|[的看跟和与开查])$", before)
        led = placed or re.search(r"(?:^|\b(?:the|is|at|and|vs)|[,，:])$", before)
        followed = re.match(r"\s*(?:ch|channel|zone|那台|这台|的|号机|has\b|is\b|pls|please|$)", after)
        if not (match[1] or placed or (led and followed) or re.match(r"那台|这台", after)):
            continue
        devices |= dict.fromkeys(device_ending(inventory, match[2], match[1] == "."))
    return tuple(devices)


def near_misses(unknown: str, inventory: Inventory) -> list[str]:
    """Return the names or addresses of devices that are most like `unknown`, best first."""
    names = {" ".join(name_key(name)): name for device in inventory.devices for name in device.own_names}
    close = difflib.get_close_matches(" ".join(name_key(unknown)), list(names), n=2, cutoff=NEAR)
    return list(dict.fromkeys(names[name] for name in close))


def topics_of(words: str) -> list[str]:
    """Return the words that logs use for what `words` (spelled) are about."""
    rows = table()["topics"].values()
    return " ".join(row["lines"] for row in rows if row["pattern"].search(words)).split()


def suspected(words: str, is_asked: bool = True) -> dict[str, tuple[str, ...]]:
    """Return part or cause → the fault classes it would be, of those that `words` (spelled) ask about.

    is_asked  whether to name them is not enough: it must be a question about them

    >>> list(suspected("is it the sensor or heater loss?"))
    ['sensor', 'heater_degradation']
    """
    if is_asked and not table()["suspecting"].search(words):
        return {}
    places = {
        name: (match.start(), tuple(row["faults"]))
        for name, row in table()["suspects"].items()
        if (match := row["pattern"].search(words))
    }
    named = {name for name, (_, faults) in places.items() if name in faults}
    return {
        name: faults
        for name, (_, faults) in sorted(places.items(), key=lambda item: item[1][0])
        if name in faults or not named & set(faults)
    }
