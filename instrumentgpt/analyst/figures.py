"""The figures of the channels: least, most, mean, gains, setpoints, band, overshoot, duty, and when."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise

from instrumentgpt.analyst.case import Case, NothingToRead, Result, Subject, age, choose_log, unit_of
from instrumentgpt.analyst.questions import (
    aspect,
    channels_called,
    part_of_day,
    relative_words,
    span_of,
    spelled,
    table,
    without_days,
)
from instrumentgpt.analyst.words import moment, plain_text, sentences
from instrumentgpt.instruments.analysis.own_units import CELSIUS
from instrumentgpt.instruments.language import span_text, with_spans
from instrumentgpt.instruments.since import since, stretch

PARTS = {  # quantity that is asked for → the parts of the sentence that tell it; none: all of them
    "temperature": ("now", "band"), "output": ("duty",), "setpoint": ("setpoint",), "noise": ("noise",),
    "error": ("band", "in_band"), "spread": ("band", "in_band"), "in_band": ("in_band", "band"),
    "period": ("period", "band"), "overshoot": ("overshoot", "settling"),
    "settling": ("settling", "overshoot"),
    "rise": ("rise", "settling"), "saturated": ("duty",), "gains": ("gains",),
}  # fmt: skip
ALL = (
    "now", "gains", "band", "in_band", "overshoot", "settling", "rise", "duty", "period", "noise"
)  # fmt: skip
COLUMN = {"temperature": "pv", "output": "output", "error": "error", "setpoint": "setpoint", "": "pv"}
CLOCKS = {"since": "00:00:00", "until": "23:59:59"}  # of a whole day
LONGEST_QUESTION = 120  # letters: what is longer tells a story
NO_DERIVATIVE = 0.01  # kd below this share of kp (s) does nothing that can be seen
_WITHIN = re.compile(
    r"(?:within|±|\+/-|in)\s*(half|\d+(?:\.\d+)?)\s*(?:a |of a )?(?:°|deg|c\b|k\b|度)"
    r"|(?:正负|±)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*度(?:以内|之内)"
)

_NUMBER = re.compile(
    r"(?<![\w.:/-])-?(?!0\d)\d+(?:\.\d+)?(?![\w.:]*[\d:]|/\d|\s*(?:[ap]m\b|%|min|sec|s\b|h\b|hour|[分点时秒日月]))",
    re.ASCII,
)
_NO_HOLD = (  # quantities of a way, or of all of the log
    "rise", "settling", "overshoot", "period", "recovery", "gains", "saturated"
)  # fmt: skip


def figures(case: Case) -> Iterator[str]:
    """Say the figures asked for, of the channels asked about or of all, in the time asked about."""
    question = case.question
    if len(question.days) > 1 and case.device and not question.moments:
        yield from _each_day(case)
        return
    about = choose_log(case)
    if limits := limits_asked(question.words) or _reached(case):
        yield from _beyond(case, about, limits)
        return
    if question.extreme == "when" or question.quantity == "recovery":
        yield from (when if question.extreme == "when" else _recoveries)(case, about)
        return
    if held := list(held_setpoints(case, about)):
        yield from held
        return
    within = _within(question.words)
    window, note = window_asked(case, about)
    metrics = metrics_of(case, about, window)
    asked, told = {*called(case, metrics).question.channels}, list[str]()
    if not (question.quantity or question.gain or question.extreme or asked or window or within):
        asked, told = _of_the_fault(case, about)
    yield from told
    channels = [row for row in metrics["channels"] if not asked or row["channel"] in asked]
    wants = question.extreme in ("least", "most", "range", "mean") or bool(window) or within is not None
    wants = wants or (not question.quantity and "setpoint" in metrics["missing"])
    moves = [row["channel"] for row in channels if _has_ways(question.quantity, row)]
    rows = [
        (row, channel_sentence(case, about, row, unit_of(metrics, row["channel"]), wants)) for row in channels
    ]
    start, end = map(moment, metrics["window"])
    span = case.say("figures_span", since=start, until=end)
    numbers = {"count": len(channels), "clock": moment(metrics["end"])}
    numbers["channel"] = case.listed(row["channel"] for row in channels)
    key = "figures_window" if window else "metrics_title"
    yield note + "\n\n" if note else ""
    yield case.say(key, label=about.label, span=span, **numbers) + "\n\n"
    yield from _swings(case, about, asked) if question.quantity in ("period", "spread") and not window else ()
    yield from (f"- {sentence}\n" for _, sentence in rows if sentence)
    for row in channels if moves else ():
        yield from _moves(case, about, row, unit_of(metrics, row["channel"]))
    if silent := [row for row, sentence in rows if not sentence and row["channel"] not in moves]:
        listed = case.listed(row["channel"] for row in silent)
        lacks = case.listed(case.say(f"value_{name}") for name in metrics["missing"])
        key = "metric_lacking" if lacks else "metric_absent"
        samples = max(row["samples"] for row in silent)
        yield case.item(key, channels=listed, samples=samples, lacks=lacks)
    if not (note or told) and (old := age(case.task, case.language, metrics["end"])):
        yield "\n" + (case.say("not_live") + " " if aspect("now", question.words) else "") + old + "\n"


def _each_day(case: Case) -> Iterator[str]:
    """Say the figures asked for of each day that is named, or that there is no log of it."""
    for day in case.question.days:
        try:
            yield from figures(replace(case, question=replace(case.question, days=(day,))))
        except NothingToRead as problem:
            yield str(problem)
        yield "\n"


def _has_ways(quantity: str, row: Result) -> bool:
    """Return whether the ways between setpoints tell what is asked: how fast, or how many cycles."""
    return bool(row["moves"]) and (
        quantity == "rise" or (quantity == "period" and any(move["count"] > 1 for move in row["moves"]))
    )


def numbers_in(words: str) -> set[float]:
    """Return the numbers of `words` that may be setpoints: no times, days, shares, or parts of names.

    >>> sorted(numbers_in("052: rms at 77 k in zone2, 85 度?")), numbers_in("at 14:20 on 11/16, 5 min, 100 %")
    ([77.0, 85.0], set())
    """
    return {float(match[0]) for match in _NUMBER.finditer(without_days(words))}


def held_setpoints(case: Case, about: Subject) -> Iterator[str]:
    """Say how the channels asked about held the setpoints that are named, or each; nothing where none did."""
    question, words = case.question, case.question.words
    each, numbers = bool(aspect("each_hold", words)), numbers_in(words) - {*question.channels}
    if question.gain or question.quantity in _NO_HOLD or _within(words) is not None or not (each or numbers):
        return
    metrics = case.tool("channel_metrics", **about.named, channel=question.channel, each_hold=True)
    asked = called(case, metrics).question.channels
    for row in metrics["channels"]:
        is_asked = not asked or row["channel"] in asked
        named = [hold for hold in row["holds"] if hold["setpoint"] in numbers]
        told = {"unit": unit_of(metrics, row["channel"]), "channel": row["channel"]}
        for hold in (named or row["holds"] * (each and not numbers)) if is_asked else ():
            span = span_text(hold["seconds"], case.language)
            yield case.item("hold_row", **{**hold, **told, "span": span})
            for one in hold["times"]:
                ends = {"since": moment(one["clock"]), "until": moment(one["end_clock"], one["clock"])}
                names = ("mean", "least", "std", "mean_error", "duty")
                said = (name for name in names if one[name] is not None)
                parts = case.listed(case.say(f"hold_{name}", **one, **told) for name in said)
                yield "  " + case.item("hold_time", parts=parts, line=about.link(one["line"]), **ends)


def _moves(case: Case, about: Subject, row: Result, unit: str) -> Iterator[str]:
    """Say how a channel went from setpoint to setpoint: of the one way that is named, or of all."""
    words = without_days(case.question.words)
    named = [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", words, re.ASCII)]
    meant = [move for move in row["moves"] if (move["from"], move["to"]) in pairwise(named)]
    meant = meant or [move for move in row["moves"] if move["to"] in named]
    if case.question.quantity == "period":
        times = Counter[float]()
        for move in row["moves"]:
            times[move["to"]] += move["count"]
        for level, count in times.most_common(1):
            yield case.item("move_cycles", channel=row["channel"], setpoint=level, unit=unit, count=count)
    for move in meant or row["moves"]:
        at = {"clock": moment(move["clock"]), "line": about.link(move["line"]), "unit": unit}
        took = "move_took" if move["seconds"] is not None else "move_short"
        span = span_text(move["seconds"] or 0.0, case.language)
        parts = [case.say(took, span=span)]
        parts += [
            case.say(f"move_{name}", rate=move[name], unit=unit) for name in ("rate", "asked") if move[name]
        ]
        told = case.say("list_separator").join(parts)
        ends = {"start": move["from"], "stop": move["to"], "channel": row["channel"]}
        key = "move_row" if move["count"] == 1 else "move_rows"
        yield case.item(key, parts=told, count=move["count"], **ends, **at)


def limits_asked(words: str, of_column: bool = False) -> dict[str, float]:
    """Return the limits that `words`, a question and no story, ask of how often or long pv was past them.

    of_column  of a column that may be in percent

    >>> limits_asked("how long below 36?"), limits_asked("超过38度几次"), limits_asked("kp above 3?")
    ({'below': 36.0}, {'above': 38.0}, {})
    >>> limits_asked("how long was the humidity below 55 %?"), limits_asked("how long was it above 90 %?")
    ({'below': 55.0}, {})
    """
    if len(words) > LONGEST_QUESTION or not aspect("how_often", words):
        return {}
    share = "" if of_column or table()["columns"]["humidity"]["pattern"].search(words) else "|%"
    number = rf"\s*(-?\d+(?:\.\d+)?)(?![\d.]|\s*(?:min|s\b|sec|h\b|hour|分|秒|小时{share}))"
    starts = {name: table()["aspects"][name].pattern for name in ("above", "below")}
    found = ((name, re.search(rf"(?:{start}){number}", words)) for name, start in starts.items())
    return {name: float(match[1]) for name, match in found if match}


def _reached(case: Case) -> dict[str, float]:
    """Return the value of which it is asked when it was reached, as a limit of pv; {} if none is.

    From which side tells a word for falling, else it is from below.
    """
    words = case.question.words
    values = numbers_in(words) - {*case.question.channels}
    if case.question.extreme != "when" or len(values) != 1 or not aspect("reached", words):
        return {}
    side = "below" if aspect("down", words) or aspect("below", words) else "above"
    return {side: values.pop()}


def _beyond(case: Case, about: Subject, limits: dict[str, float]) -> Iterator[str]:
    """Say how often and how long each channel asked about was past `limits`."""
    window, note = window_asked(case, about)
    metrics = case.tool("channel_metrics", **about.named, channel=case.question.channel, **window, **limits)
    asked = called(case, metrics).question.channels
    yield note + "\n\n" if note else ""
    for row in (row for row in metrics["channels"] if not asked or row["channel"] in asked):
        what = case.say("channel_named", channel=row["channel"])
        yield from past_limits(case, about, row, limits, what, unit_of(metrics, row["channel"]))


def past_limits(
    case: Case, about: Subject, row: Result, limits: dict[str, float], what: str, unit: str
) -> Iterator[str]:
    """Say how often and how long `what`, of which a tool tells in `row`, was past each of `limits`."""
    for name, limit in limits.items():
        past = row[name]
        spans = {key: span_text(past[key], case.language) for key in ("seconds", "longest") if key in past}
        at = {"clock": moment(past["clock"]), "line": about.link(past["line"])} if past["count"] else {}
        key = f"{name}_limit" if past["count"] else f"{name}_never"
        of = {"unit": f" {unit}" if unit else "", "limit": limit, "what": what}
        yield case.item(key, **{**past, **spans, **at, **of})
        for one in past["times"] if past["count"] > 1 else ():
            span, line = span_text(one["seconds"], case.language), about.link(one["line"])
            yield "  " + case.item("limit_time", clock=moment(one["clock"]), span=span, line=line)


def metrics_of(case: Case, about: Subject, window: dict[str, str]) -> Result:
    """Return the figures of the channel that is asked about, or of all, in the `window`."""
    asked = {"channel": case.question.channel, "within": _within(case.question.words)}
    return case.tool("channel_metrics", **about.named, **asked, **window)


def _of_the_fault(case: Case, about: Subject) -> tuple[set[int], list[str]]:
    """Return the channels with a fault, and when it was; else when a loop was out of its own band."""
    from instrumentgpt.analyst import report  # a report has figures in it

    diagnosis = report.diagnosed(case, about)
    faults = report.faults_of(diagnosis)
    told = when(case, about) if faults else ()
    if not faults and diagnosis["excursions"]["count"]:
        told = _recoveries(case, about)
    return {fault["channel"] for fault in faults} - {None}, [*told, *("\n" if told else ())]


def _swings(case: Case, about: Subject, asked: set[int]) -> Iterator[str]:
    """Say the faults that have a period, of the channels asked about."""
    from instrumentgpt.analyst import report  # a report has figures in it

    for fault in report.faults_of(report.diagnosed(case, about)):
        if fault["numbers"].get("period") and (not asked or fault["channel"] in asked):
            yield f"- {fault['summary']} ({report.links(about, fault)})\n"


def called(case: Case, result: Result) -> Case:
    """Return the case with the channels that its question calls by the log's names, or by what they read."""
    if case.question.channels:
        return case
    words = case.question.words
    channels = channels_called(words, result["channel_names"]) or _of_quantity(words, result)
    return replace(case, question=replace(case.question, channels=channels)) if channels else case


