"""What a search asks for: for each thing in the query the ways to say it, and where a text says it.

It stands on the same terms and names in two languages as recall (terms.py), but asks for all things at once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from instrumentgpt.memory.terms import HAN, Aliases, Phrase, fold, is_common, synonyms, telling, terms

_RUN = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+(?:[._\-/:]+[^\W_{HAN}]+)*")
_WORD = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+")


@dataclass(frozen=True)
class SearchTerm:
    """One thing a search asks for, in any of these phrases; the last word typed may be `unfinished`."""

    phrases: tuple[Phrase, ...]
    unfinished: bool = False


def search_terms(query: str, aliases: Aliases = ()) -> list[SearchTerm]:
    """Return what `query` asks for, each thing once, words of questions left out.

    >>> [term.phrases[0] for term in search_terms("why did kp of WO-306 change? 溫度")]
    [('wo-306',), ('chang',), ('kp',), ('temperatur',)]
    """
    query_terms = terms(query)
    groups = synonyms(aliases)
    named = _widest(phrase for group in groups for phrase in group if holds(query_terms, phrase))
    things = [SearchTerm((phrase,), last) for phrase, last in _unnamed(query, named)]
    things += [SearchTerm(group) for group in groups if any(phrase in named for phrase in group)]
    return list(dict.fromkeys(things))


def holds(text_terms: Sequence[str], phrase: Phrase) -> bool:
    """Return whether the terms of `phrase` follow one another in `text_terms`.

    >>> holds(["the", "fan", "speed"], ("fan", "speed"))
    True
    """
    width = len(phrase)
    if width and phrase[0] not in text_terms:
        return False
    return any(tuple(text_terms[at : at + width]) == phrase for at in range(len(text_terms) - width + 1))


def _widest(held: Iterable[Phrase]) -> set[Phrase]:
    """Return the phrases that are no part of another: "heater power" does not mean the heater."""
    held = set(held)
    return {phrase for phrase in held if not any(phrase != other and holds(other, phrase) for other in held)}


def _unnamed(query: str, named: set[Phrase]) -> Iterator[tuple[Phrase, bool]]:
    """Yield what no name covers, as phrases, and whether each may go on, as the last word typed may."""
    folded = fold(query)
    covered = {term for phrase in named for term in phrase}
    for run in _RUN.finditer(folded):
        last = run.end() == len(folded)
        if run["han"]:
            yield from ((tuple(terms(rest)), False) for rest in _rest(run.group(), named))
            continue
        run_terms = terms(run.group())
        if run_terms and run_terms[0] not in covered and telling(run_terms):
            yield (run_terms[0],), last or len(run_terms) > 1


def _rest(run: str, named: set[Phrase]) -> list[str]:
    """Return what is left of Chinese characters without names that are known and words of questions."""
    left = run
    for phrase in sorted(named, key=len, reverse=True):
        left = left.replace(phrase[0] + "".join(term[1:] for term in phrase[1:]), " ")
    common = {at + step for at in range(len(left) - 1) if is_common(left[at : at + 2]) for step in (0, 1)}
    left = "".join(" " if at in common else character for at, character in enumerate(left))
    pieces = []
    for piece in left.split():
        if places := [at for at, character in enumerate(piece) if not is_common(character)]:
            pieces.append(piece[places[0] : places[-1] + 1])
    return pieces


def marked(text: str, query: Sequence[SearchTerm]) -> list[tuple[str, bool]]:
    """Return `text` in pieces, each with whether it is what was asked for.

    >>> marked("The KP is 0.12.", search_terms("kp 0.12"))
    [('The ', False), ('KP', True), (' is ', False), ('0.12', True), ('.', False)]
    """
    whole = {term for thing in query for phrase in thing.phrases for term in phrase}
    begun = tuple(thing.phrases[0][-1] for thing in query if thing.unfinished)
    is_asked = bytearray(len(text))  # of each character
    for start, stop in _spans(text, whole, begun):
        is_asked[start:stop] = b"\1" * (stop - start)
    runs = groupby(zip(text, is_asked, strict=True), key=itemgetter(1))
    return [("".join(character for character, _ in run), bool(asked)) for asked, run in runs]


def _spans(text: str, whole: set[str], begun: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(text):
        if run["han"]:
            pairs = [(at, at + width) for at in range(*run.span()) for width in (1, 2)]
            yield from ((at, end) for at, end in pairs if end <= run.end() and fold(text[at:end]) in whole)
        elif _is_hit(run.group(), whole, begun):
            yield run.span()
        else:
            for word in _WORD.finditer(run.group()):
                if _is_hit(word.group(), whole, begun):
                    yield run.start() + word.start(), run.start() + word.end()


def _is_hit(word: str, whole: set[str], begun: tuple[str, ...]) -> bool:
    word_terms = terms(word)
    return bool(word_terms) and (word_terms[0] in whole or (bool(begun) and fold(word).startswith(begun)))
