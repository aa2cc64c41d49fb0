"""What a user wants of an interview beside answering: skip, end, another phase; vague answers."""

from cases import SHARE, each, rated

from instrumentgpt.modes.interview.gathered import GAPS, PHASES, Gathered
from instrumentgpt.modes.interview.hearing import MOST_ASKINGS, SUMMARY, Interview, hear
from instrumentgpt.modes.interview.intentions import (
    is_vague,
    phase_wanted,
    target_wanted,
    template_wanted,
    want_of,
)
from instrumentgpt.modes.interview.words import words

UNKNOWN = ["I don't know", "no idea", "not sure", "Sorry, I don't remember", "hard to say", "dunno", "idk"]
UNKNOWN += ["不知道", "不清楚", "我也不確定", "沒有概念", "想不起來", "忘了", "不太清楚耶", "这个不知道"]
SKIP = ["skip", "next question please", "pass", "let's move on", "go on", "skip this one", "not relevant"]
SKIP += ["略過", "跳過這題", "下一題", "繼續", "之後再說", "跳过"]
ENOUGH = ["enough", "enough, go on", "That's enough, thanks", "summary please", "stop asking", "wrap up"]
ENOUGH += ["夠了，繼續", "夠了", "不要再問了", "總結吧", "就到這", "够了"]
NONE = ["no", "none", "nothing else", "that's all", "沒有", "沒有了", "無", "没有"]
START = [
    "hello",
    "start",
    "I want to write a fault report",
    "help me",
    "你好",
    "我想寫一份故障報告",
    "幫我填需求單",
]
START += ["I need to write a fault report for zspr 052", "requirements for a change", "開始訪談"]
TOLD = [
    "I don't know why, but it drops at night",
    "不知道為什麼晚上會掉兩度",
    "it is not enough power to reach 80",
    "we skip the second ramp every night",
    "no alarm came",
    "there is nothing on the display",
    "continue heating at 80 for an hour, then it drifts",
    "It passed the test on Monday",
    "沒有警報，但是溫度一直掉",
]


@each(
    "want, said",
    [
        *[("unknown", said) for said in UNKNOWN],
        *[("skip", said) for said in SKIP],
        *[("enough", said) for said in ENOUGH],
        *[("none", said) for said in NONE],
        *[("start", said) for said in START],
        *[("", said) for said in TOLD],
    ],
    SHARE,
)
def test_a_wish_is_told_from_an_answer(want, said):
    assert want_of(said) == want


@each("gap", GAPS)
@each(
    "said, how",
    [
        ("skip", "skipped"),
        ("略過", "skipped"),
        ("I don't know", "unknown"),
        ("不知道", "unknown"),
        ("none", "none"),
    ],
)
def test_a_gap_that_is_skipped_or_not_known_is_not_asked_again(gap, said, how):
    after = hear(Interview(turn=1), said, gap)
    assert after.closed == {gap: how}
    assert gap not in after.gaps and after.gap != gap


@each("said", ["enough, go on", "夠了，繼續", "Go to the summary"])
def test_enough_ends_the_asking_at_once(said):
    after = hear(hear(Interview(), "the oven drifts"), said, "examples")
    assert after.phase == "wrap_up" and after.gaps == []
    assert set(after.closed.values()) == {"skipped"}


def test_enough_before_anything_was_said_still_asks_what_it_is_about():
    after = hear(Interview(), "enough")
    assert (after.phase, after.gaps) == ("problem_discovery", ["description"])


def test_what_is_said_later_fills_a_gap_that_was_left_open():
    after = hear(hear(Interview(), "the oven drifts"), "I don't know", "examples")
    after = hear(after, "it must hold ±0.1; yesterday at 9:30 it read 52 instead of 50", "who")
    assert after.gathered.examples and "examples" not in after.closed


def test_a_gap_without_an_answer_is_left_open_after_three_askings():
    interview = hear(Interview(), "the oven drifts")
    for _ in range(MOST_ASKINGS):
        assert interview.gap == "examples"
        interview = hear(interview, "ok", "examples")
    assert interview.closed == {"examples": "unanswered"}
    assert interview.gap == "who"


def test_a_question_of_the_user_uses_up_no_asking():
    interview = hear(Interview(), "the oven drifts")
    for _ in range(20):
        interview = hear(interview, "What should I set kp to?", "examples")
    assert interview.gap == "examples" and interview.want == "question"


@each(
    "said",
    [
        *("it's bad", "it is weird sometimes", "it should be better", "not good", "溫度怪怪的", "要穩一點"),
        *("有時候不太好", "正常就好", "就是不對勁", "爐子怪怪的", "温度怪怪的"),
    ],
    SHARE,
)
def test_vague_words_are_vague(said):
    assert is_vague(said)


@rated("interview_wishes")
def test_words_that_can_be_looked_at_are_not_vague(said):
    assert not is_vague(said)


@each("gap", ["description", "examples", "must_have", "success_criteria"])
@each("said", ["it's bad", "怪怪的"])
def test_a_vague_answer_is_challenged_once_and_then_taken(gap, said):
    once = hear(Interview(turn=1), said, gap)
    assert once.vague == gap == once.gap and not once.gathered.texts(gap)
    twice = hear(once, said, gap)
    assert twice.gathered.texts(gap) == (said,) and not twice.vague


@each("language", ["en", "zh"])
@each("phase", PHASES)
def test_the_words_of_the_page_choose_each_phase(language, phase):
    after = hear(hear(Interview(), "the oven drifts"), words("go")[phase][language], "examples")
    assert after.phase == phase


@rated("interview_wishes")
def test_words_choose_a_phase_only_where_they_mean_it(said, phase):
    assert phase_wanted(said, "requirements") == phase


def test_a_chosen_phase_holds_until_nothing_is_open_in_it():
    after = hear(Interview(turn=1), "go to the requirements", "description")
    assert (after.phase, after.gap) == ("requirements", "must_have")
    after = hear(after, "it must hold ±0.1", after.gap)
    assert (after.phase, after.gap) == ("requirements", "success_criteria")
    after = hear(after, "8 hours without an alarm", after.gap)
    assert (after.phase, after.gap) == ("problem_discovery", "description")


def test_a_chosen_phase_that_is_complete_asks_for_more_of_it_once():
    done = Gathered("it drifts", ("52",), who=("operators",), must_have=("±0.1",), success_criteria=("8 h",))
    after = hear(Interview(done, turn=4), "back to the users", "edge_cases")
    assert (after.phase, after.gap) == ("user_analysis", "context")
    after = hear(after, "burn-in of sensors", after.gap)
    assert after.gathered.context == "burn-in of sensors"
    assert (after.phase, after.gap) == ("edge_cases", "edge_cases")


@rated("interview_wishes")
def test_a_template_is_named(said, name):
    assert template_wanted(said) == name


@rated("interview_wishes")
def test_a_target_is_named(said, name):
    assert target_wanted(said) == name


def test_naming_the_target_is_no_answer_and_no_correction():
    after = hear(Interview(Gathered("it drifts"), turn=6), "save it as Oven 7", SUMMARY)
    assert after.target == "Oven 7" and not after.notes
