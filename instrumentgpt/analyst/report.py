"""A diagnosis as one report in sections: verdict, log, findings, cause, ruled out, the one next action."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from instrumentgpt.analyst.case import Case, Result, Subject, ToolFailed, age, choose_log, remembered_in
from instrumentgpt.analyst.constraints import GAINS, Step, mark, step_of
from instrumentgpt.analyst.figures import is_pi, row
from instrumentgpt.analyst.questions import aspect, suspected
from instrumentgpt.analyst.words import joined, moment, plain_text, quoted, together
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.findings import NOT_RULED_OUT
from instrumentgpt.instruments.language import span_text

MOST_FAULTS = 6
MOST_EXCURSIONS = 5  # that nothing explains, the largest
TOLD_FIRST = 2  # of these, in the first sentence
MOST_LINES = 3  # quoted of one finding
BETTER = 3  # sentences of an advice before it repeats the model
HOLDING = 0.5  # share of the time near the setpoint, from which it makes sense to ask about a swing
TUNED = ("oscillation_tuning", "overshoot_tuning", "proportional_offset", "sluggish_tuning")  # gains cure
BEYOND = ("sensor_bias", "heater_degradation")  # what one log cannot show at all, for which there are phrases


def diagnosis(case: Case) -> Iterator[str]:
    """Diagnose the log that is meant, and draw it."""
    about = choose_log(case)
    found = diagnosed(case, about)
    asked = case.question.words
    if aspect("kind_of_loop", asked):
        yield header(case, about, found) + "\n\n"
        yield from kinds(case, found, asked=True)
        yield case.say("kind_correct") + "\n"
        return
    yield from explained(case, about, found, drawn=not (aspect("next", asked) or aspect("evidence", asked)))
    if aspect("evidence", asked):
        yield from _lines(case, about, found)
    if case.question.pasted and any(one["class"] == "insufficient_data" for one in found["findings"]):
        yield "\n" + case.say("pasted_needs") + "\n"


def explained(case: Case, about: Subject, found: Result, drawn: bool = False) -> Iterator[str]:
    """Tell a diagnosis in full; `drawn`: with its chart."""
    yield from _suspicions(case, about, found)
    yield verdict(case, about, found) + "\n\n"
    yield header(case, about, found) + "\n\n"
    yield from kinds(case, found)
    yield from key_findings(case, about, found)
    if drawn:
        draw(case, about)
    yield from _cause(case, about, found)
    yield from _next(case, about, found)
    yield from _withheld(case, about, found)


def diagnosed(case: Case, about: Subject) -> Result:
    """Return the diagnosis of the log, of the channel asked about if there is one."""
    wanted = {"channel": case.question.channel, "language": case.language, "record": remembered_in(case)}
    return case.tool("diagnose_log", **about.named, **wanted)


def draw(case: Case, about: Subject, **wanted: Any) -> None:
    """Draw the log; an answer without its chart is still an answer, and the failed call is shown."""
    with suppress(ToolFailed):
        case.tool(
            "plot_log", **{"channel": case.question.channel, **about.named, **wanted}, language=case.language
        )


def faults_of(found: Result) -> list[Result]:
    """Return the findings that are faults, most important first."""
    return [one for one in found["findings"] if one["class"] != "healthy"]


def verdict(case: Case, about: Subject, found: Result) -> str:
    """Return the answer in one bold sentence, after what must be switched off at once."""
    faults = faults_of(found)
    channels = [one["channel"] for one in found["findings"] if one["class"] == "healthy"]
    if faults:
        dangers = "".join(f"**{one['danger']}**\n\n" for one in faults if one["danger"])
        return dangers + fault_verdict(case, about.label, faults[0], len(faults) - 1)
    if found["excursions"]["unexplained"]:
        return _excursion_verdict(case, about, found)
    if not channels:
        return case.say("verdict_nothing", label=about.label)
    if swing := _swing(case, found):
        told = {
            "label": about.label,
            "size": swing["half_size"],
            "unit": found["unit"],
            "period": swing["period"],
        }
        key = "verdict_wave" if swing["period"] else "verdict_wander"
        return case.say(
            f"{key}_{swing['maker']}", count=len(swing["together"]) + 1, **told, channel=swing["channel"]
        )
    if case.question.channel is not None:
        return case.say("verdict_channel_healthy", label=about.label, channel=channels[0])
    return case.say("verdict_healthy", label=about.label, count=len(channels))


def fault_verdict(case: Case, label: str, fault: Result, others: int = 0) -> str:
    """Return the bold sentence on the most important of a log's faults."""
    placed = "where_device" if fault["channel"] is None else "where_channel"
    return case.say(
        "verdict_fault",
        label=label,
        title=fault["title"],
        where=case.say(placed, channel=fault["channel"]),
        severity=case.say(f"severity_{fault['severity']}"),
        confidence=fault["confidence_word"],
        more=case.say("verdict_more", count=others) if others else "",
    )


