"""The words that stand on charts, in both languages."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts.frame import shown, worth_showing
from instrumentgpt.instruments.charts.style import escaped
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import MOST_SHOWN, unexplained
from instrumentgpt.instruments.loops import Floats, loops_of

WORDS: dict[str, dict[Language, str]] = {
    "setpoint": {"en": "setpoint", "zh": "設定值"},
    "pv": {"en": "pv", "zh": "實際值"},
    "output": {"en": "output", "zh": "輸出"},
    "error": {"en": "pv − setpoint", "zh": "實際值 − 設定值"},
    "channel": {"en": "channel {0}", "zh": "通道 {0}"},
    "time": {"en": "time ({0})", "zh": "時間（{0}）"},
    "row": {"en": "sample", "zh": "樣本"},
    "line": {"en": "line {0}", "zh": "第 {0} 行"},
    "share": {"en": "share of samples (%)", "zh": "樣本比例（%）"},
    "band": {"en": "±{0} {1}", "zh": "±{0} {1}"},
    "alt": {
        "en": "Chart of {name}, {start} to {end}.",
        "zh": "{name} 的圖表，{start} 至 {end}。",
    },
    "alt channel": {
        "en": "Channel {channel}: setpoint {setpoint}, pv {pv}, output {output}.",
        "zh": "通道 {channel}：設定值 {setpoint}，實際值 {pv}，輸出 {output}。",
    },
    "alt finding": {
        "en": "Shaded: {fault}, {where}, {start} to {end}.",
        "zh": "標示區段：{fault}，{where}，{start} 至 {end}。",
    },
    "excursion": {"en": "out of its own band, unexplained", "zh": "離開自身範圍，原因不明"},
    "alt excursion": {
        "en": "Shaded: out of its own band, channel {channel}, {start} to {end}, {size} {unit}.",
        "zh": "標示區段：離開自身範圍，通道 {channel}，{start} 至 {end}，{size} {unit}。",
    },
    "alt none": {"en": "No fault is marked.", "zh": "沒有標示任何異常。"},
    "device": {"en": "whole device", "zh": "整台設備"},
    "range": {"en": "{0} to {1} {2}", "zh": "{0} 至 {1} {2}"},
    "unknown": {"en": "not in the log", "zh": "記錄中沒有"},
}


def word(key: str, language: Language, *values: object, **named: object) -> str:
    """Return the words of `key` with its values put in.

    >>> word("channel", "zh", 2)
    '通道 2'
    """
    return WORDS[key][language].format(*values, **named)


def channel_name(log: Log, channel: int, language: Language) -> str:
    """Return what people call a channel, safe to stand on a chart: the log's own name, or its number."""
    named = log.channel_names.get(channel)
    return escaped(named) if named else word("channel", language, channel)


def fault_name(finding: Finding, language: Language) -> str:
    """Return what people call the finding's fault."""
    known = finding.fault in faults()
    return wording.title(finding.fault, language) if known else finding.fault.replace("_", " ")


def text_alternative(
    log: Log,
    findings: Sequence[Finding] = (),
    language: Language = "en",
    channels: Sequence[int] | None = None,
    excursions: Sequence[Excursion] = (),
) -> str:
    """Return in words what `loop_chart` shows of `log`: its span, the channels' ranges, the faults."""
    chosen = list(channels) if channels is not None else worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    last = max((float(loop.time[-1]) for loop in loops), default=0.0)
    said = [word("alt", language, name=log.name, start=log.clock(0.0), end=log.clock(last))]
    for loop in loops:
        said.append(
            word(
                "alt channel",
                language,
                channel=log.channel_names.get(loop.channel, loop.channel),
                setpoint=_range(loop.setpoint, log.unit, language),
                pv=_range(loop.pv, log.unit, language),
                output=_range(loop.output, "%", language),
            )
        )
    faults = shown(findings, [loop.channel for loop in loops])
    for finding in faults:
        where = (
            word("device", language)
            if finding.channel is None
            else word("channel", language, finding.channel)
        )
        start, end = log.clock(finding.onset), log.clock(finding.end)
        name = fault_name(finding, language)
        said.append(word("alt finding", language, fault=name, where=where, start=start, end=end))
    own = unexplained(one for one in excursions if one.channel in chosen)
    for one in own[:MOST_SHOWN]:
        when = {"start": log.clock(one.onset), "end": log.clock(one.end)}
        size = {"size": f"{one.size:+.3g}", "unit": log.unit}
        said.append(word("alt excursion", language, channel=one.channel, **when, **size))
    if not faults and not own:
        said.append(word("alt none", language))
    return " ".join(said) if language == "en" else "".join(said)


def _range(values: Floats, unit: str, language: Language) -> str:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return word("unknown", language)
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return f"{low:.2f} {unit}"
    return word("range", language, f"{low:.2f}", f"{high:.2f}", unit)
