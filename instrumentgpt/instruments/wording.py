"""A finding as sentences, in English or Traditional Chinese; the sentences are in faults.toml."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.faults import faults, next_tests, open_rival
from instrumentgpt.instruments.findings import INDEPENDENT, NOT_RULED_OUT, Evidence, Finding, RuledOut
from instrumentgpt.instruments.language import Language, Sentence, phrase, table, with_spans

TOLD = Path(__file__).with_suffix(".toml")
word = partial(phrase, TOLD)
ROWS: Mapping[Language, str] = {"en": " rows", "zh": " 列"}
_SECONDS = {"en": re.compile(r"(?<=[\d?]) s\b"), "zh": re.compile(r"(?<=[\d?]) ?秒")}
UNKNOWN = "?"  # stands for a number the log does not give
_CHOICE = re.compile(r"\[\[(.*?)\|(.*?)\]\]")
WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {"line": "line", "pv": "pv", "setpoint": "setpoint", "output": "output", "device": "the device"},
    "zh": {"line": "第", "pv": "實際值", "setpoint": "設定值", "output": "輸出", "device": "整機"},
}
NAMES: Mapping[Language, Mapping[str, str]] = {  # values of numbers that are words
    "en": {},
    "zh": {"none": "無", "setpoint": "設定值", "output": "輸出", "period": "取樣週期", "samples": "樣本"},
}

CONFIDENCE: Mapping[Language, Mapping[str, str]] = {  # of ten of a grade, so many are right: docs/faults.md
    "en": {"certain": "certain", "likely": "likely", "possible": "possible"},
    "zh": {"certain": "確定", "likely": "很可能", "possible": "可能"},
}


class _Numbers(Sentence):
    """Formats numbers: nan, as None, becomes `UNKNOWN`, 0.00 has no sign, words stay words.

    Of "[[kp {kp:g}|they]]" the second is told where a number of the first is unknown.

    >>> [_Numbers().format("[[kp {kp:g}|they]] swing", kp=kp) for kp in (2.0, None)]
    ['kp 2 swing', 'they swing']
    """

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        def chosen(choice: re.Match[str]) -> str:
            told = super(_Numbers, self).vformat(choice[1], args, kwargs)
            return choice[2] if UNKNOWN in told else choice[1]

        return super().vformat(_CHOICE.sub(chosen, format_string), args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, str) and not format_spec.startswith("?"):
            return value
        is_unknown = isinstance(value, float) and not math.isfinite(value)
        written = str(super().format_field(None if is_unknown else value, format_spec))
        return written.lstrip("+") if not written.strip("+0.") else written


def title(fault: str, language: Language) -> str:
    """Return the name of `fault`.

    >>> title("sensor_open", "en")
    'Sensor open'
    """
    return str(_sentences(fault, language)["title"])


def definition(fault: str, language: Language) -> str:
    """Return what `fault` means, with its limits."""
    return str(_sentences(fault, language)["definition"])


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


def evidence(finding: Finding, language: Language) -> list[str]:
    """Return a sentence per quoted log line, such as "line 1234: setpoint 60, pv 61.9, output 0 %"."""
    return [_quoted(item, language) for item in finding.evidence]


def consequences(finding: Finding, language: Language) -> list[str]:
    """Return the names of the faults that this finding explains."""
    return [title(fault, language) for fault in finding.consequences]


def _quoted(item: Evidence, language: Language) -> str:
    words = WORDS[language]
    values = [
        f"{words[name]} {value:g}{' %' if name == 'output' else ''}" for name, value in item.values.items()
    ]
    place = f"{words['line']} {item.line}" + (" 行" if language == "zh" else "")
    separator, colon = ("，", "：") if language == "zh" else (", ", ": ")
    return place + (colon + separator.join(values) if values else "")


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
    channel = WORDS["en"]["device"] if finding.channel is None else str(finding.channel)
    return {"unit": "", **finding.numbers, "channel": channel}


def _filled(template: str, numbers: Mapping[str, float | str], language: Language) -> str:
    written = _Numbers().vformat(template, (), {k: _named(value, language) for k, value in numbers.items()})
    if numbers.get("clock") == "rows":  # the log has no time: what is told in seconds was counted
        return _SECONDS[language].sub(ROWS[language], written.replace("  ", " "))
    return with_spans(written.replace("  ", " "), language)  # two blanks: the log names no unit


def _named(value: float | str, language: Language) -> float | str:
    """Return `value`; words in a list of field names are given in `language`."""
    if not isinstance(value, str) or not NAMES[language]:
        return value
    names = NAMES[language]
    return ", ".join(names.get(word, word) for word in value.split(", "))
