"""The panel as a chat mode: propose a decomposition, take changes and approval, carry it out, go on later."""

from collections.abc import Generator, Mapping

from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Failure, Text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.panel import display
from instrumentgpt.modes.panel.asked import Heard, Journal, Want, carry_out
from instrumentgpt.modes.panel.contracts import Brief, Plan, as_json
from instrumentgpt.modes.panel.decomposition import checked, edited
from instrumentgpt.modes.panel.deliberation import Context
from instrumentgpt.modes.panel.experts import Expert, read_experts
from instrumentgpt.modes.panel.next_steps import after_the_end
from instrumentgpt.modes.panel.prompts import plan_prompt, record_of
from instrumentgpt.modes.panel.saving import is_wish, save_report
from instrumentgpt.modes.panel.session import carried_on
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.modes import Offer
from instrumentgpt.storage.panels import (
    WHOLE,
    Key,
    Panel,
    change_plan,
    latest_panel,
    propose_panel,
    set_panel_status,
)
from instrumentgpt.turn.turn import Turn

BRIEF, PLAN = Key(WHOLE, "brief"), Key(WHOLE, "plan")


def panel(turn: Turn) -> Events:
    """Answer the turn: a new problem is decomposed; "yes" begins or goes on; a changed list is taken over."""
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
        return _saved(turn, known, experts) if is_wish(turn.question.content) else None
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
    budget = turn.settings.prompt_tokens
    prompt = plan_prompt(question, record_of(told), turn.state.hypotheses, experts, language, budget)
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
    context = Context(known.question, language, known.brief, experts, turn.settings.prompt_tokens)
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
