"""An approved statement: its document is saved, and the diagnosis knows what it says from then on."""

from contextlib import suppress

import db
import memory
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.revisions import Item
from instrumentgpt.modes.interview.gathered import Interview
from instrumentgpt.modes.interview.statement import (
    About,
    diagnosis_question,
    document,
    findings,
    problem_of,
    template_text,
    templates,
)
from instrumentgpt.modes.interview.stored import CHOICES, Interviews, save_kept
from instrumentgpt.modes.interview.texts import say, texts
from instrumentgpt.storage.revisions import RefusedRevision, revise
from instrumentgpt.turn.turn import Turn

KIND = "markdown"


class StatementNotSaved(InstrumentGPTError, OSError):
    """A document that could not be written."""


def save_statement(turn: Turn, kept: Interviews, interview: Interview, template: str, about: About) -> str:
    """Save the statement as a document, tell the diagnosis, and return what to say of it.

    The document is written whole or not at all; that it was, is kept in the same transaction.
    Raises StatementNotSaved; then the summary still waits for its yes.
    """
    text = template_text(templates(turn.home())[template], about.language)
    saved = _saved(turn, kept, document(text, interview, about), about.title)
    _tell_diagnosis(turn, interview, about)
    for key, mode in (("diagnose", "chat"), ("investigate", "investigate")):
        question = diagnosis_question(interview, about, key)
        turn.offers.append(db.Offer(texts("offers")[key][about.language], question, mode))
    problem = plain_text(problem_of(interview))
    told = say("saved", about.language, file=plain_text(saved.file), problem=problem)
    return f"{told}\n\n{say('further', about.language)}"


def _saved(turn: Turn, kept: Interviews, content: str, title: str) -> db.Document:
    conversation = turn.run.conversation_id
    ref = f"statement_{len(kept.saved) + 1}"
    try:
        with db.transaction(turn.database):
            told = (conversation, ref, KIND, title, content.encode("utf-8", "replace"))
            saved = db.save_document(turn.database, *told)
            row = {"document": saved.id, "file": saved.file, "message": turn.question.id}
            after = Interviews(began=turn.question.id + 1, saved=(*kept.saved, row))
            save_kept(turn.database, conversation, after)
            db.save_mode_state(turn.database, conversation, CHOICES, {})
    except OSError as problem:
        raise StatementNotSaved(
            f"The document “{title}” cannot be written: {problem.strerror or problem}."
            " Nothing is lost: make room or give another name, then say yes again."
        ) from None
    return saved


def _tell_diagnosis(turn: Turn, interview: Interview, about: About) -> None:
    """Put the statement into the state, pinned, and what it demands among the user's constraints."""
    device, lines = memory.device_key(turn.state), interview.lines
    if told := findings(interview, about.language):
        before = turn.state
        turn.state = memory.record_tool(before, "statement", {"findings": told})
        items = [
            db.StateItem(device, *item, "user", message_id=turn.question.id)
            for item in memory.new_items(before, turn.state)
        ]

        def store(_: int) -> None:
            db.add_state_items(turn.database, turn.run.conversation_id, items)
            for one in items:
                item = Item(one.device, one.field, one.text)
                with suppress(RefusedRevision):  # too many are pinned: it stays unpinned
                    revise(turn.database, turn.run.conversation_id, item, "pin", item.name)

        turn.also_saved.append(store)
    if demands := [*lines.get("constraints", ()), *lines.get("must_have", ())]:
        where = turn.database, turn.run.conversation_id, turn.question.id
        sentences = [("constraint", text, device) for text in demands]
        turn.also_saved.append(lambda _: db.store_facts(*where, "user", [], sentences))
