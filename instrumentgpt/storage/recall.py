"""Finding earlier messages by what they say: SQLite's FTS5 over our own terms (memory/terms.py).

The raw messages are indexed, pasted logs and all, each once, in the transaction that stores it.
Of those found the lines are told that count, and a few of the messages around them.
"""

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from sqlite_utils import Database

from instrumentgpt.memory.filtering import prose_lines
from instrumentgpt.memory.recalled import Recalled, relevant_lines
from instrumentgpt.memory.terms import Aliases, Phrase, phrase_of, phrases, telling, terms
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.history import LAST_ID, Places, below, last_question, spoken, turn_of

READ_AT_ONCE = 24  # messages: few prompts tell more
HITS = 40  # messages recalled for a question at most; more do not fit a prompt
LOOKED_AT = 60  # best messages of each search, merged
FEW_TERMS = 3  # a question with fewer of its own goes on about the one before
CARRIED_SHARE = 0.5  # of a search with the previous question's terms
FEEDBACK_HITS, FEEDBACK_TERMS, FEEDBACK_SHARE = 3, 8, 0.3
CORRECTED = 4  # best hits that bring what is said later of the same along
SAME_WORDS = 0.9  # of the weight of a hit's key words that a later message of the same holds
BESIDE = 0.999  # of the hit's score: right behind it
MANY = 1_000  # messages
RARE = 0.1  # share of so many, in which a term of the best hits may stand and tell one from another
MOST_PHRASES = 48  # of one search
CARRIED_PHRASES = 24  # of the question before
PASTED_CHARS = 4000  # of a question, looked at for more to look for


def index_message(database: Database, message_id: int, conversation_id: str, content: str) -> None:
    """Make the message one that `recall` finds; inside the caller's transaction."""
    database.conn.execute(
        "INSERT INTO message_terms (rowid, conversation, terms) VALUES (?, ?, ?)",
        (message_id, conversation_id, " ".join(terms(content))),
    )


def recall(
    database: Database, conversation_id: str, question: str, aliases: Aliases = (), before: int = LAST_ID
) -> list[Recalled]:
    """Return what earlier messages of the conversation say that bears on `question`, the best first.

    before   only messages with a lower id: those before the question itself

    A question that says little of its own ("and on 053?") is taken to go on about the one before.
    Beside the best hits come the messages around them, in few words.
    """
    return list(pieces(database, conversation_id, question, aliases, before, with_newest=False))


def pieces(
    database: Database,
    conversation_id: str,
    question: str,
    aliases: Aliases,
    before: int,
    placed: Places | None = None,
    with_newest: bool = True,
) -> Iterator[Recalled]:
    """Yield what `recall` returns, then the newest other messages, each made as it is taken.

    placed   the conversation's messages as `spoken` returns them, where they have been read
    """
    near = below(before, placed or spoken(database, conversation_id))
    sought = _sought_phrases(question, aliases)
    scores = _search(database, conversation_id, sought, near[0])
    named = {term for names in aliases for name in names for term in phrase_of(name)}
    own_terms = [term for term in telling(terms(question)) if term not in named]
    if len(sought) and len(own_terms) < FEW_TERMS:
        carried = _sought_phrases(last_question(database, conversation_id, before))[:CARRIED_PHRASES]
        _add(scores, _search(database, conversation_id, carried, near[0]), CARRIED_SHARE)
        sought = list(dict.fromkeys([*sought, *carried]))
    best, weights = _best(scores, near[0]), dict[str, float]()
    if best:
        texts = _texts(database, best[: HITS + FEEDBACK_HITS])
        weights = _weights(sought, texts.values())
        messages = _messages(database, best[:FEEDBACK_HITS])
        fed = _feedback([messages[message][1] for message in best[:FEEDBACK_HITS]], sought, weights)
        _add(scores, _search(database, conversation_id, fed, near[0], RARE), FEEDBACK_SHARE)
        _bring_later(scores, weights, texts, _best(scores, near[0]))
        best = _best(scores, near[0])[:HITS]
    chosen = candidates(best, scores, near[0], with_newest)
    order = iter(chosen)
    while part := list(islice(order, READ_AT_ONCE)):
        messages = _messages(database, part)
        for message in part:
            role, content = messages[message]
            if lines := tuple(relevant_lines(content, weights, chosen[message])):
                yield Recalled(message, turn_of(message, near[1]), role, lines)


