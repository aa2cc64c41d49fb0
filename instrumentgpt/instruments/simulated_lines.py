"""The lines of simulated instruments: a sample in each of six message shapes, and the rest's chatter."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass


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
