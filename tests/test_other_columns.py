"""Columns of a log that are no loop's are told: what they read, and whether they moved with its faults."""

import random
from datetime import datetime, timedelta

import pytest
from cases import each
from offline_case import asked

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import workspace

DIPS = (100, 210, 330)  # minutes, of a quarter of an hour each, in which the mains and pv are low
GERMAN = ("Zeit", "Sollwert °C", "Isttemperatur °C", "Heizung %", "Netzspannung V", "Durchfluss l/min")
CHINESE = ("時間", "設定值 °C", "箱內溫度 °C", "加熱 %", "市電 V", "CO2 %")
ENGLISH = ("Timestamp", "Set Value [°C]", "Process Value [°C]", "Output [%]", "Mains [V]", "Humidity [%RH]")
HEADS = {"german.csv": GERMAN, "chinese.csv": CHINESE, "english.csv": ENGLISH}


def table(heads) -> str:
    """Return eight hours of a loop at 37 °C, a row each 10 s; the fifth column dips, and pv with it."""
    noise, start, pv, rows = random.Random(7), datetime(2026, 11, 24), 37.0, [";".join(heads)]
    for number in range(8 * 360):
        low = any(dip <= number / 6 < dip + 15 for dip in DIPS)
        pv += ((35.6 if low else 37.0) - pv) * 0.03 + noise.gauss(0, 0.01)
        output, mains = 27 + 20 * (37 - pv) + noise.gauss(0, 0.3), (172 if low else 230) + noise.gauss(0, 0.8)
        clock = start + timedelta(seconds=10 * number)
        rows.append(f"{clock};37.0;{pv:.2f};{output:.1f};{mains:.1f};{5 + noise.gauss(0, 0.03):.2f}")
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("columns")
    for name, heads in HEADS.items():
        (made / name).write_text(table(heads), encoding="utf-8")
    return made


def columns_of(folder, name: str, **given) -> list[dict]:
    where = {"cache": str(folder / "cache"), "artifacts": str(folder / "artifacts")}
    place = workspace("demo/devices.toml", **where, attachments=[str(folder / name)])
    given = {"columns": HEADS[name][4:]} | given
    return TOOLS["column_figures"](place, log=name, **given)["rows"]


def said(folder, name: str, question: str):
    return asked(question, folder, attachments=(str(folder / name),))


@each("name", HEADS)
def test_columns_of_no_loop_are_read_on_the_logs_own_times_and_lines(folder, name):
    mains, other = columns_of(folder, name)
    assert [mains["column"], other["column"]] == list(HEADS[name][4:])
    assert [mains["unit"], other["unit"]] in (["V", "l/min"], ["V", "%"], ["V", "%RH"])
    row = (folder / name).read_text(encoding="utf-8").splitlines()[mains["least"]["line"] - 1].split(";")
    assert (float(row[4]), row[0]) == (mains["least"]["value"], mains["least"]["clock"][:19])


@each("name", HEADS)
def test_a_column_that_dips_with_the_excursions_moved_with_them_and_one_that_does_not_did_not(folder, name):
    mains, other = columns_of(folder, name)
    (below,) = [group for group in mains["during"] if group["what"] == "below"]
    assert mains["moved"] and below["count"] == below["out"] == len(DIPS)
    assert other["moved"] is False and 229 < mains["median"] < 231


def test_a_column_is_told_between_two_times_and_its_usual_range_is_still_the_whole_logs(folder):
    (mains,) = columns_of(folder, "german.csv", columns=[GERMAN[4]], spans=[["01:45", "01:50"]])
    assert mains["most"]["value"] < 180 and mains["usual"][0] > 220 and mains["moved"]


def test_a_column_that_the_log_lacks_is_an_error_with_those_it_has(folder):
    with pytest.raises(InstrumentGPTError, match=r"It has: .*, Mains \[V\], Humidity \[%RH\]"):
        columns_of(folder, "english.csv", columns=["pressure"])


@each(
    "name, question, words",
    [
        ("chinese.csv", "最低電壓多少", "`市電 V`，2026-11-24 00:00:00 到 07:59:50：最低 169"),
        ("chinese.csv", "跟市電有沒有關係?", "`市電 V` 與這些同時變動：低於範圍的偏離"),
        ("chinese.csv", "CO2 有跟著掉嗎?", "`CO2 %` 沒有隨這些變動"),
        (
            "german.csv",
            "did the flow drop too? column Durchfluss",
            "`Durchfluss l/min` did not move with these",
        ),
        ("german.csv", "was the mains voltage low?", "`Netzspannung V` moved at the same times as these"),
        ("english.csv", "humidity?", "`Humidity [%RH]` did not move with these: excursion below the band"),
        ("english.csv", "what was the highest humidity?", "highest 5.09 %RH at"),
        ("english.csv", "what was the voltage at 01:45?", "`Mains [V]`: 171.2 V at 2026-11-24 01:45:00"),
        (
            "english.csv",
            "is the pressure ok?",
            "has no column for pressure.** Its columns: ",
        ),
        ("chinese.csv", "轉速多少?", "沒有轉速的欄位。** 它的欄位："),
    ],
)
def test_a_question_about_such_a_column_is_answered_with_it(folder, name, question, words):
    answer = said(folder, name, question)
    assert words in answer.text and "column_figures" in answer.tools


