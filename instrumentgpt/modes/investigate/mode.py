"""One turn of Investigate: think, then carry out, propose or ask; a yes or no settles what waits.

Each answer keeps what it leaves open: a plan that is carried out further steps, a proposal its yes, questions
their answers.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import db
from instrumentgpt import moments
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Failure, Text
from instrumentgpt.analyst.questions import read_question
from instrumentgpt.instruments.fleet import choose
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.memory.state import device_key
from instrumentgpt.modes.asking import REPAIR_TOKENS, Journal, Want, ask_for
from instrumentgpt.modes.chat import chat
from instrumentgpt.modes.investigate import numbered, say
from instrumentgpt.modes.investigate.decisions import MODE, ModeState, Pending, ThinkOutput, ThinkStep
from instrumentgpt.modes.investigate.editing import Reply, effort_of, reply_to, wished
from instrumentgpt.modes.investigate.execution import (
    Job,
    Outcome,
    Scene,
    carried_out,
    device_read,
    reply_events,
    step_list,
)
from instrumentgpt.modes.investigate.prompt import PromptParts, reasons, think_prompt
from instrumentgpt.modes.prompting import question_within
from instrumentgpt.modes.state import read_state, save_state
from instrumentgpt.storage.artifacts import SUFFIXES, documents_folder
from instrumentgpt.storage.entities import Entity, list_entities, mark_created, retain_entities
from instrumentgpt.storage.history import history, places
from instrumentgpt.storage.panels import WHOLE, Key
from instrumentgpt.turn.ask import replied
from instrumentgpt.turn.request import on_record
from instrumentgpt.turn.turn import Turn

THINK = Key(WHOLE, "think")
REPLY, AGAIN, END = 100, 5_000, 10_000  # segments: the agent's words, our analyst's, what is added below
NEW = Reply("other")  # nothing waited, or the words are another matter


@dataclass(frozen=True)
class Work:
    """One turn.

    stored    the mode's state, with what deleted turns left
    turns     ids of the conversation's questions, this one last
    entities  what has a ref by now
    pending   what is asked, as it would wait for a yes; `steps`: what was agreed to, if that is known
    reply     what the words made of what waited
    """

    turn: Turn
    stored: ModeState
    turns: Sequence[int]
    entities: Sequence[Entity]
    pending: Pending
    reply: Reply = NEW

    @property
    def kept(self) -> ModeState:
        """The mode's state as the turns that are there left it."""
        return self.stored.of_turns(self.turns)

    @property
    def approved(self) -> bool:
        """Whether the user agreed just now."""
        return self.reply.kind == "yes"

    def say(self, key: str, **fields: object) -> str:
        """Return the sentence `key` in the language of the request."""
        return say(key, self.pending.language, **fields)

    def offer(self, key: str, text: str = "", mode: str = MODE, **fields: str) -> None:
        """Offer a button that says `text` in a mode; "": what stands on it."""
        label = self.say(key, **fields)
        self.turn.offers.append(db.Offer(label, text or label, mode))

    def keep(self, note: str, pending: Pending | None = None) -> None:
        """Keep what waits for an answer now, and a note on the turn, together with its answer."""
        state = self.stored.after(self.turn.question.id, note, pending)
        self.turn.also_saved.append(lambda _: save_state(*self.turn.where, MODE, state))


