"""A diagnosis as one report in sections: verdict, log, findings, cause, ruled out, the one next action."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.analyst.case import Case, Result, Subject, ToolFailed, age, choose_log, unit_of
from instrumentgpt.analyst.case import diagnosed as diagnosed
from instrumentgpt.analyst.case import faults_of as faults_of
from instrumentgpt.analyst.columns import called, columns_in, columns_named
from instrumentgpt.analyst.constraints import GAINS, Step, asks_to_run, mark, step_of
from instrumentgpt.analyst.figures import read_in
from instrumentgpt.analyst.programme import channel_row, is_pi
from instrumentgpt.analyst.questions import ALONE, aspect, channels_in, spelled, suspected, table
from instrumentgpt.analyst.relevance import bearing, workings_asked
from instrumentgpt.analyst.stretches import Stretches, window_asked
from instrumentgpt.analyst.words import joined, moment, plain_text, quoted, together
from instrumentgpt.errors import in_language
from instrumentgpt.instruments.faults import TUNED, cause_title, next_tests, severity
from instrumentgpt.instruments.findings import NOT_RULED_OUT
from instrumentgpt.instruments.language import phrase, span_text

SEVERITIES = Path(__file__).parents[1] / "instruments" / "report_tables.toml"  # what a report calls them
_DATED = "2026-02-20 17:03:44"
_COMPARES = re.compile(r"\bcompar|\bthan\b|\bversus\b|\bvs\b|比|相较|不同")
MOST_FAULTS = 6
TOLD_FIRST = 2  # of these, in the first sentence
MOST_LINES = 3  # quoted of one finding
BETTER = 3  # sentences of an advice before it repeats the model
MOST_LAST = 4  # channels whose last readings are told with what happened
COURSE = ("goes", "stays")  # of what happened: a pv without a setpoint
AMISS = ("power_short", "offset_p", "offset_limit", "ageing_grew")  # how a loop works that is not well
MOST_NAMED = 6  # channels told with their names at the head
SWINGING = ("oscillation_tuning", "limit_cycle_actuator", "cross_coupling")  # faults that swing
PARTS = ("why", "next", "evidence", "danger", "fine", "matters", "unlogged")  # of a diagnosis, asked alone
BEYOND = ("sensor_bias", "heater_degradation", "aggregate")  # what no log shows; each has its phrase


def diagnose(case: Case) -> Iterator[str]:
    """Diagnose the log that is meant, and draw it."""
    about = choose_log(case)
    diagnosis = diagnosed(case, about)
    beside = {loop["channel"] for loop in diagnosis["kinds"] if loop["drive"] == "beside"}
    if (named := called(case, diagnosis)) is not case and not beside.issuperset(named.question.channels):
        case, diagnosis = named, diagnosed(named, about)  # a reading beside the loops is judged with them
    words = case.question.words
    window, note = ({}, "") if asks_to_run(case.question) else window_asked(case, about)  # the coming night
    yield note + "\n\n" if note and not window else ""
    if not window and len(case.question.moments) == 1 and not asks_to_run(case.question):
        from instrumentgpt.analyst.events import at_moment  # which has reports in it

        yield from at_moment(case, about, case.question.moments[0])
        yield "\n"
    stretch = Stretches(((window.get("since", ""), window.get("until", "")),)) if window else None
    asks_lines = aspect("evidence", words) or aspect("next", words)
    yield from explained(case, about, diagnosis, stretch, drawn=not asks_lines)
    for finding in faults_of(diagnosis)[:MOST_FAULTS] if aspect("evidence", words) else ():
        yield f"\n{finding['summary']}\n\n"
        yield from (f"- {about.link(row['line'])} {quoted(row['text'])}\n" for row in finding["evidence"])
    if case.question.pasted and _of_class(diagnosis, "insufficient_data"):
        yield "\n" + case.say("pasted_needs") + "\n"


def explained(
    case: Case, about: Subject, diagnosis: Result, stretch: Stretches | None = None, drawn: bool = False
) -> Iterator[str]:
    """Tell a diagnosis in full, with the figures of a `stretch`; `drawn`: with its chart."""
    diagnosis = with_beside(case, about, diagnosis)
    suspicions = list(_suspicions(case, about, diagnosis))
    yield from (text for is_judged, text in suspicions if is_judged)
    dangers = [fault["danger"] for fault in faults_of(diagnosis) if fault["danger"]]
    acts_first = aspect("next", words := case.question.words) and not (dangers or aspect("danger", words))
    if acts_first:  # it was asked for
        yield from next_action(case, about, diagnosis)
        yield "\n"
    is_led = acts_first or aspect("next", words) or any(suspected(words)) or asks_to_run(case.question)
    if is_of_log := aspect("of_log", words):
        yield header(case, about, diagnosis) + "\n\n"
    is_measure = _COMPARES.search(words)  # the time is what now is held against
    if stretch and not (dangers or is_measure) and _is_elsewhere(diagnosis, stretch):
        yield from _then_first(case, about, diagnosis, stretch, drawn)
        return
    if stretch:
        away = [one for one in diagnosis["excursions"]["unexplained"] if _is_in(one, stretch)]
        of_time = {"unexplained": away, "unexplained_count": len(away)} if away else {}
        diagnosis = diagnosis | {"excursions": diagnosis["excursions"] | of_time}
    yield ("" if is_led else _lead(case, diagnosis, stretch)) + verdict(case, about, diagnosis) + "\n\n"
    yield from (*read_in(case, about, stretch, is_aged=False), "\n") if stretch else ()
    yield running(case, diagnosis) + "\n\n" if asks_to_run(case.question) else ""
    if told := _told_before(case, about, diagnosis):
        yield from _cause(case, about, diagnosis) if aspect("why", words) else ()
        action = "" if acts_first else "".join(next_action(case, about, diagnosis))
        is_new = aspect("next", words) or action.strip() not in told
        is_unread = case.question.score < table()["least"] and not _is_part(case)
        key = "told_unread" if is_unread else "told_before"
        yield (action + "\n" if is_new else "") + case.say(key) + "\n"
        return
    if aspect("danger", words):
        yield "" if is_of_log else header(case, about, diagnosis) + "\n\n"
        return
    in_full = aspect("happened", words) or case.question.kind == "compare" or _is_course(case, diagnosis)
    bears = [] if in_full else [*bearing(case, about, diagnosis)]
    yield from (case.say("bearing") + "\n\n", *bears, "\n") if bears else ()
    if findings := list(key_findings(case, about, diagnosis)):
        head = "key_figures" if in_full and not diagnosis["findings"] else "key_findings"
        yield from (case.say(head) + "\n\n", *findings)
    if drawn:
        draw(case, about, **window_asked(case, about)[0])
    yield from _cause(case, about, diagnosis)
    if in_full:
        yield from (case.say("happened") + "\n\n", *happened(case, about, diagnosis), "\n")
    if not acts_first:
        yield from next_action(case, about, diagnosis)
    yield from ("\n" + text.rstrip() + "\n" for is_judged, text in suspicions if not is_judged)
    yield "" if is_of_log else "\n" + header(case, about, diagnosis) + "\n"
    yield from kinds(case, diagnosis)
    yield from _withheld(case, about, diagnosis)


def _then_first(
    case: Case, about: Subject, diagnosis: Result, stretch: Stretches, drawn: bool
) -> Iterator[str]:
    """Yield what was at the time asked about, and last the verdict, which is of another."""
    yield from (*read_in(case, about, stretch, is_aged=False), "\n")
    bears = [*bearing(case, about, diagnosis)]
    yield from (case.say("bearing") + "\n\n", *bears, "\n") if bears else ()
    if drawn:
        draw(case, about, **window_asked(case, about)[0])
    told = verdict(case, about, diagnosis) + "\n\n" + header(case, about, diagnosis)
    yield case.say("elsewhere") + "\n\n" + told + "\n"


def _lead(case: Case, diagnosis: Result, stretch: Stretches | None) -> str:
    """Return the yes or no of a verdict: whether all is well, or whether something is wrong, as is asked.

    None where much is told with the question: whether the verdict is what is meant, it says itself. Nor
    where a moment is asked about, or what left a band that nobody has set.
    """
    words, faults = case.question.words, [one for one in faults_of(diagnosis) if one["class"] != "data_gap"]
    is_ill = any(one["confidence"] != "possible" for one in faults)
    is_open = faults or diagnosis.get("rising") or not _of_class(diagnosis, "healthy")
    is_open = not is_ill and (is_open or diagnosis["excursions"]["unexplained"])
    is_of_moment = (case.question.moments and not stretch) or _names_beside(case, diagnosis)  # told by itself
    if is_open or is_of_moment or case.question.kind == "compare" or (faults and case.question.is_story):
        return ""
    if aspect("swings", words) and not aspect("sound", words):
        swing = _swing(case, diagnosis)
        return case.lead(bool(swing and swing["period"]) or any(one["class"] in SWINGING for one in faults))
    if case.question.quantity in ("output", "setpoint"):
        return ""  # a verdict is of the loop
    asks_trouble, asks_sound = aspect("trouble_asked", words), aspect("sound", words)
    if bool(asks_trouble) is bool(asks_sound):  # neither, or "normal since? any problem?"
        return ""
    return case.lead(is_ill if asks_trouble else not is_ill)


def _names_beside(case: Case, diagnosis: Result) -> bool:
    """Return whether the question names a column of which no check is: it is no loop's."""
    named = columns_named(case.question, spelled(case.question.text), columns_in(diagnosis))
    return any(not column["role"] for _, columns, _ in named for column in columns)