def _of_quantity(words: str, result: Result) -> tuple[int, ...]:
    """Return the channels of the quantity that is asked about, where those of the log are of several."""
    others, columns = result["channel_units"], table()["columns"].values()
    named = {column["unit"] for column in columns if column["pattern"].search(words)}
    if channels := tuple(int(number) for number, unit in others.items() if unit in named):
        return channels
    if not others or named or not table()["quantities"]["temperature"].search(words):
        return ()
    numbers = result.get("channel_numbers") or [row["channel"] for row in result["channels"]]
    units = {number: unit_of(result, number) for number in numbers}
    warm = tuple(number for number, unit in units.items() if unit in CELSIUS)
    return warm if len(warm) < len(units) else ()


def window_asked(case: Case, about: Subject) -> tuple[dict[str, str], str]:
    """Return since and until as tools take them, and what is said where the time is not in the log as asked.

    A time is counted from today, as the calendar has it; where the log ends before it, that is said instead.
    """
    question = case.question
    if ended := stretch(question.timed):
        return ended, ""
    begun, words = since(question.timed, case.task.now.date()), spelled(question.timed)
    if begun or (question.relative and not question.days):
        now = case.task.now
        start, stop = (datetime.combine(begun, time()), now) if begun else span_of(question.relative, now)
        end = case.tool("channel_metrics", **about.named)["end"]
        if end[4:5] != "-":  # a log without dates
            return {}, ""
        if datetime.fromisoformat(end[:19]) >= start:
            return {"since": f"{start:%Y-%m-%d %H:%M}", "until": f"{stop:%Y-%m-%d %H:%M}"}, ""
        named = case.say("since_day", day=begun) if begun else relative_words(question)
        return {}, case.say("time_not_there", time=named, end=end[:16])
    if len(question.moments) > 1:
        begin, end = question.moments[:2]
        (day, _, _), (same, _, clock) = begin.rpartition(" "), end.rpartition(" ")
        return {"since": begin, "until": clock if day == same and end < begin else end}, ""  # past midnight
    ends = window_words(words)
    if len(question.moments) == 1 and ends:
        return {min(ends): question.moments[0]}, ""
    begins, stops, part = part_of_day(question.timed)
    if not (question.day or part) or question.day[:1] == "~" or question.moments:
        return {}, ""
    first, last = case.tool("channel_metrics", **about.named)["window"]
    if first[4:5] != "-":
        return {}, case.say("part_no_clock", part=plain_text(part)) if part else ""
    if not (part or first[:10] != last[:10]):
        return {}, ""
    start, count = datetime.fromisoformat(first[:10]), 1
    count += (datetime.fromisoformat(last[:10]) - start).days
    days = [
        at for at in (start + timedelta(days=n) for n in range(count)) if f"{at:%F}".endswith(question.day)
    ]
    if part and days:
        for on in days[::-1]:
            since_, until = (f"{on + timedelta(hours=hour):%F %T}" for hour in (begins, stops))
            if since_ < last and until > first:
                return {"since": since_, "until": until}, ""
        return {}, case.say("time_not_there", time=plain_text(part), end=last[:16])
    if not days:
        return {}, ""
    return {end: f"{days[0]:%F} {CLOCKS[end]}" for end in sorted(ends) or CLOCKS}, ""


