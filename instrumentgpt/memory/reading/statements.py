"""What an answer states: findings, hypotheses, root causes and log names, in English and Chinese.

Structure is read before phrases:
a label (`**Root cause**: …`, `根因：…`), a heading over a list, a table row,
then a few sentence forms (`The root cause is …`, `根本原因是…`).
What is denied, asked, supposed, quoted, struck out, or stands in code or log lines is not a statement.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from instrumentgpt.memory.filtering import prose_lines
from instrumentgpt.memory.reading.statement_patterns import (
    ASKED,
    DENIED,
    HEADINGS,
    HEDGED,
    LABELS,
    NEGATED,
    POINTERS,
    SENTENCES,
    WITHDRAWN,
    Kind,
    folded,
)
from instrumentgpt.memory.summary import shorten

STATEMENT_CHARS = 300  # a statement is a sentence, not a paragraph
LINE_CHARS = 2000  # a longer line is no line of an answer: data, or an attack on the patterns

_INSIGNIFICANT = re.compile(r"(?!(?<=\d)\D\d)(?!(?<!\w)[-−]\d)[\W_]")  # but signs, and what parts digits

Section = Kind | Literal["other"] | None


@dataclass(frozen=True)
class Statement:
    """One thing stated, without its label, list mark and emphasis.

    told  the sentence it stands in: of what is ruled out, with the reason
    """

    kind: Kind
    text: str
    told: str = field(default="", repr=False, compare=False)


_BULLET = re.compile(r"\s*(?:[-*•·+–]\s+|\d{1,2}[.)、]\s*(?=\D)|[（(]\d{1,2}[)）]\s*)")
_ORNAMENT = re.compile(r"^(?:\s|#{1,6}\s|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f])+")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_STRUCK = re.compile(r"~~[^~\n]*~~")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(]|[^\x00-\x7f])|(?<=[。！？])")
_CLAUSE_END = re.compile(r"\s*(?:[;；,，。—–(（\[]|\s-\s|\.\s)\s*")
_QUOTES = ('"', "“", "「", "『")
_LOG_NAME = re.compile(
    r"(?<![A-Za-z0-9_.-])[A-Za-z0-9][A-Za-z0-9_.-]*\.(?:log|csv|tsv)(?:\.\d+)?(?:\.gz)?(?![A-Za-z0-9_])"
)


def log_names(text: str) -> list[str]:
    """Return the names of log files in `text`, each once, in the order of their last mention.

    >>> log_names("opened b.log, then /cache/a.log.gz, then b.log")
    ['a.log.gz', 'b.log']
    """
    names: dict[str, None] = {}
    for found in _LOG_NAME.finditer(text):
        names.pop(found.group(), None)
        names[found.group()] = None
    return list(names)


def statements(text: str) -> list[Statement]:
    """Return what `text` states, in its order, each once.

    >>> statements("**Root cause**: heater 3 is open.\\nIs the root cause the sensor?\\n- Unlikely: fan")
    [Statement(kind='root_cause', text='heater 3 is open')]
    """
    found: dict[tuple[Kind, str], Statement] = {}
    for statement in _stated(prose_lines(text)):
        found.setdefault((statement.kind, same(statement.text)), statement)
    return list(found.values())


def same(text: str) -> str:
    """Return a form of `text` in which case, width, spaces and punctuation outside numbers are all one.

    >>> same("It is  -5.2 °C.") == same("it is -5.2 °C"), same("kp is 1.2") == same("kp is 12")
    (True, False)
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _INSIGNIFICANT.sub("", folded) or text


def _stated(lines: list[str]) -> Iterator[Statement]:
    """Yield the statements of the lines; `section` is what the heading above them announces."""
    section: Section = None
    for raw in lines:
        line = _EMPHASIS.sub("", _STRUCK.sub("", raw)).strip()
        body, is_item = _unlisted(line)
        if not body or len(line) > LINE_CHARS:
            continue
        heading = _heading(raw, line, body, is_item)
        if heading:
            section = heading
            continue
        yield from _of_line(body, is_item, section)
        if not is_item and section in ("hypothesis", "root_cause"):
            section = "other"  # one paragraph follows such a heading; what comes after is not announced


