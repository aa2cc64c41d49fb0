"""What an answer states: findings, hypotheses, root causes and log names, in English and Chinese.

Structure is read before phrases:
a label (`**Root cause**: …`, `根因：…`), a heading over a list, a table row,
then a few plain sentences (`The root cause is …`, `… is ruled out`, `根本原因是…`).
What is denied, asked, supposed, quoted, struck out, or stands in code or log lines is not a statement.
The patterns match from the start of a folded line or sentence; their group `value` is what is stated.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from instrumentgpt.memory.filtering import prose_lines
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import in_simplified

Kind = Literal["finding", "hypothesis", "root_cause", "ruled_out"]


def folded(text: str) -> str:
    """Return `text` with simplified characters and half-width colons; of the same length."""
    return in_simplified(text).replace("：", ":")


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return what finds the pattern in folded text, whichever characters it is written in."""
    return re.compile(in_simplified(pattern), re.I)


_ENGLISH: dict[Kind, str] = {
    "hypothesis": (
        r"(?:(?:working|active|current|new|main|leading|alternative|remaining) )*"
        r"(?:hypothes[ei]s|theory|suspects?|suspected|likely|probably|(?:may|might|could) be caused by"
        r"|(?:(?:most|more) )?(?:possible|likely|probable|potential|suspected|plausible)"
        r" (?:root[ -])?(?:causes?|reasons?|explanations?))"
    ),
    "root_cause": (
        r"(?:(?:confirmed|actual|real|true|identified|primary|main|underlying) )*"
        r"(?:root[ -]causes?|cause)(?: (?:confirmed|identified|found))?"
    ),
    "finding": (
        r"(?:(?:key|main|major|other|notable|important|new|diagnostic) )*"
        r"(?:findings?|observations?|results?|conclusions?|confirmed)"
    ),
    "ruled_out": (
        r"(?:(?:already|now) )?(?:ruled[ -]out|rejected|refuted|excluded|eliminated)"
        r"(?: (?:causes?|hypothes[ei]s|alternatives?))?"
    ),
}
_CHINESE: dict[Kind, str] = {
    "hypothesis": (
        r"(?:最?(?:有)?可能的?|潛在的?|疑似的?|推測的?|懷疑的?)(?:根本原因|根因|原因|成因)"
        r"|(?:目前的?|工作|主要|新)?(?:假設|假說)|推測|懷疑|猜測|疑似"
    ),
    "root_cause": r"(?:真正的?|主要的?|最終的?|已?確認的?)?(?:根本原因|根因|真因|主因|故障原因|原因)",
    "finding": r"(?:主要|關鍵|重要|診斷|其他)?(?:發現|觀察|結論|結果|重點)",
    "ruled_out": r"已?(?:經)?排除的?(?:原因|假設|可能性?|項目)?",
}
_NUMBERING = r" ?#?(?:\d{1,2}|[A-C一二三四五])?(?: ?[（(][^（()）]{0,40}[)）])?"
_WORDS = {
    kind: rf"(?:(?:the |a |my |our )?(?:{_ENGLISH[kind]})|{_CHINESE[kind]}){_NUMBERING}" for kind in _ENGLISH
}

LABELS = {kind: _compiled(rf"{words} ?(?::|[—–]| - ) ?(?P<value>.*)") for kind, words in _WORDS.items()}
HEADINGS = {kind: _compiled(rf"{words} ?:?") for kind, words in _WORDS.items()}