def window_words(words: str) -> set[str]:
    """Return at which ends of one named time `words` look: {"until"} is before it, {"since"} after it.

    >>> window_words("mean after 14:20?"), sorted(window_words("14:20前后差多少"))
    ({'since'}, ['since', 'until'])
    """
    before = re.search(r"\b(?:before|until|till)\b|之前|以前|前后", words)
    after = re.search(r"\b(?:after|since|from)\b|之后|以后|[从自]|前后", words)
    return {end for end, match in (("until", before), ("since", after)) if match}


def _within(words: str) -> float | None:
    match = _WITHIN.search(words)
    if not match:
        return None
    size = next(group for group in match.groups() if group)
    return 0.5 if size == "half" else float(size)


def channel_sentence(case: Case, about: Subject, channel: Result, unit: str, wants: bool) -> str:
    """Return the sentence on one channel: its extremes where they are asked for, else its figures."""
    quantity, extremes = case.question.quantity, channel.get("extremes", {})
    column = COLUMN.get(quantity, "")
    if wants and quantity in ("spread", "noise", "in_band"):
        column = "error"
    if not (wants and column in extremes):
        return channel_row(case, about, channel, unit)
    parts = [case.say("extreme_within", share=extremes["within"])] if "within" in extremes else []
    parts += _extreme_parts(case, about, extremes, column, unit)
    settled = channel.get("settled", {})
    if any(settled.get(column, extremes[column])[end] != extremes[column][end] for end in ("least", "most")):
        since = _extreme_parts(case, about, settled, column, unit)
        clock, listed = moment(channel["settled_at"]), case.say("list_separator").join(since)
        parts.append(case.say("extreme_settled", clock=clock, parts=listed))
    return case.say("metric_row", channel=channel["channel"], parts=case.say("list_separator").join(parts))


