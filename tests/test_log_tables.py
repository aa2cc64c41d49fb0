"""Tables as logs: delimiters, headers in several languages, times, units, output scales."""

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments.logs import UnreadableLog, read_log
from instrumentgpt.instruments.reading.clocks import NO_TIME, from_texts
from instrumentgpt.instruments.reading.headers import heading_of

SECONDS = np.arange(40)
PV = np.round(25 + 12 * (1 - np.exp(-SECONDS / 9.0)), 2)
OUTPUT = np.round(np.clip(100 - 3 * SECONDS, 20, 100), 1)


def table(header: str | None, delimiter: str = ",", time=None, setpoint="37.0", pv=PV, output=OUTPUT) -> str:
    """Return a table of time, setpoint, pv and output, 40 rows."""
    time = SECONDS if time is None else time
    rows = [
        delimiter.join([str(at), str(setpoint), str(p), str(o)])
        for at, p, o in zip(time, pv, output, strict=True)
    ]
    return "\n".join([*([header] if header else []), *rows]) + "\n"


@pytest.fixture
def read(tmp_path):
    def written(text, **given):
        (tmp_path / "run.csv").write_text(text, encoding="utf-8")
        return read_log(tmp_path / "run.csv", **given)

    return written


def assert_is_the_run(log) -> None:
    assert log.samples["time"].tolist() == pytest.approx(SECONDS.tolist())
    assert log.samples["pv"].tolist() == PV.tolist()
    assert set(log.samples["setpoint"]) == {37.0}
    assert log.samples["output"].tolist() == pytest.approx(OUTPUT.tolist())
    assert log.missing == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", ", "])
def test_any_delimiter_will_do(delimiter, read):
    header = delimiter.join(["time", "setpoint", "pv", "output"])
    log = read(table(header, delimiter))
    assert_is_the_run(log)
    assert log.samples["line"].tolist() == list(range(2, 42))


@pytest.mark.parametrize(
    "header",
    [
        "time,setpoint,pv,output",
        "Time (sec),Set Point 1 (degC),Temperature 1 (degC),Heater 1 (%)",
        "t,SP,PV,OP",
        "timestamp,target,temp,duty",
        "Elapsed,Tset,Actual,Power [%]",
        "時間,設定溫度(°C),溫度(°C),輸出(%)",
        "时间,设定值,测量值,输出",
        "Zeit,Sollwert,Istwert,Stellgröße",
        "temps,consigne,température,sortie",
        "time_s,set_c,oven_c,ouput",
        "time,LOOP1.SV,LOOP1.PV,LOOP1.MV",
    ],
)
def test_columns_are_known_by_the_words_of_their_header(header, read):
    assert_is_the_run(read(table(header)))


def test_order_and_other_columns_do_not_matter(read):
    rows = [f"{o},x,{p},55.1,37.0,{at}" for at, p, o in zip(SECONDS, PV, OUTPUT, strict=True)]
    assert_is_the_run(read("\n".join(["output,comment,pv,humidity,setpoint,time", *rows])))


def test_a_trailing_comma_and_quotes_do_not_matter(read):
    rows = [f'"{at}","37.0","{p}","{o}",' for at, p, o in zip(SECONDS, PV, OUTPUT, strict=True)]
    assert_is_the_run(read("\n".join(["time,setpoint,pv,output,", *rows])))


def test_a_decimal_comma_is_read_where_cells_are_apart_by_semicolons(read):
    assert_is_the_run(read(table("time;setpoint;pv;output", ";").replace(".", ",")))


def test_lines_above_the_header_are_events_and_a_line_of_units_is_understood(read):
    log = read("Oven 3, run of Monday\n\n" + table("time,setpoint,pv,output\nmin,°F,°F,%", time=SECONDS))
    assert log.events["text"].tolist() == ["Oven 3, run of Monday", "min,°F,°F,%"]
    assert log.unit == "°F" and log.degrees_per_unit == pytest.approx(5 / 9)
    assert log.samples["time"].iloc[1] == 60.0


