"""The words that stand on charts, in both languages."""

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts.style import escaped
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log

WORDS: dict[str, dict[Language, str]] = {
    "setpoint": {"en": "setpoint", "zh": "設定值"},
    "pv": {"en": "pv", "zh": "實際值"},
    "output": {"en": "output", "zh": "輸出"},
    "error": {"en": "pv − setpoint", "zh": "實際值 − 設定值"},
    "channel": {"en": "channel {0}", "zh": "通道 {0}"},
    "channels": {"en": "channels {0}", "zh": "通道 {0}"},
    "time": {"en": "time ({0})", "zh": "時間（{0}）"},
    "row": {"en": "sample", "zh": "樣本"},
    "line": {"en": "line {0}", "zh": "第 {0} 行"},
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
    is_known = finding.fault in faults()
    return wording.title(finding.fault, language) if is_known else finding.fault.replace("_", " ")


def where(finding: Finding, language: Language) -> str:
    """Return whom a finding concerns."""
    if finding.channels:
        return word("channels", language, ", ".join(map(str, finding.channels)))
    return word("device", language) if finding.channel is None else word("channel", language, finding.channel)
