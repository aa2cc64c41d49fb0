"""What a panel adds to a single answer, on logs whose fault is known: offline, both over the same checks.

    python -m bench.panel [LOGS]

LOGS is the folder of the labelled logs (instrument_debug/truth.jsonl, stiction/truth.json).
For each log: is the right cause first, is a runner-up named, how many wrong causes are ruled out with a
number (in brackets: with a line of the log), is a measurement named that would decide.
The single answer is that of `diagnose_log`; the panel is the decomposition by rules, every expert, every
synthesis, in this process instead of one each.
"""

import io
import json
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from instrumentgpt.agents.events import Event
from instrumentgpt.agents.offline.program import TASKS
from instrumentgpt.agents.offline.task import use_tool
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Task
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.asking import Reply, Want
from instrumentgpt.modes.contracts import read_reply
from instrumentgpt.modes.panel.contracts import Contribution, Plan, SubProblemResult, as_json
from instrumentgpt.modes.panel.deliberation import deliberate
from instrumentgpt.modes.panel.experts import checked, in_order, read_experts
from instrumentgpt.modes.panel.prompts import Context, plan_prompt

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
    experts = read_experts()
    fields = {code: expert.speaks_on for code, expert in experts.items()}
    told = {"brief": brief, "language": language, "fields": fields}
    plan = read_reply(_answer("panel_plan", question, log, folder, told), Plan)
    done = Held(brief, checked(plan, experts))
    context = Context(question, language, brief, experts, 8000)
    done.tokens = count_tokens(plan_prompt(context, ())) + count_tokens(json.dumps(as_json(plan)))

    def ask(wants: Sequence[Want]) -> Generator[Event, None, list[Reply]]:
        yield from ()
        return [_heard(want, question, log, folder, done) for want in wants]

    for part in in_order(plan.sub_problems):
        try:
            next(deliberate(part, context, tuple(done.results), ask))
        except StopIteration as end:
            done.results.append(end.value)
    return done


def _heard(want: Want, question: str, log: Path, folder: Path, done: Held) -> Reply:
    reply = _answer(f"panel_{want.key.stage}", question, log, folder, want.told)
    content = want.read(reply)
    done.tokens += count_tokens(want.prompt) + count_tokens(reply)
    if isinstance(content, Contribution):
        done.heard.append(content)
    return Reply(content, ["diagnose_log"])


def _answer(name: str, question: str, log: Path, folder: Path, told: Mapping[str, Any]) -> str:
    return "".join(TASKS[name](_task(question, log, folder, name, told), Wire(io.StringIO())))


def _task(question: str, log: Path, folder: Path, name: str, told: Mapping[str, Any]) -> Task:
    cache, artifacts = str(folder / "cache"), str(folder / "artifacts")
    Path(artifacts).mkdir(parents=True, exist_ok=True)
    return Task(question, name, cache=cache, artifacts=artifacts, attachments=(str(log),), given=dict(told))


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


@dataclass(frozen=True)
class Row:
    """One log: what single answer and panel say, and what the panel's memory cost."""

    log: str
    truth: str
    single: str
    panel: str
    runner_up: str
    single_open: bool  # the single answer leaves a rival open, by name
    single_out: int  # causes ruled out with a number
    panel_out: int
    with_line: int  # of these, with a line of the log
    decides: bool
    right: tuple[bool, bool]
    summaries: tuple[int, ...]  # tokens of each
    share: float  # of expert_memory in all tokens

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        out = f"{self.panel_out} ({self.with_line})"
        said = self.single or "-", self.panel or "-", self.runner_up or "-"
        return self.log, self.truth, *said, str(self.single_out), out, "yes" if self.decides else "-"


HEAD = ("log", "truth", "single", "panel", "runner-up", "ruled out: single", "panel (with line)", "decides")


def row(path: Path, fault: str, is_so: bool) -> Row:
    """Return what single answer and panel make of one log; `is_so`: its fault is `fault`, else it is not."""
    with tempfile.TemporaryDirectory() as folder:
        found, panel = single(path, Path(folder)), held(path, "why?", "en", Path(folder))
    faults = [one["class"] for one in found["findings"] if one["class"] != "healthy"]
    alternatives = [one for finding in found["findings"] for one in finding["alternatives"]]
    left = [one for one in alternatives if one["reason"] == "not_separable"]
    rejected = {
        one.cause: one.line for told in panel.heard for one in told.rejects if one.cause != panel.cause
    }
    first, lead, own = next(iter(faults), ""), panel.leading, [count_tokens(text) for text in panel.summaries]
    return Row(
        log=f"{path.parent.name}/{path.name[:12]}",
        truth=(fault or "healthy") if is_so else f"not {fault}",
        single=first,
        panel=panel.cause,
        runner_up=lead.runner_up if lead else "",
        single_open=bool(left),
        single_out=len(alternatives) - len(left),
        panel_out=len(rejected),
        with_line=sum(line is not None for line in rejected.values()),
        decides=bool(lead and lead.measurement),
        right=((first == fault) == is_so, (panel.cause == fault) == is_so),
        summaries=tuple(own),
        share=sum(own) / (panel.tokens + sum(own)),
    )


def told(rows: list[Row]) -> list[str]:
    """Return the table and what it comes to."""
    table = [HEAD, ("---",) * len(HEAD), *(one.cells() for one in rows)]
    faulty = [one for one in rows if one.panel]
    tokens, shares = [n for one in rows for n in one.summaries], [100 * one.share for one in rows]
    out = [sum(getattr(one, name) for one in rows) for name in ("single_out", "panel_out", "with_line")]
    right = [sum(one.right[side] for one in rows) for side in (0, 1)]
    named = sum(one.single_open for one in faulty), sum(bool(one.runner_up) for one in faulty)
    return [
        *("| " + " | ".join(cells) + " |" for cells in table),
        "",
        f"{len(rows)} logs; right cause first: single {right[0]}, panel {right[1]}",
        f"runner-up named, of {len(faulty)} with a cause: single {named[0]}, panel {named[1]}",
        f"measurement that decides, of {len(faulty)}: panel {sum(one.decides for one in faulty)}",
        f"wrong causes ruled out with a number: single {out[0]}, panel {out[1]} ({out[2]} with a line)",
        f"{len(tokens)} summaries: {min(tokens)} to {max(tokens)} tokens, mean {mean(tokens):.0f}",
        f"expert_memory: {mean(shares):.1f} % of the tokens, at most {max(shares):.1f} %",
    ]


def main(root: Path) -> None:
    """Hold a panel on every labelled log below `root`; print and keep the table."""
    lines = told([row(*one) for one in labelled(root)])
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LOGS)
