"""The figures of the channels: least, most, mean, gains, setpoints, band, overshoot, duty, and when."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from instrumentgpt.analyst.case import Case, NothingToRead, Result, Subject, age, choose_log, unit_of
from instrumentgpt.analyst.columns import columns_in, columns_named, number_of
from instrumentgpt.analyst.questions import aspect, means, numbers_in, table, without_times
from instrumentgpt.analyst.series import COLUMN, read_in
from instrumentgpt.analyst.times import stretches, window_asked
from instrumentgpt.analyst.words import moment, sentences
from instrumentgpt.instruments import mentions
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
    if question.extreme == "when" and (told := list(gains_since(case, about))):
        yield from told
        return
    if question.extreme == "when" or question.quantity == "recovery":
        yield from (when if question.extreme == "when" else _recoveries)(case, about)
        return
    window, note = window_asked(case, about)
    for telling in (_ways_named, _cycles if aspect("cycle", question.words) else held_setpoints):
        if told := list(telling(case, about)):
            yield from (*([note, "\n\n"] if note else ()), *told)
            return
    if window:  # one that the log has not raises, and another log is asked
        spans = [[window.get("since", ""), window.get("until", "")]]
        case.tool("column_figures", **about.named, spans=spans, only_loops=True)
    metrics = case.tool("channel_metrics", **about.named, channel=question.channel)
    is_read = question.extreme in ("least", "most", "range", "mean") or bool(window)
    role, lacks = COLUMN.get(question.quantity), metrics["missing"]
    if role == "error" and {"setpoint"} == {*lacks} - {"output"}:  # no error: pv
        case, role = replace(case, question=replace(question, quantity="")), "pv"
    if role and (is_read or ("setpoint" in lacks and not case.question.quantity)):
        yield from read_in(case, about, stretches(case, about, of_device=True))
        return
    asked, of_fault = {*called(case, metrics).question.channels}, list[str]()
    if not (question.quantity or question.gain or asked):
        asked, of_fault = _of_the_fault(case, about)
    yield from of_fault
    channels = [row for row in metrics["channels"] if not asked or row["channel"] in asked]
    few = {"rise": 0, "period": 1}.get(question.quantity, inf)  # of a way, which tells nothing
    moves = [row["channel"] for row in channels if any(move["count"] > few for move in row["moves"])]
    rows = [(row, channel_row(case, about, row, unit_of(metrics, row["channel"]))) for row in channels]
    numbers = {"count": len(channels), "clock": moment(metrics["end"])}
    numbers["channel"] = case.listed(row["channel"] for row in channels)
    yield note + "\n\n" if note else ""
    lead = _lead(case, channels) if question.quantity in ("overshoot", "settling") else ""
    yield lead + case.say("metrics_title", label=about.label, **numbers) + "\n\n"
    is_steep = moves and aspect("steepest", question.words)
    yield from () if is_steep else (f"- {sentence}\n" for _, sentence in rows if sentence)
    for row in channels if moves else ():
        yield from _moves(case, about, row, unit_of(metrics, row["channel"]))
    silent = [row for row, sentence in rows if not sentence and row["channel"] not in moves]
    if len(silent) < len(rows):  # what has no setpoint is no loop, of which nobody asked
        silent = [row for row in silent if row["setpoint"] is not None]
    if silent:
        listed = case.listed(row["channel"] for row in silent)
        lacks = case.listed(case.say(f"value_{name}") for name in metrics["missing"])
        key = "metric_lacking" if lacks else "metric_absent"
        samples = max(row["samples"] for row in silent)
        lacking = case.item(key, channels=listed, samples=samples, lacks=lacks)
        yield from (question.quantity == "rise" and [*_courses(case, about)]) or [lacking]
    if not (note or of_fault) and (old := age(case.task, case.language, metrics["end"])):
        yield "\n" + (case.say("not_live") + " " if aspect("now", question.words) else "") + old + "\n"


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


def gains_since(case: Case, about: Subject, only_changed: bool = False) -> Iterator[str]:
    """Say which gains the channels asked about have, and since when; nothing where no gain is asked for."""
    from instrumentgpt.analyst import report  # a report has figures in it

    if not (case.question.gain or case.question.quantity == "gains"):
        return
    metrics = case.tool("channel_metrics", **about.named, channel=case.question.channel)
    asked = called(case, metrics).question.channels
    rows = [row for row in metrics["channels"] if not asked or row["channel"] in asked]
    for row in rows if any(row["gain_changes"] for row in rows) or not only_changed else ():
        if row["kp"] is not None:
            gains = case.say("metric_gains", **row, form="").strip()
            key = "gains_now" if row["gain_changes"] else "gains_always"
            yield case.item(key, channel=row["channel"], gains=gains, start=moment(metrics["start"]))
        for change in row["gain_changes"]:
            yield f"  - {report.changed_gains(case, about, row['channel'], change)}\n"


def _each_day(case: Case) -> Iterator[str]:
    """Say the figures asked for of each day that is named, or that there is no log of it."""
    for day in case.question.days:
        try:
            yield from figures(replace(case, question=replace(case.question, days=(day,))))
        except NothingToRead as problem:
            yield str(problem)
        yield "\n"


def held_setpoints(case: Case, about: Subject, each: bool = False) -> Iterator[str]:
    """Say how the channels asked about held the setpoints that are named, or each; nothing where none did."""
    question, words = case.question, case.question.words
    each, numbers = each or bool(aspect("each_hold", words)), numbers_in(words) - {*question.channels}
    if question.gain or question.quantity in _NO_HOLD or not (each or numbers):
        return
    metrics = case.tool("channel_metrics", **about.named, channel=question.channel, each_hold=True)
    asked = called(case, metrics).question.channels
    for row in metrics["channels"]:
        is_asked = not asked or row["channel"] in asked
        named = [hold for hold in row["holds"] if any(means(number, hold["setpoint"]) for number in numbers)]
        told = {"unit": unit_of(metrics, row["channel"]), "channel": row["channel"]}
        for hold in (named or row["holds"] * (each and not numbers)) if is_asked else ():
            span = span_text(hold["seconds"], case.language)
            yield case.item("hold_row", **{**hold, **told, "span": span})
            for one in hold["times"]:
                ends = {"since": moment(one["clock"]), "until": moment(one["end_clock"], one["clock"])}
                of_error = table()["asked"]["deviation"].search(words)
                led = "mean_error" if of_error else HOLD_LEADS.get(question.quantity, "mean")
                names = sorted(("mean", "least", "std", "mean_error", "duty"), key=lambda name: name != led)
                said = (name for name in names if one[name] is not None)
                parts = case.listed(case.say(f"hold_{name}", **one, **told) for name in said)
                yield "  " + case.item("hold_time", parts=parts, line=about.link(one["line"]), **ends)


def _moves(case: Case, about: Subject, row: Result, unit: str) -> Iterator[str]:
    """Say how a channel went from setpoint to setpoint: of the one way that is named, or of all."""
    words = without_times(case.question.words)
    named = [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", words, re.ASCII)]
    meant = [move for move in row["moves"] if (move["from"], move["to"]) in pairwise(named)]
    meant = meant or [move for move in row["moves"] if move["to"] in named] or row["moves"]
    if is_steep := bool(aspect("steepest", case.question.words)):
        sign = -1 if re.search(r"\bcool|降", case.question.words) else 1
        meant = sorted(meant, key=lambda move: -sign * (move["steepest"] or 0.0))[:1]
    for move in meant:
        spans = {
            name: span_text(move[name] or 0.0, case.language, exact=True)
            for name in ("seconds", "rise", "settled")
        }
        beyond = about.at(move["beyond"], move["clock"])
        is_there, stays = (move[name] is not None for name in ("seconds", "settled"))
        said = {
            "rise": case.say("move_rise", span=spans["rise"]) if move["rise"] is not None else "",
            "took": case.say("move_took" if is_there else "move_short", span=spans["seconds"]),
            "beyond": case.say("move_beyond", **beyond, unit=unit)
            if is_there and (beyond["size"] > 0 or case.question.extreme)
            else "",
            "settled": case.say("move_settled" if stays else "move_unsettled", span=spans["settled"]),
            **{
                name: case.say(f"move_{name}", rate=move[name], unit=unit) if move[name] else ""
                for name in ("rate", "steepest", "asked")
            },
        }
        quantity = case.question.quantity
        first = {"overshoot": "beyond", "settling": "settled"}.get(
            quantity, "beyond" if case.question.extreme else "took"
        )
        first = "rise" if aspect("rise_time", case.question.words) else "steepest" if is_steep else first
        told = case.say("list_separator").join(filter(None, (said.pop(first), *said.values())))
        ends = {"start": move["from"], "stop": move["to"], "channel": row["channel"]}
        key = "move_row" if move["count"] == 1 else "move_rows"
        yield case.item(key, **about.at(move) | ends | {"parts": told, "unit": unit})


def _ways_named(case: Case, about: Subject) -> Iterator[str]:
    """Say how pv went to the setpoint that is named, where it is asked about the way there."""
    question, numbers = case.question, numbers_in(case.question.words) - {*case.question.channels}
    if not numbers or not (
        question.quantity in ("rise", "settling", "overshoot") or aspect("way_to", question.words)
    ):
        return
    metrics = case.tool("channel_metrics", **about.named, channel=question.channel)
    asked = called(case, metrics).question.channels
    for row in metrics["channels"]:
        moves = [move for move in row["moves"] if move["to"] in numbers]
        if moves and (not asked or row["channel"] in asked):
            yield from _moves(case, about, {**row, "moves": moves}, unit_of(metrics, row["channel"]))


def _cycles(case: Case, about: Subject) -> Iterator[str]:
    """Say how many cycles a programme had, how long one took, what it reached, and if they were alike."""
    metrics = case.tool("channel_metrics", **about.named, channel=case.question.channel)
    asked = called(case, metrics).question.channels
    for row in metrics["channels"]:
        cycles = row["cycles"]
        if not cycles or (asked and row["channel"] not in asked):
            continue
        told = {"unit": unit_of(metrics, row["channel"]), "channel": row["channel"]}
        spans = {
            name: span_text(cycles[name] or 0.0, case.language, exact=True)
            for name in ("seconds", "seconds_min", "seconds_max")
        }
        odd = [one for one in cycles["rows"] if one["number"] in cycles["odd"]]
        alike = case.say("cycles_odd" if odd else "cycles_alike", numbers=case.listed(cycles["odd"]))
        yield case.item("cycles_row", alike=alike, **{**cycles, **spans}, **told)
        for one in odd:
            span = span_text(one["seconds"] or 0.0, case.language, exact=True)
            yield "  " + case.item("cycle_row", **about.at(one) | {"span": span, "unit": told["unit"]})


def _of_the_fault(case: Case, about: Subject) -> tuple[set[int], list[str]]:
    """Return the channels with a fault, and when it was; else when a loop was out of its own band."""
    from instrumentgpt.analyst import report  # a report has figures in it

    diagnosis = report.diagnosed(case, about)
    faults = report.faults_of(diagnosis)
    told = when(case, about) if faults or diagnosis["excursions"]["count"] else ()
    return {fault["channel"] for fault in faults} - {None}, [*told, *("\n" if told else ())]


def _courses(case: Case, about: Subject) -> Iterator[str]:
    """Yield what the channels without a setpoint did."""
    from instrumentgpt.analyst import report  # a report has figures in it

    yield from report.happened(case, about, report.diagnosed(case, about), *report.COURSE)


def called(case: Case, result: Result) -> Case:
    """Return the case with the channels that its question names, where it does not name all of them."""
    columns = [column for column in columns_in(result) if column["role"]]
    every = columns_named(case.question, case.question.words, columns)
    named = (of for _, of, words in every if not re.fullmatch(mentions.PARTS, words))
    meant = {column["channel"] for of in named for column in of}
    if asked := {*case.question.channels}:
        meant = {column["channel"] for column in columns if number_of(column, columns) in asked} or asked
    channels = tuple(sorted(meant)) if asked or len(meant) < len(columns) else ()
    return replace(case, question=replace(case.question, channels=channels)) if channels else case


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
    rows = [*excursions["unexplained"], *excursions["explained"]]
    title = case.say("recoveries", label=about.label, count=_moments(rows) + excursions["count"] - len(rows))
    yield (title if excursions["count"] else report.verdict(case, about, diagnosis)) + "\n\n"
    yield from report.happened(case, about, diagnosis, "out")


def _moments(rows: Sequence[Result]) -> int:
    """Return how often something left its band: channels that do so together, to one side, do it once."""
    count, ends = 0, {True: -inf, False: -inf}
    for row in sorted(rows, key=lambda row: float(row["onset"])):
        side = row["size"] > 0
        count += row["onset"] > ends[side]
        ends[side] = max(ends[side], row["end"])
    return count


def when(case: Case, about: Subject) -> Iterator[str]:
    """Say since when, until when and how often each fault of the log shows, and the span of the log.

    Where it is asked since when, the logs before are looked at, too.
    """
    from instrumentgpt.analyst import over_logs, report  # which have figures in them

    diagnosis = report.diagnosed(case, about)
    of_all = case.question.extreme == "when" and not (case.question.days or numbers_in(case.question.words))
    several = list(over_logs.since_log(case, about)) if about.device and of_all else []
    dangers = [f"**{fault['danger']}**\n\n" for fault in report.faults_of(diagnosis) if fault["danger"]]
    if not (several or report.faults_of(diagnosis)):
        of_excursions = diagnosis["excursions"]["count"]
        yield from _recoveries(case, about) if of_excursions else report.explained(case, about, diagnosis)
        return
    yield from [*dangers, *several, "\n"] if several else [report.verdict(case, about, diagnosis), "\n\n"]
    faults = report.faults_of(diagnosis)[: report.MOST_FAULTS]
    yield from (report.fault_row(case, about, fault) for fault in faults)
    yield "\n" + report.header(case, about, diagnosis) + "\n"
