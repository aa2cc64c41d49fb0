"""How long our tools' results are, whole and as an agent is told them first: `python -m bench.tool_results`.

Every tool that looks at logs, on the newest logs of the six demo devices, healthy and not.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER, with_whole_result
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.mcp_tools import offered
from instrumentgpt.settings import DEMO_INVENTORY

RESULTS = Path(__file__).parent / "results" / "tool_results.txt"
AIMS = "median 1,200 B, p95 4,000 B"


def main() -> None:
    """Measure, print, and keep the figures in bench/results/tool_results.txt."""
    with TemporaryDirectory(prefix="tool-results-bench-") as folder:
        sizes = list(called(Path(folder)))
    names = dict.fromkeys(name for name, *_ in sizes)
    rows = [(name, [row[1:] for row in sizes if row[0] == name]) for name in names]
    lines = [
        f"{'tool':17} {'calls':>5} {'whole: median':>14} {'largest':>8} {'told: median':>13} {'largest':>8}"
    ]
    lines += [_line(name, told) for name, told in [*rows, ("all", [row[1:] for row in sizes])]]
    told = sorted(size for *_, size in sizes)
    whole = sorted(size for _, size, _ in sizes)
    p95 = int(0.95 * len(sizes)) - 1
    lines.append(f"p95 of all: whole {whole[p95]:,} B, told {told[p95]:,} B (aims, as told: {AIMS})")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    RESULTS.write_text(text, encoding="utf-8")


def called(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (tool, bytes of its whole result, bytes that an agent is told) of each call."""
    (folder / "run" / "artifacts").mkdir(parents=True)
    tools = offered(
        {
            "inventory": str(DEMO_INVENTORY),
            "cache": str(folder / "cache"),
            "artifacts": str(folder / "run" / "artifacts"),
            "question": "what is wrong?",
        }
    )

    def call(name: str, **given: object) -> tuple[dict[str, object], tuple[str, int, int]]:
        told = tools[name](**given)
        kept = with_whole_result(Tool("1", name, "ok", result=told, server=SERVER), folder / "run").result
        return json.loads(kept), (name, len(kept.encode()), len(told.encode()))

    yield call("list_devices")[1]
    yield call("survey_devices")[1]
    for device in (one.name for one in load_inventory(DEMO_INVENTORY).devices):
        of = {"device": device}
        listed, size = call("list_logs", **of)
        yield size
        fetched, size = call("fetch_log", **of)
        yield size
        on = {**of, "log": fetched["log"]}
        judged, size = call("diagnose_log", **on)
        yield size
        for name in ("channel_metrics", "advise_gains", "plot_log"):
            yield call(name, **on)[1]
        yield call("column_figures", **on, columns=["pv 1", "output 1"], above=50.0)[1]
        yield call("survey_logs", **of)[1]
        yield call("output_over_logs", **on)[1]
        yield call("search_events", **on, query="error")[1]
        yield call("read_lines", **on, first=100, last=110)[1]
        yield call("look_at_time", **on, clock=str(judged["end"])[11:16])[1]
        logs = [row["name"] for row in listed["logs"][:2]]  # type: ignore[index]
        if len(logs) == 2:
            call("fetch_log", **of, log=logs[1])
            yield call("compare_logs", **on, before=logs[1])[1]


def _line(name: str, sizes: list[tuple[int, int]]) -> str:
    whole, told = zip(*sizes, strict=True)
    middle = (
        f"{statistics.median(whole):14,.0f} {max(whole):8,} {statistics.median(told):13,.0f} {max(told):8,}"
    )
    return f"{name:17} {len(sizes):5} {middle}"


if __name__ == "__main__":
    main()
