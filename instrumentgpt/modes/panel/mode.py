"""The panel as a chat mode: propose a decomposition, take changes and approval, carry it out, go on later."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import db
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Events, Text
from instrumentgpt.analyst.words import cited, plain_text
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.terms import phrases
from instrumentgpt.modes.asking import Journal, Want, ask_for
from instrumentgpt.modes.panel import display, say
from instrumentgpt.modes.panel.contracts import Answer, Brief, Plan, SubProblemResult, as_json
from instrumentgpt.modes.panel.experts import BadPlan, Expert, checked, edited, read_experts
from instrumentgpt.modes.panel.prompts import Context, plan_prompt, question_prompt
from instrumentgpt.modes.panel.session import (
    TASKS,
    Progress,
    after_the_end,
    carried_on,
    context_of,
    read_progress,
)
from instrumentgpt.storage import panels
from instrumentgpt.storage.answers import Offer
from instrumentgpt.storage.artifacts import list_uploads
from instrumentgpt.storage.notes import holds
from instrumentgpt.turn.turn import Turn

BRIEF, PLAN = panels.Key(panels.WHOLE, "brief"), panels.Key(panels.WHOLE, "plan")
MOST_STATEMENTS = 6  # shown of a record
COMMON = 0.5  # share of the statements from which on a term of the question tells nothing
_SAVE = re.compile(r"save|keep|store|存", re.I)
FEWEST_ALIVE = 2  # causes that experts without a model can weigh against one another


def panel(turn: Turn) -> Events:
    """Answer the turn: a new problem is decomposed; "yes" begins or goes on; a changed list is taken over.

    A question on a panel that is done is answered from its record.
    """
    turn.learns_from_words = False  # what was found comes as data: experts also say what they rule out
    experts = read_experts(turn.home())
    earlier = read_progress(*turn.where)
    yield from (earlier and _taken_up(turn, earlier, experts)) or _proposed(turn, experts)


def _taken_up(turn: Turn, earlier: Progress, experts: Mapping[str, Expert]) -> Events | None:
    """Return the answer to words about the panel that is there; None if they begin another one."""
    words, panel = turn.question.content, earlier.panel
    answer, is_done = approval(words), panel.status == "done"
    answered: Callable[[Turn, Progress, Context], Events]
    if panel.status == "proposed" and answer != "yes":
        if answer == "no":
            panels.set_panel_status(turn.database, earlier.panel.id, "dropped")
            return _text_answer(say("dropped", earlier.language))
        plan = edited(earlier.plan, turn.question.content, experts)
        if plan is None:
            return None
        panels.change_plan(turn.database, earlier.panel.id, as_json(plan))
        return _shown(turn, plan, experts, earlier.language, say("changed", earlier.language) + " ")
    if is_done and is_wish(words):
        answered = _saved
    elif is_done and not _is_another(turn, panel):
        answered = _answered
    elif panel.status in ("proposed", "running") and answer == "yes":
        answered = carried_on
    else:
        return None
    return answered(turn, earlier, context_of(turn, experts, panel.question, panel.brief, earlier.plan))


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


def _answered(turn: Turn, earlier: Progress, context: Context) -> Events:
    """Answer a question on the panel from its record: by the agent if it has a model, else by rule."""
    results, ending, text = list(earlier.results.values()), earlier.conclusion, ""
    if context.by_model:
        prompt = question_prompt(context, results, ending, turn.question.content)
        want = Want(panels.Key(panels.WHOLE, "question"), prompt, {}, Answer.read)
        answer = yield from ask_for(Journal(turn, TASKS), want)
        text = answer.content.text if answer.content else ""
    turn.offers += after_the_end(earlier)
    yield from _text_answer(text or from_record(turn.question.content, results, ending, context))


def _shown(
    turn: Turn, plan: Plan, experts: Mapping[str, Expert], language: Language, before: str = ""
) -> Events:
    turn.offers += [
        Offer(say("start", language), "好" if language == "zh" else "yes", "panel"),
        Offer(say("drop", language), "不要" if language == "zh" else "no", "panel"),
    ]
    yield from _text_answer(before + display.proposal(plan, experts, language))


def _saved(turn: Turn, earlier: Progress, context: Context) -> Events:
    """Save the panel as a Markdown document: question, each sub-problem with votes, conclusion, costs."""
    panel, parts = earlier.panel, earlier.plan.sub_problems
    results, language = earlier.results, earlier.language
    title = say("report_title", language, label=panel.brief.get("label") or panel.brief["log"])
    pieces = [f"# {title}\n\n> {panel.question}\n"]
    for part in parts:
        pieces.append(display.heading(part, len(parts), language))
        pieces.append(display.outcome(results[part.id], context))
    stages = display.costs(display.stage_costs(earlier.steps), panel.agent == "offline", language)
    pieces.append(f"\n{say('conclusion', language)}\n\n{earlier.conclusion}\n\n{stages}")
    ref, content = f"gen_earlier{panel.id}", "".join(pieces).encode()
    document = db.save_document(*turn.where, ref, "markdown", title, content)
    turn.offers += after_the_end(earlier, saved=True)
    yield from _text_answer(say("saved", language, file=f"`{document.file}`"))


def _text_answer(text: str) -> Events:
    yield Text(text, segment=1, whole=True)


def from_record(question: str, results: Sequence[SubProblemResult], ending: str, context: Context) -> str:
    """Return what the panel's record says that bears on `question`, else its conclusion, `ending`."""
    language = context.language
    statements = list(_statements(results, context))
    sought = [
        phrase
        for phrase in phrases(question)
        if 0 < sum(holds(words, [phrase]) for _, words, _ in statements) <= COMMON * len(statements)
    ]
    scored = [(holds(words, sought), shown, code) for shown, words, code in statements]
    best = sorted((row for row in scored if row[0]), key=lambda row: -row[0])[:MOST_STATEMENTS]
    if not best:
        return f"{say('nothing_on_it', language)}\n\n{ending}"
    count = len({code for _, _, code in best})
    return "\n".join([say("about_panel", language, count=count), "", *(shown for _, shown, _ in best)])


def _statements(results: Sequence[SubProblemResult], context: Context) -> Iterator[tuple[str, str, str]]:
    """Yield each statement of the record once: as it is shown, the words it is found by, and whose it is."""
    language, seen = context.language, set[str]()
    for part, view in ((result.sub_problem_id, view) for result in results for view in result.said):
        expert = context.experts.get(view.expert)
        if expert is None:
            continue
        who = f"**{plain_text(expert.name(language))}** ({part})"
        about = " ".join(f"{words.name} {words.field}" for words in (expert.words("en"), expert.words("zh")))
        rows = [(view.cause, plain_text(view.position), view.position)]
        rows += [(row.cause, display.ruled_out(row, context), row.because) for row in view.rejects]
        for claim in view.claims:
            lines = (item.line for item in claim.evidence)
            rows.append(("", cited(plain_text(claim.text), context.brief["reference"], lines), claim.text))
        for cause, shown, words in rows:
            titles = f"{cause_title(cause, 'en')} {cause_title(cause, 'zh')}" if cause else ""
            if shown not in seen:
                seen.add(shown)
                yield f"- {who}: {shown}", f"{about} {titles} {words}", view.expert


def is_wish(words: str) -> bool:
    """Return whether the words ask to save the panel's report.

    >>> [is_wish(text) for text in ("Save the report", "請儲存報告", "don't save it", "does it save power?")]
    [True, True, False, False]
    """
    return approval(words) == "yes" and bool(_SAVE.search(words))
