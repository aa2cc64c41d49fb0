"""The state item by item: what a turn brought into it, and what it is without a deleted one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import (
    ITEM_FIELDS,
    STATED,
    STORED_ITEMS,
    DiagnosticState,
    device_key,
    is_among,
)


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


def changed_alike(
    whole: DiagnosticState, shown: DiagnosticState, now: DiagnosticState, ruled_out: Collection[str] = ()
) -> DiagnosticState:
    """Return `whole` changed as `shown`, which leaves out what was deleted of it, has become `now`.

    ruled_out  what has been ruled out since, in words: no hypothesis any more, though it was not shown
    """
    changed = now.copy()
    settled = list(map(same, [*now.root_causes, *ruled_out]))
    for name in ITEM_FIELDS:
        before, before_shown, after = (getattr(state, name) for state in (whole, shown, now))
        hidden = [text for text in before if text not in before_shown]
        if name == "hypotheses":
            hidden = [text for text in hidden if not is_among(same(text), settled)]
        listed = [text for text in before if text in hidden or text in after]
        known = {*before, *before_shown}
        setattr(changed, name, [*listed, *(text for text in after if text not in known)])
    for name in STATED:
        del getattr(changed, name)[:-STORED_ITEMS]
    if now.last_log_file == shown.last_log_file:
        changed.last_log_file = whole.last_log_file
    return changed


@dataclass(frozen=True)
class Memory:
    """What is stored of a conversation as a whole: states as JSON, `filed` those of devices it has left."""

    summary: str
    state: str
    filed: dict[str, str]

    @property
    def device(self) -> str:
        """The one in question."""
        return device_key(DiagnosticState.deserialize(self.state))


def resumed(memory: Memory, device: str) -> Memory:
    """Return the memory with `device` in question: what was said meanwhile of no device was said of it."""
    filed, said = map(DiagnosticState.deserialize, (memory.filed[device], memory.state))
    state = changed_alike(filed, DiagnosticState(), said)
    state.device_ip, state.device_name = filed.device_ip, filed.device_name
    if said.status == "idle":
        state.status = filed.status
    return replace(memory, state=state.serialize())


def merged(whole: Memory, shown: Memory, now: Memory, asked_on: bool, out: Sequence[str] = ()) -> Memory:
    """Return the memory `whole` with what made `now` of `shown`, which is `whole` without deleted turns.

    asked_on  whether anything was asked meanwhile: then the conversation is about the device that it is now
    out       what was ruled out meanwhile, in words
    """

    def alike(whole: str, shown: str, now: str) -> str:
        if now == shown:
            return whole
        before, between, after = map(DiagnosticState.deserialize, (whole, shown, now))
        return changed_alike(before, between, after, out).serialize()

    filed = {
        device: alike(whole.filed.get(device, ""), shown.filed.get(device, ""), now.filed.get(device, ""))
        for device in {**whole.filed, **now.filed}
    }
    before, after = whole.device, now.device
    state, base = whole.state, shown.state if shown.device == after else ""
    if before == after:
        state = alike(whole.state, base, now.state)
    elif now.state != shown.state or (after and asked_on):
        state = alike(whole.filed.get(after, ""), base, now.state)
        filed |= {before: whole.state} if before else {}
    summary = whole.summary if now.summary == shown.summary else now.summary
    return Memory(summary, state, filed)