def test_without_a_header_columns_are_guessed_and_the_guess_is_told(read):
    log = read(table(None))
    assert_is_the_run(log)
    assert log.columns == {"time": 0, "setpoint": 1, "pv": 2, "output": 3}
    assert log.guessed["pv"] == "column 3, by how it behaves"


def test_a_guess_can_be_corrected(read):
    log = read(table(None), columns={"time": 0, "pv": 3, "output": 2})
    assert log.samples["pv"].tolist() == OUTPUT.tolist()
    assert log.missing == ("setpoint",)
    assert "pv" not in log.guessed


@pytest.mark.parametrize("columns", [{"time": 7}, {"pv": 9}, {"pv": -1}])
def test_columns_that_cannot_be_are_refused_with_the_way_to_say_it(columns, read):
    with pytest.raises(UnreadableLog, match="time=0,setpoint=1,pv=2,output=3"):
        read(table(None), columns=columns)


def test_without_a_time_the_period_is_missing_until_it_is_given(read):
    text = "\n".join(line.partition(",")[2] for line in table("time,setpoint,pv,output").splitlines())
    assert read(text).missing == ("period",)
    log = read(text, period=0.25)
    assert log.missing == ()
    assert log.samples["time"].tolist() == pytest.approx((SECONDS / 4).tolist())


@pytest.mark.parametrize("period", [0, -1, float("nan"), float("inf")])
def test_a_period_that_cannot_be_is_refused(period, read):
    with pytest.raises(UnreadableLog, match="period"):
        read(table("time,setpoint,pv,output"), period=period)


CALENDAR = np.datetime64("2026-02-13T05:04:52") + SECONDS.astype("timedelta64[s]")


@pytest.mark.parametrize(
    ("time", "header"),
    [
        (SECONDS + 1_770_959_092, "time"),
        ((SECONDS + 1_770_959_092) * 1000, "time"),
        ((SECONDS + 1_770_959_092) * 10**9, "time"),
        (SECONDS + 413.9, "uptime (s)"),
        (SECONDS * 1000 + 52_000, "millis"),
        (np.round(SECONDS / 3600, 9), "time (hours)"),
        (
            [f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}" for second in SECONDS],
            "TimeElapsed",
        ),
        ([str(moment).replace("T", " ") for moment in CALENDAR], "timestamp"),
        ([str(moment) + "Z" for moment in CALENDAR], "timestamp"),
        ([moment.item().strftime("%d-%b-%Y %H:%M:%S") for moment in CALENDAR], "date"),
        ([moment.item().strftime("%m/%d/%Y %H:%M:%S") for moment in CALENDAR], "date"),
        ([moment.item().strftime("%Y年%m月%d日 %H:%M:%S") for moment in CALENDAR], "時間"),
        ([moment.item().strftime("%Y/%m/%d 下午 %I:%M:%S") for moment in CALENDAR], "時間"),
    ],
)
def test_every_kind_of_time_becomes_seconds(time, header, read):
    assert_is_the_run(read(table(f"{header},setpoint,pv,output", time=time)))


@pytest.mark.parametrize(
    "time",
    [
        SECONDS + 1_770_959_092,
        [str(moment).replace("T", " ") for moment in CALENDAR],
        [moment.item().strftime("%d.%m.%Y %H:%M:%S") for moment in CALENDAR],
    ],
)
def test_a_time_with_a_date_gives_the_wall_clock(time, read):
    log = read(table("time,setpoint,pv,output", time=time))
    assert log.clock(1.0) == "2026-02-13 05:04:53.000"


def test_date_and_time_in_two_columns_are_one_time(read):
    time = [str(moment).replace("T", ",") for moment in CALENDAR]
    log = read(table("Date,Time,setpoint,pv,output", time=time))
    assert_is_the_run(log)
    assert log.clock(0.0) == "2026-02-13 05:04:52.000"


