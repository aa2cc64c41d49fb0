# ruff: noqa: E501  (log lines as they stand)
"""Logs to read side by side: one of each shipped format, and line shapes that are made up at random."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from bench.made_up_lines import MadeUpShape, make_up

DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
NUMBER = r"(-?[\d.]+)"
OTHERS = (
    "[debug] [Fan] rpm={0} duty=72",
    "[debug] [Motor] axis X move to {0} um",
    "[info] [Net] client 10.1.1.{0} connected, session of the service application reopened",
    "[debug] [Camera] exposure={0} ms temp=32.7C, frame kept in the ring buffer of the inspection task",
    "[warning] [Net] slow client 10.1.1.{0}, queue 7 of 128, the oldest answer waits for its acknowledge",
    "[info] [Storage] free {0} GB",
)


@dataclass(frozen=True)
class Case:
    """A log and how another reader's user would describe it.

    expression  of a line with samples: its first group is the stamp, the others are those of `samples`
    samples     for each sample of a line: role → group
    stamp       strptime's format; "" for seconds
    literal     what lines with samples have and others have not
    """

    name: str
    lines: Callable[[random.Random], Iterator[str]]
    expression: str
    samples: tuple[dict[str, int], ...]
    stamp: str
    literal: str

    def write(self, path: Path, megabytes: float, seed: int) -> tuple[int, list[str]]:
        """Write a log of this size to `path`; return its number of lines and the first of them."""
        size, count, begin, lines = 0.0, 0, list[str](), self.lines(random.Random(seed))
        with path.open("w", encoding="utf-8", newline="\n") as file:
            while size < megabytes * 1e6:
                some = list(islice(lines, 1000))
                size += sum(len(line.encode()) + 1 for line in some)
                file.write("\n".join(some) + "\n")
                count, begin = count + len(some), begin or some
        return count, begin


def _moments(chance: random.Random) -> Iterator[tuple[str, str, float]]:
    """Yield date and time, milliseconds, and seconds since the start."""
    start = moment = datetime(2026, 3, 4, 17, 50, 13)
    while True:
        moment += timedelta(milliseconds=chance.randint(5, 20))
        elapsed = (moment - start).total_seconds()
        yield moment.strftime("%Y-%m-%d %H:%M:%S"), f"{moment.microsecond // 1000:03d}", elapsed


def _instrument_debug(chance: random.Random) -> Iterator[str]:
    for number, (date, milli, _) in enumerate(_moments(chance)):
        pv = 55 + chance.gauss(0, 0.02)
        text = f"[debug] [TempCtrl] id={number // 5 % 4 + 1} sp=55.00 pv={pv:.3f} out=41.6 p=-0.02 i=8.62 d=-0.00"
        other = chance.choice(OTHERS).format(chance.randint(0, 9999)) if number % 5 else text
        yield f"[{date}.{milli}]{other}"


def _key_value(chance: random.Random) -> Iterator[str]:
    for number, (date, milli, _) in enumerate(_moments(chance)):
        pv, out = 37 + chance.gauss(0, 3), chance.uniform(0, 100)
        yield (
            f"[{date}.{milli}][debug] [PIDController] PIDController::update ID: {number % 4 + 1} setpoint: 37.00 "
            f"temp: {pv:.2f} error: {37 - pv:.3f} P: {chance.gauss(0, 9):.4f} I: {out:.4f} D: -0.0120 output: {out:.2f}"
        )


def _kiln(chance: random.Random) -> Iterator[str]:
    for number, (date, milli, _) in enumerate(_moments(chance)):
        pv, out = 1085 + chance.gauss(0, 3), chance.uniform(0, 100)
        yield (
            f"{date},{milli} INFO oven: temp={pv:.2f}, target=1085.81, error={1085.81 - pv:.2f}, pid={out:.2f}, "
            f"p={chance.gauss(0, 9):.2f}, i={out:.2f}, d=0.01, heat_on=0.74, heat_off=1.26, run_time={number}, "
            f"total_time=35340, time_left=17970"
        )


def _klipper(chance: random.Random) -> Iterator[str]:
    for number in range(10**9):
        bed, tool = 60 + chance.gauss(0, 0.3), 220 + chance.gauss(0, 2)
        yield (
            f"Stats {413.9 + number:.1f}: gcodein=0  mcu: mcu_awake=0.002 mcu_task_avg=0.000010 "
            f"mcu_task_stddev=0.000010 bytes_write={11243 + 30 * number} bytes_read={65021 + 40 * number} "
            f"bytes_retransmit=9 bytes_invalid=0 send_seq={number} receive_seq={number} retransmit_seq=2 srtt=0.001 "
            f"rttvar=0.000 rto=0.025 ready_bytes=0 stalled_bytes=0 freq={72_000_000 + chance.randint(-999, 999)} "
            f"heater_bed: target=60 temp={bed:.1f} pwm={chance.random():.3f} sysload=0.24 cputime={number * 0.1:.3f} "
            f"memavail=3505{chance.randint(10, 99)} print_time={412.2 + number:.3f} buffer_time=0.000 print_stall=0 "
            f"extruder: target=220 temp={tool:.1f} pwm={chance.random():.3f}"
        )


def _marlin(chance: random.Random) -> Iterator[str]:
    for date, milli, _ in _moments(chance):
        tool, bed = 225 + chance.gauss(0, 2), 60 + chance.gauss(0, 0.3)
        if chance.random() < 0.5:
            yield f"{date},{milli} - Send: N{chance.randint(1, 99999)} G1 X{tool:.3f} Y{bed:.3f} E0.03327*{chance.randint(0, 127)}"
        else:
            yield f"{date},{milli} - Recv:  T:{tool:.2f}/225.00 B:{bed:.2f}/60.00 @:{chance.randint(0, 127)} B@:{chance.randint(0, 127)}"


def _stages(chance: random.Random) -> Iterator[str]:
    moment = datetime(2026, 3, 4, 17, 50, 13)  # a sample per stamp: of several only the last would count
    for number in range(10**9):
        moment += timedelta(seconds=chance.randint(1, 2))
        date = moment.strftime("%Y-%m-%d %H:%M:%S")
        final, pv = chance.uniform(-20, 20), 37 + chance.gauss(0, 3)
        if number % 3 == 2:
            yield f"[{date}] [info] [Door] opened by client 10.1.1.{chance.randint(0, 255)}"
        else:
            stage = ("raw", "clamped")[number % 3]
            yield f"[{date}] loop [PID DEBUG] {stage} | mode=cooling | sp=37.00 | temp={pv:.2f} | command={final * 2:.2f} | final={final:.2f}"


ROLES = ("channel", "setpoint", "pv", "output")
SHIPPED = (
    Case(
        "instrument-debug",
        _instrument_debug,
        rf"^\[({DATE}\.\d+)\]\[\w+\] \[TempCtrl\] id=(\d+) sp={NUMBER} pv={NUMBER} out={NUMBER} "
        r"p=-?[\d.]+ i=-?[\d.]+ d=-?[\d.]+$",
        (dict(zip(ROLES, range(2, 6), strict=True)),),
        "%Y-%m-%d %H:%M:%S%.f",
        "[TempCtrl] id=",
    ),
    Case(
        "key-value",
        _key_value,
        rf"^\[({DATE}\.\d+)\]\[\w+\] \[PIDController\] PIDController::update ID: (\d+) setpoint: {NUMBER} "
        rf"temp: {NUMBER} error: -?[\d.]+ P: -?[\d.]+ I: -?[\d.]+ D: -?[\d.]+ output: {NUMBER}$",
        (dict(zip(ROLES, range(2, 6), strict=True)),),
        "%Y-%m-%d %H:%M:%S%.f",
        "] PIDController::update ID: ",
    ),
    Case(
        "kiln",
        _kiln,
        rf"^({DATE},\d+) INFO oven: temp={NUMBER}, target={NUMBER}, error=-?[\d.]+, pid={NUMBER}, ",
        ({"pv": 2, "setpoint": 3, "output": 4},),
        "%Y-%m-%d %H:%M:%S,%3f",
        " oven: temp=",
    ),
    Case(
        "klipper",
        _klipper,
        rf"^Stats ([\d.]+): .*heater_bed: target={NUMBER} temp={NUMBER} pwm={NUMBER} .*"
        rf"extruder: target={NUMBER} temp={NUMBER} pwm={NUMBER}$",
        ({"setpoint": 2, "pv": 3, "output": 4}, {"setpoint": 5, "pv": 6, "output": 7}),
        "",
        "Stats ",
    ),
    Case(
        "marlin",
        _marlin,
        rf"^({DATE},\d+) - Recv:  T:{NUMBER}/{NUMBER} B:{NUMBER}/{NUMBER} @:{NUMBER} B@:{NUMBER}$",
        ({"pv": 2, "setpoint": 3, "output": 6}, {"pv": 4, "setpoint": 5, "output": 7}),
        "%Y-%m-%d %H:%M:%S,%3f",
        " - Recv:  T:",
    ),
    Case(
        "pid-stages",
        _stages,
        rf"^\[({DATE})\] loop \[PID DEBUG\] \w+ \| mode=\w+ \| sp={NUMBER} \| temp={NUMBER} \| command=-?[\d.]+ "
        rf"\| final={NUMBER}$",
        ({"setpoint": 2, "pv": 3, "output": 4},),
        "%Y-%m-%d %H:%M:%S",
        " loop [PID DEBUG] ",
    ),
)


def made_up_cases(seed: int, count: int) -> list[Case]:
    """Return logs of line shapes that `seed` makes up."""
    shapes = [make_up(random.Random(f"{seed}-{number}")) for number in range(count)]
    return [_made_up(f"made up {number}", shape) for number, shape in enumerate(shapes, 1)]


def _made_up(name: str, shape: MadeUpShape) -> Case:
    clock, digits, point = shape.stamp
    decimals = {"": "", ".": "%.f", ",": f",%{digits}f"}[point]
    first = shape.fields[0]
    groups = {role: group for group, role in enumerate(shape.roles, 2)}
    literal = f"{shape.after}{shape.words}{first.name}{shape.join}"
    return Case(name, shape.lines, shape.expression, (groups,), clock + decimals, literal)


def token_of(case: Case, line: str, group: int) -> tuple[int, str, str] | None:
    """Return which of the words of `line` (cut at each blank) holds `group`, and what is around it there."""
    match = re.match(case.expression, line)
    if not match or " " in match[group]:
        return None
    start, end = match.span(group)
    begin = line.rfind(" ", 0, start) + 1
    stop = line.find(" ", end) if " " in line[end:] else len(line)
    return line.count(" ", 0, start), line[begin:start], line[end:stop]
