"""One turn of Investigate: think, then carry out, propose or ask; a yes or no settles what waits."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import db
import memory
from instrumentgpt.agents.events import Done, Event, Events, Failure, Text
from instrumentgpt.asking import replied
from instrumentgpt.instruments.fleet import devices_meant
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.modes.chat import how_to_add
from instrumentgpt.modes.investigate import saving
from instrumentgpt.modes.investigate.amending import amends
from instrumentgpt.modes.investigate.contract import ThinkOutput, ThinkStep
from instrumentgpt.modes.investigate.effort import STEPS, effort_of
from instrumentgpt.modes.investigate.execution import Job, Outcome, carried_out
from instrumentgpt.modes.investigate.kept import MODE, Kept, Pending, read_kept, with_note, written
from instrumentgpt.modes.investigate.prompt import Known, think_prompt
from instrumentgpt.modes.investigate.replying import step_list, told
from instrumentgpt.modes.investigate.retention import reasons
from instrumentgpt.modes.investigate.targets import Scene
from instrumentgpt.modes.investigate.thinking import RESERVED_TOKENS, NoDecision, thought
from instrumentgpt.modes.investigate.wording import numbered, say
from instrumentgpt.prompts import keep_long_request, request_file
from instrumentgpt.storage.entities import Entity, list_entities, retain_entities
from instrumentgpt.storage.history import history, places
from instrumentgpt.text.approval import approval
from instrumentgpt.text.language import Language, language_of
from instrumentgpt.turn import Turn

REPLY, END = 100, 10_000  # segments of the answer: the agent's words, and what is added below them


@dataclass(frozen=True)
class Request:
    """What is asked: a new request, or what waited, as it was answered.

    asked       the request itself, `amendments` what was said to it since
    approved    whether the user agreed just now
    """

    asked: str
    language: Language
    effort: str
    amendments: tuple[str, ...] = ()
    approved: bool = False
    steps: tuple[ThinkStep, ...] = ()
    goal: str = ""


def investigate(turn: Turn) -> Events:
    """Answer the question: what waited for it is settled, else it is thought through."""
    turns = [*places(turn.database, turn.run.conversation_id, turn.question.id)[1], turn.question.id]
    kept = read_kept(db.get_mode_state(turn.database, turn.run.conversation_id, MODE), turns)
    turn.note_entities()
    entities = list_entities(turn.database, turn.run.conversation_id)
    said, pending = turn.question.content, kept.pending
    answer = approval(said) if pending else None
    language = language_of(pending.asked if pending and answer else said)
    refs = saving.wished(said, entities)
    if pending and pending.kind == "save" and answer == "yes":
        refs = refs or [pending.ref]
    if refs:
        text = saving.saved(turn.database, turn.run.conversation_id, refs, entities, language)
        yield from _ended(turn, kept, text, f"saved {', '.join(refs)}")
    elif pending and answer == "no":
        key = "not_saved" if pending.kind == "save" else "dropped"
        yield from _ended(turn, kept, say(key, language, ref=pending.ref), f"refused: {pending.goal}")
    elif turn.unknown and not turn.devices:
        yield from _ended(turn, kept, how_to_add(turn), f"unknown: {', '.join(turn.unknown)}")
    else:
        yield from _worked(turn, kept, turns, entities, _request(turn, pending, answer == "yes", language))


def _request(turn: Turn, pending: Pending | None, approved: bool, language: Language) -> Request:
    """Return what is asked: the question itself, or what waits, agreed to or amended by it."""
    said = turn.question.content
    new = pending is None or pending.kind == "save" or not (approved or amends(said, pending.kind))
    if new or pending is None:
        return Request(said, language, _effort(turn, said))
    amendments = pending.amendments if approved else (*pending.amendments, said)
    effort = _effort(turn, "\n".join((pending.asked, *amendments)))
    steps = pending.steps if approved else ()
    return Request(pending.asked, language, effort, amendments, approved, steps, pending.goal)


def _effort(turn: Turn, words: str) -> str:
    return effort_of(words, turn.settings.effort, devices_meant(words, turn.inventory))


def _worked(
    turn: Turn, kept: Kept, turns: Sequence[int], entities: Sequence[Entity], request: Request
) -> Events:
    """Carry out what was agreed to, or think and do what that comes to."""
    if request.steps:
        plan = ThinkOutput(
            decision="plan_direct", goal=request.goal or request.asked[:500], steps=request.steps
        )
        yield from _carried_out(turn, kept, request, plan)
        return
    try:
        decided = yield from thought(turn, _prompt(turn, kept, turns, entities, request), _told(request))
    except NoDecision as refused:
        yield from _refused(turn, refused.failure)
        return
    if decided.decision == "clarify":
        yield from _asked_back(turn, kept, request, decided)
    elif decided.decision == "propose":
        yield from _proposed(turn, kept, request, decided.goal, decided.proposal_message or "", ())
    elif len(decided.steps or ()) > STEPS[request.effort] and not request.approved:
        yield from _proposed(turn, kept, request, decided.goal, _cut(request, decided), _ordered(decided))
    else:
        yield from _carried_out(turn, kept, request, decided)


def _prompt(
    turn: Turn, kept: Kept, turns: Sequence[int], entities: Sequence[Entity], request: Request
) -> str:
    """Return the prompt for thinking; what it moves out of the recent turns is in the summary from now on."""
    said = turn.question.content
    state = vars(turn.state)
    retain_entities(turn.database, turn.run.conversation_id, reasons(entities, said, kept.pending, state))
    budget = turn.settings.prompt_tokens
    too_long = memory.is_too_long(said, budget)
    known = Known(
        turns,
        list_entities(turn.database, turn.run.conversation_id),
        kept,
        turn.inventory,
        turn.state.device_name or turn.state.device_ip or "",
        memory.request_in_file(said, request_file(said), budget) if too_long else said,
        request.effort,
        date.today(),
        request.approved,
    )
    messages = history(turn.database, turn.run.conversation_id, turn.question.id)
    prompt, turn.summary = think_prompt(known, messages, turn.summary, said, budget - RESERVED_TOKENS)
    keep_long_request(said, turn.workspace(), turn.settings)
    return prompt


def _told(request: Request) -> dict[str, object]:
    """Return the same as data, for our own analyst."""
    return {
        "asked": request.asked,
        "amendments": list(request.amendments),
        "approved": request.approved,
        "limit": STEPS[request.effort],
        "effort": request.effort,
        "today": date.today().isoformat(),
    }


def _carried_out(turn: Turn, kept: Kept, request: Request, plan: ThinkOutput) -> Events:
    """Carry out as many steps as the effort allows, tell what they came to, and offer what is left."""
    steps, limit, language = _ordered(plan), STEPS[request.effort], request.language
    job = Job(steps[:limit], language, plan.goal)
    descriptions = [step.description for step in job.steps]
    yield Text(say("plan", language, goal=plan.goal, steps=numbered(descriptions)), 0, whole=True)
    outcomes = yield from carried_out(turn, job, _scene(turn, request))
    made = [one for one in turn.note_entities() if one.link.get("artifact") in _artifacts(outcomes)]
    ended = yield from _replied(turn, job, outcomes, made)
    if trouble := step_list(outcomes, language):
        yield Text("\n\n" + say("not_done", language, steps=trouble), END, whole=True)
    pending = _left(turn, request, plan.goal, steps[limit:], made)
    if _several_causes(turn):
        _offer_panel(turn, request)
    if pending and pending.kind == "proposal":
        yield Text("\n\n" + pending.message, END + 1, whole=True)
    done = sum(one.status == "ok" for one in outcomes)
    refs = "".join(f", {one.ref}" for one in made)
    _keep(turn, kept, pending, f"{plan.goal}: {done} of {len(job.steps)} steps done{refs}")
    yield ended


def _replied(
    turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity]
) -> Generator[Event, None, Done]:
    """Yield what the agent makes of the outcomes; where it fails, what our own analyst makes of them."""
    if turn.stopped():
        return Done("cancelled", "")
    reply = yield from replied(told(turn, job, outcomes, made), segment=REPLY)
    if reply.outcome == "ok" and reply.text.strip():
        return Done("ok", "")
    if turn.stopped():
        return Done("cancelled", "")
    again = yield from replied(told(turn, job, outcomes, made, agent="offline"), segment=REPLY)
    return Done(again.outcome, "")


def _left(
    turn: Turn, request: Request, goal: str, rest: Sequence[ThinkStep], made: Sequence[Entity]
) -> Pending | None:
    """Return what the answer leaves open, with its buttons: further steps, or something to save."""
    language = request.language
    unsaved = [one for one in made if one.flag == "unsaved"]
    for one in unsaved:
        label = say("offer_save", language, ref=one.ref)
        turn.offers.append(db.Offer(label, label, MODE))
    if rest:
        listed = numbered([step.description for step in rest])
        message = say("rest", language, count=len(rest), steps=listed)
        _offer_yes_no(turn, language)
        return Pending(
            "proposal", message, request.asked, goal, request.amendments, tuple(rest), request.effort
        )
    if unsaved:
        one = unsaved[-1]
        return Pending("save", say("offer_save", language, ref=one.ref), request.asked, goal, ref=one.ref)
    return None


def _asked_back(turn: Turn, kept: Kept, request: Request, decided: ThinkOutput) -> Events:
    questions = "\n".join(f"- {one}" for one in decided.clarification_questions or ())
    message = say("questions", request.language, questions=questions)
    pending = Pending(
        "question", message, request.asked, decided.goal, request.amendments, effort=request.effort
    )
    turn.offers.append(db.Offer(say("offer_interview", request.language), request.asked, "interview"))
    _offer_panel(turn, request)
    yield from _ended(turn, kept, message, f"asked back: {decided.goal}", pending)


def _proposed(
    turn: Turn, kept: Kept, request: Request, goal: str, message: str, steps: Sequence[ThinkStep]
) -> Events:
    pending = Pending(
        "proposal", message, request.asked, goal, request.amendments, tuple(steps), request.effort
    )
    _offer_yes_no(turn, request.language)
    yield from _ended(turn, kept, message, f"proposed: {goal}", pending)


def _cut(request: Request, plan: ThinkOutput) -> str:
    """Return the proposal that a plan over the limit becomes."""
    steps, limit = _ordered(plan), STEPS[request.effort]
    return say(
        "cut",
        request.language,
        count=len(steps),
        effort=request.effort,
        limit=limit,
        rest=len(steps) - limit,
        steps=numbered([step.description for step in steps[:limit]]),
    )


def _ordered(plan: ThinkOutput) -> tuple[ThinkStep, ...]:
    return tuple(sorted(plan.steps or (), key=lambda step: step.group))


def _offer_yes_no(turn: Turn, language: Language) -> None:
    for key in ("offer_yes", "offer_no"):
        label = say(key, language)
        turn.offers.append(db.Offer(label, label, MODE))


def _several_causes(turn: Turn) -> bool:
    """Return whether a log that was diagnosed shows two faults, or one that it cannot tell from another."""
    for name, result in turn.results:
        found = result.get("findings") if name == "diagnose_log" else None
        faults = [one for one in found or () if one.get("severity") not in ("none", "info")]
        alike = [row for one in faults for row in one.get("alternatives", ())]
        if len(faults) > 1 or any(row.get("reason") == "not_separable" for row in alike):
            return True
    return False


def _offer_panel(turn: Turn, request: Request) -> None:
    """Offer to have the same examined by experts, where it may have several causes."""
    turn.offers.append(db.Offer(say("offer_panel", request.language), request.asked, "panel"))


def _scene(turn: Turn, request: Request) -> Scene:
    """Return what the steps' targets are read from."""
    dropped = [path.name for path in turn.uploads() if is_log_name(path.name)]
    return Scene(
        turn.inventory,
        list_entities(turn.database, turn.run.conversation_id),
        "\n".join((request.asked, *request.amendments)),
        date.today(),
        turn.state.device_name or "",
        Path(turn.state.last_log_file or "").name,
        dropped,
    )


def _artifacts(outcomes: Sequence[Outcome]) -> set[str]:
    return {artifact for outcome in outcomes for artifact in outcome.artifacts}


def _ended(turn: Turn, kept: Kept, text: str, note: str, pending: Pending | None = None) -> Events:
    """Answer with `text` and remember what waits now."""
    turn.learns_from_words = False
    _keep(turn, kept, pending, note)
    yield Text(text, 0, whole=True)
    yield Done("ok", text)


def _keep(turn: Turn, kept: Kept, pending: Pending | None, note: str) -> None:
    state = written(replace(kept, pending=pending, notes=with_note(kept, turn.question.id, note)))
    conversation = turn.run.conversation_id
    turn.also_saved.append(lambda _: db.save_mode_state(turn.database, conversation, MODE, state))


def _refused(turn: Turn, failure: Failure) -> Events:
    if failure.outcome != "cancelled":
        yield failure
    yield Done(failure.outcome, "")
