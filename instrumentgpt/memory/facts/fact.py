"""One value of one device and quantity."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One value that a message states; `channel` and `unit` are "" where there is none."""

    device: str
    channel: str
    parameter: str
    value: str
    unit: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What the value is of; another value of the same key supersedes it."""
        return self.device, self.channel, self.parameter
