"""Long tables: a row for each channel, which a column of texts names."""

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import UnreadableLog, read_log

ROWS = 60
STEPS = np.arange(ROWS)


def rows(names, sep="\t", stamp=lambda at, place: f"2026-11-12 06:{at // 6:02d}:{at % 6}0") -> list[str]:
    return [
        sep.join(
            map(str, [stamp(at, place), name, 100 * (place + 1), round(20 + 9.5 * place + at / 7, 2), 50])
        )
        for at in range(ROWS)
        for place, name in enumerate(names)
    ]


@pytest.fixture
def read(tmp_path):
    def written(head, lines, **given):
        (tmp_path / "run.txt").write_text(
            "\n".join([*([head] if head else []), *lines]) + "\n", encoding="utf-8"
        )
        return read_log(tmp_path / "run.txt", **given)

    return written


@each(
    "word, names, numbers",
    [
        ("Zone", ["Z1", "Z2", "Z3", "Z4", "Z5"], [1, 2, 3, 4, 5]),
        ("Zone", ["Zone 3", "Zone 5"], [3, 5]),
        ("Where", ["oben", "Mitte", "unten"], [1, 2, 3]),
        ("Bank", ["A", "B"], [1, 2]),
        ("加熱區", ["第2區", "第1區", "模頭"], [2, 1, 3]),
        ("Sensor", ["PT100 left", "PT100 right"], [1, 2]),
    ],
)
def test_rows_are_of_the_channel_that_a_column_of_texts_names(word, names, numbers, read):
    log = read(f"Time\t{word}\tSP\tPV\tOUT", rows(names))
    assert log.channel_names == dict(zip(numbers, names, strict=True))
    for place, number in enumerate(numbers):
        mine = log.samples[log.samples["channel"] == number]
        assert mine["pv"].tolist() == pytest.approx((20 + 9.5 * place + STEPS / 7).round(2).tolist())
        assert set(mine["setpoint"]) == {100.0 * (place + 1)}
        assert mine["time"].tolist() == (10.0 * STEPS).tolist()


def test_rows_that_are_missing_leave_the_others_where_they_belong(read):
    lines = rows(["Z1", "Z2", "Z3"])
    del lines[100:102], lines[50]
    log = read("Time\tZone\tSP\tPV\tOUT", lines)
    assert log.samples["channel"].value_counts().sort_index().tolist() == [60, 59, 58]
    assert (log.samples["setpoint"] == 100.0 * log.samples["channel"]).all()


def test_rows_that_take_turns_need_no_common_stamp(read):
    log = read(
        "Time;Place;SP;PV;OUT",
        rows(["front", "rear"], ";", lambda at, place: f"06:{at // 6:02d}:{at % 6}{4 * place}.500"),
    )
    assert log.channel_names == {1: "front", 2: "rear"}
    assert (log.samples["setpoint"] == 100.0 * log.samples["channel"]).all()


def test_a_row_with_two_loops_for_each_channel_has_two_channels(read):
    lines = [
        f"2026-11-12 06:{at // 6:02d}:{at % 6}0,{name},{40 + at},{39 + at},{80 - at},{79 - at}"
        for at in range(ROWS)
        for name in ("K1", "K2")
    ]
    log = read("Time,Chamber,Air SP,Air PV,Wall SP,Wall PV", lines)
    assert log.channel_names == {1: "K1 Air PV", 2: "K1 Wall PV", 3: "K2 Air PV", 4: "K2 Wall PV"}
    assert log.samples[log.samples["channel"] == 4]["pv"].tolist() == (79.0 - STEPS).tolist()


@each("texts", [["AUTO"], ["HEAT", "HEAT", "IDLE"], ["closed", "closed", "closed", "open"]])
def test_a_column_of_words_that_do_not_take_turns_names_no_channels(texts, read):
    lines = [f"{at}\t{texts[at % len(texts)]}\t50\t{20 + at / 7:.2f}\t{at}" for at in range(ROWS)]
    assert set(read("Time\tMode\tSP\tPV\tOUT", lines).samples["channel"]) == {1}


def test_which_column_names_the_channels_can_be_said(read):
    lines = rows(["warm", "warm", "cold"])
    assert set(read("Time\tState\tSP\tPV\tOUT", lines).samples["channel"]) == {1}
    assert read("Time\tState\tSP\tPV\tOUT", lines, columns={"channel": 1}).channel_names[2] == "cold"


def test_a_table_of_texts_alone_is_still_refused(read):
    with pytest.raises(UnreadableLog):
        read("", ["a b c"] * 20)


def tags(mark, heads="VarName;TimeString;VarValue", odd=()) -> list[str]:
    """Lines of a long table with the heads of name, time and value, in this order; `odd` lines at its end."""
    values = {"PV": 60 + np.sin(STEPS / 7), "SP": 60 + 0 * STEPS, "OUT": 40 - 5 * np.sin(STEPS / 7 + 1)}
    lines = [
        f'"TIC7{mark}{tag}";"2026-03-04 08:{at // 6:02d}:{at % 6}0";{value[at]:.2f}'
        for at in range(ROWS)
        for tag, value in values.items()
    ]
    return [heads, *lines, *odd]


@each("mark", ["_", "/", ".", ":", "-", " ", "\\"])
@each("heads", ["VarName;TimeString;VarValue", "name;time;value", "Nazwa;Czas;Dane"])
def test_the_tags_of_a_long_table_are_one_loop(mark, heads, read):
    odd = ['"$RT_OFF$";"2026-03-04 08:09:59";0', '"SYS";"2026-03-04 08:09:59";491']
    head, *lines = tags(mark, heads, odd)
    log = read(head, lines)
    assert set(log.samples["channel"]) == {1} and len(log.samples) == ROWS and log.missing == ()
    assert log.samples["pv"].tolist() == (60 + np.sin(STEPS / 7)).round(2).tolist()
    assert set(log.samples["setpoint"]) == {60.0} and log.clock(0.0).startswith("2026-03-04 08:00:00")


def test_a_name_that_comes_once_says_nothing_of_whose_the_other_rows_are(read):
    lines = rows(["front", "rear"])
    lines.insert(31, lines[30].replace("front", "RESET"))
    log = read("Time\tPlace\tSP\tPV\tOUT", lines)
    assert log.channel_names == {1: "front", 2: "rear"} and len(log.samples) == 2 * ROWS
    assert (log.samples["setpoint"] == 100.0 * log.samples["channel"]).all()


@each("levels, mixed", [((60, 120), True), ((60, 8, 95, 31), True), ((60, 60.1), False), ((60,), False)])
def test_readings_of_several_sensors_in_one_column_are_not_judged(levels, mixed, read):
    stamps = (f"2026-03-04 08:{at // 6:02d}:{at % 6}0" for at in range(ROWS))
    lines = [f"{stamp},{level + at / 50:.2f}" for at, stamp in enumerate(stamps) for level in levels]
    log = read("time,value", lines)
    assert ("pv" in log.missing) == mixed == any("several sensors take turns" in note for note in log.notes)
