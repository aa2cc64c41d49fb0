"""One question to an agent, outside any conversation: does it answer, and if not, what helps?"""

import tempfile
from pathlib import Path

from instrumentgpt.agents.process import Clocks, Request, run
from instrumentgpt.agents.registry import Agent, choose, environment_for
from instrumentgpt.settings import Settings
from instrumentgpt.ui.progress import Progress, advance

QUESTION = "This is a test of the connection. Reply with the single word OK."
CLOCKS = Clocks(first_event=30.0, silence=30.0, total=60.0)


def ask_agent(settings: Settings) -> tuple[Agent, Progress]:
    """Return who would answer under `settings`, and what it said; raise UnknownAgent if nobody can.

    A failure, with its remedy, is part of the progress. Nothing is stored.
    """
    agent, program = choose(settings.agent, settings)
    with tempfile.TemporaryDirectory() as folder:
        request = Request(QUESTION, Path(folder), model=settings.model)
        command = agent.command(program, request, environment_for(agent))
        events = run(command, agent.parse, CLOCKS, signs=agent.signs)
        return agent, advance(Progress(), enumerate(events, start=1))