def test_rows_that_share_a_minute_are_spread_over_it(read):
    time = [
        moment.item().strftime("%-m/%-d/%Y %-H:%M")
        for moment in CALENDAR[0] + SECONDS * np.timedelta64(10, "s")
    ]
    log = read(table("date,setpoint,pv,output", time=time))
    assert np.diff(log.samples["time"]).tolist() == pytest.approx([10.0] * 39, abs=0.5)
    assert "spread" in log.guessed["time"]


@pytest.mark.parametrize(("apart", "seconds"), [(60, 60.0), (300, 300.0), (100, 0.1), (250, 0.25)])
def test_rows_whole_minutes_apart_are_in_seconds_others_that_far_in_ms(apart, seconds, read):
    log = read(table("time,setpoint,pv,output", time=SECONDS * apart))
    assert np.median(np.diff(log.samples["time"])) == pytest.approx(seconds)


def test_a_clock_without_date_passes_midnight(read):
    time = [
        f"{(23 + (3590 + second) // 3600) % 24:02}:{(3590 + second) // 60 % 60:02}:{(3590 + second) % 60:02}"
        for second in SECONDS
    ]
    log = read(table("time,setpoint,pv,output", time=time))
    assert_is_the_run(log)
    assert "passes midnight 1 times" in log.notes[0]


def test_a_counter_that_starts_again_is_a_new_boot(read):
    log = read(table("time (s),setpoint,pv,output", time=[*range(100, 120), *range(20)]))
    assert_is_the_run(log)
    assert [(step.kind, step.line) for step in log.clock_steps] == [("boot", 22)]


@pytest.mark.parametrize(
    ("output", "header", "scale", "assumed"),
    [
        (OUTPUT, "output", 1.0, False),
        (OUTPUT / 100, "duty", 100.0, True),
        (np.round(OUTPUT * 2.55), "pwm", 100 / 255, True),
        (np.where(OUTPUT == 100, 127, np.floor(OUTPUT * 1.27)), "heater", 100 / 127, True),
        (-OUTPUT, "output", 1.0, False),
        (OUTPUT / 50, "amps", 50.0, True),
        (np.where(OUTPUT > 50, "ON", "OFF"), "Heater", 100.0, False),
        (OUTPUT / 100, "output (%)", 1.0, False),
    ],
)
def test_the_output_is_told_in_percent_with_its_scale(output, header, scale, assumed, read):
    log = read(table(f"time,setpoint,pv,{header}", output=output))
    assert log.output_scale == pytest.approx(scale)
    assert ("output" in log.guessed) == assumed
    assert log.samples["output"].abs().max() <= 100.0 + 1e-9


@pytest.mark.parametrize(
    ("header", "pv", "unit", "degrees"),
    [
        ("temp_f", PV * 1.8 + 32, "°F", 5 / 9),
        ("Temperature [K]", PV + 273.15, "K", 1.0),
        ("adc", PV * 20, "counts", np.nan),
        ("Temperature", PV, "°C", 1.0),
        ("FIC101.PV", PV, "", np.nan),
    ],
)
def test_the_unit_stays_and_its_size_is_told(header, pv, unit, degrees, read):
    log = read(table(f"time,setpoint,{header},output", pv=np.round(pv, 2)))
    assert (log.unit, log.degrees_per_unit) == (unit, pytest.approx(degrees, nan_ok=True))
    assert log.samples["pv"].tolist() == np.round(pv, 2).tolist()


@each(
    "title, head, unit",
    [
        ("LINE 2 ZONE LOG (deg F)", "time,setpoint,pv,output", "°F"),
        ("Temperatures in Kelvin", "time,setpoint,pv,output", "K"),
        ("Anzeige in °C, Grenze 200 °C", "time,setpoint,pv,output", "°C"),
        ("limits in °F and °C", "time,setpoint,pv,output", "°C"),
        ("ambient 70 °F", "time,setpoint (degC),pv (degC),output", "°C"),
        ("Batch F, program C 3", "time,setpoint,pv,output", "°C"),
    ],
)
def test_a_unit_in_the_lines_above_a_header_without_one_counts(title, head, unit, read):
    log = read(f"{title}\n{table(head)}")
    assert log.unit == unit and log.samples["pv"].tolist() == PV.tolist()


