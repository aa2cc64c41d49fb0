"""What a decision becomes: a plan carried out, a proposal, questions; each with what it leaves open."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import db
from instrumentgpt import moments
from instrumentgpt.agents.events import Done, Event, Events, Text
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.instruments.since import since
from instrumentgpt.modes.investigate import numbered, say
from instrumentgpt.modes.investigate.contract import ThinkOutput, ThinkStep
from instrumentgpt.modes.investigate.editing import STEPS
from instrumentgpt.modes.investigate.execution import (
    Job,
    Outcome,
    Scene,
    carried_out,
    reply_events,
    step_list,
)
from instrumentgpt.modes.investigate.kept import MODE, ModeState, Pending, with_note, written
from instrumentgpt.storage.entities import Entity, list_entities
from instrumentgpt.turn.ask import replied
from instrumentgpt.turn.turn import Turn

REPLY, AGAIN, END = 100, 5_000, 10_000  # segments: the agent's words, our analyst's, what is added below


@dataclass(frozen=True)
class Request:
    """What is asked: a new request, or what waited, as it was answered.

    pending     as it would wait for a yes; `steps`: what was agreed to, if that is known
    approved    whether the user agreed just now
    is_changed  whether the user changed what was proposed: it is proposed anew
    chosen      numbers of the steps that stay, as the user put them in order; (): all of them
    """

    pending: Pending
    language: Language
    approved: bool = False
    is_changed: bool = False
    chosen: tuple[int, ...] = ()

    @property
    def limit(self) -> int:
        """The most steps that are carried out at once."""
        return STEPS[self.pending.effort]

    @property
    def words(self) -> str:
        """The request, and what was said to it since."""
        return "\n".join((self.pending.asked, *self.pending.amendments))

    def waiting(self, message: str, goal: str, steps: Sequence[ThinkStep] = ()) -> Pending:
        """Return this request as a proposal that waits for its yes."""
        return replace(self.pending, kind="proposal", message=message, goal=goal, steps=tuple(steps))


def carry_out(turn: Turn, kept: ModeState, request: Request, plan: ThinkOutput) -> Events:
    """Carry out as many steps as the effort allows, tell what they came to, and offer what is left."""
    steps, limit, language = ordered(plan), request.limit, request.language
    job = Job(steps[:limit], language, _title(request) or plan.goal)
    descriptions = [step.description for step in job.steps]
    yield Text(say("plan", language, goal=plan.goal, steps=numbered(descriptions)), 0, whole=True)
    outcomes = yield from carried_out(turn, job, _scene(turn, request))
    artifacts = {artifact for outcome in outcomes for artifact in outcome.artifacts}
    made = [entity for entity in turn.note_entities() if entity.link.get("artifact") in artifacts]
    end = yield from _replied(turn, job, outcomes, made)
    if trouble := step_list(outcomes, language):
        yield Text(say("not_done", language, steps=trouble), END, whole=True)
    pending = _left(turn, request, plan.goal, steps[limit:], made)
    if _several_causes(turn):
        _offer_panel(turn, request)
    if pending and pending.kind == "proposal":
        yield Text(pending.message, END + 1, whole=True)
    done = sum(outcome.status == "ok" for outcome in outcomes)
    refs = "".join(f", {entity.ref}" for entity in made)
    _keep(turn, kept, pending, f"{plan.goal}: {done} of {len(job.steps)} steps done{refs}")
    yield end


def _replied(
    turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity]
) -> Generator[Event, None, Done]:
    """Yield what the agent makes of the outcomes; where it fails, what our own analyst makes of them."""
    if turn.stopped():
        return Done("cancelled", "")
    reply = yield from replied(reply_events(turn, job, outcomes, made), segment=REPLY)
    if reply.outcome == "ok" and reply.text.strip():
        return Done("ok", "")
    if turn.stopped():
        return Done("cancelled", "")
    again = yield from replied(reply_events(turn, job, outcomes, made, agent="offline"), segment=AGAIN)
    return Done(again.outcome, "")


def _left(
    turn: Turn, request: Request, goal: str, rest: Sequence[ThinkStep], made: Sequence[Entity]
) -> Pending | None:
    """Return what the answer leaves open, with its buttons: further steps, or something to save."""
    language = request.language
    unsaved = [entity for entity in made if entity.flag == "unsaved"]
    for entity in unsaved:
        label = say("offer_save", language, ref=entity.ref)
        turn.offers.append(db.Offer(label, label, MODE))
    if rest:
        listed = numbered([step.description for step in rest])
        message = say("rest", language, count=len(rest), steps=listed)
        _offer_yes_no(turn, language)
        return request.waiting(message, goal, rest)
    if unsaved:
        ref = unsaved[-1].ref
        return Pending("save", say("offer_save", language, ref=ref), request.pending.asked, goal, ref=ref)
    return None


def ask_back(turn: Turn, kept: ModeState, request: Request, decided: ThinkOutput) -> Events:
    """Ask the questions, and offer the modes that find out more."""
    questions = "\n".join(f"- {question}" for question in decided.clarification_questions or ())
    message = say("questions", request.language, questions=questions)
    pending = replace(request.waiting(message, decided.goal), kind="question")
    turn.offers.append(db.Offer(say("offer_interview", request.language), request.pending.asked, "interview"))
    _offer_panel(turn, request)
    yield from end_with(turn, kept, message, f"asked back: {decided.goal}", pending)


def propose(
    turn: Turn, kept: ModeState, request: Request, goal: str, message: str, steps: Sequence[ThinkStep]
) -> Events:
    """Answer with a proposal and its buttons; `steps` are carried out on a yes, if they are known."""
    _offer_yes_no(turn, request.language)
    yield from end_with(turn, kept, message, f"proposed: {goal}", request.waiting(message, goal, steps))


def explained(turn: Turn, kept: ModeState, pending: Pending, language: Language, is_unclear: bool) -> Events:
    """Tell what the proposal is, and what comes of it; it waits on."""
    steps = numbered([step.description for step in pending.steps]) or pending.message
    fields = {"count": len(pending.devices), "devices": ", ".join(pending.devices), "steps": steps}
    text = say("unclear" if is_unclear else "about_plan", language, **fields)
    _offer_yes_no(turn, language)
    yield from end_with(turn, kept, text, f"still proposed: {pending.goal}", pending)


def plan_text(request: Request, steps: Sequence[ThinkStep]) -> str:
    """Return the proposal that a plan becomes: all its steps, or as many as the effort allows."""
    limit, listed = request.limit, [step.description for step in steps]
    fields = {
        "count": len(steps),
        "effort": request.pending.effort,
        "limit": limit,
        "rest": len(steps) - limit,
    }
    key = "proposal" if len(steps) <= limit else "cut"
    return say(key, request.language, steps=numbered(listed[:limit]), **fields)


def chosen(request: Request, steps: tuple[ThinkStep, ...]) -> tuple[ThinkStep, ...]:
    """Return those of `steps` that the user chose, in the user's order: each in a group of its own."""
    numbers = [number for number in request.chosen if 1 <= number <= len(steps)]
    if not numbers:
        return steps
    return tuple(
        steps[number - 1].model_copy(update={"group": place}) for place, number in enumerate(numbers)
    )


