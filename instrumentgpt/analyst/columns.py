"""Which columns of a log a question names: by head, quantity, place or number, in any tongue."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from instrumentgpt.analyst.case import Case, Result, Subject, unit_of
from instrumentgpt.analyst.questions import (
    CHANNELS,
    NAMING,
    Question,
    channels_in,
    pattern_of,
    spelled,
    table,
    written,
)
from instrumentgpt.analyst.words import quoted
from instrumentgpt.instruments import mentions
from instrumentgpt.instruments.analysis.own_units import CELSIUS
from instrumentgpt.instruments.reading.headers import heading_of, vocabulary, written_unit
from instrumentgpt.memory.likeness import LOG_NAME

ASIDE = (  # places of which no loop's own temperature is
    "room", "coolant", "inlet", "outlet", "exhaust", "oil", "air", "pump", "fan", "motor", "jacket", "lid",
)  # fmt: skip
TWO = 0.03  # of its range, as which a column's spread is that of two values alone
COMPOUND = 4  # letters, from which a word is known within a longer one: Heizstrom
_OPENED = re.compile(
    r"[打开关]+[了]?[盖门]|\b(?:open|clos)\w* the \w+|\b\w+ (?:was |is |were )?(?:open|clos)\w*"
)
_JOINED = re.compile(r"[\s的/_-]*(?:(?:of|in|at|from)\s+(?:the\s+)?|(?:回路|通道|区|loop|zone)[\s的]*)?")
Patterns = list[re.Pattern[str]]
Spans = list[tuple[int, int]]
Named = tuple[int, list[Result], str]  # where columns are named, which may be meant, by which words


@cache
def subjects() -> dict[str, Result]:
    """Return what columns are of, and where: name → its part of columns.toml, unit, pattern, words, heads."""
    rows = dict[str, Result]()
    for part in NAMING:
        for name, row in vocabulary()[part].items():
            words, heads = ([*map(spelled, row.get(kind, ()))] for kind in ("words", "heads"))
            asked = [*(f"{word}s?" if word.isascii() else word for word in words), *row.get("asked", ())]
            named = {"pattern": pattern_of(asked or ["(?!)"]), "words": words, "heads": heads}
            is_cool = part != "places" and name != "temperature"
            rows[name] = {"unit": row.get("unit"), "part": part, "is_cool": is_cool, **named}
    return rows


def is_of(head: str, row: Result) -> bool:
    """Return whether a column of that head is of a row of `subjects`."""
    heading = heading_of(head)
    text = spelled(" ".join(heading.words))
    whole = text.split()
    for word in (*row["words"], *row["heads"]):
        is_part = not word.isascii() or " " in word or (word in row["heads"] and len(word) >= COMPOUND)
        if word in (text if is_part else whole):
            return True
    return row["unit"] in (heading.unit, written_unit(head))


def lacking(text: str, heads: Sequence[str], aside: Sequence[str] = (), evidence: str = "") -> list[str]:
    """Return by what words `text` names quantities, or places `aside`, that none of `heads` is of.

    evidence  what else may have them, as words of a question
    """
    rows = (row for name, row in subjects().items() if row["is_cool"] or name in aside)
    words = re.sub(LOG_NAME, " ", spelled(text))
    words = _OPENED.sub(" ", words)
    named = ((row, match[0]) for row in rows if (match := row["pattern"].search(words)))
    return [
        written(word, text)
        for row, word in named
        if not (row["pattern"].search(evidence) or any(is_of(head, row) for head in heads))
    ]


def columns_in(result: Result) -> list[Result]:
    """Return the columns of a log that a tool tells of: pvs at least, and by heads those beside loops."""
    none = {"role": "", "channel": None}
    beside = [none | {"name": head, "head": head, "unit": written_unit(head)} for head in result["beside"]]
    if "columns" in result:
        return [*result["columns"], *beside]
    names, numbers = result["channel_names"], result["channel_numbers"]
    told = [{"channel": at, "head": names.get(str(at), ""), "unit": unit_of(result, at)} for at in numbers]
    return [*({"role": "pv"} | pv for pv in told), *beside]


def number_of(column: Result, columns: Sequence[Result]) -> int | None:
    """Return the number that people call a column by: its heads', where these number all channels."""
    if column["channel"] is None:
        return heading_of(column["head"]).index
    heads = {other["channel"]: heading_of(other["head"]).index for other in columns if other["role"] == "pv"}
    numbers = [number for number in heads.values() if number is not None]
    is_numbered = len({*numbers}) == len(numbers) > 1
    return (heads.get(column["channel"]) if is_numbered else None) or column["channel"]