def investigate(turn: Turn) -> Events:
    """Answer the question: what waited for it is settled, else it is thought through."""
    turns = [*places(*turn.where, turn.question.id)[1], turn.question.id]
    stored = read_state(*turn.where, MODE, ModeState)
    turn.note_entities()
    entities = list_entities(*turn.where)
    question, waits = turn.question.content, stored.of_turns(turns).pending
    reply = reply_to(waits, question, turn.inventory) if waits else NEW
    if reply.kind == "other" or (waits and waits.kind == "save" and reply.kind not in ("yes", "no")):
        waits, reply = None, NEW
    work = Work(turn, stored, turns, entities, waits or _requested(turn), reply)
    # words that nobody here understands an agent with a model may, and proposes anew
    asked_back = ("question", "unclear") if turn.run.agent == "offline" else ("question",)
    is_order = waits is None and turn.run.agent == "offline" and read_question(question).order
    refs = wished(question, entities)
    if waits and waits.kind == "save" and work.approved:
        refs = refs or [waits.ref]
    if refs:
        text = "\n\n".join(_saved(work, ref) for ref in refs)
        yield from _told(work, text, f"saved {', '.join(refs)}")
    elif waits is None and approval(question):
        yield from _told(work, work.say("nothing_waits"), "nothing waited for a yes or no")
    elif waits and reply.kind == "no":
        key = "not_saved" if waits.kind == "save" else "dropped"
        yield from _told(work, work.say(key, ref=waits.ref), f"refused: {waits.goal}")
    elif waits and reply.kind in asked_back:
        yield from _explained(work)
    elif (turn.unknown and not turn.devices) or is_order:
        turn.learns_from_words = False
        work.keep("nothing to plan: answered at once")
        yield from chat(turn)
    else:
        yield from _worked(replace(work, pending=_changed(work)) if waits else work)


def _turn_to_one_of(turn: Turn, names: Sequence[str]) -> None:
    """Keep to these devices: to the one in question, else to the one before, else to the first of them."""
    about = (device_key(turn.state), device_key(turn.stored_state()), *names)
    if device := turn.inventory.known_as(next((name for name in about if name in names), "")):
        turn.turn_to(device.name, device.ip)


def _requested(turn: Turn) -> Pending:
    """Return the question as what is asked."""
    words = turn.question.content
    choice = choose(words, turn.inventory)
    devices, excluded = (tuple(row.name for row in group) for group in (choice.devices, choice.excluded))
    effort, report = effort_of(words, turn.settings.effort, devices), choice.report
    return Pending("proposal", "", words, effort=effort, devices=devices, excluded=excluded, report=report)


def _changed(work: Work) -> Pending:
    """Return what waited, as the user agreed to it or changed it."""
    pending, reply = work.pending, work.reply
    amendments = pending.amendments if work.approved else (*pending.amendments, work.turn.question.content)
    devices = reply.devices or pending.devices
    taken_out = dict.fromkeys((*pending.excluded, *pending.devices, *reply.excluded))
    changed = replace(
        pending,
        amendments=amendments,
        steps=pending.steps if work.approved else (),
        devices=devices,
        excluded=tuple(name for name in taken_out if name not in devices),
        report=pending.report if reply.report is None else reply.report,
    )
    return replace(changed, effort=effort_of(changed.words, work.turn.settings.effort, devices))


def _worked(work: Work) -> Events:
    """Carry out what was agreed to, or think and do what that comes to."""
    pending = work.pending
    _turn_to_one_of(work.turn, pending.devices)
    if pending.steps:
        yield from _carried_out(work, pending.goal or pending.asked[:500], pending.steps)
        return
    facts = {
        **{name: getattr(pending, name) for name in ("asked", "report", "limit", "effort")},
        **{name: list(getattr(pending, name)) for name in ("amendments", "devices")},
        "approved": work.approved,
        "today": moments.today().isoformat(),
    }
    want = Want(THINK, _prompt(work), facts, ThinkOutput.read, read_only=True)
    reply = yield from ask_for(Journal(work.turn), want)
    decided: ThinkOutput | None = reply.content
    if decided is None:
        text = f"The agent's plan did not fit the contract, twice: {reply.problem}. Nothing was carried out."
        failure = reply.failure or Failure("error", text, "Say it in other words, or ask without a plan.")
        yield failure
        yield Done(failure.outcome, "")
        return
    steps = tuple(sorted(decided.steps or (), key=lambda step: step.group))
    is_changed = work.reply.kind not in ("other", "yes") and pending.kind == "proposal"
    if decided.decision == "clarify":
        yield from _asked_back(work, decided)
    elif decided.decision == "propose":
        yield from _proposed(work, decided.goal, decided.proposal_message or "", ())
    elif not work.approved and (is_changed or len(steps) > pending.limit or len(pending.devices) > 1):
        # the user should see a plan first that is long or changed, or of several devices
        steps = _chosen(work.reply.steps, steps)
        yield from _proposed(work, decided.goal, _plan_text(work, steps), steps)
    else:
        yield from _carried_out(work, decided.goal, steps)


