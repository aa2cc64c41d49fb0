"""A panel that is done, as a document: saved when the user says so."""

import re

import db
from instrumentgpt.modes.panel import display
from instrumentgpt.modes.panel.contracts import Plan
from instrumentgpt.modes.panel.costs import stage_costs
from instrumentgpt.modes.panel.expert_memory import result_from_json
from instrumentgpt.modes.panel.prompts import Context
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.artifacts import Document
from instrumentgpt.storage.panels import WHOLE, Key, Panel, list_steps
from instrumentgpt.turn.turn import Turn

LONGEST = 40  # characters of a wish to save: longer words ask for something else
_SAVE = re.compile(r"\b(?:save|keep|store)\b|儲存|储存|保存|存檔|存档", re.I)
_NOT = re.compile(r"\b(?:not|never|no)\b|n't|不|別|别", re.I)


def is_wish(words: str) -> bool:
    """Return whether the words ask to save the panel's report.

    >>> [is_wish(said) for said in ("Save the report", "請儲存報告", "don't save it", "does it save power?")]
    [True, True, False, False]
    """
    asked = "?" in words or "？" in words
    return bool(_SAVE.search(words)) and not _NOT.search(words) and not asked and len(words) <= LONGEST


def save_report(turn: Turn, known: Panel, context: Context) -> Document:
    """Save the panel as a Markdown document: question, each sub-problem with votes, conclusion, costs."""
    title = say("report_title", context.language, label=context.brief.get("label") or context.brief["log"])
    content = f"# {title}\n\n> {known.question}\n{_report(turn, known, context)}".encode()
    ref = f"gen_panel_{known.id}"
    return db.save_document(turn.database, known.conversation_id, ref, "markdown", title, content)


def _report(turn: Turn, known: Panel, context: Context) -> str:
    steps = list_steps(turn.database, known.id)
    done = {step.key: step.content for step in steps}
    plan = Plan.model_validate(known.plan)
    pieces = []
    for part in plan.sub_problems:
        pieces.append(display.heading(part, len(plan.sub_problems), context.language))
        pieces.append(display.outcome(result_from_json(done[Key(part.id, "result")]), context))
    conclusion = done.get(Key(WHOLE, "conclusion"), {}).get("content", {}).get("text", "")
    stages = display.costs(stage_costs(steps), known.agent == "offline", context.language)
    return "".join(pieces) + f"\n{say('conclusion', context.language)}\n\n{conclusion}\n\n{stages}"
