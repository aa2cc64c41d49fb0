"""What a gain or setpoint was before: in the log before, in the known one, in the user's own words."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.agents.offline.answers.said import said
from instrumentgpt.agents.offline.answers.stated import told_value
from instrumentgpt.agents.offline.answers.subject import (
    NothingToRead,
    Subject,
    choose_log,
    fetched_log,
    older_log,
)
from instrumentgpt.agents.offline.case import Case, Result, ToolFailed
from instrumentgpt.agents.offline.earlier import questions_before
from instrumentgpt.agents.offline.particulars import gains_in
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted

LOGGED = ("kp", "ki", "kd", "setpoint")  # what logs tell of each channel


def earlier(case: Case) -> Iterator[str]:
    """List the values of what is asked about, oldest first; what no log tells is sought in what was said."""
    names, channel = _asked_about(case)
    if not names or not case.device:
        yield from said(case)
        return
    logs = _logs(case)
    yield phrase("earlier_title", case.language, names=joined(names, case.language), label=logs[-1].label)
    yield "\n\n"
    found = [
        case.tool("channel_metrics", log=about.log, device=about.device, channel=channel) for about in logs
    ]
    for name in names:
        for about, one in zip(logs, found, strict=True):
            yield from (f"- {quoted(about.log)}: {name} {told}\n" for told in _values(case, about, name, one))
    yield from (f"- {told_value(case, row)}\n" for row in _stated(case, names))
    if len(logs) > 1 and all(_same(name, found[0]["channels"], found[1]["channels"]) for name in names):
        yield "\n" + phrase("earlier_same", case.language)


def _logs(case: Case) -> list[Subject]:
    """Return the log before the known one, if the device has one, and the known one: it stays in view."""
    before = []
    with suppress(ToolFailed, NothingToRead):  # the device has no older log
        before.append(fetched_log(case, older_log(case)))
    return [*before, choose_log(case)]


def _asked_about(case: Case) -> tuple[list[str], int | None]:
    """Return the quantities that the question names, else what the user stated last, else asked last.

    With them comes the channel, None for all.
    """
    channel = case.question.channel
    if named := gains_in(case.question.text):
        return named, channel
    rows = case.task.stated if case.same_device else ()
    if newest := max(rows, key=lambda row: int(row["turn"]), default=None):
        own = int(newest["channel"]) if str(newest["channel"]).isdecimal() else None
        return ([newest["parameter"]] if newest["parameter"] in LOGGED else []), channel or own
    asked = (named for words in questions_before(case.task) if (named := gains_in(words)))
    return next(asked, []), channel


def _values(case: Case, about: Subject, name: str, found: Result) -> Iterator[str]:
    """Yield each value of `name` with its channels and a line that shows it."""
    by_value: dict[float, list[Result]] = {}
    for one in found["channels"]:
        if one[name] is not None:
            by_value.setdefault(one[name], []).append(one)
    for value, having in by_value.items():
        yield phrase(
            "earlier_value",
            case.language,
            value=value,
            unit=f" {found['unit']}" if name == "setpoint" else "",
            count=len(having),
            channels=joined((one["channel"] for one in having), case.language),
            line=about.link(having[0]["last"]["line"]),
        )


def _stated(case: Case, names: list[str]) -> list[dict[str, str]]:
    rows = case.task.stated if case.same_device else ()
    return sorted((row for row in rows if row["parameter"] in names), key=lambda row: int(row["turn"]))


def _same(name: str, before: list[Result], after: list[Result]) -> bool:
    """Return whether no channel of both logs has another value of `name`."""
    then = {one["channel"]: one[name] for one in before}
    return all(then.get(one["channel"], one[name]) == one[name] for one in after)
