"""The chat: one question, asked once, with all that is remembered."""

from dataclasses import replace

from instrumentgpt.agents.events import Events, Text
from instrumentgpt.analyst.questions import near_misses
from instrumentgpt.analyst.words import joined, phrase
from instrumentgpt.instruments.devices import entry
from instrumentgpt.instruments.language import language_of
from instrumentgpt.turn.ask import ask
from instrumentgpt.turn.turn import Turn


def chat(turn: Turn) -> Events:
    """Ask the agent once; a question about devices that nobody knows is answered here, without it."""
    if not turn.unknown:
        yield from ask(turn)
        return
    note = how_to_add(turn)
    yield Text(note, whole=True)
    for event in ask(turn) if turn.devices else ():
        yield replace(event, segment=event.segment + 1) if isinstance(event, Text) else event


def how_to_add(turn: Turn) -> str:
    """Return what to tell about the unknown devices of the question, in its language: which may be meant."""
    language, name = language_of(turn.question.content), turn.unknown[0]
    labels = ", ".join(device.label for device in turn.inventory.devices)
    text = phrase(
        "unknown_device",
        language,
        names=", ".join(turn.unknown),
        inventory=turn.inventory.path,
        entry=entry("my device", name) if name.count(".") == 3 else entry(name),
        known=labels or phrase("no_devices_yet", language),
    )
    near = joined(near_misses(name, turn.inventory), language)
    return (phrase("did_you_mean", language, names=near) + "\n\n" if near else "") + text
