"""The chat: one question, asked once, with all that is remembered."""

from contextlib import closing
from dataclasses import replace

from instrumentgpt.agents.events import Done, Events, Text
from instrumentgpt.analyst.questions import near_misses
from instrumentgpt.analyst.words import joined, phrase
from instrumentgpt.instruments.language import language_of
from instrumentgpt.modes.checked import left_out
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.turn.ask import ask
from instrumentgpt.turn.turn import Turn


def chat(turn: Turn) -> Events:
    """Ask the agent once; a question about devices that nobody knows is answered here, without it.

    Behind what another agent than ours says stands the fault that our checks found and it leaves out.
    """
    first = int(bool(turn.unknown))  # segment of the agent's words
    if turn.unknown:
        yield Text(how_to_add(turn), whole=True)
        if not turn.devices:
            return
    with closing(ask(turn)) as events:
        for event in events:
            is_answered = isinstance(event, Done) and event.outcome == "ok" and turn.prompts
            if is_answered and (note := left_out(turn)):
                said = (segment for segment in turn.answer.pieces if isinstance(segment, int))
                yield Text(note, max(said, default=0) + 1, whole=True)
            yield replace(event, segment=event.segment + first) if isinstance(event, Text) else event


def how_to_add(turn: Turn) -> str:
    """Return what to tell about the unknown devices of the question, in its language: which may be meant."""
    language, name = language_of(turn.question.content), turn.unknown[0]
    labels = ", ".join(device.label for device in turn.inventory.devices)
    text = phrase(
        "unknown_device",
        language,
        names=", ".join(turn.unknown),
        inventory=turn.inventory.path,
        shipped=int(turn.inventory.path == DEMO_INVENTORY),
        known=labels or phrase("no_devices_yet", language),
    )
    near = joined(near_misses(name, turn.inventory), language)
    return (phrase("did_you_mean", language, names=near) + "\n\n" if near else "") + text
