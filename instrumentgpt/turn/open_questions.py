"""What a user's words leave open of constraints: asked beside the answer; a click is a revision, to undo."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.instruments.language import language_of, phrase
from instrumentgpt.memory.reading import constraints
from instrumentgpt.memory.revisions import UNCLEAR, Item, item_of
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage.facts import list_facts
from instrumentgpt.storage.history import last_question
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.revisions import list_revisions, revise

MOST_QUESTIONS = 2  # of one message


@dataclass(frozen=True)
class Question:
    """Whether the `sentence` is a constraint, or what it means for the constraint in force `of`."""

    sentence: str
    of: Item | None = None
    constraint: str = ""  # the words of `of`
    answers: Sequence[str] = ("keep", "no")  # names of open_questions.toml

    def words(self, key: str = "") -> str:
        """Return the question, or what stands on the button `key`, in the language of the sentence."""
        key = key or ("bears" if self.of else "alone")
        fields = {"sentence": self.sentence, "constraint": self.constraint}
        return phrase(Path(__file__).with_suffix(".toml"), key, language_of(self.sentence), **fields)


def open_questions(database: Database, conversation_id: str) -> list[Question]:
    """Return what the user's newest message leaves open and nobody has answered."""
    words = last_question(database, conversation_id)
    sentences = [shorten(text, constraints.CONSTRAINT_CHARS) for text in constraints.stated_in(words)]
    revisions = [row for row in list_revisions(database, conversation_id) if row.undone_at is None]
    answered = {row.item.name if row.item.field == UNCLEAR else row.new for row in revisions}
    facts = list_facts(database, conversation_id, ())
    revised = revised_memory(database, conversation_id, DiagnosticState(), facts)
    held = [row for row in revised.facts if row.kind == "constraint" and row.sentence not in sentences]
    rulings = [constraints.Ruling("constraint", row.sentence, row.fact.device) for row in held]
    every = [constraints.Ruling("constraint", row.sentence) for row in facts if row.kind == "constraint"]
    about_constraint, alone = [], []
    for sentence in [sentence for sentence in dict.fromkeys(sentences) if sentence not in answered]:
        kind = next((kind for kind, _ in constraints.constraints_in(sentence)), None)
        if kind == "lift":  # one that speaks of no constraint may mean the newest
            is_of_none = constraints.lifted_constraint(constraints.Ruling(kind, sentence), every) is None
            place = len(rulings) - 1 if rulings and is_of_none else None
        else:
            place = constraints.affected_constraint(
                constraints.Ruling("constraint", sentence), rulings, kind is not None
            )
        if place is not None:
            row = held[place]
            item = item_of(revised.standings, row.fact.device, "constraint", row.sentence)
            answers = (
                ("replaced", "both") if kind == "constraint" else ("lifted", "replaced", "both", "still")
            )
            about_constraint.append(Question(sentence, item, row.sentence, answers))
        elif not kind and constraints.is_doubtful(sentence):
            alone.append(Question(sentence))
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
