"""How a diagnosis is told: verdict, the log itself, a bullet per finding, and what is healthy."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from instrumentgpt.agents.offline.answers.metrics import is_pi, row
from instrumentgpt.agents.offline.answers.subject import Subject
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import joined, moment, phrase, plain_text, quoted
from instrumentgpt.instruments.language import span_text

MOST_FAULTS = 6
MOST_EXCURSIONS = 5  # that nothing explains, the largest
TOLD_FIRST = 2  # of these, in the first sentence
MOST_LINES = 3  # quoted of one finding
HOLDING = 0.5  # share of the time near the setpoint, from which it makes sense to ask about a swing
REGULAR = 0.6  # autocorrelation above which a swing has a period worth saying


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
        return phrase("verdict_nothing", case.language, label=about.label)
    if case.question.channel is not None:
        return phrase("verdict_channel_healthy", case.language, label=about.label, channel=channels[0])
    return phrase("verdict_healthy", case.language, label=about.label, count=len(channels))


def _excursion_verdict(case: Case, about: Subject, found: Result) -> str:
    """Return the bold sentence on excursions that nothing explains, where there is no fault."""
    excursions = found["excursions"]
    channels = {one["channel"] for one in excursions["unexplained"]}
    otherwise = channels <= set(excursions["healthy_but"])
    shown, count = excursions["unexplained"][:TOLD_FIRST], excursions["unexplained_count"]
    several = len(channels) > 1 or len(found["channel_numbers"]) > 1
    told = [excursion(case, about, one, found, shown_channel=several) for one in shown]
    if more := count - len(shown):
        told.append(phrase("excursions_more", case.language, count=more))
    key = "verdict_but_for" if otherwise else "verdict_excursions"
    return phrase(key, case.language, label=about.label, count=count, told=joined(told, case.language))


def excursion(case: Case, about: Subject, one: Result, found: Result, shown_channel: bool = True) -> str:
    """Return one time out of its own band: size, duration, when, and the links to its lines."""
    channel = phrase("where_channel", case.language, channel=one["channel"]).strip()
    placed = phrase("list_separator", case.language) + channel if shown_channel else ""
    return phrase(
        "excursion_row",
        case.language,
        size=one["size"],
        unit=found["unit"],
        span=one["span"],
        clock=moment(one["onset_clock"], found["start"]),
        where=placed,
        lines=", ".join(about.link(line) for line in dict.fromkeys(one["lines"])),
    )


def _excursions(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield a bullet per excursion that nothing explains, and how many the findings cover."""
    excursions = found["excursions"]
    for one in excursions["unexplained"][:MOST_EXCURSIONS]:
        told = excursion(case, about, one, found)
        yield "- " + phrase("excursion_unexplained", case.language, told=told) + "\n"
    if (more := excursions["unexplained_count"] - MOST_EXCURSIONS) > 0:
        yield "- " + phrase("excursions_more", case.language, count=more) + "\n"
    for title, count in excursions["covered"].items():
        yield "- " + phrase("excursions_covered", case.language, count=count, title=title) + "\n"


def kinds(case: Case, found: Result, asked: bool = False) -> Iterator[str]:
    """Yield a line per kind of loop: all with all numbers if `asked`, else only those out of the ordinary."""
    alike: dict[str, list[Result]] = {}
    for one in found["kinds"]:
        if asked or not one["ordinary"]:
            alike.setdefault(f"{one['channel']}" if asked else one["name"], []).append(one)
    for name, own in alike.items():
        told = own[0]["summary" if asked else "short"] if len(own) == 1 else name
        channels = joined((one["channel"] for one in own), case.language)
        yield phrase("kind_row", case.language, channels=channels, count=len(own), kind=told) + "\n\n"


def fault_verdict(case: Case, label: str, fault: Result, others: int = 0) -> str:
    """Return the bold sentence on the most important of a log's faults."""
    placed = "where_device" if fault["channel"] is None else "where_channel"
    return phrase(
        "verdict_fault",
        case.language,
        label=label,
        title=fault["title"],
        where=phrase(placed, case.language, channel=fault["channel"]),
        severity=phrase(f"severity_{fault['severity']}", case.language),
        confidence=fault["confidence_word"],
        more=phrase("verdict_more", case.language, count=others) if others else "",
    )


def links(about: Subject, finding: Result) -> str:
    """Return the links to the lines that show a finding."""
    lines = dict.fromkeys(item["line"] for item in finding["evidence"])
    return ", ".join([about.link(line) for line in lines][:MOST_LINES])