def _swing(case: Case, found: Result) -> Result | None:
    """Return the largest swing that is more than noise, where one is asked about, or has a period."""
    asked = aspect("swings", case.question.words)
    swings = [one for one in found.get("swings", ()) if one["maker"] != "noise" and (one["period"] or asked)]
    return max(swings, key=lambda one: one["half_size"] / (one["band"] or 1.0), default=None)


def _excursion_verdict(case: Case, about: Subject, found: Result) -> str:
    excursions = found["excursions"]
    channels = {one["channel"] for one in excursions["unexplained"]}
    otherwise = channels <= set(excursions["healthy_but"])
    shown, count = excursions["unexplained"][:TOLD_FIRST], excursions["unexplained_count"]
    several = len(channels) > 1 or len(found["channel_numbers"]) > 1
    told = [excursion(case, about, one, found, shown_channel=several) for one in shown]
    if more := count - len(shown):
        told.append(case.say("excursions_more", count=more))
    key = "verdict_but_for" if otherwise else "verdict_excursions"
    return case.say(key, label=about.label, count=count, told=case.listed(told))


def excursion(case: Case, about: Subject, one: Result, found: Result, shown_channel: bool = True) -> str:
    """Return one time out of its own band: size, duration, when, and the links to its lines."""
    channel = case.say("where_channel", channel=one["channel"]).strip()
    return case.say(
        "excursion_row",
        size=one["size"],
        unit=found["unit"],
        span=one["span"],
        clock=moment(one["onset_clock"], found["start"]),
        where=case.say("list_separator") + channel if shown_channel else "",
        lines=", ".join(about.link(line) for line in dict.fromkeys(one["lines"])),
    )


def header(case: Case, about: Subject, found: Result) -> str:
    """Return the sentence on the log itself: its name, span, size, and how old it is."""
    told = case.say(
        "header_rows" if "period" in found["missing"] else "header",
        log=quoted(about.log),
        start=moment(found["start"]),
        end=moment(found["end"], found["start"]),
        span=span_text(found["seconds"] or 0.0, case.language),
        lines=found["lines"],
        channels=case.listed(found["channel_numbers"]),
        count=len(found["channel_numbers"]),
    )
    return together([told, *filter(None, [age(case.task, case.language, found["end"])])], case.language)


def kinds(case: Case, found: Result, asked: bool = False) -> Iterator[str]:
    """Yield a line per kind of loop: all with all numbers if `asked`, else only those out of the ordinary."""
    alike: dict[str, list[Result]] = {}
    for one in found["kinds"]:
        if asked or not one["ordinary"]:
            alike.setdefault(f"{one['channel']}" if asked else one["name"], []).append(one)
    for name, own in alike.items():
        told = own[0]["summary" if asked else "short"] if len(own) == 1 else name
        channels = case.listed(one["channel"] for one in own)
        yield case.say("kind_row", channels=channels, count=len(own), kind=told) + "\n\n"


