"""Whether agents are logged in, asked in the background and kept for a while: nobody waits for it."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from instrumentgpt.agents.login import Commands, Status, status_of

KEPT_SECONDS = 300.0  # a login ends seldom, and what refuses it then says so itself
Key = tuple[str, int]  # program, hash of its environment: a key set there is another account


@dataclass
class Accounts:
    """What agents said of their login; one for the whole process, used by many threads."""

    ask: Callable[[str, Commands, Mapping[str, str]], Status] = status_of
    kept_seconds: float = KEPT_SECONDS
    _known: dict[Key, tuple[float, Status]] = field(default_factory=dict)
    _asked: set[Key] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, program: str, commands: Commands, environment: Mapping[str, str]) -> Status | None:
        """Return at once what `program` said last; None: it has not said anything yet.

        What is older than `kept_seconds` is asked anew, once however many ask, and returned until then.
        """
        key = _key(program, environment)
        with self._lock:
            when, status = self._known.get(key, (0.0, None))
            fresh = status is not None and time.monotonic() - when < self.kept_seconds
            if not fresh and key not in self._asked:
                self._asked.add(key)
                told = (key, program, commands, dict(environment))
                threading.Thread(
                    target=self._look, args=told, name=f"status of {program}", daemon=True
                ).start()
        return status

    def learn(self, program: str, environment: Mapping[str, str], status: Status) -> None:
        """Keep what somebody has just seen, after a login for example."""
        with self._lock:
            self._known[_key(program, environment)] = time.monotonic(), status

    def _look(self, key: Key, program: str, commands: Commands, environment: Mapping[str, str]) -> None:
        status = Status(None, "It did not answer.")
        try:
            status = self.ask(program, commands, environment)
        finally:
            with self._lock:
                self._known[key] = time.monotonic(), status
                self._asked.discard(key)


def _key(program: str, environment: Mapping[str, str]) -> Key:
    return program, hash(frozenset(environment.items()))