def _sought_phrases(question: str, aliases: Aliases = ()) -> list[Phrase]:
    """Return what to look for: what the question says itself, before what is pasted in it."""
    stated = phrases("\n".join(prose_lines(question)), aliases)
    rest = phrases(question[:PASTED_CHARS], aliases) if len(stated) < MOST_PHRASES else ()
    return list(dict.fromkeys([*stated, *rest]))[:MOST_PHRASES]


def _search(
    database: Database, conversation_id: str, sought: Sequence[Phrase], ids: Sequence[int], most: float = 0.5
) -> dict[int, float]:
    """Return message id → score of those of the messages `ids` that hold a phrase, the best ones.

    most  share of many messages that may hold a phrase that is looked for
    """
    if not sought or not ids:
        return {}
    first, last, span = ids[0], ids[-1], ids[-1] - ids[0]
    either = [quoted(" ".join(phrase)) for phrase in sought]
    if len(ids) > MANY:  # what most messages hold tells none from another, and would have all of them scored
        counted = (
            "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM message_terms WHERE message_terms MATCH"
            " 'terms : ' || value AND rowid BETWEEN ? AND ? LIMIT ?)) FROM json_each(?)"
        )
        held = rows(database, counted, (first, last, int(most * span) + 1, json.dumps(either)))
        either = [phrase for phrase, count in held if 0 < count <= most * span] or either
    match = f"(terms : ({' OR '.join(either)}))"
    if span > 2 * len(ids):  # most that was said meanwhile is of other conversations
        match = f"(conversation : {quoted(conversation_id)}) AND {match}"
    sql = (
        "SELECT messages.id, -score FROM (SELECT rowid AS found, bm25(message_terms, 0.0, 1.0) AS score"
        " FROM message_terms WHERE message_terms MATCH ? AND rowid BETWEEN ? AND ?"
        " AND rowid NOT IN deleted_messages ORDER BY score LIMIT ?) JOIN messages ON messages.id = found"
        " WHERE conversation_id = ? ORDER BY score LIMIT ?"
    )
    values = (match, first, last, 2 * LOOKED_AT, conversation_id, LOOKED_AT)
    return dict(rows(database, sql, values))


def quoted(words: str) -> str:
    """Return what FTS5 is asked for the words as one phrase."""
    return '"' + words.replace('"', '""') + '"'


def _add(scores: dict[int, float], others: dict[int, float], share: float) -> None:
    for message, score in others.items():
        scores[message] = scores.get(message, 0.0) + share * score


def _best(scores: dict[int, float], ids: Sequence[int]) -> list[int]:
    """Return those of the messages `ids` that were found, the best first."""
    found = (message for message in scores if ids[bisect_left(ids, message) : bisect_right(ids, message)])
    return sorted(found, key=lambda message: (-scores[message], -message))


def _texts(database: Database, ids: Sequence[int]) -> dict[int, str]:
    """Return message → its terms, with a blank before and after each."""
    sql = "SELECT rowid, terms FROM message_terms WHERE rowid IN (SELECT value FROM json_each(?))"
    return {message: f" {text} " for message, text in rows(database, sql, (json.dumps(ids),))}


