"""What looks like a fault and is none: the checks stay silent on it."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import each
from faulty_logs import (
    CONTROLLER,
    END,
    HELD,
    ONSET,
    PLANT,
    among_quiet,
    case,
    log_of,
    quiet,
    samples_of,
    thermostat,
)

from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import Log, read_log
from instrumentgpt.instruments.wording import cause, ruled_out, summary


def coarse_digits_in_a_quiet_hold() -> Log:
    still = samples_of(plant=replace(PLANT, noise=0.0, resolution=0.5), output_digits=0)
    return among_quiet(still)


def integer_output_in_a_quiet_hold() -> Log:
    return among_quiet(samples_of(plant=replace(PLANT, noise=0.0), output_digits=0))


def a_small_limit_cycle() -> Log:
    return among_quiet(samples_of(controller=replace(CONTROLLER, actuator_step=6.0)))


def a_natural_cool_down() -> Log:
    return among_quiet(samples_of(setpoint=[(0.0, 80.0), (300.0, 40.0)]))


def a_step_with_short_saturation() -> Log:
    gentle = Controller(12.0, 0.07)
    return among_quiet(samples_of(controller=gentle, setpoint=[(0.0, 40.0), (300.0, 60.0)]))


def one_glitch_of_a_single_sample() -> Log:
    return among_quiet(samples_of(events=[Event("bias", ONSET, ONSET + 1, 12.0)]))


def a_channel_switched_off() -> Log:
    off = quiet(2)
    off[["setpoint", "output"]] = 0.0
    off["pv"] = 22.0 + np.arange(len(off)) % 3 * 0.01
    return among_quiet(off)


def a_door_that_two_channels_feel() -> Log:
    opened = [Event("load", ONSET, ONSET + 60, -6.0)]
    return log_of(samples_of(1, events=opened), samples_of(2, events=opened), quiet(3))


def a_missed_reading() -> Log:
    frame = quiet(2)
    frame.loc[900:902, "pv"] = np.nan
    return among_quiet(frame)


def one_reading_at_a_rail() -> Log:
    return among_quiet(samples_of(events=[Event("sensor", ONSET, ONSET + 1, 1_372.0)]))


def damaged_numbers_now_and_then() -> Log:
    frame = quiet(2)
    frame.loc[[600, 900, 1_200], "pv"] = 3.6e7, 8.1e6, np.nan
    return among_quiet(frame)


def a_controller_that_starts_again_before_its_first_reading() -> Log:
    frame = samples_of(2)
    for row in (600, 900, 1_200, 1_500):
        frame.loc[row : row + 1, ["setpoint", "pv", "output"]] = 0.0
    return among_quiet(frame)


def zeros_while_the_machine_is_off() -> Log:
    log = a_channel_switched_off()
    lost = (log.samples["channel"] == 2) & log.samples["time"].isin([600.0, 900.0, 1_200.0, 1_500.0])
    return replace(log, samples=log.samples.assign(pv=log.samples["pv"].mask(lost, 0.0)))


def noise_below_its_limit() -> Log:
    return among_quiet(samples_of(plant=replace(PLANT, noise=0.05)))


def a_neighbour_that_steps_alone() -> Log:
    steps = [(0.0, HELD), (300.0, 72.0), (700.0, HELD), (1100.0, 72.0), (1500.0, HELD)]
    smooth = Controller(6.0, 0.03)
    return log_of(quiet(1), quiet(2), samples_of(3, controller=smooth, setpoint=steps))


def a_setpoint_ramp() -> Log:
    ramp = [(0.0, 50.0), *((300.0 + k, 50.0 + 0.02 * k) for k in range(500))]
    return among_quiet(samples_of(setpoint=ramp))


def a_load_that_comes_goes_and_comes_again() -> Log:
    return among_quiet(
        samples_of(events=[Event("heater", 900.0, 2000.0, 0.84, every=2400.0)], duration=4300.0)
    )


def a_first_line_of_zeros_before_a_reading_that_rests() -> Log:
    still = replace(PLANT, noise=0.0, resolution=0.1)
    rise = [(0.0, PLANT.ambient), (400.0, HELD)]
    frame = samples_of(plant=still, controller=Controller(12.0, 0.07), setpoint=rise)
    frame.loc[0, ["setpoint", "pv", "output"]] = 0.0
    return among_quiet(frame)


def a_heater_left_at_full_while_its_setpoint_waits_below() -> Log:
    time = np.arange(900.0)
    pv = HELD + 50.0 * (1.0 - np.exp(-time / 150.0))
    columns = {"time": time, "channel": 1, "setpoint": HELD, "pv": pv.round(2), "output": 100.0}
    return log_of(pd.DataFrame({**columns, "kp": np.nan, "ki": np.nan, "kd": np.nan}))


def a_machine_at_rest_that_writes_nothing_for_an_hour() -> Log:
    frames = [quiet(channel) for channel in (1, 2)]
    for frame in frames:
        frame.loc[frame["time"] > END - 20, ["setpoint", "output"]] = 0.0
    return log_of(*frames, *(frame.assign(time=frame["time"] + END + 3600.0) for frame in frames))


def a_freezer_whose_door_is_opened_four_times() -> Log:
    rng, inside, cools, rows = np.random.default_rng(5), -79.5, 0.0, []
    for minute in range(1_440):
        warm = sum(5.4 * np.exp((at - minute) / 4.0) for at in (552, 640, 845, 990) if minute >= at)
        pv = inside + warm + rng.normal(0.0, 0.08)
        cools = 100.0 if pv > -78.5 else 0.0 if pv < -81.5 else cools
        inside += ((-112.0 if cools else 22.0) - inside) / 240.0
        rows.append((60.0 * minute, 1, -80.0, round(pv, 1), cools))
    frame = pd.DataFrame(rows, columns=["time", "channel", "setpoint", "pv", "output"])
    return log_of(frame.assign(kp=np.nan, ki=np.nan, kd=np.nan))


def a_bath_that_is_pushed_again_and_again_with_quiet_between() -> Log:
    bath = Plant(gain=0.5, tau1=500.0, tau2=60.0, dead_time=20.0, ambient=24.0, noise=0.03)
    pushed = [Event("load", at, at + 432.0, 9.0) for at in (7_560.0, 13_320.0, 21_600.0, 27_360.0, 33_120.0)]
    return log_of(samples_of(1, bath, Controller(12.0, 0.03), 45.0, pushed, 39_600.0, 20.0))


def a_thermostat_whose_load_goes_from_a_tenth_to_half_of_its_power() -> Log:
    return thermostat(np.where(np.arange(8000) < 5000, 300.0, 70.0), half=1.5)


def a_cooler_that_must_rest_and_whose_load_shrinks() -> Log:
    return thermostat(np.where(np.arange(8000) < 4000, 45.0, 200.0), cools=True, half=0.1, rest=60)


def a_thermostat_that_is_switched_quickly_for_an_hour() -> Log:
    quickly = (np.arange(8000) > 4000) & (np.arange(8000) < 4720)
    return thermostat(np.full(8000, 70.0), half=np.where(quickly, 0.3, 1.5))


HEALTHY = [
    a_machine_at_rest_that_writes_nothing_for_an_hour,
    a_heater_left_at_full_while_its_setpoint_waits_below,
    a_load_that_comes_goes_and_comes_again,
    a_first_line_of_zeros_before_a_reading_that_rests,
    coarse_digits_in_a_quiet_hold,
    integer_output_in_a_quiet_hold,
    a_small_limit_cycle,
    a_natural_cool_down,
    a_step_with_short_saturation,
    one_glitch_of_a_single_sample,
    a_channel_switched_off,
    a_door_that_two_channels_feel,
    a_missed_reading,
    one_reading_at_a_rail,
    damaged_numbers_now_and_then,
    a_controller_that_starts_again_before_its_first_reading,
    zeros_while_the_machine_is_off,
    noise_below_its_limit,
    a_neighbour_that_steps_alone,
    a_setpoint_ramp,
    a_freezer_whose_door_is_opened_four_times,
    a_bath_that_is_pushed_again_and_again_with_quiet_between,
]


@each("make", HEALTHY)
def test_nothing_is_wrong_with(make: Callable[[], Log]):
    assert [one.fault for one in diagnose(make()).findings if one.fault != "healthy"] == []


@each(
    "make",
    [
        a_thermostat_whose_load_goes_from_a_tenth_to_half_of_its_power,
        a_cooler_that_must_rest_and_whose_load_shrinks,
        a_thermostat_that_is_switched_quickly_for_an_hour,
    ],
)
def test_neither_a_load_nor_a_quick_hour_is_short_cycling(make: Callable[[], Log]):
    assert "short_cycling" not in [one.fault for one in diagnose(make()).findings]


def drawn_off(*loads: tuple[float, float]) -> pd.DataFrame:
    """Return the samples of a loop from which something was drawn at so many s, cooling it by so many °C."""
    events = [Event("load", at, at + 30.0, -size) for at, size in loads]
    return samples_of(events=events, duration=6000.0)


def test_what_is_drawn_off_again_and_again_is_use_and_told_with_its_figures():
    diagnosis = diagnose(log_of(drawn_off((1500.0, 24.0), (2700.0, 20.0), (4500.0, 26.0))))
    (verdict,) = diagnosis.findings
    assert (verdict.fault, verdict.numbers["kind"], verdict.numbers["times"]) == ("healthy", "in_use", 3)
    assert "3 times" in summary(verdict, "en") and "3 次" in summary(verdict, "zh")
    assert {one.explained for one in diagnosis.excursions} == {"in_use"}
    assert "made by the times out of its band alone" in " ".join(ruled_out(verdict, "en"))


def test_what_is_far_out_again_and_again_is_neither_called_use_nor_healthy():
    diagnosis = diagnose(log_of(drawn_off((1500.0, 60.0), (2700.0, 55.0), (4500.0, 65.0))))
    assert diagnosis.findings == ()
    assert {one.explained for one in diagnosis.excursions} == {""}


def test_one_that_stands_out_of_the_use_is_told_as_a_disturbance():
    often = [(at, 30.0) for at in (1500.0, 2300.0, 5200.0)]
    verdict = diagnose(log_of(drawn_off(*often, (3500.0, 160.0)))).findings[0]
    assert (verdict.fault, verdict.numbers["times"]) == ("ambient_disturbance", 1)
    assert 3400.0 < verdict.onset < 3600.0


def test_a_quiet_channel_is_called_healthy_with_its_figures():
    findings = diagnose(case("healthy").log).findings
    assert [(one.fault, one.channel) for one in findings] == [("healthy", 1), ("healthy", 2), ("healthy", 3)]
    assert findings[0].numbers["half_peak_to_peak"] < 0.05
    assert abs(findings[0].numbers["duty"] - (HELD - PLANT.ambient) / PLANT.gain) < 1.0


@each("kp, named", [(12.0, []), (8.0, ["proportional_offset"])])
def test_a_channel_that_stands_off_its_setpoint_is_not_healthy_and_accused_from_1_5_bands(kp, named):
    proportional = samples_of(controller=Controller(kp, 0.0), setpoint=[(0.0, 40.0), (60.0, 45.0)])
    diagnosis = diagnose(log_of(proportional))
    assert [one.fault for one in diagnosis.findings] == named
    assert named or "healthy, channel 2" in diagnosis.withheld


def test_a_log_that_ends_on_the_way_says_how_far_and_how_fast():
    frame = samples_of(setpoint=[(0.0, 40.0), (10.0, 85.0)], duration=150.0)
    [withheld] = [row for row in diagnose(log_of(frame)).withheld.values() if row.fault == "healthy"]
    numbers, pv = withheld.reasons["away_at_end"], frame["pv"]
    assert list(withheld.reasons) == ["away_at_end"]
    assert numbers["error"] == pytest.approx(pv.iloc[-1] - 85.0, abs=0.3)
    assert numbers["rate"] == pytest.approx((pv.iloc[-1] - pv.iloc[-31]) * 2, rel=0.3)


@each("kp, kind", [(12.0, "followed"), (1.5, None)])
def test_a_firing_that_followed_its_ramps_and_was_let_cool_is_healthy(kp, kind):
    ramp = [(float(at), 40.0 + at / 50) for at in range(1501)]
    frame = samples_of(
        controller=Controller(kp, 0.1 if kind else 0.0), setpoint=[*ramp, (1500.0, 20.0)], duration=1800.0
    )
    diagnosis = diagnose(log_of(frame))
    assert [one.numbers["kind"] for one in diagnosis.findings if one.fault == "healthy"] == [kind] * bool(
        kind
    )
    if kind:
        [one] = diagnosis.findings
        assert "followed its programme up to 69.98 °C within ±0." in summary(one, "en")


def test_power_that_a_setpoint_no_longer_has_is_told_with_what_it_took_before():
    weak = samples_of(events=[Event("load", 300.0, math.inf, -65.0)], duration=3000.0)
    [one] = [row for row in diagnose(log_of(weak)).findings if row.fault == "saturation"]
    assert one.numbers["held"] == pytest.approx((HELD - PLANT.ambient) / PLANT.gain, abs=2.0)
    assert "no longer has the power for this setpoint, which it held with 38 % before" in cause(one, "en")


def test_an_offset_is_that_of_a_missing_integral_only_where_the_output_follows_the_error():
    frame = samples_of(controller=Controller(8.0, 0.0), setpoint=[(0.0, 50.0), (300.0, 60.0)])
    by_hand = frame.assign(output=frame["output"].where(frame["time"] < 400.0, 55.0))
    integrating = frame.assign(ki=0.02)
    for log in (log_of(by_hand), log_of(integrating)):
        assert "proportional_offset" not in {one.fault for one in diagnose(log).findings}


def test_the_other_channels_of_a_faulty_log_are_healthy():
    findings = diagnose(case("heater_failure").log).findings
    assert {one.channel for one in findings if one.fault == "healthy"} == {1, 3}


@each("channels", [1, 2, 8, 16])
def test_any_number_of_channels_is_judged(channels: int):
    log = log_of(*(quiet(channel, duration=600.0) for channel in range(1, channels + 1)))
    assert [one.channel for one in diagnose(log).findings] == list(range(1, channels + 1))


def test_a_cooling_hold_of_a_two_sided_output_is_healthy():
    peltier = Controller(8.0, 0.06, low=-100.0)
    assert {one.fault for one in diagnose(log_of(samples_of(controller=peltier, setpoint=8.0))).findings} == {
        "healthy"
    }


def test_a_loop_that_cools_with_more_output_is_judged_like_one_that_heats():
    mirrored = quiet(2)
    mirrored["pv"], mirrored["setpoint"] = 100 - mirrored["pv"], 100 - mirrored["setpoint"]
    assert [one.fault for one in diagnose(log_of(mirrored)).findings] == ["healthy"]


def test_a_fan_at_full_speed_below_whose_reach_the_room_stays_is_saturated():
    weak = samples_of(plant=replace(PLANT, gain=0.5), setpoint=[(0.0, 50.0), (300.0, 85.0)])
    mirrored = weak.assign(pv=100 - weak["pv"], setpoint=100 - weak["setpoint"])
    named = [one for one in diagnose(log_of(mirrored)).findings if one.fault != "healthy"]
    assert [one.fault for one in named] == ["saturation"]


def test_frames_of_one_sample_or_none_get_no_verdict_but_too_little_data():
    for rows in (0, 1, 3):
        frame = quiet(1).head(rows)
        assert [one.fault for one in diagnose(log_of(frame)).findings] == ["insufficient_data"]


def test_onset_end_is_the_end_of_the_record_for_a_fault_that_stays():
    finding = diagnose(case("heater_failure").log).findings[0]
    assert finding.end == END - 1.0


def test_two_faults_at_different_times_of_one_channel_are_both_named():
    spikes = [Event("bias", 200.0, 202.0, 15.0, every=100)]
    frame = samples_of(events=[Event("heater", 1200.0, 1e9, 0.0)])
    spiky = samples_of(events=spikes)
    frame.loc[:700, "pv"] = spiky["pv"][:701]
    assert isinstance(frame, pd.DataFrame)
    named = [
        one.fault for one in diagnose(log_of(quiet(1), frame, quiet(3))).findings if one.severity != "none"
    ]
    assert sorted(named) == ["heater_failure", "sensor_spike"]


def named_in(frame: pd.DataFrame) -> list[str]:
    return [one.fault for one in diagnose(among_quiet(frame)).findings if one.severity != "none"]


def test_an_integral_that_winds_up_for_minutes_is_not_idle_control():
    wound = replace(CONTROLLER, anti_windup=False, windup_limit=2000.0)
    assert named_in(samples_of(controller=wound, setpoint=[(0.0, 40.0), (300.0, 110.0)])) == [
        "integral_windup"
    ]


def test_an_output_half_a_percent_from_its_limit_is_at_its_limit_and_not_idle():
    weak = samples_of(plant=replace(PLANT, gain=0.5), setpoint=[(0.0, 50.0), (300.0, 85.0)])
    assert named_in(weak.assign(output=weak["output"].clip(upper=99.5))) == ["saturation"]


def test_a_loop_kicked_by_spikes_does_not_oscillate():
    kicked = samples_of(events=[Event("bias", 300.0, 302.0, 20.0, every=90.0)])
    assert named_in(kicked) == ["sensor_spike"]


def test_noise_of_a_sensor_that_was_quiet_is_told_after_a_few_lags():
    assert named_in(samples_of(events=[Event("noise", ONSET, 1200.0, 60.0)])) == ["sensor_noise"]


def test_a_programme_that_pv_follows_at_an_output_of_0_is_no_power_stuck_on():
    cycles = np.tile(np.repeat([95.0, 60.0, 72.0], (25, 35, 30)), 40)
    setpoint = np.concatenate([np.full(60, 25.0), cycles])
    rows = samples_of(setpoint=60.0, duration=float(len(setpoint)))
    pv = np.convolve(np.pad(setpoint, (7, 0), mode="edge"), np.full(8, 1 / 8), mode="valid")
    rows = rows.head(len(pv)).assign(setpoint=setpoint, pv=pv.round(2), output=0.0)
    assert "runaway_stuck_on" not in {one.fault for one in diagnose(log_of(rows)).findings}


def test_what_swings_back_when_a_disturbance_ends_belongs_to_it():
    opened = samples_of(events=[Event("load", ONSET, ONSET + 300, -25.0)])
    diagnosis = diagnose(among_quiet(opened))
    sides = {np.sign(one.size) for one in diagnosis.excursions}
    assert sides == {-1.0, 1.0} and all(one.explained for one in diagnosis.excursions)


@each("unit, named", [("°C", True), ("Pa", False), ("m/s", False)])
def test_a_reading_that_has_no_heat_capacity_may_jump(unit, named, tmp_path):
    rng, lines = np.random.default_rng(4), [f"time;room setpoint [{unit}];room [{unit}];damper [%]"]
    for second in range(0, 30_000, 10):
        pv = 30 + rng.normal(0, 0.05) - 12 * (second % 4_000 == 2_000)  # the lock is opened for a moment
        lines.append(f"{second};30;{pv:.2f};{40 + rng.normal(0, 0.2):.1f}")
    path = tmp_path / "room.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    faults = [finding.fault for finding in diagnose(read_log(path)).findings]
    assert ("sensor_spike" in faults) is named
