"""The prompt of an interview: the rules with the state in them, a view of the talk, the newest words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.budget import Parts, within
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.memory.untrusted import as_content, without_tags
from instrumentgpt.modes.interview.gathered import GAPS, PHASES
from instrumentgpt.modes.interview.hearing import Interview
from instrumentgpt.modes.interview.history import Said, compacted
from instrumentgpt.modes.interview.patterns import told

REMINDER_INTERVAL = 5  # turns, seed 000
REMINDED_GAPS = 3  # seed 000
MARGIN = 0.9  # of the budget: what an estimate of tokens may be off by (0010-tokens-are-estimated.md)
RULES_SHARE = 0.55  # of the budget, for the rules with what is gathered
SHOWN = (
    (8, 200),
    (4, 150),
    (2, 120),
    (1, 60),
)  # newest entries of a slot, characters of each, until they fit
BRIEF_CHARS = 600  # of what the compacted view says was gathered
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Traditional Chinese (繁體中文)"}
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Setting:
    """What an interview is about beside what is said: the instrument, template, target, language.

    context  the state of the instrument and its history, as lines
    """

    language: Language = "en"
    device: str = ""
    context: str = ""
    template: str = ""
    target: str = ""


def build_prompt(
    interview: Interview, words: str, history: Sequence[Said], setting: Setting, budget: int, fault: str = ""
) -> str:
    """Return the whole prompt, within `budget` tokens.

    words    the user's newest message, or what stands for it where it is too long
    history  (speaker, text) of the interview before it, oldest first; a view of it goes in
    fault    what was wrong with the reply before, where it is asked for again
    """
    rules = _fitting_rules(interview, setting, int(RULES_SHARE * budget))
    last = _last_words(interview, fault)
    room = int(MARGIN * budget) - count_tokens(rules) - count_tokens(last) - 4
    view = compacted(history, brief(interview))
    parts = {
        part.name: part.text for part in within(room, Parts(as_content(words), setting.context, "", (), view))
    }
    said = [parts.get(name, "") for name in ("diagnostic_context", "recent_conversation")]
    request = f"<current_request>\n{parts['request']}\n</current_request>"
    return "\n\n".join(part for part in (rules, *said, request, last) if part)


def _fitting_rules(interview: Interview, setting: Setting, room: int) -> str:
    for shown in SHOWN:
        rules = system_prompt(interview, setting, shown)
        if count_tokens(rules) <= room:
            break
    return rules


def system_prompt(interview: Interview, setting: Setting, shown: tuple[int, int] = SHOWN[0]) -> str:
    """Return the rules (prompt.md, at most 200 lines) with the state in the place of its fields.

    shown  how many newest entries of a slot are told, and how many characters of each
    """
    template = Template((_HERE / "prompt.md").read_text(encoding="utf-8").strip())
    closed = ", ".join(f"{GAPS[gap]} ({how})" for gap, how in interview.closed.items() if gap in GAPS)
    return template.substitute(
        language=LANGUAGES[setting.language],
        phase=interview.phase,
        phase_number=PHASES.index(interview.phase) + 1,
        turn=interview.turn,
        template=_line(setting.template) or "fault report",
        target=_line(setting.target) or "chosen later",
        gathered=_gathered(interview, *shown),
        gaps="\n".join(f"{n}. {GAPS[gap]}" for n, gap in enumerate(interview.gaps, 1)) or "none",
        left_open=f"Left open, do not ask again: {closed}\n" if closed else "",
        gap=_asked_for(interview),
        last_answer="The last answer was vague: ask for a specific example." if interview.vague else "",
        guidance=told(__file__)[interview.phase].strip(),
        instrument=_line(setting.device) or "not known yet which one it is",
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


def brief(interview: Interview) -> str:
    """Return what is gathered on one line."""
    known = "; ".join(f"{slot}: {' | '.join(texts)}" for slot, texts in interview.gathered.filled().items())
    return shorten(_line(known) or "nothing yet", BRIEF_CHARS)


def _last_words(interview: Interview, fault: str) -> str:
    again = (
        f"[YOUR LAST REPLY WAS NOT SHOWN: {_line(fault)}. Reply again in the form above, and only so.]"
        if fault
        else ""
    )
    asked = f"Reply now: one ✅ line, one ❓ question about: {_asked_for(interview)}. No solutions."
    return "\n\n".join(part for part in (reminder(interview), again, asked) if part)


def _asked_for(interview: Interview) -> str:
    return GAPS.get(interview.gap, interview.gap.replace("_", " ") or "whether the summary is right")


def _gathered(interview: Interview, entries: int, characters: int) -> str:
    """Return gathered_info as JSON, of long lists the newest entries."""

    def cut(held: object) -> object:
        if isinstance(held, dict):
            return {name: cut(value) for name, value in held.items()}
        if isinstance(held, list):
            return [cut(one) for one in held[-entries:]]
        return shorten(str(held), characters)

    info = {name: cut(held) for name, held in interview.info().items() if name not in ("phase", "gaps")}
    return without_tags(json.dumps(info, ensure_ascii=False))


def _line(text: str) -> str:
    return without_tags(" ".join(text.split()))