def _is_elsewhere(diagnosis: Result, stretch: Stretches) -> bool:
    """Return whether all that the verdict tells of was at another time than is asked about."""
    told = [one for one in faults_of(diagnosis) if one["class"] != "data_gap"]
    told = told or diagnosis["excursions"]["unexplained"]
    return bool(told) and not any(_is_in(one, stretch) for one in told)


def _is_in(told: Result, stretch: Stretches) -> bool:
    """Return whether what is told of was there in the first of the spans, as far as both have whole dates."""
    begun, ended = (told[name][: len(_DATED)] for name in ("onset_clock", "end_clock"))
    since, until = (at if at[4:5] == begun[4:5] == "-" else "" for at in stretch.spans[0])
    return not (since and ended < since) and not (until and begun > until)


def _is_part(case: Case) -> bool:
    """Return whether a part of a diagnosis is asked for."""
    words = case.question.words
    parts = any(map(partial(aspect, words=words), PARTS))
    return bool(parts or suspected(words) or asks_to_run(case.question))


def _told_before(case: Case, about: Subject, diagnosis: Result) -> str:
    """Return the answers of this conversation, if one has it all and only a part of it is asked for."""
    words = case.question.words
    is_more = aspect("in_full", words) or aspect("other_one", words)
    is_of_message = any(turn == 0 for turn, _ in case.task.messages_of("assistant"))  # a part before it
    if is_more or not (is_of_message or _is_part(case) or case.question.score < ALONE):
        return ""
    said = verdict(case, about, diagnosis).split("\n")[-1]
    parts = [quoted(about.log), said, *(row["summary"] for row in faults_of(diagnosis)[:1])]
    heads = [case.say(name) for name in ("key_findings", "key_figures")]
    answers = [text for _, text in case.task.messages_of("assistant")]
    told = (text for text in answers if any(head in text for head in heads))
    return "\n".join(answers) if any(all(part in text for part in parts) for text in told) else ""