def columns_named(question: Question, words: str, columns: Sequence[Result]) -> list[Named]:
    """Return the columns that `words` of a question name: where, which may be meant, and by which words.

    What stands together names one column: one whose head, role or quantity it says before one of that place
    or number; of these the ones of which most of it is said, and nothing of their heads is not.
    """
    channels = {*question.channels}  # what only looks like one is the name of a device
    numbers = [(match.span(), channels & {*channels_in(match[0])}) for match in CHANNELS.finditer(words)]
    found = list[tuple[Result, bool, list[Spans]]]()
    for column in columns:
        kinds, also, is_loose = _features(column, columns)
        of = [[match.span() for each in kinds for match in each.finditer(words)]]
        of += [[span for span, meant in numbers if meant and number_of(column, columns) in meant]]
        of += [[match.span() for match in each.finditer(words)] for each in also]
        found.append((column, is_loose, of))
    named = list[Named]()
    for start, stop in _together(words, sorted({span for *_, of in found for spans in of for span in spans})):
        fits = list[tuple[tuple[bool, int, bool], Result]]()
        for column, is_loose, of in found:
            kind, number, *others = ([span for span in spans if start <= span[0] < stop] for spans in of)
            if kind or (is_loose and (any(others) or (number and column["role"]))):
                said = {at for spans in (kind, number, *others) for span in spans for at in range(*span)}
                fits.append(((not kind, -len(said), [] in others), column))
        best = min((rank for rank, _ in fits), default=None)
        if meant := [column for rank, column in fits if rank == best]:
            named.append((start, meant, words[start:stop]))
    return named


def named_in(case: Case, about: Subject, *texts: str) -> tuple[Result, list[Named]]:
    """Return the columns of a log, and those that the first of `texts` names (all?), or the next.

    The columns beside the loops, which may take seconds to read, are read where one is named.
    """
    if table()["asked"]["all_columns"].search(texts[0]):
        read = case.tool("column_figures", **about.named)
        return read, [(at, [column], column["head"]) for at, column in enumerate(read["columns"])]
    read = case.tool("column_figures", **about.named, only_loops=True)
    for words in (re.sub(LOG_NAME, " ", text) for text in texts):
        if named := columns_named(case.question, words, columns_in(read)):
            break
    if any(not column["role"] for _, meant, _ in named for column in meant):
        read = case.tool("column_figures", **about.named)
        named = columns_named(case.question, words, read["columns"])
    return read, named


def loops_of(read: Result) -> set[int]:
    """Return the channels that have a setpoint."""
    return {column["channel"] for column in read["columns"] if column["role"] == "setpoint"}


def of_channels(case: Case, meant: Sequence[Result], read: Result) -> list[Result]:
    """Return those of the columns `meant` that are of the channels asked about, else of the loops, if any."""
    asked, every = {*case.question.channels}, {column["channel"] for column in read["columns"]}
    loops = loops_of(read) or every
    kept = [
        column
        for column in meant
        if not column["role"]
        or (number_of(column, read["columns"]) in asked if asked else column["channel"] in loops)
    ]
    return kept or list(meant)


def called(case: Case, result: Result) -> Case:
    """Return the case with the channels that its question names, where it does not name all of them."""
    columns = [column for column in columns_in(result) if column["role"]]
    every = columns_named(case.question, case.question.words, columns)
    named = (of for _, of, words in every if not re.fullmatch(mentions.PARTS, words))
    meant = {column["channel"] for of in named for column in of}
    if asked := {*case.question.channels}:
        meant = {column["channel"] for column in columns if number_of(column, columns) in asked} or asked
    channels = tuple(sorted(meant)) if asked or len(meant) < len(columns) else ()
    return replace(case, question=replace(case.question, channels=channels)) if channels else case


