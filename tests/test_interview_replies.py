"""An interview without any model: a reply fills the slot that was asked for; a form fills all."""

from cases import each

from bench import interviews
from instrumentgpt.modes.interview.persona import faults_of
from instrumentgpt.modes.interview.replies import GAPS, SUMMARY, Interview, after_reply, own_reply


def talked(*replies: str, device: str = "") -> tuple[Interview, list[str]]:
    """Return the interview after `replies` to our own questions, and what we said."""
    now, asked, answers = Interview(), "description", []
    for words in replies:
        now = after_reply(now, words, asked)
        answers.append(own_reply(now, asked, "en", device))
        asked = now.gap
    return now, answers


def test_a_vague_person_is_led_through_and_every_line_is_his_own():
    now, answers = talked(
        "the 52 is weird again",
        "last night it was at 70.8 instead of 72",
        "no, it was 71.8, not 70.8",
        "Why does that matter? Me and Tomas.",
        "I don't know",
        "You should just raise kp. Half a degree either way is fine.",
        "when the door is open",
        "no idea",
    )
    assert now.lines == {
        "description": ("the 52 is weird again",),
        "examples": ("last night it was at 71.8 instead of 72",),
        "who": ("Me and Tomas.",),
        "success_criteria": ("Half a degree either way is fine.",),
        "proposed": ("You should just raise kp.",),
        "edge_cases": ("when the door is open",),
    }
    assert now.left == {"must_have": "unknown", "edge_cases": "unknown"} and now.phase == "wrap_up"
    assert "✅ Corrected: “71.8” instead of “70.8”." in answers[2]
    assert "Requirements is not known, and stays open." in answers[4]
    assert "Noted as a proposal, not as a requirement: You should just raise kp." in answers[5]


def test_no_question_comes_twice_and_after_two_tries_a_gap_is_left_open_and_said_so():
    now, answers = talked("it drifts", *["What should I set kp to?"] * 9)
    questions = [answer.partition("❓")[2] for answer in answers]
    assert len(set(questions)) == len(questions) == 10
    assert answers[2].startswith("✅ Your question is for the diagnosis, once it is clear what happens.")
    assert "Examples is left open; it can be filled in below at any time." in answers[2]
    assert now.left == dict.fromkeys(list(GAPS)[1:-1], "unanswered")


@each("words, how", [("I don't know.", "unknown"), ("不知道", "unknown"), ("skip", "skip"), ("沒有", "none")])
def test_not_knowing_leaves_the_gap_marked_and_goes_on(words, how):
    now = after_reply(Interview(turn=1), words, "who")
    assert now.left == {"who": how} and now.lines == {}


@each("words", ["Show the summary", "just finish", "結束"])
def test_enough_leaves_all_open(words):
    assert after_reply(after_reply(Interview(), "it drifts", "description"), words, "examples").gaps == []


@each(
    "words",
    [
        "it was 71.8, not 70.8",
        "not 70.8 but 71.8",
        "不是 70.8，是 71.8",
        "是 71.8 不是 70.8",
        "71.8 °C, it was not 70.8",
    ],
)
def test_a_corrected_figure_replaces_the_one_that_stands(words):
    now = after_reply(Interview(turn=1), "at 70.8, and 170.8 later", "examples")
    assert after_reply(now, words, "who").lines == {"examples": ("at 71.8, and 170.8 later",)}


TOLD = {"description": ("it is two degrees too hot",), "examples": ("at 2 pm it read 2 °C over",)}


@each(
    "words, description, examples",
    [
        ("no, it was 3 degrees, not 2", "it is 3 degrees too hot", "at 2 pm it read 3 °C over"),
        ("not two degrees but three degrees", "it is three degrees too hot", "at 2 pm it read three °C over"),
        ("it was 3, not 2", "it is 3 degrees too hot", "at 3 pm it read 3 °C over"),
    ],
)
def test_a_corrected_figure_is_corrected_in_every_slot_in_digits_and_words(words, description, examples):
    now = after_reply(Interview(TOLD, turn=3), words, SUMMARY)
    assert now.lines == {"description": (description,), "examples": (examples,)}


