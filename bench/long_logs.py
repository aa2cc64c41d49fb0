"""How fast, in how much memory, and how right a log of weeks is judged.

    python -m bench.long_logs [--days 30] [--channels 16] [--format parquet|csv] [--keep FILE]

One table at 1 Hz is made: closed loops (PI; a plant of 120 s and a dead time, a room with days)
that step up for every seventh day. Each of ten channels has one thing wrong, somewhere and not for long.
The table is read in one process, and read again from its kept frame and judged in another, so that the memory
of one is not told for the other's.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from scipy.signal import lfilter

from bench.drawn import RESULTS
from instrumentgpt.instruments.loops import Floats, Mask

DAY = 86_400
TAU, DEAD, GAIN, KP, KI = 120.0, 5, 0.5, 6.0, 0.04  # s, s, °C/%, %/°C, %/(°C s)
TRUTH = {  # channel → class, None: a trend, and its quantity
    2: "sensor_spike",
    3: "sensor_stuck",
    4: "sensor_noise",
    5: "heater_degradation",
    6: "oscillation",
    7: "sensor_open",
    8: "ambient_disturbance",
    9: "trend noise",
    10: "trend duty",
    11: "heater_failure",
}
MEASURED = """
import resource, sys, time
def rss(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def now(): return int(open("/proc/self/statm").read().split()[1]) / 256
from pathlib import Path
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments import segment_wording
started = time.process_time()
log = read_log({path!r}, cache=Path({cache!r}))
print(f"{step}: {{time.process_time() - started:.1f}} s of CPU, {{len(log.samples):,}} samples, "
      f"{{log.samples.memory_usage().sum() / 2**20:,.0f}} MiB of samples, {{now():,.0f}} MiB in use, "
      f"peak {{rss():,.0f}} MiB")
"""
JUDGED = """
from dataclasses import replace
diagnose(replace(log, samples=log.samples.iloc[:20_000].reset_index(drop=True)))  # imports
before, started = now(), time.process_time()
found = diagnose(log)
print(f"judged: {time.process_time() - started:.1f} s of CPU, {before:,.0f} MiB in use before, "
      f"peak {rss():,.0f} MiB, {len(found.segments)} segments")
for one in found.findings:
    if one.severity != "none":
        print(f"F {one.channel} {one.fault} {one.onset:.0f} {one.end:.0f}")
for one in found.excursions:
    print(f"E {one.channel} {one.explained or '-'} {one.onset:.0f} {one.end:.0f}")
for one in found.trends:
    print(f"T {one.channel} trend {one.quantity} {one.first:.4g} {one.last:.4g}")
for name, why in found.withheld.items():
    print("W", name, dict(why.reasons))
"""


def main() -> int:
    """Make, read and judge the table; print and keep what was measured."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(arguments.keep or Path(folder) / f"month.{arguments.format}")
        write_table(path, arguments.days * DAY, arguments.channels)
        cache = str(Path(folder) / "frames")
        said = [f"{arguments.days} days, {arguments.channels} channels, 1 Hz, {arguments.format}"]
        said += _run(MEASURED.format(path=str(path), cache=cache, step="read"))
        lines = _run(MEASURED.format(path=str(path), cache=cache, step="read again") + JUDGED)
    told = [line.split() for line in lines if line[:2] in ("F ", "E ", "T ")]
    said += [line for line in lines if line[:2] not in ("F ", "E ", "T ")]
    for channel in range(1, arguments.channels + 1):
        own = sorted({f"{kind} {fault}" for kind, number, fault, *_ in told if number == str(channel)})
        own += sorted(
            {f"trend {rest[0]}" for kind, number, _, *rest in told if kind == "T" and number == str(channel)}
        )
        said.append(f"channel {channel}: {TRUTH.get(channel, 'healthy')} → {', '.join(own) or 'nothing'}")
    text = "\n".join(said) + "\n"
    print(text, end="")
    (RESULTS / "long_logs.txt").write_text(text, encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--channels", type=int, default=16)
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--keep", metavar="FILE", help="the table, to be looked at")
    return parser.parse_args()


def _run(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout.splitlines() if not done.returncode else [done.stderr]


def write_table(path: Path, seconds: int, channels: int) -> None:
    """Write the table to `path`, as CSV if its name ends so, else as Parquet."""
    start = np.datetime64("2026-03-01T08:00:00")
    columns: dict[str, object] = {"time": start + np.arange(seconds).astype("timedelta64[s]")}
    for channel in range(1, channels + 1):
        setpoint, pv, output = loop(seconds, channel)
        columns[f"T{channel} setpoint (°C)"] = setpoint
        columns[f"T{channel} pv (°C)"] = np.round(pv, 2)
        columns[f"T{channel} output (%)"] = np.round(output, 1)
    table = pa.table(columns)
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)


def loop(seconds: int, channel: int) -> tuple[Floats, Floats, Floats]:
    """Return setpoint, pv and output of one channel, with what is wrong with it."""
    random = np.random.default_rng(channel)
    time = np.arange(seconds)
    day, first_step = time / DAY, 6 * DAY  # up for every seventh day
    setpoint = np.where((time - first_step) % (7 * DAY) < DAY, 50.0, 37.0)
    noise = random.normal(0, 0.02, seconds)
    room = 0.6 * np.sin(2 * np.pi * day + channel) + 0.3 * np.sin(2 * np.pi * day / 9)

    def between(first: float, hours: float) -> Mask:
        first *= seconds / DAY / 30
        return (day >= first) & (day < first + hours / 24)

    if channel == 4:
        noise[between(10.3, 6)] *= 8
    if channel == 9:
        noise *= 1 + 1.5 * time / seconds
    load = np.where(between(9.6, 0.4), -8.0, 0.0) if channel == 8 else np.zeros(seconds)
    heating, pv = _closed(setpoint - 37.0, noise, room + load, random)
    pv, output = pv + 37.0, heating + (37.0 - 22.0) / GAIN
    if channel == 5:
        output = np.where(time > 0.4 * seconds, output / 0.75, output)
    if channel == 10:
        output = output * (1 + 0.25 * time / seconds)
    if channel == 6:
        swing = between(20.4, 5)
        output = np.where(swing, np.where(np.sin(time * 2 * np.pi / 240) > 0, 100.0, 0.0), output)
        pv = pv + np.where(swing, -2.5 * np.cos(time * 2 * np.pi / 240 - 0.2), 0.0)
    if channel == 2:
        for at in (0.51, 0.5105, 0.511):
            pv[int(at * seconds) : int(at * seconds) + 3] += 40.0
    if channel == 3:
        stuck = (time > first_step - 7200) & (time < first_step + 7200)
        pv[stuck] = pv[np.argmax(stuck)]
    if channel == 7:
        pv[between(17.2, 0.05)] = 999.9
    if channel == 11:
        off = between(19.1, 2)
        since = (time - np.argmax(off))[off]
        pv[off] = 22 + (pv[off] - 22) * np.exp(-since / 3000)
        output[off] = 100.0
    return setpoint, pv, np.clip(output, 0, 100)


def _closed(
    setpoint: Floats, noise: Floats, load: Floats, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return output and pv of a PI loop, both about their rest, by its transfer functions."""
    pole = np.exp(-1 / TAU)
    plant_top = np.zeros(DEAD + 2)
    plant_top[-1] = GAIN * (1 - pole)
    plant_below, ours_top, ours_below = np.array([1, -pole]), np.array([KP + KI, -KP]), np.array([1.0, -1.0])
    forward = np.convolve(plant_top, ours_top)
    around = np.convolve(plant_below, ours_below)
    whole = forward.copy()
    whole[: len(around)] += around
    slow = lfilter([1 - pole], [1, -pole], load)
    pv = lfilter(forward, whole, setpoint) + lfilter(around, whole, slow + noise)
    output = lfilter(ours_top, ours_below, setpoint - pv)
    return output, pv


if __name__ == "__main__":
    sys.exit(main())