def rising_over(case: Case, about: Subject, unasked: bool = False) -> list[Result]:
    """Return the channels asked about whose output grows over the device's logs up to this one, else others.

    unasked  whether only logs are read that take no time worth a word, and no others told if one is named
    """
    if not about.device:
        return []
    asked = {**about.named, "reading": "small" if unasked else "all", "language": case.language}
    rows = case.tool("output_over_logs", **asked)["findings"]
    own = [row for row in rows if case.question.channel in (None, row["channel"])]
    return own or ([] if channels_in(case.question.words) and unasked else rows)


def with_beside(case: Case, about: Subject, diagnosis: Result) -> Result:
    """Return the diagnosis with what its log alone does not show: what grows over the device's logs.

    Only where there is no fault.
    """
    rising = [] if faults_of(diagnosis) else rising_over(case, about, unasked=True)
    return diagnosis | {"rising": rising}


def draw(case: Case, about: Subject, **arguments: Any) -> None:
    """Draw the log; an answer without its chart is still an answer, and the failed call is shown."""
    with suppress(ToolFailed):
        arguments = {"channel": case.question.channel, **about.named, **arguments}
        case.tool("plot_log", **arguments, language=case.language)


def _of_class(diagnosis: Result, *classes: str) -> list[Result]:
    return [finding for finding in diagnosis["findings"] if finding["class"] in classes]


def verdict(case: Case, about: Subject, diagnosis: Result) -> str:
    """Return the answer in one bold sentence, after what must be switched off at once."""
    faults = [fault for fault in faults_of(diagnosis) if fault["class"] != "data_gap"]
    channels = [finding["channel"] for finding in _of_class(diagnosis, "healthy")]
    if faults:
        dangers = "".join(f"**{fault['danger']}**\n\n" for fault in faults if fault["danger"])
        told = fault_verdict(case, about.label, faults[0], len(faults) - 1, diagnosis["channel_names"])
        return dangers + told
    if diagnosis["excursions"]["unexplained"]:
        return _excursion_verdict(case, about, diagnosis)
    if rising := diagnosis.get("rising"):
        return case.say("verdict_rising", label=about.label, told=rising[0]["text"])
    if not channels:
        return _no_verdict(case, about, diagnosis)
    if swing := _swing(case, diagnosis):
        size = {"size": swing["half_size"], "unit": unit_of(diagnosis, swing["channel"])}
        size |= {"period": swing["period"], "made": case.say(f"made_{swing['maker']}")}
        moving = case.listed(sorted({swing["channel"], *swing["together"]}))
        placed = {"channels": case.listed(channels), "count": len(channels), "moving": moving}
        return case.say(
            "verdict_wave" if swing["period"] else "verdict_wander", label=about.label, **placed, **size
        )
    if case.question.channel is not None:
        return case.say("verdict_channel_healthy", label=about.label, channel=channels[0])
    others = sorted({*diagnosis["channel_numbers"]} - {*channels})
    placed = {"channels": case.listed(channels), "others": case.listed(others)}
    kinds = {row["numbers"].get("kind") for row in _of_class(diagnosis, "healthy")}
    alike = "verdict_followed" if kinds == {"followed"} else "verdict_healthy"
    key = "verdict_healthy_some" if others else alike
    return case.say(key, label=about.label, count=len(channels), **placed)


