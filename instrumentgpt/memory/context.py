"""What stands in <diagnostic_context>: the state of the device, and what is known of those in question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from instrumentgpt.memory.facts import Names
from instrumentgpt.memory.facts.devices import devices_in
from instrumentgpt.memory.reading.values import values_in
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.state_items import without_items
from instrumentgpt.memory.state_lines import SHOWN_FINDINGS, Origins, render_state
from instrumentgpt.memory.terms import phrases
from instrumentgpt.memory.untrusted import without_tags
from instrumentgpt.memory.value_lines import pinned_lines, render_known
from instrumentgpt.memory.values import Key, Known, Value, agree, values_in_force

ASIDE = " — "  # before a remark on a value
VALUE_ALONE = re.compile(r"[^:：]{1,50}[:：] *\S+(?: \S+)?")
SHOWN_NICKNAMES = 4  # of a device
PINNED_AS = {
    "root_causes": "root cause",
    "findings": "finding",
    "hypotheses": "hypothesis",
    "downloaded_logs": "log",
}


@dataclass(frozen=True)
class Case:
    """What a question is asked about.

    state    as in force
    known    what messages stated, as `db.list_facts` or `db.facts_of` return it
    devices  further devices that the question names; the state's own comes first
    others   further devices of the conversation, of which only the names are told
    names    the names of every device
    pinned   (field, text) of the state that is in every prompt, as rows of `known` may be too
    origins  (field, text) of the state → where it is from
    called   device → what the users of the conversation call it
    """

    question: str
    state: DiagnosticState
    known: Sequence[Known] = ()
    devices: Sequence[str] = ()
    others: Sequence[str] = ()
    names: Names = ()
    pinned: Sequence[tuple[str, str]] = ()
    origins: Origins = field(default_factory=dict)
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def scope(self) -> list[str]:
        """The devices in question, by name; one without a name where none is known yet."""
        own = device_key(self.state)
        return list(dict.fromkeys(name for name in (own, *self.devices) if name)) or [""]

    @cached_property
    def in_force(self) -> dict[Key, Value]:
        """The values in force of what is known."""
        return values_in_force(self.known)


def wanted_terms(question: str) -> set[str]:
    """Return the terms that what a question asks for may have in its name."""
    return {term for phrase in phrases(question) for term in phrase}


def context_lines(case: Case, with_state: bool = True, with_facts: bool = True) -> str:
    """Return the lines of the context but the pinned, what bears most on the question first."""
    shown = without_items(case.state, case.pinned) if case.pinned else case.state.copy()
    shown.last_log_file = case.state.last_log_file
    device = device_key(case.state)
    shown.findings = _newest_of_each(shown.findings, device, case)
    head, found = render_state(shown, case.origins) if with_state else ([], [])
    head += _called(case) if with_state else ()
    if not with_facts:
        return "\n".join([*head, *found])
    known = render_known(
        case.known, case.in_force.values(), case.scope, case.question, case.others, case.names
    )
    return "\n".join([*head, *known.asked, *known.said, *found, *known.further])


def _newest_of_each(findings: Sequence[str], device: str, case: Case) -> list[str]:
    """Return the newest findings on the device, without those that tell another value than is in force.

    In force is what a tool read or the user said of the same quantity, else what a newer finding says.
    One that is nothing but a value is told where that is on record: an answer's words state none.
    """
    known = {key: value.now.fact for key, value in case.in_force.items()}
    kept: list[str] = []
    for text in reversed(findings):
        named = devices_in(text, case.names)
        told = values_in(text.replace(ASIDE, "\n"), device, case.names)
        is_value = VALUE_ALONE.fullmatch(text.partition(ASIDE)[0])
        if (named and device not in named) or any(
            not agree(known.get(one.key, one), one) or (is_value and one.key not in known) for one in told
        ):
            continue
        known |= {one.key: known.get(one.key, one) for one in told}
        kept.append(text)
        if len(kept) == SHOWN_FINDINGS:
            break
    return kept[::-1]


def _called(case: Case) -> Iterator[str]:
    """Yield which device each nickname is, the newest of a device's."""
    for device, nicknames in case.called.items():
        told = ", ".join(f'"{nickname}"' for nickname in nicknames[-SHOWN_NICKNAMES:])
        yield without_tags(f"{device} is called {told}")


def lines_pinned(case: Case) -> tuple[str, ...]:
    """Return what the user pinned, a line each."""
    items = [
        f"  - {PINNED_AS[name]}: {text}" for name, text in case.pinned if text in getattr(case.state, name)
    ]
    return (*items, *pinned_lines(case.known, case.in_force.values(), case.scope))
