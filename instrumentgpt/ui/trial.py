"""One question to an agent, outside any conversation: does it answer, and if not, what helps?"""

import tempfile
from pathlib import Path

import streamlit as st

from instrumentgpt.agents.process import Clocks, Request, run
from instrumentgpt.agents.registry import Agent, choose, environment_for
from instrumentgpt.settings import Settings
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.progress import Progress, advance

QUESTION = "This is a test of the connection. Reply with the single word OK."
CLOCKS = Clocks(first_event=30.0, silence=30.0, total=60.0)
ANSWER_CHARACTERS = 600  # of the answer shown


def draw(settings: Settings) -> None:
    """Draw the button that asks the agent one question, under the settings as they are saved."""
    if not st.button(
        "Test agent", icon=":material/network_check:", help="Asks one question with the saved settings"
    ):
        return
    with st.spinner("Asking the agent…"):
        agent, progress = ask_agent(settings)
    if progress.done and progress.done.outcome == "ok" and progress.text.strip():
        st.success(f"{agent.label} answered in {progress.done.seconds:.1f} s.", icon=":material/check:")
    else:
        failure = progress.failure
        words = f"{failure.text} {failure.remedy}" if failure else "It ended without an answer."
        st.error(f"{agent.label}: {untrusted.label(words, 600)}", icon=":material/error:")
    if progress.text:
        st.code(progress.text[:ANSWER_CHARACTERS], language=None, wrap_lines=True)


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
