"""An approved statement: its document is saved, and the diagnosis knows what it says from then on."""

from dataclasses import replace

import db
import memory
from instrumentgpt.agents.offline.phrases import plain_text
from instrumentgpt.modes.interview.case import Case
from instrumentgpt.modes.interview.statement import diagnosis_question, document, finding
from instrumentgpt.modes.interview.stored import save_kept
from instrumentgpt.modes.interview.templates import templates
from instrumentgpt.modes.interview.words import say, words
from instrumentgpt.storage.modes import Offer
from instrumentgpt.storage.revisions import RefusedRevision, revise
from instrumentgpt.text.revisions import Item

KIND = "markdown"


def save_statement(case: Case) -> str:
    """Save the statement of `case` as a document, tell the diagnosis, and return what to say of it.

    The document is written whole or not at all; that it was, is kept in the same transaction.
    """
    turn, about = case.turn, case.about
    template = templates(turn.home())[case.template].text(case.language)
    content = document(template, case.interview, about)
    conversation = turn.run.conversation_id
    with db.transaction(turn.database):
        ref = f"statement_{len(case.kept.saved) + 1}"
        saved = db.save_document(turn.database, conversation, ref, KIND, about.title, content.encode("utf-8"))
        row = {"document": saved.id, "file": saved.file, "title": saved.title, "message": turn.question.id}
        kept = replace(case.kept, began=turn.question.id + 1, asked={}, saved=(*case.kept.saved, row))
        save_kept(turn.database, conversation, kept)
    _tell_diagnosis(case)
    _offer_diagnosis(case)
    problem = plain_text(case.interview.gathered.description)
    told = say("saved", case.language, file=plain_text(saved.file), problem=problem)
    return f"{told}\n\n{say('further', case.language)}"


def _tell_diagnosis(case: Case) -> None:
    """Put what is reported into the state, pinned, and what must be respected among what the user laid down."""
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
        sentences = [("wish", text) for text in wanted]
        turn.also_saved.append(lambda _: db.store_facts(*where, "user", [], sentences, device))


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
