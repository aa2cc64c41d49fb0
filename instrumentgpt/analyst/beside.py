"""Questions about the columns of a log that are no loop's: mains voltage, flow, humidity, whatever it has."""

import re
from collections.abc import Iterator
from math import inf

from instrumentgpt.analyst.case import Case, Result, Subject, choose_log, known_log
from instrumentgpt.analyst.columns import columns_in, columns_named, lacking
from instrumentgpt.analyst.questions import LONGEST_QUESTION, asking, aspect, spelled, suspected, table
from instrumentgpt.analyst.report import diagnosed
from instrumentgpt.analyst.series import COLUMN, loops_of, named_in, read_of
from instrumentgpt.analyst.times import stretches, window_asked
from instrumentgpt.analyst.words import quoted
from instrumentgpt.instruments.faults import faults
from instrumentgpt.memory.likeness import LOG_NAME

LIKE = {"plot": inf, "help": inf, "events": 5, "remembered": 0, "compare": 0}  # most weight of other kinds
BARE = 16  # characters: "051 flow" asks without a word for it
MOST_TIMES = 4  # linked of one kind of fault or excursion


def columns_asked(case: Case, kind: str) -> tuple[list[str], bool]:
    """Return what is told of the columns beside those of the loops that the question names; if it is all."""
    question, words = case.question, _asking(case)
    says_column = bool(aspect("column", words))
    names_one = says_column or bool(lacking(words, ()))
    may_be = names_one and (says_column or question.score <= LIKE.get(kind, -1))
    may_be |= kind in ("diagnosis", "figures")
    if not (may_be and words and (case.device or known_log(case))) or len(case.task.devices) > 1:
        return [], False
    about = choose_log(case)
    if kind == "diagnosis" and not names_one:  # which has the names of all columns, too
        first = columns_in(diagnosed(case, about))
        if all(len(of) == len(first) for _, of, _ in columns_named(question, words, first)):
            return [], False
    read, every = named_in(case, about, words)
    meant, rest = list[Result](), words
    for _, columns, part in every:
        if not loops_of(read) & {column["channel"] for column in columns}:
            meant, rest = meant + columns, rest.replace(part, " ")
    heads = [column["head"] for column in columns_in(read)]
    lacks = lacking(words, heads) and lacking(question.text, heads)
    if not (meant or lacks or says_column):
        return [], False
    told = list[str]()
    if lacks or (says_column and not meant and not question.quantity):
        what, names = case.listed(lacks), [quoted(head) for head in read["beside"]]
        told += [case.say("column_lacking", label=about.label, what=what)] if lacks else []
        has = case.say("column_names", count=len(names), names=case.listed(names) or "–")
        told += [(has if names or not lacks else "") + "\n\n"]
    if meant:
        told += [case.say("column_undrawn") + "\n\n"] if kind == "plot" else []
        window = window_asked(case, about)[0]
        spans = [[window.get("since", ""), window.get("until", "")]]
        names = [column["name"] for column in meant if not column["role"]]
        rows = case.tool("column_figures", **about.named, columns=names, spans=spans)["rows"]
        told += [text for row in rows for text in _moved(case, about, row)]
        told += read_of(case, about, read, meant, stretches(case, about))
        told += [text for row in rows for text in _during(case, about, row)]
    of_loop = any(table()["quantities"][name].search(rest) for name in COLUMN if name)
    is_wider = suspected(words) or of_loop or kind == "diagnosis"
    return told, bool(meant) or not (is_wider or not (lacks or says_column))


def _asking(case: Case) -> str:
    """Return the sentences of the question that ask, or are as short as a question without a word for it."""
    question = case.question  # "and the temperature?" has the words of the question before in front
    words = re.sub(LOG_NAME, " ", spelled(question.text) if question.quantity else question.words)
    if question.pasted or len(question.words) > 2 * LONGEST_QUESTION:
        return ""
    is_bare = len(words) <= BARE and not re.search(r"\d", re.sub(r"co2|\b0\d\d\b", "", words))
    return words if is_bare or aspect("column", words) else " ".join(asking(words))


def _moved(case: Case, about: Subject, row: Result) -> Iterator[str]:
    """Say whether a column moved with the faults, where there are any."""
    if groups := {_what(case, group["what"]): group for group in row["during"]}:
        met = [what for what, group in groups.items() if 2 * group["out"] >= group["count"]]
        said = {"label": about.label, "column": quoted(row["column"]), "what": case.listed(met or groups)}
        yield case.say("column_moved" if met else "column_still", **said) + "\n\n"


def _during(case: Case, about: Subject, row: Result) -> Iterator[str]:
    """Say what a column read during the faults, and where its level changed."""
    said = {"column": quoted(row["column"]), "unit": f" {row['unit']}" if row["unit"] else ""}
    for group in row["during"]:
        shown = [(at["clock"], at["line"]) for at in map(about.at, group["times"])]
        numbers = {"inside": group["median"], "low": row["usual"][0], "high": row["usual"][1]}
        numbers |= {"what": _what(case, group["what"])}
        times = case.listed(" ".join(pair) for pair in shown[:MOST_TIMES])
        yield case.item("column_during", **group | numbers | said | {"times": times})
    if shift := row["shift"]:
        yield case.item("column_shift", **about.at(shift), **said)
    yield "\n"


def _what(case: Case, name: str) -> str:
    is_fault = name in faults()
    return str(faults()[name][case.language]["title"]) if is_fault else case.say(f"column_{name}")
