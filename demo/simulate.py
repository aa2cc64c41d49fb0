"""Logs of simulated instruments, in the six message shapes of InstrumentDebug, byte for byte reproducible."""

import gzip
import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from demo.simulated_loop import Controller, Event, Plant, Run, Steps, simulate


@dataclass(frozen=True)
class Sample:
    """What one channel shows at one moment."""

    channel: int
    setpoint: float
    pv: float
    output: float
    terms: tuple[float, float, float]
    gains: tuple[float, float, float]


def _temp_ctrl(s: Sample) -> str:
    p, i, d = s.terms
    return (
        f"debug] [TempCtrl] id={s.channel} sp={s.setpoint:.2f} pv={s.pv:.3f} out={s.output:.1f} "
        f"p={p:.2f} i={i:.2f} d={d:.2f}"
    )


def _pid(s: Sample) -> str:
    kp, ki, kd = s.gains
    return (
        f"debug] PID[{s.channel}] SetPoint={s.setpoint:.1f} ProcessValue={s.pv:.2f}C "
        f"OutputPower={s.output:.0f}% Error={s.setpoint - s.pv:.2f} Kp={kp:.3f} Ki={ki:.5f} Kd={kd:.3f}"
    )


def _sentence(s: Sample) -> str:
    p, i, d = s.terms
    return (
        f"info] Temperature channel {s.channel}: setpoint: {s.setpoint:.2f} °C, "
        f"process value: {s.pv:.2f} °C, output power: {s.output:.1f} %, P: {p:.2f}, I: {i:.2f}, D: {d:.2f}"
    )


def _semicolons(s: Sample) -> str:
    return f"debug] TC;{s.channel};{s.setpoint:.2f};{s.pv:.2f};{s.output:.2f}"


def _json(s: Sample) -> str:
    kp, ki, kd = s.gains
    return (
        f'debug] [pid] {{"ch":{s.channel},"setpoint":{s.setpoint:.2f},"temp":{s.pv:.2f},'
        f'"duty":{s.output / 100:.3f},"kp":{kp:.3f},"ki":{ki:.5f},"kd":{kd:.3f}}}'
    )


def _one_each(write: Callable[[Sample], str]) -> Callable[[Sequence[Sample]], list[str]]:
    return lambda samples: [write(sample) for sample in samples]


def _all_on_one(samples: Sequence[Sample]) -> list[str]:
    each = [f"T{s.channel}={s.pv:.3f}/{s.setpoint:.2f} ({s.output:.1f}%)" for s in samples]
    return [f"debug] [Thermo] {' '.join(each)}"]


@dataclass(frozen=True)
class Shape:
    """How a firmware words a sample, and the gains at the head of the log ("" where samples carry them)."""

    samples: Callable[[Sequence[Sample]], list[str]]
    gains: str = ""
    head: tuple[str, ...] = ()


SHAPES: dict[str, Shape] = {
    "TempCtrl": Shape(
        _one_each(_temp_ctrl), "info] [TempCtrl] params id={channel} kp={kp:.3f} ki={ki:.5f} kd={kd:.3f}"
    ),
    "PID": Shape(_one_each(_pid)),
    "Temperature channel": Shape(
        _one_each(_sentence),
        "info] Temperature channel {channel}: PID gains Kp: {kp:.3f} %/°C, Ki: {ki:.5f} %/(°C·s), "
        "Kd: {kd:.3f} %·s/°C",
    ),
    "TC": Shape(
        _one_each(_semicolons),
        "info] TCG;{channel};{kp:.3f};{ki:.5f};{kd:.3f}",
        ("info] TC;id;sp;pv;out", "info] TCG;id;kp;ki;kd"),
    ),
    "pid": Shape(_one_each(_json)),
    "Thermo": Shape(_all_on_one, "info] [Thermo] CH{channel} gains Kp={kp:.3f} Ki={ki:.5f} Kd={kd:.3f}"),
}

