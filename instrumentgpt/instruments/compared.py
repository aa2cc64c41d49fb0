"""Whether a question sets another device beside the one in question: "compare with 050", 「跟 050 比」."""

import re

from instrumentgpt.instruments.devices import Device, Inventory, Resolution, resolve, spoken_names
from instrumentgpt.memory.facts import devices_named

_LEADING = r"(?:(?:the|our|device|instrument|unit|oven|that|those|of|on)\s+)*$"
_BEFORE = re.compile(
    r"(?:\b(?:compar\w*|differ\w*|contrast\w*|similar\w*|identical"
    r"|(?:is|are|was|looks?|behaves?)\b[^.?!;。？！；]{0,25}? same)\b[^.?!;。？！；]{0,40}?"
    rf"\b(?:with|to|from|and|as|against)\s+{_LEADING}"
    rf"|\b(?:versus|vs\.?|than|unlike|against|beside|alongside)\s+{_LEADING}"
    r"|(?:比[較较起]?|[對对][比照]|相[較较]?[於于])(?:一下)?\s*$)",
    re.IGNORECASE,
)
_WITH_HAN = re.compile(r"[跟和與与同]\s*$")
_COMPARED_HAN = re.compile(
    r"\s*(?:的|那[台部]|[設设][備备]|[機机]台)?[^，。？！,?!]{0,10}?(?:比|[對对]照|不同|不一[樣样]|一[樣样](?![設设做處处改調调])|差[別别異异在])"
)
_IN_TIME = re.compile(
    r"\b(?:last|previous|before|earlier|older|since|yesterday|ago)\b|[上前昨]一?[個个份次天]", re.I
)


def asked_about(text: str, inventory: Inventory, device_scope: str | None) -> Resolution:
    """Return the devices that a question is about, first the one that it turns to, and those nobody knows.

    device_scope  address of the device that the conversation is about: it stays the one where the question
                  only sets another beside it
    """
    named = resolve(text, inventory)
    own = next((device for device in inventory.devices if device.ip == device_scope), None)
    if own is None or len(named.devices) != 1 or own in named.devices:
        return named
    if not _is_set_beside(text, named.devices[0], inventory):
        return named
    return Resolution((own, *named.devices), named.unknown)


def _is_set_beside(text: str, device: Device, inventory: Inventory) -> bool:
    """Return whether `text` names the device as what something is compared with, now and not in time."""
    if _IN_TIME.search(text):
        return False
    for start, end, name in devices_named(text, tuple(spoken_names(inventory))):
        if name == device.name:
            before, after = text[:start], text[end:]
            return bool(_BEFORE.search(before) or (_WITH_HAN.search(before) and _COMPARED_HAN.match(after)))
    return False
