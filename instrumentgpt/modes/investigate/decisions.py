"""What thinking comes to (run a plan, propose one, ask), and what of it waits for an answer."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.summary import shorten
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
        return {name: value for name, value in fields.items() if name not in PAYLOADS.values() or value}

    @model_validator(mode="after")
    def _payload_matches(self) -> "ThinkOutput":
        field = PAYLOADS[self.decision]
        given = [name for name in PAYLOADS.values() if getattr(self, name) is not None]
        if given != [field]:
            has = " and ".join(given) or "none of the three"
            raise ValueError(f"decision {self.decision!r} needs exactly `{field}`, but the answer has {has}")
        return self


MODE = "investigate"
STEPS = {"QUICK": 2, "BENCH": 4, "PLAN": 8, "CREATE": 4}  # the think-prompt design
RECENT_NOTES = 2  # turn notes in the prompt: seed think-prompt, "last 2 summaries"
NOTE_CHARS = 240
REASONING_CHARS = 600  # of what older notes become
MOST_NOTES = 60


@dataclass(frozen=True)
class Pending:
    """What an answer left open, and the next turn may settle.

    kind        a proposal to agree to, a question to answer, or something generated to save
    message     what was said
    asked       the request that it belongs to, and `amendments` what was said to it since
    steps       what is carried out on a yes; none: it is thought through again, as agreed to
    effort      of the request
    ref         of what would be saved
    devices     names of those that it is on; excluded: those that the user took out
    report      whether a report is wanted; None: nobody said
    """

    kind: Literal["proposal", "question", "save"]
    message: str
    asked: str
    goal: str = ""
    amendments: tuple[str, ...] = ()
    steps: tuple[ThinkStep, ...] = ()
    effort: str = ""
    ref: str = ""
    devices: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    report: bool | None = None

    @property
    def language(self) -> Language:
        """The language of the request."""
        return language_of(self.asked)

    @property
    def limit(self) -> int:
        """The most steps that are carried out at once."""
        return STEPS[self.effort]

    @property
    def words(self) -> str:
        """The request, and what was said to it since."""
        return "\n".join((self.asked, *self.amendments))


@dataclass(frozen=True)
class Note:
    """One turn in a sentence; `message` is the id of its question."""

    message: int
    text: str


@dataclass(frozen=True)
class ModeState:
    """The state of the mode in a conversation, with a note on each turn."""

    pending: Pending | None = None
    notes: tuple[Note, ...] = ()

    def of_turns(self, messages: Collection[int]) -> "ModeState":
        """Return the state without what turns left that are not among `messages` now."""
        is_gone = bool(self.notes) and self.notes[-1].message not in messages  # it left what is pending
        notes = tuple(note for note in self.notes if note.message in messages)
        return ModeState(None if is_gone else self.pending, notes)

    def after(self, message: int, text: str, pending: Pending | None) -> "ModeState":
        """Return the state after the turn of the question `message`, on which `text` is the note."""
        note = Note(message, shorten(" ".join(text.split()), NOTE_CHARS))
        return ModeState(pending, (*self.notes, note)[-MOST_NOTES:])

    def recent_notes(self) -> list[str]:
        """Return the notes of the last turns, oldest first."""
        return [note.text for note in self.notes[-RECENT_NOTES:]]

    def reasoning(self) -> str:
        """Return one summary of the older notes, the newest of them longest kept; "" if there are none."""
        older = [note.text for note in self.notes[:-RECENT_NOTES]]
        kept: list[str] = []
        for text in reversed(older):
            short = shorten(text, REASONING_CHARS // 4)
            if sum(map(len, kept)) + len(short) > REASONING_CHARS:
                kept.append(f"{len(older) - len(kept)} earlier turns.")
                break
            kept.append(short)
        return " ".join(reversed(kept))
