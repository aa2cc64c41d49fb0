"""What stands in <diagnostic_context>: the state of the device, values, constraints, what is ruled out."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from instrumentgpt.memory.facts import Fact, Names, devices_in, is_known, name_of
from instrumentgpt.memory.filtering import as_line, without_tags
from instrumentgpt.memory.reading.values import values_in
from instrumentgpt.memory.recalled import Recalled
from instrumentgpt.memory.state import DiagnosticState, device_key, without_items
from instrumentgpt.memory.terms import fold, phrases, terms
from instrumentgpt.memory.values import Key, StoredFact, Value, agree, values_in_force

ASIDE = " — "  # before a remark on a value
VALUE_ALONE = re.compile(r"[^:：]{1,50}[:：] *\S+(?: \S+)?")
SHOWN_NICKNAMES = 4  # of a device
PINNED_AS = {
    "root_causes": "root cause",
    "findings": "finding",
    "hypotheses": "hypothesis",
    "downloaded_logs": "log",
    "constraint": "constraint",
    "ruled_out": "ruled out",
}
SHOWN_LOGS = 5  # newest
SHOWN_FINDINGS = 8
SHOWN_CAUSES = 5


Origins = Mapping[tuple[str, str], str]  # (field, text) of a line of the state → where it is from, as told


@dataclass(frozen=True)
class Case:
    """What a question is asked about.

    state    as in force
    facts    what messages stated, as `db.list_facts` returns it
    devices  further devices that the question names; the state's own comes first
    names    the names of every device
    pinned   (field, text) of the state that is in every prompt, as rows of `facts` may be too
    origins  (field, text) of the state → where it is from
    called   device → what the users of the conversation call it
    is_device_query  the question names a device: the note on logs already analyzed stands below the context
    request    what stands for a question that is too long for the budget (`request_in_file`)
    put_back   messages that the user put back
    recalled   what earlier messages say that bears on the question, the best first, as `db.recall` found it
    elsewhere  lines on what other conversations found on the device, below their heading
    notes      what the user had kept, a line each, what bears on the question first
    """

    question: str
    state: DiagnosticState = field(default_factory=DiagnosticState)
    facts: Sequence[StoredFact] = ()
    devices: Sequence[str] = ()
    names: Names = ()
    pinned: Sequence[tuple[str, str]] = ()
    origins: Origins = field(default_factory=dict)
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_device_query: bool = False
    request: str = ""
    put_back: Sequence[Recalled] = ()
    recalled: Iterable[Recalled] = ()
    elsewhere: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def scope(self) -> list[str]:
        """The devices in question, by name; one without a name where none is known yet."""
        device = device_key(self.state)
        return list(dict.fromkeys(name for name in (device, *self.devices) if name)) or [""]

    @cached_property
    def current_values(self) -> dict[Key, Value]:
        """The values in force."""
        return values_in_force(self.facts)


def keywords_of(question: str) -> set[str]:
    """Return the terms that what a question asks for may have in its name."""
    return {term for phrase in phrases(question) for term in phrase}


def context_lines(case: Case) -> str:
    """Return the lines of the context but the pinned, what bears most on the question first."""
    shown = without_items(case.state, case.pinned) if case.pinned else case.state.copy()
    shown.last_log_file = case.state.last_log_file
    device = device_key(case.state)
    shown.findings = _newest_of_each(shown.findings, device, case)
    head, items = render_state(shown, case.origins)
    for name, nicknames in case.called.items():
        quoted_names = ", ".join(f'"{nickname}"' for nickname in nicknames[-SHOWN_NICKNAMES:])  # the newest
        head.append(without_tags(f"{name} is called {quoted_names}"))
    first, sentences, further = known_lines(case)
    return "\n".join([*head, *first, *sentences, *items, *further])


def _newest_of_each(findings: Sequence[str], device: str, case: Case) -> list[str]:
    """Return the newest findings on the device, without those that tell another value than is in force.

    In force is what a tool read or the user said of the same quantity, else what a newer finding says.
    One that is nothing but a value is told where that is on record: an answer's words state none.
    """
    current = {key: value.now.fact for key, value in case.current_values.items()}
    kept: list[str] = []
    for text in reversed(findings):
        named = devices_in(text, case.names)
        values = values_in(text.replace(ASIDE, "\n"), device, case.names)
        is_value = VALUE_ALONE.fullmatch(text.partition(ASIDE)[0])
        if (named and device not in named) or any(
            not agree(current.get(fact.key, fact), fact) or (is_value and fact.key not in current)
            for fact in values
        ):
            continue
        current |= {fact.key: current.get(fact.key, fact) for fact in values}
        kept.append(text)
        if len(kept) == SHOWN_FINDINGS:
            break
    return kept[::-1]


def lines_pinned(case: Case) -> tuple[str, ...]:
    """Return what the user pinned of the devices in question, a line each; constraints are of all."""
    items = [
        f"  - {PINNED_AS[name]}: {text}" for name, text in case.pinned if text in getattr(case.state, name)
    ]
    pinned = [value for value in case.current_values.values() if value.now.pinned]
    values = [
        f"{line} — {value.now.fact.device}" if value.now.fact.device else line
        for value in pinned
        if value.now.fact.device in case.scope
        for line in _lines([value], False)
    ]
    sentences = [
        f"  - {PINNED_AS[row.kind]}: {row.sentence} (turn {row.turn})"
        for row in case.facts
        if row.kind in PINNED_AS
        and row.pinned
        and (row.kind == "constraint" or row.fact.device in case.scope)
    ]
    return (*items, *map(as_line, values), *map(as_line, sentences))


VALUES_SHOWN = 8  # values that fit the question
CONSTRAINTS_SHOWN = 8
CONSTRAINTS_FIRST = 4  # of those the best, which stand with what is asked for
RULED_OUT_SHOWN = 6


def known_lines(case: Case) -> tuple[list[str], list[str], list[str]]:
    """Return three lists of lines on what is known of the devices in question.

    First values that the question asks for, and the user's constraints that bear most on it; then further
    constraints, what is ruled out; last other values.
    Each device stands under its own name. Constraints of others come last.
    """
    keywords, devices, facts = keywords_of(case.question), case.scope, case.facts
    values = [value for value in case.current_values.values() if not value.now.pinned]
    value_lines: list[str] = []
    sentence_lines: list[str] = []
    further: list[str] = []
    for device in devices:
        of_device = [value for value in values if value.now.fact.device == device]
        parameters = {value.now.fact.parameter for value in of_device}
        fits = {name: sum(term in keywords for term in terms(name)) for name in parameters}
        of_device.sort(  # what is asked for, what has a name, what no tool can tell again
            key=lambda value: (
                fits[value.now.fact.parameter],
                is_known(value.now.fact.parameter),
                value.now.source != "tool",
                value.now.turn,
            ),
            reverse=True,
        )
        fit = [value for value in of_device if fits[value.now.fact.parameter]][:VALUES_SHOWN]
        left = [value for value in of_device if not fits[value.now.fact.parameter]]
        value_lines += _listed(f"Known values of {device}", _lines(fit, True))
        further += _listed(f"{'Further' if fit else 'Known'} values of {device}", _lines(left, False))
    ruled_out = _of_kind(facts, "ruled_out", keywords, devices)[:RULED_OUT_SHOWN]
    sentence_lines += _listed("Ruled out", _sentence_lines(ruled_out))
    constraints = _of_kind(facts, "constraint", keywords)
    beside = {row.against.sentence for row in constraints if row.against}  # they stand with those
    constraints = [row for row in constraints if row.against or row.sentence not in beside]
    named = {row.sentence: {*devices_in(row.sentence, case.names)} for row in constraints}
    constraints.sort(key=lambda row: bool(named[row.sentence]) and named[row.sentence].isdisjoint(devices))
    users = [row for row in constraints if row.source == "user"]
    agents = [row for row in constraints if row.source != "user"]  # not told as the user's
    title = f"The user's constraints{' (→ said later, may lift or replace it)' if beside else ''}"
    first = _listed(title, _sentence_lines(users[:CONSTRAINTS_FIRST]))
    sentence_lines += _listed(
        "Further constraints",
        _sentence_lines([*users[CONSTRAINTS_FIRST:], *agents][: CONSTRAINTS_SHOWN - CONSTRAINTS_FIRST]),
    )
    return [*value_lines, *first], sentence_lines, further


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{as_line(title)}:", *lines] if lines else []


def _of_kind(
    facts: Sequence[StoredFact], kind: str, keywords: set[str], devices: Collection[str] = ()
) -> list[StoredFact]:
    """Return the sentences of a kind, best what fits the question, of equals the newest; not the pinned."""
    rows = {
        row.sentence: row
        for row in facts
        if row.kind == kind and not row.pinned and (not devices or row.fact.device in devices)
    }
    return sorted(rows.values(), key=lambda row: (-_share(_with_later(row), keywords), -row.turn))


def _with_later(row: StoredFact) -> str:
    """Return the sentence, and after an arrow what was said later and may lift or replace it."""
    by_agent = ", recorded by the agent" if (row.kind, row.source) == ("constraint", "agent") else ""
    later = f" → turn {row.against.turn}: {row.against.sentence}" if row.against else ""
    return f"{row.sentence} ({row.mark or f'turn {row.turn}'}{by_agent}){later}"


def _sentence_lines(best: Iterable[StoredFact]) -> list[str]:
    """Return the lines of sentences, the oldest first."""
    return [f"  - {as_line(_with_later(row))}" for row in sorted(best, key=lambda row: row.turn)]


def _share(text: str, keywords: set[str]) -> int:
    folded = fold(text)
    return sum(term in folded for term in keywords if len(term) > 1)


def _lines(values: Iterable[Value], with_log: bool) -> list[str]:
    """Return a line per value; what is known alike of several channels shares one.

    `kp: 9 (channels 1, 2), 8 (channel 3) (turn 1, tool)`; with the log, the line of the first channel too
    """
    rows_of_line: dict[tuple[str, str], dict[str, list[StoredFact]]] = {}
    for value in values:
        fact = value.now.fact
        origin = _origin(value, with_log)
        line = rows_of_line.setdefault((name_of(fact.parameter), origin), {})
        line.setdefault(f"{fact.value}{_unit(fact)}", []).append(value.now)
    return [
        as_line(
            f"  - {name}: {', '.join(shown + _channels(of, with_log) for shown, of in each.items())} {origin}"
        )
        for (name, origin), each in rows_of_line.items()
    ]


def _channels(rows: Sequence[StoredFact], with_line: bool) -> str:
    numbers = {row.fact.channel: row for row in rows if row.fact.channel}
    ordered = sorted(numbers, key=lambda number: (len(number), number))
    named = f"channel{'s' * (len(ordered) > 1)} {', '.join(ordered)}" if ordered else ""
    first = numbers[ordered[0]] if ordered else rows[0]
    line = f"line {first.line}" if with_line and first.line else ""
    both = ", ".join(filter(None, (named, line)))
    return f" ({both})" if both else ""


def _origin(value: Value, with_log: bool) -> str:
    """Return where a value is from: `(turn 9, user; previously 0.09 in turn 3)`."""
    fact, now = value.now.fact, value.now
    source = f", {now.mark or now.source}"
    time = f" at {now.clock}" if now.clock else ""
    read = f" in {now.log}{time}" if now.log and with_log else ""
    before = ", ".join(
        f"{old.fact.value}{_unit(old.fact)}"
        f"{f' on channel {old.fact.channel}' if old.fact.channel not in ('', fact.channel) else ''}"
        f" in turn {old.turn}"
        for old in value.earlier
    )
    history = f"; previously {before}" if before else ""
    other = now.against
    dissent = f"; turn {other.turn} says {other.fact.value}{_unit(other.fact)}" if other else ""
    return f"(turn {now.turn}{source}{read}{history}{dissent})"


def _unit(fact: Fact) -> str:
    return fact.unit if fact.unit[:1] in ("%", "％", "°", "℃", "") else f" {fact.unit}"


def render_state(state: DiagnosticState, origins: Origins) -> tuple[list[str], list[str]]:
    """Return the lines of <diagnostic_context> on the device and its logs, and those on what was found.

    The newest items only; nothing where nothing is known.

    origins  where an item is from, which stands behind it
    """
    named = " ".join(
        as_line(part) for part in (state.device_name, state.device_ip and f"({state.device_ip})") if part
    )
    logs, earlier = state.downloaded_logs[-SHOWN_LOGS:], len(state.downloaded_logs[:-SHOWN_LOGS])
    head = [
        f"Device: {named if state.device_name else state.device_ip}" if device_key(state) else "",
        f"Last log: {state.last_log_file}" if state.last_log_file else "",
        f"Downloaded: {', '.join(logs)}{f' and {earlier} earlier' if earlier else ''}" if logs else "",
    ]

    def newest(name: str, shown: int) -> list[str]:
        return [f"  - {_dated(name, text, origins)}" for text in getattr(state, name)[-shown:]]

    items = [
        *_listed("Key findings", newest("findings", SHOWN_FINDINGS)),
        *_listed("Hypotheses", newest("hypotheses", SHOWN_CAUSES)),
        *_listed("Root causes", newest("root_causes", SHOWN_CAUSES)),
    ]
    return [as_line(line) for line in head if line], [as_line(line) for line in items]


def _dated(name: str, text: str, origins: Origins) -> str:
    """Return an item with since when it is known, and suspected."""
    origin, suspected = (origins.get((field, text), "") for field in (name, "hypotheses"))
    both = f"{origin}; suspected since {suspected}" if name != "hypotheses" and suspected else origin
    return f"{text} ({both})" if both and origin and name != "findings" else text
