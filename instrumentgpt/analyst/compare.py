"""What differs: between two logs, two devices, or before and after a moment of one log."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.analyst.case import (
    Case,
    NothingToRead,
    Result,
    Subject,
    bare,
    choose_log,
    dropped_logs,
    fetched_log,
    known_log,
    log_names,
    older_log,
)
from instrumentgpt.analyst.events import topic
from instrumentgpt.analyst.questions import aspect
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

COMPARED_AS = {
    "gains": GAIN_NAMES,
    "output": ("duty",),
    "in_band": ("out_of_band",),
}  # of a comparison's rows


def compare(case: Case) -> Iterator[str]:
    """Compare two logs of a device, two devices, or the time before a moment with that after."""
    if aspect("before_after", case.question.words) and (told := list(_around(case))):
        yield from told
        return
    if other := other_device(case):
        about, older = _own_log(case), _other_log(case, **other)
        found = _compared(case, log=about.reference, before=older.reference)
        key = "compare_devices" if found["changes"] else "compare_devices_same"
        yield case.say(key, count=len(found["changes"]), label=about.label, other=older.label) + "\n\n"
        yield from _difference_lines(case, about, older, found, f"{about.device}: ")
        return
    about, before = _two_logs(case)
    if not before:
        yield case.say("compare_one", label=about.label, count=1)
        return
    found = _compared(case, **about.named, before=before)
    key = "compare_title" if found["changes"] else "compare_same"
    named = {"label": about.label, "before": quoted(found["before"]), "after": quoted(found["log"])}
    yield case.say(key, count=len(found["changes"]), **named) + "\n\n"
    yield from _difference_lines(case, about, Subject(before, about.device), found)


def _compared(case: Case, **logs: str) -> Result:
    """Return what differs between two logs, of the channels and the quantity that are asked about."""
    asked = case.question
    found = case.tool("compare_logs", **logs, language=case.language)
    named = [asked.gain] if asked.gain else COMPARED_AS.get(asked.quantity, [asked.quantity])
    own = {*named} & {row["quantity"] for row in found["compared"]}

    def is_meant(row: Result) -> bool:
        in_channel = not asked.channels or row.get("channel") in (None, *asked.channels)
        return in_channel and (not own or row["quantity"] in own)

    parts = ("changes", "lasting", "compared")
    return found | {part: [*filter(is_meant, found[part])] for part in parts} | {"narrowed": bool(own)}


def other_device(case: Case) -> dict[str, str]:
    """Return "device" and "log" of what the device that is named first is compared with; {}: with itself.

    That is the second device named, or the one that was in view before.
    """
    asked, named = case.question, case.task.devices
    if asked.log or asked.days or asked.previous or aspect("in_time", asked.words):
        return {}
    if len(named) == 2:
        return {"device": named[1], "log": ""}
    return dict(case.task.left) if len(named) == 1 else {}


def _own_log(case: Case) -> Subject:
    """Return the log of the first device that is in view, else its newest."""
    known = known_log(case)
    return choose_log(case) if known and known.device else fetched_log(case)


def _other_log(case: Case, device: str, log: str) -> Subject:
    """Return the log of `device` that was in view, else its newest."""
    return fetched_log(case, "" if bare(log) in dropped_logs(case) else bare(log), device)


def _two_logs(case: Case) -> tuple[Subject, str]:
    """Return the later log, and the name of the earlier one, fetched; "" if there is none."""
    question = case.question
    if len(question.days) > 1 and case.device:
        first, last = (older_log(case, day) for day in (question.days[0], question.days[-1]))
        fetched_log(case, first)
        return fetched_log(case, last), first
    if question.day and case.device:
        fetched_log(case, before := older_log(case))
        return fetched_log(case), before
    if not case.device:
        about = choose_log(case)
        return about, next((name for name in dropped_logs(case) if name != about.log), "")
    named = bare(question.log) if question.log and not dropped_logs(case) else ""
    known = None if case.task.devices else known_log(case)
    about = known if known and known.device else fetched_log(case)
    if not about.device:
        return about, next((name for name in dropped_logs(case) if name != about.log), "")
    if named and named != about.log:
        return about, fetched_log(case, named).log
    names = log_names(case)
    place = names.index(about.log) + 1 if about.log in names else len(names)
    return about, fetched_log(case, names[place]).log if place < len(names) else ""


def _difference_lines(
    case: Case, about: Subject, older: Subject, found: Result, whose: str = ""
) -> Iterator[str]:
    """Yield a line per difference, then what lasts, then what was compared.

    whose  stands before a figure, whose new value is that of one device of two
    """
    for one in (*found["changes"], *found["lasting"]):
        where = older if one["before"] else about
        led = f"{where.link(int(one['line']))} " if "line" in one else whose
        yield f"- {led}{plain_text(one['text'])}\n"
    if found["narrowed"]:
        changed = {(row.get("channel"), row["quantity"]) for row in found["changes"]}
        for row in found["compared"]:
            if (row["channel"], row["quantity"]) not in changed and row["after"] is not None:
                yield case.item("compare_equal", **row)
        return
    quantities = case.say("list_separator").join(dict.fromkeys(row["name"] for row in found["compared"]))
    yield "\n" + case.say("compare_looked_at", count=len(found["compared"]), quantities=quantities)


def _around(case: Case) -> Iterator[str]:
    """Yield what each channel read before and after the moment that is named, or the first event that is."""
    about = choose_log(case, known=True)
    clock = next(iter(case.question.clocks), "")
    if not clock and (query := topic(case)):
        with suppress(NothingToRead):
            groups = case.tool("search_events", **about.named, query=query)["groups"]
            clock = min((group["first"]["clock"] for group in groups), default="")[11:19]
    if not clock:
        return
    wanted = {**about.named, "channel": case.question.channel}
    before, after = (case.tool("channel_metrics", **wanted, **{side: clock}) for side in ("until", "since"))
    yield case.say("around_title", label=about.label, clock=moment(clock)) + "\n\n"
    units = {"pv": before["unit"], "error": before["unit"], "output": "%"}
    for one, other in zip(before["channels"], after["channels"], strict=True):
        parts = []
        for name, unit in units.items():
            means = [row["extremes"][name]["mean"] for row in (one, other) if name in row["extremes"]]
            if len(means) == 2:
                named = {"name": case.say(f"value_{name}"), "before": means[0], "after": means[1]}
                parts.append(case.say("around_row", unit=unit, **named))
        if parts:
            told = case.say("list_separator").join(parts)
            yield case.item("metric_row", channel=one["channel"], parts=told)