@each(
    "words, asked, slot, line",
    [
        ("no, the problem is three degrees", SUMMARY, "description", "three degrees"),
        ("No, the problem is three degrees.", "who", "description", "three degrees"),
        ("the users are the night shift, 3 operators", SUMMARY, "who", "the night shift, 3 operators"),
        ("actually, our success criteria are 0.1 for 1 h", SUMMARY, "success_criteria", "0.1 for 1 h"),
        ("不對，問題是差三度", SUMMARY, "description", "差三度"),
        ("使用者是夜班三人", SUMMARY, "who", "夜班三人"),
    ],
)
def test_a_correction_that_names_a_slot_replaces_what_stands_there(words, asked, slot, line):
    now = after_reply(Interview(TOLD, left={"who": "unknown"}, turn=3), words, asked)
    assert now.lines == {**TOLD, slot: (line,)} and now.left.get(slot) is None


def test_an_answer_that_only_begins_with_the_name_of_a_slot_stands_where_it_was_asked_for():
    now = after_reply(Interview(TOLD, turn=3), "the problem is worst at night", "edge_cases")
    assert now.lines == {**TOLD, "edge_cases": ("the problem is worst at night",)}


def test_known_is_what_is_filled_or_told_to_be_none_and_not_what_was_left_open():
    left = {"who": "unknown", "must_have": "none", "success_criteria": "skip", "edge_cases": "unanswered"}
    now = Interview(TOLD, left=left)
    assert now.gaps == [] and now.known == ["description", "examples", "must_have"]


@each(
    "words, left, remarks",
    [
        ("sorry, the cleaning is on Thursdays", {}, ("sorry, the cleaning is on Thursdays",)),
        ("不知道，問老林", {"who": "unknown"}, ("不知道，問老林",)),
    ],
)
def test_what_does_not_answer_the_question_is_kept_as_a_correction_and_said_so(words, left, remarks):
    now = after_reply(after_reply(Interview(), "it drifts", "description"), words, "who")
    assert now.lines == {"description": ("it drifts",), "remarks": remarks} and now.left == left
    assert "Noted under Corrections" in own_reply(now, "who", "en")


def test_a_count_in_words_is_corrected_like_a_figure():
    now = after_reply(Interview(turn=1), "星期五下午，兩點多，兩次", "examples")
    assert after_reply(now, "等一下，是三次不是兩次，我漏看一次", "who").lines == {
        "examples": ("星期五下午，兩點多，三次",)
    }


def test_figures_that_correct_nothing_are_an_answer():
    now = after_reply(Interview(turn=1), "set 95, waited 40 minutes", "examples")
    assert after_reply(now, "95 not reached, only 86", "edge_cases").lines["edge_cases"] == (
        "95 not reached, only 86",
    )


def test_a_what_if_is_an_edge_case_and_a_question_else_is_none():
    now = after_reply(Interview(turn=1), "What if the power fails?", "edge_cases")
    assert now.lines == {"edge_cases": ("What if the power fails?",)}
    assert after_reply(Interview(turn=1), "Is it the sensor?", "must_have").lines == {}


def test_a_form_fills_replaces_empties_and_marks_as_unknown():
    now = after_reply(
        Interview(), "- Problem: it drifts\n- Users: me\n- Users: Tomas\n- Impact: much", "description"
    )
    assert now.lines == {"description": ("it drifts",), "who": ("me", "Tomas"), "impact": ("much",)}
    now = after_reply(now, "- 使用者：夜班\n- 影響：–\n- 需求：不知道", "examples")
    assert now.lines == {"description": ("it drifts",), "who": ("夜班",)} and now.left == {
        "must_have": "unknown"
    }


def test_what_corrects_the_summary_and_has_no_place_is_kept_as_a_remark():
    assert after_reply(Interview(turn=9), "the serial plate is blue", SUMMARY).lines == {
        "remarks": ("the serial plate is blue",)
    }


@each("language", ["en", "zh"])
@each("gap", GAPS)
@each("tries", [0, 1])
def test_000_8_our_own_replies_are_an_interviewers(language, gap, tries):
    now = Interview({name: ("x", "y") for name in GAPS if name != gap}, tries={gap: tries}, turn=3)
    reply = own_reply(now, "who", language, "zspr 052")
    assert faults_of(reply, language, "zspr 052 x y") == [] and "{" not in reply


def test_transcripts_of_strangers_are_filed_as_a_person_would():
    rates = interviews.main("all")
    assert rates["slots_with_model"] >= 0.95
    assert rates["asked_without"] >= 0.83
