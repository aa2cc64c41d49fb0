"""The panel as a chat mode: propose a decomposition, take changes and approval, carry it out, go on later."""

from collections.abc import Generator, Mapping, Sequence

from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Failure, Text
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.panel import display
from instrumentgpt.modes.panel.answering import from_record
from instrumentgpt.modes.panel.asked import Heard, Journal, Want, carry_out
from instrumentgpt.modes.panel.contracts import Answer, Brief, Plan, as_json
from instrumentgpt.modes.panel.decomposition import checked, edited
from instrumentgpt.modes.panel.expert_memory import result_from_json
from instrumentgpt.modes.panel.experts import Expert, read_experts
from instrumentgpt.modes.panel.next_steps import after_the_end
from instrumentgpt.modes.panel.prompts import plan_prompt, question_prompt
from instrumentgpt.modes.panel.saving import is_wish, save_report
from instrumentgpt.modes.panel.session import CONCLUSION, carried_on, context_of
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.artifacts import list_uploads
from instrumentgpt.storage.conversations import Offer
from instrumentgpt.storage.panels import (
    WHOLE,
    Key,
    Panel,
    change_plan,
    latest_panel,
    list_steps,
    propose_panel,
    set_panel_status,
)
from instrumentgpt.turn.turn import Turn

BRIEF, PLAN = Key(WHOLE, "brief"), Key(WHOLE, "plan")
FEWEST_ALIVE = 2  # causes that experts without a model can weigh against one another


def panel(turn: Turn) -> Events:
    """Answer the turn: a new problem is decomposed; "yes" begins or goes on; a changed list is taken over.

    A question on a panel that is done is answered from its record.
    """
    turn.learns_from_words = False  # what was found comes as data: experts also say what they rule out
    try:
        experts = read_experts(turn.home())
        known = latest_panel(turn.database, turn.run.conversation_id)
        if known is not None and (taken := _taken_up(turn, known, experts)) is not None:
            yield from taken
        else:
            yield from _proposed(turn, experts)
    except InstrumentGPTError as problem:
        yield Failure("error", str(problem))
        yield Done("error", "")


def _taken_up(turn: Turn, known: Panel, experts: Mapping[str, Expert]) -> Events | None:
    """Return the answer to words about the panel that is there; None if they begin another one."""
    answer = approval(turn.question.content)
    if known.status == "done":
        if is_wish(turn.question.content):
            return _saved(turn, known, experts)
        return None if _is_another(turn, known) else _answered(turn, known, experts)
    if known.status == "running":
        return carried_on(turn, known, experts) if answer == "yes" else None
    if known.status != "proposed":
        return None
    if answer == "yes":
        return carried_on(turn, known, experts)
    if answer == "no":
        return _dropped(turn, known)
    plan = edited(Plan.model_validate(known.plan), turn.question.content, experts)
    return _changed(turn, known, plan, experts) if plan else None


def _proposed(turn: Turn, experts: Mapping[str, Expert]) -> Events:
    """Read the log, decompose the problem, and show it; nothing more is asked before it is approved."""
    question, language = turn.question.content, language_of(turn.question.content)
    journal = Journal(turn)
    brief = yield from _asked_once(journal, Want(BRIEF, question, {"language": language}, Brief, "offline"))
    if brief.content is None:
        yield from _said(say("which_log", language, problem=brief.problem))
        return
    told = brief.content.model_dump(mode="json")
    if turn.run.agent == "offline" and len(told["alive"]) < FEWEST_ALIVE:
        yield from _one_answer(turn, told["alive"], language)
        return
    prompt = plan_prompt(context_of(turn, experts, question, told), turn.state.hypotheses)
    facts = {"brief": told, "language": language}
    plan = yield from _asked_once(
        journal, Want(PLAN, prompt, facts, Plan, check=lambda found: checked(found, experts))
    )
    if plan.content is None:
        yield Failure("error", say("not_decomposed", language, problem=plan.problem))
        yield Done("error", "")
        return
    agent, steps = turn.run.agent, [step for step in journal.steps.values() if step.key != BRIEF]
    where = turn.database, turn.run.conversation_id
    propose_panel(*where, question, agent, told, as_json(plan.content), steps)
    yield from _shown(turn, plan.content, experts, language)


def _one_answer(turn: Turn, alive: Sequence[str], language: Language) -> Events:
    """Say that a panel has nothing to weigh: without a model its experts have the checks' word alone."""
    turn.offers.append(Offer(say("offer_diagnosis", language), turn.question.content, "chat"))
    named = "".join(f" ({plain_text(cause_title(cause, language))})" for cause in alive)
    yield from _said(say("one_answer", language, count=len(alive), named=named))


def _is_another(turn: Turn, known: Panel) -> bool:
    """Return whether the question is not on the panel that is done: on another device or log, or anew."""
    own = known.brief.get("device", "")
    brought = next(iter(list_uploads(turn.database, known.conversation_id)), None)
    is_new_file = brought is not None and brought.message_id == turn.question.id
    others = [device.name for device in turn.devices if device.name != own]
    return bool(others) or is_new_file or turn.question.content.strip() == known.question.strip()


def _answered(turn: Turn, known: Panel, experts: Mapping[str, Expert]) -> Events:
    """Answer a question on the panel from its record: by the agent if it has a model, else by rule."""
    steps = {step.key: step.content for step in list_steps(turn.database, known.id)}
    results = [result_from_json(content) for key, content in steps.items() if key.stage == "result"]
    ending = steps.get(CONCLUSION, {}).get("content", {}).get("text", "")
    context = context_of(turn, experts, known.question, known.brief, Plan.model_validate(known.plan))
    text = ""
    if context.by_model:
        prompt = question_prompt(context, results, ending, turn.question.content)
        answer = yield from _asked_once(Journal(turn), Want(Key(WHOLE, "question"), prompt, {}, Answer))
        text = answer.content.text if answer.content else ""
    turn.offers += after_the_end(known)
    yield from _said(text or from_record(turn.question.content, results, ending, context))


def _changed(turn: Turn, known: Panel, plan: Plan, experts: Mapping[str, Expert]) -> Events:
    language = language_of(known.question)
    change_plan(turn.database, known.id, as_json(plan))
    yield from _shown(turn, plan, experts, language, say("changed", language) + " ")


def _shown(
    turn: Turn, plan: Plan, experts: Mapping[str, Expert], language: Language, before: str = ""
) -> Events:
    turn.offers += [
        Offer(say("start", language), "好" if language == "zh" else "yes", "panel"),
        Offer(say("drop", language), "不要" if language == "zh" else "no", "panel"),
    ]
    yield from _said(before + display.proposal(plan, experts, language))


def _dropped(turn: Turn, known: Panel) -> Events:
    set_panel_status(turn.database, known.id, "dropped")
    yield from _said(say("dropped", language_of(known.question)))


def _saved(turn: Turn, known: Panel, experts: Mapping[str, Expert]) -> Events:
    language = language_of(known.question)
    context = context_of(turn, experts, known.question, known.brief)
    document = save_report(turn, known, context)
    turn.offers += after_the_end(known, saved=True)
    yield from _said(say("saved", language, file=f"`{document.file}`"))


def _asked_once(journal: Journal, want: Want) -> Generator[Event, None, Heard]:
    """Yield the events of asking for one thing; return what came of it."""
    asking = carry_out(journal, [want])
    while True:
        try:
            event = next(asking)
        except StopIteration as end:
            heard: Heard = end.value[0]
            return heard
        if not isinstance(event, tuple):
            yield event


def _said(text: str) -> Events:
    yield Text(text, segment=1, whole=True)
    yield Done("ok", text)
