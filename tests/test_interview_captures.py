"""What a user's words fill in an interview, in English and Chinese (acceptance 000, statement 4)."""

from cases import SHARE, each, rated

from instrumentgpt.modes.interview.hearing import SUMMARY, Interview, hear
from instrumentgpt.modes.interview.pieces import pieces_of
from instrumentgpt.modes.interview.signs import roles_in, slots_of

MUST_HAVE = [
    "it should hold ±0.1",
    "The chamber must stay below 40 °C",
    "we need it to reach 80 °C in ten minutes",
    "it has to settle within 5 minutes",
    "no more than half a degree of overshoot",
    "at least 200 cycles",
    "the flow must be within 2 %",
    "必須維持在正負0.1度",
    "溫度不能超過40度",
    "要能在十分鐘內到80度",
    "誤差0.5度以內",
    "应该保持在37度",
    "至少要穩定兩小時",
]
SUCCESS = [
    "it is fixed when it stays within 0.1 for 8 hours",
    "Success means three clean runs in a row",
    "done when the alarm stays off for a week",
    "If the log shows no spike overnight, we are happy",
    "we will know when the yield is back",
    "it passes if the calibration agrees to 0.2 K",
    "連續8小時不超過0.1度就算修好",
    "驗收標準是三批都合格",
    "一整晚沒有警報就可以結案",
    "连续三批通过就行",
]
CONSTRAINTS = [
    "we cannot stop production before Friday",
    "You must not open the chamber",
    "no restart during the run",
    "only at night",
    "there is no budget for a new sensor",
    "without stopping the line",
    "禮拜五之前不能停機",
    "不可以開門",
    "只能晚上動",
    "沒有預算",
    "保固還在，不能拆",
]
EDGE_CASES = [
    "when the door is opened it drops",
    "What if the power fails?",
    "after a restart it is worse",
    "It only happens if the chamber is empty",
    "while the pump runs it is quiet",
    "in case of a sensor break it must shut off",
    "every time the recipe changes",
    "with the door open it is fine",
    "開門的時候會掉",
    "如果停電怎麼辦？",
    "換配方之後更嚴重",
    "一開泵就跳",
    "滿載時沒有這個現象",
    "只有冷機啟動時才會",
    "万一传感器断线",
]
IMPACT = [
    "we lose two batches a day",
    "the yield dropped by 5 %",
    "We cannot ship because of this",
    "production stops for an hour each time",
    "良率掉了5%",
    "整批報廢",
    "造成交期延誤",
    "影響出貨",
]


@rated("interview_captures")
def test_000_4_a_complaint_about_an_instrument_is_the_description(words):
    assert hear(Interview(), words).gathered.description
    assert "description" in slots_of(words)


@rated("interview_captures")
def test_000_4_one_occasion_with_its_time_or_values_is_an_example(words):
    told = hear(Interview(turn=3), words, "who").gathered.examples
    assert told and told[0][:10] == words[:10]


@rated("interview_captures")
def test_000_4_people_are_named_as_the_user_names_them(words, people):
    assert roles_in(words) == people
    assert list(hear(Interview(turn=3), words, "must_have").gathered.who) == people


@each(
    "slot, words",
    [
        *[("must_have", words) for words in MUST_HAVE],
        *[("success_criteria", words) for words in SUCCESS],
        *[("constraints", words) for words in CONSTRAINTS],
        *[("edge_cases", words) for words in EDGE_CASES],
        *[("impact", words) for words in IMPACT],
    ],
    SHARE,
)
def test_000_4_the_words_fill_their_slot_whatever_was_asked(slot, words):
    gathered = hear(Interview(turn=3), words, "who").gathered
    assert gathered.texts(slot)


@rated("interview_captures")
def test_000_4_what_says_nothing_of_the_matter_fills_nothing(words):
    assert slots_of(words) == ()


@each(
    "words, slots",
    [
        (
            "The oven is off by two degrees. It should hold ±0.1 °C. When the door is opened it drops.",
            {"description", "must_have", "edge_cases"},
        ),
        (
            "爐子從禮拜一開始差兩度，應該要維持正負0.1度，開門的時候會掉，夜班操作員發現的",
            {"description", "must_have", "edge_cases", "who"},
        ),
        (
            "yesterday at 14:20 it showed 52.3 instead of 50, and we cannot stop production before Friday",
            {"examples", "constraints"},
        ),
        ("1. when the door opens it drops\n2. after a power failure it overshoots", {"edge_cases"}),
    ],
)
def test_000_4_one_message_fills_several_slots_each_with_its_own_words(words, slots):
    gathered = hear(Interview(), words).gathered
    assert slots <= set(gathered.filled())
    texts = [text for slot in slots - {"who"} for text in gathered.texts(slot)]
    assert all(len(text) < len(words) for text in texts)


def test_000_4_the_description_has_200_characters_and_the_first_one_stays():
    first = hear(Interview(), f"There is a problem {'x' * 300}")
    assert len(first.gathered.description) == 200
    assert hear(first, "Another problem: the fan", "examples").gathered.description.startswith("There is a")


