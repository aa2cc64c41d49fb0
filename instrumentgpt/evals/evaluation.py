"""The evaluation: every case by every agent; its figures, shares with their intervals."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from instrumentgpt.evals.cases import Case
from instrumentgpt.evals.criteria import CRITERIA, Verdict, judged
from instrumentgpt.evals.runner import NotThere, Outcome, run_case


@dataclass(frozen=True)
class Result:
    """One case answered by one agent; without an outcome it was skipped, and `skipped` says why."""

    case: Case
    agent: str
    verdicts: tuple[Verdict, ...] = ()
    outcome: Outcome | None = None
    skipped: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every criterion is met."""
        return all(verdict.met for verdict in self.verdicts)


def share(met: Sequence[bool]) -> str:
    """Return a share in words: met of count, and in which percent it lies with 95 %; "–" without a trial.

    >>> share([True] * 9 + [False]), share([])
    ('9/10 (60-98)', '–')
    """
    if not met:
        return "–"
    from scipy.stats import binomtest  # a second or more: only where figures are printed

    low, high = binomtest(sum(met), len(met)).proportion_ci(method="wilson")
    return f"{sum(met)}/{len(met)} ({100 * low:.0f}-{100 * high:.0f})"


def tables(results: Sequence[Result]) -> str:
    """Return the tables as they are printed: cases passed per kind, criteria met, what it took."""
    judged = [result for result in results if result.outcome is not None]
    agents = list(dict.fromkeys(result.agent for result in results))
    kinds = list(dict.fromkeys(result.case.kind for result in judged))
    groups = [[result for result in judged if result.agent == agent] for agent in agents]
    by_kind = [
        ["all criteria met", *agents],
        *(
            [kind, *(share([r.passed for r in group if r.case.kind == kind]) for group in groups)]
            for kind in kinds
        ),
        ["all", *(share([result.passed for result in group]) for group in groups)],
    ]
    by_criterion = [
        ["criterion", *agents],
        *([name, *(_met(name, group) for group in groups)] for name in CRITERIA),
    ]
    spent = [["per case", *agents], *([name, *map(measure, groups)] for name, measure in SPENT.items())]
    skipped = {result.case.name: result.skipped for result in results if result.skipped}
    notes = [f"skipped: {len(skipped)} ({next(iter(skipped.values()))})"] if skipped else []
    return "\n\n".join([*map(_table, (by_kind, by_criterion, spent)), *notes])


def _met(criterion: str, results: Iterable[Result]) -> str:
    return share([v.met for result in results for v in result.verdicts if v.criterion == criterion])


def _median(values: Iterable[float]) -> str:
    numbers = list(values)
    return f"{statistics.median(numbers):,.0f}" if numbers else "–"


def _outcomes(results: Iterable[Result]) -> list[Outcome]:
    return [result.outcome for result in results if result.outcome is not None]


def _cost(results: Iterable[Result]) -> str:
    usages = [answer.usage for outcome in _outcomes(results) for answer in outcome.answers]
    costs = [usage["costUSD"] for usage in usages if "costUSD" in usage]
    return f"${sum(costs):.2f}" if costs else "not told"


SPENT: dict[str, Callable[[Sequence[Result]], str]] = {
    "tokens, median": lambda results: _median(outcome.tokens for outcome in _outcomes(results)),
    "calls, median": lambda results: _median(
        sum(len(a.tools) for a in outcome.answers) for outcome in _outcomes(results)
    ),
    "seconds, median": lambda results: _median(result.seconds for result in results),
    "cost of all": _cost,
}


def _table(rows: Sequence[Sequence[str]]) -> str:
    import pandas as pd

    (title, *agents), *body = rows
    frame = pd.DataFrame([cells for _, *cells in body], [name for name, *_ in body], agents)
    return frame.rename_axis(columns=title).to_string()


ROWS = ("offline", "good", "bad")  # who is evaluated where nobody is named


def evaluate(cases: Sequence[Case], agents: Sequence[str]) -> Iterator[Result]:
    """Yield the result of each of `cases` by each of `agents`, as it comes."""
    for case in cases:
        for agent in agents:
            began = time.monotonic()
            try:
                with TemporaryDirectory(prefix="instrumentgpt-eval-") as folder:
                    outcome = run_case(case, agent, Path(folder))
                    verdicts = tuple(judged(case, outcome))
            except NotThere as problem:
                yield Result(case, agent, skipped=str(problem))
            else:
                yield Result(case, agent, verdicts, outcome, seconds=time.monotonic() - began)