def _weights(sought: Sequence[Phrase], texts: Collection[str]) -> dict[str, float]:
    """Return term → how much it tells: the rarer among the `texts`, the more."""
    weights: dict[str, float] = {}
    for phrase in sought:
        for term in phrase:
            held = sum(f" {term} " in text for text in texts)
            worth = math.log(1 + (len(texts) - held + 0.5) / (held + 0.5)) + 0.2
            weights[term] = worth / len(phrase) ** 0.5 if len(term) > 1 else 0.0
    return weights


def _bring_later(
    scores: dict[int, float], weights: Mapping[str, float], texts: Mapping[int, str], best: Sequence[int]
) -> None:
    """Let the newest message with the key words of a hit stand next to it: it may correct the hit."""
    for hit in (hit for hit in best[:CORRECTED] if hit in texts):
        key_words = [term for term in weights if f" {term} " in texts[hit]]
        least = SAME_WORDS * sum(weights[term] for term in key_words)
        newest = max(
            message
            for message, text in texts.items()
            if message in scores and sum(weights[term] for term in key_words if f" {term} " in text) >= least
        )
        if newest > hit:
            scores[newest] = max(scores[newest], BESIDE * scores[hit])


def _feedback(contents: Sequence[str], sought: Sequence[Phrase], weights: dict[str, float]) -> list[Phrase]:
    """Return terms that stand in the telling lines of the best hits, and were not asked for."""
    question_terms = {term for phrase in sought for term in phrase}
    counts: dict[str, int] = {}
    for content in contents:
        lines = relevant_lines(content, weights, NEIGHBOUR_CHARS)
        for term in dict.fromkeys(telling(terms(" ".join(lines)))):
            if term not in question_terms and len(term) > 1:
                counts[term] = counts.get(term, 0) + 1
    names = sorted(counts, key=lambda term: (-counts[term], not any(map(str.isdigit, term)), -len(term)))
    return [(term,) for term in names[:FEEDBACK_TERMS]]


NEIGHBOURED = 8  # best hits whose neighbours come along
NEIGHBOUR_TURNS = 2  # before and after a hit
NEIGHBOUR_SHARE = 0.15  # of the score of its hit, for the next message: other hits come first
EXCERPT_CHARS = 500
NEIGHBOUR_CHARS = 160
FILLED, FILLED_CHARS = 60, 240  # newest other messages


def _messages(database: Database, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return id → (role, content)."""
    sql = "SELECT id, role, content FROM messages WHERE id IN (SELECT value FROM json_each(?))"
    return {name: (role, content) for name, role, content in rows(database, sql, (json.dumps(ids),))}


def candidates(
    best: Sequence[int], scores: Mapping[int, float], ids: Sequence[int], with_newest: bool
) -> dict[int, int]:
    """Return message → how many characters of it may be told, in order.

    They are the best, those around the very best, and the newest others if wanted.
    """
    around = _around(ids, best[:NEIGHBOURED], set(best))
    worth = {message: scores[message] for message in best}
    worth |= {message: share * scores[hit] for message, (hit, share) in around.items()}
    chars = dict.fromkeys(around, NEIGHBOUR_CHARS) | dict.fromkeys(best, EXCERPT_CHARS)
    ranked = {message: chars[message] for message in sorted(worth, key=lambda message: -worth[message])}
    others = (message for message in reversed(ids) if message not in around and message not in scores)
    return ranked | dict.fromkeys(islice(others, FILLED if with_newest else 0), FILLED_CHARS)


def _around(ids: Sequence[int], hits: Sequence[int], best: set[int]) -> dict[int, tuple[int, float]]:
    """Return message → (the hit it is near, its share of the hit's score)."""
    neighbours: dict[int, tuple[int, float]] = {}
    for hit in hits:
        place = bisect_left(ids, hit)
        for step in range(1, 2 * NEIGHBOUR_TURNS + 1):
            for at in (place - step, place + step):
                if 0 <= at < len(ids) and ids[at] not in best and ids[at] not in neighbours:
                    neighbours[ids[at]] = (hit, NEIGHBOUR_SHARE / step)
    return neighbours