def key_findings(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield a bullet per fault with its lines and values, then what is healthy."""
    yield phrase("key_findings", case.language) + "\n\n"
    for one in faults_of(found)[:MOST_FAULTS]:
        since, until = (moment(one[name], found["start"]) for name in ("onset_clock", "end_clock"))
        quotes = _quotes(case, about, one, found["unit"])
        told = {"summary": one["summary"], "since": since, "until": until, "quotes": quotes}
        yield "- " + phrase("finding_row", case.language, **told) + "\n"
    yield from _excursions(case, about, found)
    for one in found["segments"]["trends"]:
        yield f"- {plain_text(one['summary'])}\n"
    if not found["findings"]:
        yield from _figures(case, about, found)
    yield from _healthy(case, about, found)
    if found["broken"]["count"]:
        yield "- " + _broken(case, about, found["broken"]) + "\n"
    for note in found["notes"]:
        yield f"- {plain_text(note)}\n"


def _figures(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield the figures of the channels, where there is no verdict on any, and why there is none."""
    for one in found["channels"]:
        if told := row(case, about, one, found["unit"]):
            yield f"- {told}\n"
    listed = {f"healthy, channel {channel}" for channel in found["excursions"]["healthy_but"]}
    reasons = Counter(why for name, why in found["withheld"].items() if name not in listed)
    for reason, count in reasons.items():
        yield (
            "- " + phrase("no_verdict_because", case.language, reason=plain_text(reason), count=count) + "\n"
        )
    one = found["channels"][0] if found["channels"] else {}
    if one.get("setpoint") is not None and (one["in_band"] or 0.0) >= HOLDING:
        numbers = {"band": one["half_peak_to_peak"], "setpoint": one["setpoint"], "unit": found["unit"]}
        yield "\n" + phrase("no_verdict_next", case.language, **numbers).replace("  ", " ") + "\n"


def _quotes(case: Case, about: Subject, finding: Result, unit: str) -> str:
    items = {item["line"]: item for item in reversed(finding["evidence"])}
    shown = sorted(items.values(), key=lambda item: finding["evidence"].index(item))[:MOST_LINES]
    quotes = (f"{about.link(item['line'])} {_values(case, item, unit)}" for item in shown)
    return phrase("clause_separator", case.language).join(quotes)


def _values(case: Case, item: Result, unit: str) -> str:
    """Return the values that a line is quoted for, or the line itself where it is an event."""
    known = {name: value for name, value in item["values"].items() if value is not None}
    return values_text(case, known, unit) if known else quoted(item["text"])


def values_text(case: Case, values: Result, unit: str) -> str:
    """Return setpoint, pv and output with their units, in the language of the question."""
    units = {"output": "%", "setpoint": unit, "pv": unit}
    names = {name: phrase(f"value_{name}", case.language) for name in units}
    said = (
        f"{names.get(name, name)} {value:g} {units.get(name, '')}".rstrip() for name, value in values.items()
    )
    return phrase("list_separator", case.language).join(said)


def _healthy(case: Case, about: Subject, found: Result) -> Iterator[str]:
    healthy = [one["channel"] for one in found["findings"] if one["class"] == "healthy"]
    channels = [one for one in found["channels"] if one["channel"] in healthy]
    if not channels:
        return
    numbers: dict[str, Any] = {"channels": joined(healthy, case.language), "unit": found["unit"]}
    if _known(channels, "mean_error") and _known(channels, "duty"):
        numbers |= {"error": max(map(abs, _known(channels, "mean_error")))}
        ends = (f"{end(_known(channels, 'duty')):.0f}" for end in (min, max))
        numbers |= {"output": "–".join(dict.fromkeys(ends)), "count": len(channels)}
        numbers["form"] = phrase("pi_dominant", case.language) if all(map(is_pi, channels)) else ""
        drives = {one["drive"] for one in found["kinds"] if one["channel"] in healthy}
        key = "healthy_pid" if drives == {"continuous"} else "healthy_control"
        yield "- " + phrase(key, case.language, **numbers) + "\n"
    if _known(channels, "half_peak_to_peak"):
        widest = max(channels, key=lambda one: one["half_peak_to_peak"] or 0.0)
        own = next(one["band"] for one in found["kinds"] if one["channel"] == widest["channel"])
        told = phrase("healthy_band", case.language, **numbers, **_swing(widest), own=own)
        regular = (widest["regularity"] or 0.0) > REGULAR and widest["period"] is not None
        yield f"- {told}{phrase('healthy_period', case.language, **_swing(widest)) if regular else ''}\n"
        if not faults_of(found):
            yield from _healthy_lines(case, about, found, widest["channel"])
    if _known(channels, "overshoot"):
        most = max(_known(channels, "overshoot"))
        yield "- " + phrase("healthy_overshoot", case.language, overshoot=most, **numbers) + "\n"


def _healthy_lines(case: Case, about: Subject, found: Result, channel: int) -> Iterator[str]:
    """Quote the lines of the channel that swings most: where it was highest and where lowest."""
    own = [one for one in found["findings"] if one["class"] == "healthy" and one["channel"] == channel]
    if own and own[0]["evidence"]:
        quotes = _quotes(case, about, own[0], found["unit"])
        yield "- " + phrase("healthy_lines", case.language, channel=channel, quotes=quotes) + "\n"


def _known(channels: list[Result], name: str) -> list[float]:
    return [one[name] for one in channels if one[name] is not None]


def _swing(one: Result) -> dict[str, Any]:
    return {"band": one["half_peak_to_peak"], "channel": one["channel"], "period": one["period"]}


def _broken(case: Case, about: Subject, broken: Result) -> str:
    line, text, _ = broken["examples"][0]
    return phrase(
        "broken_lines", case.language, count=broken["count"], line=about.link(line), text=quoted(text)
    )


def header(case: Case, about: Subject, found: Result) -> str:
    """Return the sentence on the log itself: its name, span and size."""
    return phrase(
        "header_rows" if "period" in found["missing"] else "header",
        case.language,
        log=quoted(about.log),
        start=moment(found["start"]),
        end=moment(found["end"], found["start"]),
        span=span_text(found["seconds"] or 0.0, case.language),
        lines=found["lines"],
        channels=joined(found["channel_numbers"], case.language),
        count=len(found["channel_numbers"]),
    )
