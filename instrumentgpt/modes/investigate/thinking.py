"""Asking an agent what to do: its answer is held to the contract, repaired once, else refused."""

from collections.abc import Generator, Mapping
from typing import Any

from instrumentgpt.agents.events import Event, Failure, Tick
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.investigate.contract import BrokenContract, ThinkOutput, parsed
from instrumentgpt.turn.ask import Reply, ask, replied
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

TASK = "think"
SHOWN_CHARS = 1500  # of a broken answer, in the request to repair it
TOLD_CHARS = 300  # of what was wrong, to the user
RESERVED_TOKENS = 700  # of the budget, for a repair: the broken answer and what is wrong with it
REPAIR = """

# Repair
Your answer did not fit the contract: {error}
This was your answer:
> {answer}

Answer again: one JSON object as the contract above says, and nothing else."""


class NoDecision(InstrumentGPTError, ValueError):
    """Thinking that came to nothing; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def thought(turn: Turn, prompt: str, told: Mapping[str, Any]) -> Generator[Event, None, ThinkOutput]:
    """Yield the agent's events but its words, and return its decision; raise NoDecision.

    told  the same in data, for our own analyst
    """
    reply = yield from replied(ask(turn, Asking(TASK, prompt=prompt, told=told, read_only=True)))
    try:
        return parsed(_answered(reply))
    except BrokenContract as broken:
        yield Tick(f"the plan does not fit the contract and is asked for again: {_brief(broken)}")
        answer = shorten(" ".join(reply.text.split()), SHOWN_CHARS)
        repair = prompt + REPAIR.format(error=_brief(broken), answer=answer)
    reply = yield from replied(
        ask(turn, Asking(TASK, prompt=repair, told={**told, "repair": True}, read_only=True))
    )
    try:
        return parsed(_answered(reply))
    except BrokenContract as broken:
        text = f"The agent's plan did not fit the contract, twice: {_brief(broken)}. Nothing was carried out."
        raise NoDecision(Failure("error", text, "Say it in other words, or ask without a plan.")) from None


def _answered(reply: Reply) -> str:
    if reply.outcome != "ok":
        raise NoDecision(reply.failure or Failure(reply.outcome, f"The agent gave no plan: {reply.outcome}."))
    return reply.text


def _brief(broken: BrokenContract) -> str:
    return shorten(" ".join(str(broken).split()), TOLD_CHARS)
