"""One budget of tokens, and the rules by which the layers of a prompt share it.

1. The request is never shortened. One over half of the budget stands in a file (`is_too_long`).
2. The note, if there is one, stays whole.
3. Of the room left, the diagnostic context may take CONTEXT_SHARE, the summary SUMMARY_SHARE of what is
   beyond SUMMARY_FROM, what earlier conversations found on the device HISTORY_SHARE, kept notes NOTES_SHARE.
4. Recalled turns are kept RECALLED_SHARE of what is left then, if they need it.
5. Recent messages take the rest; they are shortened in steps, all alike, until they fit. Where even the
   shortest are too much, the context gives way.
6. What the others did not need goes to recalled turns.
7. A sentence stands once: recalled turns leave out what the context or a recent message has, the summary what
   any of these has.

What the user pinned is never dropped: it stands first in the diagnostic context, shortened, all alike, where
it takes more than PINNED_SHARE; messages that the user put back stand first among the recalled turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from instrumentgpt.memory.context import Case, lines_pinned
from instrumentgpt.memory.filtering import RECENT_CHARS, as_content, cap, without_tags
from instrumentgpt.memory.recalled import Recalled, fitting
from instrumentgpt.memory.summary import SUMMARY_TOKENS, Entry, render, settle, shorten, without_shown
from instrumentgpt.memory.tokens import count_tokens

PROMPT_TOKENS = 8000  # budget of a whole prompt: seed 004, "Turn 10 ~8K"
MARGIN = 0.03  # of the budget stays free: by so much an estimate of a whole prompt was too low at most
REQUEST_SHARE = 0.5  # of the budget; a longer request is put in a file
PINNED_SHARE = 0.35  # of what request and note leave; beside the share of the context
PINNED_STEPS = (320, 200, 120, 80, 50, 30)  # characters of a pinned line
CONTEXT_SHARE = 0.4  # of what request and note leave, as the next three
HISTORY_SHARE = 0.08
NOTES_SHARE = 0.1
NOTE_CHARS = 300  # of a note
SUMMARY_SHARE, SUMMARY_FROM = 0.28, 1200  # of what is beyond so many tokens: a small budget is for recall
RECALLED_SHARE = 0.75  # of what those leave
RECENT_STEPS = (RECENT_CHARS, 2000, 1200, 800, 400, 200, 100, 40)  # characters of a recent message


@dataclass(frozen=True)
class Section:
    """One part of a prompt: its name, its text as sent (with its tags), and its estimated tokens."""

    name: str
    text: str
    tokens: int


def is_too_long(request: str, budget: int = PROMPT_TOKENS) -> bool:
    """Return whether the request would leave the other layers less than their half of the budget."""
    return count_tokens(request) > REQUEST_SHARE * budget


def request_in_file(request: str, file: str, budget: int = PROMPT_TOKENS) -> str:
    """Return the request as a prompt has it: whole, or, where it is too long, its ends and its `file`."""
    if not is_too_long(request, budget):
        return request
    limit = int(REQUEST_SHARE * budget / 2)  # characters: at most half a quarter of the budget in tokens
    notice = f"[This is the beginning and the end of the request, which has {len(request):,} characters."
    return f"{notice} All of it is in the file {file}: read that file first.]\n\n{cap(request, limit)}"


def within(
    budget: int,
    case: Case,
    lines: str,
    note: str,
    entries: Sequence[Entry],
    recent: Sequence[tuple[str, str]],
) -> tuple[Section, ...]:
    """Return what is told of `case` as sections, without empty ones, that keep to `budget` tokens together.

    lines    of the diagnostic context, but the pinned
    entries  of the summary
    recent   (speaker, text) of the recent messages, oldest first
    """
    budget = int(budget * (1 - MARGIN))
    request_section = _section("request", without_tags(case.request or case.question))
    note_section = _section("note", note)
    room = budget - request_section.tokens - note_section.tokens
    pinned = _pinned(lines_pinned(case), int(PINNED_SHARE * room))
    context = _context(pinned, lines, shared := int(CONTEXT_SHARE * room))
    entries = _entries(entries, min(SUMMARY_TOKENS, int(SUMMARY_SHARE * max(0, room - SUMMARY_FROM))))
    summary = _summary(entries)
    body = _lines_within(without_tags("\n".join(case.elsewhere)), int(HISTORY_SHARE * room))
    history = _tagged("device_history", body if "\n" in body else "")  # no heading without a finding
    kept = [shorten(" ".join(line.split()), NOTE_CHARS) for line in case.notes]
    notes = _tagged("notes", _lines_within(without_tags("\n".join(kept)), int(NOTES_SHARE * room)))
    room -= context.tokens + summary.tokens + history.tokens + notes.tokens
    share, wish = int(RECALLED_SHARE * room), sum(piece.cost for piece in case.put_back)
    found, best = iter(case.recalled), list[Recalled]()
    while wish < share and (piece := next(found, None)):
        best.append(piece)
        wish += piece.cost
    recent_section = _recent(recent, room - min(wish, share))
    left = room - recent_section.tokens - _tagged("recalled_turns", " ").tokens
    chosen = fitting(case.put_back, chain(best, found), left, f"{context.text}\n{recent_section.text}")
    recalled = _tagged("recalled_turns", "\n".join(piece.text for piece in chosen))
    summary = _summary(without_shown(entries, "\n".join((context.text, recalled.text, recent_section.text))))
    sections = [request_section, context, note_section, notes, history, summary, recalled, recent_section]
    over = sum(section.tokens for section in sections) - budget
    if over > 0 and context.text:  # even the shortest recent messages are too much beside it
        sections[1] = _context(pinned, lines, max(0, min(shared, context.tokens) - over))
    return tuple(section for section in _bounded(sections, budget) if section.text)


def _context(pinned: str, lines: str, room: int) -> Section:
    """Return the diagnostic context: what is pinned, whole, and of the others the first lines that fit."""
    return _tagged("diagnostic_context", "\n".join(filter(None, (pinned, _lines_within(lines, room)))))


def _bounded(sections: Sequence[Section], budget: int) -> list[Section]:
    """Return the sections, without the summary, the context, … where even the least of all is too much."""
    left = list(sections)
    for name in ("device_history", "recalled_turns", "conversation_summary", "notes", "note"):
        if sum(section.tokens for section in left) <= budget:
            break
        left = [section for section in left if section.name != name]
    return left


def _section(name: str, text: str) -> Section:
    """Return the section; its tokens count the blank line that follows it, and what rounding took."""
    return Section(name, text, count_tokens(text + "\n\n") + 1 if text else 0)


def _tagged(tag: str, body: str) -> Section:
    return _section(tag, f"<{tag}>\n{body}\n</{tag}>" if body else "")


def _pinned(lines: Sequence[str], room: int) -> str:
    """Return the pinned lines under their title, each shortened as far as all need."""
    for limit in PINNED_STEPS:
        shortened = [without_tags(shorten(" ".join(line.split()), limit)) for line in lines]
        text = "\n".join(["Pinned by the user:", *(f"  {line}" for line in shortened)]) if shortened else ""
        if count_tokens(text) <= room:
            break
    return text


def _lines_within(body: str, room: int) -> str:
    """Return the first lines of `body` that fit."""
    kept: list[str] = []
    for line in body.split("\n") if body else ():
        room -= count_tokens(line + "\n") + 1
        if room < 0 and kept:
            break
        kept.append(line)
    return "\n".join(kept)


def _entries(entries: Sequence[Entry], room: int) -> list[Entry]:
    """Return the entries merged to fit into `room` tokens, none where that cannot be."""
    shown = settle(entries, room) if room > 0 else []
    return shown if _summary(shown).tokens <= max(room, 0) + 30 else []


def _summary(entries: Sequence[Entry]) -> Section:
    return _tagged("conversation_summary", without_tags(render(entries)))


def _recent(messages: Sequence[tuple[str, str]], room: int) -> Section:
    for limit in RECENT_STEPS:
        lines = (f"{speaker}: {as_content(cap(text, limit))}" for speaker, text in messages)
        section = _tagged("recent_conversation", "\n".join(lines))
        if section.tokens <= room:
            break
    return section
