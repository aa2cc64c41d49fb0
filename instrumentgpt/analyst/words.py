"""The analyst's sentences (phrases.toml) in the language of the question, and how it quotes."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from instrumentgpt.instruments.language import Language, Sentence
from instrumentgpt.instruments.lognames import line_link

_ELSEWHERE = Path(__file__).parents[1] / "agents" / "offline"
SENTENCES = (Path(__file__).with_name("phrases.toml"), _ELSEWHERE / "panel.toml", _ELSEWHERE / "steps.toml")
QUOTE_CHARS = 160  # of a quoted log line: one line on the page
_TAG_START = re.compile(r"<(?=[!/?A-Za-z])")
LONG_RUN = 5  # whole numbers in a row, from which a list tells their ends
TITLE_CHARS = 40  # of a conversation that is linked


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return every sentence: key → language → text with {fields}."""
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in SENTENCES]
    return {key: sentence for table in tables for key, sentence in table.items()}


def phrase(key: str, language: Language, **fields: Any) -> str:
    """Return the sentence `key` in `language`, its fields filled in.

    >>> phrase("source", "en", count=1, logs="`run.log`")
    'From the log `run.log`.'
    """
    return str(Sentence().format(sentences()[key][language], **fields))


def joined(items: Iterable[object], language: Language) -> str:
    """Return a list as it stands in a sentence, a long run of whole numbers by its ends.

    >>> joined([1, 3, 4], "en"), joined([1, 3, 4], "zh"), joined([1, 2, 3, 4, 5, 8], "en")
    ('1, 3, 4', '1、3、4', '1–5, 8')
    """
    runs: list[list[object]] = []
    for item in items:
        if runs and isinstance(item, int) and runs[-1][-1] == item - 1:
            runs[-1].append(item)
        else:
            runs.append([item])
    parts = chain.from_iterable([f"{run[0]}–{run[-1]}"] if len(run) >= LONG_RUN else run for run in runs)
    return ("、" if language == "zh" else ", ").join(map(str, parts))


def together(sentences: Iterable[str], language: Language) -> str:
    """Return sentences as one paragraph: Chinese ones need no blank in between."""
    return ("" if language == "zh" else " ").join(sentences)


def cited(text: str, log: str, lines: Iterable[int | None]) -> str:
    """Return `text` with the links to the lines that show it behind it, each once; as it is without any.

    >>> cited("kp is 9.", "run.log", [4, 4, None]), cited("kp is 9.", "run.log", [])
    ('kp is 9. ([L 4](?log=run.log&line=4))', 'kp is 9.')
    """
    links = ", ".join(line_link(log, line) for line in dict.fromkeys(lines) if line)
    return f"{text} ({links})" if links else text


def conversation_link(title: str, conversation_id: str, message_id: int | None) -> str:
    """Return the link to a message of another conversation, which the page opens in place.

    >>> conversation_link("why [052]?", "a1", 7)
    '[why 052?](?conv=a1&msg=7)'
    """
    words = plain_text(re.sub(r"[\[\]]", "", title)) or conversation_id
    shown = words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1] + "…"
    return f"[{shown}](?conv={quote(conversation_id)}" + (f"&msg={message_id})" if message_id else ")")


def moment(clock: str, beside: str = "") -> str:
    """Return a log's time as people read it: to the second, without the date where `beside` has the same.

    >>> moment("2026-02-20 08:49:29.844", beside="2026-02-20 08:47:19.838"), moment("+12.345 s")
    ('08:49:29', '+12.345 s')
    >>> moment("+12.345 s (08:49:29)")
    '08:49:29'
    """
    if clock.startswith("+") and clock.endswith(")"):
        return clock.partition("(")[2][:-1]
    if not re.match(r"\d{4}-\d\d-\d\d \d\d:", clock):
        return clock
    return clock[11:19] if clock[:10] == beside[:10] else clock[:19]


def plain_text(text: str) -> str:
    """Return `text`, which may hold words of a log, on one line and without live Markdown or HTML.

    >>> print(plain_text("[x](http://a) <b>"))
    \\[x\\](http://a) ‹b>
    """
    return re.sub(r"([`*\[\]])", r"\\\1", _TAG_START.sub("‹", " ".join(text.split())))


def quoted(text: str) -> str:
    """Return `text`, which we did not write, as inline code that can be neither Markdown, HTML nor a marker.

    >>> print(quoted("a <!-- PLOTLY_CHART:x --> `b` "))
    `` a ‹!-- PLOTLY_CHART:x --> `b` ``
    """
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(plain) > QUOTE_CHARS:
        plain = plain[: QUOTE_CHARS - 1] + "…"
    plain = _TAG_START.sub("‹", plain)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    apart = " " if not plain or "`" in (plain[0], plain[-1]) else ""  # a backtick would join the fence
    return f"{fence}{apart}{plain}{apart}{fence}"
