"""What differs: between two logs, two devices, or before and after a moment of one log."""

from collections.abc import Iterator

from instrumentgpt.analyst.case import (
    Case,
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
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.programme import held_setpoints
from instrumentgpt.analyst.questions import aspect, channels_in, numbers_in
from instrumentgpt.analyst.report import diagnose, rising_over
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

# Quantity that is asked for → those of a comparison's rows that tell it, where they are named otherwise.
COMPARED_AS = {"gains": GAIN_NAMES, "output": ("duty",), "in_band": ("out_of_band",)}


def compare(case: Case) -> Iterator[str]:
    """Compare two logs of a device, or two devices."""
    about, older = _two_devices(case) or _two_logs(case)
    if about.device and older and older.reference == about.reference and len(case.question.days) > 1:
        yield from figures(case)
        return
    rising = rising_over(case, about) if aspect("trend", case.question.words) else []
    yield from (f"**{row['text']}.**\n\n" for row in rising)
    if not older:
        yield from diagnose(case)
        yield "\n" + case.say("compare_one", label=about.label, count=1) + "\n"
        return
    comparison = _compared(case, log=about.reference, before=older.reference)
    names = dict.fromkeys(row["name"] for row in comparison["compared"]) if comparison["narrowed"] else ()
    yield case.lead(bool(comparison["changes"])) if names else ""
    of_devices = about.device != older.device
    before, after = (one.label if of_devices else quoted(one.log) for one in (older, about))
    title = {"label": about.label, "count": len(comparison["changes"]), "before": before, "after": after}
    of = case.say("compare_of", names=case.listed(names)) if names else ""
    yield case.say("compare_title_devices" if of_devices else "compare_title", of=of, **title) + "\n\n"
    whose = f"{about.device or about.label}: " if of_devices else ""
    yield from _difference_lines(case, about, older, comparison, whose)
    for log in () if of_devices else (older, about):  # on equal terms, where a setpoint is named
        if held := list(held_setpoints(case, log)):
            yield from (f"\n{quoted(log.log)}\n\n", *held)


def _compared(case: Case, **logs: str) -> Result:
    """Return what differs between two logs, of the channels and the quantity that are asked about."""
    question = case.question
    named_now = question.again or channels_in(question.words)
    channels = question.channels if named_now else ()  # not those of the question before
    numbers = [*numbers_in(question.words) - {*question.channels}]
    at = {"at": numbers[0]} if len(numbers) == 1 and question.days else {}
    comparison = case.tool("compare_logs", **logs, **at, language=case.language)
    named = [question.gain] if question.gain else COMPARED_AS.get(question.quantity, [question.quantity])
    quantities = {*named} & {row["quantity"] for row in comparison["compared"]}

    def is_meant(row: Result) -> bool:
        in_channel = not channels or row.get("channel") in (None, *channels)
        return in_channel and (not quantities or row["quantity"] in quantities)

    meant = {part: [*filter(is_meant, comparison[part])] for part in ("changes", "lasting", "compared")}
    return comparison | meant | {"narrowed": bool(quantities)}


def _two_devices(case: Case) -> tuple[Subject, Subject] | None:
    """Return the log of the device that is named first, and of what it is compared with; None: with itself.

    That is the second device named, the one that was in view before, or one beside a log that was brought.
    """
    question, named, dropped = case.question, case.task.devices, dropped_logs(case)
    if question.log or question.days or question.previous or aspect("in_time", question.words):
        return None
    in_view, left = bare(case.state_field("last_log_file")) or next(iter(dropped), ""), case.task.left
    if len(named) == 1 and not left and in_view in dropped:
        return Subject(in_view, label=in_view), fetched_log(case, device=named[0])
    other, log = (named[1], "") if len(named) == 2 else (left.get("device", ""), bare(left.get("log", "")))
    if not named or not other:
        return None
    about = choose_log(case) if (known := known_log(case)) and known.device else fetched_log(case)
    return about, fetched_log(case, "" if log in dropped else log, other)


def _two_logs(case: Case) -> tuple[Subject, Subject | None]:
    """Return the later log, and the earlier one, fetched; None if there is none."""
    question, days = case.question, case.question.days
    if days and case.device:
        names = log_names(case)
        ends = [older_log(case, days[0]), older_log(case, days[-1]) if days[1:] else names[0]]
        last, first = sorted(ends, key=names.index)
        return fetched_log(case, last), fetched_log(case, first)
    named = bare(question.log) if question.log and not dropped_logs(case) else ""
    subject = None if case.task.devices else known_log(case)
    of_device = subject if subject and subject.device else None
    about = of_device or (fetched_log(case) if case.device else choose_log(case))
    if not about.device:
        other = next((name for name in dropped_logs(case) if name != about.log), "")
        return about, Subject(other) if other else None
    names = log_names(case)
    place = names.index(about.log) + 1 if about.log in names else len(names)
    before = names[-1:] if aspect("trend", question.words) else names[place : place + 1]
    if named and named != about.log:
        before = [named]
    return about, fetched_log(case, before[0]) if before and before[0] != about.log else None


def _difference_lines(
    case: Case, about: Subject, older: Subject, comparison: Result, whose: str = ""
) -> Iterator[str]:
    """Yield a line per difference, then what lasts, then what was compared.

    whose  stands before a figure, whose new value is that of one device of two
    """
    for change in (*comparison["changes"], *comparison["lasting"]):
        where = older if change["before"] else about
        led = f"{where.link(int(change['line']))} " if "line" in change else whose
        yield f"- {led}{plain_text(change['text'])}\n"
    if aspect("was_changed", case.question.words):
        yield "\n" * bool(comparison["changes"]) + case.say("compare_not_who")
    elif comparison["narrowed"]:
        changed = {(row.get("channel"), row["quantity"]) for row in comparison["changes"]}
        for row in comparison["compared"]:
            if (row["channel"], row["quantity"]) not in changed and row["after"] is not None:
                yield case.item("compare_equal", **row)
    else:
        names = case.say("list_separator").join(dict.fromkeys(row["name"] for row in comparison["compared"]))
        yield "\n" + case.say("compare_looked_at", count=len(comparison["compared"]), quantities=names)
