"""Texts are folded whole: case, width, and traditional or simplified characters make no difference."""

import unicodedata

from cases import each
from hypothesis import given
from hypothesis import strategies as st

from instrumentgpt.memory.terms import fold, in_simplified


def whole(text):
    return in_simplified(unicodedata.normalize("NFKC", text).casefold())


@given(st.text(max_size=40))
def test_a_text_is_folded_as_if_it_were_normalised_as_a_whole(text):
    assert fold(text) == whole(text)


@each("before", ["e", "熱", "か"])
def test_no_character_of_any_script_is_folded_otherwise_behind_another(before):
    every = [
        chr(code) for code in range(0x40000) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")
    ]
    assert [one for one in every if fold(f"{before}{one}x") != whole(f"{before}{one}x")] == []


def test_traditional_and_wide_characters_are_folded():
    assert fold("溫度 ＝ ２５ ℃，Ｋｐ") == "温度 = 25 °c,kp"
    assert in_simplified("溫度 ＝ Ｋｐ") == "温度 ＝ Ｋｐ"
