"""What the assistant remembers of a conversation, and the prompt made of it.

A prompt has the request as it was typed, and beside it the layers: the diagnostic state, facts,
what other conversations found, a rolling summary of older messages, what older messages say of this very
question, and the recent messages.
Everything here is pure: texts and values in, texts and values out.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from instrumentgpt.memory.budget import (
    PROMPT_TOKENS,
    Parts,
    Section,
    is_too_long,
    request_in_file,
    within,
)
from instrumentgpt.memory.context import Case, context_lines, keywords_of, lines_pinned
from instrumentgpt.memory.filtering import filter_content
from instrumentgpt.memory.recalled import Recalled
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
    Entry,
    StoredMessage,
    compress_message,
    entry,
    message_ids,
    parse,
    settle,
    speaker_of,
    still_true,
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
    """A prompt with its parts in order.

    summary  the summary to store
    evicted  the messages that this prompt moved from the recent ones into the summary
    """

    sections: tuple[Section, ...]
    summary: str
    evicted: tuple[int, ...]

    @property
    def text(self) -> str:
        """The whole prompt, as it is sent."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt."""
        return count_tokens(self.text)


@dataclass(frozen=True)
class Beside:
    """What a prompt tells beside the case and the messages.

    is_device_query  the question names a device: the note on logs already analyzed stands below the context
    request          what stands for a question that is too long for the budget (`request_in_file`)
    put_back         messages that the user put back
    recalled         what earlier messages say that bears on the question, as `db.recall` found it
    elsewhere        lines on what other conversations found on the device, below their heading
    notes            what the user had kept, a line each, what bears on the question first
    """

    is_device_query: bool = False
    request: str = ""
    put_back: Sequence[Recalled] = ()
    recalled: Iterable[Recalled] = ()
    elsewhere: Sequence[str] = ()
    notes: Sequence[str] = ()


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
    case, beside = Case(current_question, diagnostic_state), Beside(is_device_query)
    prompt = compose(case, all_messages, existing_summary, beside)
    return prompt.text, prompt.summary


def compose(
    case: Case,
    all_messages: Sequence[StoredMessage],
    existing_summary: str = "",
    beside: Beside = Beside(),
    rules: Rules = Rules(),
) -> Prompt:
    """Return the prompt for the question of `case`, and what becomes of the older messages.

    all_messages      all messages of the conversation, oldest first, raw; the current question may be the
                      last one. With ids, the newest part will do as long as N is not raised.
    existing_summary  as stored; what it says of messages that are recent again or deleted is dropped
    """
    ids = message_ids(all_messages)
    end = len(ids) - _ends_with_question(all_messages, case.question)
    recent = _first_recent(all_messages[:end], rules.recent_exchanges)
    kept = still_true(parse(existing_summary), ids, recent)
    entries, evicted = with_older(kept, ids[:recent], all_messages[:recent])
    entries = settle(entries)
    note = NOTE.format(" and ".join(("diagnostic_context", *["conversation_summary"] * bool(entries))))
    parts = Parts(
        beside.request or case.question,
        context_lines(case),
        note if beside.is_device_query else "",
        entries,
        [(speaker_of(row["role"]), filter_content(row["content"])) for row in all_messages[recent:end]],
        beside.put_back,
        beside.recalled,
        lines_pinned(case),
        beside.elsewhere,
        beside.notes,
    )
    return Prompt(within(rules.budget, parts), write(entries), evicted)


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
