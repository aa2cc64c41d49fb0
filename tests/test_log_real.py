"""Real logs of ovens, temperature labs, reactors, machines and industrial loops are read as they are."""

import json

import pytest

from instrumentgpt.instruments.logs import read_log


@pytest.fixture
def real(shared_logs):
    return lambda name, **given: read_log(shared_logs / name, **given)


def test_every_real_log_is_read(shared_logs):
    paths = [
        path
        for pattern in ("*/*.csv", "*/*/*.csv", "stiction/loop*.txt", "tclab/*.txt")
        for path in shared_logs.glob(pattern)
        if path.relative_to(shared_logs).parts[0] != "real"  # some of those have broken lines
    ]
    assert len(paths) == 66
    for path in paths:
        log = read_log(path)
        assert len(log.samples) > 0 and log.broken.count == 0, path.name
        assert "pv" not in log.missing, path.name


@pytest.mark.parametrize("name", ["run1-p2.0-i1.0-d0.5-250ms.csv", "run8-p8.0-i0.0-d0.0-250ms.csv"])
def test_an_oven_table_without_header_is_setpoint_pv_and_output_without_time(name, real):
    log = real(f"cellularmitosis/20180114-tec-oven/{name}")
    assert log.columns == {"setpoint": 0, "pv": 1, "output": 2}
    assert (log.missing, log.unit) == (("period",), "°C")
    assert real(f"cellularmitosis/20180114-tec-oven/{name}", period=0.25).missing == ()


def test_a_loop_on_adc_counts_is_not_in_degrees(real):
    log = real("cellularmitosis/20180126-25c-chamber/run12.csv")
    assert (log.unit, log.columns["pv"], log.columns["setpoint"]) == ("counts", 3, 2)
    assert log.output_scale == pytest.approx(100 / 255)


def test_a_fan_chamber_has_epoch_times_and_the_inside_temperature(real):
    log = real("cellularmitosis/20180314-fan-chamber/run19_ambient.csv")
    assert str(log.start) == "2018-03-31 01:47:46.810000"
    assert log.channel_names == {1: "inside_c", 2: "outside_c"}
    assert real("cellularmitosis/20180314-fan-chamber/run7_ambient.csv").output_scale == 100.0


def test_kelvin_and_fahrenheit_are_recognised_by_the_room_before_heating(real):
    assert real("tclab/step_test_noheader_K.csv").unit == "K"
    log = real("tclab/step_test_F_header.csv")
    assert log.unit == "°F" and "73.0977" in log.guessed["unit"]


def test_two_heaters_and_two_sensors_are_two_channels(real):
    log = real("tclab/mimo_data.txt")
    assert sorted(log.samples["channel"].unique()) == [1, 2] and log.missing == ()


def test_a_reactor_s_dropouts_are_gaps_and_its_first_reading_stays(real):
    log = real("mycoreactor/202603031806.csv")
    assert log.samples["pv"].isna().sum() == log.samples["setpoint"].isna().sum() > 0
    assert (log.samples["pv"] == -45.0).sum() == 1
    assert set(log.samples["output"].dropna()) <= {0.0, 100.0}


def test_a_machine_with_a_temperature_only_lacks_setpoint_and_output(real):
    log = real("nab/machine_temperature_system_failure.csv")
    assert log.missing == ("setpoint", "output")
    assert [step.line for step in log.clock_steps] == [10151]


def test_industrial_loops_with_headers_in_chinese_are_no_temperatures(real, shared_logs):
    for name in json.loads((shared_logs / "stiction/truth.json").read_text(encoding="utf-8")):
        log = real(f"stiction/{name}")
        assert (log.columns, log.missing) == ({"time": 0, "output": 1, "pv": 2, "setpoint": 3}, ())
        assert log.unit == "" and len(log.events) == 4
