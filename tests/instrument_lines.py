"""Lines of an InstrumentDebug log for tests, as its six shapes write them."""

from datetime import datetime, timedelta

START = datetime(2026, 3, 4, 17, 50, 13, 786000)
SHAPES = {
    "TempCtrl": "[TempCtrl] id={channel} sp={sp:.2f} pv={pv:.3f} out={out:.1f} p=-0.02 i=8.62 d=-0.00",
    "PID": "PID[{channel}] SetPoint={sp:.1f} ProcessValue={pv:.2f}C OutputPower={out:.0f}% Error=0.00 "
    "Kp=5.849 Ki=0.03199 Kd=0.000",
    "Temperature channel": "Temperature channel {channel}: setpoint: {sp:.2f} °C, "
    "process value: {pv:.2f} °C, output power: {out:.1f} %, P: -0.04, I: 14.28, D: -0.15",
    "TC": "TC;{channel};{sp:.2f};{pv:.2f};{out:.2f}",
    "pid": '[pid] {{"ch":{channel},"setpoint":{sp:.2f},"temp":{pv:.2f},"duty":{duty:.3f},"kp":25.901,'
    '"ki":0.49693,"kd":0.000}}',
    "Thermo": "[Thermo] T{channel}={pv:.3f}/{sp:.2f} ({out:.1f}%)",
}


def stamp(seconds: float) -> str:
    return f"[{(START + timedelta(seconds=seconds)).isoformat(' ', 'milliseconds')}]"


def sample(
    seconds: float,
    shape: str = "TempCtrl",
    channel: int = 1,
    sp: float = 55.0,
    pv: float = 55.01,
    out: float = 8.6,
) -> str:
    message = SHAPES[shape].format(channel=channel, sp=sp, pv=pv, out=out, duty=out / 100)
    return f"{stamp(seconds)}[debug] {message}"


def event(seconds: float, text: str = "[Net] client 10.1.1.32 connected", level: str = "info") -> str:
    return f"{stamp(seconds)}[{level}] {text}"
