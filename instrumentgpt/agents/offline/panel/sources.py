"""What an expert's tools add to the checks: each tool's result as sentences with their numbers and lines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from instrumentgpt.agents.offline.panel.planning import where_is
from instrumentgpt.analyst.case import Case, Result
from instrumentgpt.analyst.words import phrase

MOST_CHANGES = 2  # told of a comparison


@dataclass(frozen=True)
class Shown:
    """A sentence from a tool's result, and the line of the log that it rests on."""

    text: str
    line: int | None = None
    quote: str = ""


@dataclass(frozen=True)
class Source:
    """A tool as a source: how its result is told, and from which round on it is called."""

    look: Callable[[Case, Mapping[str, Any], int | None, Result], list[Shown]]
    round: int = 1


def gains(case: Case, about: Mapping[str, Any], channel: int | None, found: Result) -> list[Shown]:
    """Return the margins that the plant's models leave on `channel`; the advice itself was not asked for."""
    if channel is None:
        return []
    told = case.tool(
        "advise_gains", log=about["log"], device=about["device"], channel=channel, language=case.language
    )
    return [Shown(sentence) for one in told["channels"] for sentence in one["sentences"][1:2]]


def events(case: Case, about: Mapping[str, Any], channel: int | None, found: Result) -> list[Shown]:
    """Return how many event lines warn, and the most telling one."""
    told = case.tool("search_events", log=about["log"], device=about["device"])
    if not told["groups"]:
        return [Shown(phrase("panel_no_events", case.language, total=told["total"]))]
    worst = told["groups"][0]
    numbers = {"count": told["count"], "total": told["total"], "times": worst["count"]}
    text = phrase("panel_events", case.language, said=worst["template"], **numbers)
    return [Shown(text, worst["first"]["line"], worst["first"]["text"])]


def before(case: Case, about: Mapping[str, Any], channel: int | None, found: Result) -> list[Shown]:
    """Return what changed on `channel` since the log before, of which the device has one."""
    if not about["before"]:
        return []
    case.tool("fetch_log", device=about["device"], log=about["before"])
    names = {"log": about["log"], "before": about["before"], "device": about["device"]}
    told = case.tool("compare_logs", language=case.language, **names)
    changes = [one for one in told["changes"] if channel is None or one.get("channel") in (None, channel)]
    named = about["before"]
    if not changes:
        where = where_is(channel, case.language)
        return [Shown(phrase("panel_unchanged", case.language, before=named, where=where))]
    return [
        Shown(phrase("panel_before", case.language, before=named, text=one["text"]))
        for one in changes[:MOST_CHANGES]
    ]


SOURCES: dict[str, Source] = {
    "advise_gains": Source(gains),
    "search_events": Source(events),
    "compare_logs": Source(before, round=2),
}