def what_is(case: Case, column: Result, read: Result) -> str:
    """Return a column as people are told of it: its head in quotes, or its channel and what it is of."""
    if not column["role"]:
        return quoted(column["head"])
    channel = str(column["channel"])
    names = {other["channel"]: other["head"] for other in read["columns"] if other["role"] == "pv"}
    if len({other["channel"] for other in read["columns"] if other["role"]}) > 1 and names.get(
        column["channel"]
    ):
        channel += f" ({quoted(names[column['channel']])})"
    what, of = case.say("channel_named", channel=channel), case.say(f"value_{column['role']}")
    return what if column["role"] == "pv" else what + case.say("list_separator") + of


def on_off(row: Result) -> float | None:
    """Return the middle of the only two values that a column had, None where it had others."""
    low, high = row["least"]["value"], row["most"]["value"]
    share = (row["mean"] - low) / (high - low) if high > low else 0.0
    spread = (high - low) * max(0.0, share * (1 - share)) ** 0.5
    return (low + high) / 2 if high > low and abs(row["std"] - spread) < TWO * (high - low) else None


def _together(words: str, spans: Spans) -> Spans:
    """Return where words stand that name a column, together with those that they are joined to."""
    joined = list[tuple[int, int]]()
    for first, last in spans:
        if joined and (first <= joined[-1][1] or _JOINED.fullmatch(words, joined[-1][1], first)):
            first, last = joined[-1][0], max(last, joined.pop()[1])
        joined.append((first, last))
    return joined


def _features(column: Result, columns: Sequence[Result]) -> tuple[Patterns, Patterns, bool]:
    """Return what a column is, what else tells it from others, and whether that alone may name it."""
    head, role, is_of_pv = column["head"], column["role"], column["role"] not in ("", "pv")
    pvs = [other for other in columns if other["role"] == "pv" and other["channel"] == column["channel"]]
    heads = [head, *(pv["head"] for pv in pvs)] if is_of_pv else [head]
    bare = re.sub(r"\W*[\[(][^\])]*[\])]\s*$", "", spelled(head)).strip() or spelled(head)
    whole = [re.compile(rf"(?<![a-z0-9]){re.escape(bare)}(?![a-z0-9])")] if bare else []
    temperature, roles = subjects()["temperature"], table()["roles"]
    rows = [row for row in subjects().values() if any(is_of(one, row) for one in heads)]
    of = [row["pattern"] for row in rows if row["is_cool"]]
    own = subjects()["heater"] if role == "output" else None  # what its role says already
    also = [row["pattern"] for row in rows if row["part"] == "places" and row is not own]
    words = [part for one in heads for part in _rest(one)]  # "silicagel": the silica gel's
    parts = [f"{' ?'.join(part)}[a-z]*" if len(part) >= COMPOUND else part for part in words]
    also += [re.compile(rf"(?<![a-z0-9]){part}(?![a-z0-9])") for part in parts]  # Evap: the evaporator
    behind = "|".join(pattern.pattern for pattern in also)
    for letter in re.findall(r"(?<![a-z0-9])[a-z](?![a-z0-9])", bare if also else ""):  # "sample a"
        also.append(re.compile(rf"(?:{behind})[\s_-]*{letter}(?![a-z0-9])"))
    warm = [temperature["pattern"]] if temperature in rows and role != "output" else []
    if is_of_pv:
        return [*whole, roles[role]], [*also, *of, *warm], False
    if of:
        return [*whole, *of], also, False
    is_warm = warm or role == "pv" or column["unit"] in CELSIUS
    return [*whole, *([temperature["pattern"], roles["pv"]] if is_warm else [])], also, True


@cache
def _rest(head: str) -> list[str]:
    """Return the tags of a head, and its words that no role, quantity or place has."""
    text = spelled(" ".join(heading_of(head).words))
    rows = subjects().values()
    for pattern in (*table()["roles"].values(), *(row["pattern"] for row in rows)):
        text = pattern.sub(" ", text)
    for word in (word for row in rows for word in (*row["words"], *row["heads"]) if not word.isascii()):
        text = text.replace(word, " ")
    roles = ("channel", "setpoint", "pv", "output")
    known = {word for role in roles for word in vocabulary()[role]["certain"]}
    tags = re.findall(r"(?<![a-z0-9])[a-z]+\d+(?![a-z0-9])", spelled(head))
    rest = re.findall(r"[a-zà-ÿ]{3,}|[\u4e00-\u9fff]{2,}", text)
    return [*tags, *(part for part in rest if part not in known)]
