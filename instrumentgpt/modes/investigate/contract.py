"""What thinking comes to: run a plan, propose one, or ask. The contract, and how it is kept."""

from collections.abc import Generator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from instrumentgpt.agents.events import Event, Failure, Tick
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.contracts import BadReply, Contract, read_reply
from instrumentgpt.turn.ask import ask, replied
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

StepType = Literal["read", "write", "analyze", "generate"]
Subdomain = Literal["devices", "logs", "loops", "findings", "reports", "notes"]
Decision = Literal["plan_direct", "propose", "clarify"]

PAYLOADS: dict[Decision, str] = {
    "plan_direct": "steps",
    "propose": "proposal_message",
    "clarify": "clarification_questions",
}
MOST_STEPS = 40  # of one plan; it is cut to the effort's limit anyway
MOST_QUESTIONS = 5
_Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_Message = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]


class ThinkStep(Contract):
    """One step: what to do (the intent), of which kind, on what; steps of one group may run together."""

    description: _Sentence
    step_type: StepType
    subdomain: Subdomain
    group: Annotated[int, Field(ge=0, le=100)]


class ThinkOutput(Contract):
    """A decision with its goal and exactly the payload that belongs to it."""

    decision: Decision
    goal: _Sentence
    steps: Annotated[tuple[ThinkStep, ...], Field(min_length=1, max_length=MOST_STEPS)] | None = None
    proposal_message: _Message | None = None
    clarification_questions: (
        Annotated[tuple[_Sentence, ...], Field(min_length=1, max_length=MOST_QUESTIONS)] | None
    ) = None

    @model_validator(mode="before")
    @classmethod
    def _empty_is_absent(cls, fields: Any) -> Any:
        """Take an empty payload for one that was left out: agents fill in every field."""
        if not isinstance(fields, dict):
            return fields
        return {
            name: value
            for name, value in fields.items()
            if name not in PAYLOADS.values() or value not in ("", [])
        }

    @model_validator(mode="after")
    def _payload_matches(self) -> "ThinkOutput":
        field = PAYLOADS[self.decision]
        given = [name for name in PAYLOADS.values() if getattr(self, name) is not None]
        if given != [field]:
            has = " and ".join(given) or "none of the three"
            raise ValueError(f"decision {self.decision!r} needs exactly `{field}`, but the answer has {has}")
        return self


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


def thought(turn: Turn, prompt: str, facts: Mapping[str, Any]) -> Generator[Event, None, ThinkOutput]:
    """Yield the agent's events but its words, and return its decision; raise NoDecision.

    facts  the same in data, for our own analyst
    """
    asked, told = prompt, dict(facts)
    for is_last_try in (False, True):
        reply = yield from replied(ask(turn, Asking(TASK, prompt=asked, told=told, read_only=True)))
        if reply.outcome != "ok":
            lack = f"The agent gave no plan: {reply.outcome}."
            raise NoDecision(reply.failure or Failure(reply.outcome, lack))
        try:
            return read_reply(reply.text, ThinkOutput, "decision")
        except BadReply as problem:
            wrong = shorten(" ".join(str(problem).split()), TOLD_CHARS)
        if not is_last_try:
            yield Tick(f"the plan does not fit the contract and is asked for again: {wrong}")
            answer = shorten(" ".join(reply.text.split()), SHOWN_CHARS)
            asked, told = prompt + REPAIR.format(error=wrong, answer=answer), {**facts, "repair": True}
    text = f"The agent's plan did not fit the contract, twice: {wrong}. Nothing was carried out."
    raise NoDecision(Failure("error", text, "Say it in other words, or ask without a plan."))
