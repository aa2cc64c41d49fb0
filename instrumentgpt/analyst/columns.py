"""Questions about the columns of a log that are no loop's: mains voltage, flow, humidity, whatever it has."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.case import Case, Result, Subject, choose_log, known_log
from instrumentgpt.analyst.questions import ALONE, LONGEST_QUESTION, SENTENCE_END, aspect, spelled, suspected
from instrumentgpt.analyst.report import diagnosed
from instrumentgpt.analyst.series import columns_named, lacking, may_be_beside
from instrumentgpt.analyst.times import window_asked
from instrumentgpt.analyst.words import moment, quoted
from instrumentgpt.instruments.faults import faults
from instrumentgpt.memory.likeness import LOG_NAME

KINDS = ("diagnosis", "figures", "plot", "help")  # of questions that may be on such a column
LIKE = {"events": 5, "remembered": 0, "compare": 0}  # … if no more than this weight speaks for them
BARE = 16  # characters: "051 flow" asks without a word for it
MOST_TIMES = 4  # linked of one kind of fault or excursion


def columns_asked(case: Case, kind: str) -> tuple[list[str], bool]:
    """Return what is told of the columns beside those of the loops that the question names; if it is all."""
    question, words = case.question, _asking(case)
    says_column = bool(aspect("column", words))
    names_one = says_column or bool(lacking(words, ()))
    may_be = says_column or kind in KINDS or question.score <= LIKE.get(kind, -1)
    may_be &= names_one or (kind in ("diagnosis", "figures") and not question.quantity)
    if not (may_be and words and (case.device or known_log(case))) or len(case.task.devices) > 1:
        return [], False
    about, text = choose_log(case), case.question.text
    is_read = kind == "figures"  # by figures, else by a diagnosis
    read = case.tool("column_figures", **about.named, only_loops=True) if is_read else diagnosed(case, about)
    if not (names_one or may_be_beside(words, read["heads"])):
        return [], False
    columns = case.tool("column_figures", **about.named)["columns"]
    lacks = lacking(text, [column["head"] for column in columns]) if lacking(words, ()) else []
    meant = (column for _, meant in columns_named(words, columns) for column in meant)
    named = {column["head"] for column in meant if not column["role"]}
    if not (named or lacks or says_column):
        return [], False
    window, note = window_asked(case, about)
    result = case.tool("other_columns", **about.named, **window)
    rows = [row for row in result["columns"] if row["column"] in named]
    told = [note + "\n\n"] if note and rows else []
    if lacks or (says_column and not rows and not question.quantity):
        what = case.listed(lacks)
        told += [case.say("column_lacking", label=about.label, what=what)] if lacks else []
        names = [quoted(row["column"]) for row in result["columns"]]
        has = case.say("column_names", count=len(names), names=case.listed(names) or "–")
        told += [(has if names or not lacks else "") + "\n\n"]
    told += [case.say("column_undrawn") + "\n\n"] if kind == "plot" and rows else []
    told += [text for row in rows for text in _told(case, about, row, result["window"])]
    is_wider = suspected(words) or question.quantity or (kind == "diagnosis" and question.score >= ALONE)
    return told, bool(rows) or not (is_wider or not (lacks or says_column))


def _asking(case: Case) -> str:
    """Return the sentences of the question that ask, or are as short as a question without a word for it."""
    question = case.question  # "and the temperature?" has the words of the question before in front
    words = re.sub(LOG_NAME, " ", spelled(question.text) if question.quantity else question.words)
    if question.pasted or len(question.words) > 2 * LONGEST_QUESTION:
        return ""
    is_bare = len(words) <= BARE and not re.search(r"\d", re.sub(r"co2|\b0\d\d\b", "", words))
    asking = (part for part in SENTENCE_END.split(words) if aspect("asks", part) or aspect("column", part))
    return words if is_bare else " ".join(asking)


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
