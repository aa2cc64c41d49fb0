"""What an interviewer may say, and what he never says (acceptance 000, statement 8)."""

from cases import SHARE, each, rated

from instrumentgpt.instruments.language import language_of
from instrumentgpt.modes.interview.persona import faults_of, shaped

SAID = "it should hold ±0.1 °C. kp was set to 0.12. The API is slow. for 8 hours"
FIVE = [
    "You should add caching to the API.",
    "I suggest using Redis for this.",
    "Try using a shorter sampling interval.",
    "The best approach is to retune the loop.",
    "Let me help you implement a filter.",
]
SOLUTIONS = [
    *FIVE,
    "Have you tried replacing the sensor",
    "Lower kp.",
    "Increase ki to 0.3.",
    "The cause is a loose sensor.",
    "It is probably caused by the relay.",
    "What if you lower the gain",
    "How about adding a feed-forward term",
    "Would setting kp to 0.05 help",
    "The solution is a new thermocouple.",
    "Please check the wiring first.",
    "To fix this, tighten the connector.",
    "I would recommend an integral time of 120 s.",
    "You could restart the controller.",
    "This means the heater is worn.",
    "By reducing the gain the oscillation stops.",
    "Set the output limit to 80 %.",
    "```\nkp = 0.05\n```",
    "Why not swap channels 1 and 2",
]
SOLUTIONS_ZH = [
    "建議先檢查感測器。",
    "你應該把 kp 調低。",
    "把 kp 調到 0.05。",
    "原因是加熱器老化。",
    "可以試試重新啟動",
    "要不要換個感測器",
    "你可以重新校正看看",
    "最好的方法是更換繼電器。",
    "我建議降低增益。",
    "應該是因為接線鬆了。",
    "解決方法：加裝濾波器。",
    "讓我幫你調整參數。",
    "請檢查接線。",
    "何不降低輸出",
    "将增益改为 0.3。",
]


def in_reply(words: str, at: str) -> str:
    """Return a reply with `words` in it: in its ✅ line, its ❓ question, or beside them."""
    chinese = language_of(words) == "zh"
    clear, asks = ("已了解：會飄。", "多久了？") if chinese else ("Clear: it drifts.", "Since when?")
    if at == "clear":
        return f"✅ {words.rstrip('?？')}\n\n❓ {asks}"
    if at == "asks":
        return f"✅ {clear}\n\n❓ {words.rstrip('.。?？')}{'？' if chinese else '?'}"
    return f"✅ {clear}\n\n{words}\n\n❓ {asks}"


@rated("interview_persona")
def test_an_interviewers_reply_has_no_faults(words):
    assert faults_of(words, language_of(words), SAID) == []


@each("at", ["clear", "beside"])
@each("words", [*SOLUTIONS, *SOLUTIONS_ZH])
def test_000_8_a_solution_is_found_in_the_clear_line_and_beside_it(words, at):
    language = language_of(words)
    faults = faults_of(in_reply(words, at), "zh" if words in SOLUTIONS_ZH else language)
    assert any(fault.startswith(("it advises", "it gives", "it names", "it talks")) for fault in faults), (
        faults
    )


@each(
    "words",
    [words for words in [*SOLUTIONS, *SOLUTIONS_ZH] if "```" not in words and "：" not in words],
    SHARE,
)
def test_000_8_a_solution_is_found_where_it_is_put_as_a_question(words):
    assert faults_of(in_reply(words, "asks"), "zh" if words in SOLUTIONS_ZH else "en")


@each("words", FIVE)
def test_000_8_the_five_forbidden_openings_are_named_as_advice(words):
    assert any("it advises" in fault for fault in faults_of(in_reply(words, "beside"), "en"))


@each(
    "words, fault",
    [
        ("", "it is empty"),
        ("   \n", "it is empty"),
        ("❓ Since when?", "it has no ✅ line"),
        ("✅ Clear: it drifts.", "it has no ❓ question"),
        ("✅ a\n✅ b\n❓ Since when?", "it has 2 ✅ lines instead of one"),
        ("✅ Clear\n❓ Since when?\n❓ Who saw it?", "it has 2 ❓ instead of one"),
        ("✅ Clear\n❓ Since when? Who saw it? How often?", "it asks 3 questions instead of one"),
        ("✅ Clear\n❓ 什麼時候？誰看到的？", "it asks 2 questions instead of one"),
        ("✅ Clear\n❓ Tell me more.", "it asks nothing"),
        ("❓ Since when?\n✅ Clear", "its ✅ line stands after its ❓ question"),
        ("✅ Clear, is it?\n❓ Tell me more", "its ❓ line asks nothing"),
        (f"✅ Clear {'x ' * 700}\n❓ Since when?", "it is too long"),
    ],
    SHARE,
)
def test_000_8_a_reply_has_one_clear_line_and_one_question(words, fault):
    assert fault in faults_of(words, language_of(words))


def test_a_reply_in_another_language_than_the_users_is_none():
    assert faults_of("✅ Clear: it drifts.\n\n❓ Since when?", "zh") == [
        "it is not in Traditional Chinese, the user's language"
    ]
    assert faults_of("✅ 已了解：會飄。\n\n❓ 多久了？", "en") == ["it is not in English"]


def test_what_the_user_said_may_be_repeated():
    said = "We increase the setpoint to 80 every hour"
    words = f"✅ Clear: {said}\n\n❓ What happens then?"
    assert faults_of(words, "en", said) == []
    assert faults_of(words, "en") != []


def test_only_the_clear_line_and_the_question_are_shown():
    words = "Sure, happy to help!\n\n✅ **Clear:** it drifts.\n\n❓ **Since when?**\n\nTake your time."
    assert shaped(words) == "✅ **Clear:** it drifts.\n\n❓ Since when?"


def test_a_question_is_not_asked_again_in_the_same_words():
    asked = ["✅ Clear: it drifts.\n\n❓ Since when?"]
    assert faults_of("✅ Clear: on Monday.\n\n❓ Since when?", "en", earlier=asked) == [
        "it repeats an earlier question word for word"
    ]
