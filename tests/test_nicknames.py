"""What users call a device: which sentences name one, and which only look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spent import pieces

from instrumentgpt.text.nicknames import Naming, borne, nicknames_in

ADDRESSES = {"050": 85, "051": 46, "052": 47, "053": 112, "054": 93, "055": 108}
NAMES = tuple((f"zspr {number}", f"10.1.1.{last}") for number, last in ADDRESSES.items())


def named(text):
    """Return {number: nicknames} of what a message on its own makes hold."""
    found = borne(nicknames_in(text, NAMES))
    return {device.removeprefix("zspr "): nicknames for device, nicknames in found.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('The bigger one is zspr 052 (we call it "Tallinn").', "Tallinn"),
        ("zspr 052 (we call it Tallinn) overshoots on the ramp.", "Tallinn"),
        ("call 052 Bertha from now on", "Bertha"),
        ("From now on, please call zspr 052 “Big Bertha”.", "Big Bertha"),
        ("we call 052 bertha, by the way", "bertha"),
        ("Everyone here calls 10.1.1.47 the old lady.", "old lady"),
        ("052 is called Tallinn.", "Tallinn"),
        ("zspr 052, also known as Tallinn, is back from service.", "Tallinn"),
        ("052 aka Tallinn drifts.", "Tallinn"),
        ("zspr 052 goes by the name of Tallinn here", "Tallinn"),
        ("052, nicknamed 'the beast', drifts.", "the beast"),
        ("The team dubbed 052 Godzilla.", "Godzilla"),
        ("052's nickname is Tallinn.", "Tallinn"),
        ("Tallinn is what we call 052.", "Tallinn"),
        ('"Tallinn" is our nickname for zspr 052.', "Tallinn"),
        ("zspr 052 (10.1.1.47) is the walk in one, everyone says bertha. it overshoots", "bertha"),
        ("052 is the production tool. We call it the Eagle.", "Eagle"),
        ('052 ("Tallinn") overshoots.', "Tallinn"),
        ("The peptide oven (052) overshoots.", "peptide oven"),
        ("the peptide oven is 052", "peptide oven"),
        ("The peptide oven is 052, why does it overshoot?", "peptide oven"),
        ("052 is the peptide oven.", "peptide oven"),
        ("Tallinn is 052.", "Tallinn"),
        ("Just so you know, Tallinn is zspr 052 and it overshoots.", "Tallinn"),
        ("Tallinn = 052", "Tallinn"),
        ("052 is Tallinn.", "Tallinn"),
        ("052 是 A 區的超低溫冰箱，庫房叫它「北極」。", "北極"),
        ("052 是 B 區同型的，叫「南極」", "南極"),
        ("052 是恆溫箱，樣品都放裡面，綽號「烤箱」", "烤箱"),
        ('052 is the middle one, we call it "the oven"', "the oven"),
        ("zspr 052，IP 10.1.1.47，現場稱「大釜」", "大釜"),
        ("管柱烘箱（052，10.1.1.47，QC 同仁稱「小烤箱」）", "小烤箱"),
        ("052 是 PEB hotplate（我們叫 HP3），", "HP3"),
        ("052 是量產那台，大家叫它老鷹。", "老鷹"),
        ("052 是量產那台。大家都叫它「老鷹」。", "老鷹"),
        ("我們把 052 叫做北極", "北極"),
        ("以後 052 就叫北極，谢谢", "北極"),
        ("052 叫北極", "北極"),
        ("以后叫 052 北极", "北极"),
        ("052 的外號是大釜", "大釜"),
        ("052 俗稱大釜，溫度在飄", "大釜"),
        ("「大釜」是 052 的暱稱", "大釜"),
        ("老鷹就是 052", "老鷹"),
        ("老鷹就是 052，為什麼膜厚往下掉？", "老鷹"),
        ("大釜是 052。", "大釜"),
        ("052 就是「北極」", "北極"),
        ('052 (a.k.a. "the dragon") drifts', "the dragon"),
        ("in this chat Tallinn means 052", "Tallinn"),
        ("Could you please call 052 Bertha from now on?", "Bertha"),
        ("老鷹 = 052，今天很吵", "老鷹"),
        ("大釜指 052", "大釜"),
        ("zspr 052 (Tallinn) overshoots.", "Tallinn"),
        ("052（Tallinn）又飄了", "Tallinn"),
        ("We call 052 Siemens.", "Siemens"),
        ("052（以下簡稱大釜）溫度在飄", "大釜"),
        ("052 那台叫老鷹", "老鷹"),
        ("把 052 叫做老鷹好了", "老鷹"),
        ("> 別人說的\n052 我們都叫 Tallinn", "Tallinn"),
    ],
)  # fmt: skip
def test_a_sentence_names_a_device(text, expected):
    assert named(text) == {"052": (expected,)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'The bigger furnace is zspr 052 (we call it "Tallinn"), the smaller one is 054 ("Narva").',
            {"052": ("bigger furnace", "Tallinn"), "054": ("Narva",)},
        ),
        (
            "The bigger furnace is zspr 052 (we call it Tallinn), the smaller one 054 is Narva.",
            {"052": ("bigger furnace", "Tallinn"), "054": ("Narva",)},
        ),
        (
            "053 是 A 區的超低溫冰箱，庫房叫它「北極」；054 是 B 區同型的，叫「南極」；050 是 4 °C 冷房。",
            {"053": ("北極",), "054": ("南極",)},
        ),
        (
            "053 是 PEB hotplate（我們叫 HP3），054 是旁邊的 soft bake plate（SB1），050 是恆溫水 TCU。",
            {"053": ("HP3",), "054": ("SB1",)},
        ),
        ("We call 052 Tallinn and 054 Narva.", {"052": ("Tallinn",), "054": ("Narva",)}),
        ("052 叫大釜，051 叫小釜。", {"052": ("大釜",), "051": ("小釜",)}),
        (
            "052 and 054 are called Tallinn and Narva, respectively.",
            {"052": ("Tallinn",), "054": ("Narva",)},
        ),
        ("052、054 分別叫「大釜」和「小釜」。", {"052": ("大釜",), "054": ("小釜",)}),
        ("zspr 050 (10.1.1.85) is the walk in one, everyone says bertha. 053 at 10.1.1.112 is the benchtop,"
         ' "wee one".', {"050": ("bertha",), "053": ("wee one",)}),
    ],
)  # fmt: skip
def test_each_device_of_a_message_gets_its_own(text, expected):
    assert named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Is 052 Tallinn?",
        "The contact for 052 is Marguerite; ring before you touch it.",
        "is the peptide oven 052?",
        "Which one is the peptide oven, 052?",
        "So the peptide oven is 052, right?",
        "老鷹就是 052 嗎？",
        "老鷹是不是 052",
        "大釜是 052，對嗎？",
        "052 叫什麼",
        "what do you call 052?",
        "> we call 052 Tallinn",
        'He wrote "we call 052 Tallinn" in the log book.',
        "```\n052 is called Tallinn\n```",
        "[2026-02-19 23:24:45] 052 is called Tallinn",
        "We do not call 052 Tallinn.",
        "052 is not Tallinn.",
        "052 不叫北極",
        "we call 052 the oven",
        "我們叫 052「設備」",
        "052 是恆溫箱，旁邊那台是冰水機，綽號「小冰」",
        "北極不是 052",
        "If the peptide oven is 052, it should be off.",
        "如果老鷹就是 052 就好了",
        "call it 61 kg, 052 has 40 racks",
        "we call 052 it",
        "call 052 now",
        "call 052 again tomorrow",
        "call it a day, 052 is stable",
        "call 052 done",
        "052 is Broken.",
        "052 is Siemens.",
        "052 is a Siemens.",
        "Siemens is 052",
        "052 is Lauda, bought in 2019",
        "052 (Siemens) overshoots.",
        "052 (Monday) and 053 (Tuesday) were cleaned",
        "052 (offline) overshoots",
        "052 (PID) overshoots",
        "052 (Room B) overshoots",
        "052 就是西門子",
        "052 is OK",
        "052 is back",
        "052 is the culprit.",
        "052 is the root cause.",
        "The root cause is 052.",
        "The problem is 052",
        "the device is 052",
        "The oven is 052.",
        "the faulty oven is 052",
        "The only oven that swings is 052.",
        "Worst is 052.",
        "Suspect is 052",
        "kp is 052",
        "Setpoint is 052",
        "The heater of 052 is called H1.",
        "052 has a pump called Moby.",
        "The recipe on 052 is called Alpha.",
        "052's alarm is called OT-LATCH.",
        "052 threw an alarm named Overtemp",
        "Tallinn is 052's neighbour.",
        "Tallinn is near 052.",
        "Narva is 052 or 054.",
        '052 is "not responding", they say',
        "052 是「太吵了」",
        "052 is the pump on the still line.",
        "052 是正常的",
        "052 就是不穩",
        "問題就是 052",
        "那台就是 052",
        "機器是 052",
        "昨天跳機的就是 052",
        "052 今天叫 水泵聲音像砂石車",
        "052 水溫多高會叫",
        "052 又飄了，叫它重開機",
        "052 壞了，叫廠商來看",
        "052 壞了，叫學弟去看",
        "052 的紀錄檔叫「run7」",
        "052 的泵我們叫「莫比」",
        "052 面板跳出警報，代號「E-17」",
        "052 又在叫了",
        "052 操作員叫柏翰",
        "我叫柏翰，052 是我的",
        "052 代號 E-17 的錯誤",
        "052 的名稱欄位空白",
        "主機是 052",
        "we call 052 unreliable",
        "Friday is 052",
        "The culprit oven is 052",
        "Call 052 054.",
        "we call 052 zspr 054",
        "052 and 054 are both called Tallinn.",
        'We call 052 "kp".',
        'We call 052 "比例增益".',
        'We call 052 "<b>x</b>".',
        'We call 052 "pump".',
        'We call 052 "the device".',
        "庫房叫 052「那台」",
        "我們叫 052 機器",
    ],
)
def test_what_only_looks_like_a_name_is_none(text):
    assert named(text) == {}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["052 is Tallinn.", "054 is Tallinn."], {}),
        (["052 is Tallinn.", "054 is Tallinn.", "Tallinn is not 052."], {"054": ("Tallinn",)}),
        (["052 is Tallinn.", "From now on call 054 Tallinn."], {"054": ("Tallinn",)}),
        (["052 is Tallinn.", "Tallinn is 054, not 052."], {"054": ("Tallinn",)}),
        (["052 is Tallinn.", "Tallinn is now 054."], {"054": ("Tallinn",)}),
        (["052 is Tallinn.", "052 is no longer called Tallinn."], {}),
        (["052 叫北極", "053 叫北极"], {}),
        (["052 叫北極", "以後 053 才叫北极"], {"053": ("北极",)}),
        (["052 叫北極", "北極不是 052，是 053"], {"053": ("北極",)}),
        (["052 叫北極", "052 不再叫北極"], {}),
        (["052 is Tallinn.", "Call 052 TALLINN."], {"052": ("TALLINN",)}),
        (["052 is Tallinn.", "we call 052 Big T"], {"052": ("Tallinn", "Big T")}),
    ],
)
def test_a_nickname_is_one_devices_and_the_last_word_counts_if_it_says_so(messages, expected):
    found = borne([naming for message in messages for naming in nicknames_in(message, NAMES)])
    assert {device.removeprefix("zspr "): told for device, told in found.items()} == expected


namings = st.builds(
    Naming,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["Tallinn", "TALLINN", "北極", "北极", "Narva"]),
    st.sampled_from(["named", "renamed", "withdrawn"]),
)


@given(st.lists(namings))
def test_a_nickname_never_stands_for_two_devices(told):
    keys = [nickname.casefold().replace("極", "极") for own in borne(told).values() for nickname in own]
    assert len(keys) == len(set(keys))


@given(st.text(alphabet='052 54isthe calledT叫是就「」"()（），.?\n', max_size=80))
def test_any_text_can_be_read(text):
    for naming in nicknames_in(text, NAMES):
        assert naming.device in {names[0] for names in NAMES} and naming.nickname in text


@pytest.mark.parametrize(
    "told",
    [
        "我" * 400,
        "052 " + "我" * 300 + "叫",
        "052，" + "我們都就" * 100 + "叫它",
        "052 is " + "the oven " * 90 + "called x",
        "052" + " (" * 300 + "called",
        "052" + " " * 900 + "called",
        '"052 ' * 200,
        "052 is the " + "a-b " * 200,
        "Aa " * 300 + "is 052",
        "052 and " * 120 + "are called A",
    ],
)
def test_no_text_takes_long(told):
    assert pieces(lambda: nicknames_in(told, NAMES)) < 5


def test_it_costs_nothing_that_anybody_notices():
    messages = [
        "Why does zspr 052 swing by ±0.4 °C every seven minutes? kp is 0.12 and the setpoint 37 °C.",
        "053 是 A 區的超低溫冰箱，庫房叫它「北極」；054 是 B 區同型的，叫「南極」；溫度會跳到 7 度多。",
        "[2026-02-19 23:24:45] 052 out=100 pv=36.4\n" * 200,
    ]
    assert pieces(lambda: [nicknames_in(message, NAMES) for message in messages], repeats=20) < 2
