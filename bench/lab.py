"""Whether a lab's week is watched rightly, and how long a scan of 10,000 logs takes of which 1 % is new.

    python -m bench.lab [--logs 2000] [--seed 1]

Thirty simulated devices write a log of half an hour each every two or three hours. Five faults, drawn from
all, come on five of them, last some logs and go; two of them come back. After each round the real scan and
the real comparison with alerts look once, by a simulated clock; what a person does is done: a case is opened
of each alert, and closed when the fault is gone.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlite_utils import Database

import db
from bench.drawn import keep_report
from bench.loops_simulated import FAULTS, Loop, healthy_loop
from demo.simulate import SHAPES, Channel, Scenario, log_lines
from instrumentgpt.fleet.cases import settle
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.standing import compare_with_alerts, tell
from instrumentgpt.instruments.devices import Device
from instrumentgpt.storage.alerts import Alert
from instrumentgpt.storage.cases import list_cases, open_case
from instrumentgpt.storage.verdicts import all_verdicts, store_verdicts

DEVICES, WEEK, START = 30, timedelta(days=7), datetime(2026, 3, 2)
DURATION, CHANNELS, FAULTY = 1800.0, 2, 2  # s; loops of a device; the one with the fault
NOISES = 3  # simulated runs of one state of a device, which its logs take in turn
MANY, FOLDERS, NEW = 10_000, 100, 100  # logs, devices, logs that are new
Text = list[tuple[float, str]]  # s after the first line, and the line without its stamp


@dataclass(frozen=True)
class Fault:
    """A fault of one device: in which rounds its logs have it, one range for each time that it comes."""

    device: int
    kind: str
    spans: tuple[range, ...]

    def is_there(self, number: int) -> bool:
        """Return whether the logs of that round have it."""
        return any(number in span for span in self.spans)


def drawn(dice: random.Random, rounds: int) -> list[Fault]:
    """Return five faults of five devices; the first two come twice."""
    found = []
    kinds = dice.sample([kind for kind in FAULTS if kind != "healthy"], 5)
    for number, (device, kind) in enumerate(zip(dice.sample(range(DEVICES), 5), kinds, strict=True)):
        first = dice.randrange(3, rounds // 3)
        spans = [range(first, first + dice.randrange(2, rounds // 5))]
        if number < 2:
            again = dice.randrange(spans[0].stop + 3, rounds - rounds // 5)
            spans.append(range(again, again + dice.randrange(2, rounds // 6)))
        found.append(Fault(device, kind, tuple(spans)))
    return found


def texts(loops: Sequence[Loop], number: int, seed: int) -> list[Text]:
    """Return NOISES runs of the device `number` with these loops, as lines whose stamps are still to come."""
    channels = tuple(
        Channel(n, one.plant, one.controller, one.setpoint, one.events)
        for n, one in enumerate(loops, start=1)
    )
    shape = list(SHAPES)[number % len(SHAPES)]
    scenario = Scenario(name_of(number), f"10.1.1.{number + 1}", shape, START, DURATION, channels)
    found = []
    for noise in range(NOISES):
        lines = list(log_lines(scenario, seed + noise))
        stamps = [datetime.strptime(line[1:24], "%Y-%m-%d %H:%M:%S.%f") for line in lines]
        found.append(
            [((at - START).total_seconds(), line[24:]) for at, line in zip(stamps, lines, strict=True)]
        )
    return found


def name_of(number: int) -> str:
    """Return what a device is called."""
    return f"oven {number + 1:02d}"


def write(folder: Path, text: Text, begin: datetime) -> Path:
    """Write a log that begins then, as the instrument would have left it, and return where."""
    path = folder / f"InstrumentDebug_{begin:%Y-%m-%d_%H-%M-%S}.00.log"
    stamped = ((begin + timedelta(seconds=at), rest) for at, rest in text)
    path.write_text(
        "".join(f"[{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}{rest}\n" for at, rest in stamped),
        encoding="utf-8",
    )
    ended = (begin + timedelta(seconds=DURATION)).timestamp()
    os.utime(path, (ended, ended))
    return path


def week(root: Path, logs: int, seed: int) -> Iterator[str]:
    """Yield what was alerted of the week, and what became of its cases."""
    dice = random.Random(seed)
    rounds = -(-logs // DEVICES)
    faults = drawn(dice, rounds)
    loops = [[healthy_loop(dice) for _ in range(CHANNELS)] for _ in range(DEVICES)]
    healthy = [texts(one, number, 100 * number) for number, one in enumerate(loops)]
    faulty = {}
    for one in faults:
        mine = list(loops[one.device])
        mine[FAULTY - 1] = FAULTS[one.kind](mine[FAULTY - 1], dice)
        faulty[one.device] = texts(mine, one.device, 100 * one.device + 50)
    devices = [
        Device(name_of(n), f"10.1.1.{n + 1}", (root / name_of(n).replace(" ", "_")).as_uri())
        for n in range(DEVICES)
    ]
    for device in devices:
        (root / device.name.replace(" ", "_")).mkdir(parents=True)
    came: list[tuple[int, Alert]] = []
    went: list[tuple[int, Alert]] = []
    reopened: list[tuple[int, str]] = []
    for number in range(rounds):
        begin = START + number * (WEEK / rounds)
        for n, device in enumerate(devices):
            sick = any(one.device == n and one.is_there(number) for one in faults)
            write(
                root / device.name.replace(" ", "_"), (faulty if sick else healthy)[n][number % NOISES], begin
            )
        now = (begin + timedelta(seconds=DURATION + 60)).timestamp()
        reopened += [(number, one.device) for one in scan(root / "db", devices, root / "cache", 1).reopened]
        with closing(db.connect(root / "db")) as database:
            new, gone = compare_with_alerts(database, devices, now)
            tell(database, new, gone, ())
            as_a_person(database, new, gone, now)
        came += [(number, one) for one in new]
        went += [(number, one) for one in gone]
    yield f"{DEVICES} devices, {rounds * DEVICES:,} logs in {rounds} rounds, {len(faults)} faults"
    yield from told(faults, came, went, reopened)
    with closing(db.connect(root / "db")) as database:
        states = Counter(one.state for one in all_verdicts(database))
        cases = Counter(one.state for one in list_cases(database))
    yield f"verdicts: {dict(states)}; cases in the end: {dict(cases)}"


def as_a_person(database: Database, new: Sequence[Alert], gone: Sequence[Alert], now: float) -> None:
    """Open a case of each alert unless it has one, and close those whose fault is gone."""
    for alert in new:
        known = list_cases(database, device=alert.device, fault=alert.fault)
        if not [one for one in known if one.channel == alert.channel]:
            place = {"device": alert.device, "fault": alert.fault, "channel": alert.channel, "log": alert.log}
            open_case(database, "bench", **place, symptom=alert.text, line=alert.line)
    for alert in gone:
        for case in list_cases(database, device=alert.device, fault=alert.fault):
            if case.channel == alert.channel and case.state != "closed":
                settle(database, case, "bench", "gone", now)


def told(
    faults: Sequence[Fault],
    came: Sequence[tuple[int, Alert]],
    went: Sequence[tuple[int, Alert]],
    reopened: Sequence[tuple[int, str]],
) -> Iterator[str]:
    """Yield a line for each time that a fault came, then what else was alerted."""
    explained: set[int] = set()
    for one in faults:
        device = name_of(one.device)
        for time_, span in enumerate(one.spans):
            mine = [(n, alert) for n, alert in came if alert.device == device and n in span]
            ended = [n for n, alert in went if alert.device == device and span.start < n <= span.stop]
            explained |= {alert.id for _, alert in mine}
            named = ", ".join(f"{alert.fault} in its log {n - span.start + 1}" for n, alert in mine)
            back = [n - span.start + 1 for n, name in reopened if name == device and n in span]
            yield (
                f"{device} {one.kind}, {len(span)} logs: {len(mine)} alert(s): {named}; ended "
                f"{[n - span.stop + 1 for n in ended]} log(s) after the last"
                + (f"; its case reopened in its log {back}" if time_ else "")
            )
    invented = [(n, alert) for n, alert in came if alert.id not in explained]
    yield f"invented: {len(invented)}"
    yield from (f"  round {n}: {alert.device}: {alert.fault}: {alert.text}" for n, alert in invented)
    returning = {name_of(one.device) for one in faults if len(one.spans) > 1}
    yield f"cases reopened of others: {sum(name not in returning for _, name in reopened)}"


def many(root: Path, seed: int) -> Iterator[str]:
    """Yield how long a scan of MANY logs takes of which NEW are new.

    The others are known by copies of the verdicts on what they are links to: they are not judged for this.
    """
    dice = random.Random(seed)
    loops = [healthy_loop(dice) for _ in range(CHANNELS)]
    device = Device("oven 000", "10.2.0.0", (root / "oven_000").as_uri())
    (root / "oven_000").mkdir(parents=True)
    log = write(root / "oven_000", texts(loops, 2, 1)[0], START)
    scan(root / "db", [device], root / "cache", 1)
    with closing(db.connect(root / "db")) as database:
        [known] = all_verdicts(database)
        devices, rows, new = [], [], []
        for place in range(MANY):
            name = f"oven {place % FOLDERS + 1:03d}"
            folder = root / name.replace(" ", "_")
            if place < FOLDERS:
                folder.mkdir()
                devices.append(Device(name, f"10.2.1.{place}", folder.as_uri()))
            begin = START + timedelta(hours=place // FOLDERS)
            path = folder / f"InstrumentDebug_{begin:%Y-%m-%d_%H-%M-%S}.00.log"
            if place < MANY - NEW:
                os.link(log, path)
                rows.append(replace(known, device=name, log=path.name))
            else:
                new.append(path)
        store_verdicts(database, rows)
    for path in new:
        shutil.copyfile(log, path)
    began, before = time.monotonic(), os.times()
    found = scan(root / "db", devices, root / "cache")
    took, after = time.monotonic() - began, os.times()
    spent = sum(after[:4]) - sum(before[:4])
    size = log.stat().st_size / 1e3
    yield (
        f"scan of {MANY:,} logs of {FOLDERS} devices: {found.unchanged:,} unchanged, "
        f"{len(found.judged)} judged ({size:.0f} kB each): {took:.1f} s, {spent:.1f} s of CPU, "
        f"on {os.cpu_count()} cores at a load of {os.getloadavg()[0]:.1f}"
    )


def report(logs: int, seed: int) -> Iterator[str]:
    """Yield both."""
    with tempfile.TemporaryDirectory() as folder:
        yield from many(Path(folder) / "many", seed)
        yield from week(Path(folder) / "week", logs, seed)


def main() -> int:
    """Print and keep the report."""
    return keep_report("lab", __doc__, report, logs=2000, seed=1)


if __name__ == "__main__":
    sys.exit(main())
