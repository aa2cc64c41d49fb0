"""A month, a range of dates, a weekday, a batch of a long log is told by itself; a verdict is of its time."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each
from offline_case import asked

BEGIN, HOURS = datetime(2026, 1, 20), 24 * 45
BATCHES = {"A12": (0, 400), "A13": (400, 700), "B01": (700, HOURS)}  # hours
OPENED = (datetime(2026, 2, 20, 6), datetime(2026, 2, 20, 18))  # a door, after which it is warm for long


def reading(hour: int) -> float:
    at = BEGIN + timedelta(hours=hour)
    warm = 9.0 * (OPENED[0] <= at < OPENED[1])
    return 5.0 + 0.1 * (at.month == 2) + 0.02 * (hour % 3) + 0.3 * (hour >= 700) + warm


def mean(first: datetime, last: datetime) -> str:
    hours = range(*(int((at - BEGIN).total_seconds()) // 3600 for at in (first, last)))
    return f"mean {np.mean([round(reading(hour), 2) for hour in hours]):.6f}"[: len("mean 5.12")]


def of_batch(name: str) -> str:
    return mean(*(BEGIN + timedelta(hours=hour) for hour in BATCHES[name]))


@pytest.fixture(scope="module")
def fridge(tmp_path_factory):
    """Return a folder with 45 days of a fridge of three batches, and a door that was open on one day."""
    folder = tmp_path_factory.mktemp("long")
    rows = ["time,temperature (°C),batch_id"]
    for name, (first, stop) in BATCHES.items():
        for hour in range(first, stop):
            rows.append(f"{BEGIN + timedelta(hours=hour)},{reading(hour):.2f},{name}")
    (folder / "fridge.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def told(folder, question: str) -> str:
    attached = str(folder / "fridge.csv")
    text = asked(question, folder, attachments=(attached,), today="2026-11-28T12:00:00").text
    return re.sub(r"\]\([^()\s]*\)", "]", text)


@each(
    "question, shown",
    [
        ("mean temperature in February?", [mean(datetime(2026, 2, 1), datetime(2026, 3, 1))]),
        ("二月的平均溫度是多少？", [mean(datetime(2026, 2, 1), datetime(2026, 3, 1))[5:]]),
        ("mean temperature from 10 to 12 February in all?", ["2026-02-10", "2026-02-12"]),
        ("what was the temperature on Saturday at 13:00?", ["2026-02-28 13:00"]),
        ("禮拜六下午一點溫度多少？", ["2026-02-28 13:00"]),
        ("mean temperature of each batch?", ["batch_id = A12", *map(of_batch, BATCHES)]),
        ("compare A12 and B01: mean temperature?", ["batch_id = B01", of_batch("A12"), of_batch("B01")]),
    ],
)
def test_a_part_that_is_named_is_told_by_itself(fridge, question, shown):
    text = told(fridge, question)
    assert all(one in text for one in shown) and "2026-11" not in text


@each(
    "question",
    ["was everything fine from 1 to 12 February?", "2 月 1 日到 12 日都正常嗎？", "any problem in January?"],
)
def test_what_was_at_another_time_is_told_last_and_answers_no_yes_or_no(fridge, question):
    text = told(fridge, question)
    elsewhere = max(text.find("At another time in this log:"), text.find("這份記錄的其他時間："))
    assert 0 < text.find("5.") < elsewhere and "2026-02-20" not in text[:elsewhere]
    assert not re.match("Yes|No|是|否", text)


def test_the_time_of_one_half_of_a_sentence_is_that_of_the_other(fridge):
    text = told(fridge, "what was the highest temperature in January, and how long was it above 5.03?")
    assert text.count("2026-01-20 00:00:00 to 2026-01-31 23:59:59") == 2


@each("question", ["is it worse than in January?", "跟 1 月比有沒有比較差？"])
def test_a_time_that_something_is_compared_with_is_not_the_one_asked_about(fridge, question):
    text = told(fridge, question)
    assert "At another time in this log:" not in text and "這份記錄的其他時間：" not in text


def test_of_a_reading_that_no_check_is_of_nothing_is_said_to_be_believed(tmp_path):
    rows = ["time,setpoint,temperature,output,co2_pct"]
    for at in range(400):
        clock = BEGIN + timedelta(seconds=10 * at)
        rows.append(f"{clock},50.0,{50 + 0.01 * (at % 3):.2f},30.{at % 4},{2.0 - 0.004 * at:.3f}")
    (tmp_path / "room.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    question, attached = "has the CO2 analyser died or can I believe it?", str(tmp_path / "room.csv")
    text = asked(question, tmp_path, attachments=(attached,)).text
    assert "co2_pct" in text and "points to the sensor" not in text and not text.startswith(("Yes", "No"))


def test_the_name_of_a_batch_is_told_as_words_of_the_log_in_a_table_too(tmp_path):
    names = ["<b>a</b>", "[x](http://x.example)", "c | d", "e"]
    rows = (f"{BEGIN + timedelta(hours=at)},5.{at % 7},{names[at // 60]}" for at in range(240))
    (tmp_path / "run.csv").write_text("\n".join(["time,temperature,batch", *rows]), encoding="utf-8")
    text = asked("mean of each batch?", tmp_path, attachments=(str(tmp_path / "run.csv"),)).text
    assert "| Channel 1 |" in text and "| `batch = [x](http://x.example)` |" in text
    assert "| `batch = c \\| d` |" in text and "<b>" not in text