def _carried_out(work: Work, goal: str, steps: tuple[ThinkStep, ...]) -> Events:
    """Carry out as many steps as the effort allows, tell what they came to, and offer what is left."""
    turn, limit = work.turn, work.pending.limit
    job = Job(steps[:limit], work.pending.language, goal)
    yield Text(work.say("plan", goal=goal, steps=_listed(job.steps)), 0, whole=True)
    outcomes = yield from carried_out(turn, job, _scene(work))
    _turn_to_one_of(turn, [device_read(outcomes, _scene(work))])
    artifacts = {artifact for outcome in outcomes for artifact in outcome.artifacts}
    made = [entity for entity in turn.note_entities() if entity.link.get("artifact") in artifacts]
    end = yield from _replied(turn, job, outcomes, made)
    if trouble := step_list(outcomes, job.language):
        yield Text(work.say("not_done", steps=trouble), END, whole=True)
    pending = _left(work, goal, steps[limit:], made)
    if pending and pending.kind == "proposal":
        yield Text(pending.message, END + 1, whole=True)
    done = sum(outcome.status == "ok" for outcome in outcomes)
    refs = "".join(f", {entity.ref}" for entity in made)
    work.keep(f"{goal}: {done} of {len(job.steps)} steps done{refs}", pending)
    yield end


def _replied(
    turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity]
) -> Generator[Event, None, Done]:
    """Yield what the agent makes of the outcomes; where it fails, what our own analyst makes of them."""
    for segment, agent in ((REPLY, ""), (AGAIN, "offline")):
        if turn.stopped():
            return Done("cancelled", "")
        reply = yield from replied(reply_events(turn, job, outcomes, made, agent), segment=segment)
        if reply.outcome == "ok" and reply.text.strip():
            break
    return Done(reply.outcome, "")


def _left(work: Work, goal: str, rest: Sequence[ThinkStep], made: Sequence[Entity]) -> Pending | None:
    """Return what the answer leaves open, with its buttons: further steps, or something to save."""
    unsaved = [entity.ref for entity in made if entity.flag == "unsaved"]
    for ref in unsaved:
        work.offer("offer_save", ref=ref)
    if rest:
        return _waiting(work, goal, work.say("rest", count=len(rest), steps=_listed(rest)), rest)
    if unsaved:
        ref = unsaved[-1]
        return Pending("save", work.say("offer_save", ref=ref), work.pending.asked, goal, ref=ref)
    return None


def _waiting(work: Work, goal: str, message: str, steps: Sequence[ThinkStep]) -> Pending:
    """Return what is asked as a proposal that waits for its yes."""
    work.offer("offer_yes")
    work.offer("offer_no")
    return replace(work.pending, kind="proposal", message=message, goal=goal, steps=tuple(steps))


def _asked_back(work: Work, decided: ThinkOutput) -> Events:
    """Ask the questions, and offer the modes that find out more."""
    questions = "\n".join(f"- {question}" for question in decided.clarification_questions or ())
    message = work.say("questions", questions=questions)
    work.offer("offer_interview", work.pending.asked, "interview")
    work.offer("offer_panel", work.pending.asked, "panel")
    pending = replace(work.pending, kind="question", message=message, goal=decided.goal, steps=())
    yield from _told(work, message, f"asked back: {decided.goal}", pending)


def _proposed(work: Work, goal: str, message: str, steps: Sequence[ThinkStep]) -> Events:
    """Answer with a proposal and its buttons; `steps` are carried out on a yes, if they are known."""
    yield from _told(work, message, f"proposed: {goal}", _waiting(work, goal, message, steps))


