"""A chart of the log, and in words what it shows."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.report import header, key_findings
from instrumentgpt.agents.offline.answers.subject import choose_log, remembered_in
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase


def plot(case: Case) -> Iterator[str]:
    """Draw the log, or one channel of it."""
    about = choose_log(case, newest=bool(case.task.devices))
    wanted = {"log": about.log, "device": about.device, "channel": case.question.channel}
    case.tool("plot_log", language=case.language, **wanted)
    found = case.tool("diagnose_log", language=case.language, record=remembered_in(case), **wanted)
    yield phrase("chart", case.language, label=about.label) + "\n\n"
    yield header(case, about, found) + "\n\n"
    yield from key_findings(case, about, found)
