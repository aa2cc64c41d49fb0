"""What a handler works with: the turn and the language, and the sentences it says (texts.toml)."""

import tomllib
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import memory
from instrumentgpt.agents.events import Event
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.language import Language, Sentence
from instrumentgpt.turn.turn import Turn

TEXTS = Path(__file__).with_name("texts.toml")
Doing = Generator[Event, None, str]  # a handler at work: its events, and the content of its follow-up


class CannotDo(InstrumentGPTError):
    """A command that was understood, and cannot be carried out; the text says why, in its language."""


@dataclass(frozen=True)
class Bench:
    """One command being carried out."""

    turn: Turn
    language: Language

    def say(self, key: str, **fields: Any) -> str:
        """Return the sentence `key` of texts.toml in the language of the command."""
        return phrase(key, self.language, **fields)

    @property
    def device(self) -> Device | None:
        """The device that is meant: named in the command, else the one the conversation is about."""
        if self.turn.devices:
            return self.turn.devices[0]
        names = (self.turn.state.device_name, self.turn.state.device_ip, memory.device_key(self.turn.state))
        known = (one for one in self.turn.inventory.devices if one.name in names or one.ip in names)
        return next(known, None)

    @property
    def known_devices(self) -> str:
        """The devices there are, for a sentence."""
        return ", ".join(device.label for device in self.turn.inventory.devices)


def phrase(key: str, language: Language, **fields: Any) -> str:
    """Return the sentence `key` in `language`, its fields filled in.

    >>> phrase("done", "zh")
    '完成。'
    """
    return str(Sentence().format(sentences()[key][language], **fields))


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return every sentence: key → language → text with {fields}."""
    with TEXTS.open("rb") as file:
        return tomllib.load(file)