_END = r"(?=\W*$|\s*[,.;:–—，。；：(（]|\s+(?:by|because|since|as|due)\b)"
_SENTENCES: list[tuple[Kind, str]] = [  # matched from their start
    (
        "root_cause",
        r"(?:so |thus |therefore )?the root cause(?: (?:of|for) [^.,;:?]{1,60}?)? (?:is|was) (?P<value>.+)",
    ),
    ("root_cause", r"(?:(?:因此|所以)，?)?(?:[^，。；:？是否]{0,20}的)?(?:根本原因|根因)就?是(?P<value>.+)"),
    (
        "ruled_out",
        rf"(?:so |thus )?(?:we|i)(?: can| have|'ve)? ruled? out (?P<value>[^,;:?–—(]{{3,120}}?){_END}",
    ),
    (
        "ruled_out",
        r"(?!if\b|when\b|once\b|unless\b)(?P<value>[^?,;:–—]{3,120}?)"
        rf" (?:is|was|are|were|ha(?:s|ve) been)(?: now| already)? (?:ruled out|refuted){_END}",
    ),
    (
        "ruled_out",
        rf"(?:因此|所以|我們|已經?)*排除了?(?P<value>[^，。；:？可]{{2,60}}?)(?:的?(?:假設|可能性?))?{_END}",
    ),
    (
        "ruled_out",
        rf"(?P<value>[^，。；:？]{{2,60}}?)(?:的?(?:假設|可能性?))?(?:已|經|被)+(?:排除|推翻)了?{_END}",
    ),
]
SENTENCES = [(kind, _compiled(pattern)) for kind, pattern in _SENTENCES]

DENIED = _compiled(  # a value that takes its label back
    r"(?:still |yet |as yet )?"
    r"(?:unknown|unclear|undetermined|pending|none\b|n/?a\b|tbd\b|not the\b|neither\b|nothing\b"
    r"|not (?:yet |been )*(?:found|known|identified|determined|confirmed|clear|established|proven|supported))"
    r"|尚未|尚不|還不|未知|不明|未找到|未確認|待確認|待查|無法|不是|並非|沒有找到|無$",
)
NEGATED = _compiled(  # how an item says of itself that it is out, under a heading that says so
    r"not (?:(?:due to|because of|caused by|from) )?(?:the|an?) |(?:並不是|並非|不是|非)(?=\S)"
)
WITHDRAWN = _compiled(  # a clause, or its end, that says of what stands before it that it is out
    r"(?:(?:was|is|has been|have been|were|are|now|already) )*"
    r"(?:ruled out|refuted|rejected|excluded|disproved|disproven|dismissed|eliminated|unlikely|not likely"
    r"|not (?:the )?(?:root )?cause|not supported)(?=$| (?:by|because|since|as|due)\b)"
    r"|(?:(?:[均都已被可經]|可以)*(?:排除|否定|推翻)|不成立|不太可能|不可能|不是根因)(?=$)",
)
HEDGED = _compiled(
    r"(?:most |very |quite )?"
    r"(?:likely|probably|possibly|perhaps|maybe|presumably|may be|might be|could be|suspected)\b,? ?"
    r"|[很最極]?(?:可能|或許|大概|也許|疑似|應該)是?",
)
ASKED = re.compile(r"[?？]\s*[)）\"”」]*\s*$|[嗎吗呢][。.]?$")


STATEMENT_CHARS = 300  # a statement is a sentence, not a paragraph
LINE_CHARS = 2000  # a longer line is no line of an answer: data, or an attack on the patterns

_INSIGNIFICANT = re.compile(r"(?!(?<=\d)\D\d)(?!(?<!\w)[-−]\d)[\W_]")  # but signs, and what parts digits

Section = Kind | Literal["other"] | None


@dataclass(frozen=True)
class Statement:
    """One thing stated, without its label, list mark and emphasis.

    sentence  the one it stands in: of what is ruled out, with the reason
    """

    kind: Kind
    text: str
    sentence: str = field(default="", repr=False, compare=False)


