"""Names of quantities: under which one a value is filed, and in which unit its label says it is."""

import re
import unicodedata
from functools import lru_cache

from instrumentgpt.text.facts.values import UNIT
from instrumentgpt.text.measures import same_measure
from instrumentgpt.text.terms import fold, is_common, quantities, stem, terms, units_of

LABEL_WORDS = 5  # a longer label is a sentence
LABEL_CHARS = 40
_NOT_A_LABEL = re.compile(
    r"^(?:turn|line|step|note|notes|ps|source|file|log|time|date|http\w*|user|assistant|q|a|re|\d+)$", re.I
)
_NO_NAME = re.compile(  # words of sentences
    r"^(?:after|before|from|in|on|at|during|since|by|per|as|when|while|because|only|just|about|between"
    r"|until|till|within"
    r"|over|under|every|each|all|both|up|down|it|he|she|we|you|they|there|this|that|these|those|what"
    r"|which|who)\b"
    r"|\b(?:is|are|was|were|be|been|has|have|had|it|you|we|they|will|would|can|could|should|must|did"
    r"|does|do|my|me"
    r"|went|came|got|lost|took|gave|said|says|than|that|which|because|where|when)\b|\b(?:in|on|at|of|to|for|with|by|from|the|a|an)$"
    r"|[它會会把]|之[前後后]|很多|^(?:是|叫|有|給|给|下午|上午|晚上|看起來|看起来|第一|實量|实量)"
    r"|^[改調调換换變变升降設设掉加補补剩](?:為|为|成|到|了|回)?$|[了嗎吗呢吧啊喔哦嘛我你您他她這这那哪誰谁]|[來来]$|因為|因为|所以|如果|但是|不過|不过|直到|大約|大约|左右|超過"
    r"|超过|低於|低于|高於|高于"
    r"|^(?:每|各|共|前|後|后|從|从|在|到|把|將|将|被|跟|和|與|与|比|用|約|约|剩|已|還|还|再|又|就|才|都|也|只|不|沒|没|若|請|请)",
    re.I,
)
_ARTICLE = re.compile(
    r"^(?:(?:the|its|our|your|a|an|that|current|new|measured|present|now|actually|still|also|and|but"
    r"|with|for)\b"
    r"|(?:no|yes|ok|okay|so|then|thanks|done|good|great|right|sorry|well)\b(?=\s*[,，:.!])|(?:no|yes|ok"
    r"|okay)\s"
    r"|目前的?|現在的?|现在的?|該|该|其(?!他)|它的|另外|好的?(?=[,，])|收到|了解|所以|而且|但是?|的)[\s,，:：.!]*",
    re.I,
)
_NOW_COLUMN = re.compile(  # the head of a column of values that says nothing of them
    r"^(?:values?|now|current(?:ly)?|present|today|new|after|數值|数值|值|現值|现值|目前值?|現在|现在|新值?|之後|之后"
    r"|更新後|更新后|調整後|调整后|改後|改后|後|后)(?:\s+(?:value|setting))?$",
    re.I,
)
_PLAIN_COLUMN = re.compile(  # likewise, where it is the only one
    r"^(?:readings?|settings?|set|results?|figures?|numbers?|actual|讀值|读值|讀數|读数|設定|设定|結果|结果)$",
    re.I,
)
_PAST_COLUMN = re.compile(
    r"^(?:old|before|previous(?:ly)?|was|formerly|original|from|last (?:week|month|year)"
    r"|舊值?|旧值?|之前|原本"
    r"|原值|原來|原来"
    r"|先前|更新前|調整前|调整前|改前|前)(?:\s+(?:value|setting))?$",
    re.I,
)
_BRACKETED = re.compile(r"\s*[(\[（［【]([^()\[\]（）［］【】]{1,20})[)\]）］】]\s*$")
_COMMA = re.compile(r"\s*[,，]\s*([^\s,，]{1,12})$")
_SPACED = re.compile(r"\s+(\S{1,8})$")
_LONG_UNIT = re.compile(
    r"[°%℃％/]|^(?:[mkµμ]?[bB]ar|[mkM]?Pa|psi|rpm|RPM|mm|nm|kg|mg|mL|ml|min|ms|kW|mW|mA|mV|kHz|MHz|Hz"
    r"|sccm|ppm)$"
)
_SPELLED_UNITS = (  # as the last part of a key in a configuration: init_denature_s
    "°C=c,degc °F=f,degf K=k s=s,sec,secs,seconds ms=ms µs=us min=min,mins,minutes h=h,hr,hrs,hours d=d,days"
    " Hz=hz kHz=khz V=v mV=mv A=a mA=ma W=w kW=kw N=n kN=kn mm=mm µm=um nm=nm bar=bar mbar=mbar Pa=pa kPa=kpa"
    " MPa=mpa psi=psi rpm=rpm %=pct,percent mL=ml µL=ul L=l g=g mg=mg kg=kg L/min=lpm mL/min=mlmin sccm=sccm"
    " Ω=ohm,ohms ppm=ppm °=deg Torr=torr mTorr=mtorr dB=db"
)
_SEVERAL = (
    "pressure,temperature,voltage,current,speed,level,resistance,vacuum,power,flow rate,humidity,frequency"
)
DISTINCT = frozenset(  # an instrument has several of them: an oil pressure is not the pressure
    [*_SEVERAL.split(","), "noise", "drift", "tolerance", "output"]
)
_PER = re.compile(r"_([a-z]+)_per_([a-z]+)$", re.I)
_KEY_UNITS = {
    spelled: unit
    for unit, _, several in (word.partition("=") for word in _SPELLED_UNITS.split())
    for spelled in several.split(",")
}


