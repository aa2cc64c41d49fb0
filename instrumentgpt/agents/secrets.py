"""Keys and passwords in what an agent says: replaced before anything is stored, shown or logged."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from instrumentgpt.agents.events import Events, Text

HIDDEN = "[secret hidden]"
SHORTEST_VALUE = 8  # characters; a shorter value of a variable stands in too many innocent words
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH", re.IGNORECASE)
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w-]*\d)[\w-]{16,}|sk_live_\w{16,}|key_[0-9a-f]{24,}|AIza[\w-]{30,}"
    r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|glpat-[\w-]{16,}|hf_\w{20,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
    r"|(?<=[Bb]earer )[\w.~+/=-]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_LAST_WORD = re.compile(r"(?:[Bb]earer )?[\w.~+/=-]*\Z", re.ASCII)
NAMES = ("session_id", "call_id", "artifact_id")  # of events: what others are found by
LONGEST_WORD = 4096  # characters held back, for it may become a key


@dataclass(frozen=True)
class Secrets:
    """What must not be told: the `values`, longest first, and whatever looks like a key of a known kind."""

    values: tuple[str, ...] = ()

    def hide(self, text: str) -> str:
        """Return `text` with each secret replaced.

        >>> Secrets(("hunter2hunter2",)).hide("key sk-ant-0123456789abcdef and hunter2hunter2; sk-learn")
        'key [secret hidden] and [secret hidden]; sk-learn'
        """
        for value in self.values:
            text = text.replace(value, HIDDEN)
        return _KEY.sub(HIDDEN, text)

    def pending(self, text: str) -> int:
        """Return where in `text` its last word begins, or a value of which the end has not been said."""
        word = _LAST_WORD.search(text, max(len(text) - LONGEST_WORD, 0))
        places = [word.start() if word else len(text)]
        for value in self.values:
            for size in range(min(len(value) - 1, len(text)), 0, -1):
                if text.endswith(value[:size]):
                    places.append(len(text) - size)
                    break
        return min(places)


def secrets_of(environment: Mapping[str, str]) -> Secrets:
    """Return the values of `environment` whose names say that they are secret.

    >>> secrets_of({"CURSOR_API_KEY": "abcdefgh1234", "PATH": "/usr/bin:/bin", "X_TOKEN": "short"}).values
    ('abcdefgh1234',)
    """
    named = [text for name, text in environment.items() if _SECRET_NAME.search(name)]
    for proxy in (text for name, text in environment.items() if name.upper().endswith("_PROXY")):
        with suppress(ValueError):  # it is no address
            named.append(urlsplit(proxy).password or "")
    return Secrets(
        tuple(sorted({text for text in named if len(text) >= SHORTEST_VALUE}, key=len, reverse=True))
    )


def redacted(events: Events, secrets: Secrets) -> Events:
    """Yield `events` without secrets: of words that come in pieces the last is held back till its end."""
    pieces = _Pieces(secrets)
    with closing(events):
        for event in events:
            if isinstance(event, Text) and event.text and not event.whole:
                yield from pieces.say(event)
            else:
                recapped = isinstance(event, Text) and event.whole and event.segment == pieces.segment
                yield from () if recapped else pieces.rest()
                pieces.held = ""
                fields = {name: value for name, value in vars(event).items() if name not in NAMES}
                yield replace(event, **{name: _hidden(value, secrets) for name, value in fields.items()})


@dataclass
class _Pieces:
    """The words of a segment on their way: `held` may become a secret."""

    secrets: Secrets
    segment: int = 0
    held: str = ""

    def say(self, event: Text) -> Iterator[Text]:
        if event.segment != self.segment:
            yield from self.rest()
            self.segment = event.segment
        words = self.held + event.text
        cut = self.secrets.pending(words)
        self.held = words[cut:]
        if cut:
            yield Text(self.secrets.hide(words[:cut]), self.segment)

    def rest(self) -> Iterator[Text]:
        words, self.held = self.held, ""
        if words:
            yield Text(self.secrets.hide(words), self.segment)


def _hidden(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.hide(value)
    if isinstance(value, dict):
        return {secrets.hide(key): _hidden(inner, secrets) for key, inner in value.items()}
    return [_hidden(inner, secrets) for inner in value] if isinstance(value, list) else value
