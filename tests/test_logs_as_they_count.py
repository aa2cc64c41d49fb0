"""Logs as people publish and tell them: their own count of time, columns named in a message, odd readings."""

import numpy as np
import pytest
from cases import each
from offline_case import asked

import db
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.spoken import heads_in
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as, recalled, remember_said
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import workspace


def written(folder, name, rows, head=""):
    path = folder / name
    path.write_text("\n".join([*[head] * bool(head), *rows]) + "\n", encoding="utf-8")
    return path


def said(path, question):
    return asked(question, path.parent, attachments=(str(path),)).text


@pytest.fixture(scope="module")
def oven(tmp_path_factory):
    """Return the log of an oven that counts from 400 s, a reading each half second; it is opened at 560 s."""
    time = 400 + np.arange(400) / 2
    pv = np.where(time < 560, 100 + 0.5 * (time - 400), 180 - 3 * (time - 560)) + 0.02 * np.sin(time)
    rows = [
        f"{1000 * at:.0f},{value:.2f},{60 if at < 560 else 0}" for at, value in zip(time, pv, strict=True)
    ]
    head = "Time (ms),Oven temperature (C),PWM (percent)"
    return written(tmp_path_factory.mktemp("counted"), "oven.csv", rows, head)


@each(
    "question, told",
    [
        ("highest temperature, and when?", "highest 180.0"),
        ("highest temperature, and when?", "at +560.000 s"),
        ("when was it above 150?", "first at +500.500 s"),
        ("mean temperature between 420 and 440 s?", "from +420.000 s to +440.000 s"),
        ("從 420 秒到 440 秒平均每秒升幾度？", "平均每秒 +0.5"),
        ("why does it drop at about 561 s?", "+558.500 s to +563.500 s: Channel 1: pv 179.2"),
        ("how fast did it heat between 420 and 440 s?", "+30 °C per minute on average"),
        ("when did it get to 110 and to 150?", "at 150 °C or above"),
        ("how long from 110 to 150?", "from 110 to 150 °C in 80 s, +420.000 s"),
        ("how many readings are there, and how far apart?", "read 400 times, mostly every 0.5 s"),
        ("how much did the temperature change from the first to the last row?", "-38.47 °C, from 99.98 °C"),
        ("highest temperature after it reached 150?", "from +499.500 s to +599.500 s: highest 180.0"),
        ("was it calm once it reached 150?", "from +499.500 s to +599.500 s: lowest"),
        ("what was the output when it passed 150?", " °C, output 60 %."),
        ("到 150 度之後平均幾度？", "+499.500 s 到 +599.500 s：平均"),
        ("highest after it reached 300?", "never at 300 °C or above"),
        ("how long from power on to 110 and to 150?", "100 s from the begin of the log, first at 150 °C"),
        ("what was the temperature at 420.2 s?", "at +420.000 s"),
        ("lowest temperature after +560.5 s?", "from +560.500 s to"),
        ("mean temperature while the heater was on?", "that is with Channel 1, output on (above 30 %)"),
        ("mean temperature while the heater was on?", "mean 139.88"),
        ("輸出低於 10 的時候最低幾度？", "最低 61.5"),
        (
            "lowest after it reached 150 while the heater was on?",
            "from +499.500 s to +599.500 s: lowest 149.7",
        ),
        ("mean temperature while the output is 60?", "output at 60 %:"),
        ("how hot was it when the output fell to 0?", "oven.csv at +560.000 s:"),
        ("how many minutes was the heater on after it reached 150?", "on (above 30 %), 60 s in all"),
        ("how far did it overshoot 170?", "10.01 °C past 170 °C: highest 180.01 °C at +560.000 s"),
        ("what is wrong between 420 and 440 s?", "output from +420.000 s to +440.000 s"),
        ("rates from 410 s to 430 s and from 570 s to 580 s per minute?", "-180 °C per minute"),
    ],
)
def test_times_are_those_that_the_log_itself_counts(oven, question, told):
    assert told in said(oven, question)


def test_a_watch_that_began_with_the_log_is_read_in_minutes_and_seconds(tmp_path):
    rows = [f"00:{at // 60:02d}:{at % 60:02d},{20 + at / 10:.1f}" for at in range(400)]
    path = written(tmp_path, "run.csv", rows, "Time,Temperature [C]")
    assert "lowest 34 °C" in said(path, "lowest temperature from 2:20 to 2:40?")
    clock = written(
        tmp_path, "day.csv", [row.replace("00:", "14:", 1) for row in rows], "Time,Temperature [C]"
    )
    assert "is not in it" in said(clock, "lowest temperature from 2:20 to 2:40?")


@each(
    "waves, way", [(np.exp(-np.arange(600) / 200), "becomes smaller"), (np.ones(600), "neither smaller nor")]
)
def test_whether_a_swing_dies_out_is_told_by_its_thirds(tmp_path, waves, way):
    rows = [f"{at},{50 + 3 * wave * np.sin(at / 8):.3f}" for at, wave in enumerate(waves)]
    path = written(tmp_path, "swing.csv", rows, "Time (s),Temperature [C]")
    assert way in said(path, "is the swing dying out?")


def test_the_longest_gaps_of_a_log_are_told_in_their_size(tmp_path):
    times = [*range(100), *range(160, 200), *range(500, 560)]
    path = written(tmp_path, "gaps.csv", [f"{at},25.{at % 7}" for at in times], "Time (s),Temperature [C]")
    text = said(path, "what is the longest gap between two readings?")
    assert "read 200 times, mostly every 1 s" in text
    assert text.index("+199.000 s") < text.index("+99.000 s") and "then 61 s" in text