@each(
    "name, question",
    [
        ("english.csv", "what is the current temperature?"),
        ("english.csv", "lowest output?"),
        ("chinese.csv", "最低溫度多少"),
        ("german.csv", "why does the temperature drop?"),
    ],
)
def test_a_question_about_the_loop_stays_one(folder, name, question):
    assert {"diagnose_log", "channel_metrics"} & {*said(folder, name, question).tools}


def test_a_head_that_no_table_of_words_has_is_known_from_the_log(folder):
    heads = (*ENGLISH[:4], "Quench gate", "Zirkon 3")
    (folder / "odd.csv").write_text(table(heads), encoding="utf-8")
    assert "`Zirkon 3` did not move" in said(folder, "odd.csv", "has the zirkon to do with it?").text


@each(
    "question, first, times",
    [
        ("what was the temperature at 01:45 and at 05:00?", "setpoint 37 °C", 2),
        ("01:45 和 05:00 各幾度？", "設定值 37 °C", 2),
        ("output at 03:20?", "setpoint 37 °C", 1),
        ("what happened at 01:45?", "out of its own band", 1),
    ],
)
def test_moments_are_told_each_with_what_was_read_or_found_then(folder, question, first, times):
    answer = said(folder, "english.csv", question)
    assert answer.tools.count("look_at_time") == times and first in answer.text.split("\n")[2]


@each("question", ["how often above 37.1, and how long?", "超過37.1度幾次？各多久？"])
def test_each_time_past_a_limit_is_told(folder, question):
    answer = said(folder, "english.csv", question)
    told = [result for result in answer.results if "rows" in result][-1]
    assert len(answer.text.split("  - ")) == 1 + min(8, told["rows"][0]["past"]["count"])


@each(
    "name, question",
    [("english.csv", "how long was the mains below 200 V?"), ("chinese.csv", "市電低於200 V幾次？")],
)
def test_each_time_a_column_was_past_a_limit_is_told(folder, name, question):
    text = said(folder, name, question).text
    assert str(len(DIPS)) in text and all(f"{dip // 60:02d}:{dip % 60:02d}" in text for dip in DIPS)


@each(
    "question, unit",
    [("how warm did it get, in °F?", "°F"), ("最高溫多少？用華氏說", "°F"), ("highest pv in kelvin", " K ")],
)
def test_temperatures_are_told_in_the_unit_that_is_asked_for(folder, question, unit):
    answer = said(folder, "english.csv", question)
    assert unit in answer.text and "°C" not in answer.text


def test_what_a_setpoint_held_stands_below_the_verdict_and_once(folder):
    text = said(folder, "english.csv", "why does it not hold 37 °C, what is wrong?").text
    assert text.count("Channel 1 held 37 °C") == 1
    assert text.index("Key findings") < text.index("Channel 1 held 37 °C")


@each("question", ["what changed since the last log?", "跟上次比有什麼不同？"])
def test_a_log_that_has_nothing_to_be_compared_with_is_judged(question, folder):
    answer = said(folder, "english.csv", question)
    assert "compare_logs" not in answer.tools and "diagnose_log" in answer.tools


@each("text", ["是故障嗎？", "did the heater fail at 37?"])
def test_who_complains_or_suspects_gets_the_verdict(text, folder):
    assert "diagnose_log" in said(folder, "english.csv", text).tools


@each(
    "question", ["The evaporator goes above zero, is anything wrong?", "蒸發器升到零度以上，有什麼問題嗎？"]
)
def test_a_reading_beside_the_loop_that_is_named_is_judged_with_it(question, tmp_path):
    rows, room = ["time_s,set C,chamber C,evap C,comp %"], 4.0
    for at in range(0, 36_000, 30):
        is_on = at % 1800 < 700
        room += 0.02 * (4.4 - 0.03 * at % 1 - room) - 0.012 * is_on
        rows.append(f"{at},4.0,{room:.2f},{3.0 if at % 7200 < 600 else -6.0 - 4 * is_on:.2f},{100 * is_on}")
    (tmp_path / "room.csv").write_text("\n".join(rows), encoding="utf-8")
    text = said(tmp_path, "room.csv", question).text
    verdict = next(line for line in text.split("\n") if line.startswith("**room.csv"))
    assert "channel 1" in verdict or "通道 1" in verdict
