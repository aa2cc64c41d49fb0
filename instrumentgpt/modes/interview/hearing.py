"""Taking in what the user says, message by message: captures, skips, phases, corrections. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instrumentgpt.modes.interview.corrections import amended, contradicts
from instrumentgpt.modes.interview.gathered import (
    GAPS,
    MORE,
    NEEDED,
    PHASES,
    SLOTS,
    Gathered,
    gathered_info,
    open_gaps,
    phase_of,
    with_entry,
    with_only,
)
from instrumentgpt.modes.interview.intentions import (
    Want,
    is_vague,
    names_only,
    phase_wanted,
    says_something,
    target_wanted,
    template_wanted,
    want_of,
)
from instrumentgpt.modes.interview.pieces import is_question, pieces_of
from instrumentgpt.modes.interview.signs import has, roles_in, slots_of, word
from instrumentgpt.text.approval import approval
from instrumentgpt.text.terms import fold

MOST_ASKINGS = 3  # of one gap without an answer; then it is left open: users were over-questioned
SUMMARY = "summary"  # what was asked, beside the names of gaps: whether the summary is right
# What is clearly another matter than was asked for, though it was said in reply.
_OTHER_MATTER = {
    "examples": frozenset(("must_have", "success_criteria", "constraints")),
    "who": frozenset(SLOTS),
    "must_have": frozenset(("examples",)),
    "success_criteria": frozenset(("examples",)),
    "edge_cases": frozenset(("must_have", "success_criteria", "constraints")),
}
_VAGUE_SLOTS = frozenset(("description", "examples", "must_have", "success_criteria"))


@dataclass(frozen=True)
class Interview:
    """An interview up to its newest user message.

    gathered  what was said; `closed` gap → "skipped", "unknown", "none" or "unanswered"
    asked     the gaps that were asked for, in order, one for each answer
    vague     the gap whose answer was too vague, and is asked to be specific
    chosen    the phase that the user chose, "" for the one that follows from the content
    new       (slot, text) that the newest message brought; `want` what it wanted instead
    turn      how many user messages there were
    notes     corrections that belong to nothing gathered
    """

    gathered: Gathered = field(default_factory=Gathered)
    closed: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    vague: str = ""
    chosen: str = ""
    new: tuple[tuple[str, str], ...] = ()
    want: Want | str = ""
    turn: int = 0
    notes: tuple[str, ...] = ()
    template: str = ""
    target: str = ""

    @property
    def gaps(self) -> list[str]:
        """Names of what is missing and still to be asked for."""
        return open_gaps(self.gathered, self.closed)

    @property
    def phase(self) -> str:
        """The phase in force."""
        return self.chosen or phase_of(self.gathered, self.closed)

    @property
    def gap(self) -> str:
        """What to ask for next: the first gap of the phase, else what the chosen phase may ask for more."""
        if self.vague:
            return self.vague
        own = [gap for gap in self.gaps if gap in NEEDED.get(self.phase, {})]
        if own or self.phase == PHASES[-1]:
            return next(iter(own), "")
        more = MORE[self.phase]
        return next((slot for slot in more if not self.gathered.texts(slot)), more[-1])

    @property
    def askings(self) -> int:
        """How often in a row the gap has been asked for already."""
        gap, count = self.gap, 0
        for asked in reversed(self.asked):
            if asked != gap:
                break
            count += 1
        return count

    def info(self) -> dict[str, object]:
        """Return `gathered_info` as seed 000 has it."""
        return gathered_info(self.gathered, self.phase, open_gaps(self.gathered, self.closed))


def hear(before: Interview, words: str, asked: str = "") -> Interview:
    """Return the interview with one more message of the user, who was asked for `asked` ("" at the start).

    >>> after = hear(Interview(), "The oven is off by two degrees since Monday")
    >>> after.gathered.description, after.phase, after.gap
    ('The oven is off by two degrees since Monday', 'problem_discovery', 'examples')
    >>> hear(after, "I don't know", "examples").closed
    {'examples': 'unknown'}
    """
    asked = asked or ("" if before.turn else "description")
    now = replace(
        before,
        turn=before.turn + 1,
        new=(),
        want="",
        vague="",
        asked=(*before.asked, asked),
        template=template_wanted(words) or before.template,
        target=target_wanted(words) or before.target,
    )
    if asked == SUMMARY and (answer := approval(words)):
        return replace(now, want=answer)
    if phase := phase_wanted(words, before.phase):
        return (
            _wanted(now, "enough", asked) if phase == PHASES[-1] else replace(now, chosen=phase, want="phase")
        )
    if want := want_of(words) or ("start" if asked == "description" and names_only(words) else ""):
        return _wanted(now, want, asked)
    if now.target != before.target:
        return replace(now, want="target")
    if asked == SUMMARY:
        return _corrected(now, words)
    return _staying(_told(now, words, asked, challenged=before.vague == asked and bool(asked)))


def _wanted(now: Interview, want: Want, asked: str) -> Interview:
    now = replace(now, want=want)
    if want == "enough":
        nothing = not now.gathered.filled()  # then there is no summary to show
        left = {gap: "skipped" for gap in now.gaps if not (nothing and gap == "description")}
        return replace(now, closed={**now.closed, **left}, chosen="")
    if want == "start" or asked == SUMMARY:
        return now
    how = {"skip": "skipped"}.get(want, want)
    return _staying(_close(now, asked, how))


def _staying(now: Interview) -> Interview:
    """Leave a chosen phase as soon as nothing is open in it."""
    stays = any(gap in NEEDED.get(now.chosen, {}) for gap in now.gaps)
    return now if stays or now.want == "question" else replace(now, chosen="")


def _close(now: Interview, gap: str, how: str) -> Interview:
    return replace(now, closed={**now.closed, gap: how}) if gap in GAPS else now


def _told(now: Interview, words: str, asked: str, challenged: bool) -> Interview:
    """Take in what `words` tell; an answer to what was asked counts for it, unless it asks or is vague."""
    gathered, new = amended(now.gathered, words) if contradicts(words) else (now.gathered, [])
    if new:
        return replace(now, gathered=gathered, new=tuple(new))
    pieces = pieces_of(words)
    captured = [(slot, text) for text in pieces for slot in _slots(text)]
    whole = _together(piece for piece in pieces if says_something(piece) and not is_question(piece))
    if not pieces:
        whole = words.strip()  # a pasted log line, a quotation
    named = {slot for slot, _ in captured}
    fits = bool(whole) and asked not in named and _fits(asked, named, now.gathered, whole)
    vague = fits and is_vague(whole)
    if fits and (not vague or challenged):
        captured = [*captured, *((asked, text) for text in _answers(asked, words, whole))]
    after = _with(now, _joined(captured))
    if vague and not challenged and asked in _VAGUE_SLOTS:
        return replace(after, vague=asked if asked in after.gaps else "")
    if after.new:
        return after
    if now.gathered.filled() and contradicts(words):
        return _noted(now, words)
    asks = any(map(is_question, pieces))
    return replace(after, want="question") if asks else _tired(replace(after, want="other"), asked)


def _together(pieces: Iterable[str]) -> str:
    """Return the pieces as one text: after Chinese stands no blank."""
    text = ""
    for piece in pieces:
        text += f" {piece}" if text and text[-1].isascii() else piece
    return text


def _tired(now: Interview, asked: str) -> Interview:
    """Leave a gap open that was asked for often enough."""
    return _close(now, asked, "unanswered") if now.asked.count(asked) >= MOST_ASKINGS else now


def _slots(piece: str) -> tuple[str, ...]:
    slots = slots_of(piece)
    if is_question(piece):
        return tuple(slot for slot in slots if slot == "description" or _is_what_if(piece, slot))
    return (*slots, "who") if roles_in(piece) else slots


def _is_what_if(piece: str, slot: str) -> bool:
    return (
        slot == "edge_cases"
        and re.match(r"\W*(?:(?:and|but|so) )?what|如果|假如|萬一|万一|要是|若", piece, re.I) is not None
    )


def _fits(asked: str, named: Collection[str], gathered: Gathered, whole: str) -> bool:
    """Return whether words with signs of the slots `named` can answer what was asked for."""
    if not asked:
        return False
    if asked == "who" and (has("quantity", whole) or has("moment", whole) or re.search(r"\d", whole)):
        return False
    if asked == "who" and named:
        return has("person", whole)
    if set(named) == {"who"} and not says_something(word("role").sub(" ", fold(whole))):
        return asked in ("description", "examples")
    if "description" in named and _is_weak(gathered):
        return False
    return not named or not set(named) <= _OTHER_MATTER.get(asked, frozenset())


def _is_weak(gathered: Gathered) -> bool:
    """Return whether the description is no more than an answer without any sign of a trouble."""
    return bool(gathered.description) and "description" not in slots_of(gathered.description)


def _answers(asked: str, words: str, whole: str) -> list[str]:
    """Return the answer as entries of the slot: of edge cases each line or sentence is one."""
    if asked == "edge_cases":
        return [piece for piece in pieces_of(words) if not is_question(piece)] or [whole]
    return [whole or words]


def _joined(captured: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the captures with neighbouring sentences of the description as one text; people as named."""
    found: list[tuple[str, str]] = []
    description = " ".join(text for slot, text in captured if slot == "description")
    for slot, text in captured:
        if slot == "description":
            if description:
                found.append((slot, description))
            description = ""
        elif slot == "who":
            found += [(slot, role) for role in roles_in(text)] or [(slot, text)]
        else:
            found.append((slot, text))
    return found


