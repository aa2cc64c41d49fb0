"""The offline analyst compares: a log with the one before, a device with others, all with one another."""

import re
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cases import each

import db
from demo.simulate import Channel, Scenario, write_log
from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.standing import rows_of
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import database_path
from tests.offline_case import asked


@each(
    "question, parts",
    [
        (
            "053 what changed since last log?",
            ["New fault: Oscillation from the gains.", "kp 7 → 50", "ki 0.06 → 0.6"],
        ),
        ("054 what changed since the last log?", ["**zspr 054 (10.1.1.93): 2 differences", "Sensor spikes"]),
        ("053 跟上次比有什麼不同？", ["新的異常：增益造成的振盪。", "相同設定值下的輸出"]),
        ("050 跟上次比有什麼不同？", ["DoorTimeout", "處不同"]),
        ("who changed the gains of 053, and when?", ["2 differences", "kp 7 → 50", "not who set it"]),
        ("053 的 kp 是誰改的？", ["1 處不同", "kp 7 → 50", "沒有是誰設定的"]),
    ],
)
def test_the_log_is_compared_with_the_one_before(tmp_path, question, parts):
    answer = asked(question, tmp_path)
    assert "compare_logs" in answer.tools
    for part in parts:
        assert part in answer.text


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("compare 053 with 050", "**zspr 053 (10.1.1.112) beside zspr 050 (10.1.1.85): 18 differences"),
        ("053 和 050 有什麼不同？", "**zspr 053 (10.1.1.112) 與 zspr 050 (10.1.1.85) 相比，有 18 處不同"),
    ],
)
def test_two_devices_that_are_named_are_compared_with_each_other(tmp_path, question, told):
    answer = asked(question, tmp_path)
    assert told in answer.text and answer.tools == ("fetch_log", "fetch_log", "compare_logs")


def test_three_devices_are_ranked(tmp_path):
    assert asked("compare 050, 052 and 053", tmp_path).tools == ("survey_devices",)


def test_all_devices_are_ranked_by_severity_then_error(tmp_path):
    answer = asked("which device is worst?", tmp_path)
    order = re.findall(r"^\d\. (zspr \d+)", answer.text, re.MULTILINE)
    assert order[0] == "zspr 051" and order[-1] == "zspr 052" and len(order) == 6
    assert all("findings" not in result for result in answer.results), (
        "others' findings are not this device's"
    )


def test_several_devices_are_surveyed_and_only_they(tmp_path):
    answer = asked("050 和 053 哪裡有問題？", tmp_path)
    assert answer.tools == ("survey_devices",)
    assert re.findall(r"^\d\. (zspr \d+)", answer.text, re.MULTILINE) == ["zspr 053", "zspr 050"]


def test_a_named_log_is_the_one_that_is_compared_with(tmp_path):
    answer = asked("compare InstrumentDebug_2026-02-16_11-20-41.17.log of 053 with the newest", tmp_path)
    assert answer.results[-1]["before"] == "InstrumentDebug_2026-02-16_11-20-41.17.log"
    assert "kp 7 → 50" in answer.text


def test_a_comparison_keeps_to_the_quantity_that_is_asked_about_and_names_both_logs(tmp_path):
    text = asked("kp of 050 vs 051?", tmp_path).text
    assert "3 differences" in text and "Channel 4: kp 8, no notable difference" in text
    assert "setpoint" not in text and text.count(".log`") == 2


@each(
    "question, told",
    [("gains of 050 vs 051", "6 differences"), ("051 和 052 的輸出差多少", "相同設定值下的輸出 36.7")],
)
def test_all_gains_and_the_output_are_compared_by_the_names_that_people_give_them(tmp_path, question, told):
    text = asked(question, tmp_path).text
    assert told in text and "setpoint" not in text


@each(
    "question, first",
    [
        ("which channel of 053 is the worst?", "largest on Channel 2"),
        ("054 的通道 1 和通道 3 哪個比較穩？", "最小 通道 3"),
        ("055 四個通道哪個最不準？", "最大 通道 3"),
        ("rank the channels of 055 from best to worst", "largest on Channel 3"),
    ],
)
def test_which_of_several_channels_is_better_is_answered_by_name_and_figure(tmp_path, question, first):
    assert first in asked(question, tmp_path).text.splitlines()[0]


@each(
    "question",
    ["which device is worst?", "is 053 more stable than yesterday?", "why is channel 2 of 053 worse?"],
)
def test_what_is_worst_of_all_or_was_better_before_is_no_ranking_of_figures(tmp_path, question):
    assert "channel_metrics" not in asked(question, tmp_path).tools


@pytest.fixture(scope="module")
def weakening(tmp_path_factory):
    """Return an inventory of one device with four logs, whose heater is weaker in each."""
    folder = tmp_path_factory.mktemp("weakening")
    (folder / "logs").mkdir()
    for day, heater in enumerate((1.0, 0.9, 0.8, 0.7)):
        begun = datetime(2026, 3, 1, 8) + timedelta(days=7 * day)
        channel = Channel(
            1, Plant(0.8, 150.0, 4.0, 4.0), Controller(10.0, 0.12), 50.0, (Event("heater", 0, 9e9, heater),)
        )
        scenario = Scenario("skid", "10.1.1.96", "TempCtrl", begun, 1200.0, (channel,), seed=day)
        write_log(folder / "logs" / f"InstrumentDebug_{begun:%Y-%m-%d_%H-%M-%S}.00.log", scenario)
    (folder / "devices.toml").write_text('[[device]]\nname = "skid"\nip = "10.1.1.96"\nlogs = "logs"\n')
    return str(folder / "devices.toml")


@each(
    "question, parts",
    [
        (
            "how is skid?",
            ["over its logs something grows", "2026-03-01", "2026-03-22", "points a day", "Next: "],
        ),
        ("skid 還好嗎？", ["各份記錄之間有變化", "2026-03-01", "百分點"]),
        ("write a short note about skid for my boss", ["over its logs something grows", "Next: "]),
        ("does skid need more and more output over the weeks?", ["×1.4", "of 4 logs", "2026-03-22"]),
        ("since when does skid need more output?", ["×1.4", "points a day"]),
    ],
)
def test_what_grows_from_log_to_log_is_told_though_the_newest_alone_is_healthy(
    tmp_path, weakening, question, parts
):
    answer = asked(question, tmp_path, inventory=weakening)
    assert "output_over_logs" in answer.tools and "nothing to do" not in answer.text
    for part in parts:
        assert part in answer.text


def test_a_scan_tells_what_grows_over_the_logs_as_the_chat_does_and_calls_the_device_unclear(
    tmp_path, weakening
):
    inventory = load_inventory(Path(weakening))
    scan(database_path(), inventory.devices, tmp_path / "cache", jobs=1)
    with closing(db.connect(database_path())) as database:
        [row] = rows_of(database, inventory.devices)
    assert (row.state, row.channel, row.log[:24]) == ("open", 1, "InstrumentDebug_2026-03-")
    assert row.text_en in asked("how is skid?", tmp_path, inventory=weakening).text
    assert row.text_zh in asked("skid 還好嗎？", tmp_path, inventory=weakening).text