def _no_verdict(case: Case, about: Subject, diagnosis: Result) -> str:
    """Return that no fault was found, and why it is not called healthy, else what pv did."""
    if _is_course(case, diagnosis):
        missing = joined((case.say(f"value_{name}") for name in diagnosis["missing"]), case.language)
        return case.say("verdict_course", label=about.label, missing=missing)
    if {loop["drive"] for loop in diagnosis["kinds"]} == {"idle"}:
        return case.say("verdict_idle", label=about.label)
    whys = {
        number: why
        for number in case.question.channels or diagnosis["channel_numbers"]
        if (why := diagnosis["withheld"].get(f"healthy, channel {number}"))
    }
    where = {number: case.say("where_channel", channel=number).strip() for number in whys}
    reasons = case.listed(f"{where[number]}: {plain_text(why)}" for number, why in whys.items())
    checks = len({*diagnosis["checks"]} - {*diagnosis["unjudged"]})
    key = "verdict_open" if reasons and checks else "verdict_nothing"
    return case.say(key, label=about.label, checks=checks, reasons=reasons)


def _is_course(case: Case, diagnosis: Result) -> bool:
    """Return whether what pv did is all that can be told: there is no setpoint, no level held, no fault."""
    asked = {*(case.question.channels or diagnosis["channel_numbers"])}
    went = {row["channel"] for row in diagnosis["timeline"] if row["what"] in COURSE}
    is_open = "setpoint" in diagnosis["missing"] and asked <= went and not faults_of(diagnosis)
    return is_open and not (diagnosis["excursions"]["unexplained"] or _of_class(diagnosis, "healthy"))


def _channels_of(fault: Result) -> list[int]:
    """Return the channels that a fault is about; [] for the device."""
    return fault["channels"] or [channel for channel in [fault["channel"]] if channel is not None]


def where_of(case: Case, fault: Result, names: Mapping[str, str] | None = None) -> str:
    """Return the channels that `fault` is about as words, with their `names` where there are several."""
    channels, told = _channels_of(fault), names if names and len(names) > 1 else {}
    placed = ("where_device", "where_channel", "where_channels")[min(len(channels), 2)]
    heads = [f"{one} ({quoted(told[str(one)])})" if str(one) in told else one for one in channels]
    return case.say(placed, channel=case.listed(heads))


def fault_verdict(
    case: Case, label: str, fault: Result, others: int = 0, names: Mapping[str, str] | None = None
) -> str:
    """Return the bold sentence on the most important of a log's faults."""
    return case.say(
        "verdict_fault",
        label=label,
        title=fault["title"],
        where=where_of(case, fault, names),
        severity=phrase(SEVERITIES, f"severity_{fault['severity']}", case.language),
        confidence=fault["confidence_word"],
        more=case.say("verdict_more", count=others) if others else "",
    )


def fault_untold(case: Case, said: str) -> Iterator[str]:
    """Yield the first fault of the log, where neither the answer `said` nor one before has told it."""
    about, before = choose_log(case), "".join(text for _, text in case.task.messages_of("assistant"))
    names = (diagnosis := diagnosed(case, about))["channel_names"]
    for fault in [fault for fault in faults_of(diagnosis) if fault["class"] != "data_gap"][:1]:
        if fault["confidence"] != "possible" and fault["summary"] not in said + before:
            head = f"\n{fault_verdict(case, about.label, fault, names=names)}\n"
            yield f"{head * (head not in said)}\n{fault_row(case, about, fault)}"


def fault_row(case: Case, about: Subject, fault: Result) -> str:
    """Return the item of a list on from when until when a fault was, with its figures and lines."""
    since, until = (moment(fault[name]) for name in ("onset_clock", "end_clock"))
    lines = links(about, fault)
    return case.item("when_row", since=since, until=until, summary=fault["summary"], lines=lines)


def running(case: Case, diagnosis: Result) -> str:
    """Return whether the log speaks against running it: what can be critical does, likely or not."""
    grave = [fault for fault in faults_of(diagnosis) if severity(fault["class"]) == "critical"]
    tells = {finding["severity"] for finding in diagnosis["findings"]} - {"info"}
    is_open = diagnosis["excursions"]["unexplained"] or diagnosis.get("rising")
    key = (
        "no"
        if grave
        else "but"
        if is_open or (tells and faults_of(diagnosis))
        else "yes"
        if tells
        else "untold"
    )
    may = [case.say("nothing_forbids")] if aspect("may", case.question.words) else []
    told = case.say(f"running_{key}", title=grave[0]["title"] if grave else "")
    led = case.lead(False if grave else None) if not may else ""
    return led + together([*may, told, case.say("running_limit")], case.language)


def _swing(case: Case, diagnosis: Result) -> Result | None:
    """Return the largest swing that is more than noise, where one is asked about, or has a period."""
    is_asked = aspect("swings", case.question.words)
    swings = [swing for swing in diagnosis.get("swings", ()) if swing["period"] or is_asked]
    swings = [swing for swing in swings if swing["half_size"] is not None]
    return max(swings, key=lambda swing: swing["half_size"] / (swing["band"] or 1.0), default=None)