def _with(now: Interview, captured: Sequence[tuple[str, str]]) -> Interview:
    gathered, new = now.gathered, list(now.new)
    for slot, text in captured:
        if slot == "description" and _is_weak(gathered) and slots_of(text)[:1] == ("description",):
            text = _together([gathered.description, text])
            gathered = with_only(gathered, slot, [])
        after = with_entry(gathered, slot, text)
        if after != gathered:
            new.append((slot, after.texts(slot)[-1]))
        gathered = after
    closed = {gap: how for gap, how in now.closed.items() if not any(slot == gap for slot, _ in new)}
    return replace(now, gathered=gathered, new=tuple(new), closed=closed)


def _corrected(now: Interview, words: str) -> Interview:
    """Take in what is to be changed in the summary that was shown."""
    gathered, new = amended(now.gathered, words)
    if new:
        return replace(now, gathered=gathered, new=tuple(new))
    if all(map(is_question, pieces_of(words))):
        return replace(now, want="question")
    after = _told(now, words, "", challenged=False)
    if after.new:
        return replace(after, closed=now.closed)  # the summary stays in view
    return _noted(now, words)


def _noted(now: Interview, words: str) -> Interview:
    """Keep a correction that belongs to nothing gathered beside it."""
    note = " ".join(words.split())[:200]
    return replace(now, notes=(*now.notes, note), new=(("notes", note),))
