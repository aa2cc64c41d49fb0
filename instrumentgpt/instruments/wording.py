"""A finding, or why none is given, as sentences, in English or Traditional Chinese; from faults.toml."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.faults import faults, next_tests, open_rival
from instrumentgpt.instruments.findings import INDEPENDENT, NOT_RULED_OUT, Finding, RuledOut, Withheld
from instrumentgpt.instruments.language import Language, Sentence, phrase, table, with_spans

TOLD = Path(__file__).with_suffix(".toml")
word = partial(phrase, TOLD)
ROWS: Mapping[Language, str] = {"en": " rows", "zh": " 列"}
_SECONDS = {"en": re.compile(r"(?<=[\d?]) s\b"), "zh": re.compile(r"(?<=[\d?]) ?秒")}
AND: Mapping[Language, str] = {"en": " and no ", "zh": "、"}  # the log has no setpoint and no output
THEN: Mapping[Language, str] = {"en": "; ", "zh": "；"}
CONFIDENCE: Mapping[Language, Mapping[str, str]] = {  # of ten of a grade, so many are right: docs/faults.md
    "en": {"certain": "certain", "likely": "likely", "possible": "possible"},
    "zh": {"certain": "確定", "likely": "很可能", "possible": "可能"},
}


def title(fault: str, language: Language) -> str:
    """Return the name of `fault`.

    >>> title("sensor_open", "en")
    'Sensor open'
    """
    return str(_sentences(fault, language)["title"])


def summary(finding: Finding, language: Language) -> str:
    """Return what was found, where and how much, in one clause."""
    changed = word("changed", language, **finding.numbers) if "put_back" in finding.numbers else ""
    return _written(finding, "summary", language) + changed


def cause(finding: Finding, language: Language) -> str:
    """Return what is behind it."""
    return _written(finding, "cause", language)


def action(finding: Finding, language: Language) -> str:
    """Return what to do next: where gains were changed before, to put them back."""
    if "put_back" in finding.numbers:
        return _filled(table(TOLD)["back"][language], _numbers(finding), language)
    return _written(finding, "action", language)


def confidence(finding: Finding, language: Language) -> str:
    """Return how sure it is, in a word."""
    return CONFIDENCE[language][finding.confidence]


def danger(finding: Finding, language: Language) -> str:
    """Return what to switch off at once, and the two signs that say so; "" where it is not critical."""
    sign = next((word(f"signs.{name}", language) for name in finding.signs if name in INDEPENDENT), "")
    if finding.severity != "critical" or not sign:
        return ""
    stop, happening = _written(finding, "stop", language), summary(finding, language)
    return word("second_sign", language, stop=stop, summary=happening, sign=sign)


def signs(finding: Finding, language: Language) -> list[str]:
    """Return what speaks for it beside its check's own limit."""
    return [word(f"signs.{name}", language) for name in finding.signs]


def next_test(finding: Finding, language: Language) -> str:
    """Return what decides between the finding and what looks most like it; "" if nothing is known to."""
    table = next_tests().get(finding.fault, {})
    template = table.get(f"{language}_{finding.numbers.get('kind')}") or table.get(language, "")
    return _filled(template, _numbers(finding), language)


def cannot_tell(finding: Finding, language: Language) -> list[str]:
    """Return what this log leaves open, then what no log tells from the finding, with what does tell."""
    left = [reason(finding, item, language) for item in finding.ruled_out if item.reason in NOT_RULED_OUT]
    test = next_tests().get(finding.fault, {})
    untold = test.get(f"untold_{finding.numbers.get('kind')}", test.get("untold", ()))
    return left + [
        word("cannot_tell", language, what=next_tests()["untold"][key][language]) for key in untold
    ]


def next_step(finding: Finding, language: Language) -> str:
    """Return the one thing to do next: the remedy of what is certain or critical, else first what decides."""
    if finding.confidence == "certain" or finding.severity in ("critical", "info"):
        return action(finding, language)
    remedy = action(finding, language)
    first = "" if "put_back" in finding.numbers else next_test(finding, language)
    return word("then", language, first=first, remedy=remedy) if first else remedy