def _excursion_verdict(case: Case, about: Subject, diagnosis: Result) -> str:
    excursions = diagnosis["excursions"]
    channels = {excursion["channel"] for excursion in excursions["unexplained"]}
    otherwise = channels <= set(excursions["healthy_but"])
    shown, count = excursions["unexplained"][:TOLD_FIRST], excursions["unexplained_count"]
    several = len(channels) > 1 or len(diagnosis["channel_numbers"]) > 1
    rows = [excursion_row(case, about, excursion, diagnosis, placed=several) for excursion in shown]
    if more := count - len(shown):
        rows.append(case.say("excursions_more", count=more))
    key = "verdict_but_for" if otherwise else "verdict_excursions"
    return case.say(key, label=about.label, count=count, told=case.listed(rows))


def excursion_row(
    case: Case, about: Subject, excursion: Result, diagnosis: Result, placed: bool = True
) -> str:
    """Return one time out of its own band: size, duration, when, and the links to its lines."""
    channel = case.say("where_channel", channel=excursion["channel"]).strip()
    return case.say(
        "excursion_row",
        size=excursion["size"],
        unit=unit_of(diagnosis, excursion["channel"]),
        span=excursion["span"],
        clock=moment(excursion["onset_clock"], diagnosis["start"]),
        where=case.say("list_separator") + channel if placed else "",
        lines=", ".join(about.link(line) for line in dict.fromkeys(excursion["lines"])),
    )


def header(case: Case, about: Subject, diagnosis: Result) -> str:
    """Return the sentence on the log itself: its name, span, size, and how old it is."""
    names = diagnosis["channel_names"]
    is_short = len(names) <= MOST_NAMED
    sentence = case.say(
        "header_rows" if "period" in diagnosis["missing"] else "header",
        log=quoted(about.log),
        start=moment(diagnosis["start"]),
        end=moment(diagnosis["end"], diagnosis["start"]),
        span=span_text(diagnosis["seconds"] or 0.0, case.language),
        lines=diagnosis["lines"],
        channels=case.listed(
            f"{number} ({plain_text(names[key])})" if (key := str(number)) in names and is_short else number
            for number in diagnosis["channel_numbers"]
        ),
        count=len(diagnosis["channel_numbers"]),
    )
    more = ""
    if aspect("of_log", case.question.words) and diagnosis["kinds"] and "period" not in diagnosis["missing"]:
        period = span_text(diagnosis["kinds"][0]["period"], case.language)
        columns = case.listed(map(plain_text, diagnosis["beside"]))
        more = case.say("header_columns", period=period, columns=columns or "0")
    begun = case.say("only_begun", log=quoted(about.only_begun)) if about.only_begun else ""
    aged = age(case.task, case.language, diagnosis["end"])
    return together(filter(None, (sentence, more, begun, aged)), case.language)


def kinds(case: Case, diagnosis: Result) -> Iterator[str]:
    """Yield a line per kind of loop that is out of the ordinary, or of each where that is asked.

    What has neither setpoint nor output, beside loops that have, is no kind of loop.
    """
    alike: dict[str, list[Result]] = {}
    in_full = aspect("kind_of_loop", case.question.words)
    for loop in diagnosis["kinds"]:
        if in_full or not (loop["ordinary"] or loop["drive"] == "beside"):
            alike.setdefault(loop["name"], []).append(loop)
    for name, loops in alike.items():
        channels = case.listed(loop["channel"] for loop in loops)
        text = loops[0]["summary" if in_full else "short"] if len(loops) == 1 else name
        yield "\n" + case.say("kind_row", channels=channels, count=len(loops), kind=text) + "\n"
    yield "\n" + case.say("kind_correct") + "\n" if in_full else ""