def test_channels_side_by_side_are_told_apart(read):
    rows = [f"{at},{p},{p + 5},37,42,{o},{o / 2}" for at, p, o in zip(SECONDS, PV, OUTPUT, strict=True)]
    log = read("\n".join(["time,T1,T2,SP1,SP2,Q1,Q2", *rows]))
    second = log.samples[log.samples["channel"] == 2]
    assert second["setpoint"].unique().tolist() == [42.0]
    assert second["output"].tolist() == pytest.approx((OUTPUT / 2).tolist())
    assert log.channel_names == {1: "T1", 2: "T2"}


def test_channels_that_a_line_names_one_after_the_other_are_told_apart(read):
    line = "{} | bath1 SP 37.0 PV {} OP {} | bath2 SP 42.0 PV {}"
    clocks = [str(moment).partition("T")[2] for moment in CALENDAR]
    rows = [line.format(at, p, o, p + 5) for at, p, o in zip(clocks, PV, OUTPUT, strict=True)]
    first, second = (frame for _, frame in read("\n".join(rows)).samples.groupby("channel"))
    assert (set(first["setpoint"]), set(second["setpoint"])) == ({37.0}, {42.0})
    assert first["time"].tolist() == pytest.approx(SECONDS.tolist())
    assert second["pv"].tolist() == pytest.approx((PV + 5).tolist())


def test_a_name_with_digits_in_each_row_is_no_second_time(read):
    rows = [
        f'{{"at": "{at}Z", "tag": "R12.jacket", "sp": 37.0, "pv": {p}}}'
        for at, p in zip(CALENDAR, PV, strict=True)
    ]
    assert read("\n".join(rows)).clock(1.0) == "2026-02-13 05:04:53.000"


def test_channels_below_each_other_are_told_apart(read):
    rows = [f"{at},{channel},37,{p}" for at, p in zip(SECONDS, PV, strict=True) for channel in (1, 2)]
    log = read("\n".join(["time,channel,setpoint,pv", *rows]))
    assert log.samples["channel"].tolist() == [1, 2] * 40
    assert log.samples["time"].tolist() == np.repeat(SECONDS, 2).tolist()


def test_gaps_are_nan_and_damaged_rows_are_counted(read):
    lines = table("time,setpoint,pv,output").splitlines()
    lines[5] = "4,37.0,NAN,88.0"
    lines[7] = "6,37.0"
    lines[9] = "8,,,"
    log = read("\n".join(lines))
    assert log.samples["pv"].isna().sum() == 2
    assert (log.broken.count, log.broken.examples[0][0]) == (1, 8)


@each(
    "said, level",
    [
        ("*** ALARM Z3 DEV HIGH", "error"),
        ("# door opened by MK", "info"),
        ("12:00:08,Störung Lüfter 2", "error"),
        ("--- program 3 started ---", "info"),
        ("! Warnung: Wasserstand niedrig, Stufe 2", "warning"),
        ("警報 溫度過高", "error"),
        ("operator changed the probe,, at 14:02", "info"),
    ],
)
@each("delimiter", [",", ";", "\t", "|"])
def test_a_line_of_words_between_rows_is_an_event_at_the_time_of_the_row_above(said, level, delimiter, read):
    lines = table(delimiter.join(["time", "setpoint", "pv", "output"]), delimiter).splitlines()
    log = read("\n".join(["Oven 7, fault log", *lines[:11], said, "", *lines[11:]]) + "\n")
    assert log.samples["pv"].tolist() == PV.tolist()
    assert log.broken.count == 0
    assert log.events.to_dict("list") == {
        "time": [0.0, 9.0],
        "level": ["info", level],
        "source": ["", ""],
        "text": ["Oven 7, fault log", said],
        "line": [1, 13],
    }


def test_rows_of_numbers_that_are_cut_short_are_broken_and_no_events_alone(read):
    lines = table("time,setpoint,pv,output").splitlines()
    log = read("\n".join([*lines[:11], "10,37.0", "11,37.0,28.1,7,2", *lines[11:]]) + "\n")
    assert log.broken.count == 2


