"""What is set side by side: two logs or devices, all devices, all logs of one."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.case import (
    Case,
    Result,
    Subject,
    bare,
    choose_log,
    diagnosed,
    dropped_logs,
    faults_of,
    fetched_log,
    known_log,
    log_names,
    older_log,
)
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.programme import held_setpoints
from instrumentgpt.analyst.questions import (
    LONGEST_QUESTION,
    asking,
    aspect,
    channels_in,
    numbers_in,
    span_of,
    table,
)
from instrumentgpt.analyst.report import diagnose, fault_verdict, rising_over, where_of
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.since import since
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

_LOGS = re.compile(r"\b(?:log|file|run|batch)(?:s|es)?\b|记录|档案?")
LEAST = 2  # logs in the time that is asked about: one is answered as any log is
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
        if case.device or _LOGS.search(case.question.words):  # else parts of the one are compared
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


def survey(case: Case) -> Iterator[str]:
    """Rank the devices that are named, or all, the worst first."""
    if aspect("lists_devices", case.question.words):
        yield from devices(case)
        return
    names = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    if case.question.score < table()["least"] and not names:
        yield case.say("survey_instead") + "\n\n"
    rows = case.tool("survey_devices", language=case.language, devices=names or None)["devices"]
    yield _verdict(case, rows) + "\n\n"
    yield from (f"{place}. {_row(case, row)}\n" for place, row in enumerate(rows, start=1))
    if judged := sum("error" not in row for row in rows):
        yield "\n" + case.say("worst_ask", count=judged)


def devices(case: Case) -> Iterator[str]:
    """Say which devices there are."""
    rows = case.tool("list_devices")["devices"]
    yield case.say("devices_title", count=len(rows)) + "\n\n"
    yield from (
        f"- {row['name']} ({row['ip']}){', ' + row['model'] if row['model'] else ''}\n" for row in rows
    )


def _spoken_of(case: Case) -> list[str]:
    """Return the devices of the newest question that named several, if "the two" or "them" is said."""
    words = case.question.words
    if not aspect("those", words) or re.search(r"rest of|all|other|其[他它]", words):
        return []
    named = (list(row.get("devices") or ()) for row in reversed(case.task.messages) if row["role"] == "user")
    return next((names for names in named if len(names) > 1), [])


def _verdict(case: Case, rows: list[Result]) -> str:
    first = rows[0] if rows else {}
    if first.get("faults"):
        verdict = fault_verdict(case, first["label"], first, first["faults"] - 1)
        having = sum(bool(row.get("faults")) for row in rows)
        return case.say("worst_title", count=len(rows), having=having, verdict=verdict)
    failed = sum("error" in row for row in rows)
    return case.say("worst_none", judged=len(rows) - failed, failed=failed)


def _row(case: Case, row: Result) -> str:
    if "error" in row:
        return case.say("worst_failed", label=row["label"], reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    return case.say(
        "worst_row" if row["mean_error"] is not None else "worst_row_text",
        label=row["label"],
        text=row["text"] or case.say("worst_no_verdict"),
        error=row["mean_error"] or 0.0,
        unit=row["unit"],
        share=100 * (row["out_of_band"] or 0.0),
        log=quoted(row["log"]),
        line=case.say("list_separator") + about.link(row["line"]) if row["line"] else "",
    )


def is_over_logs(case: Case) -> bool:
    """Return whether a question on one device asks about its logs together: which day, this week."""
    question = case.question
    if question.log or question.days or question.clocks or question.previous or question.gain:
        return False
    parts = asking(question.words)
    if not parts or len(question.words) > LONGEST_QUESTION:
        return False
    names = ("over_logs",) if aspect("trend", question.words) else ("over_logs", "since_when")
    is_named = any(aspect(name, part) for part in parts for name in names)
    return is_named or since(question.text, case.task.now.date()) is not None


def over_logs(case: Case) -> Iterator[str]:
    """Tell each log of the device in the time asked about, and what grows; of one log answer as of any."""
    begun = since(case.question.text, case.task.now.date())
    if case.question.relative and not begun:
        begun = span_of(case.question.relative, case.task.now)[0].date()
    of_time = {"language": case.language, "since": begun.isoformat() if begun else ""}
    result = case.tool("survey_logs", device=case.device, **of_time)
    rows, label = result["logs"], result["label"]
    if not rows and begun:
        yield case.say("logs_none_since", label=label, day=begun) + "\n\n"
    judged = [row for row in rows if "error" not in row]
    if len(rows) < LEAST or not judged:
        yield from (figures if case.question.kind == "figures" else diagnose)(case)
        return
    rising = rising_over(case, Subject(bare(judged[-1]["log"]), result["device"], label))
    having, same = sum(bool(row["faults"]) for row in judged), _same(judged)
    yield from _began(case, same[-1:])
    first, last = (moment(row["start"])[:10] for row in (judged[0], judged[-1]))
    placed = {"label": label, "count": len(rows), "first": first, "last": last}
    grows = {"told": rising[0]["text"]} if rising and not having else {}
    yield case.say("logs_grow" if grows else "logs_judged", bad=having, **placed, **grows)
    if same:
        fields = {"title": same[0]["title"], "count": len(same), "day": moment(same[-1]["start"])[:16]}
        yield " " + case.say("logs_since", **fields)
    yield from (f"\n\n**{row['text']}.**" for row in rising[bool(grows) :])
    yield "\n\n"
    yield from (_row_of_log(case, row) for row in rows)
    if result["left_out"]:
        yield case.item("logs_more", count=result["left_out"])


def _began(case: Case, rows: list[Result]) -> Iterator[str]:
    """Say when the finding of a log began."""
    for row in rows:
        earliest = diagnosed(case, Subject(row["log"], row["device"], row["label"]))
        for fault in [one for one in faults_of(earliest) if one["class"] == row["class"]][:1]:
            clock, day = moment(fault["onset_clock"]), moment(row["start"])[:10]
            fields = {"title": row["title"], "where": where_of(case, fault), "clock": clock, "day": day}
            yield case.say("logs_begun", **fields) + "\n\n"


def _same(judged: list[Result]) -> list[Result]:
    """Return the logs, newest first, that all have the finding of the newest one; [] if it has none."""
    found = [(row["faults"] > 0, row["class"], row["channel"]) for row in judged[::-1]]
    unlike = (place for place, one in enumerate(found) if one != found[0])
    return judged[::-1][: next(unlike, len(judged))] if judged[-1]["faults"] else []


def _row_of_log(case: Case, row: Result) -> str:
    if "error" in row:
        return case.item("logs_failed", log=quoted(row["log"]), reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    line = f" ({about.link(row['line'])})" if row["line"] and row["faults"] else ""
    told = row["text"] + line if row["text"] else case.say("worst_no_verdict")
    return case.item("logs_row", day=moment(row["start"])[:16], log=quoted(row["log"]), told=told)
