"""What an interview holds, its phases and its gaps (acceptance 000, statements 1 to 3)."""

from dataclasses import replace

import pytest
from cases import each

from instrumentgpt.modes.interview.gathered import (
    GAPS,
    NEEDED,
    PHASES,
    Gathered,
    gathered_info,
    open_gaps,
    phase_of,
    with_entry,
)
from instrumentgpt.modes.interview.hearing import Interview, hear

FULL = Gathered(
    description="it drifts",
    examples=("52 instead of 50",),
    who=("operators",),
    must_have=("±0.1",),
    success_criteria=("8 hours",),
    edge_cases=("door", "restart"),
)
SENTENCES = {
    "description": "Problem description not clear",
    "examples": "No concrete examples of the problem",
    "who": "Users not identified",
    "must_have": "Core requirements not defined",
    "success_criteria": "Success criteria not established",
    "edge_cases": "Edge cases need more exploration",
}


def test_000_1_gathered_info_has_the_structure_of_the_specification():
    assert Interview().info() == {
        "phase": "problem_discovery",
        "problem": {"description": "", "examples": [], "impact": ""},
        "users": {"who": [], "context": "", "workflow": ""},
        "requirements": {"must_have": [], "success_criteria": [], "constraints": []},
        "edge_cases": [],
        "gaps": list(SENTENCES.values()),
    }


def test_000_1_what_was_said_stands_in_its_place_of_the_structure():
    told = hear(
        Interview(), "The oven is off by two degrees. We lose a batch a day. It must hold ±0.1."
    ).info()
    assert told["problem"] == {
        "description": "The oven is off by two degrees.",
        "examples": [],
        "impact": "We lose a batch a day.",
    }
    assert told["requirements"]["must_have"] == ["It must hold ±0.1."]


def test_000_2_the_phases_stand_in_the_order_of_the_specification():
    assert PHASES == ("problem_discovery", "user_analysis", "requirements", "edge_cases", "wrap_up")


@each(
    "left_out, phase",
    [
        ({"description": ""}, "problem_discovery"),
        ({"examples": ()}, "problem_discovery"),
        ({"who": ()}, "user_analysis"),
        ({"must_have": ()}, "requirements"),
        ({"success_criteria": ()}, "requirements"),
        ({"edge_cases": ()}, "edge_cases"),
        ({"edge_cases": ("door",)}, "edge_cases"),
        ({}, "wrap_up"),
    ],
)
def test_000_2_the_phase_follows_from_the_content_alone(left_out, phase):
    gathered = replace(FULL, **left_out)
    assert phase_of(gathered) == phase
    assert Interview(gathered, turn=99, asked=("who",) * 9).phase == phase


def test_000_2_a_conversation_goes_through_the_five_phases():
    said = [
        ("the oven is off by two degrees", "problem_discovery"),
        ("yesterday at 14:20 it showed 52.3 instead of 50", "user_analysis"),
        ("the operators", "requirements"),
        ("it must hold ±0.1 °C", "requirements"),
        ("it is fixed when no alarm comes for a week", "edge_cases"),
        ("when the door is opened it drops", "edge_cases"),
        ("after a restart it overshoots", "wrap_up"),
    ]
    interview = Interview()
    for words, phase in said:
        interview = hear(interview, words, interview.gap)
        assert interview.phase == phase, words


@each("gap", SENTENCES)
def test_000_3_each_gap_is_told_by_its_sentence_until_it_is_filled(gap):
    without = replace(FULL, **{gap: "" if gap == "description" else ()})
    assert gathered_info(without, "", open_gaps(without))["gaps"] == [SENTENCES[gap]]
    assert gathered_info(FULL, "", open_gaps(FULL))["gaps"] == []


def test_000_3_the_gaps_vanish_one_by_one_and_there_are_six():
    assert GAPS == SENTENCES
    gathered, left = Gathered(), len(GAPS)
    for phase in NEEDED.values():
        for gap, count in phase.items():
            for number in range(count):
                assert len(open_gaps(gathered)) == left
                gathered = with_entry(gathered, gap, f"{gap} {number}")
            left -= 1
    assert open_gaps(gathered) == []


def test_one_edge_case_is_not_enough():
    assert open_gaps(replace(FULL, edge_cases=("door",))) == ["edge_cases"]


def test_what_is_closed_is_neither_a_gap_nor_waited_for():
    gathered = replace(FULL, who=(), edge_cases=())
    assert phase_of(gathered, {"who": "unknown"}) == "edge_cases"
    assert open_gaps(gathered, {"who": "unknown"}) == ["edge_cases"]


def test_an_entry_of_blanks_and_commas_is_none():
    assert with_entry(Gathered(), "must_have", " ,  ") == Gathered()


@pytest.mark.parametrize(
    "before, words, after",
    [
        ("it ruined two batches", "no, it was 3 batches", "it ruined 3 batches"),
        ("毀了兩批", "不對，是三批", "毀了三批"),
    ],
)
def test_a_correction_in_mid_interview_takes_the_place_of_what_was_said(before, words, after):
    begun = replace(hear(Interview(), "it drifts"), gathered=Gathered("it drifts", impact=before))
    assert hear(begun, words, "who").gathered.impact == after


def test_a_correction_of_nothing_that_was_gathered_is_kept_beside_it():
    begun = hear(Interview(), "The oven is off by two degrees since Monday")
    said = "sorry, it was 4 of 7 runs"
    assert hear(begun, said, "who").notes == (said,)


def test_who_saw_it_counts_beside_what_it_cost():
    begun = hear(Interview(), "The oven is off by two degrees since Monday")
    after = hear(begun, "Alice saw it, it ruined two batches", "who").gathered
    assert after.impact == "it ruined two batches" and "Alice" in after.who[0]
