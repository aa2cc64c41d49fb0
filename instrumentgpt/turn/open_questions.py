"""What a user's words leave open of constraints: asked beside the answer; a click is a revision, to undo."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.instruments.language import language_of, phrase
from instrumentgpt.memory.reading.constraints import CONSTRAINT_CHARS, is_doubtful, stated_in
from instrumentgpt.memory.revisions import UNCLEAR, Item, item_of
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.history import last_question, places
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.revisions import list_revisions, revise

MOST_QUESTIONS = 2  # of one message
ANSWERS = ("lifted", "replaced", "both", "still")  # names of open_questions.toml


@dataclass(frozen=True)
class Question:
    """Whether the `sentence` is a constraint, or what it means for the constraint in force `of`."""

    sentence: str
    of: Item | None = None
    constraint: str = ""  # the words of `of`
    answers: Sequence[str] = ("keep", "no")

    def words(self, key: str = "") -> str:
        """Return the question, or what stands on the button `key`, in the language of the sentence."""
        key = key or ("bears" if self.of else "alone")
        fields = {"sentence": self.sentence, "constraint": self.constraint}
        return phrase(Path(__file__).with_suffix(".toml"), key, language_of(self.sentence), **fields)


def open_questions(database: Database, conversation_id: str) -> list[Question]:
    """Return what the user's newest message leaves open and nobody has answered."""
    facts = list_facts(database, conversation_id, ())
    revised = revised_memory(database, conversation_id, DiagnosticState(), facts)
    newest = max(places(database, conversation_id)[1], default=0)
    revisions = [row for row in list_revisions(database, conversation_id) if row.undone_at is None]
    answered = {row.item.name if row.item.field == UNCLEAR else row.new for row in revisions}
    held = {
        item_of(revised.standings, row.fact.device, row.kind, row.sentence): row.sentence
        for row in revised.facts
        if row.kind == "constraint"
    }
    plain, about_constraint = {*held.values()}, []
    for row in facts:
        if row.kind == UNCLEAR and row.message_id == newest and row.sentence not in answered:
            answers = ("replaced", "both") if row.sentence in plain else ANSWERS
            items = (item for item in held if item.name == row.fact.value)
            about_constraint += [Question(row.sentence, item, held[item], answers) for item in items]
    settled = answered | {row.sentence for row in facts if row.message_id == newest}
    stated = [shorten(row, CONSTRAINT_CHARS) for row in stated_in(last_question(database, conversation_id))]
    alone = [Question(row) for row in dict.fromkeys(stated) if row not in settled and is_doubtful(row)]
    return [*about_constraint, *alone][:MOST_QUESTIONS]


def answer(
    database: Database, conversation_id: str, question: Question, given: str, changed_by: str = "user"
) -> int:
    """Put on record what was answered, as a change that can be undone; return its id.

    given  one of the question's answers
    """
    sentence, where = question.sentence, (database, conversation_id)
    if question.of and given in ("lifted", "replaced"):
        action = "lift" if given == "lifted" else "edit"
        return revise(*where, question.of, action, question.constraint, sentence, changed_by)
    if given in ("no", "still") or (given == "both" and "still" not in question.answers):
        return revise(*where, Item("", UNCLEAR, sentence), "forget", sentence, "", changed_by)
    return revise(*where, Item("", "constraint", sentence), "lay_down", "", sentence, changed_by)
