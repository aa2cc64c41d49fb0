"""Charts show every sample that matters, name what is shaded, and let no text act on the page."""

import json
import math
import re
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.charts import CHARTS, error_chart, loop_chart, text_alternative, trend_chart
from instrumentgpt.instruments.charts.style import CHANNEL_COLOURS, POINTS, SEVERITY_COLOURS, reduced
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import SEVERITIES, Evidence, Finding
from instrumentgpt.instruments.reading.clocks import ClockStep
from instrumentgpt.instruments.reading.record import Log

START = pd.Timestamp("2026-02-19 23:24:45.390")
EVIL = '<b>x</b> <a href="javascript:alert(1)">y</a> & %{pv} <img src=x onerror=alert(1)>'


def log_of(channels=(1,), count=600, period=1.0, **fields):
    time = np.arange(count) * period
    frames = [
        pd.DataFrame(
            {
                "time": time,
                "channel": channel,
                "setpoint": 50.0 + channel,
                "pv": 50.0 + channel + 2 * np.sin(time / 20),
                "output": 45.0 + 30 * np.cos(time / 20),
                "kp": 9.0,
                "ki": 0.05,
                "kd": 0.0,
                "line": np.arange(count) * len(channels) + place + 1,
            }
        )
        for place, channel in enumerate(channels)
    ]
    samples = pd.concat(frames).sort_values("line", ignore_index=True)
    given = {"start": START, "name": "run.log", "samples": samples, "path": "run.log", "format": "x"}
    return Log(lines=len(samples), **(given | fields))


def fault(name="oscillation_tuning", channel=1, onset=100.0, end=300.0, severity="high", evidence=()):
    return Finding(name, channel, onset, end, severity, evidence)


def judged(log, bands, segments=()):
    kinds = {channel: SimpleNamespace(band=band) for channel, band in bands.items()}
    return Diagnosis(log, {}, (), {}, kinds, segments=tuple(segments))


def trace(figure, name):
    return next(line for line in figure.data if line.name == name)


def labels(figure):
    return [note.text for note in figure.layout.annotations]


def moment(time):
    return (START + pd.Timedelta(seconds=time)).isoformat(timespec="milliseconds")


def test_one_channel_shows_setpoint_pv_and_output_on_the_same_time():
    figure = loop_chart(log_of())
    assert [line.name for line in figure.data] == ["setpoint", "pv", "output"]
    assert {line.xaxis for line in figure.data} == {"x"}
    assert trace(figure, "pv").yaxis == "y" and trace(figure, "output").yaxis == "y2"
    assert trace(figure, "pv").y == pytest.approx(51 + 2 * np.sin(np.arange(600) / 20), abs=1e-4)
    assert "°C" in figure.layout.yaxis.title.text and "%" in figure.layout.yaxis2.title.text


def test_a_chart_in_chinese_has_chinese_words():
    figure = loop_chart(log_of(), [fault()], language="zh")
    assert [line.name for line in figure.data] == ["設定值", "實際值", "輸出"]
    assert labels(figure) == [wording.title("oscillation_tuning", "zh")]
    assert figure.layout.yaxis.title.text == "通道 1 (°C)"


def test_time_is_the_wall_clock_of_the_log():
    figure = loop_chart(log_of())
    assert figure.layout.xaxis.type == "date"
    assert trace(figure, "pv").x[100] == moment(100.0)


@each(
    "fields, count, period, title, last",
    [
        ({"start": None}, 600, 1.0, "time (s)", 599),
        ({"start": None}, 7200, 1.0, "time (min)", 7199 / 60),
        ({"start": None}, 9000, 60.0, "time (h)", 8999 / 60),
        ({"clock_steps": (ClockStep(30, 30.0, -3600.0, "clock"),)}, 600, 1.0, "time (s)", 599),
        ({"start": None, "missing": ("time", "period")}, 600, 1.0, "sample", 599),
    ],
)
def test_without_a_clock_to_go_by_time_is_counted(fields, count, period, title, last):
    figure = loop_chart(log_of(count=count, period=period, **fields))
    assert figure.layout.xaxis.title.text == title
    assert trace(figure, "pv").x[-1] == pytest.approx(last)


