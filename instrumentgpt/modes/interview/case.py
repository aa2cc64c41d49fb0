"""One turn of an interview as data: what was gathered with the newest message, and what it is about."""

from dataclasses import dataclass, replace

import db
import memory
from instrumentgpt.instruments.devices import resolve
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.precedents import earlier
from instrumentgpt.instruments.wording import tells_of_health
from instrumentgpt.modes.interview.hearing import Interview
from instrumentgpt.modes.interview.statement import About
from instrumentgpt.modes.interview.stored import (
    Kept,
    exchanges,
    heard,
    language_of_talk,
    read_choices,
    read_kept,
    today,
)
from instrumentgpt.modes.interview.templates import DEFAULT, templates
from instrumentgpt.turn.prompt import prompt_for
from instrumentgpt.turn.turn import Turn

CONTEXT_SHARE = 0.3  # of the budget, for what is known of the instrument


@dataclass(frozen=True)
class Case:
    """One turn of an interview: what was gathered with the newest message, and what it is about."""

    turn: Turn
    kept: Kept
    messages: list[db.Message]
    interview: Interview
    language: Language
    asked: str  # what the newest message answers

    @property
    def words(self) -> str:
        """The user's newest message."""
        return self.turn.question.content

    @property
    def device(self) -> str:
        """The instrument's name, else the newest that the inventory does not have, "" if none was named."""
        if known := memory.device_key(self.turn.state):
            return known
        said = "\n".join(message.content for message in self.messages if message.role == "user")
        return next(reversed(resolve(said, self.turn.inventory).unknown), "")

    @property
    def template(self) -> str:
        """The name of the template of its document."""
        known = templates(self.turn.home())
        return self.interview.template if self.interview.template in known else DEFAULT

    @property
    def about(self) -> About:
        """What its statement is about."""
        label = templates(self.turn.home())[self.template].label(self.language)
        title = self.interview.target or " ".join(part for part in (label, self.device, today()) if part)
        return About(self.device, today(), title, self.language)


def open_case(turn: Turn) -> Case:
    """Return the case of this turn; its first message begins an interview."""
    conversation = turn.run.conversation_id
    kept = read_kept(turn.database, conversation)
    messages = [
        message for message in exchanges(turn.database, conversation, kept) if message.id <= turn.question.id
    ]
    asked = next((one for one in reversed(messages[:-1]) if one.role == "assistant"), None)
    told = kept.asked.get(str(asked.id), "") if asked else ""
    choices = read_choices(turn.database, conversation)
    now = heard(messages, kept, choices)
    return Case(turn, kept, messages, now, language_of_talk(messages), told)


def told_of(case: Case) -> dict[str, object]:
    """Return what our own analyst needs to ask on (agents/offline/interview.py)."""
    now = case.interview
    texts = [text for slot in now.gathered.filled().values() for text in slot]
    state = case.turn.state
    return {
        "language": case.language,
        "gap": now.gap,
        "askings": now.askings,
        "new": [list(row) for row in now.new],
        "want": now.want,
        "vague": bool(now.vague),
        "words": case.words,
        "known": texts,
        "device": case.device,
        "finding": next(filter(_tells_of_trouble, reversed(state.findings)), ""),
        "cause": _earlier_cause(case),
    }


def _tells_of_trouble(finding: str) -> bool:
    """Return whether a finding can be what is complained about: nothing healthy, nothing ruled out."""
    return not tells_of_health(finding) and not finding.startswith(("Ruled out", "已排除"))


def _earlier_cause(case: Case) -> str:
    """Return a root cause found on this device before, in this conversation or another; "" if none."""
    state = case.turn.state
    if state.root_causes:
        return state.root_causes[-1]
    device = next((one for one in case.turn.inventory.devices if case.device in (one.name, one.ip)), None)
    if device is None:
        return ""
    found = earlier(case.turn.database, device, case.turn.inventory, case.turn.run.conversation_id)
    return next((one.item.text for one in found if one.item.field == "root_causes" and not one.sibling), "")


def memory_context(case: Case) -> str:
    """Return what the memory knows of the instrument and its history, as the lines of a prompt."""
    turn = case.turn
    settings = replace(
        turn.settings, prompt_tokens=max(400, int(CONTEXT_SHARE * turn.settings.prompt_tokens))
    )
    known = prompt_for(
        turn.database,
        turn.run.conversation_id,
        case.device or "?",
        turn.question.id,
        turn.state,
        "",
        turn.devices,
        turn.inventory,
        settings,
    )
    wanted = [part.text for part in known.sections if part.name in ("diagnostic_context", "device_history")]
    return "\n".join(line for text in wanted for line in text.split("\n")[1:-1])
