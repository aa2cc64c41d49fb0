"""What stands in <diagnostic_context>: the state of the device, and what is known of those in question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from instrumentgpt.text.facts import Names
from instrumentgpt.text.facts.devices import devices_in
from instrumentgpt.text.known import Key, Known, Value, keys_in, still_true, values_in_force
from instrumentgpt.text.known_lines import pinned_lines, render_known, values_as_said
from instrumentgpt.text.said.bearing import only_of, said_lines
from instrumentgpt.text.said.outdated import later_of, since
from instrumentgpt.text.said.part import NO_EVIDENCE, Evidence, as_said, line_words
from instrumentgpt.text.state import DiagnosticState, device_key
from instrumentgpt.text.state_items import without_items
from instrumentgpt.text.state_lines import SHOWN_FINDINGS, Origins, render_state
from instrumentgpt.text.terms import phrases
from instrumentgpt.text.untrusted import without_tags

PARTS = 20  # of earlier messages
LOOKED_AT = 2 * SHOWN_FINDINGS  # newest findings that are held against what is known since
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
    evidence what earlier messages say in words that may bear on the question
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
    evidence: Evidence = NO_EVIDENCE

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


def keys_of(case: Case) -> set[Key]:
    """Return the quantities whose values decide which findings of the state still hold."""
    return keys_in(case.state.findings[-LOOKED_AT:], device_key(case.state), case.names)


def context_lines(case: Case, with_state: bool = True, with_facts: bool = True, parts: int = PARTS) -> str:
    """Return the lines of the context but the pinned, what bears most on the question first.

    parts  of earlier messages at most

    What is superseded is left out of the state, or told as that.
    """
    shown = without_items(case.state, case.pinned) if case.pinned else case.state.copy()
    shown.last_log_file = case.state.last_log_file
    newest = shown.findings[-LOOKED_AT:]
    device = device_key(case.state)
    newest = [text for text in newest if not _is_of_others(text, device, case.names)]
    shown.findings = still_true(newest, case.in_force, device, case.names)
    evidence = only_of(case.devices, case.evidence)
    values = case.in_force.values()
    later = later_of([*evidence.said, *values_as_said(values, case.scope)])

    def since_said(text: str, message_id: int) -> str:
        return (
            since(as_said(text, message_id, device, cues=frozenset({"cause"})), later) if message_id else ""
        )

    head, found = render_state(shown, case.origins, since_said) if with_state else ([], [])
    head += _called(case) if with_state else ()
    if not with_facts:
        return "\n".join([*head, *found])
    known = render_known(case.known, values, case.scope, case.question, case.others, later, case.names)
    told = "\n".join([*known.asked, *known.said, *found])
    new = replace(evidence, said=[one for one in evidence.said if line_words(one) not in told])
    bearing = said_lines(case.question, new, case.scope, later, parts, known.numbers)
    return "\n".join([*head, *known.asked, *bearing, *known.said, *found, *known.further])


def _is_of_others(text: str, device: str, names: Names) -> bool:
    """Return whether a finding names other devices than the one it is filed under."""
    named = devices_in(text, names)
    return bool(named) and device not in named


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
