"""What is answered about gains: whether one may be changed, and which would be better."""

from dataclasses import dataclass, field
from typing import Literal

from instrumentgpt.instruments.tuning.gains import GainName, Gains

Verdict = Literal["yes", "no", "not_proven"]


@dataclass(frozen=True)
class Answer:
    """Whether a gain may be changed; `reason` and `experiment` name sentences of advice.toml.

    verdict       "yes": every accepted model keeps both margins; "no": none does; "not_proven": some do
    present       the gain in force, nan if unknown
    asked         the gain asked for, nan if unknown
    phase_margin  degrees, worst of all accepted models at `asked`; nan if there are none
    gain_margin   factor, likewise
    """

    channel: int
    gain: GainName
    verdict: Verdict
    present: float
    asked: float
    phase_margin: float
    gain_margin: float
    reason: str
    experiment: str = ""
    numbers: dict[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Advice:
    """Better gains, or why none are given; `reason` names the sentence of advice.toml, `numbers` fill it.

    proposed      None unless they help on every accepted model
    iae_ratio     predicted IAE with the proposed gains over that with the present ones, on the worst model
    """

    channel: int
    present: Gains | None
    proposed: Gains | None
    phase_margin: float
    gain_margin: float
    iae_ratio: float
    reason: str
    experiment: str = ""
    numbers: dict[str, float | str] = field(default_factory=dict)
