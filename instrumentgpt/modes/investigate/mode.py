"""One turn of Investigate: think, then carry out, propose or ask; a yes or no settles what waits."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import db
import memory
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Events
from instrumentgpt.instruments.fleet import choose
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.chat import how_to_add
from instrumentgpt.modes.investigate import say
from instrumentgpt.modes.investigate.answering import (
    Request,
    ask_back,
    carry_out,
    chosen,
    end_with,
    explained,
    ordered,
    plan_text,
    propose,
)
from instrumentgpt.modes.investigate.contract import RESERVED_TOKENS, NoDecision, ThinkOutput, thought
from instrumentgpt.modes.investigate.editing import Reply, effort_of, reply_to
from instrumentgpt.modes.investigate.kept import MODE, ModeState, Pending, read_kept, saved, wished
from instrumentgpt.modes.investigate.prompt import PromptParts, reasons, think_prompt
from instrumentgpt.moments import today
from instrumentgpt.storage.entities import Entity, list_entities, retain_entities
from instrumentgpt.storage.history import history, places
from instrumentgpt.turn.prompt import keep_long_request, request_file
from instrumentgpt.turn.request import on_record
from instrumentgpt.turn.turn import Turn


def investigate(turn: Turn) -> Events:
    """Answer the question: what waited for it is settled, else it is thought through."""
    turns = [*places(*turn.where, turn.question.id)[1], turn.question.id]
    kept = read_kept(db.get_mode_state(*turn.where, MODE), turns)
    turn.note_entities()
    entities = list_entities(*turn.where)
    question, pending = turn.question.content, kept.pending
    reply = reply_to(pending, question, turn.inventory) if pending else None
    if pending and pending.kind == "save" and reply and reply.kind not in ("yes", "no"):
        pending = reply = None
    settles = pending is not None and reply is not None and reply.kind != "other"
    language = language_of(pending.asked if pending and settles else question)
    # words that nobody here understands an agent with a model may, and proposes anew
    asked_back = ("question", "unclear") if turn.run.agent == "offline" else ("question",)
    refs = wished(question, entities)
    if pending and pending.kind == "save" and reply and reply.kind == "yes":
        refs = refs or [pending.ref]
    if refs:
        text = saved(*turn.where, refs, entities, language)
        yield from end_with(turn, kept, text, f"saved {', '.join(refs)}")
    elif pending is None and approval(question):
        yield from end_with(turn, kept, say("nothing_waits", language), "nothing waited for a yes or no")
    elif pending and reply and reply.kind == "no":
        key = "not_saved" if pending.kind == "save" else "dropped"
        yield from end_with(turn, kept, say(key, language, ref=pending.ref), f"refused: {pending.goal}")
    elif pending and reply and reply.kind in asked_back:
        yield from explained(turn, kept, pending, language, is_unclear=reply.kind == "unclear")
    elif turn.unknown and not turn.devices:
        yield from end_with(turn, kept, how_to_add(turn), f"unknown: {', '.join(turn.unknown)}")
    else:
        yield from _worked(turn, kept, turns, entities, _request(turn, pending, reply, language))


def _request(turn: Turn, pending: Pending | None, reply: Reply | None, language: Language) -> Request:
    """Return what is asked: the question itself, or what waits, agreed to or changed by it."""
    question = turn.question.content
    if pending is None or pending.kind == "save" or reply is None or reply.kind == "other":
        choice = choose(question, turn.inventory)
        devices, excluded = (
            tuple(device.name for device in group) for group in (choice.devices, choice.excluded)
        )
        effort = effort_of(question, turn.settings.effort, devices)
        fields: dict[str, Any] = {"effort": effort, "devices": devices, "excluded": excluded}
        return Request(Pending("proposal", "", question, **fields, report=choice.report), language)
    approved = reply.kind == "yes"
    amendments = pending.amendments if approved else (*pending.amendments, question)
    devices = reply.devices or pending.devices
    taken_out = dict.fromkeys((*pending.excluded, *reply.excluded))
    excluded = tuple(name for name in taken_out if name not in devices)
    agreed = replace(
        pending,
        amendments=amendments,
        steps=pending.steps if approved else (),
        effort=effort_of("\n".join((pending.asked, *amendments)), turn.settings.effort, devices),
        devices=devices,
        excluded=excluded,
        report=pending.report if reply.report is None else reply.report,
    )
    is_changed = not approved and pending.kind == "proposal"
    return Request(agreed, language, approved, is_changed, reply.steps)


def _worked(
    turn: Turn, kept: ModeState, turns: Sequence[int], entities: Sequence[Entity], request: Request
) -> Events:
    """Carry out what was agreed to, or think and do what that comes to."""
    if request.pending.steps:
        plan = ThinkOutput(
            decision="plan_direct",
            goal=request.pending.goal or request.pending.asked[:500],
            steps=request.pending.steps,
        )
        yield from carry_out(turn, kept, request, plan)
        return
    try:
        decided = yield from thought(turn, _prompt(turn, kept, turns, entities, request), _as_data(request))
    except NoDecision as refused:
        if refused.failure.outcome != "cancelled":
            yield refused.failure
        yield Done(refused.failure.outcome, "")
        return
    if decided.decision == "clarify":
        yield from ask_back(turn, kept, request, decided)
    elif decided.decision == "propose":
        yield from propose(turn, kept, request, decided.goal, decided.proposal_message or "", ())
    elif not request.approved and _needs_a_yes(request, decided):
        steps = chosen(request, ordered(decided))
        yield from propose(turn, kept, request, decided.goal, plan_text(request, steps), steps)
    else:
        yield from carry_out(turn, kept, request, decided)


def _needs_a_yes(request: Request, plan: ThinkOutput) -> bool:
    """Return whether the user should see the plan first: a long or changed one, or of several devices."""
    return request.is_changed or len(plan.steps or ()) > request.limit or len(request.pending.devices) > 1


def _prompt(
    turn: Turn, kept: ModeState, turns: Sequence[int], entities: Sequence[Entity], request: Request
) -> str:
    """Return the prompt for thinking; what it moves out of the recent turns is in the summary from now on."""
    question = turn.question.content
    state = vars(turn.state)
    kept_now = reasons(entities, question, kept.pending, state)
    retain_entities(*turn.where, kept_now)
    curation = [f"`{ref}` kept: {why}" for ref, why in kept_now.items()]
    gone = (entity.ref for entity in entities if entity.retained and entity.ref not in kept_now)
    curation += [f"`{ref}` let go" for ref in gone]
    budget = turn.settings.prompt_tokens
    too_long = memory.is_too_long(question, budget)
    material = PromptParts(
        turns,
        list_entities(*turn.where),
        kept,
        turn.inventory,
        turn.state.device_name or turn.state.device_ip or "",
        memory.request_in_file(question, request_file(question), budget) if too_long else question,
        request.pending.effort,
        today(),
        request.approved,
        turn.settings.profile,
        [*([turn.settings.plan_guidance] if turn.settings.plan_guidance else []), *on_record(turn)],
        curation,
    )
    messages = history(*turn.where, turn.question.id)
    prompt, turn.summary = think_prompt(material, messages, turn.summary, question, budget - RESERVED_TOKENS)
    keep_long_request(question, turn.workspace(), turn.settings)
    return prompt


def _as_data(request: Request) -> dict[str, object]:
    """Return the same as data, for our own analyst."""
    return {
        "asked": request.pending.asked,
        "amendments": list(request.pending.amendments),
        "devices": list(request.pending.devices),
        "report": request.pending.report,
        "approved": request.approved,
        "limit": request.limit,
        "effort": request.pending.effort,
        "today": today().isoformat(),
    }
