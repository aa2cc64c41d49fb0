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
from instrumentgpt.analyst.programme import gains_since, held_setpoints
from instrumentgpt.analyst.questions import aspect, channels_in, numbers_in
from instrumentgpt.analyst.report import diagnose, rising_over
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

# Quantity that is asked for → those of a comparison's rows that tell it, where they are named otherwise.
COMPARED_AS = {"gains": GAIN_NAMES, "output": ("duty",), "in_band": ("out_of_band",)}


def compare(case: Case) -> Iterator[str]:
    """Compare two logs of a device, two devices, or the time before a moment with that after."""
    is_of_gains = aspect("was_changed", case.question.words) and (
        case.question.gain or case.question.quantity == "gains"
    )
    subject = choose_log(case) if is_of_gains else None
    if subject and (lines := list(gains_since(case, subject, only_changed=True))):
        yield from (*lines, "\n", case.say("nobody_seen"))
        return
    if other := other_device(case):
        if "brought" in other:
            about = Subject(other["brought"], label=other["brought"])
        else:
            about = choose_log(case) if (known := known_log(case)) and known.device else fetched_log(case)
        in_view = bare(other["log"])
        older = fetched_log(case, "" if in_view in dropped_logs(case) else in_view, other["device"])
        comparison = _compared(case, log=about.reference, before=older.reference)
        named = {"label": about.label, "other": older.label}
        yield case.say("compare_devices", count=len(comparison["changes"]), **named) + "\n\n"
        yield from _difference_lines(case, about, older, comparison, f"{about.device or about.label}: ")
        return
    about, before = _two_logs(case)
    if about.device and before == about.log and len(case.question.days) > 1:
        yield from figures(case)
        return
    rising = rising_over(case, about) if aspect("trend", case.question.words) else []
    yield from (case.say("rising_row", text=row["text"]) + "\n\n" for row in rising)
    if not before:
        yield from diagnose(case)
        yield "\n" + case.say("compare_one", label=about.label, count=1) + "\n"
        return
    comparison = _compared(case, **about.named, before=before)
    named = {"label": about.label, "before": quoted(comparison["before"]), "after": quoted(comparison["log"])}
    names = dict.fromkeys(row["name"] for row in comparison["compared"]) if comparison["narrowed"] else ()
    of = {"count": len(comparison["changes"]), "of": case.listed(names)}
    yield case.lead(bool(comparison["changes"])) if names else ""
    yield case.say("compare_title_of" if names else "compare_title", **of, **named) + "\n\n"
    older = Subject(before, about.device)
    yield from _difference_lines(case, about, older, comparison)
    for log in (older, about):  # on equal terms, where a setpoint is named
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


def other_device(case: Case) -> dict[str, str]:
    """Return "device" and "log" of what the device that is named first is compared with; {}: with itself.

    That is the second device named, the one that was in view before, or one beside a log that was "brought".
    """
    question, named, dropped = case.question, case.task.devices, dropped_logs(case)
    if question.log or question.days or question.previous or aspect("in_time", question.words):
        return {}
    if len(named) == 2:
        return {"device": named[1], "log": ""}
    in_view = bare(case.state_field("last_log_file")) or next(iter(dropped), "")
    if len(named) == 1 and not case.task.left and in_view in dropped:
        return {"device": named[0], "log": "", "brought": in_view}
    return dict(case.task.left) if len(named) == 1 else {}


def _two_logs(case: Case) -> tuple[Subject, str]:
    """Return the later log, and the name of the earlier one, fetched; "" if there is none."""
    question = case.question
    if len(question.days) > 1 and case.device:
        names, ends = log_names(case), (question.days[0], question.days[-1])
        last, first = sorted((older_log(case, day) for day in ends), key=names.index)
        fetched_log(case, first)
        return fetched_log(case, last), first
    if question.day and case.device:
        fetched_log(case, before := older_log(case))
        return fetched_log(case), before
    named = bare(question.log) if question.log and not dropped_logs(case) else ""
    subject = None if case.task.devices else known_log(case)
    of_device = subject if subject and subject.device else None
    about = of_device or (fetched_log(case) if case.device else choose_log(case))
    if not about.device:
        return about, next((name for name in dropped_logs(case) if name != about.log), "")
    if named and named != about.log:
        return about, fetched_log(case, named).log
    names = log_names(case)
    if aspect("trend", question.words):
        return about, fetched_log(case, names[-1]).log if names[-1] != about.log else ""
    place = names.index(about.log) + 1 if about.log in names else len(names)
    return about, fetched_log(case, names[place]).log if place < len(names) else ""


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
