"""Parts of messages as the database has them, for tests without one."""

from instrumentgpt.text.said.part import Said
from instrumentgpt.text.said.units import units_in

from instrumentgpt.text.terms import terms

NAMES = (("oven 7",), ("oven 8",))


def spoken(*messages, device="oven 7"):
    """Return the parts of a conversation in which users and agents take turns, beginning with a user."""
    return [
        Said(
            1_000 * number + at,
            number,
            (number + 1) // 2,
            "user" if number % 2 else "assistant",
            unit.devices,
            frozenset(unit.cues),
            unit.text,
            frozenset(terms(unit.text)),
        )
        for number, text in enumerate(messages, 1)
        for at, unit in enumerate(units_in(text, device, NAMES))
    ]
