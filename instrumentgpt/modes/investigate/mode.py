"""One turn of Investigate: think, then carry out, propose or ask; a yes or no settles what waits.

Each answer keeps what it leaves open: a plan that is carried out further steps, a proposal its yes, questions
their answers.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import db
import memory
from instrumentgpt import moments
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Failure, Text
from instrumentgpt.instruments.fleet import choose
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.instruments.since import since
from instrumentgpt.modes.asking import REPAIR_TOKENS, Journal, Want, ask_for
from instrumentgpt.modes.chat import how_to_add
from instrumentgpt.modes.investigate import numbered, say
from instrumentgpt.modes.investigate.contract import ThinkOutput, ThinkStep
from instrumentgpt.modes.investigate.editing import STEPS, Reply, effort_of, reply_to
from instrumentgpt.modes.investigate.execution import (
    Job,
    Outcome,
    Scene,
    carried_out,
    reply_events,
    step_list,
)
from instrumentgpt.modes.investigate.kept import (
    MODE,
    ModeState,
    Pending,
    read_kept,
    saved,
    wished,
    with_note,
    written,
)
from instrumentgpt.modes.investigate.prompt import PromptParts, reasons, think_prompt
from instrumentgpt.moments import today
from instrumentgpt.storage.entities import Entity, list_entities, retain_entities
from instrumentgpt.storage.history import history, places
from instrumentgpt.storage.panels import WHOLE, Key
from instrumentgpt.turn.ask import replied
from instrumentgpt.turn.prompt import keep_long_request, request_file
from instrumentgpt.turn.request import on_record
from instrumentgpt.turn.turn import Turn

THINK = Key(WHOLE, "think")
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


def _keep(turn: Turn, kept: ModeState, pending: Pending | None, note: str) -> None:
    state = written(replace(kept, pending=pending, notes=with_note(kept, turn.question.id, note)))
    conversation = turn.run.conversation_id
    turn.also_saved.append(lambda _: db.save_mode_state(turn.database, conversation, MODE, state))


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
    prompt = _prompt(turn, kept, turns, entities, request)
    want = Want(THINK, "think", prompt, _as_data(request), ThinkOutput.read, read_only=True)
    reply = yield from ask_for(Journal(turn), want)
    decided = reply.content
    if decided is None:
        text = f"The agent's plan did not fit the contract, twice: {reply.problem}. Nothing was carried out."
        failure = reply.failure or Failure("error", text, "Say it in other words, or ask without a plan.")
        yield failure
        yield Done(failure.outcome, "")
        return
    if decided.decision == "clarify":
        yield from ask_back(turn, kept, request, decided)
    elif decided.decision == "propose":
        yield from propose(turn, kept, request, decided.goal, decided.proposal_message or "", ())
    elif not request.approved and (
        request.is_changed or len(decided.steps or ()) > request.limit or len(request.pending.devices) > 1
    ):  # the user should see a plan first that is long or changed, or of several devices
        steps = chosen(request, ordered(decided))
        yield from propose(turn, kept, request, decided.goal, plan_text(request, steps), steps)
    else:
        yield from carry_out(turn, kept, request, decided)


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
    prompt, turn.summary = think_prompt(material, messages, turn.summary, question, budget - REPAIR_TOKENS)
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