def key_findings(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Yield a bullet per fault with its lines and values, then what is healthy."""
    for fault in faults_of(diagnosis)[:MOST_FAULTS]:
        since, until = (moment(fault[name], diagnosis["start"]) for name in ("onset_clock", "end_clock"))
        quotes = _quotes(case, about, fault, unit_of(diagnosis, fault["channel"]))
        yield case.item("finding_row", summary=fault["summary"], since=since, until=until, quotes=quotes)
    yield from (f"- {row['text']}\n" for row in diagnosis.get("rising", [])[1:])
    yield from (f"- {plain_text(trend['summary'])}\n" for trend in diagnosis["segments"]["trends"])
    if not [finding for finding in diagnosis["findings"] if finding["class"] != "data_gap"]:
        rows = [plain_text(row["summary"]) for row in diagnosis["workings"] if row["key"] in AMISS]
        yield from (f"- {row}\n" for row in rows if row not in "".join(workings_asked(case, diagnosis)))
        yield from _figures(case, about, diagnosis)
    yield from _healthy(case, about, diagnosis)
    if count := diagnosis["broken"]["count"]:
        line, text, _ = diagnosis["broken"]["examples"][0]
        yield case.item("broken_lines", count=count, line=about.link(line), text=quoted(text))
    yield from (f"- {plain_text(in_language(note, case.language))}\n" for note in diagnosis["notes"])


def happened(case: Case, about: Subject, diagnosis: Result, *kinds: str) -> Iterator[str]:
    """Yield what happened in the log, in order; of some `kinds` alone where these are given."""
    rows = diagnosis["timeline"]
    told_by_finding = [] if kinds else [row for row in rows if row.get("shared")]  # of several channels
    rows = [row for row in rows if (not kinds or row["what"] in kinds) and row not in told_by_finding]
    for row in rows:
        yield case.item("happened_row", **about.at(row, diagnosis["start"]), told=plain_text(row["summary"]))
    channels = diagnosis["channels"] if rows and not kinds else []
    if 0 < len(channels) <= MOST_LAST:
        told = (
            case.say("metric_row", channel=row["channel"], parts=text).rstrip(".。")
            for row in channels
            for values in [{name: row["last"][name] for name in ("setpoint", "pv", "output")}]
            if (text := values_text(case, values, unit_of(diagnosis, row["channel"])))
        )
        at = about.at(channels[-1]["last"], diagnosis["start"])
        yield case.item("happened_last", **at | {"told": case.say("clause_separator").join(told)})


def changed_gains(case: Case, about: Subject, channel: int, change: Result) -> str:
    """Return the sentence on gains that the log states otherwise from a line on."""
    changes = case.listed(
        f"{name} {change[name][0]:g} → {change[name][1]:g}"
        for name in sorted(GAINS & change.keys(), reverse=True)
    )
    return case.say("gains_changed", **about.at(change) | {"channel": channel, "changes": changes})


def _figures(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Yield the figures of the channels, where there is no verdict on any, and why there is none."""
    rows = diagnosis["channels"]
    if any(row["setpoint"] is None for row in rows):
        yield from read_in(case, about, is_aged=False)
    else:
        sentences = (channel_row(case, about, row, unit_of(diagnosis, row["channel"])) for row in rows)
        yield from (f"- {sentence}\n" for sentence in filter(None, sentences))
    told = {f"{doubt['class']}, channel {doubt['channel']}" for doubt in diagnosis["doubts"]}
    withheld = {} if diagnosis["missing"] else diagnosis["withheld"]  # else that says it, once
    rest = (why for name, why in withheld.items() if name not in told and not name.startswith("healthy, "))
    reasons = Counter(rest)  # of what is not healthy the verdict says why
    for reason, count in reasons.items():
        yield case.item("no_verdict_because", reason=plain_text(reason), count=count)


def _quotes(case: Case, about: Subject, finding: Result, unit: str) -> str:
    items = {item["line"]: item for item in reversed(finding["evidence"])}
    shown = sorted(items.values(), key=lambda item: finding["evidence"].index(item))[:MOST_LINES]
    quotes = (f"{about.link(item['line'])} {_values(case, item, unit)}" for item in shown)
    return case.say("clause_separator").join(quotes)


def _values(case: Case, item: Result, unit: str) -> str:
    """Return the values that a line is quoted for, or the line itself where it is an event."""
    return values_text(case, item["values"], unit) or quoted(item["text"])


def values_text(case: Case, values: Result, unit: str) -> str:
    """Return setpoint, pv and output with their units, in the language of the question."""
    units = {"output": "%", "setpoint": unit, "pv": unit}
    names = {name: case.say(f"value_{name}") for name in units}
    known = ((name, value) for name, value in values.items() if value is not None)
    parts = (f"{names.get(name, name)} {value:g} {units.get(name, '')}".rstrip() for name, value in known)
    return case.say("list_separator").join(parts)


def links(about: Subject, finding: Result) -> str:
    """Return the links to the lines that show a finding."""
    lines = dict.fromkeys(item["line"] for item in finding["evidence"])
    return ", ".join([about.link(line) for line in lines][:MOST_LINES])


def _healthy(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    followed = [row for row in _of_class(diagnosis, "healthy") if row["numbers"].get("kind") == "followed"]
    yield from (f"- {plain_text(row['summary'])}\n" for row in followed)
    healthy = [finding["channel"] for finding in _of_class(diagnosis, "healthy")]
    channels = [channel for channel in diagnosis["channels"] if channel["channel"] in healthy]
    if not channels:
        return
    numbers: dict[str, Any] = {"channels": case.listed(healthy), "unit": diagnosis["unit"]}
    if _channel_values(channels, "mean_error") and _channel_values(channels, "duty"):
        numbers |= {"error": max(map(abs, _channel_values(channels, "mean_error")))}
        ends = (f"{end(_channel_values(channels, 'duty')):.0f}" for end in (min, max))
        numbers |= {"output": "–".join(dict.fromkeys(ends)), "count": len(channels)}
        numbers["form"] = case.say("pi_dominant") if all(map(is_pi, channels)) else ""
        drives = {loop["drive"] for loop in diagnosis["kinds"] if loop["channel"] in healthy}
        yield case.item("healthy_pid" if drives == {"continuous"} else "healthy_control", **numbers)
    if _channel_values(channels, "half_peak_to_peak"):
        widest = max(channels, key=lambda channel: channel["half_peak_to_peak"] or 0.0)
        band = next(loop["band"] for loop in diagnosis["kinds"] if loop["channel"] == widest["channel"])
        fields = {"band": (size := widest["half_peak_to_peak"]), "channel": widest["channel"], "own": band}
        told = {row["channel"] for row in diagnosis["excursions"]["explained"]}  # what takes it out of it
        told |= {loop["channel"] for loop in diagnosis["kinds"] if loop["drive"] == "on_off"}
        if size <= band or widest["channel"] not in told:
            yield case.item("healthy_band", **numbers, **fields, inside=size <= band)
        shown = [row for row in _of_class(diagnosis, "healthy") if row["channel"] == widest["channel"]]
        if not faults_of(diagnosis) and shown and shown[0]["evidence"]:
            quotes = _quotes(case, about, shown[0], unit_of(diagnosis, widest["channel"]))
            yield case.item("healthy_lines", channel=widest["channel"], quotes=quotes)
    if _channel_values(channels, "overshoot"):
        most = max(_channel_values(channels, "overshoot"))
        yield case.item("healthy_overshoot", overshoot=most, **numbers)


def _channel_values(channels: list[Result], name: str) -> list[float]:
    return [channel[name] for channel in channels if channel[name] is not None]


def _cause(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Yield the cause of the first fault, what follows from it, and what is ruled out."""
    yield "\n"
    if not (faults := faults_of(diagnosis)):
        return
    first = faults[0]
    if first["cause"] and first["severity"] != "info":  # "too little data" is no cause
        key = "root_cause" if first["confidence"] == "certain" else "cause_likely"
        yield case.say(key, cause=first["cause"]) + "\n\n"
    if first["consequences"]:
        yield case.say("consequences", faults=case.listed(first["consequences"])) + "\n\n"
    if first["written"]:
        fields = about.at(first["written"], diagnosis["start"]) | {"text": quoted(first["written"]["text"])}
        yield case.say("fault_written", **fields) + "\n\n"
    if first["ruled_out"]:
        yield case.say("ruled_out") + "\n\n"
        yield from (f"- {reason}\n" for reason in first["ruled_out"])
        yield "\n"


def next_action(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Yield the one next action: better gains where the fault is theirs and proven, else the remedy."""
    faults = faults_of(diagnosis)
    if not faults:
        yield from _next_healthy(case, about, diagnosis)
        return
    first = faults[0]
    yield from settled(case, first, diagnosis["end"])
    if first["written"] and first["class"] == "control_off":
        line = about.link(first["written"]["line"])
        yield case.say("written_next", line=line, text=quoted(first["written"]["text"])) + "\n\n"
    yield case.say("next_action", action=remedy(case, about, first)) + "\n"
    yield from (f"\n{sentence}\n" for sentence in first["cannot_tell"])
    for fault in faults[1:MOST_FAULTS]:
        if fault["action"] != first["action"] and fault["class"] not in first["explains"]:
            fields = {
                "title": fault["title"],
                "action": fault["action"] + mark(case.task, case.language, step_of(fault)),
            }
            yield "\n" + case.say("afterwards", **fields) + "\n"
            break


def remedy(case: Case, about: Subject, fault: Result) -> str:
    """Return what is to be done about `fault`: better gains where they cure it and are proven."""
    better = ""
    if fault["class"] in TUNED:
        arguments = {"channel": fault["channel"], "language": case.language}
        better = "".join(proposals(case, case.tool("advise_gains", **about.named, **arguments)))
    return better or fault["next_step"] + mark(case.task, case.language, step_of(fault))


def settled(case: Case, fault: Result, end: str) -> Iterator[str]:
    """Yield what settled the same finding before, the likeliest help first; `end`: of the log."""
    for entry in fault["settled"]:
        key = "back" if entry["came_back"] else "sibling" if entry["sibling"] else "own"
        if key == "own" and end[4:5] == "-" and end[:10] < entry["date"]:
            key = "since"
        fields = {"date": entry["date"], "device": plain_text(entry["device"]), "link": entry["link"]}
        outcome = plain_text(entry["outcome"]).rstrip(".。")
        yield case.say(f"settled_{key}", outcome=outcome, **fields) + "\n\n"


def _next_healthy(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Say for all channels that there is nothing to do, and what the log could not test."""
    healthy = _of_class(diagnosis, "healthy")
    if excursions := diagnosis["excursions"]["unexplained"]:
        at = moment(excursions[0]["onset_clock"], diagnosis["start"])
        yield case.say("next_action", action=case.say("excursion_next", clock=at)) + "\n"
    if rising := diagnosis.get("rising"):
        yield case.say("next_action", action=case.say("rising_next", channel=rising[0]["channel"])) + "\n"
    if excursions or rising or not healthy:
        return
    held = {finding["channel"] for finding in healthy}
    rows = (row for row in diagnosis["channels"] if row["channel"] in held)
    stepped = any(row["overshoot"] is not None for row in rows)
    steps = case.say("healthy_stepped" if stepped else "healthy_no_step")
    checks, unjudged = ({*diagnosis[name]} for name in ("checks", "unjudged"))
    numbers = {"checks": len(checks - unjudged), "count": len(healthy), "lines": diagnosis["lines"]}
    key = "healthy_none_of" if checks & unjudged else "healthy_none"
    action = case.say(key, steps=steps, unjudged=len(checks & unjudged), **numbers)
    if swing := _swing(case, diagnosis):
        action = case.say(
            f"swing_next_{swing['maker']}",
            size=swing["half_size"],
            unit=unit_of(diagnosis, swing["channel"]),
            period=swing["period"] or 0.0,
        )
        action = together([action, steps], case.language)
    yield case.say("next_action", action=action) + "\n"


def proposals(case: Case, advice: Result) -> Iterator[str]:
    """Yield the better gains that `advise_gains` found, of each channel that has any."""
    for channel in advice["channels"]:
        if channel["advice"]["proposed"]:
            held = mark(case.task, case.language, Step(channel=channel["channel"], gains=GAINS))
            yield together(channel["advice_sentences"][:BETTER], case.language) + held


def _withheld(case: Case, about: Subject, diagnosis: Result) -> Iterator[str]:
    """Tell doubts, which columns were guessed, what the log cannot tell, and ask for what would tell it."""
    for doubt in diagnosis["doubts"]:
        yield (
            "\n"
            + case.say("doubt", text=plain_text(doubt["text"]), test=plain_text(doubt["next_test"]))
            + "\n"
        )
    missing, guesses = diagnosis["missing"], {*diagnosis["guessed"]}
    columns = {"setpoint", "pv", "output"} if "pv" in guesses else {"setpoint"}
    if guessed := guesses & columns - {*missing}:
        names = (case.say(f"value_{name}") for name in sorted(guessed, reverse=True))
        yield "\n" + case.say("guessed", columns=joined(names, case.language)) + "\n"
    if "in seconds" in diagnosis["guessed"].get("time", ""):
        yield "\n" + case.say("guessed_seconds") + "\n"
    if not missing or not diagnosis["withheld"]:
        return
    fields = joined((case.say(f"value_{name}") for name in missing), case.language)
    key = "withheld_level" if "setpoint" in guesses & {*missing} else "withheld"
    yield "\n" + case.say(key, missing=fields, count=len(diagnosis["withheld"])) + "\n"
    if "period" in missing:
        yield "\n" + case.say("ask_period", log=quoted(about.log)) + "\n"


def _suspicions(case: Case, about: Subject, diagnosis: Result) -> Iterator[tuple[bool, str]]:
    """Yield what the checks say of each part and cause that is suspected, and whether they judged it."""
    is_sound, works = aspect("sound", case.question.words), workings_asked(case, diagnosis)
    is_of_other = _names_beside(case, diagnosis)
    for number, (name, suspects) in enumerate(suspected(case.question.words).items()):
        if is_of_other and name == "sensor":
            continue
        title = cause_title(name, case.language) if name in suspects else case.say(f"part_{name}")
        key, text = _told_of(case, about, diagnosis, name, suspects)
        if key in ("out", "unjudged") and works:
            continue
        beyond = case.say(f"beyond_{name}") if name in BEYOND and key in ("out", "unjudged") else ""
        led = case.lead(bool(is_sound)) if key == "out" and not number else ""
        key = "unsound" if key == "found" and is_sound else key
        said = led + case.say(f"suspect_{key}", title=title[:1].lower() + title[1:], label=about.label)
        is_judged = key not in ("open", "unjudged")
        yield is_judged, together(filter(None, (said, text, beyond)), case.language) + "\n\n"


def _told_of(
    case: Case, about: Subject, diagnosis: Result, name: str, suspects: Sequence[str]
) -> tuple[str, str]:
    """Return what the log says of a part or cause: found, grows, open, out or unjudged; and by what."""
    if seen := _of_class(diagnosis, *suspects):
        return "found", f"{seen[0]['summary']} ({links(about, seen[0])})"
    if "heater_degradation" in suspects and diagnosis["rising"]:
        return "grows", f"{diagnosis['rising'][0]['text']}."
    faults = faults_of(diagnosis)
    untold = next_tests()["untold"].get(name, {case.language: "\0"})[case.language]
    left = [text for fault in faults for text in fault["cannot_tell"] if untold in text]
    if left := left + [fault["next_test"] for fault in faults if fault["open_rival"] in suspects]:
        return "open", left[0]
    weighed = (row for fault in faults for row in fault["alternatives"] if row["class"] in suspects)
    if row := next(weighed, None):
        return "open" if row["reason"] in NOT_RULED_OUT else "out", row["text"]
    judged = {*diagnosis["checks"]} - {*diagnosis["unjudged"]}
    silent = judged & {*suspects} if not _of_class(diagnosis, "insufficient_data") else ()
    counted = {"count": len(silent), "lines": diagnosis["lines"]}
    return ("out", case.say("suspect_silent", **counted)) if silent else ("unjudged", "")
