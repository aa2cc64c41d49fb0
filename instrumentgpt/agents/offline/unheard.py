"""Numbers by which a question can only mean a device, but that no device has: "why does 047 swing?"."""

import re

from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.instruments.devices import Inventory

_NUMBER = re.compile(r"(?<![\w.:/+\-=#])0\d+(?![\w/%°]|[.:\-]\d)", re.ASCII)
_OF_A_DEVICE = re.compile(  # what stands before it
    r"(?:^|\b(?:is|are|does|did|do|was|has|of|with|on|for|about|and|vs\.?|versus|plot|check|diagnose|compare"
    r"|device|instrument|unit|oven)|[，,。？?！!；;、的看跟和與与那台查]|另外|[還还]有)\s*$",
    FLAGS,
)


def unheard_of(words: str, inventory: Inventory) -> tuple[str, ...]:
    """Return the numbers in `words` that are written as the devices' are, and that no device has.

    It is better to ask than to answer for the device that was spoken of last.
    """
    written = {number for device in inventory.devices for number in re.findall(r"\d+", device.name)}
    widths = {len(number) for number in written if number.startswith("0")}
    found = [
        match.group()
        for match in _NUMBER.finditer(words)
        if len(match.group()) in widths - {0, 1} and _OF_A_DEVICE.search(words[: match.start()])
    ]
    return tuple(number for number in dict.fromkeys(found) if number not in written)
