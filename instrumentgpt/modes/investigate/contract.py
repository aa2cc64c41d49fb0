"""What thinking comes to: run a plan, propose one, or ask. The contract, and how it is kept."""

import json
from collections.abc import Generator, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from instrumentgpt.agents.events import Event, Failure, Tick
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.summary import shorten
from instrumentgpt.turn.ask import Reply, ask, replied
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
MOST_ERRORS = 5  # told of one answer
NO_OBJECT = "The answer holds no JSON object with a `decision`. Answer with one JSON object and nothing else."
_Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_Message = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]


class BrokenContract(InstrumentGPTError, ValueError):
    """An answer that is not what the contract asks for; the text names what is wrong with it."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ThinkStep(_Strict):
    """One step: what to do (the intent), of which kind, on what; steps of one group may run together."""

    description: _Sentence
    step_type: StepType
    subdomain: Subdomain
    group: Annotated[int, Field(ge=0, le=100)]


class ThinkOutput(_Strict):
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


def parsed(answer: str) -> ThinkOutput:
    """Return the decision in `answer`, found in prose or code fences; raise BrokenContract."""
    broken: list[BrokenContract] = []
    for candidate in _objects(answer):
        try:
            return ThinkOutput.model_validate(candidate)
        except ValidationError as error:
            broken.append(BrokenContract(_problems(error)))
    raise broken[0] if broken else BrokenContract(NO_OBJECT)


def _objects(answer: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects with a decision that stand in `answer`, the last one first.

    An agent that thinks aloud, or shows an example, gives its answer at the end.
    """
    decoder, objects, place = json.JSONDecoder(), [], answer.find("{")
    while place != -1:
        try:
            value, end = decoder.raw_decode(answer, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict) and "decision" in value:
                objects.append(value)
        place = answer.find("{", end)
    return reversed(objects)


def _problems(error: ValidationError) -> str:
    """Return what is wrong, each with its place and value, as an agent can mend it."""
    problems = ((".".join(map(str, row["loc"])), row["msg"]) for row in error.errors()[:MOST_ERRORS])
    return "; ".join(f"{place or 'answer'}: {message}" for place, message in problems)


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
    reply = yield from replied(ask(turn, Asking(TASK, prompt=prompt, told=facts, read_only=True)))
    try:
        return parsed(_answered(reply))
    except BrokenContract as broken:
        yield Tick(f"the plan does not fit the contract and is asked for again: {_brief(broken)}")
        answer = shorten(" ".join(reply.text.split()), SHOWN_CHARS)
        repair = prompt + REPAIR.format(error=_brief(broken), answer=answer)
    reply = yield from replied(
        ask(turn, Asking(TASK, prompt=repair, told={**facts, "repair": True}, read_only=True))
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