def parameter_named(label: str) -> str:
    """Return the name under which values of `label` are filed; "" if it is no name of a quantity.

    >>> parameter_named("Proportional gain"), parameter_named("比例增益"), parameter_named("door torque")
    ('kp', 'kp', 'door torque')
    """
    spelled = _spelled(label)
    folded = fold(spelled)
    filed = filed_names()
    if folded in filed:
        return filed[folded]
    bare = re.sub(r"\s*\(.*", "", folded)
    if bare in filed:
        return filed[bare]
    words = folded.split()
    if not 0 < len(words) <= LABEL_WORDS or _NOT_A_LABEL.match(folded) or len(folded) > LABEL_CHARS:
        return ""
    if (
        _NO_NAME.search(spelled)
        or re.search(r"\d{3,}|//|[.!?。！？]", folded)
        or not re.match(r"[^\W\d_]", folded)
        or (len(folded) > 1 and is_unit(spelled))
        or all(is_common(stem(word)) for word in words)
    ):
        return ""
    return spelled


def _spelled(label: str) -> str:
    """Return the label in lower case and half width, without article, underscores and double spaces."""
    plain = re.sub(r"[_\-\s]+", " ", unicodedata.normalize("NFKC", label).casefold()).strip(" :=*")
    plain = re.sub(r"^[^\w(（\[]+", "", plain)
    previous = ""
    while previous != plain:
        previous, plain = plain, _ARTICLE.sub("", plain)
    return plain.strip()


def label_and_unit(label: str) -> tuple[str, str]:
    """Return the label without the unit that it names in brackets, after a comma, or as its last word.

    >>> label_and_unit("cooling ramp (°C/s)"), label_and_unit("Temp, °C"), label_and_unit("opened (today)")
    (('cooling ramp', '°C/s'), ('Temp', '°C'), ('opened (today)', ''))
    """
    if "_" in label:
        return key_and_unit(label)
    for pattern in (_BRACKETED, _COMMA, _SPACED):
        found = pattern.search(label)
        if found is None or not found.start() or not (unit := found[1].strip()) or not is_unit(unit):
            continue
        if pattern is _BRACKETED or pattern is _COMMA or _LONG_UNIT.search(unit):
            return label[: found.start()].strip(), unit
    return label, ""


