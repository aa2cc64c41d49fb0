"""Which device a turn's words are of where they name none: not always the one that was asked about last.

An answer may have gone on to another ("done. 053: ti = 36 s"), or the talk is back at the oven after a word
on its chiller. Often nobody could tell: then they are perhaps of the others that were spoken of lately, too.
What is said of a pasted log, of which nobody said whose it is, is of no device.
"""

import re

from sqlite_utils import Database

import db
from instrumentgpt.prompts import LOOKED_AT
from instrumentgpt.storage.said import Lately, said_lately
from instrumentgpt.text.facts.devices import Names, devices_in, devices_named
from instrumentgpt.text.facts.prose import SENTENCE
from instrumentgpt.text.pasted import is_device_name
from instrumentgpt.text.said.affinity import taken_up
from instrumentgpt.text.said.units import Devices

PERHAPS = 2  # devices that words may be of beside the likeliest
OF_SEVERAL = 3  # sentences of a message that may speak of other devices than the one it names
LATELY = 200  # newest parts of messages that are looked at
ANSWER_CHARS = 4_000  # likewise, of an answer
_BEGUN = re.compile(r"(?:^|[\n.,;:!?|()，。；：！？、（）])[^\w\n]*$")


def in_hand(
    database: Database, conversation_id: str, question: db.Message, device: str, names: Names
) -> Devices:
    """Return the devices of which the words of a question may be where they name none, the likeliest first.

    A brief question that names its device speaks of that one.

    device  which the turn is about: what the conversation's questions named last
    """
    asked = question.content[:LOOKED_AT]
    is_named = bool(devices_in(asked, names))
    is_brief = len([*filter(str.strip, SENTENCE.split(asked))]) < OF_SEVERAL
    if not device or is_device_name(device) or (is_named and is_brief):
        return (device,)
    lately = said_lately(database, conversation_id, question.id, LATELY)
    likeliest = device if is_named else _held(lately, device)
    return tuple(dict.fromkeys((likeliest, *(one.device for one in reversed(lately)))))[: 1 + PERHAPS]


def answered_on(
    database: Database, conversation_id: str, question: db.Message, answer: str, held: Devices, names: Names
) -> Devices:
    """Return the same of the words of an answer, and of its question.

    The answer may begin with the one device that the question did not name, or both clearly take up what was
    said of an earlier one: then it is that.

    held  which they were when the question was asked: what `in_hand` returns
    """
    asked = question.content[:LOOKED_AT]
    if devices_in(asked, names) or is_device_name(held[0]):
        return held
    if told := _answered_about(answer, names):
        return (told,)
    lately = said_lately(database, conversation_id, question.id, LATELY)
    spoken = [(one.device, one.terms) for one in lately]
    likeliest = taken_up(f"{asked}\n{answer[:ANSWER_CHARS]}", spoken, held[0])
    return held if likeliest == held[0] else (likeliest,)


def _answered_about(answer: str, names: Names) -> str:
    """Return the one device that an answer names, if a clause begins with it: "Done. 053: ti = 36 s."."""
    named = list(devices_named(answer[:ANSWER_CHARS], names))
    alone = len({name for *_, name in named}) == 1
    return named[0][2] if alone and any(_BEGUN.search(answer[:start]) for start, *_ in named) else ""


def _held(lately: list[Lately], device: str) -> str:
    """Return the device that was spoken of last: by name, or by what followed without one."""
    named = next((one for one in reversed(lately) if one.is_named), None)
    if named is None:
        return device
    followed = [one.device for one in lately if one.message_id > named.message_id]
    if followed:
        return followed[-1]
    return named.device if _is_meant(named, lately) else device


def _is_meant(named: Lately, lately: list[Lately]) -> bool:
    """Return whether an answer that named a device told which is meant: it alone, of those asked about."""
    every = {(one.message_id, one.device) for one in lately if one.is_named}
    answered = {device for message, device in every if message == named.message_id}
    asked_in = max((one.message_id for one in lately if one.message_id < named.message_id), default=0)
    asked = {device for message, device in every if message == asked_in}
    return named.role != "user" and len(answered) == 1 and (not asked or answered <= asked)
