"""What the wrapper adds between an agent's stdout, the database and the screen: `python -m bench.wrapper`.

An agent of ours prints lines with the time at which it printed them; events are stored as a turn stores them.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np

import db
from bench import live_pages
from cursor_cli import parse_stream
from instrumentgpt.agents.events import Done, Text, to_json
from instrumentgpt.agents.process import Clocks, Command, run
from instrumentgpt.storage.runs import append_events, start_run

RESULTS = Path(__file__).parent / "results" / "wrapper.txt"
PAUSE = 0.005  # s between two lines, when the delay of each is measured
DELAYS = 1000  # lines of which the delay is measured
MANY = 100_000  # events
LARGE_MB = 200  # of one tool's result, printed as lines of LINE_MB
LINE_MB = 20  # below the cap of a line
AIM_MS = 20.0  # of the delay, p95
SOAK_RUNS = 200
AGENT = """
import json, sys, time
kind, count, pause, size = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
say = lambda line: (sys.stdout.write(json.dumps(line) + "\\n"), sys.stdout.flush())
for number in range(count):
    if kind == "large":
        call = {"readToolCall": {"args": {}, "result": {"success": {"stdout": "z" * size}}}}
        say({"type": "tool_call", "subtype": "completed", "call_id": str(number), "tool_call": call})
    else:
        text = repr(time.time()) + " "
        say({"type": "assistant", "timestamp_ms": 1, "message": {"content": [{"text": text}]}})
    time.sleep(pause)
say({"type": "assistant", "timestamp_ms": 1, "message": {"content": [{"text": "."}]}})
say({"type": "result", "subtype": "success", "result": ""})
"""


def main() -> None:
    """Measure, print, and keep the figures in bench/results/wrapper.txt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=int, default=SOAK_RUNS, help="runs of the soak; 0: none")
    soak_runs = parser.parse_args().soak
    lines = [*delay(), *live_pages.measured(), *many(), *large()]
    if soak_runs:
        lines += soak(soak_runs)
    text = "\n".join(lines) + "\n"
    print(text, end="")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(text, encoding="utf-8")


def delay() -> list[str]:
    """Return the delay from a line on stdout to its event in the database, p50 and p95."""
    delays, _, _ = _asked("text", DELAYS, PAUSE)
    p50, p95 = np.percentile(np.array(delays) * 1000, [50, 95])
    verdict = "within" if p95 <= AIM_MS else "over"
    return [f"stdout to database: p50 {p50:.1f} ms, p95 {p95:.1f} ms ({verdict} the aim of {AIM_MS:g} ms)"]


def many() -> list[str]:
    """Return how long MANY events take from the first to the last, one transaction each."""
    delays, seconds, _ = _asked("text", MANY, 0.0)
    assert len(delays) == MANY, "an event was lost or doubled"
    return [f"{MANY:,} events: {seconds:.1f} s, {MANY / seconds:,.0f} events/s, none lost, none doubled"]


def large() -> list[str]:
    """Return the memory that a tool's result of LARGE_MB adds, as lines of LINE_MB."""
    few = _asked("large", 2, 0.0)[2]
    count = LARGE_MB // LINE_MB
    _, seconds, all_of_them = _asked("large", count, 0.0)
    peak = f"peak {few:.0f} MB after 2 lines, {all_of_them:.0f} MB after {count}"
    return [f"{LARGE_MB} MB of tool results in lines of {LINE_MB} MB: {seconds:.1f} s, {peak}"]


def _asked(kind: str, count: int, pause: float) -> tuple[list[float], float, float]:
    """Return (delay of each text in s, seconds in all, peak memory in MB) of one run of the agent."""
    delays: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        argv = (sys.executable, "-c", AGENT, kind, str(count), str(pause), str(LINE_MB << 20))
        command = Command(argv, "", {"PATH": os.environ["PATH"]}, Path(folder))
        with closing(db.connect(Path(folder) / "bench.db")) as database:
            run_id = start_run(database, db.create_conversation(database), "cursor", "chat")
            began = time.monotonic()
            for event in run(command, parse_stream, Clocks()):
                append_events(database, run_id, [to_json(event)])
                if isinstance(event, Text) and event.text != ".":
                    delays.append(time.time() - float(event.text))
                assert not isinstance(event, Done) or event.outcome == "ok"
            seconds = time.monotonic() - began
    return delays, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def soak(runs: int) -> list[str]:
    """Return what became of `runs` agents that misbehave at random: the test of that name, made longer."""
    words = [sys.executable, "-m", "pytest", "-q", "-s", "-m", "soak", "tests/test_soak_wrapper.py"]
    began = time.monotonic()
    told = subprocess.run(words, env={**os.environ, "SOAK_RUNS": str(runs)}, capture_output=True, text=True)
    found = [line for line in told.stdout.splitlines() if "each with one outcome" in line]
    what = found[0].lstrip(".") if told.returncode == 0 and found else f"FAILED:\n{told.stdout[-2000:]}"
    return [f"soak: {what}, nothing left behind, {time.monotonic() - began:.0f} s"]


if __name__ == "__main__":
    main()
