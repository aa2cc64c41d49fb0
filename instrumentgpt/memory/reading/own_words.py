"""What of a message its author says himself, whether a sentence asks, whether words are quoted from it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from instrumentgpt.memory.filtering import in_code, is_log_line, without_markers
from instrumentgpt.memory.terms import HAN, fold

ALIKE = 4  # so many lines of one form are data
LINE_CHARS = 1000  # a longer line is data
FORM_CHARS = 80
_SENTENCE_END = re.compile(
    r"(?<=[.!?;])(?<!\b[DM]r\.)(?<!\bNo\.)\s+(?=[A-Z\"“(\[]|[^\x00-\x7f]"
    r"|(?:what|why|how|when|where|which|who|is|are|can|could|should|do|does|so|then|please|and|but)\b)"
    r"|(?<=[?!])(?:\s+|(?=[^\x00-\x7f]))|(?<=[。！？；])"
)
_ORNAMENT = re.compile(r"\*\*|__|`|~~[^~]*~~")
_BULLET = re.compile(r"^\s*(?:(?:[-*•·+–]|\d{1,2}[.)、]|#{1,6})\s+)+")
_ASKED = re.compile(
    r"[?？]\s*\W*$|(?:[嗎吗呢]|[什甚][麼么]|多少|怎[麼么][辦办])[。.]?$"
    r"|^\W*(?:what|why|how|which|who|when|where|is|are|does|did|do (?:i|we|you)|can|could|should|may)\b"
    r"|(?:^|:)\W*(?:please )?(?:compare|plot|draw|list|show|explain|summari[sz]e)\b"
    r"(?! (?:no|never|always|only)\b)"
    r"|^\W*[請请]?(?:[幫帮]我)?(?:比[較较]|列出|[顯显]示|[畫画]|[說说]明|解[釋释])",
    re.I,
)
_NOT_SAID = (">", "＞", "$", "＄")  # what begins a quotation, a command
_NUMBER = re.compile(r"[-+]?\d+")


def is_question(sentence: str) -> bool:
    """Return whether `sentence` asks, with or without a question mark.

    >>> is_question("how bad is the overshoot"), is_question("kp 可以調高嗎"), is_question("kp is 0.12.")
    (True, True, False)
    """
    return bool(_ASKED.search(sentence))


def own_lines(text: str) -> list[str]:
    """Return the lines of `text` that its author says himself: no code, quotation, command, log, no data.

    What stands between two lines of a pasted log is the log's, too.

    >>> own_lines("[2026-02-19 23:24:45] a\\nnever restart\\n[2026-02-19 23:24:46] b\\n\\nWhy?")
    ['Why?']
    """
    lines = without_markers(text).split("\n")
    forms = [_form(line) for line in lines]
    often = Counter(forms)
    is_data = [
        is_log_line(line) or len(line) > LINE_CHARS or (bool(form) and often[form] >= ALIKE)
        for line, form in zip(lines, forms, strict=True)
    ]
    is_code = in_code(lines)
    kept: list[str] = []
    for is_blank, group in groupby(range(len(lines)), key=lambda at: not lines[at].strip()):
        places = [] if is_blank else list(group)
        logged = [at for at in places if is_data[at]]
        pasted = range(logged[0], logged[-1] + 1) if logged else range(0)
        kept += [
            lines[at]
            for at in places
            if at not in pasted and not is_code[at] and not lines[at].lstrip().startswith(_NOT_SAID)
        ]
    return kept


def sentences(line: str) -> list[str]:
    """Return the sentences of a line, without marks of lists and emphasis.

    >>> sentences("- **kp** is 9. Do not change it! 不要動它。為什麼？")
    ['kp is 9.', 'Do not change it!', '不要動它。', '為什麼？']
    """
    plain = _ORNAMENT.sub("", _BULLET.sub("", line))
    return [" ".join(part.split()) for part in _SENTENCE_END.split(plain) if part and part.strip()]


def _form(line: str) -> str:
    """Return what lines of data have alike; "" without digits, for an item of a list, a row of a table."""
    if not any(map(str.isdecimal, line)) or line.lstrip().startswith("|") or _BULLET.match(line):
        return ""
    return _NUMBER.sub("0", "".join(line[: 2 * FORM_CHARS].split()))[:FORM_CHARS]


_WORD = re.compile(
    rf"(?:(?<!\w)[-−+±])?\d+(?:[.．]\d+)*|[^\W\d_{HAN}]+(?:['’][^\W\d_{HAN}]+)*|[{HAN}]", re.UNICODE
)
DESCRIPTION_CHARS, ENTRY_CHARS = 200, 150  # of one line that an interview keeps: seed 000
PIECE_WORDS = 2  # of a quotation with words left out: shorter pieces could be put together to anything


def quoted(words: str, message: str) -> bool:
    """Return whether `words` stand in `message` word for word, whole or as pieces in their order.

    Pieces are what punctuation divides; only between them may something be left out.

    >>> quoted("going up and DOWN", "Hi, the 52 is weird. Going up and down.")
    True
    >>> quoted("it should drop", "it should not drop"), quoted("差兩度，夜班", "差兩度。大概吧，夜班發現的")
    (False, True)
    """
    message_words = _folded(message)
    if _place(_folded(words), message_words) is not None:
        return True
    place = 0
    divided = re.split(r"[,;:!?…，、；：。！？\n]+|(?<!\d)\.|\.(?!\d)", words)
    for piece in filter(None, map(_folded, divided)):
        offset = _place(piece, message_words[place:]) if len(piece) >= PIECE_WORDS else None
        if offset is None:
            return False
        place += offset + len(piece)
    return bool(place)


def replaced(text: str, old: str, new: str) -> str:
    """Return `text` with `new` wherever the words of `old` stand; `text` itself where they do not.

    >>> replaced("at 70.8, not 170.8", "70.8", "71.8")
    'at 71.8, not 170.8'
    """
    spans, old_words = list(_WORD.finditer(text)), _folded(old)
    words, made, done, place = [fold(span.group()) for span in spans], "", 0, 0
    while (offset := _place(old_words, words[place:])) is not None:
        first, last = spans[place + offset], spans[place + offset + len(old_words) - 1]
        made += text[done : first.start()] + new
        done, place = last.end(), place + offset + len(old_words)
    return made + text[done:]


def has_words(text: str, words: str) -> bool:
    """Return whether the words of `words` stand in `text`, one after the other."""
    return _place(_folded(words), _folded(text)) is not None


def _folded(text: str) -> list[str]:
    return [fold(word.replace("−", "-").replace("’", "'")) for word in _WORD.findall(text)]


def _place(piece: Sequence[str], words: Sequence[str]) -> int | None:
    """Return where `piece` begins in `words`; None if it is empty or stands nowhere."""
    places = range(len(words) - len(piece) + 1) if piece else ()
    return next((place for place in places if list(words[place : place + len(piece)]) == list(piece)), None)
