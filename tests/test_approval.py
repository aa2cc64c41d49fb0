"""What counts as yes, what as no, and what as neither."""

from cases import each
from hypothesis import given
from hypothesis import strategies as st

from instrumentgpt.agents.approval import approval

YES = [
    "yes",
    "Yes.",
    "YES!!!",
    "yesss",
    "y",
    "ok",
    "OK 👍🏽",
    "Okay, go ahead.",
    "yes please",
    "Yes, save it",
    "yes, save gen_report_1",
    "go ahead",
    "Go for it!",
    "do it",
    "sure, thanks",
    "approved",
    "I approve.",
    "That's correct",
    "that is right",
    "Looks good to me",
    "No problem",
    "Why not",
    "of course",
    "✅",
    "好",
    "好的",
    "好，請執行",
    "好的，謝謝！",
    "可以",
    "可以，請繼續",
    "行",
    "沒問題",
    "没问题，开始吧",
    "是的，對",
    "同意",
    "確認，請儲存",
    "请保存 gen_report_1",
    "就這麼辦",
    "OK的",
    "ｙｅｓ",
]

NO = [
    "no",
    "No.",
    "nope",
    "no thanks",
    "no, thank you",
    "don't",
    "Don’t do it",
    "please don't save it",
    "do not save gen_report_1",
    "No, don't run it.",
    "not yet",
    "not now",
    "cancel",
    "never mind",
    "stop",
    "of course not",
    "that's wrong",
    "That is not right",
    "not ok",
    "👎",
    "不",
    "不要",
    "不要！",
    "不用了，謝謝",
    "不好",
    "不行",
    "不可以",
    "不是",
    "不對",
    "先不要",
    "請不要執行",
    "不要存",
    "別存",
    "取消",
    "算了",
    "不同意",
]

NEITHER = [
    "It broke yesterday",
    "yesterday",
    "no, only the first two",
    "yes, but only the first two",
    "not sure",
    "I'm not sure",
    "yes and no",
    "yes or no?",
    "is it ok?",
    "okra",
    "good grief",
    "book it for Monday",
    "known",
    "now",
    "right channel 3 swings",
    "10.1.1.47 為什麼溫度波動？",
    "好奇怪",
    "可以嗎",
    "可以嗎？",
    "好不好",
    "可不可以調高",
    "不確定",
    "不要第三台",
    "不好意思，我想先看 052",
    "對了，溫度呢",
    "是誰改的",
    "行程",
    "no, yes",
    "why",
    "the report",
    "",
    "...",
    "?",
    "",
    "yes " * 100,
]


@each("text", YES)
def test_003_11_yes_is_heard_in_both_languages(text):
    assert approval(text) == "yes"


@each("text", NO)
def test_003_11_no_is_heard_in_both_languages(text):
    assert approval(text) == "no"


@each("text", NEITHER)
def test_003_11_whatever_says_more_or_something_else_is_neither(text):
    assert approval(text) is None


@each("yes", YES)
@each("more", ["only channel 2", "另外查 053", "with the logs of last week"])
def test_a_yes_that_asks_for_something_else_is_no_approval(yes, more):
    assert approval(f"{yes}, {more}") is None


@given(st.text(alphabet="abcdefgijlmnopqrtuvwxz ", min_size=1).map(lambda text: f"yes{text.strip()}x"))
def test_yes_as_the_beginning_of_another_word_is_no_approval(text):
    assert approval(text) is None


@given(st.text(max_size=5000))
def test_any_text_is_judged(text):
    assert approval(text) in ("yes", "no", None)
