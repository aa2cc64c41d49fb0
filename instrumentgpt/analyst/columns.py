"""Questions about the columns of a log that are no loop's: mains voltage, flow, humidity, whatever it has."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from instrumentgpt.analyst.case import Case, Result, Subject, choose_log, known_log
from instrumentgpt.analyst.questions import ALONE, EXAMPLES, aspect, spelled, suspected, table
from instrumentgpt.analyst.report import diagnosed
from instrumentgpt.analyst.series import is_of
from instrumentgpt.analyst.times import window_asked
from instrumentgpt.analyst.words import moment, quoted
from instrumentgpt.instruments.faults import faults
from instrumentgpt.memory.likeness import LOG_NAME

KINDS = ("diagnosis", "figures", "plot", "help")  # of questions that may be on such a column
LIKE = {"events": 5, "remembered": 0, "compare": 0}  # … if no more than this weight speaks for them
BARE = 16  # characters: "051 flow" asks without a word for it
LONGEST = 250  # characters of a message that asks for a column
MOST_TIMES = 4  # linked of one kind of fault or excursion
SENTENCE_END = re.compile(r"(?<=[?？!！。;；])\s*|(?<=\.)\s+|\n+")


def columns_asked(case: Case, kind: str) -> tuple[list[str], bool]:
    """Return what is told of the columns beside those of the loops that the question names; if it is all."""
    question, words, text = case.question, _asking(case), case.question.text
    quantities = table()["columns"]
    named = [name for name, row in quantities.items() if row["pattern"].search(words)]
    says_column = bool(aspect("column", words))
    may = says_column or kind in KINDS or question.score <= LIKE.get(kind, -1)
    may &= bool(words and (case.device or known_log(case))) and len(case.task.devices) < 2
    if not (may and (named or says_column or _has_word(case, kind, words, text))):
        return [], False
    about = choose_log(case)
    window, note = window_asked(case, about)
    result = case.tool("other_columns", **about.named, **window)
    if not says_column and {quantities[name]["unit"] for name in named} & {*result["loop_units"]}:
        return [], False
    heads = [*map(spelled, result["heads"])]
    lacking = [name for name in named if not any(is_of(head, quantities[name]) for head in heads)]
    rows = [row for row in result["columns"] if _is_meant(row["column"], words, text, named)]
    told = [note + "\n\n"] if note and rows else []
    if lacking or (says_column and not rows and not question.quantity):
        what = case.listed(quantities[name][case.language] for name in lacking)
        told += [case.say("column_lacking", label=about.label, what=what)] if what else []
        names = [quoted(row["column"]) for row in result["columns"]]
        has = case.say("column_names", count=len(names), names=case.listed(names) or "–")
        told += [(has if names or not what else "") + "\n\n"]
    told += [case.say("column_undrawn") + "\n\n"] if kind == "plot" and rows else []
    told += [text for row in rows for text in _told(case, about, row, result["window"])]
    is_wider = suspected(words) or question.quantity or (kind == "diagnosis" and question.score >= ALONE)
    return told, bool(rows) or not (is_wider or not (lacking or says_column))


def _asking(case: Case) -> str:
    """Return the sentences of the question that ask, or are as short as a question without a word for it."""
    question = case.question  # "and the temperature?" has the words of the question before in front
    words = re.sub(LOG_NAME, " ", spelled(question.text) if question.quantity else question.words)
    if len(words) <= BARE and not re.search(r"\d", re.sub(r"co2|\b0\d\d\b", "", words)):
        return words
    is_told = len(words) > LONGEST or question.pasted
    sentences = () if is_told else SENTENCE_END.split(words)
    return " ".join(part for part in sentences if aspect("asks", part) or aspect("column", part))


def _has_word(case: Case, kind: str, words: str, text: str) -> bool:
    """Return whether `words` have one of a head of the log, by what their answer reads anyway."""
    if kind not in ("diagnosis", "figures") or case.question.quantity:
        return False
    return _is_meant(diagnosed(case, choose_log(case))["heads"], words, text)


def _is_meant(head: str, words: str, text: str, named: Iterable[str] = ()) -> bool:
    """Return whether `words` have a part of `head` that is in no usual question, or one of its quantities.

    text  the words as they were written, in which "DO" and "pH" are names
    """
    names = re.findall(r"(?<!\w)(?:[A-Z][A-Z\d]|p[A-Z])(?!\w)", head)
    if any(re.search(rf"(?<!\w){name}(?!\w)", text) for name in names):
        return True
    parts = (part for part in re.findall(r"[a-zà-ÿ]{3,}\d*|[\u4e00-\u9fff]{2,}", spelled(head)))
    said = (part for part in parts if re.search(rf"(?<![a-z0-9]){part}(?![a-z0-9])", words))
    is_usual = all(part in _usual_words() for part in said)
    return not is_usual or any(is_of(spelled(head), table()["columns"][name]) for name in named)


@cache
def _usual_words() -> str:
    return spelled(EXAMPLES.read_text(encoding="utf-8"))


def _told(case: Case, about: Subject, row: Result, window: list[str]) -> Iterator[str]:
    """Say what one column read, and whether it moved with the faults."""
    said = {"label": about.label, "unit": f" {row['unit']}" if row["unit"] else ""}
    said |= {"column": quoted(row["column"]), "since": moment(window[0]), "until": moment(*window[::-1])}
    groups = {_what(case, group["what"]): group for group in row["during"]}
    if groups:
        met = [what for what, group in groups.items() if 2 * group["out"] >= group["count"]]
        yield case.say("column_moved" if met else "column_still", **said, what=case.listed(met or groups))
        yield "\n\n"
    parts = ""
    for name in ("least", "most"):
        at = {"clock": moment(row[name]["clock"], window[0]), "line": about.link(row[name]["line"])}
        parts += case.say(f"column_{name}", value=row[name]["value"], **at, **said)
        parts += case.say("list_separator")
    yield case.item("column_row", **row | said, parts=parts)
    for what, group in groups.items():
        shown = [(moment(one["clock"], window[0]), about.link(one["line"])) for one in group["times"]]
        numbers = {"inside": group["median"], "low": row["usual"][0], "high": row["usual"][1]}
        group |= {"what": what, "times": case.listed(" ".join(pair) for pair in shown[:MOST_TIMES])}
        yield case.item("column_during", **group, **numbers, **said)
    shift = row["shift"]
    at = {"clock": moment(shift["clock"], window[0]), "line": about.link(shift["line"])} if shift else {}
    yield case.item("column_shift" if shift else "column_level", std=row["std"], **(shift or {}) | at, **said)
    yield "\n"


def _what(case: Case, name: str) -> str:
    is_fault = name in faults()
    return str(faults()[name][case.language]["title"]) if is_fault else case.say(f"column_{name}")
