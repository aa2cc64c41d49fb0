"""The figures of the channels: gains, setpoints, band, overshoot, duty."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import Subject, choose_log
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import joined, moment, phrase, sentences
from instrumentgpt.instruments.language import with_spans

TOPICS = {  # part → the words that ask for it; a question that asks for none gets them all
    "now": r"\btemp|\bhow (?:hot|warm)|\bnow\b|\bcurrent|[溫温]度|[幾几]度|目前|現在|现在",
    "setpoint": r"\bset ?point|設定[值點]|设定[值点]",
    "gains": r"\bgains?\b|\bk[pid]\b|\bpid\b|增益|[參参][數数]",
    "band": r"\bband\b|\bstable\b|\bsteady|\bamplitude|\berror\b|\bripple|振幅|[穩稳]定|[誤误]差|波[動动]",
    "in_band": r"\bband\b|\bstable\b|[穩稳]定",
    "overshoot": r"\bovershoot|[過过][衝冲]|超[調调]",
    "settling": r"\bsettl|[穩稳安]定[時时]",
    "rise": r"\brise|上升",
    "duty": r"\bduty|\boutput|\bpower|[輸输]出|功率",
    "period": r"\bperiod|\bfrequency|[週周]期|[頻频]率",
}
NO_DERIVATIVE = 0.01  # kd below this share of kp (s) does nothing that can be seen


def metrics(case: Case) -> Iterator[str]:
    """Say the figures asked for, of one channel or of all."""
    about = choose_log(case, newest=bool(case.task.devices))
    channel = case.question.channel
    found = case.tool("channel_metrics", log=about.log, device=about.device, channel=channel)
    channels = found["channels"]
    numbers = {
        "label": about.label,
        "clock": moment(found["end"]),
        "count": len(channels),
        "channel": channel,
    }
    yield phrase("metrics_one" if channel is not None else "metrics_title", case.language, **numbers) + "\n\n"
    rows = [(one, row(case, about, one, found["unit"])) for one in channels]
    yield from (f"- {told}\n" for _, told in rows if told)
    if silent := [one for one, told in rows if not told]:
        which = joined((one["channel"] for one in silent), case.language)
        samples = max(one["samples"] for one in silent)
        yield "- " + phrase("metric_absent", case.language, channels=which, samples=samples) + "\n"


def row(case: Case, about: Subject, one: Result, unit: str) -> str:
    """Return the sentence on one channel with the parts asked for, "" if the log tells none of them."""
    words = case.question.text.casefold()
    wanted = [part for part, asked in TOPICS.items() if re.search(asked, words, re.ASCII)] or list(TOPICS)
    fields = {**one, **one["last"], "unit": unit, "line": about.link(one["last"]["line"])}
    held = {**fields, "setpoint": one["setpoint"]}
    parts = [_part(case, part, held if part == "setpoint" else fields) for part in wanted]
    told = phrase("list_separator", case.language).join(part for part in parts if part)
    return phrase("metric_row", case.language, channel=one["channel"], parts=told) if told else ""


def _part(case: Case, part: str, fields: Result) -> str:
    """Return one part of the sentence, "" if the log cannot tell it."""
    sentence = sentences()[f"metric_{part}"][case.language]
    names = [name for name in re.findall(r"{(\w+)", sentence) if name not in ("form", "unit", "line")]
    if any(fields.get(name) is None for name in names):
        return ""
    form = phrase("pi_dominant", case.language) if part == "gains" and is_pi(fields) else ""
    told = phrase(f"metric_{part}", case.language, **{**fields, "form": form})
    return with_spans(re.sub(" {2,}", " ", told).strip(), case.language)  # many blanks: the log names no unit


def is_pi(one: Result) -> bool:
    """Return whether the channel's controller has no derivative to speak of."""
    return one["kp"] is not None and one["kd"] is not None and abs(one["kd"]) < NO_DERIVATIVE * abs(one["kp"])
