"""What Investigate keeps of a conversation: what waits for an answer, and a note on each turn."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.investigate.contract import ThinkStep

MODE = "investigate"
RECENT_NOTES = 2  # turn notes in the prompt: seed think-prompt, "last 2 summaries"
NOTE_CHARS = 240
REASONING_CHARS = 600  # of what older notes become
MOST_NOTES = 60

Kind = Literal["proposal", "question", "save"]


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

    kind: Kind
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


@dataclass(frozen=True)
class Note:
    """One turn in a sentence; `message` is the id of its question."""

    message: int
    text: str


@dataclass(frozen=True)
class ModeState:
    """The state of the mode in a conversation; `deleted` are notes on turns that are not there now."""

    pending: Pending | None = None
    notes: tuple[Note, ...] = field(default=())
    deleted: tuple[Note, ...] = field(default=())

    def recent_notes(self) -> list[str]:
        """Return the notes of the last turns, oldest first."""
        return [note.text for note in self.notes[-RECENT_NOTES:]]

    def reasoning(self) -> str:
        """Return one summary of the older notes, the newest of them longest kept; "" if there are none."""
        older = [note.text for note in self.notes[:-RECENT_NOTES]]
        return _newest_that_fit(older, REASONING_CHARS)


def read_kept(state: Mapping[str, Any], messages: Collection[int]) -> ModeState:
    """Return what is stored as `state`; what turns left that are not among `messages` now is set aside."""
    pending, stored = state.get("pending"), [Note(**one) for one in state.get("notes", [])]
    notes = tuple(one for one in stored if one.message in messages)
    deleted = tuple(one for one in stored if one.message not in messages)
    if not pending or (stored and stored[-1] in deleted):  # the newest turn of the mode left what is pending
        return ModeState(None, notes, deleted)
    steps = tuple(ThinkStep.model_validate(one) for one in pending.pop("steps", []))
    for name in ("amendments", "devices", "excluded"):
        pending[name] = tuple(pending.get(name, ()))
    return ModeState(Pending(**{**pending, "steps": steps}), notes, deleted)


def written(kept: ModeState) -> dict[str, Any]:
    """Return `kept` as JSON-ready data that `read_kept` reads."""
    pending = None
    if kept.pending is not None:
        steps = [step.model_dump() for step in kept.pending.steps]
        pending = {**{name: getattr(kept.pending, name) for name in _PLAIN}, "steps": steps}
    notes = sorted((*kept.deleted, *kept.notes), key=lambda note: note.message)[-MOST_NOTES:]
    return {"pending": pending, "notes": [asdict(note) for note in notes]}


def with_note(kept: ModeState, message: int, text: str) -> tuple[Note, ...]:
    """Return the notes with one on the turn of the question `message`."""
    return (*kept.notes, Note(message, shorten(" ".join(text.split()), NOTE_CHARS)))


_PLAIN = ("kind", "message", "asked", "goal", "amendments", "effort", "ref", "devices", "excluded", "report")


def _newest_that_fit(texts: Sequence[str], limit: int) -> str:
    kept: list[str] = []
    for text in reversed(texts):
        short = shorten(text, limit // 4)
        if sum(map(len, kept)) + len(short) > limit:
            kept.append(f"{len(texts) - len(kept)} earlier turns.")
            break
        kept.append(short)
    return " ".join(reversed(kept))