def _title(request: Request) -> str:
    """Return what a report on the request is called: its devices, and since when; "" where none is named."""
    begun = since(request.words, moments.today())
    count, names = len(request.pending.devices), ", ".join(request.pending.devices)
    key = "title_since" if begun else "title"
    day = (begun or moments.today()).isoformat()
    return say(key, request.language, count=count, names=names, day=day) if count else ""


def ordered(plan: ThinkOutput) -> tuple[ThinkStep, ...]:
    """Return the steps of a plan by their groups."""
    return tuple(sorted(plan.steps or (), key=lambda step: step.group))


def _offer_yes_no(turn: Turn, language: Language) -> None:
    for key in ("offer_yes", "offer_no"):
        label = say(key, language)
        turn.offers.append(db.Offer(label, label, MODE))


def _several_causes(turn: Turn) -> bool:
    """Return whether a log that was diagnosed shows two faults, or one that it cannot tell from another."""
    for name, result in turn.results:
        findings = result.get("findings") if name == "diagnose_log" else None
        faults = [fault for fault in findings or () if fault.get("severity") not in ("none", "info")]
        alike = [row for fault in faults for row in fault.get("alternatives", ())]
        if len(faults) > 1 or any(row.get("reason") == "not_separable" for row in alike):
            return True
    return False


def _offer_panel(turn: Turn, request: Request) -> None:
    """Offer to have the same examined by experts, where it may have several causes."""
    turn.offers.append(db.Offer(say("offer_panel", request.language), request.pending.asked, "panel"))


def _scene(turn: Turn, request: Request) -> Scene:
    """Return what the steps' targets are read from."""
    dropped = [path.name for path in turn.uploads() if is_log_name(path.name)]
    return Scene(
        turn.inventory,
        list_entities(*turn.where),
        request.words,
        moments.today(),
        turn.state.device_name or "",
        Path(turn.state.last_log_file or "").name,
        dropped,
        request.pending.excluded,
    )


def end_with(turn: Turn, kept: ModeState, text: str, note: str, pending: Pending | None = None) -> Events:
    """Answer with `text` and remember what waits now."""
    turn.learns_from_words = False
    _keep(turn, kept, pending, note)
    yield Text(text, 0, whole=True)
    yield Done("ok", text)


def _keep(turn: Turn, kept: ModeState, pending: Pending | None, note: str) -> None:
    state = written(replace(kept, pending=pending, notes=with_note(kept, turn.question.id, note)))
    conversation = turn.run.conversation_id
    turn.also_saved.append(lambda _: db.save_mode_state(turn.database, conversation, MODE, state))
