"""What a panel adds to a single answer, on logs whose fault is known: offline, both over the same checks.

    python -m bench.panel [LOGS]

LOGS is the folder of the labelled logs (instrument_debug/truth.jsonl, stiction/truth.json).
For each log: is the right cause first, is a runner-up named, how many wrong causes are ruled out with a number
(in brackets: with a line of the log), is a measurement named that would decide.
The single answer is that of `diagnose_log`; the panel is the decomposition by rules, every expert, every
synthesis, in this process instead of one each.
"""

import io
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.case import Task
from instrumentgpt.agents.offline.program import TASKS
from instrumentgpt.agents.offline.task import use_tool
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.modes.panel.asked import Heard, Want
from instrumentgpt.modes.panel.contracts import Contribution, Plan, as_json, read_reply
from instrumentgpt.modes.panel.decomposition import batches, checked
from instrumentgpt.modes.panel.deliberation import Context, deliberate
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.experts import read_experts
from instrumentgpt.modes.panel.prompts import plan_prompt, record_of
from instrumentgpt.text.language import Language
from instrumentgpt.text.tokens import count_tokens

RESULT = Path(__file__).parent / "results" / "panel.txt"
LOGS = Path(__file__).parents[2] / "shared" / "logs"
ACTUATOR = "limit_cycle_actuator"


@dataclass
class Held:
    """A panel that was held on one log; `heard` are all contributions, `prompts` tokens that were read."""

    brief: Mapping[str, Any]
    plan: Plan
    results: list[SubProblemResult] = field(default_factory=list)
    heard: list[Contribution] = field(default_factory=list)
    tokens: int = 0

    @property
    def cause(self) -> str:
        """The cause of the most important sub-problem that has one; "" if none has."""
        kinds = {part.id: part.kind for part in self.plan.sub_problems}
        order = [one["class"] for one in self.brief["findings"]]
        named = [one for one in self.results if one.cause and kinds[one.sub_problem_id] != "decide"]
        named.sort(key=lambda one: order.index(one.cause) if one.cause in order else len(order))
        return named[0].cause if named else ""

    @property
    def leading(self) -> SubProblemResult | None:
        """The result that the cause is from: its own sub-problem's, rather than that of the record."""
        return next((one for one in self.results[1:] + self.results if one.cause == self.cause != ""), None)

    @property
    def summaries(self) -> list[str]:
        """Every summary for an expert's memory."""
        return [text for one in self.results for text in one.expert_summaries.values()]


def held(log: Path, question: str, language: Language, folder: Path) -> Held:
    """Return the panel that our own analyst holds on `log`."""
    brief = json.loads(_answer("panel_brief", question, log, folder, {"language": language}))
    told = {"brief": brief, "language": language}
    plan = read_reply(_answer("panel_plan", question, log, folder, told), Plan)
    experts = read_experts()
    done = Held(brief, checked(plan, experts))
    prompt = plan_prompt(question, record_of(brief), (), experts, language, 8000)
    done.tokens = count_tokens(prompt) + count_tokens(json.dumps(as_json(plan)))
    context = Context(question, language, brief, experts, 8000)
    for batch in batches(plan.sub_problems):
        before = tuple(done.results)
        for part in batch:
            steps = deliberate(part, context, before)
            try:
                wants = next(steps)
                while True:
                    wants = steps.send([_heard(want, question, log, folder, done) for want in wants])
            except StopIteration as end:
                done.results.append(end.value)
    return done


def _heard(want: Want, question: str, log: Path, folder: Path, done: Held) -> Heard:
    reply = _answer(f"panel_{want.key.stage}", question, log, folder, want.told)
    content = read_reply(reply, want.contract)
    done.tokens += count_tokens(want.prompt) + count_tokens(reply)
    if isinstance(content, Contribution):
        done.heard.append(content)
    return Heard(content, ("diagnose_log",))


def _answer(name: str, question: str, log: Path, folder: Path, told: Mapping[str, Any]) -> str:
    return "".join(TASKS[name](_task(question, log, folder, name, told), Wire(io.StringIO())))