def test_each_channel_has_its_row_and_all_outputs_share_one():
    figure = loop_chart(log_of((1, 2, 3, 4)))
    rows = {line.name: line.yaxis for line in figure.data if line.name != "setpoint"}
    assert [rows[f"channel {number}"] for number in range(1, 5)] == ["y", "y2", "y3", "y4"]
    assert {rows[f"output channel {number}"] for number in range(1, 5)} == {"y5"}
    domains = [figure.layout[f"yaxis{number or ''}"].domain for number in ("", 2, 3, 4, 5)]
    for upper, lower in pairwise(domains):
        assert upper[0] > lower[1]
    assert 0 <= domains[-1][0] < 0.01


@each(
    "findings, channels, shown",
    [
        ([], None, [1, 2, 3]),
        ([fault(channel=2)], None, [2]),
        ([fault(channel=2), fault("healthy", 1, severity="none")], None, [2]),
        ([fault("ambient_disturbance", None), fault(channel=2)], None, [1, 2, 3]),
        ([fault(channel=2)], [3, 1], [1, 3]),
        ([fault(channel=2)], [7], []),
    ],
)
def test_channels_with_a_fault_are_shown_unless_others_are_asked_for(findings, channels, shown):
    figure = loop_chart(log_of((1, 2, 3)), findings, channels)
    titles = [figure.layout[f"yaxis{row if row > 1 else ''}"].title.text for row in range(1, len(shown) + 1)]
    assert titles == [f"channel {number} (°C)" for number in shown]


def test_a_finding_is_shaded_and_named_from_its_onset_to_its_end():
    figure = loop_chart(log_of(), [fault(onset=100.0, end=300.0)])
    shades = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert {(shape.x0, shape.x1) for shape in shades} == {(moment(100.0), moment(300.0))}
    assert {shape.yref for shape in shades} == {"y domain", "y2 domain"}
    assert labels(figure) == [wording.title("oscillation_tuning", "en")]


def test_what_concerns_the_device_is_shaded_in_every_row_and_named_once():
    figure = loop_chart(log_of((1, 2)), [fault("ambient_disturbance", None)])
    shades = [shape.yref for shape in figure.layout.shapes if shape.type == "rect"]
    assert shades == ["y domain", "y2 domain", "y3 domain"]
    assert labels(figure) == [wording.title("ambient_disturbance", "en")]


def test_labels_of_several_findings_stand_above_one_another():
    figure = loop_chart(log_of(), [fault(), fault("sensor_noise"), fault("sensor_spike")])
    heights = [note.yshift for note in figure.layout.annotations]
    assert len(set(heights)) == 3
    assert figure.layout.height > loop_chart(log_of(), [fault()]).layout.height


def test_healthy_channels_are_not_shaded():
    figure = loop_chart(log_of(), [fault("healthy", severity="none")])
    assert not figure.layout.shapes and not figure.layout.annotations


def test_every_line_of_a_shape_has_a_colour_of_its_own():
    figure = loop_chart(log_of((1, 2)), [fault(), fault("data_gap", None, severity="info")])
    drawn = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert drawn and all(shape.line.color for shape in drawn)
    assert all(
        shape.line.width == 0 and shape.fillcolor for shape in figure.layout.shapes if shape.type == "rect"
    )


def test_quoted_samples_are_marked_with_their_line_and_only_on_their_own_channel():
    log = log_of((1, 2))
    row = log.samples[(log.samples.channel == 2) & (log.samples.time == 150)].iloc[0]
    quoted = Evidence(int(row.line), 150.0, {"pv": float(row.pv)})
    figure = loop_chart(log, [fault("ambient_disturbance", None, evidence=(quoted,))])
    (marks,) = [line for line in figure.data if line.mode == "markers"]
    assert (marks.yaxis, list(marks.x), marks.text) == ("y2", [moment(150.0)], ("line 302",))


