"""Identification on logs whose plant is known: labelled instrument logs, and published step tests.

    python -m bench.identification [--logs FOLDER]

FOLDER holds `instrument_debug/truth.jsonl` and `tclab/truth.json`; by default `shared/logs` beside the
checkout.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from instrumentgpt.instruments.advice import LEAST_GAIN, LEAST_PHASE, advise, can_raise
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import Loop, loops_of
from instrumentgpt.instruments.plant import Identification, Refusal, identify, longest_record
from instrumentgpt.instruments.tuning.margins import margins
from instrumentgpt.instruments.tuning.models import fit

RAISED = 1.3  # of "can kp go up 30 %?"
SHARED = Path(__file__).parents[2] / "shared" / "logs"


def report_known_plants(folder: Path) -> Iterator[str]:
    """Yield the lines on the logs in `folder`."""
    yield from report_tclab(folder / "tclab")
    yield from report_labelled(folder / "instrument_debug")


def report_tclab(folder: Path) -> Iterator[str]:
    """Yield gain and time constant of the two single-heater step tests beside the published ones."""
    truth = json.loads((folder / "truth.json").read_text())
    for name, reference in truth.items():
        published = reference.get("published") or reference["independent"]
        if "K" not in published:
            continue
        record = longest_record(step_test(folder / f"{name}.csv"))
        if record is None:
            yield f"tclab {name}: too short"
            continue
        found = fit(record)
        gain, tau1, tau2, dead_time = found.models[0]
        spans = [
            f"{low:.3g}..{high:.3g}"
            for low, high in zip(found.models.min(0), found.models.max(0), strict=True)
        ]
        yield (
            f"tclab {name}: gain {gain:.4f} per unit (reference {published['K']:.4f}, accepted {spans[0]}), "
            f"tau1 {tau1:.1f} s (reference {published['tau_s']:.1f}, accepted {spans[1]}), "
            f"tau2 {tau2:.1f} s, dead time {dead_time:.1f} s, R² {found.r2:.4f}"
        )


def step_test(path: Path) -> Loop:
    """Return a step test (columns time, output, pv; header or none) as a loop without setpoint and gains."""
    rows = [row for row in csv.reader(path.open(encoding="utf-8")) if row and not row[0].strip().isalpha()]
    time, output, pv = np.array(rows, dtype=float)[:, :3].T
    unknown = np.full(len(time), np.nan)
    return Loop(1, time, unknown, pv, output, unknown, unknown, unknown, np.arange(1, len(time) + 1))


def report_labelled(folder: Path) -> Iterator[str]:
    """Yield how many channels are refused and why, and how far the others are from the truth."""
    judged = [row for entry in _entries(folder) for row in _channels(folder, entry)]
    refused = Counter(found.reason for _, found, _ in judged if isinstance(found, Refusal))
    accepted = [
        (truth, found, spoiled) for truth, found, spoiled in judged if isinstance(found, Identification)
    ]
    yield f"instrument_debug: {len(judged)} channels, {len(accepted)} identified, refused: {dict(refused)}"
    for label, wanted in (("without a fault", False), ("with a fault", True)):
        rows = [_errors(truth["sopdt"], found) for truth, found, spoiled in accepted if spoiled == wanted]
        slope, delay, kept = (np.array(values) for values in zip(*rows, strict=True))
        yield (
            f"  {label}: {len(rows)}; gain / tau1 off by {np.median(slope):.1f} % (9 in 10: "
            f"{np.percentile(slope, 90):.1f} %), tau2 + dead time by {np.median(delay):.2f} s (9 in 10: "
            f"{np.percentile(delay, 90):.2f} s); truth within the accepted slopes (±2 %): {int(kept.sum())}"
        )
    yield from _report_advice(accepted)


def _entries(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]


def _channels(
    folder: Path, entry: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], Identification | Refusal, bool]]:
    loops = loops_of(read_log(folder / f"{entry['log']}.gz"))
    for truth in entry["channels"]:
        spoiled = any(fault["channel"] in ("all", truth["id"]) for fault in entry["faults"])
        if truth["id"] in loops:
            yield truth, identify(loops[truth["id"]]), spoiled


def _errors(truth: dict[str, float], found: Identification) -> tuple[float, float, bool]:
    gain, tau1, tau2, dead_time = found.best
    slope = truth["K"] / truth["tau1"]
    slopes = found.models[:, 0] / found.models[:, 1] / slope
    delay = float(tau2 + dead_time - truth["tau2"] - truth["theta"])
    inside = slopes.min() <= 1.02 and slopes.max() >= 0.98
    return 100 * abs(float(gain / tau1 / slope) - 1), abs(delay), bool(inside)


def _report_advice(accepted: list[tuple[dict[str, Any], Identification, bool]]) -> Iterator[str]:
    verdicts: Counter[tuple[str, bool]] = Counter()
    phases = []
    for truth, found, _ in accepted:
        model, gains = truth["sopdt"], truth["gains"]
        plant = np.array([[model["K"], model["tau1"], model["tau2"], model["theta"]]])
        phase, gain = margins(plant, gains["kp"] * RAISED, gains["ki"], gains["kd"]).worst()
        verdicts[can_raise(found, "kp", RAISED).verdict, phase >= LEAST_PHASE and gain >= LEAST_GAIN] += 1
        proposed = advise(found).proposed
        if proposed is not None:
            phases.append(margins(plant, proposed.kp, proposed.ki, proposed.kd).worst()[0])
    safe = sum(count for (_, is_safe), count in verdicts.items() if is_safe)
    unsafe, found_yes = verdicts["yes", False], verdicts["yes", True]
    yield f'  "can kp go up 30 %?": unsafe yes {unsafe}, true yes found {found_yes} of {safe}'
    yield f"  gains proposed: {len(phases)}, true phase margin at least {min(phases):.1f} degrees"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=Path, default=SHARED, help="folder with instrument_debug and tclab")
    folder = parser.parse_args().logs
    if not folder.is_dir():
        print(f"{folder} is not there: name the folder of the reference logs with --logs.")
        return
    for line in report_known_plants(folder):
        print(line)


if __name__ == "__main__":
    main()