@pytest.mark.parametrize("delimiter", ["\t", ",", "|"])
@pytest.mark.parametrize("zone", ["", " EST"])
def test_blanks_in_heads_and_times_separate_nothing(delimiter, zone, read):
    stamps = [f"3/18/2026 10:{at:02d}:00 PM{zone}" for at in SECONDS]
    log = read(table(delimiter.join(["Date Time", "Set Point", "PV", "Output"]), delimiter, stamps))
    assert str(log.start) == "2026-03-18 22:00:00" and log.missing == ()
    assert log.samples["pv"].tolist() == PV.tolist()


def test_event_lines_of_a_table_in_blanks_or_with_a_comment_at_its_top_are_no_rows(read):
    lines = table("time setpoint pv output", " ").splitlines()
    log = read("\n".join(["# export 3 4", *lines[:11], "--- program 3 started ---", *lines[11:]]) + "\n")
    assert_is_the_run(log)
    assert log.events["text"].tolist() == ["# export 3 4", "--- program 3 started ---"]


def test_an_event_with_a_number_between_rows_without_heads_is_no_row(read):
    rows = [f"2026-02-17T00:{at:02d}:00+08:00 {-80 + at % 7 / 10:.1f}" for at in range(40)]
    rows.insert(20, "2026-02-17T00:19:30+08:00 EVENT door open 3 min")
    log = read("# freezer 4\n# alarm high -65\n" + "\n".join(rows))
    assert len(log.samples) == 40 and log.samples["pv"].max() < -79
    assert "setpoint" in log.missing and "door open 3 min" in " ".join(log.events["text"])


def test_names_that_take_turns_beside_one_column_of_numbers_are_columns_whatever_their_heads(read):
    rows = [
        f"K2.{name};02.06.2026 00:{at:02d}:00;{value},5"
        for at in range(40)
        for name, value in (("Raum_T", 3), ("Verdampfer_T", -7))
    ]
    log = read("Messstelle;Zeitpunkt;Wert\n" + "\n".join(rows))
    assert {3.5} == set(log.samples.query("channel == @log.samples.channel.min()")["pv"])
    assert len(log.samples) == 80 and log.start.month == 6


def test_names_of_a_long_table_that_each_have_times_of_their_own_make_no_gaps(read):
    offsets = (("Z3.PV", 0, 545), ("Z3.SP", 0, 545), ("Z3.TT_B", 4, 546), ("Z4.PV", 9, 498))
    rows = [
        f"{name};2026-09-01 {at // 6:02d}:{at % 6}0:{late:02d};{value + at % 3}"
        for at in range(60)
        for name, late, value in offsets
    ]
    log = read("tag;time;value\n" + "\n".join(rows))
    time = log.samples.query("channel == channel.min()")["time"]
    assert set(np.diff(time)) == {600.0}


@each("decimal, month", [(",", 2), (".", 6)])
def test_who_writes_a_decimal_comma_begins_a_date_with_the_day(decimal, month, read):
    rows = [f"06/02/2026 06:00:{at:02d};{37 + at / 10:.1f};37.0".replace(".", decimal) for at in range(40)]
    assert read("Horodatage;T fond (°C);Consigne (°C)\n" + "\n".join(rows)).start.month == month


def test_a_header_that_comes_again_is_a_new_start_of_the_recording(read):
    lines = table("time,setpoint,pv,output").splitlines()
    log = read("\n".join([*lines, lines[0], *lines[1:]]))
    assert (len(log.samples), log.broken.count) == (80, 0)
    assert "headers that come again: 1," in log.notes[0]


def test_of_several_temperatures_the_one_near_the_setpoint_is_the_controlled_one(read):
    rows = [f"{at},21.5,{p},37.0,{o}" for at, p, o in zip(SECONDS, PV, OUTPUT, strict=True)]
    log = read("\n".join(["time,ambient_c,inside_c,set_c,duty", *rows]))
    beside = log.samples[log.samples["channel"] == 2]
    assert_is_the_run(replace(log, samples=log.samples[log.samples["channel"] == 1]))
    assert set(beside["pv"]) == {21.5} and beside["setpoint"].isna().all() and beside["output"].isna().all()