def _unlisted(line: str) -> tuple[str, bool]:
    """Return the line without list mark, hashes and signs, and whether it is an item of a list."""
    body = _ORNAMENT.sub("", line, count=1)
    bullet = _BULLET.match(body)
    return _ORNAMENT.sub("", body[bullet.end() :] if bullet else body, count=1), bullet is not None


def _heading(raw: str, line: str, body: str, is_item: bool) -> Section:
    """Return what the line announces; "other" for a heading of something else, None if it is none."""
    bare = _unlisted(raw.strip())[0].rstrip(":：")
    marked = raw.lstrip().startswith("#") or (bare.startswith("**") and bare.endswith("**"))
    for kind, pattern in HEADINGS.items():
        if pattern.fullmatch(folded(body)) and (marked or not is_item):
            return kind
    if (marked and not _labelled(body)) or (not is_item and line.endswith((":", "："))):
        return "other"
    return None


def _of_line(body: str, is_item: bool, section: Section) -> Iterator[Statement]:
    cells = [cell.strip() for cell in body.strip("|").split("|")] if body.startswith("|") else []
    if len(cells) > 1:
        body = f"{cells[0]}: {cells[1]}"
    label = _labelled(body)
    if label:
        yield from _statement(label[0], label[1])
    elif section in ("finding", "ruled_out") and is_item:
        yield from _statement(section, body, whole=True)
    elif section in ("hypothesis", "root_cause"):
        yield from _statement(section, body)
    else:
        yield from _in_sentences(body)


def _labelled(body: str) -> tuple[Kind, str] | None:
    for kind, pattern in LABELS.items():
        found = pattern.match(folded(body))
        if found and found["value"].strip():
            return kind, body[found.start("value") :]
    return None


def _in_sentences(body: str) -> Iterator[Statement]:
    for sentence in _SENTENCE_END.split(body):
        for kind, pattern in SENTENCES:
            found = pattern.match(folded(sentence))
            if found:
                if not ASKED.search(sentence) and not POINTERS.fullmatch(found["value"].strip()):
                    told = shorten(sentence.strip(), STATEMENT_CHARS)
                    for one in _statement(kind, sentence[slice(*found.span("value"))]):
                        yield replace(one, told=told)
                break


def _statement(kind: Kind, value: str, whole: bool = False) -> Iterator[Statement]:
    """Yield what `value` states: its first sentence, or the `whole`; nothing if that is taken back."""
    text = said = (value if whole else _SENTENCE_END.split(value.strip())[0]).strip()
    if kind == "ruled_out" and (negated := NEGATED.match(folded(text))):
        text = text[negated.end() :].strip()
    clauses = [clause.rstrip(")）]。. ") for clause in _CLAUSE_END.split(folded(text)) if clause]
    if not clauses or ASKED.search(text) or DENIED.match(folded(text)) or text.startswith(_QUOTES):
        return
    told = shorten(said, STATEMENT_CHARS)
    if kind in ("hypothesis", "root_cause") and _is_withdrawn(clauses):
        kind, text = "ruled_out", text[: len(WITHDRAWN.split(clauses[0])[0])]
    hedged = HEDGED.match(folded(text))
    if hedged and kind in ("hypothesis", "root_cause"):
        kind, text = "hypothesis", text[hedged.end() :]
    text = text.strip().rstrip("。.;；,，")
    if len(text) > 1:
        yield Statement(kind, shorten(text, STATEMENT_CHARS), told)


def _is_withdrawn(clauses: list[str]) -> bool:
    """Return whether the first clause ends by, or the second begins by, saying that it is out."""
    return bool(WITHDRAWN.search(clauses[0])) or (
        len(clauses) > 1 and WITHDRAWN.match(clauses[1]) is not None
    )
