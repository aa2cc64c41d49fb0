"""What the logs of a device tell together: which day had it, from which log on, at which hour."""

import random
from datetime import datetime, timedelta

import pytest
from cases import each
from offline_case import asked

BEGUN = datetime(2026, 11, 16, 8)
TODAY = "2026-11-20T12:00:00"
SPIKED = (2, 3)  # days with a sensor that loses contact
HOLDS = ((0, 45.0), (60, 60.0), (120, 45.0))  # minutes, setpoint


def day_of_oven(day: int, seconds: int = 10) -> str:
    """Return three hours of an oven, a row each 10 s; its pv jumps on the days of SPIKED."""
    noise, pv, rows = random.Random(day), 45.0, ["Timestamp,Set Value [°C],Process Value [°C],Output [%]"]
    for number in range(3 * 360):
        minute = number * seconds / 60
        setpoint = next(value for begin, value in reversed(HOLDS) if begin <= minute)
        pv += (setpoint - pv) * 0.05
        read = pv + noise.gauss(0, 0.02) + (80 if day in SPIKED and number % 100 == 50 else 0)
        clock = BEGUN + timedelta(days=day, seconds=seconds * number)
        rows.append(f"{clock},{setpoint:.1f},{read:.2f},{0.6 * setpoint + 4 * (setpoint - pv):.1f}")
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    """Return an inventory of two devices: one log a day without a date in its name, and one an hour."""
    folder = tmp_path_factory.mktemp("ovens")
    for name in ("oven", "hourly"):
        (folder / name).mkdir()
    for day in range(4):
        (folder / "oven" / f"run {day + 41}.csv").write_text(day_of_oven(day), encoding="utf-8")
    head, *rows = day_of_oven(0).splitlines()
    for hour in range(3):
        part = "\n".join([head, *rows[hour * 360 : (hour + 1) * 360]]) + "\n"
        (folder / "hourly" / f"zones_20261116_{8 + hour:02d}00.csv").write_text(part, encoding="utf-8")
    devices = [f'[[device]]\nname = "{name}"\nlogs = "{name}"\n' for name in ("oven", "hourly")]
    (folder / "devices.toml").write_text("\n".join(devices), encoding="utf-8")
    return str(folder / "devices.toml")


@each(
    "question, parts",
    [
        ("oven: which day did it begin?", ["of 4 logs", "2 have a finding", "since the log of 2026-11-18"]),
        ("oven 是從哪一天開始的？", ["4 份記錄", "2 份有發現", "自 2026-11-18"]),
        (
            "what was the mean output of the oven every day?",
            ["2026-11-16 08:00:00 – 10:59:50 | 30", "run 41.csv"],
        ),
        (
            "was the oven ever above 100 in the last 5 days, how often?",
            ["never above 100", "11 times above 100 °C, ", "- Yes: "],
        ),
        ("oven: since when does the sensor spike?", ["is in each since the log of 2026-11-18"]),
        (
            "oven: on which day was it hottest?",
            ["Highest reading: ", "largest on Channel 1 from 2026-11-1", "| 140"],
        ),
        ("oven 哪一天最熱？", ["最高讀值：", "最大 通道 1，2026-11-1", "| 140"]),
        (
            "oven: how long was it above 58 over the whole week?",
            ["1 time above 58 °C, 54 min in all"],
        ),
        ("oven 整週超過 200 度多久？", ["從未高於 200 °C"]),
    ],
)
def test_a_question_about_days_is_answered_from_the_logs_of_all_of_them(tmp_path, inventory, question, parts):
    answer = asked(question, tmp_path, inventory=inventory, today=TODAY)
    assert "survey_logs" in answer.tools or answer.tools.count("column_figures") > 3
    for part in parts:
        assert part in answer.text


@each(
    "question, log",
    [
        ("compare the oven of nov 19 with nov 17", "`run 42.csv` and `run 44.csv`"),
        ("oven 11/18 那天也壞了嗎", "`run 43.csv`"),
        ("what was the temperature of hourly at 09:30?", "`zones_20261116_0900.csv`"),
        ("hourly 8:15 到 8:30 的輸出", "`zones_20261116_0800.csv`"),
    ],
)
def test_the_log_is_found_by_the_day_of_its_lines_and_the_hour_that_is_named(
    tmp_path, inventory, question, log
):
    assert log in asked(question, tmp_path, inventory=inventory, today=TODAY).text


@each(
    "question, parts",
    [
        (
            "oven: how stable was it at 60 °C on nov 16?",
            ["held 60 °C 1 time", "standard deviation 0.0", "output 36"],
        ),
        ("oven 11/16 在 45 度的時候輸出多少？", ["維持 45 °C 2 次", "27"]),
        ("how long was the oven at 45 on nov 16?", ["held 45 °C 2 times", "120 min"]),
    ],
)
def test_figures_at_a_setpoint_are_those_of_the_time_it_was_held(tmp_path, inventory, question, parts):
    answer = asked(question, tmp_path, inventory=inventory, today=TODAY)
    for part in parts:
        assert part in answer.text


@each("question", ["which day did hourly begin to swing?", "is hourly ok this week?"])
def test_days_of_which_there_is_nothing_are_no_error(tmp_path, inventory, question):
    assert "hourly" in asked(question, tmp_path, inventory=inventory, today="2026-12-31T12:00:00").text


def test_a_correction_that_names_another_log_asks_again_and_is_no_note(tmp_path, inventory):
    state = {"device_name": "oven", "last_log_file": "run 44.csv", "downloaded_logs": ["run 44.csv"]}
    answer = asked("no, I meant compare with nov 17, not nov 16", tmp_path, inventory=inventory, state=state)
    assert "`run 42.csv` and `run 44.csv`" in answer.text


def test_a_device_called_as_a_line_is_no_line(tmp_path, inventory):
    named = tmp_path / "named.toml"
    logs = f"{inventory.removesuffix('devices.toml')}oven"
    named.write_text(
        f'[[device]]\nname = "extruder"\naliases = ["line 2"]\nlogs = "{logs}"\n', encoding="utf-8"
    )
    answer = asked("alarm on line 2, what do I do?", tmp_path, inventory=str(named))
    assert "read_lines" not in answer.tools and "diagnose_log" in answer.tools


def test_logs_that_cannot_be_read_are_said_to_be_so(tmp_path):
    (tmp_path / "odd").mkdir()
    for day in range(3):
        (tmp_path / "odd" / f"run_{day}.csv").write_text("when;what\n" + "x~;y~\n" * 40, encoding="utf-8")
    (tmp_path / "devices.toml").write_text('[[device]]\nname = "odd"\nlogs = "odd"\n', encoding="utf-8")
    path = str(tmp_path / "devices.toml")
    assert (
        "fits none of the"
        in asked("odd: which day did it begin?", tmp_path, inventory=path, today=TODAY).text
    )
