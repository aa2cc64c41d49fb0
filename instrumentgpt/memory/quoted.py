"""Whether words are somebody's own, and words put in the place of others: case, width, blanks set aside."""

import re
from collections.abc import Iterator, Sequence

from instrumentgpt.memory.terms import HAN, fold

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
    for piece in _pieces(words):
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


def _pieces(text: str) -> Iterator[list[str]]:
    """Yield the words of what punctuation divides."""
    divided = re.split(r"[,;:!?…，、；：。！？\n]+|(?<!\d)\.|\.(?!\d)", text)
    yield from filter(None, map(_folded, divided))


def _place(piece: Sequence[str], words: Sequence[str]) -> int | None:
    """Return where `piece` begins in `words`; None if it is empty or stands nowhere."""
    places = range(len(words) - len(piece) + 1) if piece else ()
    return next((place for place in places if list(words[place : place + len(piece)]) == list(piece)), None)
