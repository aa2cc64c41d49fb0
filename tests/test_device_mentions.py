"""Which devices a text names, and what looks like one and is none."""

import pytest

from instrumentgpt.instruments.devices import load_inventory, resolve
from instrumentgpt.settings import DEMO_INVENTORY

DEMO = load_inventory(DEMO_INVENTORY)


def mentioned(text):
    return [device.name.removeprefix("zspr ") for device in resolve(text, DEMO).devices]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1.1.47 為什麼溫度波動？", ["052"]),
        ("10.1.1.47為什麼溫度波動？", ["052"]),
        ("請看10.1.1.47的溫度", ["052"]),
        ("１０．１．１．４７ 為什麼？", ["052"]),
        ("10。1。1。47 為什麼", ["052"]),
        ("what is wrong with 10.1.1.47?", ["052"]),
        ("plot 10.1.1.47.", ["052"]),
        ("http://10.1.1.47:8052/logs is slow", ["052"]),
        ("(10.1.1.108)", ["055"]),
        ("10.1.1.047", ["052"]),
        ("10.1.1.85,10.1.1.46", ["050", "051"]),
    ],
)
def test_a_full_address_names_its_device(text, expected):
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("110.1.1.47 why?", ("110.1.1.47",)),
        ("10.1.1.147", ("10.1.1.147",)),
        ("10.1.1.4", ("10.1.1.4",)),
        ("10.1.1.99怎麼了", ("10.1.1.99",)),
        ("10.1.1.470", ()),
        ("10.1.1.47.5", ()),
        ("3.10.1.1.47", ()),
        ("10.1.1.300", ()),
        ("10.1.1.0/24", ()),
        ("firmware v3.4.12.1", ()),
        ("version 3.4.12.1", ()),
        ("版本 3.4.12.1", ()),
    ],
)
def test_an_address_is_taken_whole_or_not_at_all(text, unknown):
    found = resolve(text, DEMO)
    assert (found.devices, found.unknown) == ((), unknown)


@pytest.mark.parametrize(
    "text",
    [
        "zspr 052",
        "ZSPR-052 is unstable",
        "zspr052的溫度",
        "zspr_52",
        "ZSPR52 怎麼了",
        "ｚｓｐｒ　０５２",
        "看一下zspr 052",
        "Zspr  #052?",
        "zspr 052: temp 61.9 then 29.4 on the next line, why?",
        "the log of zspr 052, please",
        "set zspr 052 to 52 °C",
        "set zspr 052 to 55",
        "zspr 052 的 kp 可以調到 0.53 嗎",
        "/logs/zspr_052/InstrumentDebug_2026-02-19_23-24-45.39.log",
    ],
)
def test_a_name_in_any_spelling_names_its_device(text):
    assert mentioned(text) == ["052"]


@pytest.mark.parametrize(
    "text",
    [
        "device 52",
        "Device #52 is too hot",
        "instrument no. 52",
        "052 怎麼了",
        "052怎麼了？",
        "why is 052 unstable",
        "設備 52",
        "設備52的溫度為什麼波動",
        "機台 052",
        "儀器編號 52",
        "52號機的溫度",
        "52 怎麼了",
        "what's wrong with 52?",
        "why is 52 oscillating?",
        "is 52 still unstable",
        "plot 052 temp control",
        "畫出 052 的溫度",
        "set device 52 to 50 °C",
        "看 052",
        "temperature of 052, please",
        "switch to 052",
        "052 ch 3 的 kp 可以調高嗎",
        "channel 3 of 052",
        "052's log",
        "那 052 呢？",
        "為什麼052的溫度在 55 度波動",
    ],
)
def test_a_number_that_can_only_be_a_device_names_it(text):
    assert mentioned(text) == ["052"]


@pytest.mark.parametrize(
    "text",
    [
        "why does the temperature stop at 52 °C?",
        "52°C",
        "52℃ 太高",
        "52 度",
        "052 度",
        "溫度 52 太高",
        "溫度到 52",
        "52% power",
        "52 percent",
        "power 52 ％",
        "kp 0.52",
        "kp=52",
        "kp 52",
        "kp = 052",
        "ki: 0.052",
        "set to 52",
        "set the temperature to 52",
        "設定 52",
        "調到 52",
        "52 s",
        "after 52 seconds",
        "52 秒",
        "52 分鐘",
        "052 ms",
        "52 min later",
        "on 2026-02-052",
        "2026-05-05 12:52:50",
        "at 23:52",
        "at 12:50:52.053",
        "2月 50日",
        "port 8052",
        "port 052",
        "localhost:8052",
        "localhost:52",
        "version 3.52",
        "version 052",
        "v52",
        "line 52",
        "line 052",
        "第 52 行",
        "第052行",
        "52 lines",
        "channel 52",
        "通道 52",
        "error 052",
        "±52",
        "-52",
        "52.5",
        "0.052",
        "1052",
        "0520",
        "50/52",
        "52 times",
        "52 個",
        "pv 52 > sp 50",
        "61.9 then 29.4 on the next line",
        "is 52 ok as a setpoint?",
        "why is 52 the limit?",
        "52",
        "",
        "xzspr 052x",
        "zspr 52.5",
        "MP052B",
        "PLT-052",
        "InstrumentDebug_2026-02-19_23-24-45.39.log",
        "看InstrumentDebug_2026-02-19_23-50-052.39.log.gz的門",
        "zspr_052.log",
        "[2026-02-19 23:24:45.390][info] [Main] InstrumentDebug 3.4.12 serial ZSPR-052 ip 10.1.1.47",
        "why?\n[2026-02-19 23:24:45.390][debug] [Net] client 10.1.1.46 keepalive rtt=2 ms\n",
    ],
)
def test_other_numbers_and_names_are_no_device(text):
    found = resolve(text, DEMO)
    assert ([device.name for device in found.devices], found.unknown) == ([], ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("compare zspr 053 and zspr 050", ["053", "050"]),
        ("比較 052 和 053", ["052", "053"]),
        ("compare 52 and 53", ["052", "053"]),
        ("zspr 050、051、055 哪個最差？", ["050", "051", "055"]),
        ("devices 50, 51 and 52", ["050", "051", "052"]),
        ("設備 50 跟 51", ["050", "051"]),
        ("10.1.1.47 vs 53", ["052", "053"]),
        ("zspr 051, 10.1.1.46 and device 51", ["051"]),
        ("055 then 10.1.1.85 then zspr-052", ["055", "050", "052"]),
        ("zspr 052 and 50 °C", ["052"]),
        ("zspr 052, 53 s after the door", ["052"]),
        ("is 053 worse than 050?", ["053", "050"]),
        ("compare 053 to 052", ["053", "052"]),
        ("zspr 050-052 的溫度", ["050", "051", "052"]),
        ("zspr 053 到 055", ["053", "054", "055"]),
        ("devices 054–052", ["054", "053", "052"]),
        ("050~zspr 052, then 055", ["050", "051", "052", "055"]),
        ("052-053 °C", []),
        ("part PLT-050-051", []),
        ("050-059", []),
    ],
)
def test_several_devices_come_in_order_and_once(text, expected):
    assert mentioned(text) == expected


def test_a_name_of_the_family_that_nobody_has_is_unknown_not_ignored():
    found = resolve("zspr 099 和 zspr 052", DEMO)
    assert ([device.name for device in found.devices], found.unknown) == (["zspr 052"], ("zspr 099",))


def test_a_hundred_thousand_digits_are_read_in_a_moment():
    assert mentioned("9" * 100_000 + " zspr 052") == ["052"]