def test_a_quoted_line_that_is_no_sample_is_drawn_where_it_stands():
    door = Evidence(1192, 99.5, {})
    figure = loop_chart(log_of((1, 2)), [fault("ambient_disturbance", None, evidence=(door,))])
    dotted = [shape for shape in figure.layout.shapes if shape.line.dash == "dot"]
    assert {shape.x0 for shape in dotted} == {moment(99.5)}
    assert [shape.yref for shape in dotted] == ["y domain", "y2 domain", "y3 domain"]
    assert "line 1,192" in labels(figure)


def test_a_window_is_what_the_axis_shows():
    figure = loop_chart(log_of(), window=(60.0, 120.0))
    assert list(figure.layout.xaxis.range) == [moment(60.0), moment(120.0)]


def test_a_quiet_loop_is_not_blown_up_to_look_wild():
    log = log_of()
    log.samples["pv"] = 51 + 0.15 * np.sin(np.arange(600) / 20)
    low, high = loop_chart(log, diagnosis=judged(log, {1: 0.3})).layout.yaxis.range
    assert high - low == pytest.approx(1.2)
    assert loop_chart(log_of()).layout.yaxis.range is None


def test_a_million_samples_are_reduced_and_keep_their_extremes():
    log = log_of(count=1_000_000)
    log.samples.loc[654_321, "pv"] = 29.4
    figure = loop_chart(log)
    assert all(len(line.x) <= POINTS for line in figure.data)
    assert np.nanmin(trace(figure, "pv").y) == pytest.approx(29.4)
    assert len(figure.to_json()) < 250_000


@each("hole", [slice(200, 230), slice(0, 50), slice(550, 600), slice(300, 301)])
def test_missing_readings_stay_gaps(hole):
    log = log_of()
    log.samples.loc[np.arange(600)[hole], "pv"] = np.nan
    line = trace(loop_chart(log), "pv")
    inside = (hole.start > 0) and (hole.stop < 600)
    assert np.isnan(line.y).sum() == (1 if inside else 0)
    assert np.isfinite(line.y).sum() == 600 - (hole.stop - hole.start)


def test_time_without_lines_is_a_gap_too():
    log = log_of()
    log.samples.loc[300:, "time"] += 100.0
    line = trace(loop_chart(log), "pv")
    (gap,) = np.flatnonzero(np.isnan(line.y))
    assert (line.x[gap - 1], line.x[gap + 1]) == (moment(299.0), moment(400.0))


def test_readings_that_come_and_go_stay_within_the_limit():
    value = np.where(np.arange(100_000) % 3 == 0, np.nan, 1.0 * np.arange(100_000))
    time, kept = reduced(np.arange(100_000.0), value, 12.0)
    assert time.size == kept.size <= POINTS
    assert np.isnan(kept).any()


def test_a_setpoint_keeps_its_corners_and_few_others():
    value = np.repeat([20.0, 55.0, 60.0], 10_000)
    time, kept = reduced(np.arange(30_000.0), value, 12.0, steps=True)
    assert {0, 9_999, 10_000, 19_999, 20_000, 29_999} <= set(time.tolist())
    assert kept.tolist() == value[time.astype(int)].tolist()
    assert time.size < 420


@each("column", ["setpoint", "pv", "output"])
def test_a_column_the_log_does_not_carry_is_left_out(column):
    log = log_of()
    log.samples[column] = np.nan
    assert column not in [line.name for line in loop_chart(log).data]


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_a_log_without_samples_gives_an_empty_chart(chart):
    log = log_of()
    empty = log_of(samples=log.samples.iloc[:0])
    assert not chart(empty).data


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_no_text_of_a_log_becomes_markup(chart):
    log = log_of(name=EVIL, unit=EVIL, channel_names={1: EVIL})
    drawn = chart(log, [fault("ambient_disturbance", None)], title=EVIL).to_json()
    texts = re.sub(
        r"%\{y:[^}]*\}|%\{text\}|<extra></extra>", "", json.dumps(json.loads(drawn), ensure_ascii=False)
    )
    assert not re.search(r"<[a-z/]", texts)
    assert "%{" not in texts


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_nothing_is_drawn_in_a_colour_that_one_theme_would_swallow(chart):
    figure = chart(log_of((1, 2)), [fault("ambient_disturbance", None)])
    assert figure.layout.template.layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert figure.layout.template.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert all(line.line.color for line in figure.data if line.mode == "lines")


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@each("ground", ["#FFFFFF", "#10171C"])
@each("colour", [*CHANNEL_COLOURS, *SEVERITY_COLOURS.values()])
def test_every_colour_stands_out_on_both_grounds(colour, ground):
    light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3.0  # WCAG 2.1, 1.4.11


