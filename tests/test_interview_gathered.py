"""What an interview gathers: slots, gaps, phases, corrections (acceptance 000, statements 1 to 4, 11, 12)."""

from cases import each

from instrumentgpt.memory.reading.own_words import quoted
from instrumentgpt.modes.interview.replies import GAPS, PHASES, Interview, Note, after_reply, filed

SAID = [
    ("the oven is off by two degrees since Monday", "description"),
    ("yesterday at 14:20 it showed 52.3 instead of 50", "examples"),
    ("the operators", "who"),
    ("it must hold ±0.1 °C", "must_have"),
    ("8 hours without an alarm", "success_criteria"),
    ("when the door is opened it drops", "edge_cases"),
    ("after a restart", "edge_cases"),
]


def gathered(*notes: Note) -> Interview:
    now = Interview()
    for note in notes:
        now = filed(now, note)
    return now


def test_000_1_to_3_phases_follow_from_content_and_the_six_gaps_vanish_one_by_one():
    now, phases, gaps = Interview(), [PHASES[0]], [list(GAPS.values())]
    assert now.info["gaps"] == gaps[0]
    for words, slot in SAID:
        now = filed(now, Note(slot, words))
        phases.append(now.info["phase"])
        gaps.append(now.info["gaps"])
    assert list(dict.fromkeys(phases)) == list(PHASES)
    assert [len(missing) for missing in gaps] == [6, 5, 4, 3, 2, 1, 1, 0]
    assert now.info == {
        "phase": "wrap_up",
        "problem": {"description": SAID[0][0], "examples": [SAID[1][0]], "impact": ""},
        "users": {"who": ["the operators"], "context": "", "workflow": ""},
        "requirements": {
            "must_have": ["it must hold ±0.1 °C"],
            "success_criteria": ["8 hours without an alarm"],
            "constraints": [],
        },
        "edge_cases": ["when the door is opened it drops", "after a restart"],
        "gaps": [],
    }


def test_000_2_what_comes_early_waits_for_its_phase():
    now = gathered(Note("edge_cases", "the door"), Note("edge_cases", "a restart"), Note("who", "me"))
    assert now.phase == "problem_discovery" and now.gap == "description"


def test_000_4_lines_are_short_and_nothing_stands_twice():
    now = gathered(
        Note("description", "d " * 300), Note("who", "the operators"), Note("who", " The Operators ")
    )
    assert len(now.info["problem"]["description"]) <= 200
    assert now.lines["who"] == ("the operators",)
    assert len(filed(now, Note("examples", "e " * 300)).lines["examples"][0]) <= 150
    assert filed(now, Note("description", "and slowly")).info["problem"]["description"].startswith("d d")


def test_000_4_a_long_answer_by_rule_loses_nothing():
    words = " ".join(f"At {hour}:00 it showed {hour}.5 instead of 50." for hour in range(10, 24))
    lines = after_reply(Interview(), words, "examples").lines["examples"]
    assert " ".join(lines) == words and all(len(line) <= 150 for line in lines)


@each(
    "words",
    [
        "it fails with E4",
        "wrong reading at noon",
        "an Error every night",
        "夜裡出錯",
        "加熱器故障",
        "讀數異常",
    ],
)
def test_000_11_errors_and_failures_of_the_fault_count_as_edge_cases(words):
    now = gathered(Note("description", "it drifts"), Note("examples", words), Note("edge_cases", "the door"))
    assert now.info["edge_cases"] == ["the door", words] and "edge_cases" not in now.gaps


def test_000_11_no_error_is_none():
    assert gathered(Note("examples", "at noon without errors")).info["edge_cases"] == []


def test_000_12_a_correction_replaces_what_it_corrects_wherever_it_stands():
    now = gathered(
        Note("examples", "at 70.8 when it should be 72"), Note("impact", "two batches of 70 vials")
    )
    now = filed(now, Note("examples", "71.8", "70.8"))
    now = filed(now, Note("examples", "three batches", "two batches"))  # filed under another slot
    assert now.lines == {
        "examples": ("at 71.8 when it should be 72",),
        "impact": ("three batches of 70 vials",),
    }


def test_000_12_a_line_in_the_wrong_slot_moves():
    now = gathered(Note("must_have", "raise kp"))
    assert filed(now, Note("proposed", "raise kp", "raise kp")).lines == {"proposed": ("raise kp",)}


@each(
    "words, is_own",
    [
        ("the oven is OFF by two degrees", True),
        ("off by  two degrees, since Monday", True),
        ("７１．８ instead of 72", True),
        ("爐子差兩度，夜班發現", True),
        ("the oven is off by three degrees", False),
        ("it should drop", False),
        ("71.8", True),
        ("1.8", False),
        ("", False),
    ],
)
def test_words_are_the_users_own_word_for_word_but_for_case_width_and_blanks(words, is_own):
    said = "The oven is off by two degrees. Since Monday it reads 71.8 instead of 72, it should not drop."
    assert quoted(words, f"{said} 爐子差兩度，大概是夜班發現的") is is_own
