"""The lines of <diagnostic_context> that tell the state of a device."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.untrusted import as_line, without_notes

SHOWN_LOGS = 5  # newest
SHOWN_FINDINGS = 8
SHOWN_CAUSES = 5


@dataclass(frozen=True)
class Origin:
    """Where a line of the state is from: as it is told, and the message that said it first (0: not known)."""

    told: str = ""
    message_id: int = 0


Origins = Mapping[tuple[str, str], Origin]  # of (field, text)


def render_state(
    state: DiagnosticState,
    origins: Origins = MappingProxyType({}),
) -> tuple[list[str], list[str]]:
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

    def told(name: str, shown: int) -> list[str]:
        return [_dated(name, text, origins) for text in getattr(state, name)[-shown:]]

    found = [
        *_listed("Key findings", told("findings", SHOWN_FINDINGS)),
        *_listed("Hypotheses", told("hypotheses", SHOWN_CAUSES)),
        *_listed("Root causes", told("root_causes", SHOWN_CAUSES)),
    ]
    return [as_line(line) for line in head if line], [as_line(line) for line in found]


def _dated(name: str, text: str, origins: Origins) -> str:
    """Return an item with since when it is known, and suspected."""
    known, suspected = (origins.get((field, text), Origin()).told for field in (name, "hypotheses"))
    both = f"{known}; suspected since {suspected}" if name != "hypotheses" and suspected else known
    own = without_notes(text)
    return f"{own} ({both})" if both and known and name != "findings" else own


def _listed(title: str, texts: list[str]) -> list[str]:
    return [f"{title}:", *(f"  - {text}" for text in texts)] if texts else []
