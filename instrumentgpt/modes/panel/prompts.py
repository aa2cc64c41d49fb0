"""What planners, experts and the one who sums up are told: sections in a fixed order, within a budget.

What comes from logs, users and experts stands between tags, and cannot open or close one.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.panel.contracts import FEWEST, MOST, POSITION_TOKENS, SubProblem
from instrumentgpt.modes.panel.contributions import Said
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.sections import section

MOST_FINDINGS = 8
_IN = {"en": "English", "zh": "Traditional Chinese (繁體中文)"}


CONTRIBUTION = f"""Answer with one JSON object and nothing else:
{{"position": "what you hold, in one or two sentences with every number and its unit, at most {POSITION_TOKENS} tokens",
 "cause": "the candidate you vote for, or \\"\\" if none in your field",
 "claims": [{{"text": "one sentence with a number, or a question", "evidence": [{{"log": "name", "line": 123, "text": "the line"}}]}}],
 "rejects": [{{"cause": "a candidate in your field", "because": "the number that speaks against it", "line": 123}}],
 "confidence": 0.0 to 1.0, "condition": "what must be true for it", "measurement": "what would decide",
 "builds_on": [numbers of earlier sub-problems], "changed_because": "why you left an earlier position of yours, else \\"\\""}}"""  # noqa: E501
PLAN = f"""Answer with one JSON object and nothing else, with {FEWEST} to {MOST} sub-problems:
{{"sub_problems": [{{"id": 1, "goal": "a question that experts can answer from the record", "channel": 2 or null,
 "candidates": ["fault classes that may be the cause"], "experts": ["codes"], "after": [ids whose results it needs]}}]}}"""  # noqa: E501
SYNTHESIS = """Answer with one JSON object and nothing else:
{"text": "what the panel holds, with the numbers and lines that show it", "cause": "the candidate that leads, or \\"\\"",
 "runner_up": "the candidate that comes next, or \\"\\"", "dissent": ["who holds something else: what and why"],
 "measurement": "what would decide between the two"}"""  # noqa: E501


def contribution_prompt(
    expert: Expert,
    question: str,
    part: SubProblem,
    record: str,
    said: Sequence[Said],
    memory: str,
    language: Language,
    budget: int,
) -> str:
    """Return what `expert` is told; `memory` stands right after the role, and only if there is one."""
    words = expert.words[language]
    never = "; ".join(one.words[language] for one in expert.never)
    role = (
        f"You are the expert “{words.name}” ({words.field}) of a panel on an instrument. {words.role}\n"
        f"You may vote for or rule out: {', '.join(expert.speaks_on)}.\n"
        f"You may call: {', '.join(expert.tools)}.\n" + (f"Never claim: {never}.\n" if never else "")
    )
    goal = f"{part.id}. {part.goal}\nCandidates: {', '.join(part.candidates) or 'name them'}"
    sections = [
        section("problem", question),
        section("sub_problem", goal),
        section("said", "\n".join(_spoken(one) for one in said)),
    ]
    asked = (
        f"Speak from your field only. Every sentence has a number from the record, or asks.\n{CONTRIBUTION}"
    )
    return _fitted(
        [role, memory, *sections], section("record", record), f"{asked}\n{_answer_in(language)}", budget
    )


def plan_prompt(
    question: str,
    record: str,
    hypotheses: Sequence[str],
    experts: Mapping[str, Expert],
    language: Language,
    budget: int,
) -> str:
    """Return what the planner is told."""
    listed = "\n".join(
        f"{code}: {one.words[language].field}; speaks on {', '.join(one.speaks_on)}"
        for code, one in experts.items()
    )
    asked = (
        "Split the problem into sub-problems that separate its possible causes. First whether the readings "
        "can be trusted, last what decides. Ask each expert only where its field is concerned; let those "
        f"that are needed again come back.\n{PLAN}\n{_answer_in(language)}"
    )
    open_ones = "\n".join(["Open hypotheses:", *hypotheses]) if hypotheses else ""
    parts = [section("problem", f"{question}\n{open_ones}"), section("experts", listed)]
    return _fitted(parts, section("record", record), asked, budget)


def synthesis_prompt(
    question: str, goal: str, said: Sequence[Said], votes: str, language: Language, budget: int
) -> str:
    """Return what the one who sums up a sub-problem is told."""
    asked = (
        "Sum up what the experts hold. Keep dissent: who holds something else, and why. Add no number that "
        f"nobody gave.\n{SYNTHESIS}\n{_answer_in(language)}"
    )
    parts = [section("problem", question), section("sub_problem", f"{goal}\nVotes: {votes}")]
    return _fitted(parts, section("said", "\n".join(_spoken(one) for one in said)), asked, budget)


def conclusion_prompt(
    question: str, results: Sequence[SubProblemResult], language: Language, budget: int
) -> str:
    """Return what the one who sums up the whole panel is told."""
    asked = (
        "Conclude for the engineer: the most likely cause first, the runner-up, what is ruled out and by "
        f"which number, who dissents, and what to measure next.\n{SYNTHESIS}\n{_answer_in(language)}"
    )
    told = "\n\n".join(
        f"{one.sub_problem_id}. {one.sub_problem_goal}\n{one.synthesis}\n"
        + "\n".join(one.expert_summaries.values())
        for one in results
    )
    return _fitted([section("problem", question)], section("results", told), asked, budget)


def record_of(brief: Mapping[str, Any]) -> str:
    """Return what the log says, in lines: findings with their evidence first, then the channels' figures."""
    lines = [f"log {brief.get('log', '')} of {brief.get('label', '')}: {brief.get('lines', 0)} lines"]
    for one in brief.get("findings", ())[:MOST_FINDINGS]:
        lines.append(f"- {one['class']} ({one['severity']}): {one['summary']}")
        lines += [f"  - ruled out {row['class']}: {row['text']}" for row in one.get("ruled_out", ())]
        lines += [f"  - line {row['line']}: {row['text']}" for row in one.get("evidence", ())]
    for channel in brief.get("channels", ()):
        lines.append("channel " + json.dumps(channel, ensure_ascii=False))
    return "\n".join(lines)


def _spoken(said: Said) -> str:
    one = said.contribution
    vote = f"votes {one.cause or 'for none'}"
    who = f"{said.expert} (round {said.round}, confidence {one.confidence:.2f}, {vote})"
    told = [f"{who}: {one.position}"]
    told += [f"  - {claim.text}" for claim in one.claims]
    told += [f"  - rules out {row.cause}: {row.because}" for row in one.rejects]
    return "\n".join(told)


def _fitted(parts: Sequence[str], elastic: str, asked: str, budget: int) -> str:
    """Return the prompt; of `elastic`, whole lines before its end tag go until it fits the budget."""
    fixed = [part for part in parts if part]
    room = 0.93 * budget - count_tokens("\n\n".join([*fixed, asked]))
    lines = elastic.split("\n")
    while len(lines) > 2 and count_tokens("\n".join(lines)) > room:
        del lines[-1 - max(1, len(lines) // 8) : -1]
    return "\n\n".join([*fixed, *(["\n".join(lines)] if elastic else []), asked])


def _answer_in(language: Language) -> str:
    return f"Write all texts in {_IN[language]}."