def _extreme_parts(case: Case, about: Subject, extremes: Result, column: str, unit: str) -> list[str]:
    """Return what is asked for of the least, the most and the mean of one column."""
    summary, asked = extremes[column], case.question.extreme
    fields = {"unit": "%" if column == "output" else unit, "name": case.say(f"value_{column}")}
    parts = []
    for name in () if asked == "mean" else (asked,) if asked in ("least", "most") else ("least", "most"):
        at = {"clock": moment(summary[name]["clock"]), "line": about.link(summary[name]["line"])}
        parts.append(case.say(f"extreme_{name}", value=summary[name]["value"], **at, **fields))
    numbers = {"mean": summary["mean"], "std": summary["std"], "samples": extremes["samples"]}
    return [*parts, case.say("extreme_mean", **numbers, **fields)]


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
    if part == "setpoint" and fields["setpoint"] == fields["longest"]:
        part = "setpoint_alone"
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


def _recoveries(case: Case, about: Subject) -> Iterator[str]:
    """Say how long each time out of a loop's own band lasted, of the channels asked about."""
    from instrumentgpt.analyst import report  # a report has figures in it

    diagnosis = report.diagnosed(case, about)
    excursions = diagnosis["excursions"]
    title = case.say("recoveries", label=about.label, count=excursions["count"])
    yield (title if excursions["count"] else report.verdict(case, about, diagnosis)) + "\n\n"
    rows = [*excursions["unexplained"], *excursions["explained"]]
    for excursion in sorted(rows, key=lambda row: (row["channel"], row["onset"])):
        yield f"- {report.excursion_row(case, about, excursion, diagnosis)}\n"
    if more := excursions["count"] - len(rows):
        yield case.item("excursions_more", count=more)


def when(case: Case, about: Subject) -> Iterator[str]:
    """Say since when, until when and how often each fault of the log shows, and the span of the log.

    Where it is asked since when, the logs before are looked at, too.
    """
    from instrumentgpt.analyst import over_logs, report  # which have figures in them

    diagnosis = report.diagnosed(case, about)
    of_all = case.question.extreme == "when" and not (case.question.days or numbers_in(case.question.words))
    several = list(over_logs.since_log(case, about)) if about.device and of_all else []
    dangers = [f"**{fault['danger']}**\n\n" for fault in report.faults_of(diagnosis) if fault["danger"]]
    told = [*dangers, *several, "\n"] if several else [report.verdict(case, about, diagnosis), "\n\n"]
    yield from told
    for fault in report.faults_of(diagnosis)[: report.MOST_FAULTS]:
        start, end = (moment(fault[name]) for name in ("onset_clock", "end_clock"))
        lines = report.links(about, fault)
        yield case.item("when_row", since=start, until=end, summary=fault["summary"], lines=lines)
    yield "\n" + report.header(case, about, diagnosis) + "\n"
