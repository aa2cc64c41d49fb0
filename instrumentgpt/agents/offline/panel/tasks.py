"""The tasks of a panel by name, as the turn asks for them (modes/panel)."""

from collections.abc import Callable, Iterator

from instrumentgpt.agents.offline.panel.concluding import conclusion, synthesis
from instrumentgpt.agents.offline.panel.planning import brief, plan
from instrumentgpt.agents.offline.panel.speaking import contribute
from instrumentgpt.analyst.case import Case

PANEL_TASKS: dict[str, Callable[[Case], Iterator[str]]] = {
    "panel_brief": brief,
    "panel_plan": plan,
    "panel_contribution": contribute,
    "panel_synthesis": synthesis,
    "panel_conclusion": conclusion,
}