def _task(question: str, log: Path, folder: Path, name: str, told: Mapping[str, Any]) -> Task:
    cache, artifacts = str(folder / "cache"), str(folder / "artifacts")
    Path(artifacts).mkdir(parents=True, exist_ok=True)
    return Task(
        question, name, cache=cache, artifacts=artifacts, attachments=(str(log),), given=dict(told)
    )


def single(log: Path, folder: Path) -> dict[str, Any]:
    """Return the diagnosis that a single answer is made from."""
    return use_tool(_task("why?", log, folder, "chat", {}), "diagnose_log", {"log": log.name})


def labelled(root: Path) -> Iterator[tuple[Path, str, bool]]:
    """Yield (log, fault class, whether it is that): "" for a healthy one; stiction labels say yes or no."""
    for line in (root / "instrument_debug" / "truth.jsonl").read_text().splitlines():
        told = json.loads(line)
        path = root / "instrument_debug" / told["log"]
        fault = "" if told["cls"] == "healthy" else told["cls"]
        yield (path if path.exists() else path.with_name(path.name + ".gz")), fault, True
    for name, told in json.loads((root / "stiction" / "truth.json").read_text()).items():
        yield root / "stiction" / name, ACTUATOR, told["stiction"]


def main(root: Path) -> None:
    rows = [("log", "truth", "single", "panel", "runner-up", "ruled out: single", "panel", "decides")]
    right, named, out, tokens, share = [0, 0], [0, 0], [0, 0, 0], [], []
    count = 0
    for path, fault, is_so in labelled(root):
        with tempfile.TemporaryDirectory() as temporary:
            found, panel = single(path, Path(temporary)), held(path, "why?", "en", Path(temporary))
        count += 1
        faults = [one["class"] for one in found["findings"] if one["class"] != "healthy"]
        first = faults[0] if faults else ""
        ruled = [row for one in found["findings"] for row in one["alternatives"] if row["reason"] != "not_separable"]
        rejected = {row.cause: row.line for one in panel.heard for row in one.rejects if row.cause != panel.cause}
        lead = panel.leading
        right[0] += (first == fault) == is_so
        right[1] += (panel.cause == fault) == is_so
        named[0] += any(row["reason"] == "not_separable" for one in found["findings"] for row in one["alternatives"])
        named[1] += bool(lead and lead.runner_up)
        lines = sum(line is not None for line in rejected.values())
        out[0], out[1], out[2] = out[0] + len(ruled), out[1] + len(rejected), out[2] + lines
        own = [count_tokens(text) for text in panel.summaries]
        tokens += own
        share.append(sum(own) / (panel.tokens + sum(own)))
        truth = fault or "healthy"
        rows.append(
            (path.parent.name, truth if is_so else f"not {truth}", first or "-", panel.cause or "-",
             lead.runner_up if lead else "-", str(len(ruled)), f"{len(rejected)} ({lines})",
             "yes" if lead and lead.measurement else "-")
        )  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    faulty = sum(row[3] != "-" for row in rows[1:])
    lines_ = [
        "| " + " | ".join(rows[0]) + " |",
        "|" + " --- |" * len(rows[0]),
        *("| " + " | ".join(row) + " |" for row in rows[1:]),
        "",
        f"logs {count}; right cause first: single {right[0]}, panel {right[1]}",
        f"runner-up named where there is a cause ({faulty}): single {named[0]}, panel {named[1]}",
        f"wrong causes ruled out with a number: single {out[0]}, panel {out[1]}, of these with a line {out[2]}",
        f"summaries {len(tokens)}: {min(tokens)} to {max(tokens)} tokens, mean {sum(tokens) / len(tokens):.0f}",
        f"expert_memory: {100 * sum(share) / len(share):.1f} % of the tokens on average, {100 * max(share):.1f} % at most",
    ]
    RESULT.write_text("\n".join(lines_) + "\n", encoding="utf-8")
    print("\n".join(lines_[-5:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LOGS)
