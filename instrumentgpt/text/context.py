"""What stands in <diagnostic_context>: the state of the device, and what is known of those in question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from instrumentgpt.text.facts import Names
from instrumentgpt.text.known import Key, Known, keys_in, still_true
from instrumentgpt.text.known_lines import pinned_lines, render_known
from instrumentgpt.text.state import SHOWN_FINDINGS, DiagnosticState, device_key, render_state, without_items
from instrumentgpt.text.terms import phrases
from instrumentgpt.text.untrusted import without_tags

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
    dated    (field, text) of the state → since when it is known, and from where
    called   device → what the users of the conversation call it
    """

    question: str
    state: DiagnosticState
    known: Sequence[Known] = ()
    devices: Sequence[str] = ()
    others: Sequence[str] = ()
    names: Names = ()
    pinned: Sequence[tuple[str, str]] = ()
    dated: Mapping[tuple[str, str], str] = field(default_factory=dict)
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def scope(self) -> list[str]:
        """The devices in question, by name; one without a name where none is known yet."""
        own = device_key(self.state)
        return list(dict.fromkeys(name for name in (own, *self.devices) if name)) or [""]


def wanted_terms(question: str) -> set[str]:
    """Return the terms that what a question asks for may have in its name."""
    return {term for phrase in phrases(question) for term in phrase}


def keys_of(case: Case) -> set[Key]:
    """Return the quantities whose values decide which findings of the state still hold."""
    return keys_in(case.state.findings[-LOOKED_AT:], device_key(case.state), case.names)


def context_lines(case: Case, with_state: bool = True, with_facts: bool = True) -> str:
    """Return the lines of the context but the pinned: the state less what is superseded, then the values."""
    shown = without_items(case.state, case.pinned) if case.pinned else case.state.copy()
    shown.last_log_file = case.state.last_log_file
    newest = shown.findings[-LOOKED_AT:]
    shown.findings = still_true(newest, case.known, device_key(case.state), case.names)
    state = render_state(shown, case.dated) if with_state else ""
    told = render_known(case.known, case.scope, case.question, case.others) if with_facts else ()
    called = _called(case) if with_state else ()
    return "\n".join(part for part in (state, *called, *told) if part)


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
    return (*items, *pinned_lines(case.known, case.scope))
