"""What tests of the panel share: experts, sub-problems, contributions, and a panel driven without agents."""

from typing import Any

from instrumentgpt.modes.asking import Reply
from instrumentgpt.modes.panel.contracts import Contribution, SubProblem, SubProblemResult, Synthesis, View
from instrumentgpt.modes.panel.deliberation import deliberate
from instrumentgpt.modes.panel.experts import read_experts
from instrumentgpt.modes.panel.prompts import Context

BRIEF = {
    "log": "a.log",
    "reference": "zspr 052/a.log",
    "label": "zspr 052 (10.1.1.47)",
    "lines": 7200,
    "findings": [],
    "channels": [],
}
CLAIM = "The output went from 37.9 % to 57.0 % at 95.00 °C in 1978 s; the other channels changed by 1.05."


def context(**changes: Any) -> Context:
    told = {"question": "why?", "language": "en", "brief": BRIEF, "experts": read_experts(), "budget": 8000}
    return Context(**{**told, **changes})


def sub_problem(number: int, *experts: str, after: tuple[int, ...] = (), **changes: Any) -> SubProblem:
    told = {"candidates": ("heater_degradation", "sensor_bias", "oscillation_tuning", "ambient_disturbance")}
    goal = f"What is part {number} of it?"
    return SubProblem(**{**told, "id": number, "goal": goal, "experts": experts, "after": after, **changes})


def contribution(**changes: Any) -> Contribution:
    told: dict[str, Any] = {
        "position": "Channel 4 needs 57.0 % where it needed 37.9 % (factor 1.50).",
        "confidence": 0.85,
        "claims": [{"text": CLAIM, "evidence": [{"log": "a.log", "line": 5783, "text": "pv 95.00"}]}],
        "condition": "if the supply stayed at 230 V",
    }
    return Contribution.model_validate({**told, **changes})


def said(expert: str, number: int, told: Contribution, tools: tuple[str, ...] = ()) -> View:
    """Return `told` as what `expert` said in round `number`."""
    return View(**told.model_dump(), expert=expert, round=number, tools=tools)


class Driven:
    """A sub-problem that is deliberated by answers from a table: (expert, round) or expert → contribution.

    prompts  (expert, round) → what it was told; answers that are texts are failures
    """

    def __init__(
        self,
        part: SubProblem,
        answers: dict[Any, Contribution | str],
        results: tuple[SubProblemResult, ...] = (),
        **changes: Any,
    ) -> None:
        self.prompts: dict[tuple[str, int], str] = {}
        self.waves: list[list[str]] = []

        def ask(wants: Any) -> Any:
            yield from ()
            self.waves.append([want.key.expert for want in wants])
            return [self._answer(want, answers) for want in wants]

        try:
            next(deliberate(part, context(**changes), results, ask))
        except StopIteration as end:
            self.result: SubProblemResult = end.value

    def _answer(self, want: Any, answers: dict[Any, Contribution | str]) -> Reply:
        if want.key.stage == "synthesis":
            told = answers.get("synthesis", Synthesis(text="They hold what they hold."))
        else:
            self.prompts[want.key.expert, want.key.round] = want.prompt
            told = answers.get(
                (want.key.expert, want.key.round), answers.get(want.key.expert, contribution())
            )
        return Reply(problem=told) if isinstance(told, str) else Reply(told)


def worked(*parts: SubProblem, answers: dict[Any, Any] | None = None, **changes: Any) -> list[Driven]:
    """Return the sub-problems deliberated one after the other, each remembering those before."""
    done: list[Driven] = []
    for part in parts:
        before = tuple(one.result for one in done)
        own = (answers or {}).get(part.id, {})
        done.append(Driven(part, own, before, **changes))
    return done
