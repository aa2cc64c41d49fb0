"""An approved statement: its document is saved, and the diagnosis knows what it says from then on."""

from dataclasses import replace

import db
import memory
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.revisions import Item
from instrumentgpt.modes.interview.case import Case
from instrumentgpt.modes.interview.statement import diagnosis_question, document, finding
from instrumentgpt.modes.interview.stored import save_kept
from instrumentgpt.modes.interview.templates import templates
from instrumentgpt.modes.interview.words import say, words
from instrumentgpt.storage.conversations import Offer
from instrumentgpt.storage.revisions import RefusedRevision, revise

KIND = "markdown"


class StatementNotSaved(InstrumentGPTError, OSError):
    """A document that could not be written."""


def save_statement(case: Case) -> str:
    """Save the statement of `case` as a document, tell the diagnosis, and return what to say of it.

    The document is written whole or not at all; that it was, is kept in the same transaction.
    Raises StatementNotSaved; then the summary still waits for its yes.
    """
    turn = case.turn
    template = templates(turn.home())[case.template].text(case.language)
    saved = _saved(case, document(template, case.interview, case.about))
    _tell_diagnosis(case)
    _offer_diagnosis(case)
    problem = plain_text(case.interview.gathered.description)
    told = say("saved", case.language, file=plain_text(saved.file), problem=problem)
    return f"{told}\n\n{say('further', case.language)}"


def _saved(case: Case, content: str) -> db.Document:
    turn, conversation = case.turn, case.turn.run.conversation_id
    ref = f"statement_{len(case.kept.saved) + 1}"
    try:
        with db.transaction(turn.database):
            told = (conversation, ref, KIND, case.about.title, content.encode("utf-8", "replace"))
            saved = db.save_document(turn.database, *told)
            row = {"document": saved.id, "file": saved.file, "message": turn.question.id}
            kept = replace(case.kept, began=turn.question.id + 1, asked={}, saved=(*case.kept.saved, row))
            save_kept(turn.database, conversation, kept)
    except OSError as problem:
        raise StatementNotSaved(
            f"The document “{case.about.title}” cannot be written: {problem.strerror or problem}."
            " Nothing is lost: make room or give another name, then say yes again."
        ) from None
    return saved


def _tell_diagnosis(case: Case) -> None:
    """Put what is reported into the state, pinned, and what it demands among what the user laid down."""
    turn, symptom = case.turn, finding(case.interview, case.language)
    device = memory.device_key(turn.state)
    gathered = case.interview.gathered
    wanted = [*gathered.constraints, *gathered.must_have]
    if symptom:
        before = turn.state
        turn.state = memory.record_tool(before, "statement", {"findings": [symptom]})
        items = [
            db.StateItem(device, *item, "user", message_id=turn.question.id)
            for item in memory.new_items(before, turn.state)
        ]

        def store(_: int) -> None:
            db.add_state_items(turn.database, turn.run.conversation_id, items)
            for one in items:
                _pin(case, Item(one.device, one.field, one.text))

        turn.also_saved.append(store)
    if wanted:
        where = turn.database, turn.run.conversation_id, turn.question.id
        sentences = [("constraint", text, device) for text in wanted]
        turn.also_saved.append(lambda _: db.store_facts(*where, "user", [], sentences))


def _pin(case: Case, item: Item) -> None:
    """Pin the item, so that every later prompt has it; where too many are pinned it stays unpinned."""
    try:
        revise(case.turn.database, case.turn.run.conversation_id, item, "pin", item.name)
    except RefusedRevision:
        return


def _offer_diagnosis(case: Case) -> None:
    """Offer to go on with the statement: as a question of the chat, or as a task to investigate."""
    labels = words("offers")
    case.turn.offers += [
        Offer(labels["diagnose"][case.language], diagnosis_question(case.interview, case.about)),
        Offer(
            labels["investigate"][case.language],
            diagnosis_question(case.interview, case.about, "investigate"),
            "investigate",
        ),
    ]
