"""The panel as a chat mode: propose a decomposition, take changes and approval, carry it out, go on later."""

from collections.abc import Mapping

from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Events, Text
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.asking import Journal, Want, ask_for
from instrumentgpt.modes.chat import chat
from instrumentgpt.modes.panel import display, say
from instrumentgpt.modes.panel.contracts import Brief, Plan, as_json
from instrumentgpt.modes.panel.experts import BadPlan, Expert, checked, edited, read_experts
from instrumentgpt.modes.panel.prompts import plan_prompt
from instrumentgpt.modes.panel.session import (
    TASKS,
    Progress,
    carried_on,
    context_of,
    read_progress,
)
from instrumentgpt.storage import panels
from instrumentgpt.storage.answers import Offer
from instrumentgpt.storage.artifacts import list_uploads
from instrumentgpt.turn.turn import Turn

BRIEF, PLAN = panels.Key(panels.WHOLE, "brief"), panels.Key(panels.WHOLE, "plan")
FEWEST_ALIVE = 2  # causes that experts without a model can weigh against one another


def panel(turn: Turn) -> Events:
    """Answer the turn: a new problem is decomposed; "yes" begins or goes on; a changed list is taken over.

    A question on a panel that is done is answered as in the chat, which knows what the panel found.
    """
    turn.learns_from_words = False  # what was found comes as data: experts also say what they rule out
    experts = read_experts(turn.home())
    earlier = read_progress(*turn.where)
    yield from (earlier and _taken_up(turn, earlier, experts)) or _proposed(turn, experts)


def _taken_up(turn: Turn, earlier: Progress, experts: Mapping[str, Expert]) -> Events | None:
    """Return the answer to words about the panel that is there; None if they begin another one."""
    words, panel = turn.question.content, earlier.panel
    answer = approval(words)
    if panel.status == "done":
        return None if _is_another(turn, panel) else chat(turn)
    if panel.status == "proposed" and answer != "yes":
        if answer == "no":
            panels.set_panel_status(turn.database, earlier.panel.id, "dropped")
            return _text_answer(say("dropped", earlier.language))
        plan = edited(earlier.plan, turn.question.content, experts)
        if plan is None:
            return None
        panels.change_plan(turn.database, earlier.panel.id, as_json(plan))
        return _shown(turn, plan, experts, earlier.language, say("changed", earlier.language) + " ")
    if panel.status in ("proposed", "running") and answer == "yes":
        context = context_of(turn, experts, panel.question, panel.brief, earlier.plan)
        return carried_on(turn, earlier, context)
    return None


def _proposed(turn: Turn, experts: Mapping[str, Expert]) -> Events:
    """Read the log, decompose the problem, and show it; nothing more is asked before it is approved."""
    question, language = turn.question.content, language_of(turn.question.content)
    journal = Journal(turn, TASKS)
    brief = yield from ask_for(journal, Want(BRIEF, question, {"language": language}, Brief.read, "offline"))
    if brief.content is None:
        yield from _text_answer(say("which_log", language, problem=brief.problem))
        return
    record = brief.content.model_dump(mode="json")
    if turn.run.agent == "offline" and len(record["alive"]) < FEWEST_ALIVE:
        alive = record["alive"]
        turn.offers.append(Offer(say("offer_diagnosis", language), turn.question.content, "chat"))
        named = "".join(f" ({plain_text(cause_title(cause, language))})" for cause in alive)
        yield from _text_answer(say("one_answer", language, count=len(alive), named=named))
        return
    prompt = plan_prompt(context_of(turn, experts, question, record), turn.state.hypotheses)
    fields = {code: expert.speaks_on for code, expert in experts.items()}
    facts = {"brief": record, "language": language, "fields": fields}
    plan = yield from ask_for(
        journal, Want(PLAN, prompt, facts, lambda reply: checked(Plan.read(reply), experts))
    )
    if plan.content is None:
        raise BadPlan(say("not_decomposed", language, problem=plan.problem))
    agent, steps = turn.run.agent, [step for step in journal.steps.values() if step.key != BRIEF]
    where = turn.where
    panels.propose_panel(*where, question, agent, record, as_json(plan.content), steps)
    yield from _shown(turn, plan.content, experts, language)


def _is_another(turn: Turn, earlier: panels.Panel) -> bool:
    """Return whether the question is not on the panel that is done: on another device or log, or anew."""
    panel_device = earlier.brief.get("device", "")
    brought = next(iter(list_uploads(turn.database, earlier.conversation_id)), None)
    is_new_file = brought is not None and brought.message_id == turn.question.id
    others = [device.name for device in turn.devices if device.name != panel_device]
    return bool(others) or is_new_file or turn.question.content.strip() == earlier.question.strip()


def _shown(
    turn: Turn, plan: Plan, experts: Mapping[str, Expert], language: Language, before: str = ""
) -> Events:
    turn.offers += [
        Offer(say("start", language), "好" if language == "zh" else "yes", "panel"),
        Offer(say("drop", language), "不要" if language == "zh" else "no", "panel"),
    ]
    yield from _text_answer(before + display.proposal(plan, experts, language))


def _text_answer(text: str) -> Events:
    yield Text(text, segment=1, whole=True)