def is_unit(text: str) -> bool:
    """Return whether `text` is a unit and nothing else."""
    return bool(text) and UNIT.fullmatch(text) is not None


def key_and_unit(key: str) -> tuple[str, str]:
    """Return the words of a key in a configuration, and the unit that it ends in.

    >>> key_and_unit("init_denature_s"), key_and_unit("max-pressure_mbar"), key_and_unit("kp")
    (('init denature', 's'), ('max pressure', 'mbar'), ('kp', ''))
    """
    rate = _PER.search(key)
    if rate and all(part.casefold() in _KEY_UNITS for part in rate.groups()):
        return key_and_unit(key[: rate.start()])[0], "/".join(
            _KEY_UNITS[part.casefold()] for part in rate.groups()
        )
    words = [word for word in re.split(r"[_\-\s.]+", key) if word]
    if len(words) > 2 and words[-1].casefold() in ("s", "min", "h") and words[-2].casefold() in _KEY_UNITS:
        return " ".join(words[:-2]), f"{_KEY_UNITS[words[-2].casefold()]}/{words[-1].casefold()}"
    if len(words) > 1 and (unit := _KEY_UNITS.get(words[-1].casefold())):
        return " ".join(words[:-1]), unit
    return " ".join(words), ""


def column_named(head: str, alone: bool = False) -> str | None:
    """Return what the head of a column adds to the label of a row; None for a column of former values.

    alone  no other column has values

    >>> column_named("Value"), column_named("old"), column_named("actual"), column_named("actual", alone=True)
    ('', None, 'actual', '')
    """
    told = " ".join(head.split()).strip("*:： ")
    if _PAST_COLUMN.match(told):
        return None
    return "" if _NOW_COLUMN.match(told) or (alone and _PLAIN_COLUMN.match(told)) else told


@lru_cache
def filed_names() -> dict[str, str]:
    """Return each name of synonyms.toml, folded → the name that its values are filed under."""
    return {fold(name): names[0] for names in quantities() for name in names}


def is_known(parameter: str) -> bool:
    """Return whether the quantity has a name in synonyms.toml."""
    return fold(parameter) in filed_names()


def is_distinct(parameter: str) -> bool:
    """Return whether a name says which of several quantities of one kind it is: "degasser vacuum"."""
    words = parameter.split()
    return len(words) > 1 and not is_known(parameter) and filed_names().get(fold(words[-1])) in DISTINCT


def is_measured_in(parameter: str, unit: str) -> bool:
    """Return whether the quantity can have the unit: a pressure is not told in seconds."""
    kinds = units_of(parameter)
    return (
        not unit
        or not kinds
        or any(kind in unit if kind == "/" else same_measure(unit, kind) for kind in kinds)
    )


@lru_cache(maxsize=4096)
def spellings_of(parameter: str) -> tuple[frozenset[str], ...]:
    """Return the terms of each name of a quantity."""
    names = next((names for names in quantities() if names[0] == parameter), (parameter,))
    return tuple(words_of(name) for name in names)


@lru_cache(maxsize=4096)
def words_of(parameter: str) -> frozenset[str]:
    """Return the terms of a label, in whatever order and form they are said."""
    return frozenset(terms(parameter))


@lru_cache(maxsize=1024)  # a value of each channel has the same
def name_of(parameter: str) -> str:
    """Return how a quantity is told: in both languages, where it has a name in both.

    >>> name_of("fan speed"), name_of("door torque")
    ('fan speed (風扇轉速)', 'door torque')
    """
    names = next((names for names in quantities() if names[0] == parameter), ())
    others = [name for name in names if not name.isascii()][:1]
    return f"{parameter} ({others[0]})" if others else parameter