@each(
    "cell, role, unit, index",
    [
        ("duty_cycle", "output", "", None),
        ("int_temp_f", "pv", "°F", None),
        ("Heater 2 (%)", "output", "%", 2),
        ("CH1_SP", "setpoint", "", 1),
        ("通道1溫度", "pv", "", 1),
        ("heater temperature", "pv", "", None),
        ("ouput", "output", "", None),
        ("Humidity", "pv", "%RH", None),
        ("error_c", "", "°C", None),
        ("FH3.T[K]", "pv", "K", 3),
        ("tc1_control", "pv", "", 1),
    ],
)
def test_a_heading_tells_role_unit_and_channel(cell, role, unit, index):
    heading = heading_of(cell)
    roles = {name: score for name, score in heading.scores.items() if name != "channel"}
    assert (max(roles, key=roles.__getitem__, default=""), heading.unit, heading.index) == (role, unit, index)


def test_a_large_clean_table_is_read_as_a_small_one(read):
    """The vectorised rows of later chunks are those that the plain reader gives."""
    time = np.arange(300_000)
    pv = np.round(25 + np.sin(time / 50.0), 3)
    lines = [f"{at},37.0,{p},50.5" for at, p in zip(time.tolist(), pv.tolist(), strict=True)]
    log = read("\n".join(["time,setpoint,pv,output", *lines, *lines[:0], "", "300001,37.0,25.5,50.5"]))
    assert log.samples["pv"].tolist() == [*pv.tolist(), 25.5]
    assert log.samples["line"].iloc[-1] == 300_003


@each(
    "form",
    [
        "%d-%m-%Y %H:%M:%S",
        "%d.%m.%y %H:%M:%S",
        "%m/%d/%Y %I:%M:%S %p",
        "%d/%m/%YT%H:%M:%S.%f",
        "%Y/%m/%d %I:%M:%S %p",
    ],
)
def test_dates_are_read_in_the_form_of_the_first_and_those_of_another_form_too(form):
    moments = pd.date_range("2026-11-24 22:00:00", periods=2_000, freq="37s")
    cells = list(moments.strftime(form))
    cells[700], cells[900] = moments[700].strftime("%d %b %Y %H:%M:%S"), "no date"
    raw = from_texts(cells).raw
    assert raw[900] == NO_TIME
    assert (
        np.delete(raw, 900).tolist()
        == np.delete(moments.astype("datetime64[us]").astype("int64"), 900).tolist()
    )


@each("form", ["%m-%d %H:%M:%S", "%d/%m %H:%M", "%d.%m. %H:%M:%S", "%b %d %H:%M:%S", "%d %b %H:%M:%S.%f"])
@each("start", ["2025-12-30 22:00:00", "2025-09-10 06:00:00", "2024-02-28 01:00:00", "2025-02-27 01:00:00"])
def test_a_date_without_a_year_is_read_in_either_order_and_has_that_of_the_file(form, start, tmp_path):
    moments = pd.date_range(start, periods=2_000, freq="2min")
    path = tmp_path / "run.csv"
    path.write_text("")
    os.utime(path, ((moments[-1] + pd.Timedelta(days=9)).timestamp(),) * 2)
    raw = from_texts(list(moments.strftime(form)), path).raw
    assert raw.tolist() == moments.astype("datetime64[us]").astype("int64").tolist()


