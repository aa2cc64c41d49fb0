"""What a day's work does to a loop is no fault of it; what is one beside it is still found, and told once."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import each
from faulty_logs import log_of

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.checks.health import healthy_channels
from instrumentgpt.instruments.compare import compare, rises_over
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.findings import IN_USE, Excursion, Finding
from instrumentgpt.instruments.kept_verdicts import held_duties
from instrumentgpt.instruments.logs import Log, read_log

Curve = Callable[[float], float]
MIDNIGHT = pd.Timestamp("2026-11-23")
NO_KICK: Curve = lambda _: 0.0  # noqa: E731


def run(
    setpoint: Curve,
    hours: float,
    period: float = 10.0,
    wall: float = 2400.0,
    air: float = 150.0,
    per_percent: float = 0.8,
    kick: Curve = NO_KICK,
    power: Curve = lambda _: 1.0,
    read: Callable[[float, float], float] = lambda _, pv: pv,
    thermostat: float = 0.0,
    gain: Curve = lambda _: 1.0,
    room: float = 22.0,
    seed: int = 1,
) -> pd.DataFrame:
    """Return the samples of an oven whose wall is heated and whose air follows it, or is kicked (K/s).

    thermostat  half of its hysteresis, 0 for a PI controller; a negative `per_percent` cools
    """
    rng, rows, output = np.random.default_rng(seed), [], 0.0
    inside = outside = setpoint(0.0)
    held = (inside - room) / per_percent
    for at in np.arange(0.0, hours * 3600.0, period).tolist():  # numpy's scalars are slow
        asked, pv = setpoint(at), round(read(at, inside + rng.normal(0.0, 0.03)), 1)
        error = (asked - pv) * np.sign(per_percent)
        if thermostat:
            output = 100.0 if error > thermostat else 0.0 if error < -thermostat else output
        else:
            kp = 12.0 * gain(at) / abs(per_percent)
            output = min(max(kp * error + held, 0.0), 100.0)
            held = min(max(held + kp * error * period / 1500.0, 0.0), 100.0)
        rows.append((at, 1, asked, pv, round(output, 1)))
        for part in np.arange(at, at + period, 5.0).tolist():
            outside += 5.0 * (room + per_percent * power(part) * output - outside) / wall
            inside += 5.0 * ((outside - inside) / air + kick(part))
    frame = pd.DataFrame(rows, columns=["time", "channel", "setpoint", "pv", "output"])
    return frame.assign(kp=np.nan, ki=np.nan, kd=np.nan)


def faults(log: Log) -> list[Finding]:
    return [one for one in diagnose(log).findings if one.fault != "healthy"]


def verdict(log: Log) -> tuple[str, object]:
    (finding,) = diagnose(log).findings
    return finding.fault, finding.numbers.get("kind")


def day(last: float, after: float = 7.0, at: float = 80.0) -> Curve:
    return lambda time: at if time < after * 3600.0 else last


@each("last, wall, period", [(20.0, 2400, 10), (5.0, 1200, 5), (50.0, 5000, 30), (20.0, 5000, 10)])
def test_a_cool_down_at_the_end_of_the_day_is_not_judged_and_the_day_is(last, wall, period):
    diagnosis = diagnose(log_of(run(day(last), 7.6, period, wall)))
    assert [one.fault for one in diagnosis.findings] == ["healthy"] and not diagnosis.withheld
    assert diagnosis.channels[1].half_peak_to_peak < 0.5 and abs(diagnosis.channels[1].duty - 72.5) < 2.0


def test_an_oven_that_is_set_to_zero_for_the_night_is_not_judged_by_the_night():
    frame = run(day(0.0), 9.0)
    frame.loc[frame["setpoint"] == 0.0, "output"] = 0.0
    assert verdict(log_of(frame))[0] == "healthy"


def test_a_heater_that_fails_before_the_cool_down_is_found():
    failed = run(day(20.0), 8.0, power=lambda at: float(at < 4.0 * 3600.0))
    assert faults(log_of(failed))[0].fault == "heater_failure"


def test_the_output_that_is_needed_is_told_at_the_setpoint_it_was_needed_for():
    days = [
        run(day(20.0), 8.0, 30.0, power=lambda at, share=share: share) for share in (1.0, 1.0, 0.75, 0.75)
    ]
    frames = [frame.assign(time=frame["time"] + 86_400.0 * at) for at, frame in enumerate(days)]
    weaker = next(one for one in faults(log_of(pd.concat(frames))) if one.fault == "heater_degradation")
    assert weaker.numbers["setpoint"] == 80.0 and "at 80.00 °C" in wording.next_test(weaker, "en")


def opened(*lids: tuple[float, float], seconds: float = 60.0) -> Curve:
    """Return how fast lids, each (hour, K), cool the air that they let out."""
    spans = [(hour * 3600.0, hour * 3600.0 + seconds, size / seconds) for hour, size in lids]
    return lambda at: -sum(rate for begin, end, rate in spans if begin <= at < end)


LIDS = opened((6.0, 2.4), (8.5, 1.3), (9.2, 3.1), (14.0, 2.0))


@each("period, air", [(10.0, 120.0), (30.0, 150.0), (30.0, 250.0), (60.0, 200.0)])
@each("kick", [LIDS, opened((11.0, 3.0))])
def test_lids_that_are_opened_are_use(period, air, kick):
    shaker = run(lambda _: 37.0, 20.0, period, air=air, per_percent=0.5, kick=kick)
    assert verdict(log_of(shaker)) == ("healthy", "in_use")


@each("period", [5.0, 10.0])
def test_a_sensor_that_jumps_among_lids_and_stays_there_is_found(period):
    moved = run(
        lambda _: 37.0,
        20.0,
        period,
        per_percent=0.5,
        kick=LIDS,
        read=lambda at, pv: pv - 4.0 * (at >= 12.0 * 3600.0),
    )
    (found,) = faults(log_of(moved))
    assert (found.fault, found.onset, found.numbers["kind"]) == ("sensor_bias", 43_200.0, "step")


def test_spikes_among_lids_are_spikes_and_nothing_else():
    hit = {3.0: 9.0, 7.0: -8.0, 12.0: 10.0, 16.0: -9.5}
    spiky = run(
        lambda _: 37.0,
        20.0,
        30.0,
        per_percent=0.5,
        kick=LIDS,
        read=lambda at, pv: pv + hit.get(at / 3600.0, 0.0),
    )
    assert [one.fault for one in faults(log_of(spiky))] == ["sensor_spike"]


def contact(rail: float, *breaks: tuple[float, float]) -> Callable[[float, float], float]:
    """Return a sensor that reads `rail` in each of the `breaks`: (from s, for s)."""
    return lambda at, pv: rail if any(start <= at < start + lasts for start, lasts in breaks) else pv


BREAKS = ((9_000.0, 15.0), (11_000.0, 90.0), (15_000.0, 35.0), (18_000.0, 5.0), (18_500.0, 60.0))


@each("rail", [1768.0, 2320.0, 1372.0, -210.0, -200.0])
def test_a_thermocouple_that_opens_again_and_again_is_one_cause_told_once(rail):
    log = log_of(run(lambda _: 900.0, 6.0, 5.0, per_percent=14.0, read=contact(rail, *BREAKS)))
    (found,) = faults(log)
    assert (found.fault, found.severity, found.numbers["value"]) == ("sensor_open", "high", rail)
    assert (found.numbers["count"], found.numbers["total"], found.numbers["seconds"]) == (5, 205.0, 90.0)
    assert "5 times" in wording.summary(found, "en") and "205 s" in wording.summary(found, "en")


def zones(welded: int, until: float = 6.0, drift: int = -1) -> Log:
    """Return a barrel of five zones of which one is heated by a welded relay, or has a sensor that drifts."""
    rng, asked = np.random.default_rng(3), np.array([200.0, 208.0, 214.0, 220.0, 224.0])
    plant, held, rows = asked.copy(), (asked - 22.0) / 4.0, []
    for at in np.arange(0.0, 6.0 * 3600.0, 10.0):
        off = np.where(np.arange(5) == drift, 20.0 * np.clip((at - 9_000.0) / 3_600.0, 0.0, 1.0), 0.0)
        pv = (plant + off + rng.normal(0.0, 0.1, 5)).round(1)
        output = np.clip(6.0 * (asked - pv) + held, 0.0, 100.0)
        held = np.clip(held + 6.0 * (asked - pv) * 10.0 / 300.0, 0.0, 100.0)
        rows += [(at, zone + 1, asked[zone], pv[zone], round(output[zone])) for zone in range(5)]
        heat = output.copy()
        if 9_000.0 < at < until * 3_600.0:
            heat[welded] = 90.0
        beside = np.zeros(5)
        beside[:-1] += 0.35 * np.diff(plant)
        beside[1:] -= 0.35 * np.diff(plant)
        plant = plant + 10.0 * (22.0 - plant + 4.0 * heat + beside) / 800.0
    frame = pd.DataFrame(rows, columns=["time", "channel", "setpoint", "pv", "output"])
    frame = frame.assign(kp=np.nan, ki=np.nan, kd=np.nan)
    return log_of(*(frame[frame["channel"] == zone] for zone in range(1, 6)))


def test_a_zone_whose_sensor_drifts_by_itself_is_found():
    named = [(one.fault, one.channel) for one in faults(zones(-1, 0.0, drift=1))]
    assert named == [("sensor_bias", 2)]


@each("setpoint, period", [(-80.0, 60.0), (-20.0, 30.0), (5.0, 60.0)])
def test_a_freezers_own_cycle_is_its_band_and_its_door_is_use(setpoint, period):
    doors = opened((5.0, -5.0), (13.0, -4.0), (13.6, -5.5), (19.0, -6.0), seconds=90.0)
    cooled = run(
        lambda _: setpoint,
        24.0,
        period,
        wall=14_400.0,
        air=240.0,
        per_percent=(setpoint - 22.0) / 45.0,
        kick=doors,
        thermostat=1.0,
    )
    assert verdict(log_of(cooled)) == ("healthy", "in_use")


def test_a_freezer_whose_compressor_fails_is_found_beside_its_doors():
    failed = run(
        lambda _: -80.0,
        24.0,
        60.0,
        wall=14_400.0,
        air=240.0,
        per_percent=-102.0 / 45.0,
        kick=opened((5.0, -5.0), (9.0, -4.0), seconds=90.0),
        thermostat=1.0,
        power=lambda at: float(at < 15.0 * 3_600.0),
    )
    assert faults(log_of(failed))[0].fault == "heater_failure"


def fridge(share: float) -> Log:
    """Return a day of a thermostat of ±1 K, whose compressor has this `share` of its power."""
    frame = run(lambda _: 4.0, 24.0, 60.0, 9000.0, 300.0, -0.6, power=lambda _: share, thermostat=1.0)
    return log_of(frame, start=MIDNIGHT)


@each("shares, told", [((1.0, 0.85, 0.7, 0.55), 1), ((1.0, 0.98, 1.02, 1.0), 0)])
def test_a_thermostat_that_runs_more_and_more_is_told_and_its_own_swing_is_its_band(shares, told):
    logs = [fridge(share) for share in shares]
    rises = rises_over([*map(held_duties, logs)])
    assert len(rises) == told
    assert all(rise.ratio == pytest.approx(shares[0] / shares[-1], rel=0.1) for rise in rises)
    outside = [row for row in compare(logs[0], logs[-1]).rows if row.quantity == "out_of_band"]
    assert outside[0].before < 5.0 and outside[0].after < 5.0


def worked(share: float, hours: float, begun: float = 0.0) -> Log:
    """Return a log of a heater with this `share` of its power, whose work by day costs output."""

    def work(at: float) -> float:
        return -0.02 if 8.0 <= (at / 3600.0 + begun) % 24.0 < 18.0 else 0.0

    frame = run(lambda _: 45.0, hours, 20.0, per_percent=0.6, kick=work, power=lambda _: share)
    return log_of(frame, start=MIDNIGHT + pd.Timedelta(hours=begun))


@each(
    "logs, told",
    [
        ([(1.0, 24.0), (1.0, 24.0), (1.0, 17.0)], 0),
        ([(1.0, 7.0), (1.0, 12.0), (1.0, 7.0, 9.0)], 0),
        ([(1.0, 24.0), (0.85, 24.0), (0.7, 17.0)], 1),
    ],
)
def test_the_work_of_a_day_is_no_rise_from_log_to_log_and_lost_power_is(logs, told):
    assert len(rises_over([held_duties(worked(*log)) for log in logs])) == told


def humid(share: float, fails: float = 99.0) -> Log:
    """Return a log in %RH whose humidifier has this `share` of its power, none after `fails` hours."""
    frame = run(
        lambda at: 45.0 if at < 3.0 * 3600.0 else 60.0,
        16.0,
        30.0,
        per_percent=0.8,
        power=lambda at: share * (at < fails * 3600.0),
        room=30.0,
    )
    return log_of(frame, unit="%RH")


@each("made, fault", [((1.0,), []), ((1.0, 8.0), ["heater_failure"]), ((0.3,), ["saturation"])])
def test_a_humidifier_without_power_is_told_and_one_that_works_is_not(made, fault):
    found = faults(humid(*made))
    assert [one.fault for one in found] == fault
    assert all(one.severity == "high" for one in found)


@each("unit, found", [("L/min", []), ("°C", ["sensor_spike, channel 2"])])
def test_a_reading_beside_a_loop_is_judged_by_the_limits_of_heating_if_it_is_a_temperature(unit, found):
    oven = run(lambda _: 60.0, 10.0)
    pulses = 20.0 + np.random.default_rng(3).normal(0.0, 0.05, len(oven))
    pulses[[700, 1200, 1750, 2600, 3100]] += 40.0
    flow = oven.assign(channel=2, setpoint=np.nan, output=np.nan, pv=pulses)
    log = log_of(oven, flow, channel_units={2: unit}, channel_names={1: "Oven", 2: "Reading"})
    assert faults(log) == []  # what moves it, its log does not say
    assert [name for name in diagnose(log).withheld if name.endswith("channel 2")] == found


HOUR = 3600.0


def read_without(frame: pd.DataFrame, folder: Path, *columns: str) -> Log:
    """Return the log of a table of `frame` without these columns."""
    frame[["time", "setpoint", "pv", "output"]].drop(columns=list(columns)).to_csv(
        folder / "run.csv", index=False
    )
    return read_log(folder / "run.csv")


def lost(at: float, left: float = 0.0) -> Curve:
    """Return a power of which `left` is left from `at` hours on."""
    return lambda time: 1.0 if time < at * HOUR else left


@each("at, unseen", [(7.0, "output"), (4.0, "output"), (4.0, "setpoint")])
def test_what_lasts_to_the_end_is_told_from_when_it_began_however_short_the_rest_was(at, unseen, tmp_path):
    (away,) = diagnose(read_without(run(lambda _: 80.0, 10.0, power=lost(at)), tmp_path, unseen)).excursions
    assert abs(away.onset - at * HOUR) < 0.1 * HOUR and away.end > 9.9 * HOUR and away.size < -30.0


@each("per_percent, setpoint, digits", [(0.8, 80.0, 1), (0.8, 80.0, 0), (-0.8, 5.0, 1), (-0.8, 5.0, 0)])
def test_power_that_is_lost_for_most_of_a_record_is_found_with_and_without_its_setpoint(
    per_percent, setpoint, digits, tmp_path
):
    frame = run(lambda _: setpoint, 10.0, period=20.0, per_percent=per_percent, power=lost(4.0))
    frame["output"] = frame["output"].round(digits)
    for columns in ((), ("setpoint",)):
        (finding,) = faults(read_without(frame, tmp_path, *columns))
        assert finding.fault == "heater_failure" and abs(finding.onset - 4.0 * HOUR) < 0.2 * HOUR


@each("thermostat, digit", [(0.0, 0.1), (2.0, 0.1), (2.0, 1.0)])
def test_a_part_of_the_power_that_is_lost_leaves_an_output_at_its_limit(thermostat, digit):
    frame = run(
        lambda _: 70.0,
        14.0,
        30.0,
        thermostat=thermostat,
        power=lost(4.0, 0.4),
        read=lambda _, pv: digit * round(pv / digit),
    )
    (finding,) = faults(log_of(frame))
    assert finding.fault == "saturation" and abs(finding.onset - 4.0 * HOUR) < 0.5 * HOUR


def test_what_weakens_is_told_from_when_it_began():
    def weakens(time: float) -> float:
        return 1.0 - 0.35 * max(0.0, time / HOUR - 3.0) / 7.0

    (finding,) = faults(log_of(run(lambda _: 60.0, 10.0, power=weakens)))
    assert finding.fault == "heater_degradation" and abs(finding.onset - 3.0 * HOUR) < 1.0 * HOUR


@each("pace", [-0.05, -0.1])
def test_a_load_that_comes_and_goes_once_is_no_use(pace):
    def load(time: float) -> float:
        return pace if 4.0 * HOUR < time < 4.5 * HOUR else 0.0

    (finding,) = faults(log_of(run(lambda _: 60.0, 10.0, kick=load, air=60.0)))
    assert finding.fault == "ambient_disturbance" and abs(finding.onset - 4.0 * HOUR) < 60.0


@each(
    "written",
    {
        "a low and a high stage": lambda frame: frame.assign(output=20.0 + 0.8 * frame["output"]),
        "a stage that is needed once": lambda frame: frame.assign(
            output=frame["output"].mask(frame.index == 700, 200.0) / 2
        ),
        "1 for off and 2 for on": lambda frame: frame.assign(output=1 + frame["output"] / 100),
        "a word": lambda frame: frame.assign(output=np.where(frame["output"] > 50, "Heating", "Idle")),
        "one of another language": lambda frame: frame.assign(
            output=np.where(frame["output"] > 50, "運轉", "停止")
        ),
        "a word beside on": lambda frame: frame.assign(
            output=np.where(frame["output"] > 50, "on", "standby")
        ),
    }.items(),
)
def test_a_thermostat_switches_however_its_output_is_written(written, tmp_path):
    frame = written[1](run(lambda _: 80.0, 8.0, thermostat=1.0))
    path = tmp_path / "thermostat.csv"
    frame[["time", "setpoint", "pv", "output"]].to_csv(path, index=False)
    diagnosis = diagnose(read_log(path))
    assert diagnosis.kinds[1].drive == "on_off"
    assert [one.fault for one in diagnosis.findings] == ["healthy"]


def through(lag: float, first: float) -> Callable[[float, float], float]:
    """Return what a sensor reads that follows pv with a lag of as many s, read every 10 s."""
    last = [first]

    def read(_: float, pv: float) -> float:
        last[0] += (pv - last[0]) * 10.0 / lag
        return last[0]

    return read


@each("began", [0.3, 0.6, 0.9, 0.95])
def test_a_swing_is_found_however_late_in_a_long_hold_it_began(began):
    onset = began * 30.0 * 3600.0
    frame = run(
        lambda _: 80.0,
        30.0,
        read=through(300.0, 80.0),
        gain=lambda time: 1.0 if time < onset else 6.0,
        kick=lambda time: 0.01 if onset < time < onset + 60.0 else 0.0,
    )
    first = faults(log_of(frame))[0]
    assert first.fault == "oscillation_tuning"
    assert abs(first.onset - onset) < 1800.0
    assert first.numbers["amplitude"] > 0.5 * np.ptp(frame["pv"][-200:]) / 2


def low(at: float) -> float:
    return 3.0 * float(np.clip(at / 28_800.0 - 1.0, 0.0, 1.0))  # K, from the eighth hour to the sixteenth


@each("drifts, named", [(True, [("sensor_bias", "reference", 1)]), (False, [])])
@each("late", [0, 3])
def test_a_sensor_that_another_reading_leaves_with_the_output_drifts(late, drifts, named):
    oven = run(lambda _: 80.0, 24.0, 20.0, read=lambda at, pv: pv - drifts * low(at))
    beside = oven.assign(channel=2, setpoint=np.nan, output=np.nan, pv=oven["time"].map(low) + 80.2)
    beside.loc[beside.index[:late], "pv"] = np.nan  # not read yet
    log = log_of(oven, beside, channel_names={1: "Block (°C)", 2: "Pt100 (°C)"})
    assert [(one.fault, one.numbers["kind"], one.channel) for one in faults(log)] == named


def test_the_temperature_of_a_heater_that_works_harder_shows_no_drift_of_the_other():
    fed = run(lambda _: 80.0, 24.0, 20.0, kick=lambda at: -0.1 * (at >= 30_000.0))
    element = fed.assign(channel=2, setpoint=np.nan, output=np.nan, pv=fed["pv"] + 1.2 * fed["output"])
    assert [one.fault for one in faults(log_of(fed, element))] == ["heater_degradation"]


def warmed(hours: float, begins: float, takes: float) -> Curve:
    """Return a heat from outside (K/s) that rises over `takes` s and ends `hours` after it begins (s)."""
    return lambda at: 0.1 * float(np.clip((at - begins) / takes, 0.0, 1.0)) * (at < begins + 3600.0 * hours)


def test_heat_that_came_back_by_itself_before_is_no_stuck_relay():
    slow, quick = warmed(20.0, 30_000.0, 60_000.0), warmed(6.0, 120_000.0, 10_000.0)
    kicks = quick, lambda at: slow(at) + quick(at)
    days = [log_of(run(lambda _: 25.0, 40.0, 60.0, kick=kick)) for kick in kicks]
    assert [[one.fault for one in faults(day)] for day in days] == [["runaway_stuck_on"], []]


@each("beside, named", [(0.12, [("sensor_bias", 1)]), (0.4, [])])
def test_outputs_that_fall_together_show_no_drifting_sensor(beside, named):
    def lowered(zone: pd.DataFrame) -> pd.DataFrame:
        share = 0.6 if zone["channel"].iloc[0] == 1 else beside
        return zone.assign(
            output=zone["output"] * (1.0 - share * ((zone["time"] - 9e3) / 1.8e3).clip(0.0, 1.0))
        )

    barrel = zones(-1, 0.0).samples.groupby("channel")
    assert [
        (one.fault, one.channel) for one in faults(log_of(*(lowered(zone) for _, zone in barrel)))
    ] == named


def test_a_swing_covers_no_excursion_that_is_larger_than_it():
    swings = lambda at, pv: pv + 0.5 * np.sin(at / 64.0)  # noqa: E731
    told = diagnose(log_of(run(lambda _: 80.0, 12.0, kick=opened((6.0, 8.0), (8.3, 7.0)), read=swings)))
    assert [one.fault for one in told.findings] == ["limit_cycle_actuator"]
    assert {one.explained for one in told.excursions} == {IN_USE}


def test_a_loop_pushed_again_and_again_is_not_healthy_beside_an_excursion_that_nothing_explains():
    kick = opened(*((hour, 3.0) for hour in np.arange(2.0, 14.0, 0.5)))
    log = log_of(run(lambda _: 37.0, 16.0, 30.0, air=150.0, per_percent=0.5, kick=kick))
    told = diagnose(log)
    assert [one.fault for one in told.findings] == ["healthy"]
    lost = Excursion(1, 3e4, 4e4, -12.0, 1.0, told.excursions[0].evidence)
    found, (why,) = healthy_channels(study_of(log), [], [], told.channels, [*told.excursions, lost])
    assert not found and "channel 1" in why


def swung(asked: Curve, size: float, period: float, output: Callable[[np.ndarray], np.ndarray]) -> Log:
    """Return a loop that swings about what is asked of it, its output a quarter of a period ahead."""
    time = np.arange(0.0, 150.0 * period, period / 40.0)
    noise = np.random.default_rng(5).normal(0.0, size / 50.0, len(time))
    turn = 2.0 * np.pi * time / period
    frame = pd.DataFrame({"time": time, "channel": 1, "setpoint": [asked(at) for at in time]})
    frame["pv"] = (frame["setpoint"] + size * np.sin(turn) + noise).round(3)
    return log_of(frame.assign(output=output(np.cos(turn)), kp=np.nan, ki=np.nan, kd=np.nan))


def test_a_slave_whose_setpoint_never_stands_still_can_swing():
    slave = swung(lambda at: 60.0 + 0.0001 * at, 1.5, 400.0, lambda turn: 50.0 + 5.0 * turn)
    assert [one.fault for one in faults(slave)] == ["limit_cycle_actuator"]
