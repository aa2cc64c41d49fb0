"""Everyday words tell what a sentence does in a diagnosis, in English and Chinese."""

import re
import tomllib
from pathlib import Path

import pytest
from cases import SHARE, each, rated
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.said import cues
from instrumentgpt.text.said.cues import CUES, cues_in, patterns_of
from spent import pieces

from instrumentgpt.text.terms import in_simplified

TOLD = tomllib.loads(Path(cues.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SENTENCES = {
    "out": [
        "We can drop the lid gasket.",
        "Scratch the pump off the list.",
        "The gasket isn't it.",
        "It's not the cause.",
        "Let’s forget the fan",
        "風扇可以排除了。",
        "风扇可以排除了。",
        "不用再查冷卻水",
        "跟幫浦無關",
        "The defrost idea (H3) falls.",
        "Then the setback theory is dead; I withdraw it.",
        "我收回",
        "PID limit cycle 不像",
    ],
    "denial": [
        "The belt is fine.",
        "It doesn't leak",
        "It doesn’t leak",
        "never seen",
        "幫浦正常",
        "帮浦正常",
        "沒有漏",
    ],
    "cause": [
        "It was caused by a pinched hose.",
        "That's why it swings",
        "the culprit",
        "是供氣管被壓扁造成的",
        "原來是風扇害的",
    ],
    "verdict": [
        "Root cause: the valve.",
        "It turned out to be the fan",
        "真正的原因是閥門",
        "真正的原因是阀门",
    ],
    "guess": [
        "Perhaps the fan",
        "My bet is the valve",
        "I suspect it",
        "我懷疑是風扇",
        "可能是幫浦",
        "恐怕不行",
        "I'd say it is the valve",
        "A worn seal is what drives this",
        "會不會是接頭鬆了",
    ],
}


@each("cue", CUES)
def test_a_sentence_has_the_cues_of_its_words(cue):
    missed = [sentence for sentence in SENTENCES[cue] if cue not in cues_in(sentence)]
    assert not missed


@rated("cues")
def test_a_plain_statement_has_none(sentence):
    assert cues_in(sentence) == []


@each(
    "sentence, cue",
    [("a notable pump", "denial"), ("the mayor", "guess"), ("buttons", "out"), ("okapi", "denial")],
)
def test_an_english_word_counts_only_whole(sentence, cue):
    assert cue not in cues_in(sentence)


@each("sentence", [one for every in SENTENCES.values() for one in every], SHARE)
def test_capitals_apostrophes_and_traditional_characters_make_no_difference(sentence):
    assert cues_in(sentence) == cues_in(sentence.upper()) == cues_in(in_simplified(sentence))
    assert cues_in(sentence) == cues_in(sentence.replace("’", "'"))


@each("cue", CUES)
def test_every_fragment_of_the_file_is_folded_and_of_its_language(cue):
    for fragment in TOLD[cue]["english"]:
        assert fragment.isascii()
        assert not re.search(r"(?<!\\)[A-Z]", fragment)
    for fragment in TOLD[cue]["chinese"]:
        assert not fragment.isascii()
        assert fragment == in_simplified(fragment)


@given(st.text(alphabet=st.sampled_from("not isruledout'’t 因為可能排除-bet "), max_size=60))
def test_the_fast_way_finds_what_the_patterns_say(sentence):
    folded = cues.plain(sentence)
    slow = [cue for cue in CUES if cues._pattern(TOLD[cue]).search(folded)]
    assert cues_in(sentence) == slow


def test_each_kind_of_question_has_its_patterns():
    asks, has = patterns_of("asks"), patterns_of("has")
    assert set(has) <= set(asks)
    assert asks["time"].search("when was it")
    assert has["file"].search("run_12.log")


@pytest.mark.soak
@each("sentence", ["a" * 20_000, "not " * 5_000, "rule " * 4_000, "不" * 20_000, "n't" * 7_000])
def test_no_sentence_takes_long(sentence):
    fresh = iter([f"{sentence} {number}" for number in range(3)])  # what was read before is remembered
    assert pieces(lambda: cues_in(next(fresh))) < 15