CHATTER: tuple[Callable[[random.Random], str], ...] = (
    lambda dice: f"debug] [Fan] rpm={whole(dice, 900, 3600)} duty={whole(dice, 20, 90)}",
    lambda dice: f"debug] [PSU] 24V={whole(dice, 2380, 2420) / 100:.2f} 5V={whole(dice, 498, 508) / 100:.2f}",
    lambda dice: f"debug] [Net] client 10.1.1.{whole(dice, 200, 220)} keepalive rtt={whole(dice, 1, 5)} ms",
    lambda dice: f"debug] [Motor] axis {'XYZ'[whole(dice, 0, 2)]} move to {whole(dice, 0, 64000)} um",
    lambda dice: f"debug] [Humidity] rh={whole(dice, 380, 460) / 10:.1f} %",
    lambda dice: f"info] [Barcode] read 'PLT-{whole(dice, 10000, 99999)}'",
    lambda dice: f"info] [Storage] free {whole(dice, 205, 215)} GB",
)


def whole(dice: random.Random, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`, the same in every version of Python."""
    return low + int(dice.random() * (high - low + 1))


SCENARIOS = Path(__file__).with_name("scenarios.toml")
CHATTER_PER_SECOND = 0.4  # lines of the rest of the instrument


@dataclass(frozen=True)
class Channel:
    """One loop of an instrument: `setpoint` in °C or as (from s, °C) steps, see `simulate`."""

    number: int
    plant: Plant
    controller: Controller
    setpoint: float | Steps
    events: tuple[Event, ...] = ()
    start: float | None = None


@dataclass(frozen=True)
class Line:
    """A line of another part of the instrument, `time` s after the first."""

    time: float
    level: str
    text: str


@dataclass(frozen=True)
class Scenario:
    """One log: which instrument wrote it, when, in which of the SHAPES, and what its loops went through."""

    device: str
    ip: str
    shape: str
    start: datetime
    duration: float  # s
    channels: tuple[Channel, ...]
    lines: tuple[Line, ...] = ()
    version: str = "3.4.12"
    period: float = 1.0  # s
    seed: int = 0
    condition: str = "healthy"  # for people; never written

    @property
    def file_name(self) -> str:
        """The name the instrument gives its log: "InstrumentDebug_2026-02-19_23-24-45.39.log"."""
        return f"InstrumentDebug_{self.start:%Y-%m-%d_%H-%M-%S}.{self.start.microsecond // 10_000:02d}.log"


def log_lines(scenario: Scenario, seed: int | None = None) -> Iterator[str]:
    """Yield the lines of the scenario's log, in order of time, without line ends.

    seed: of all noise, and of the other parts' chatter; None: the scenario's own.
    """
    seed = scenario.seed if seed is None else seed
    shape = SHAPES[scenario.shape]
    head = [
        f"info] [Main] InstrumentDebug {scenario.version} serial {scenario.device.upper().replace(' ', '-')}"
    ]
    head[0] += f" ip {scenario.ip}"
    head += shape.head
    if shape.gains:
        head += [shape.gains.format(channel=c.number, **_gains(c.controller)) for c in scenario.channels]
    timed = [(0.001 * index, text) for index, text in enumerate(head)]
    timed += [(line.time, f"{line.level}] {line.text}") for line in scenario.lines]
    timed += _chatter(scenario, random.Random(seed * 1000))
    timed += _sampled(scenario, seed, shape)
    for time, text in sorted(timed, key=lambda row: row[0]):
        stamp = scenario.start + timedelta(milliseconds=int(time * 1000 + 0.5))
        yield f"[{stamp:%Y-%m-%d %H:%M:%S}.{stamp.microsecond // 1000:03d}][{text}"


def _gains(controller: Controller) -> dict[str, float]:
    return {"kp": controller.kp, "ki": controller.ki, "kd": controller.kd}


def _chatter(scenario: Scenario, dice: random.Random) -> Iterator[tuple[float, str]]:
    for second in range(int(scenario.duration)):
        if dice.random() < CHATTER_PER_SECOND:
            yield second + dice.random() + 0.05, CHATTER[whole(dice, 0, len(CHATTER) - 1)](dice)


def _sampled(scenario: Scenario, seed: int, shape: Shape) -> Iterator[tuple[float, str]]:
    runs = [
        simulate(
            channel.plant,
            channel.controller,
            channel.setpoint,
            scenario.duration,
            scenario.period,
            seed * 1000 + channel.number,
            channel.events,
            channel.start,
        )
        for channel in scenario.channels
    ]
    late = random.Random(seed * 1000 + 999)
    for index in range(len(runs[0].time)):
        time = 0.1 + index * scenario.period + 0.02 * late.random()
        samples = [_sample(channel, run, index) for channel, run in zip(scenario.channels, runs, strict=True)]
        for place, text in enumerate(shape.samples(samples)):
            yield time + 0.002 * place, text


def _sample(channel: Channel, run: Run, index: int) -> Sample:
    gains = channel.controller
    p, i, d = run.terms[index].tolist()
    return Sample(
        channel.number,
        float(run.setpoint[index]),
        float(run.pv[index]),
        float(run.output[index]),
        (p, i, d),
        (gains.kp, gains.ki, gains.kd),
    )


def write_log(path: Path, scenario: Scenario, seed: int | None = None) -> Path:
    """Write the scenario's log to the file at `path`, compressed if that ends in .gz, and return it."""
    content = "".join(f"{line}\n" for line in log_lines(scenario, seed)).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


def write_demo(folder: Path) -> list[Path]:
    """Write the logs of scenarios.toml below `folder`, in one folder per device, and return them."""
    return [
        write_log(folder / scenario.device.replace(" ", "_") / name, scenario)
        for name, scenario in demo_scenarios().items()
    ]


def demo_scenarios(path: Path = SCENARIOS) -> dict[str, Scenario]:
    """Return the scenarios of a TOML file by the name of their log file, in its order.

    >>> demo_scenarios()["InstrumentDebug_2026-02-19_23-24-45.39.log"].device
    'zspr 052'
    """
    found = {}
    for device in tomllib.loads(path.read_text(encoding="utf-8"))["device"]:
        for log in device["log"]:
            scenario = _scenario(device, log)
            found[scenario.file_name + (".gz" if log.get("compressed", True) else "")] = scenario
    return found


def _scenario(device: dict[str, Any], log: dict[str, Any]) -> Scenario:
    return Scenario(
        device=device["name"],
        ip=device["ip"],
        shape=device["shape"],
        start=log["start"],
        duration=60.0 * log["minutes"],
        channels=tuple(_channel(log, channel) for channel in device["channels"]),
        lines=tuple(Line(**line) for line in log.get("line", ())),
        version=log["version"],
        seed=log["seed"],
        condition=log["condition"],
    )


def _channel(log: dict[str, Any], table: dict[str, Any]) -> Channel:
    number = table["number"]
    changed = {**table, **log.get("changed", {}).get(str(number), {})}
    fields = {
        kind: {name: changed[name] for name in kind.__dataclass_fields__ if name in changed}
        for kind in (Plant, Controller)
    }
    setpoint = log["setpoints"][number - 1]
    events = (
        Event(e["kind"], e["start"], e["stop"], e["values"][str(number)], e.get("every", 0.0))
        for e in _events(log, number)
    )
    return Channel(
        number,
        Plant(**fields[Plant]),
        Controller(**fields[Controller]),
        setpoint if isinstance(setpoint, float) else [(float(since), float(to)) for since, to in setpoint],
        tuple(events),
        changed.get("start"),
    )


def _events(log: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    return (event for event in log.get("event", ()) if str(number) in event["values"])


if __name__ == "__main__":
    for written in write_demo(SCENARIOS.parent / "logs"):
        print(written)
