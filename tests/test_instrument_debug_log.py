"""InstrumentDebug logs: six message shapes, gains, events, boots and clocks."""

import gzip
import json
import time

import numpy as np
import pytest
from instrument_lines import SHAPES, event, sample, stamp
from spent import pieces

from instrumentgpt.instruments.logs import read_lines, read_log


@pytest.fixture
def write(tmp_path):
    def written(*lines, name="run.log"):
        (tmp_path / name).write_bytes(b"".join(line.encode() + b"\n" for line in lines))
        return tmp_path / name

    return written


@pytest.mark.parametrize("shape", SHAPES)
def test_each_message_shape_gives_time_channel_setpoint_pv_and_output(shape, write):
    log = read_log(write(event(0), sample(1, shape, channel=2, sp=37, pv=36.5, out=45)))
    row = log.samples.iloc[0]
    assert (row.time, row.channel, row.setpoint, row.pv, row.line) == (1.0, 2, 37.0, 36.5, 2)
    assert row.output == pytest.approx(45.0)
    assert (log.format, log.lines, log.missing) == (f"instrument-debug ({shape})", 2, ())


def test_gains_are_those_last_stated_for_the_channel(write):
    gains = "[TempCtrl] params id={} kp={} ki=0.1 kd=0"
    log = read_log(
        write(
            sample(0),
            event(1, gains.format(1, 2.5)),
            event(1, gains.format(2, 9)),
            sample(2),
            event(3, gains.format(1, 3.5)),
            sample(4),
        )
    )
    assert log.samples["kp"].tolist() == pytest.approx([np.nan, 2.5, 3.5], nan_ok=True)


def test_a_duty_of_0_to_1_is_told_in_percent_with_its_scale(write):
    log = read_log(write(sample(0, "pid", out=43.1)))
    assert log.samples["output"].iloc[0] == pytest.approx(43.1)
    assert log.output_scale == 100.0


def test_a_sensor_without_a_reading_is_nan_and_no_broken_line(write):
    line = sample(0).replace("pv=55.010", "pv=nan")
    log = read_log(write(line, line.replace("nan", "NULL")))
    assert log.samples["pv"].isna().tolist() == [True, True]
    assert log.broken.count == 0


def test_a_cut_line_costs_that_line_and_is_shown_with_what_was_expected(write):
    cut = sample(1)[:-20]
    log = read_log(write(sample(0), cut, sample(2)))
    assert log.samples["line"].tolist() == [1, 3]
    assert log.broken.count == 1
    number, text, reason = log.broken.examples[0]
    assert (number, text) == (2, cut)
    assert "expected" in reason


def test_a_time_that_does_not_exist_breaks_the_line(write):
    log = read_log(write(sample(0), sample(1).replace("17:50", "17:61"), sample(2).replace("-03-", "-13-")))
    assert (len(log.samples), log.broken.count) == (1, 2)
    assert log.broken.examples[0][2] == "there is no such time"


def test_events_are_the_other_lines_with_level_source_and_text(write):
    log = read_log(
        write(sample(0), event(1, "[Door] close timeout after 5012 ms", "error"), "  at door.cpp:52")
    )
    assert log.events[["time", "level", "source", "text", "line"]].values.tolist() == [
        [1.0, "error", "Door", "close timeout after 5012 ms", 2],
        [1.0, "", "", "  at door.cpp:52", 3],
    ]


def test_the_clock_tells_the_time_of_the_line(write):
    log = read_log(write(event(0), sample(1.5)))
    assert log.clock(log.samples["time"].iloc[0]) == stamp(1.5)[1:-1]
    assert log.clock(float("nan")) == "?"


def test_a_clock_set_back_is_noted_and_time_goes_on(write):
    log = read_log(write(*(sample(second) for second in (0, 1, 2, -3598, -3597))))
    assert log.samples["time"].tolist() == [0, 1, 2, 3, 4]
    (step,) = log.clock_steps
    assert (step.line, step.kind, step.seconds) == (4, "clock", -3601.0)
    assert "line 4: the clock goes back" in log.notes[0]
    assert log.clock(4.0) == stamp(-3597)[1:-1]
    assert log.clock(2.0) == stamp(2)[1:-1]


@pytest.mark.parametrize("wrong", [36_000, 40 * 86_400, -40 * 86_400, -7200])
def test_a_garbled_stamp_moves_nothing_but_itself(wrong, write):
    seconds = [0, 1, 2, 3 + wrong, 4, 5, 6]
    log = read_log(write(*(sample(second) for second in seconds)))
    assert log.samples["time"].tolist() == pytest.approx([0, 1, 2, 3, 4, 5, 6])
    assert log.clock(6.0) == stamp(6)[1:-1]
    assert [step.line for step in log.clock_steps] == [4, 5]


def test_a_clock_that_is_set_right_after_the_start_leaves_no_gap_of_years(write):
    lines = [sample(second) for second in (-800_000_000, -799_999_999, 0, 1)]
    log = read_log(write(*lines, event(2, "[Door] state open -> closed")))
    assert log.samples["time"].tolist() == [0, 1, 2, 3]
    assert log.events["time"].tolist() == [4.0]
    assert "line 3: the clock goes forward" in log.notes[0]


def test_several_starts_of_the_instrument_are_noted(write):
    boot = "[Main] InstrumentDebug 3.4.12 serial ZSPR-012 ip 10.1.1.7"
    log = read_log(write(event(0, boot), sample(1), event(2, boot), sample(3)))
    assert "2 starts of the instrument: lines 1, 3" in log.notes


def test_lines_of_two_threads_slightly_out_of_order_keep_time_from_running_back(write):
    log = read_log(write(sample(0), sample(1.004), sample(1.002, channel=2), sample(2)))
    assert log.samples["time"].tolist() == [0, 1.004, 1.004, 2]
    assert any("up to 1 s before" in note for note in log.notes)


def test_raw_lines_come_by_number(write):
    path = write(sample(0), event(1), sample(2))
    assert read_lines(path, 2, 9, path.parent / "kept") == [(2, event(1)), (3, sample(2))]
    assert read_lines(path, 7, 9, path.parent / "kept") == []


def test_all_labelled_logs_are_read_with_every_line_accounted_for(shared_logs):
    lines = (shared_logs / "instrument_debug/truth.jsonl").read_text(encoding="utf-8").splitlines()
    for entry in map(json.loads, lines):
        path = shared_logs / "instrument_debug" / f"{entry['log']}.gz"
        log = read_log(path)
        text = gzip.decompress(path.read_bytes())
        assert log.lines == entry["lines"] == text.count(b"\n"), entry["log"]
        assert sorted(log.samples["channel"].unique()) == [channel["id"] for channel in entry["channels"]]
        assert log.broken.count == 0 and not log.samples["pv"].isna().all()
        assert log.samples["line"].nunique() + len(log.events) == log.lines


@pytest.mark.soak
def test_a_log_of_20_000_lines_takes_less_than_a_fifth_of_a_second(write):
    path = write(*(sample(number / 4, channel=number % 4 + 1) for number in range(20_000)))
    assert pieces(lambda: read_log(path), clock=time.process_time) < 80
