"""What users call a device: which sentences name one, and which only look like it."""

import pytest
from cases import SHARE, each, rated
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.nicknames import Naming, borne, nicknames_in
from spent import pieces

ADDRESSES = {"050": 85, "051": 46, "052": 47, "053": 112, "054": 93, "055": 108}
NAMES = tuple((f"zspr {number}", f"10.1.1.{last}") for number, last in ADDRESSES.items())


def named(text):
    """Return {number: nicknames} of what a message on its own makes hold."""
    found = borne(nicknames_in(text, NAMES))
    return {device.removeprefix("zspr "): nicknames for device, nicknames in found.items()}


@rated("nicknames")
def test_a_sentence_names_a_device(text, expected):
    assert named(text) == {"052": (expected,)}


@each(
    "text, expected",
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
        (
            "zspr 050 (10.1.1.85) is the walk in one, everyone says bertha. "
            '053 at 10.1.1.112 is the benchtop, "wee one".',
            {"050": ("bertha",), "053": ("wee one",)},
        ),
    ],
    SHARE,
)
def test_each_device_of_a_message_gets_its_own(text, expected):
    assert named(text) == expected


@rated("nicknames")
def test_what_only_looks_like_a_name_is_none(text):
    assert named(text) == {}


@each(
    "messages, expected",
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
    SHARE,
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


@pytest.mark.soak
@each(
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
    SHARE,
)
def test_no_text_takes_long(told):
    assert pieces(lambda: nicknames_in(told, NAMES)) < 5


@pytest.mark.soak
def test_it_costs_nothing_that_anybody_notices():
    messages = [
        "Why does zspr 052 swing by ±0.4 °C every seven minutes? kp is 0.12 and the setpoint 37 °C.",
        "053 是 A 區的超低溫冰箱，庫房叫它「北極」；054 是 B 區同型的，叫「南極」；溫度會跳到 7 度多。",
        "[2026-02-19 23:24:45] 052 out=100 pv=36.4\n" * 200,
    ]
    assert pieces(lambda: [nicknames_in(message, NAMES) for message in messages], repeats=20) < 2
