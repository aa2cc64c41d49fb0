"""What agents answer as data: a reply read against its contract, and what is wrong where it does not fit."""

import json
from collections.abc import Iterator
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from instrumentgpt.errors import InstrumentGPTError

MOST_ERRORS = 6  # told of one reply


class BadReply(InstrumentGPTError, ValueError):
    """A reply that does not fit its contract; the text tells the agent what is wrong."""


class Contract(BaseModel):
    """A reply as data: unknown fields are ignored, so that a talkative agent is not refused."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def read(cls, reply: str) -> Self:
        """Return what `reply` holds, as `read_reply` does."""
        return read_reply(reply, cls)


C = TypeVar("C", bound=Contract)


def read_reply(reply: str, contract: type[C], field: str = "") -> C:
    """Return the last JSON object in `reply` that fits `contract`, of those that have `field`.

    Raises BadReply naming each field that does not fit.

    >>> class Vote(Contract):
    ...     cause: str
    >>> read_reply('For example {"cause": "…"}. Mine: {"cause": "kp", "why": "it swings"}', Vote)
    Vote(cause='kp')
    """
    broken = []
    for candidate in reversed(list(_objects(reply))):
        if not field or field in candidate:
            try:
                return contract.model_validate(candidate)
            except ValidationError as problem:
                broken.append(wrong_fields(problem))
    if broken:
        raise BadReply(f"{broken[0]}. Answer with one JSON object that fits the contract")
    having = f" with a `{field}`" if field else ""
    raise BadReply(f"The reply has no JSON object{having}. Answer with one JSON object and nothing else")


def wrong_fields(error: ValidationError) -> str:
    """Return what is wrong, each with its place, as an agent or a person can mend it."""
    rows = ((".".join(map(str, row["loc"])), row["msg"]) for row in error.errors()[:MOST_ERRORS])
    return "; ".join(f"{place or 'answer'}: {message}" for place, message in rows)


def _objects(reply: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that stand in `reply`: alone, fenced, or between words."""
    decoder, place = json.JSONDecoder(), reply.find("{")
    while place != -1:
        try:
            value, end = decoder.raw_decode(reply, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = reply.find("{", end)
