"""What happened at a time of day."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.events import group_text
from instrumentgpt.agents.offline.answers.report import values_text
from instrumentgpt.agents.offline.answers.subject import choose_log
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import moment, phrase

MOST_GROUPS = 6


def at_time(case: Case) -> Iterator[str]:
    """Say what the channels read then, which findings were in progress, and which events were near."""
    about = choose_log(case, newest=bool(case.task.devices))
    wanted = {"log": about.log, "device": about.device, "clock": case.question.clock}
    found = case.tool("look_at_time", language=case.language, **wanted)
    key = "moment_fault" if found["during"] else "moment_calm"
    clock, count = moment(found["clock"]), len(found["during"])
    yield phrase(key, case.language, label=about.label, clock=clock, count=count) + "\n\n"
    yield from (f"- {one['summary']}\n" for one in found["during"])
    for one in found["readings"]:
        known = {name: one[name] for name in ("setpoint", "pv", "output") if one[name] is not None}
        told = values_text(case, known, found["unit"])
        yield f"- {about.link(one['line'])} "
        yield phrase("metric_row", case.language, channel=one["channel"], parts=told) + "\n"
    yield from (f"- {group_text(case, about, group)}\n" for group in found["groups"][:MOST_GROUPS])