_BULLET = re.compile(r"\s*(?:[-*•·+–]\s+|\d{1,2}[.)、]\s*(?=\D)|[（(]\d{1,2}[)）]\s*)")
_ORNAMENT = re.compile(r"^(?:\s|#{1,6}\s|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f])+")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_STRUCK = re.compile(r"~~[^~\n]*~~")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(]|[^\x00-\x7f])|(?<=[。！？])")
_CLAUSE_END = re.compile(r"\s*(?:[;；,，。—–(（\[]|\s-\s|\.\s)\s*")
_QUOTES = ('"', "“", "「", "『")
_LOG_ENDING = r"\.(?:log|csv|tsv)(?:\.\d+)?(?:\.gz)?"
_LOG_NAME = re.compile(
    rf"(?<=`)[^`\n/]+{_LOG_ENDING}(?=`)"
    rf"|(?<![A-Za-z0-9_.-])[A-Za-z0-9][A-Za-z0-9_.-]*{_LOG_ENDING}(?![A-Za-z0-9_])"
)
_LINK = re.compile(r"\[((?:\\.|[^\]\\\n])*)\]\([^()\s]*\)")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>])")


def log_names(text: str) -> list[str]:
    """Return the names of log files in `text`, each once, in the order of their last mention.

    >>> log_names("opened b.log, then /cache/a.log.gz, then b.log")
    ['a.log.gz', 'b.log']
    >>> log_names("`烘箱 A.csv`, [L 3](/logs?log=A%20b.csv)")
    ['烘箱 A.csv']
    """
    names: dict[str, None] = {}
    for match in _LOG_NAME.finditer(_LINK.sub(r"\1", text)):
        names.pop(match.group(), None)
        names[match.group()] = None
    return list(names)


def statements(text: str) -> list[Statement]:
    """Return what `text` states, in its order, each once.

    >>> statements("**Root cause**: heater 3 is open.\\nIs the root cause the sensor?\\n- Unlikely: fan")
    [Statement(kind='root_cause', text='heater 3 is open')]
    """
    distinct: dict[tuple[Kind, str], Statement] = {}
    for statement in _stated(prose_lines(text)):
        distinct.setdefault((statement.kind, same(statement.text)), statement)
    return list(distinct.values())


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
        line = _EMPHASIS.sub("", _LINK.sub(r"\1", _STRUCK.sub("", raw))).strip()
        line = _ESCAPED.sub(r"\1", line)
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
        for sentence in _SENTENCE_END.split(body):
            for kind, pattern in SENTENCES:
                if match := pattern.match(folded(sentence)):
                    whole_sentence = shorten(sentence.strip(), STATEMENT_CHARS)
                    for statement in _statement(kind, sentence[slice(*match.span("value"))]):
                        yield replace(statement, sentence=whole_sentence)
                    break


def _labelled(body: str) -> tuple[Kind, str] | None:
    for kind, pattern in LABELS.items():
        match = pattern.match(folded(body))
        if match and match["value"].strip():
            return kind, body[match.start("value") :]
    return None


def _statement(kind: Kind, value: str, whole: bool = False) -> Iterator[Statement]:
    """Yield what `value` states: its first sentence, or the `whole`; nothing if that is taken back."""
    text = (value if whole else _SENTENCE_END.split(value.strip())[0]).strip()
    sentence = shorten(text, STATEMENT_CHARS)
    if kind == "ruled_out" and (negated := NEGATED.match(folded(text))):
        text = text[negated.end() :].strip()
    clauses = [clause.rstrip(")）]。. ") for clause in _CLAUSE_END.split(folded(text)) if clause]
    if not clauses or ASKED.search(text) or DENIED.match(folded(text)) or text.startswith(_QUOTES):
        return
    is_withdrawn = WITHDRAWN.search(clauses[0]) or any(map(WITHDRAWN.match, clauses[1:2]))
    if kind in ("hypothesis", "root_cause") and is_withdrawn:
        kind, text = "ruled_out", text[: len(WITHDRAWN.split(clauses[0])[0])]
    hedged = HEDGED.match(folded(text))
    if hedged and kind in ("hypothesis", "root_cause"):
        kind, text = "hypothesis", text[hedged.end() :]
    text = text.strip().rstrip("。.;；,，")
    if len(text) > 1:
        yield Statement(kind, shorten(text, STATEMENT_CHARS), sentence)
