"""What the assistant remembers of a conversation, and the prompt made of it.

A prompt has the request as it was typed, and beside it the layers: the diagnostic state, facts,
what other conversations found, a rolling summary of older messages, what older messages say of this very
question, and the recent messages.
Everything here is pure: texts and values in, texts and values out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from instrumentgpt.memory.budget import (
    PROMPT_TOKENS,
    Section,
    is_too_long,
    request_in_file,
    within,
)
from instrumentgpt.memory.context import Case, context_lines, keywords_of
from instrumentgpt.memory.filtering import filter_content
from instrumentgpt.memory.state import (
    DiagnosticState,
    begin_question,
    device_key,
    extract_state_updates,
    fields_reported,
    new_items,
    record_tool,
)
from instrumentgpt.memory.summary import (
    StoredMessage,
    compress_message,
    entry,
    message_ids,
    parse,
    settle,
    speaker_of,
    with_older,
    write,
)
from instrumentgpt.memory.tokens import count_tokens

RECENT_EXCHANGES = 3  # N of seed 004
NOTE = (  # seed 004, of the sections that are there
    "<note>Use {} to avoid\nre-downloading logs already analyzed. Reuse existing findings.</note>"
)


def build_summary(existing: str, turns_to_evict: Sequence[StoredMessage]) -> str:
    """Return the stored summary `existing` with the messages added, old entries merged to keep it bounded.

    A message that is in it already is not added again.
    """
    entries = parse(existing)
    added = [
        entry(row.get("id"), compress_message(row["role"], row["content"]))
        for row in turns_to_evict
        if "id" not in row or not any(old.holds(row["id"]) for old in entries)
    ]
    return write(settle([*entries, *added]))


@dataclass(frozen=True)
class Prompt:
    """A prompt with its parts in order, and the summary to store."""

    sections: tuple[Section, ...]
    summary: str

    @property
    def text(self) -> str:
        """The whole prompt, as it is sent."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt."""
        return count_tokens(self.text)


@dataclass(frozen=True)
class Rules:
    """How much a prompt tells.

    recent_exchanges  N: the newest 2 N messages stay as they are, beginning with a user's
    budget            tokens, shared by the rules of memory/budget.py; the question is never shortened
    """

    recent_exchanges: int = RECENT_EXCHANGES
    budget: int = PROMPT_TOKENS


def build_prompt(
    current_question: str,
    all_messages: Sequence[StoredMessage],
    diagnostic_state: DiagnosticState,
    existing_summary: str,
    is_device_query: bool,
) -> tuple[str, str]:
    """Return (prompt, summary to store); see `compose`."""
    case = Case(current_question, diagnostic_state, is_device_query=is_device_query)
    prompt = compose(case, all_messages, existing_summary)
    return prompt.text, prompt.summary


def compose(
    case: Case,
    all_messages: Sequence[StoredMessage],
    existing_summary: str = "",
    rules: Rules = Rules(),
) -> Prompt:
    """Return the prompt for the question of `case`, and what becomes of the older messages.

    all_messages      all messages of the conversation, oldest first, raw; the current question may be the
                      last one
    existing_summary  as stored; where a message of it is recent again or deleted it is made anew
    """
    ids = message_ids(all_messages)
    end = len(ids) - _ends_with_question(all_messages, case.question)
    recent = _first_recent(all_messages[:end], rules.recent_exchanges)
    entries = settle(with_older(parse(existing_summary), ids[:recent], all_messages))
    note = NOTE.format(" and ".join(("diagnostic_context", *["conversation_summary"] * bool(entries))))
    told = [(speaker_of(row["role"]), filter_content(row["content"])) for row in all_messages[recent:end]]
    note = note if case.is_device_query else ""
    sections = within(rules.budget, case, context_lines(case), note, entries, told)
    return Prompt(sections, write(entries))


def _ends_with_question(messages: Sequence[StoredMessage], question: str) -> bool:
    """Return whether the last message is the question, as typed or enriched at either end."""
    if not messages or speaker_of(messages[-1]["role"]) != "User":
        return False
    last, question = messages[-1]["content"].strip(), question.strip()
    return last == question or (bool(last) and (question.startswith(last) or question.endswith(last)))


def _first_recent(messages: Sequence[StoredMessage], recent_exchanges: int) -> int:
    """Return the place of the first recent message: a user's, at most 2 N from the end."""
    earliest = max(0, len(messages) - 2 * recent_exchanges)
    if earliest == 0:
        return 0
    users = (
        place for place in range(earliest, len(messages)) if speaker_of(messages[place]["role"]) == "User"
    )
    return next(users, earliest)
