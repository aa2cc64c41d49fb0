"""Taking in what the user says, message by message: captures, skips, phases, corrections. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from instrumentgpt.agents.approval import approval
from instrumentgpt.modes.interview.captures import answers, fits, is_weak, joined, slots_in, together
from instrumentgpt.modes.interview.corrections import amended, contradicts
from instrumentgpt.modes.interview.gathered import (
    GAPS,
    MORE,
    NEEDED,
    PHASES,
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
from instrumentgpt.modes.interview.signs import slots_of

MOST_ASKINGS = 3  # of one gap without an answer; then it is left open: users were over-questioned
SUMMARY = "summary"  # what was asked, beside the names of gaps: whether the summary is right
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
    captured = [(slot, text) for text in pieces for slot in slots_in(text)]
    whole = together(piece for piece in pieces if says_something(piece) and not is_question(piece))
    if not pieces:
        whole = words.strip()  # a pasted log line, a quotation
    named = {slot for slot, _ in captured}
    answered = bool(whole) and asked not in named and fits(asked, named, now.gathered, whole)
    vague = answered and is_vague(whole)
    if answered and (not vague or challenged):
        captured = [*captured, *((asked, text) for text in answers(asked, words, whole))]
    after = _with(now, joined(captured))
    if vague and not challenged and asked in _VAGUE_SLOTS:
        return replace(after, vague=asked if asked in after.gaps else "")
    if after.new:
        return after
    if now.gathered.filled() and contradicts(words):
        return _noted(now, words)
    asks = any(map(is_question, pieces))
    return replace(after, want="question") if asks else _tired(replace(after, want="other"), asked)


def _tired(now: Interview, asked: str) -> Interview:
    """Leave a gap open that was asked for often enough."""
    return _close(now, asked, "unanswered") if now.asked.count(asked) >= MOST_ASKINGS else now


def _with(now: Interview, captured: Sequence[tuple[str, str]]) -> Interview:
    gathered, new = now.gathered, list(now.new)
    for slot, text in captured:
        if slot == "description" and is_weak(gathered) and slots_of(text)[:1] == ("description",):
            text = together([gathered.description, text])
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
