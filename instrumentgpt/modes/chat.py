"""The chat: one question, asked once, with all that is remembered."""

from dataclasses import replace

from instrumentgpt.agents.events import Done, Events, Text
from instrumentgpt.instruments.devices import entry
from instrumentgpt.instruments.language import language_of
from instrumentgpt.turn.ask import ask
from instrumentgpt.turn.turn import Turn

_UNKNOWN = {
    "en": (
        "{names} is not in the inventory, and I contact nothing outside it.\n\n"
        "To add it, append this to `{inventory}` (with its real name and log folder), then ask again:\n\n"
        "```toml\n{entry}\n```\n\nKnown devices: {known}."
    ),
    "zh": (
        "{names} 不在裝置清單裡，我不會連線到清單以外的任何裝置。\n\n"
        "若要加入，請把下面這段加到 `{inventory}`（名稱與記錄檔資料夾請依實際情況修改），然後再問一次：\n\n"
        "```toml\n{entry}\n```\n\n已知裝置：{known}。"
    ),
}
_NONE = {"en": "none yet", "zh": "目前沒有"}


def chat(turn: Turn) -> Events:
    """Ask the agent once; a question about devices that nobody knows is answered here, without it."""
    if not turn.unknown:
        yield from ask(turn)
        return
    note = how_to_add(turn)
    yield Text(note, whole=True)
    if not turn.devices:
        yield Done("ok", note)
        return
    for event in ask(turn):
        yield replace(event, segment=event.segment + 1) if isinstance(event, Text) else event


def how_to_add(turn: Turn) -> str:
    """Return what to tell about the unknown devices of the question, in its language."""
    language = language_of(turn.question.content)
    name = turn.unknown[0]
    address = name if name.count(".") == 3 else ""
    known = ", ".join(device.label for device in turn.inventory.devices) or _NONE[language]
    return _UNKNOWN[language].format(
        names=", ".join(turn.unknown),
        inventory=turn.inventory.path,
        entry=entry("my device", address) if address else entry(name),
        known=known,
    )
