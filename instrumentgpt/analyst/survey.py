"""All devices, or those that are named, side by side: the newest log of each, judged; or their gains."""

import re
from collections.abc import Iterator
from typing import Any

from instrumentgpt.analyst.case import (
    Case,
    Result,
    Subject,
    ToolFailed,
    age,
    choose_log,
    fetched_log,
    known_log,
)
from instrumentgpt.analyst.questions import aspect, table
from instrumentgpt.analyst.report import fault_verdict
from instrumentgpt.analyst.words import plain_text, quoted

MEASURES = {
    "error": "iae_per_hour",
    "noise": "noise",
    "overshoot": "overshoot",
    "settling": "settling_time",
    "output": "duty",
}
UNITS = {"settling_time": " s", "duty": " %", "kp": "", "ki": "", "kd": ""}
ALIKE = 1.2  # times the least, up to which the most is no difference worth a word


def survey(case: Case) -> Iterator[str]:
    """Rank the devices that are named, or all, the worst first; where a gain is asked about, list it."""
    if aspect("lists_devices", case.question.words):
        yield from devices(case)
        return
    names = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    if case.question.gain:
        yield from ranking(case)
        return
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


def is_ranking(case: Case) -> bool:
    """Return whether it is asked which of several channels or devices is better, or has more of something."""
    question, words = case.question, case.question.words
    in_time = question.log or question.days or question.clocks or aspect("in_time", words)
    of_kind = question.kind in ("figures", "compare", "survey", "diagnosis")
    if in_time or not of_kind or not aspect("which_one", words) or aspect("why", words):
        return False
    of_channels, devices = _is_of_channels(case), len(case.task.devices)
    if not (of_channels or devices > 1 or (question.kind == "survey" and not devices)):
        return False
    has_most = question.quantity in MEASURES and (devices > 1 or question.extreme in ("least", "most"))
    return bool(has_most or aspect("steady", words) or (of_channels and aspect("better", words)))


def _is_of_channels(case: Case) -> bool:
    named, words = case.question.channels, case.question.words
    several = len(named) > 1 or (not named and (case.question.all_channels or aspect("which_channel", words)))
    return bool(several and len(case.task.devices) < 2 and (case.device or known_log(case)))


def ranking(case: Case) -> Iterator[str]:
    """Rank the channels of a log, or devices by their worst channel, in the quantity that is asked about."""
    question, values, ends, unit = case.question, dict[str, dict[int, float]](), list[str](), ""
    measure = question.gain or MEASURES.get(question.quantity, "iae_per_hour")
    names = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    if not names and not _is_of_channels(case):
        names = [device["name"] for device in case.tool("list_devices")["devices"]]
    for name in names or [""]:
        try:
            about = fetched_log(case, device=name) if name else choose_log(case)
            metrics = case.tool("channel_metrics", **about.named)
        except ToolFailed as problem:
            if not name:
                raise
            yield case.item("worst_failed", label=name, reason=plain_text(str(problem)))
            continue
        values[about.label] = {
            row["channel"]: abs(row[measure])
            for row in metrics["channels"]
            if row[measure] is not None and (not question.channels or row["channel"] in question.channels)
        }
        ends = sorted([*ends, metrics["end"]])
        unit = UNITS.get(measure, f" {metrics['unit']}".rstrip())
    of = next(iter(values)) if len(values) == 1 else case.say("ranked_devices", count=len(values))
    places = {label: max(row.values()) for label, row in values.items() if row}
    if len(values) == 1:
        (channels,) = values.values()
        places = {case.say("where_channel", channel=n).strip(): value for n, value in channels.items()}
    ranked = sorted(places, key=lambda place: places[place])
    fields: dict[str, Any] = {"of": of, "name": question.gain or case.say(f"measure_{measure}"), "unit": unit}
    key = "ranked" if ranked and places[ranked[-1]] > ALIKE * places[ranked[0]] else "ranked_alike"
    for name, place in zip(("least", "most"), ranked[:1] + ranked[-1:], strict=False):
        fields |= {name: places[place], f"{name}_at": place}
    yield case.say(key if ranked else "ranked_none", count=len(ranked), **fields) + "\n\n"
    for place in ranked:
        told = case.listed(f"{value:.3g}" for value in values.get(place, {0: places[place]}).values())
        yield case.item("ranked_row", place=place, told=told, unit=unit)
    if old := age(case.task, case.language, ends[0]) if ends else "":
        yield f"\n{old}\n"
