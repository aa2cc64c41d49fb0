"""The prompt of an interview: the rules with the state in them, a view of the talk, the newest words."""

import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.budget import Parts, within
from instrumentgpt.memory.filtering import as_content, without_tags
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.interview import texts
from instrumentgpt.modes.interview.replies import GAPS, PHASES, Interview
from instrumentgpt.modes.interview.statement import About, template_label

MAX_HISTORY_MESSAGES = 14  # seed 000
FIRST, LAST = 2, 8  # seed 000: what brought the context, and the recent ones
REMINDER_INTERVAL = 5  # turns, seed 000
REMINDED_GAPS = 3  # seed 000
MARGIN = 0.9  # of the budget: what an estimate of tokens may be off by (0010-tokens-are-estimated.md)
RULES_SHARE = 0.7  # of the budget, for the rules with what is gathered
SHOWN = ((8, 200), (4, 150), (2, 120), (1, 60), (1, 20))  # newest lines of a slot, characters of each
BRIEF_CHARS = 600  # of what the compacted view says was gathered
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Traditional Chinese (繁體中文)"}

Utterance = tuple[str, str]  # speaker, text


def compacted(messages: Sequence[Utterance], gathered: str) -> list[Utterance]:
    """Return `messages`, or of more than 14 the first 2, one bracketed line of what was gathered, the last 8.

    >>> len(compacted([("User", "a")] * 14, "x")), len(compacted([("User", "a")] * 15, "x"))
    (14, 11)
    """
    if len(messages) <= MAX_HISTORY_MESSAGES:
        return list(messages)
    line = f"[Previous discussion summarized - gathered: {' '.join(gathered.split())}]"
    return [*messages[:FIRST], ("Assistant", line), *messages[-LAST:]]


def build_prompt(
    interview: Interview,
    words: str,
    history: Sequence[Utterance],
    about: About,
    budget: int,
    slot: str = "",
    fault: str = "",
    context: str = "",
) -> str:
    """Return the whole prompt, within `budget` tokens.

    words    the user's newest message, or what stands for it where it is too long
    history  (speaker, text) of the interview before it, oldest first; a view of it goes in
    slot     the one that the newest message was to fill
    fault    what was wrong with the reply before, where it is asked for again
    context  the state of the instrument and what the conversation has on record, as lines
    """
    last = _last_words(interview, fault)
    for shown in SHOWN:
        rules = system_prompt(interview, about, slot, shown)
        if count_tokens(rules) <= int(RULES_SHARE * budget):
            break
    room = int(MARGIN * budget) - count_tokens(rules) - count_tokens(last) - 4
    gathered = "; ".join(f"{slot}: {' | '.join(lines)}" for slot, lines in interview.lines.items())
    view = compacted(history, shorten(_line(gathered) or "nothing yet", BRIEF_CHARS))
    parts = {part.name: part.text for part in within(room, Parts(as_content(words), context, "", (), view))}
    background = [parts.get(name, "") for name in ("diagnostic_context", "recent_conversation")]
    request = f"<current_request>\n{parts['request']}\n</current_request>"
    return "\n\n".join(part for part in (rules, *background, request, last) if part)


def system_prompt(
    interview: Interview, about: About, slot: str = "", shown: tuple[int, int] = SHOWN[0]
) -> str:
    """Return the rules (prompt.md, at most 200 lines) with the state in the place of its fields.

    shown  how many newest lines of a slot are told, and how many characters of each
    """
    template = Template(Path(__file__).with_suffix(".md").read_text(encoding="utf-8").strip())
    closed = ", ".join(f"{GAPS[gap]} ({how})" for gap, how in interview.left.items() if gap in GAPS)
    return template.substitute(
        language=LANGUAGES[about.language],
        phase=interview.phase,
        phase_number=PHASES.index(interview.phase) + 1,
        turn=interview.turn,
        template=_line(template_label(about.template, "en")),
        target=_line(about.title) or "chosen later",
        gathered=_gathered(interview, *shown),
        gaps="\n".join(f"{n}. {GAPS[gap]}" for n, gap in enumerate(interview.gaps, 1)) or "none",
        left_open=f"Left open, do not ask again: {closed}\n" if closed else "",
        asked=GAPS.get(slot, slot or "nothing yet"),
        guidance=texts("guidance")[interview.phase].strip(),
        instrument=_line(about.device) or "not known yet which one it is",
    )


def reminder(interview: Interview) -> str:
    """Return the reminder of turns 5, 10, 15, …; "" at others. It is rendered here, and stored nowhere."""
    if not interview.turn or interview.turn % REMINDER_INTERVAL:
        return ""
    gaps = ", ".join(GAPS[gap] for gap in interview.gaps[:REMINDED_GAPS]) or "none"
    return (
        "[REMINDER]\nYou are the interviewer: you gather, you do not solve.\n"
        "❌ No solutions, causes, values to set, programs.\n"
        "✅ Ask about: problem, users, requirements, edge cases.\n"
        f"Current phase: {interview.phase}\nGaps to fill: {gaps}\nContinue with ONE question."
    )


def _last_words(interview: Interview, fault: str) -> str:
    again = f"[YOUR LAST REPLY WAS NOT SHOWN: {_line(fault)}. Reply again in the form above, and only so.]"
    task = (
        "Now call `note` for what the newest message says, then reply: one ✅ line, one ❓ question about the"
        " first gap that is left. No solutions."
    )
    return "\n\n".join(part for part in (reminder(interview), again if fault else "", task) if part)


def _gathered(interview: Interview, entries: int, characters: int) -> str:
    """Return the lines of each slot as JSON, of many the newest."""
    newest = {
        slot: [shorten(line, characters) for line in lines[-entries:]]
        for slot, lines in interview.lines.items()
    }
    return without_tags(json.dumps(newest, ensure_ascii=False))


def _line(text: str) -> str:
    return without_tags(" ".join(text.split()))