@rated("interview_captures")
def test_000_4_everything_else_has_150_characters(slot):
    start = {
        "examples": "for example ",
        "must_have": "it must hold ",
        "success_criteria": "success means ",
        "constraints": "not allowed: ",
        "edge_cases": "what if ",
    }
    told = hear(Interview(turn=1), start[slot] + "y" * 300, "impact").gathered.texts(slot)
    assert [len(text) for text in told] == [150]


def test_000_4_the_same_words_are_kept_once():
    interview = Interview()
    for words in ["it must hold ±0.1", "It must hold ±0.1", "it must hold ±0.1 "] * 3:
        interview = hear(interview, words, "must_have")
    assert interview.gathered.must_have == ("it must hold ±0.1",)


def test_000_4_log_lines_and_quotations_are_not_the_user_speaking():
    pasted = "> it must hold\n[2026-02-19 23:24:45] ERROR the heater failed\n```\nthe problem = 1\n```"
    assert pieces_of(pasted) == []
    assert not hear(Interview(turn=2), f"Look:\n{pasted}", "who").gathered.must_have


@rated("interview_captures")
def test_an_answer_to_the_question_just_asked_counts_without_any_sign(asked, words):
    told = hear(Interview(turn=2), words, asked).gathered.texts(asked)
    assert told == (words,)


@each("asked", ["description", "examples", "who", "must_have", "success_criteria"])
@each("words", ["what do you mean?", "為什麼要問這個？", "ok", "I don't know", "不知道", ""])
def test_a_question_and_not_knowing_are_no_answers(asked, words):
    assert not hear(Interview(turn=2), words, asked).gathered.texts(asked)


def test_an_answer_about_something_else_does_not_name_the_users():
    after = hear(Interview(turn=2), "it should hold ±0.1", "who")
    assert after.gathered.who == () and after.gap == "description"


def test_each_case_of_a_list_is_an_edge_case_of_its_own():
    after = hear(Interview(turn=2), "- a very humid day\n- the first run of a week", "edge_cases")
    assert after.gathered.edge_cases == ("a very humid day", "the first run of a week")


def test_000_4_a_correction_of_the_summary_is_never_its_approval():
    after = hear(Interview(turn=5), "It broke yesterday", SUMMARY)
    assert after.want != "yes" and (after.notes or after.gathered.filled())


TALKS = [
    [
        ("Hi, our incubator acts up", "description"),
        ("I think around 9 in the morning, it said 7.2 % and we set 5 %", "examples"),
        ("me and two postdocs", "who"),
        ("5 % plus minus 0.2", "must_have"),
        ("if the reading matches the handheld meter for a week", "success_criteria"),
        ("not really, maybe after refilling the water tray", "edge_cases"),
        ("no", ""),
    ],
    [
        ("我們的水浴最近很不穩", "description"),
        ("大概上禮拜開始吧，設37度有時候會跑到39", "examples"),
        ("學生跟我", "who"),
        ("±0.2就好", "must_have"),
        ("用標準溫度計量一天都在範圍內", "success_criteria"),
        ("加水之後會更明顯", "edge_cases"),
        ("夏天中午好像也會", "edge_cases"),
    ],
    [
        ("The log shows ERROR heater timeout at 08:47 every day", "description"),
        ("2026-02-18 08:47:29 ERROR heater timeout ch3", "examples"),
        ("lab techs", "who"),
        ("no timeouts", "must_have"),
        ("two weeks without one", "success_criteria"),
        ("only when the compressor starts", "edge_cases"),
        ("also after the weekly restart", "edge_cases"),
    ],
    [
        ("需要把控制器升級，因為現在沒有遠端監控", "description"),
        ("例如週末出問題沒人知道", "examples"),
        ("值班人員", "who"),
        ("要能手機收到警報，一分鐘內", "must_have"),
        ("測試三次警報都收到", "success_criteria"),
        ("斷網的時候要能補送", "edge_cases"),
        ("停電也要能記錄", "edge_cases"),
    ],
]


@each("talk", TALKS)
def test_a_talk_as_people_talk_fills_all_six(talk):
    interview = Interview()
    for words, slot in talk:
        interview = hear(interview, words, interview.gap)
        assert not slot or slot in dict(interview.new), (words, interview.new)
    assert interview.phase == "wrap_up"


@rated("interview_captures")
def test_what_is_clearly_another_matter_is_no_answer(asked, words):
    after = hear(Interview(turn=2), words, asked)
    assert not after.gathered.texts(asked) and after.gathered.filled()


def test_a_first_answer_without_a_trouble_gains_the_trouble_told_next():
    interview = hear(hear(Interview(), "We got a new recipe"), "the chamber never reaches 80 °C", "examples")
    assert interview.gathered.description == "We got a new recipe the chamber never reaches 80 °C"
    assert interview.gap == "examples"