def _explained(work: Work) -> Events:
    """Tell what the proposal is, and what comes of it; it waits on."""
    pending = work.pending
    fields = {"count": len(pending.devices), "devices": ", ".join(pending.devices)}
    key = "unclear" if work.reply.kind == "unclear" else "about_plan"
    text = work.say(key, steps=_listed(pending.steps) or pending.message, **fields)
    waiting = _waiting(work, pending.goal, pending.message, pending.steps)
    yield from _told(work, text, f"still proposed: {pending.goal}", waiting)


def _told(work: Work, text: str, note: str, pending: Pending | None = None) -> Events:
    """Answer with `text` and remember what waits now."""
    work.turn.learns_from_words = False
    work.keep(note, pending)
    yield Text(text, 0, whole=True)


def _plan_text(work: Work, steps: Sequence[ThinkStep]) -> str:
    """Return the proposal that a plan becomes: all its steps, or as many as the effort allows."""
    limit, count = work.pending.limit, len(steps)
    fields = {"effort": work.pending.effort, "limit": limit, "rest": count - limit, "count": count}
    return work.say("proposal" if count <= limit else "cut", steps=_listed(steps[:limit]), **fields)


def _listed(steps: Sequence[ThinkStep]) -> str:
    return numbered([step.description for step in steps])


def _chosen(numbers: Sequence[int], steps: tuple[ThinkStep, ...]) -> tuple[ThinkStep, ...]:
    """Return the steps of these numbers in their order, each in a group of its own; all if there are none."""
    there = [number for number in numbers if 1 <= number <= len(steps)]
    if not there:
        return steps
    return tuple(steps[number - 1].model_copy(update={"group": place}) for place, number in enumerate(there))


def _scene(work: Work) -> Scene:
    """Return what the steps' targets are read from."""
    turn = work.turn
    return Scene(
        turn.inventory,
        list_entities(*turn.where),
        work.pending.words,
        moments.today(),
        turn.state.device_name or "",
        Path(turn.state.last_log_file or "").name,
        [path.name for path in turn.uploads() if is_log_name(path.name)],
        work.pending.excluded,
    )


def _prompt(work: Work) -> str:
    """Return the prompt for thinking; what it moves out of the recent turns is in the summary from now on."""
    turn, question, kept = work.turn, work.turn.question.content, work.kept
    kept_now = reasons(work.entities, question, kept.pending, vars(turn.state))
    retain_entities(*turn.where, kept_now)
    curation = [f"`{ref}` kept: {why}" for ref, why in kept_now.items()]
    gone = (entity.ref for entity in work.entities if entity.retained and entity.ref not in kept_now)
    curation += [f"`{ref}` let go" for ref in gone]
    budget = turn.settings.prompt_tokens
    material = PromptParts(
        work.turns, list_entities(*turn.where), kept, turn.inventory, device_key(turn.state),
        question_within(turn, budget), work.pending.effort, moments.today(), work.approved,
        turn.settings.profile, [*filter(None, [turn.settings.plan_guidance]), *on_record(turn)], curation,
    )  # fmt: skip
    messages = history(*turn.where, turn.question.id)
    prompt, turn.summary = think_prompt(material, messages, turn.summary, question, budget - REPAIR_TOKENS)
    return prompt


def _saved(work: Work, ref: str) -> str:
    """Save what was generated as a document and return what to tell about it."""
    generated = {entity.ref: entity for entity in work.entities if entity.generated}
    entity = generated.get(ref)
    if entity is not None and entity.flag == "created":
        return work.say("saved_before", ref=ref)
    where = database, conversation = work.turn.where
    made = db.get_artifact(*where, str(entity.link["artifact"])) if entity else None
    if entity is None or made is None:
        refs = ", ".join(f"`{entity.ref}`" for entity in generated.values() if entity.flag == "unsaved")
        text = work.say("can_be_saved", refs=refs) if refs else work.say("none_to_save")
        return work.say("nothing_to_save", ref=ref, known=text)
    kind = made.kind if made.kind in SUFFIXES else "html"
    with db.transaction(database):
        document = db.save_document(*where, ref, kind, entity.label, made.content)
        mark_created(database, conversation, ref)
    return work.say("saved", ref=ref, file=f"`{document.file}`", folder=f"`{documents_folder(database)}`")