def test_a_log_that_is_brought_is_what_is_asked_about_whatever_is_counted_in_the_question(oven):
    assert "oven.csv" in said(oven, "which of the three stages heats best?")


def test_a_question_before_a_remark_is_answered_and_not_noted(oven):
    assert "highest 180" in said(oven, "what are min and max over this log? it is celsius")


def test_seconds_and_their_fraction_without_a_header_are_the_time_and_no_reading(tmp_path):
    epoch = 1_382_907_437
    pv = 20 + 3 * np.sin(np.arange(300) / 30) + np.random.default_rng(1).normal(0, 0.2, 300)
    rows = [f"{epoch + at // 2} {500_000 * (at % 2) + 1000} {value:.2f}" for at, value in enumerate(pv)]
    log = read_log(written(tmp_path, "raw.log", rows))
    assert log.of_loops == {0: {"time 0": 0}, 1: {"pv": 2}} and f"{log.start:%Y}" == "2013"


def test_values_on_lines_that_begin_as_remarks_do_are_read_with_their_row(tmp_path):
    rows = [f"#ADC val {300 + at % 9}\nMeat Temperature  {25 + at / 50:.3f}, cycle {at}" for at in range(120)]
    log = read_log(written(tmp_path, "meat.txt", rows))
    assert len(log.samples["time"].unique()) == 120 and "Meat Temperature" in log.channel_names.values()


def test_a_reading_without_a_word_for_it_stands_beside_one_that_has_one(tmp_path):
    at = np.arange(200)
    pairs = zip(30 + 8 * np.sin(at / 20), 28 + 6 * np.cos(at / 35), strict=True)
    rows = [f"{15 * n},{one:.0f},{other:.0f}" for n, (one, other) in enumerate(pairs)]
    log = read_log(written(tmp_path, "two.csv", rows, "Time (s),Radiator,Room"))
    assert {*log.channel_names.values()} == {"Radiator", "Room"}


@pytest.fixture
def headless(tmp_path):
    """Return a table without a header: time, a count, setpoint and pv times ten, the output."""
    rows = list[str]()
    for at in range(300):
        setpoint = 400 if at < 100 else 600
        pv = setpoint - 200 * np.exp(-(at % 100 if at < 200 else at - 100) / 30)
        rows.append(f"{at * 2}\t{at}\t{setpoint}\t{pv:.0f}\t{max(0.0, (setpoint - pv) / 2):.1f}")
    return written(tmp_path, "plot.csv", rows)


def test_columns_are_what_the_user_calls_them_and_what_is_told_times_ten_is_divided(headless):
    heads = heads_in("it will not settle (columns: time s, count, set x10, actual x10, heater %)")
    log = read_as(headless, Stated(heads=tuple(heads.items())))
    assert log.of_loops[1] == {"pv": 3, "setpoint": 2, "output": 4}
    assert log.samples["setpoint"].max() == 60 and log.unit == "°C"


def test_what_a_conversation_calls_columns_is_remembered_for_tables_laid_out_alike(headless, database):
    remember_said(database, "c1", headless, {2: "setpoint", 3: "bath temp"})
    remember_said(database, "c1", headless, {4: "heater %"})
    log = read_log(headless)
    stated = recalled(database, "c1", log)
    assert stated and dict(stated.heads) == {2: "setpoint", 3: "bath temp", 4: "heater %"}
    assert recalled(database, "c2", log) is None
    assert recalled(database, "c1", read_as(headless, stated)) == stated  # the layout is the file's own


def test_a_header_is_not_called_otherwise(oven, database):
    remember_said(database, "c1", oven, {1: "setpoint"})
    assert recalled(database, "c1", read_log(oven)) is None


def findings_of(path):
    return {(one.fault, one.numbers.get("kind", "")) for one in diagnose(read_log(path)).findings}


@each("value, is_frozen", [("14.254413", True), ("14.2", False), ("3.5e-44", False)])
def test_a_number_of_many_digits_that_never_changes_is_not_refreshed(tmp_path, value, is_frozen):
    path = written(tmp_path, "plc.csv", [f"{5 * at},{value}" for at in range(60)], "Time (s),Temperature [C]")
    assert (("sensor_stuck", "frozen") in findings_of(path)) is is_frozen


def test_one_reading_that_is_off_is_told_with_its_time_and_is_no_fault(tmp_path):
    values = 25 + np.random.default_rng(1).normal(0, 0.1, 300)
    values[150] = 90.0
    rows = [f"{2 * at},{value:.2f}" for at, value in enumerate(values)]
    path = written(tmp_path, "glitch.csv", rows, "Time (s),Temperature [C]")
    diagnosis = diagnose(read_log(path))
    assert not diagnosis.findings and [one.onset for one in diagnosis.glitches] == [300.0]
    told = TOOLS["diagnose_log"](workspace(cache=str(tmp_path / "cache"), attachments=[str(path)]), path.name)
    assert [row["clock"] for row in told["timeline"] if row["what"] == "glitch"] == ["+300.000 s"]


def test_a_turn_reads_a_log_by_the_columns_that_its_message_names(headless, database, tmp_path):
    from instrumentgpt.turn import runs
    from instrumentgpt.turn.turn import open_turn

    text = "what is wrong? col 3 setpoint, col 4 bath temp, col 5 heater %. it is fahrenheit"
    conversation = db.create_conversation(database, "table")
    run = runs.store_question(database, conversation, text, "chat", "offline", [headless])
    open_turn(database, run)
    stated = recalled(database, conversation, read_log(headless))
    assert stated and dict(stated.heads) == {2: "setpoint", 3: "bath temp", 4: "heater %"}
    assert stated.unit == "°F" and read_as(headless, stated).logged_unit == "°F"
