"""All devices, or those that are named, side by side: the newest log of each, judged; or their gains."""

import re
from collections.abc import Iterator
from statistics import median

from instrumentgpt.analyst.case import Case, Result, Subject, ToolFailed, fetched_log
from instrumentgpt.analyst.questions import aspect
from instrumentgpt.analyst.report import fault_verdict
from instrumentgpt.analyst.words import plain_text, quoted

FAR = 2.0  # times the median of all channels, from which a gain is unlike the others'


def survey(case: Case) -> Iterator[str]:
    """Rank the devices that are named, or all, the worst first; where a gain is asked about, list it."""
    if aspect("lists_devices", case.question.words):
        yield from devices(case)
        return
    names = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    if case.question.gain:
        yield from _gains(case, names)
        return
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
    if not aspect("those", case.question.words) or re.search(
        r"rest of|all|other|其[他它]", case.question.words
    ):
        return []
    named = (list(row.get("devices") or ()) for row in reversed(case.task.messages) if row["role"] == "user")
    return next((names for names in named if len(names) > 1), [])


def _verdict(case: Case, rows: list[Result]) -> str:
    first = rows[0] if rows else {}
    if first.get("faults"):
        verdict = fault_verdict(case, first["label"], first, first["faults"] - 1)
        return case.say("worst_title", count=len(rows), verdict=verdict)
    failed = sum("error" in row for row in rows)
    return case.say("worst_none", judged=len(rows) - failed, failed=failed)


def _row(case: Case, row: Result) -> str:
    if "error" in row:
        return case.say("worst_failed", label=row["label"], reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    return case.say(
        "worst_row",
        label=row["label"],
        text=row["text"] or case.say("worst_no_verdict"),
        error=row["mean_error"] or 0.0,
        unit=row["unit"],
        share=100 * (row["out_of_band"] or 0.0),
        log=quoted(row["log"]),
        line=case.say("list_separator") + about.link(row["line"]) if row["line"] else "",
    )


def _gains(case: Case, names: list[str]) -> Iterator[str]:
    """List the gain of each channel of each device, those far from the others first in words."""
    gain, channels_of_device = case.question.gain, {}
    for name in names or [device["name"] for device in case.tool("list_devices")["devices"]]:
        try:
            about = fetched_log(case, device=name)
            channels_of_device[about.label] = case.tool("channel_metrics", **about.named)["channels"]
        except ToolFailed as problem:
            yield case.item("worst_failed", label=name, reason=plain_text(str(problem)))
    values = [row[gain] for rows in channels_of_device.values() for row in rows if row[gain] is not None]
    usual = median(values) if values else 0.0
    odd = [
        f"{label} {case.say('where_channel', channel=channel['channel']).strip()} ({channel[gain]:g})"
        for label, rows in channels_of_device.items()
        for channel in rows
        if channel[gain] is not None and usual and not 1 / FAR <= channel[gain] / usual <= FAR
    ]
    yield (
        case.say("gains_unlike" if odd else "gains_alike", gain=gain, usual=usual, odd=case.listed(odd))
        + "\n\n"
    )
    for label, rows in channels_of_device.items():
        yield (
            f"- {label}: {gain} "
            + case.listed("?" if channel[gain] is None else f"{channel[gain]:g}" for channel in rows)
            + "\n"
        )
