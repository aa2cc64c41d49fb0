"""The evaluation: every case by every agent, one after the other, each in a folder of its own."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from instrumentgpt.evals.cases import FOLDER, Case
from instrumentgpt.evals.criteria import judged
from instrumentgpt.evals.fixtures import NotThere
from instrumentgpt.evals.recording import recorded, write
from instrumentgpt.evals.runner import SCRIPTED, run_case
from instrumentgpt.evals.tables import Result

ROWS = ("offline", "good", "bad")  # who is evaluated where nobody is named
RECORDINGS = FOLDER / "recordings"


def evaluate(
    cases: Sequence[Case], agents: Sequence[str], record: bool = False, recordings: Path = RECORDINGS
) -> Iterator[Result]:
    """Yield the result of each of `cases` by each of `agents`, as it comes.

    record      keep what they said and called in `recordings`, a file for each kind, to be replayed
    """
    for case in cases:
        for agent in agents:
            began = time.monotonic()
            try:
                verdicts, outcome = _run(case, agent, record, recordings / f"{case.kind}.jsonl")
            except NotThere as problem:
                yield Result(case, agent, skipped=str(problem))
            else:
                yield Result(case, agent, verdicts, outcome, seconds=time.monotonic() - began)


def _run(case: Case, agent: str, record: bool, path: Path):  # type: ignore[no-untyped-def]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="instrumentgpt-eval-")))
        steps = stack.enter_context(recorded(SCRIPTED.get(agent, agent))) if record else []
        outcome = run_case(case, agent, folder, path)
        if steps:
            write(path, steps)
        return tuple(judged(case, outcome)), outcome