def key_findings(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield a bullet per fault with its lines and values, then what is healthy."""
    yield case.say("key_findings") + "\n\n"
    for one in faults_of(found)[:MOST_FAULTS]:
        since, until = (moment(one[name], found["start"]) for name in ("onset_clock", "end_clock"))
        quotes = _quotes(case, about, one, found["unit"])
        yield case.item("finding_row", summary=one["summary"], since=since, until=until, quotes=quotes)
    excursions = found["excursions"]
    for one in excursions["unexplained"][:MOST_EXCURSIONS]:
        yield case.item("excursion_unexplained", told=excursion(case, about, one, found))
    if (more := excursions["unexplained_count"] - MOST_EXCURSIONS) > 0:
        yield case.item("excursions_more", count=more)
    for title, count in excursions["covered"].items():
        yield case.item("excursions_covered", count=count, title=title)
    yield from (f"- {plain_text(one['summary'])}\n" for one in found["segments"]["trends"])
    if not found["findings"]:
        yield from _figures(case, about, found)
    yield from _healthy(case, about, found)
    if found["broken"]["count"]:
        line, text, _ = found["broken"]["examples"][0]
        told = {"count": found["broken"]["count"], "line": about.link(line), "text": quoted(text)}
        yield case.item("broken_lines", **told)
    yield from (f"- {plain_text(note)}\n" for note in found["notes"])


def _figures(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield the figures of the channels, where there is no verdict on any, and why there is none."""
    yield from (f"- {told}\n" for one in found["channels"] if (told := row(case, about, one, found["unit"])))
    listed = {f"healthy, channel {channel}" for channel in found["excursions"]["healthy_but"]}
    reasons = Counter(why for name, why in found["withheld"].items() if name not in listed)
    for reason, count in reasons.items():
        yield case.item("no_verdict_because", reason=plain_text(reason), count=count)
    one = found["channels"][0] if found["channels"] else {}
    if one.get("setpoint") is not None and (one["in_band"] or 0.0) >= HOLDING:
        numbers = {"band": one["half_peak_to_peak"], "setpoint": one["setpoint"], "unit": found["unit"]}
        yield "\n" + case.say("no_verdict_next", **numbers).replace("  ", " ") + "\n"


def _quotes(case: Case, about: Subject, finding: Result, unit: str) -> str:
    items = {item["line"]: item for item in reversed(finding["evidence"])}
    shown = sorted(items.values(), key=lambda item: finding["evidence"].index(item))[:MOST_LINES]
    quotes = (f"{about.link(item['line'])} {_values(case, item, unit)}" for item in shown)
    return case.say("clause_separator").join(quotes)


def _values(case: Case, item: Result, unit: str) -> str:
    """Return the values that a line is quoted for, or the line itself where it is an event."""
    known = {name: value for name, value in item["values"].items() if value is not None}
    return values_text(case, known, unit) if known else quoted(item["text"])


def values_text(case: Case, values: Result, unit: str) -> str:
    """Return setpoint, pv and output with their units, in the language of the question."""
    units = {"output": "%", "setpoint": unit, "pv": unit}
    names = {name: case.say(f"value_{name}") for name in units}
    said = (
        f"{names.get(name, name)} {value:g} {units.get(name, '')}".rstrip() for name, value in values.items()
    )
    return case.say("list_separator").join(said)


def links(about: Subject, finding: Result) -> str:
    """Return the links to the lines that show a finding."""
    lines = dict.fromkeys(item["line"] for item in finding["evidence"])
    return ", ".join([about.link(line) for line in lines][:MOST_LINES])


def _healthy(case: Case, about: Subject, found: Result) -> Iterator[str]:
    healthy = [one["channel"] for one in found["findings"] if one["class"] == "healthy"]
    channels = [one for one in found["channels"] if one["channel"] in healthy]
    if not channels:
        return
    numbers: dict[str, Any] = {"channels": case.listed(healthy), "unit": found["unit"]}
    if _channel_values(channels, "mean_error") and _channel_values(channels, "duty"):
        numbers |= {"error": max(map(abs, _channel_values(channels, "mean_error")))}
        ends = (f"{end(_channel_values(channels, 'duty')):.0f}" for end in (min, max))
        numbers |= {"output": "–".join(dict.fromkeys(ends)), "count": len(channels)}
        numbers["form"] = case.say("pi_dominant") if all(map(is_pi, channels)) else ""
        drives = {one["drive"] for one in found["kinds"] if one["channel"] in healthy}
        yield case.item("healthy_pid" if drives == {"continuous"} else "healthy_control", **numbers)
    if _channel_values(channels, "half_peak_to_peak"):
        widest = max(channels, key=lambda one: one["half_peak_to_peak"] or 0.0)
        own = next(one["band"] for one in found["kinds"] if one["channel"] == widest["channel"])
        told = {"band": widest["half_peak_to_peak"], "channel": widest["channel"], "own": own}
        yield case.item("healthy_band", **numbers, **told)
        lines = [
            one
            for one in found["findings"]
            if one["class"] == "healthy" and one["channel"] == widest["channel"]
        ]
        if not faults_of(found) and lines and lines[0]["evidence"]:
            quotes = _quotes(case, about, lines[0], found["unit"])
            yield case.item("healthy_lines", channel=widest["channel"], quotes=quotes)
    if _channel_values(channels, "overshoot"):
        most = max(_channel_values(channels, "overshoot"))
        yield case.item("healthy_overshoot", overshoot=most, **numbers)


def _channel_values(channels: list[Result], name: str) -> list[float]:
    return [one[name] for one in channels if one[name] is not None]


def _cause(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield who makes the swing where there is no fault, else the cause, what follows, what is out."""
    yield "\n"
    faults = faults_of(found)
    if not faults:
        if swing := _swing(case, found):
            yield _made_by(case, swing, found["unit"]) + "\n\n"
        return
    first = faults[0]
    if first["cause"] and first["severity"] != "info":  # "too little data" is no cause
        key = "root_cause" if first["confidence"] == "certain" else "cause_likely"
        yield case.say(key, cause=first["cause"]) + "\n\n"
    if first["consequences"]:
        yield case.say("consequences", faults=case.listed(first["consequences"])) + "\n\n"
    if first["coincidences"]:
        yield case.say("coincides") + "\n\n"
        yield from coincident(about, first)
        yield "\n"
    if first["ruled_out"]:
        yield case.say("ruled_out") + "\n\n"
        yield from (f"- {reason}\n" for reason in first["ruled_out"])
        yield "\n"


def _made_by(case: Case, swing: Result, unit: str) -> str:
    """Return who makes a swing within the band, by which numbers, in a paragraph."""
    numbers = {name: float("nan") if value is None else value for name, value in swing.items()}
    numbers |= {
        "unit": unit,
        "others": case.listed(swing["together"]),
        "share": 100 * swing["half_size"] / swing["band"],
    }
    told = [case.say(f"swing_{swing['maker']}", **numbers)]
    if swing["period"]:
        answers = "swing_response" if swing["output"] is not None else "swing_no_output"
        told[:0] = [case.say("swing_regular", **numbers), case.say(answers, **numbers)]
        if None not in (swing["expected"], swing["phase"]) and abs(swing["phase"] - swing["expected"]) < 10:
            told.append(case.say("swing_answers", **numbers))
    return together(told, case.language)


def coincident(about: Subject, fault: Result) -> Iterator[str]:
    """Yield a bullet per kind of event line that coincides with `fault`, with links to the lines."""
    for one in fault["coincidences"]:
        places = ", ".join(about.link(line) for line in one["lines"])
        yield f"- {plain_text(one['text'])} ({places})\n"


def _next(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield the one next action: better gains where the fault is theirs and proven, else the remedy."""
    faults = faults_of(found)
    if not faults:
        yield from _next_healthy(case, found)
        return
    first = faults[0]
    yield from settled(case, first)
    better = ""
    if first["class"] in TUNED:
        wanted = {"channel": first["channel"], "language": case.language}
        better = "".join(proposals(case, case.tool("advise_gains", **about.named, **wanted)))
    held = mark(case.task, case.language, step_of(first))
    yield case.say("next_action", action=better or first["next_step"] + held) + "\n"
    yield from (f"\n{one}\n" for one in first["cannot_tell"])
    for one in faults[1:MOST_FAULTS]:
        if one["action"] != first["action"] and one["class"] not in first["explains"]:
            told = {
                "title": one["title"],
                "action": one["action"] + mark(case.task, case.language, step_of(one)),
            }
            yield "\n" + case.say("afterwards", **told) + "\n"
            break


def settled(case: Case, fault: Result) -> Iterator[str]:
    """Yield what settled the same finding before, the likeliest help first."""
    for one in fault["settled"]:
        key = "back" if one["came_back"] else "sibling" if one["sibling"] else "own"
        told = {"date": one["date"], "device": plain_text(one["device"]), "link": one["link"]}
        outcome = plain_text(one["outcome"]).rstrip(".。")
        yield case.say(f"settled_{key}", outcome=outcome, **told) + "\n\n"


def _next_healthy(case: Case, found: Result) -> Iterator[str]:
    """Say for all channels that there is nothing to do, and what the log could not test."""
    healthy = [one for one in found["findings"] if one["class"] == "healthy"]
    if not healthy:
        return
    stepped = any(one["numbers"].get("kind") == "stepped" for one in healthy)
    steps = case.say("healthy_stepped" if stepped else "healthy_no_step")
    numbers = {"checks": len(found["checks"]), "count": len(healthy), "lines": found["lines"]}
    action = case.say("healthy_none", steps=steps, **numbers)
    if swing := _swing(case, found):
        action = case.say(
            f"swing_next_{swing['maker']}",
            size=swing["half_size"],
            unit=found["unit"],
            period=swing["period"] or 0.0,
        )
        action = together([action, steps], case.language)
    yield case.say("next_action", action=action) + "\n"


def proposals(case: Case, found: Result) -> Iterator[str]:
    """Yield the better gains that `advise_gains` found, of each channel that has any."""
    for one in found["channels"]:
        if one["advice"]["proposed"]:
            held = mark(case.task, case.language, Step(channel=one["channel"], gains=GAINS))
            yield together(one["advice_sentences"][:BETTER], case.language) + held


def _withheld(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Say which columns were guessed, what the log cannot tell, and ask for what would tell it."""
    columns = {"setpoint", "pv", "output"} if "pv" in found["guessed"] else {"setpoint"}
    if guessed := {*found["guessed"]} & columns - {*found["missing"]}:
        names = (case.say(f"missing_{name}") for name in sorted(guessed, reverse=True))
        yield "\n" + case.say("guessed", columns=joined(names, case.language)) + "\n"
    if not found["missing"] or not found["withheld"]:
        return
    fields = joined((case.say(f"missing_{name}") for name in found["missing"]), case.language)
    key = "withheld_level" if {"setpoint"} <= set(found["missing"]) & set(found["guessed"]) else "withheld"
    yield "\n" + case.say(key, missing=fields, count=len(found["withheld"])) + "\n"
    if "period" in found["missing"]:
        yield "\n" + case.say("ask_period", log=quoted(about.log)) + "\n"


def _lines(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield the raw lines behind each finding, and what was ruled out of the others."""
    yield "\n" + case.say("raw_lines") + "\n\n"
    for place, one in enumerate(faults_of(found)[:MOST_FAULTS] or found["findings"][:MOST_LINES]):
        yield f"- {one['summary']}\n"
        yield from (f"  - {about.link(item['line'])} {quoted(item['text'])}\n" for item in one["evidence"])
        yield from (
            "  - " + case.say("not_that", reason=reason) + "\n" for reason in one["ruled_out"] if place
        )


def _suspicions(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield what the checks say of the parts and causes that the question suspects, if it does."""
    too_little = any(one["class"] == "insufficient_data" for one in found["findings"])
    for name, faults in suspected(case.question.words).items():
        seen = [one for one in found["findings"] if one["class"] in faults]
        judged = {*found["checks"]} - {*found["unjudged"]} if not too_little else ()
        silent = [one for one in faults if one in judged]
        title = cause_title(name, case.language) if len(faults) == 1 else case.say(f"part_{name}")
        if seen:
            key, text = "suspect_found", f"{seen[0]['summary']} ({links(about, seen[0])})"
        elif left := _weighed(found, faults):
            key, text = f"suspect_{'open' if left['reason'] in NOT_RULED_OUT else 'out'}", left["text"]
        elif silent:
            key, text = "suspect_out", case.say("suspect_silent", count=len(silent), lines=found["lines"])
        else:
            key, text = "suspect_unjudged", ""
        is_beyond = key == "suspect_out" and len(faults) == 1 and faults[0] in BEYOND
        beyond = case.say(f"beyond_{faults[0]}") if is_beyond else ""
        told = (case.say(key, title=title[:1].lower() + title[1:], label=about.label), text, beyond)
        yield " ".join(filter(None, told)) + "\n\n"


def _weighed(found: Result, faults: Sequence[str]) -> Result | None:
    """Return what a check that found something says of the causes `faults`."""
    rows = (row for one in faults_of(found) for row in one["alternatives"] if row["class"] in faults)
    return next(rows, None)
