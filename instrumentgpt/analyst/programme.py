"""The figures of the loops themselves: gains, setpoints held, ways between them, cycles, faults."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

from instrumentgpt.analyst.case import Case, Result, Subject, diagnosed, unit_of
from instrumentgpt.analyst.columns import called
from instrumentgpt.analyst.questions import aspect, means, numbers_in, table, without_times
from instrumentgpt.analyst.words import moment, sentences
from instrumentgpt.instruments.language import span_text, with_spans

PARTS = {  # quantity that is asked for → the parts of the sentence that tell it; none: all of them
    "temperature": ("now", "band"), "output": ("duty",), "setpoint": ("setpoint",), "noise": ("noise",),
    "error": ("band", "in_band"), "spread": ("band", "in_band"), "in_band": ("in_band", "band"),
    "period": ("period", "band"), "overshoot": ("overshoot", "settling"),
    "settling": ("settling", "overshoot"),
    "rise": ("rise", "settling"), "saturated": ("duty",), "gains": ("gains",),
}  # fmt: skip
ALL = ("now", "gains", "band", "in_band", "overshoot", "settling", "rise", "duty", "period", "noise")
NO_DERIVATIVE = 0.01  # kd below this share of kp (s) does nothing that can be seen
HOLD_LEADS = {"output": "duty", "spread": "std", "noise": "std"}  # what is told first
MOST_HOLDS = 4  # of one setpoint, told one by one
OF_A_WAY = ("rise", "settling", "overshoot")
NO_HOLD = (*OF_A_WAY, "period", "recovery", "gains", "saturated")  # of a way, or of all of the log


def metrics_of(case: Case, about: Subject, **given: bool) -> tuple[Result, list[Result]]:
    """Return the figures of a log's loops, and the rows of those that are asked about."""
    metrics = case.tool("channel_metrics", **about.named, channel=case.question.channel, **given)
    asked = called(case, metrics).question.channels
    return metrics, [row for row in metrics["channels"] if not asked or row["channel"] in asked]


def _gain_changes(case: Case, about: Subject, rows: Sequence[Result]) -> Iterator[str]:
    """Say from when on the log states other gains of channels."""
    from instrumentgpt.analyst.report import changed_gains  # a report has figures in it

    for row in rows:
        changes = (changed_gains(case, about, row["channel"], change) for change in row["gain_changes"])
        yield from (f"  - {change}\n" for change in changes)


def held_setpoints(case: Case, about: Subject, each: bool = False) -> Iterator[str]:
    """Say how the channels asked about held the setpoints that are named, or each; nothing where none did."""
    question, words = case.question, case.question.words
    each, numbers = each or bool(aspect("each_hold", words)), numbers_in(words) - {*question.channels}
    if question.gain or question.quantity in NO_HOLD or not (each or numbers):
        return
    of_error = table()["asked"]["deviation"].search(words)
    led = "mean_error" if of_error else HOLD_LEADS.get(question.quantity, "mean")
    metrics, rows = metrics_of(case, about, each_hold=True)
    for row in rows:
        named = [hold for hold in row["holds"] if any(means(number, hold["setpoint"]) for number in numbers)]
        told = {"unit": unit_of(metrics, row["channel"]), "channel": row["channel"]}
        for hold in named or row["holds"] * (each and not numbers):
            yield case.item("hold_row", **{**hold, **told, "span": span_text(hold["seconds"], case.language)})
            times = [one for one in hold["times"] if any(day in one["clock"] for day in question.days)]
            times = times or hold["times"]
            for one in times[:MOST_HOLDS]:
                ends = {"since": moment(one["clock"]), "until": moment(one["end_clock"], one["clock"])}
                names = sorted(("mean", "least", "std", "mean_error", "duty"), key=lambda name: name != led)
                said = (name for name in names if one[name] is not None)
                parts = case.listed(case.say(f"hold_{name}", **one, **told) for name in said)
                yield "  " + case.item("hold_time", parts=parts, line=about.link(one["line"]), **ends)
            if more := len(times[MOST_HOLDS:]):
                yield f"  - {case.say('excursions_more', count=more)}\n"