def ruled_out(finding: Finding, language: Language) -> list[str]:
    """Return a sentence per near alternative but one left open, with the numbers that speak against it."""
    out = [item for item in finding.ruled_out if item.reason not in NOT_RULED_OUT]
    return [reason(finding, item, language) for item in out if item.fault != open_rival(finding)]


def reason(finding: Finding, item: RuledOut, language: Language) -> str:
    """Return what speaks against one alternative, or leaves it open."""
    reasons = _sentences(finding.fault, language)["reasons"]
    return _filled(reasons[item.reason], {**_numbers(finding), **item.numbers}, language)


def consequences(finding: Finding, language: Language) -> list[str]:
    """Return the names of the faults that this finding explains."""
    return [title(fault, language) for fault in finding.consequences]


def _sentences(fault: str, language: Language) -> Mapping[str, Any]:
    sentences: Mapping[str, Any] = faults()[fault][language]
    return sentences


def _written(finding: Finding, part: str, language: Language) -> str:
    """Return the sentence `part`, in the variant that the finding's "kind" or "side" names."""
    sentences = _sentences(finding.fault, language)
    variant = finding.numbers.get("kind") or finding.numbers.get("side")
    template = sentences.get(f"{part}_{variant}") or sentences[part]
    return _filled(str(template), _numbers(finding), language)


def _numbers(finding: Finding) -> dict[str, float | str]:
    channel = "the device" if finding.channel is None else str(finding.channel)
    return {"unit": "", **finding.numbers, "channel": channel}


def _filled(template: str, numbers: Mapping[str, float | str], language: Language) -> str:
    written = Sentence().vformat(template, (), {k: _named(value, language) for k, value in numbers.items()})
    if numbers.get("clock") == "rows":  # the log has no time: what is told in seconds was counted
        return _SECONDS[language].sub(ROWS[language], written.replace("  ", " "))
    return with_spans(written.replace("  ", " "), language)  # two blanks: the log names no unit


def _named(value: float | str, language: Language) -> float | str:
    """Return `value`; words in a list of field names are given in `language`."""
    if not isinstance(value, str):
        return value
    names = table(TOLD)["names"]
    return ", ".join(names[word][language] if word in names else word for word in value.split(", "))


def field(name: str, language: Language) -> str:
    """Return what people call a field of a log: "setpoint", 設定值."""
    return word(f"names.{name}", language)


def withheld_title(withheld: Withheld, language: Language) -> str:
    """Return the name of a verdict that is not given.

    >>> withheld_title(Withheld("healthy", 2), "en")
    'Healthy, channel 2'
    """
    place = "" if withheld.channel is None else word("withheld.place", language, withheld.channel)
    return title(withheld.fault, language) + place


def withheld_reason(withheld: Withheld, language: Language) -> str:
    """Return why a verdict is not given; several reasons are joined.

    >>> withheld_reason(Withheld("saturation", missing=("setpoint", "output")), "en")
    'the log has no setpoint and no output'
    >>> withheld_reason(Withheld("healthy", 1, {"swings": {"swing": 0.5, "period": None}}), "zh")
    '保持時波動 ±0.50'
    """
    names = AND[language].join(field(name, language) for name in withheld.missing)
    reasons = [word("withheld.missing", language, names=names)] if names else []
    if doubt := withheld.doubt:  # told in full by itself
        tell = summary(doubt, language) if doubt.fault == withheld.fault else title(doubt.fault, language)
        reasons.append(word("withheld.perhaps", language, text=tell))
    reasons += [word(f"withheld.{key}", language, **numbers) for key, numbers in withheld.reasons.items()]
    return THEN[language].join(reasons)


def not_healthy(withheld: Iterable[Withheld], language: Language) -> str:
    """Return that no fault was found, and why each channel is not called healthy; "" where none is so."""
    reasons = THEN[language].join(
        word("of_channel", language, channel=why.channel, reason=withheld_reason(why, language))
        for why in withheld
        if why.fault == "healthy"
    )
    return word("not_healthy", language, reasons=reasons) if reasons else ""


def withheld_remedy(withheld: Withheld, language: Language) -> str:
    """Return what helps on the command line, "" if nothing does."""
    return word("no_period", language) if "period" in withheld.missing else ""
