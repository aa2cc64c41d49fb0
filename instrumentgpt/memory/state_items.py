"""The state item by item: what a turn brought into it, what a deleted one takes along and brings back."""

from collections.abc import Collection, Mapping

from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import ITEM_FIELDS, STATED, STORED_ITEMS, DiagnosticState, is_among


def new_items(before: DiagnosticState, after: DiagnosticState) -> list[tuple[str, str]]:
    """Return (field, text) of what `after` has and `before` had not, for storing where it came from."""
    return [
        (name, text)
        for name in ITEM_FIELDS
        for text in getattr(after, name)
        if text not in getattr(before, name)
    ]


def without_items(state: DiagnosticState, items: Collection[tuple[str, str]]) -> DiagnosticState:
    """Return the state without the given (field, text): what said them was deleted."""
    left = state.copy()
    for name in ITEM_FIELDS:
        setattr(left, name, [text for text in getattr(state, name) if (name, text) not in items])
    if left.last_log_file not in left.downloaded_logs:
        left.last_log_file = left.downloaded_logs[-1] if left.downloaded_logs else None
    if left.status == "resolved" and not left.root_causes:
        left.status = "investigating"
    return left


def with_items(
    state: DiagnosticState,
    before: DiagnosticState,
    items: Collection[tuple[str, str]],
    said: Mapping[tuple[str, str], int],
    ruled_out: Collection[str] = (),
) -> DiagnosticState:
    """Return the state with those of the (field, text) that `before` had: what said them is back.

    before     as it was when what said them was deleted
    said       (field, text) → a number that grows with when it was first said: their order
    ruled_out  what has been ruled out since, in words
    """
    put = state.copy()
    for name in ITEM_FIELDS:
        listed: list[str] = getattr(put, name)
        for text in getattr(before, name):
            if (name, text) in items and text not in listed:
                later = (said.get((name, other), 0) > said.get((name, text), 0) for other in listed)
                listed.insert(next((at for at, is_later in enumerate(later) if is_later), len(listed)), text)
    put.hypotheses = _still_open(put, state, ruled_out)
    for name in STATED:
        del getattr(put, name)[:-STORED_ITEMS]
    if put.last_log_file is None and put.downloaded_logs:
        put.last_log_file = put.downloaded_logs[-1]
    return put


def _still_open(put: DiagnosticState, known: DiagnosticState, ruled_out: Collection[str]) -> list[str]:
    """Return the hypotheses of `put` that were open, and those put back that nobody has settled since."""
    settled = [*map(same, put.root_causes), *map(same, ruled_out)]
    return [text for text in put.hypotheses if text in known.hypotheses or not is_among(same(text), settled)]