def test_every_severity_has_a_colour():
    assert set(SEVERITY_COLOURS) == set(SEVERITIES)


def test_the_error_chart_shows_each_channel_against_its_own_band():
    log = log_of((1, 2, 3))
    figure = error_chart(log, diagnosis=judged(log, {1: 0.3, 2: 0.3, 3: 0.5}))
    assert [line.name for line in figure.data] == ["channel 1", "channel 2", "channel 3"]
    assert trace(figure, "channel 2").y == pytest.approx(2 * np.sin(np.arange(600) / 20), abs=1e-4)
    assert sorted(shape.y0 for shape in figure.layout.shapes) == [-0.5, -0.3, -0.3, 0.3, 0.3, 0.5]


def test_the_error_chart_of_a_cold_start_still_shows_the_hold():
    log = log_of()
    log.samples.loc[:20, "pv"] = 20.0
    low, high = error_chart(log, diagnosis=judged(log, {1: 0.3})).layout.yaxis.range
    assert (low, high) == (-3.0, 3.0)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            [
                "Chart of run.log, 2026-02-19 23:24:45.390 to 2026-02-19 23:34:44.390",
                "Channel 1: setpoint 51.00 °C, pv 49.00 to 53.00 °C, output 15.00 to 75.00 %",
                "channel 1, 2026-02-19 23:26:25.390 to 2026-02-19 23:29:45.390",
            ],
        ),
        ("zh", ["run.log 的圖表", "通道 1：設定值 51.00 °C，實際值 49.00 到 53.00 °C", "標示區段："]),
    ],
)
def test_the_chart_is_told_in_words(language, words):
    told = text_alternative(log_of(), [fault()], language)
    assert all(part in told for part in [*words, wording.title("oscillation_tuning", language)])


def test_the_words_say_what_the_log_does_not_have_and_that_nothing_is_marked():
    log = log_of()
    log.samples["output"] = np.nan
    assert "output not in the log" in text_alternative(log)
    assert text_alternative(log).endswith("No fault is marked.")
    assert text_alternative(log, language="zh").endswith("沒有標示任何異常。")


def test_the_words_tell_of_the_channels_that_the_chart_shows():
    log = log_of((1, 2, 3))
    told = text_alternative(log, [fault(channel=2)])
    assert "Channel 2:" in told and "Channel 1:" not in told
    assert "Channel 1:" in text_alternative(log, [fault(channel=2)], channels=[1])


def test_the_trend_chart_has_a_stroke_for_each_segment_a_row_for_each_quantity_and_a_line_for_a_trend():
    day = 86_400.0
    told = {"mean_error": 0.01, "half_peak_to_peak": 0.1, "period": math.nan, "noise": 0.02}
    segments = [
        Segment(1, "hold", n * day, (n + 1) * day, n, n + 1, 37.0, 1.0, n * day, duty=40.0 + n, **told,
                overshoot=math.nan, settling_time=math.nan)
        for n in range(8)
    ]  # fmt: skip
    diagnosis = judged(log := log_of(), {1: 0.3}, segments)
    drifting = fault("heater_degradation", onset=2 * day, end=5 * day)
    shown = trend_chart(log, [drifting], diagnosis=diagnosis, language="zh")
    assert [one.quantity for one in diagnosis.trends] == ["duty"]
    assert {line.yaxis for line in shown.data} == {"y", "y2", "y3"}  # duty, noise, offset
    duty = next(line for line in shown.data if line.yaxis == "y" and line.line.dash != "dash")
    assert [value for value in duty.y if value == value] == [40.0 + n for n in range(8) for _ in range(3)]
    (line,) = (line for line in shown.data if line.line.dash == "dash")
    assert list(line.y) == pytest.approx([40.0, 47.0])
    assert labels(shown) == [wording.title("heater_degradation", "zh")]
    assert "平均輸出" in shown.layout.yaxis.title.text