@each("date, clock", [("Datum", "Tijd"), ("Tarih", "Saat"), ("Date", "Idő"), ("Päivä", "Kello")])
@each("units", [None, ";;°C;°C;%", "-;-;[°C];[°C];[%]"])
def test_dates_and_clock_are_one_time_and_units_are_no_head_whatever_their_language(date, clock, units, read):
    lines = [
        f"{18 + at // 288}-02-2026;{at // 12 % 24:02d}:{5 * (at % 12):02d};{20 + at % 7 / 10};20.0;{at % 50}"
        for at in range(400)
    ]
    log = read("\n".join([f"{date};{clock};Ugn meting;Ugn vraag;Klep", *([units] if units else []), *lines]))
    assert str(log.start) == "2026-02-18 00:00:00" and set(np.diff(log.samples["time"].unique())) == {300.0}
    assert log.channel_names[1] == ("Ugn meting (°C)" if units else "Ugn meting")


def test_one_date_for_all_rows_is_no_time(read):
    log = read("\n".join(["Datum;Temp", *(f"18-02-2026;{20 + at % 7 / 10}" for at in range(60))]))
    assert "period" in log.missing and (np.diff(log.samples["time"]) > 0).all()


@each(
    "written",
    [
        *("+   {:.2f}", "- {:.2f}", "{:.2f} H", "{:.2f}*", "{:.2f} degC", "{:.2f}degC", "{:.2f} kPa"),
        *("{:,.2f}", "{:_.2f}", "+ {:,.2f}", "{:.2f} %RH"),
    ],
)
def test_a_number_is_read_however_a_logger_writes_it(written, read):
    cells = [written.format(at + 1000).replace("_", "'") for at in PV]
    log = read(table("time;setpoint;pv;output", ";", setpoint="1037.0", pv=cells))
    sign = -1 if written.startswith("-") else 1
    assert log.samples["pv"].tolist() == pytest.approx((sign * (PV + 1000)).tolist())


@each("word", ["BURNOUT", "+++++++", "-----", "OL", "Over", "#N/A", "Underrange"])
def test_a_word_or_marks_for_a_sensor_without_reading_is_a_gap(word, read):
    cells = [word if at < 5 else value for at, value in enumerate(PV)]
    log = read(table("time,setpoint,pv,output", pv=cells))
    assert log.samples["pv"].isna().sum() == 5 and len(log.samples) == 40 and log.broken.count == 0


def test_a_preamble_tells_the_names_and_the_units_of_the_columns(read):
    rows = [f"{at},LL,{40.0},{pv:+.2f},{out}" for at, (pv, out) in enumerate(zip(PV, OUTPUT, strict=True))]
    top = [
        "Model,DL",
        "Sampling interval,20s",
        'CH1,"Bath SP",TC,degC',
        'CH2,"Bath",TC,degC',
        'CH3,"Heat",V,V',
    ]
    log = read("\n".join([*top, "Number,Alarm,CH1,CH2,CH3", "NO.,A12,degC,degC,V", *rows]))
    assert log.channel_names[1] == "Bath (degC)" and log.samples["pv"].tolist() == PV.tolist()


def test_rows_of_a_preamble_and_a_head_more_than_cells_are_no_rows(read):
    top = ["Samples\t40\t40\t40", "Y_Unit\tdegC\tdegC\t%", "Delta_X\t1.0\t1.0\t1.0"]
    head = "X_Value\tOven SP\tOven T\tHeat\tComment"
    log = read("\n".join(top) + "\n" + table(head, "\t"))
    assert_is_the_run(log)
    assert log.unit == "°C" and log.broken.count == 0


CLOCKS = [f"2026-03-04 08:00:{second:02d}" for second in SECONDS]


@each(
    "second, times",
    [
        ("Time", SECONDS / 60),
        ("elapsed [s]", SECONDS / 3600),
        ("tick", SECONDS * 100),
        ("Time (ms)", SECONDS * 62.5),
        ("loop (ms)", [250 + at % 3 for at in SECONDS]),
        ("step time", SECONDS % 13),
    ],
)
@each("date_first", [True, False])
def test_a_written_date_is_the_time_beside_any_number(second, times, date_first, read):
    pairs = zip(CLOCKS, times, strict=True)
    stamps = [f"{date},{number:g}" if date_first else f"{number:g},{date}" for date, number in pairs]
    heads = f"Zeitpunkt,{second}" if date_first else f"{second},Zeitpunkt"
    log = read(table(f"{heads},setpoint,pv,output", time=stamps))
    assert_is_the_run(log)
    assert str(log.start) == "2026-03-04 08:00:00"


