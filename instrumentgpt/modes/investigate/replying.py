"""What the steps came to, in words: the agent's, or those of our own analyst."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from instrumentgpt.agents.events import Events
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.memory.untrusted import as_content
from instrumentgpt.modes.investigate.execution import Job, Outcome
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.ask import ask
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

TASK = "reply"
RESULTS_SHARE = 0.5  # of the budget
MOST_FINDINGS = 4  # told of one log
LINE_CHARS = 400
INSTRUCTIONS = """The steps below were carried out for the request above. Write the answer for the user now:
what was found, worst first, each with its evidence, then what to do. Do not repeat the steps; call no tools.
Name log lines as Markdown links exactly as they stand in the results. Say what failed. Charts and reports
appear by themselves; name a report by its ref, and say that it is not saved yet. Answer in the language of
the request."""
STATUS = {
    "en": {"ok": "done", "partly": "done in part", "failed": "failed", "skipped": "not done"},
    "zh": {"ok": "完成", "partly": "部分完成", "failed": "失敗", "skipped": "未執行"},
}


def reply_events(
    turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity], agent: str = ""
) -> Events:
    """Yield the events of the agent that tells what the steps came to; `agent` as Asking has it."""
    unsaved = [{"ref": one.ref, "label": one.label} for one in made if one.flag == "unsaved"]
    given: dict[str, Any] = {
        "language": job.language,
        "steps": [
            {"description": one.step.description, "status": one.status, "words": one.words}
            for one in outcomes
        ],
        "results": [{"tool": tool, "result": result} for one in outcomes for tool, result in one.results],
        "unsaved": unsaved,
    }
    results = results_text(turn, job, outcomes, made)
    asked = turn.prompt(turn.run.agent, reserve=count_tokens(results))
    return ask(turn, Asking(TASK, prompt=f"{asked}\n\n{results}", told=given, agent=agent, read_only=True))


def results_text(turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity]) -> str:
    """Return what the steps came to as a prompt tells it, within its share of the budget."""
    lines = [
        f"- Step {place} ({one.status}): {one.step.description}"
        + (f" — {'; '.join(one.errors)}" if one.errors else "")
        for place, one in enumerate(outcomes, start=1)
    ]
    for outcome in outcomes:
        lines += [line for tool, result in outcome.results for line in _result_lines(tool, result)]
    lines += [f"- `{one.ref}`: {one.label}" + (f" [{one.flag}]" if one.flag else "") for one in made]
    room = int(RESULTS_SHARE * turn.settings.prompt_tokens) - count_tokens(INSTRUCTIONS)
    kept: list[str] = []
    for line in lines:
        text = as_content(shorten(" ".join(line.split()), LINE_CHARS))
        room -= count_tokens(text) + 1
        if room < 0:
            kept.append(f"- … and {len(lines) - len(kept)} more lines")
            break
        kept.append(text)
    return f"<results>\n{INSTRUCTIONS}\n\nGoal: {as_content(job.title)}\n" + "\n".join(kept) + "\n</results>"


def _result_lines(tool: str, result: Mapping[str, Any]) -> list[str]:
    """Return what a tool's result says, a line for what matters; evidence as links."""
    lines = [f"- {tool}: {result.get('summary', '')}"]
    reference = "/".join(str(result.get(name)) for name in ("device", "log") if result.get(name))
    for finding in (result.get("findings") or [])[:MOST_FINDINGS]:
        line = finding.get("line") if isinstance(finding, dict) else None
        if isinstance(line, int) and reference:
            where = f"[L {line:,}](?log={quote(reference)}&line={line})"
            lines.append(f"  - {where} {finding.get('summary', '')} {finding.get('action', '')}")
    return lines


def step_list(outcomes: Sequence[Outcome], language: Language) -> str:
    """Return the steps that did not simply succeed, with why, as a list for the answer; "" if all did."""
    rows = [
        f"- {STATUS[language][one.status]}: {one.step.description}"
        + (f" — {shorten('; '.join(one.errors), LINE_CHARS)}" if one.errors else "")
        for one in outcomes
        if one.status != "ok"
    ]
    return "\n".join(rows)
