"""What thinking comes to: run a plan, propose one, or ask."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from instrumentgpt.modes.contracts import Contract, read_reply

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

    @classmethod
    def read(cls, reply: str) -> Self:
        """Return the last decision in `reply`."""
        return read_reply(reply, cls, "decision")

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