REMARKS = {25: "警報：溫度過高", 26: "警報：溫度過高", 30: "door open, by hand", 35: "FAULT E07"}


@each("behind", [False, True])
@each("delimiter", [",", ";", "\t"])
def test_a_row_with_a_text_is_read_and_the_text_is_an_event(behind, delimiter, read):
    head = delimiter.join(["time", "setpoint", "pv", "output", *["remark"] * (not behind)])
    rows = table(head, delimiter).splitlines()
    for at in SECONDS:
        text = REMARKS.get(int(at), "")
        rows[at + 1] += f"{delimiter}{text}" if text or not behind else ""
    log = read("\n".join(rows) + "\n")
    assert_is_the_run(log)
    assert log.broken.count == 0
    events = log.events[["line", "time", "level", "text"]].to_numpy().tolist()
    begun = {25: "error", 30: "info", 35: "error"}  # a text that stays is one event
    assert events == [[at + 2, float(at), level, REMARKS[at]] for at, level in begun.items()]


@each("stated", ["gains changed P=0.70->2.60 I=0.1->0.2 (user chen)", "set P 2.6, I 0.2 (was P 0.7, I 0.1)"])
def test_gains_hold_from_the_line_that_states_them_and_those_before_until_there(stated, read):
    rows = table("time,setpoint,pv,output").splitlines()
    log = read("\n".join([*rows[:21], stated, *rows[21:]]) + "\n")
    assert log.samples[["kp", "ki"]].drop_duplicates().to_numpy().tolist() == [[0.7, 0.1], [2.6, 0.2]]
    assert log.samples["kp"].tolist().index(2.6) == 20


def test_a_row_without_a_time_is_shown_as_broken(read):
    log = read(table("time,setpoint,pv,output", time=["2026-13-45 08:00:00", *CLOCKS[1:]]))
    assert (log.broken.count, log.broken.examples[0][0]) == (1, 2)


ODD = "\n".join(["when;a;b;c;d;e", *(f"08:00:{at};x~y;<{at}>;q~;zz~;20.{at}" for at in range(10, 50))])


def test_a_refusal_names_the_cell_and_stated_columns_tell_the_rows(read):
    with pytest.raises(UnreadableLog, match=r"Line \d+, cell 2 “x~y” is no number.*--columns"):
        read(ODD)
    for columns in ({"time": 0, "pv": 5}, {"time": "when", "pv": "E"}):
        assert read(ODD, columns=columns).samples["pv"].tolist()[:2] == [20.1, 20.11]


def test_days_of_twelve_and_less_are_told_by_what_leaves_no_hole_of_months(read):
    firings = [pd.Timestamp("2024-04-12 19:05") + pd.Timedelta(minutes=at) for at in range(900)]
    firings += [pd.Timestamp("2024-04-15 20:31") + pd.Timedelta(minutes=at) for at in range(900)]
    rows = [f"{at:%m/%d/%Y %I:%M:%S %p},{70 + n % 9},{70 + n // 3}" for n, at in enumerate(firings)]
    log = read("\n".join(["time,t1,setpoint", *rows]))
    assert str(log.start) == "2024-04-12 19:05:00" and not log.clock_steps


def test_a_date_of_three_words_is_one_cell_of_a_table_of_blanks(read):
    stamps = pd.date_range("2024-01-30 07:00", periods=200, freq="30min")
    rows = [
        f"{at:%d %b %y}  {at:%H:%M}   {5.0}   {5 + n % 4 / 10}   {40 + n % 7}" for n, at in enumerate(stamps)
    ]
    log = read("\n".join(["DATE       TIME   SETPT   TEMP   OUT%", *rows]))
    assert str(log.start) == "2024-01-30 07:00:00" and log.samples["time"].iloc[-1] == 199 * 1800.0
    assert log.samples["setpoint"].eq(5.0).all()
