"""What an interview has gathered, and what it reads and says without any model. Pure.

The user's own lines stand by slot; a reply fills the slot that was asked for.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.since import counted
from instrumentgpt.memory.filtering import prose_lines
from instrumentgpt.memory.reading.own_words import DESCRIPTION_CHARS, ENTRY_CHARS, has_words, replaced
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import fold
from instrumentgpt.modes.interview import say, texts
from instrumentgpt.modes.interview.persona import advises

MOST_TRIES = 2  # questions for one gap; then it is left open: users were over-questioned

PHASES = ("problem_discovery", "user_analysis", "requirements", "edge_cases", "wrap_up")  # seed 000
NEEDED = {  # what a phase needs before the next begins: seed 000
    "problem_discovery": {"description": 1, "examples": 1},
    "user_analysis": {"who": 1},
    "requirements": {"must_have": 1, "success_criteria": 1},
    "edge_cases": {"edge_cases": 2},
}
GAPS = {  # what is missing → how seed 000 says it
    "description": "Problem description not clear",
    "examples": "No concrete examples of the problem",
    "who": "Users not identified",
    "must_have": "Core requirements not defined",
    "success_criteria": "Success criteria not established",
    "edge_cases": "Edge cases need more exploration",
}
PROPOSED, REMARKS = "proposed", "remarks"  # what was tried or proposed; corrections of nothing gathered
SLOTS = (
    *("description", "examples", "impact", "who", "context", "workflow"),
    *("must_have", "success_criteria", "constraints", "edge_cases", PROPOSED, REMARKS),
)
_ERROR = re.compile(
    r"(?<!no )(?<!without )(?:error|fail|wrong)|錯誤|错误|出錯|出错|失敗|失败|失效|故障|異常|异常", re.I
)

Lines = Mapping[str, tuple[str, ...]]  # slot → lines in the order in which they were said


@dataclass(frozen=True)
class Note:
    """Words of the user for a slot; `replaces`: the earlier words that they correct, "" if they add."""

    slot: str
    words: str
    replaces: str = ""


@dataclass(frozen=True)
class Interview:
    """An interview up to its newest user message.

    left   slot → "unknown", "skipped" or "unanswered": what is not asked for any more
    tries  slot → how often it was asked for
    new    what the newest message brought, `want` what it wanted instead: a key of texts.toml's wishes,
           "question" or "form"
    turn   how many user messages there were
    noted  what an agent noted of the newest one; None: nobody did, and it answers what was asked
    """

    lines: Lines = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    tries: Mapping[str, int] = field(default_factory=dict)
    new: tuple[Note, ...] = ()
    want: str = ""
    turn: int = 0
    noted: tuple[Note, ...] | None = None

    @property
    def gaps(self) -> list[str]:
        """The slots that are missing and still to be asked for, in the order of the phases.

        >>> Interview({"description": ("it drifts",)}, left={"who": "unknown"}).gaps
        ['examples', 'must_have', 'success_criteria', 'edge_cases']
        """
        counts = {gap: count for phase in NEEDED.values() for gap, count in phase.items()}
        return [gap for gap, count in counts.items() if len(self.held(gap)) < count and gap not in self.left]

    def held(self, slot: str) -> tuple[str, ...]:
        """Return what stands in a slot; errors told of the fault are edge cases, too."""
        return edge_cases(self.lines) if slot == "edge_cases" else self.lines.get(slot, ())

    @property
    def gap(self) -> str:
        """What to ask for next, "" if nothing is."""
        return next(iter(self.gaps), "")

    @property
    def known(self) -> list[str]:
        """The slots of GAPS that are filled, or told to be empty; not what was left open."""
        return [gap for gap in GAPS if gap not in self.gaps and (self.held(gap) or self.left[gap] == "none")]

    @property
    def phase(self) -> str:
        """The first phase that still needs something; what was left open is not waited for."""
        return next((phase for phase in NEEDED if self.gap in NEEDED[phase]), PHASES[-1])

    @property
    def info(self) -> dict[str, Any]:
        """`gathered_info` as seed 000 has it, JSON-ready; what it has as one text is joined."""
        held = {slot: list(self.held(slot)) for slot in SLOTS}
        joined = {slot: "; ".join(held[slot]) for slot in ("description", "impact", "context", "workflow")}
        description = shorten(joined["description"], DESCRIPTION_CHARS)
        return {
            "phase": self.phase,
            "problem": {"description": description, "examples": held["examples"], "impact": joined["impact"]},
            "users": {"who": held["who"], "context": joined["context"], "workflow": joined["workflow"]},
            "requirements": {name: held[name] for name in ("must_have", "success_criteria", "constraints")},
            "edge_cases": held["edge_cases"],
            "gaps": [GAPS[gap] for gap in self.gaps],
        }


def filed(now: Interview, note: Note) -> Interview:
    """Return the interview with `note` in its slot, or in the place of what it replaces; nothing twice.

    >>> now = filed(Interview(), Note("examples", "at 70.8 when it should be 72"))
    >>> now = filed(now, Note("examples", "71.8", replaces="70.8"))
    >>> now.lines, now.new[-1].replaces
    ({'examples': ('at 71.8 when it should be 72',)}, '70.8')
    """
    words = " ".join(note.words.split()).strip(",，;；、 ")
    if note.slot not in SLOTS or not words:
        return now
    for slot in dict.fromkeys((note.slot, *SLOTS)) if note.replaces else ():
        before = now.lines.get(slot, ())
        whole = [line for line in before if has_words(note.replaces, line) and has_words(line, note.replaces)]
        if whole and slot != note.slot:  # it moves
            now = with_lines(now, slot, [line for line in before if line not in whole])
            break
        after = [replaced(line, note.replaces, words) for line in before]
        if after != list(before):
            return replace(with_lines(now, slot, after), new=(*now.new, Note(slot, words, note.replaces)))
    before = now.lines.get(note.slot, ())
    if any(has_words(line, words) for line in before):
        return now
    longer = [line for line in before if not has_words(words, line)]
    return replace(with_lines(now, note.slot, [*longer, words]), new=(*now.new, Note(note.slot, words)))


def with_lines(now: Interview, slot: str, lines: Collection[str]) -> Interview:
    """Return the interview with `lines`, each as long as the slot holds, and nothing else in `slot`."""
    limit = DESCRIPTION_CHARS if slot == "description" else ENTRY_CHARS
    kept = tuple(dict.fromkeys(shorten(" ".join(line.split()), limit) for line in lines))
    others = {name: held for name, held in now.lines.items() if name != slot}
    left = {name: how for name, how in now.left.items() if name != slot or not kept}
    return replace(now, lines={**others, slot: kept} if kept else others, left=left)


def leave(now: Interview, how: str, *slots: str) -> Interview:
    """Return the interview with `slots`, as far as they are gaps, left open."""
    return replace(now, left={**now.left, **{slot: how for slot in slots if slot in now.gaps}})


def edge_cases(lines: Lines) -> tuple[str, ...]:
    """Return the edge cases; an error or failure that the user told of the fault counts as one.

    >>> edge_cases({"edge_cases": ("the door",), "examples": ("E4 error at 9:30", "52.3 instead of 50")})
    ('the door', 'E4 error at 9:30')
    """
    problems = (line for slot in ("description", "examples") for line in lines.get(slot, ()))
    return (*lines.get("edge_cases", ()), *filter(_ERROR.search, problems))


SUMMARY = "summary"  # what was asked for, beside slots: whether the summary is right
_MARKS = re.compile("[✅❓?？]+")  # a reply has one of each: none in what it repeats
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_ASKS = re.compile(r"(?<![?？])[?？][^\w?？]*$|[嗎吗呢]\W*$")  # "my thesis??" asks nothing
_TAKES_BACK = re.compile(  # what was said before, whatever is asked now
    r"(?i)^\W*(?:(?:sorry|wait|actually|no, (?:it|that|i|not))\b|等一下|不[對对]|更正|抱歉)|[記记說说][錯错]"
)
_WHAT_IF = re.compile(r"\bif\b|如果|假如|萬一|万一|要是", re.I)
_FIGURE = (  # in digits, or as a word; a Chinese one with what it counts
    r"(?:(?<![\w.])[-+±]?\d+(?:\.\d+)?|[一二兩三四五六七八九十百]+[次台個天度分秒點]鐘?"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b)"
)
_MEASURED = re.compile(rf"({_FIGURE})(\s?(?:(degrees?\b|°\s?[CFK]?|℃|[CFK]\b|度)|[^\W\d_]+)|)", re.I)
_ROW = re.compile(r"[-*\s]*([^:：]{1,40})[:：]\s*(.*)$")
_NAMES = re.compile(  # "no, the problem is …", 「不對，使用者是……」
    r"(?i)\W*(?:(?:no|sorry|wait|actually|不|不[對对]|更正|抱歉)[\s,，:：]+)?(?:the |our )?"
    r"([^\W\d]+?(?: [^\W\d]+?)?)(?: (?:is|are|was|were)\b|是)((?:(?!\.\s)[^!?;。！？；])+?)[.。]?$"
)
_CORRECTS = tuple(
    re.compile(pattern.replace("#", _FIGURE), re.I)
    for pattern in (
        r"(?P<new>#)[^\d.;。；]{0,16}?\bnot (?:\w+ )?(?P<old>#)",
        r"\bnot (?:\w+ )?(?P<old>#)[^\d.;。；]{0,16}?(?P<new>#)",
        r"不是 ?(?P<old>#)[^\d;。；]{0,12}?[是到为為] ?(?P<new>#)",
        r"(?P<new>#)[^\d;。；]{0,8}?不是 ?(?P<old>#)",
    )
)


def after_reply(before: Interview, words: str, slot: str, notes: Sequence[Note] | None = None) -> Interview:
    """Return the interview with one more message of the user, who was asked for `slot`.

    notes  what an agent took from it, checked; None: nobody did, and it answers what was asked

    >>> now = after_reply(Interview(), "The oven is off by two degrees", "description")
    >>> now.lines["description"], now.gap
    (('The oven is off by two degrees',), 'examples')
    >>> after_reply(now, "I don't know", "examples").left
    {'examples': 'unknown'}
    """
    tries = {**before.tries, slot: before.tries.get(slot, 0) + 1}
    noted = None if notes is None else tuple(notes)
    now = replace(before, turn=before.turn + 1, tries=tries, new=(), want="", noted=noted)
    is_aside = slot not in SLOTS or _TAKES_BACK.search(words) or re.match(r"(?i)no\b", words)
    if form := form_lines(words):
        now = _filled(replace(now, want="form"), form)
    elif notes is None and is_aside and not _corrections(now, words) and (form := form_lines(words, _NAMES)):
        now = _filled(now, form)
    else:
        now = _answered(now, words, slot if slot in SLOTS else "", notes)
    if now.want == "enough":
        return leave(now, "skip", *now.gaps)
    if now.want in ("unknown", "skip", "none"):
        return leave(now, now.want, slot)
    return leave(now, "unanswered", slot) if tries[slot] >= MOST_TRIES else now


def _answered(now: Interview, words: str, slot: str, notes: Sequence[Note] | None) -> Interview:
    """Take in what `words` say, sentence by sentence, but for wishes, courtesies and questions."""
    corrections = notes if notes is not None else _corrections(now, words)
    for note in corrections or ():
        now = filed(now, note)
    prose = prose_lines(words)
    sentences = [part.strip() for line in prose for part in _SENTENCE.split(line) if part.strip()]
    sentences = sentences or [words.strip()]  # a pasted log line, a quotation
    wishes = [_wish(sentence) for sentence in [words, *sentences]]
    if wishes[0]:
        return now if wishes[0] == "courtesy" else replace(now, want=wishes[0])
    statements = [sentence for sentence in sentences if not _wish(sentence)]
    as_told = _WHAT_IF.search if slot == "edge_cases" else lambda _: now.turn == 1  # though it asks
    answers = [sentence for sentence in statements if as_told(sentence) or not _ASKS.search(sentence)]
    if not answers:
        other = next((wish for wish in wishes[1:] if wish and wish != "courtesy"), "")
        return replace(now, want="question" if statements else other)
    if corrections or notes is not None:
        return now
    unknown = _wish(re.split("[,，;；]", words.strip())[0]) == "unknown"  # "don't know, ask Lin"
    aside = unknown or not slot or bool(_TAKES_BACK.search(words))
    for target, is_advice in ((REMARKS if aside else slot, False), (PROPOSED, True)):
        for line in joined([text for text in answers if (advises(text) and bool(slot)) == is_advice]):
            now = filed(now, Note(target, line))
    return replace(now, want="unknown") if unknown else now


def _wish(sentence: str) -> str:
    plain = sentence.replace("’", "'").strip(" \t.!。！,，~啊耶呢吧欸喔").casefold()
    return next((name for name, phrases in texts("wishes").items() if plain in phrases), "")


def joined(sentences: Sequence[str]) -> list[str]:
    """Return sentences put together to lines as long as a slot holds: a long answer loses nothing."""
    lines: list[str] = []
    for sentence in sentences:
        if lines and len(lines[-1]) + len(sentence) < ENTRY_CHARS:
            lines[-1] += f" {sentence}" if lines[-1].isascii() else sentence
        else:
            lines.append(sentence)
    return lines


def _corrections(now: Interview, words: str) -> list[Note]:
    """Return the figures that `words` put in the place of gathered ones, of their unit if there are such."""
    told = [(at, hit) for at, lines in now.lines.items() for row in lines for hit in _MEASURED.finditer(row)]
    for match in (match for pattern in _CORRECTS for match in pattern.finditer(words)):
        (old, _), (_, unit) = (_read(_MEASURED.match(words, match.start(name))) for name in ("old", "new"))
        hits = [(slot, hit) for slot, hit in told if _read(hit)[0] == old]
        alike = [Note(at, match["new"] + hit[2], hit[0]) for at, hit in hits if _read(hit)[1] == unit != ""]
        if notes := alike or [Note(slot, match["new"], hit[1]) for slot, hit in hits]:
            return list(dict.fromkeys(notes))
    return []


def _read(measured: re.Match[str] | None) -> tuple[int | str, str]:
    """Return the value of a figure and its unit, degrees in any spelling as one."""
    figure, unit = (fold(measured[1]), fold(measured[2]).strip()) if measured else ("", "")
    return counted(figure) or figure, "°" if measured and measured[3] else unit


def form_lines(words: str, row: re.Pattern[str] = _ROW) -> list[tuple[str, str]]:
    """Return (slot, text) of a message whose lines are all a slot's label and text; [] of another.

    >>> form_lines("- Impact: half a batch a week\\n- Users: don't know"), form_lines("Impact on us: none")
    ([('impact', 'half a batch a week'), ('who', "don't know")], [])
    """
    labels = {name.casefold(): slot for slot in SLOTS for name in texts("labels")[slot].values()}
    hits = [row.match(line) for line in words.strip().split("\n")]
    rows = [(labels.get(hit[1].strip().casefold(), ""), hit[2].strip()) for hit in hits if hit]
    return rows if len(rows) == len(hits) and all(slot for slot, _ in rows) else []


def _filled(now: Interview, form: Sequence[tuple[str, str]]) -> Interview:
    for slot in dict.fromkeys(slot for slot, _ in form):
        lines = [text for name, text in form if name == slot]
        wish = _wish(lines[0]) if lines else ""
        now = with_lines(now, slot, [line for line in lines if line.strip("-– ") and not wish])
        now = leave(now, wish, slot) if wish in texts("open") else now
        now = replace(now, new=(*now.new, *(Note(slot, line) for line in now.lines.get(slot, ()))))
    return now


def own_reply(now: Interview, slot: str, language: Language, device: str = "") -> str:
    """Return one ✅ line and one ❓ question of our own; `slot` is what the newest message answered.

    >>> print(own_reply(after_reply(Interview(), "drifts", "description"), "description", "en"))
    ✅ Clear: drifts
    <BLANKLINE>
    ❓ Can you give a specific example: when was it last seen, and what did the display or log show then?
    """
    gap, tries = now.gap or "description", now.tries.get(now.gap or "description", 0)
    questions = texts("questions")[gap][language]
    name = plain_text(device) or {"en": "the instrument", "zh": "這台儀器"}[language]
    if language == "zh" and name[-1].isascii():  # between Chinese and a Latin name stands a blank
        name = f" {name} "
    question = questions[min(tries, len(questions) - 1)].format(device=name)
    return f"✅ {clear(now, slot, language)}\n\n❓ {re.sub(r' (?=[，：。？])', '', question.strip())}"


def clear(now: Interview, slot: str, language: Language) -> str:
    """Return what has become clear with the newest message; each correction is confirmed."""

    def sentence(key: str, **fields: str) -> str:
        return say(key, language, "clear", **{name: _quote(text) for name, text in fields.items()})

    parts = [sentence("corrected", new=note.words, old=note.replaces) for note in now.new if note.replaces]
    gap = str(texts("labels")[slot][language]) if slot in now.left else ""
    if now.want == "form":
        parts.append(sentence("form"))
    else:
        fresh = [note for note in now.new if not note.replaces]
        for key, slots in (("new", SLOTS[:-2]), (PROPOSED, (PROPOSED,)), (REMARKS, (REMARKS,))):
            text = " · ".join(note.words for note in fresh if note.slot in slots)
            parts += [sentence(key, text=text)] if text else []
    parts += [sentence("question")] if now.want == "question" else []
    if gap and now.want != "form":
        parts.append(sentence(now.left[slot], gap=gap))
    if not parts:
        lines = [line for lines in now.lines.values() for line in lines]
        parts.append(sentence("so_far", text=lines[-1]) if lines else sentence("begin"))
    return (" " if language == "en" else "").join(parts)


def _quote(text: str) -> str:
    return _MARKS.sub("", plain_text(shorten(" ".join(text.split()), ENTRY_CHARS))).strip()