def ways(case: Case, about: Subject, rows: Sequence[Result], metrics: Result) -> Iterator[str]:
    """Say how channels went from setpoint to setpoint: of the one way that is named, or of all."""
    words = without_times(case.question.words)
    named = [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", words, re.ASCII)]
    for row in rows:
        moves, unit = row["moves"], unit_of(metrics, row["channel"])
        meant = [move for move in moves if (move["from"], move["to"]) in pairwise(named)]
        for move in meant or [move for move in moves if move["to"] in named] or moves:
            fields = about.at(move) | {"unit": unit, "channel": row["channel"]}
            fields |= {"start": move["from"], "stop": move["to"]}
            fields["parts"] = case.say("list_separator").join(_way(case, about, move, unit))
            yield case.item("move_row", **fields)


def _way(case: Case, about: Subject, move: Result, unit: str) -> Iterator[str]:
    """Yield the parts of the sentence on one way, as far as the log tells them."""
    names = ("seconds", "settled")
    spans = {name: span_text(move[name] or 0.0, case.language, exact=True) for name in names}
    is_there, stays = (move[name] is not None for name in names)
    yield case.say("move_took" if is_there else "move_short", span=spans["seconds"])
    if move["rise"] is not None:
        yield case.say("move_rise", span=span_text(move["rise"], case.language, exact=True))
    if is_there and (move["beyond"]["size"] > 0 or case.question.extreme):
        yield case.say("move_beyond", **about.at(move["beyond"], move["clock"]), unit=unit)
    if stays:
        yield case.say("move_settled", span=spans["settled"])
    for name in ("rate", "asked"):
        if move[name]:
            yield case.say(f"move_{name}", rate=move[name], unit=unit)


def cycles(case: Case, about: Subject) -> Iterator[str]:
    """Say how many cycles a programme had, how long one took, what it reached, and if they were alike."""
    metrics, rows = metrics_of(case, about)
    for row in rows if aspect("cycle", case.question.words) else ():
        if told := row["cycles"]:
            names = ("seconds", "seconds_min", "seconds_max")
            spans = {name: span_text(told[name] or 0.0, case.language, exact=True) for name in names}
            fields = {"unit": unit_of(metrics, row["channel"]), "channel": row["channel"]}
            key = "cycles_odd" if told["odd"] else "cycles_alike"
            alike = case.say(key, numbers=case.listed(told["odd"]))
            yield case.item("cycles_row", alike=alike, **{**told, **spans}, **fields)


def channel_row(case: Case, about: Subject, channel: Result, unit: str) -> str:
    """Return the sentence on one channel with the parts asked for, "" if the log tells none of them."""
    quantity = "gains" if case.question.gain else case.question.quantity
    part_names = PARTS.get(quantity, ALL) if case.question.kind in ("figures", "gains") else ALL
    fields = {**channel, "longest": channel["setpoint"], **channel["last"], "unit": unit}
    fields["line"] = about.link(channel["last"]["line"])
    parts = (_part(case, part, fields) for part in part_names)
    text = case.say("list_separator").join(filter(None, parts))
    return case.say("metric_row", channel=channel["channel"], parts=text) if text else ""


def _part(case: Case, part: str, fields: Result) -> str:
    """Return one part of the sentence, "" if the log cannot tell it."""
    if part == "settling" and fields["settling_time"] is None and fields["overshoot"] is not None:
        part = "unsettled"
    sentence = sentences()[f"metric_{part}"][case.language]
    names = [name for name in re.findall(r"{(\w+)", sentence) if name not in ("form", "unit", "line")]
    if any(fields.get(name) is None for name in names):
        return ""
    form = case.say("pi_dominant") if part == "gains" and is_pi(fields) else ""
    text = case.say(f"metric_{part}", **{**fields, "form": form})
    return with_spans(re.sub(" {2,}", " ", text).strip(), case.language)  # many blanks: the log names no unit


def is_pi(channel: Result) -> bool:
    """Return whether the channel's controller has no derivative to speak of."""
    kp, kd = channel["kp"], channel["kd"]
    return kp is not None and kd is not None and abs(kd) < NO_DERIVATIVE * abs(kp)


def channel_figures(case: Case, about: Subject) -> Iterator[str]:
    """Say the quantity that is asked for of each channel, and which of them the log does not tell."""
    question, (metrics, rows) = case.question, metrics_of(case, about)
    few = {"rise": 0, "settling": 0, "period": 1}.get(question.quantity, inf)  # of a way, which tells nothing
    moving = [row for row in rows if any(move["count"] > few for move in row["moves"])]
    said = [(row, channel_row(case, about, row, unit_of(metrics, row["channel"]))) for row in rows]
    numbers = {"count": len(rows), "clock": moment(metrics["end"])}
    numbers["channel"] = case.listed(row["channel"] for row in rows)
    lead = _lead(case, rows) if question.quantity in ("overshoot", "settling") else ""
    yield lead + case.say("metrics_title", label=about.label, **numbers) + "\n\n"
    yield from (f"- {sentence}\n" for _, sentence in said if sentence)
    yield from _gain_changes(case, about, rows) if question.gain or question.quantity == "gains" else ()
    yield from ways(case, about, moving, metrics)
    silent = [row for row, sentence in said if not sentence and row not in moving]
    if len(silent) < len(said):  # what has no setpoint is no loop, of which nobody asked
        silent = [row for row in silent if row["setpoint"] is not None]
    if silent:
        lacks = case.listed(case.say(f"value_{name}") for name in metrics["missing"])
        fields = {"samples": max(row["samples"] for row in silent), "lacks": lacks}
        fields["channels"] = case.listed(row["channel"] for row in silent)
        lacking = case.item("metric_lacking" if lacks else "metric_absent", **fields)
        yield from (question.quantity == "rise" and [*_courses(case, about)]) or [lacking]


def _courses(case: Case, about: Subject) -> Iterator[str]:
    """Yield what the channels without a setpoint did."""
    from instrumentgpt.analyst import report  # which has figures in it

    yield from report.happened(case, about, diagnosed(case, about), *report.COURSE)


def _lead(case: Case, channels: Sequence[Result]) -> str:
    """Return whether a channel overshot, by more than its band or than is named, or settled."""
    stepped = [row for row in channels if None not in (row["overshoot"], row["band"])]
    limit = next(iter(numbers_in(case.question.words) - {*case.question.channels}), None)
    so = [
        row["settling_time"] is not None
        if case.question.quantity == "settling"
        else row["overshoot"] > (row["band"] if limit is None else limit)
        for row in stepped
    ]
    return case.lead(any(so) if so else None)
