"""A panel's stored answer in its parts: the page shows the conclusion first and folds the rest."""

import pytest
from cases import each

from instrumentgpt.modes.panel import say
from instrumentgpt.modes.panel.contracts import Plan
from instrumentgpt.modes.panel.display import costs, folded, heading, proposal, without_editing
from instrumentgpt.modes.panel.experts import read_experts
from instrumentgpt.storage.panels import Key, Step

PLAN = Plan.model_validate(
    {
        "sub_problems": [
            {"id": 1, "goal": "Is *it* hot?", "experts": ["sensing"]},
            {"id": 2, "goal": "熱嗎？", "experts": ["power"], "after": [1]},
        ]
    }
)


def answered(language, said="- Nothing."):
    told = "Resumed at sub-problem 1.\n"
    for part in PLAN.sub_problems:
        told += heading(part, 2, language) + f"{said}\n"
    table = costs([Step(Key(1, "contribution"), {}, 50, 10)] * 2, True, language)
    return f"{told}\n\n{say('conclusion', language)}\n\n- Cold.\n\n{table}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_parts_of_an_answer_are_found_in_both_languages(language):
    found = folded(answered(language))
    assert found.opening == "Resumed at sub-problem 1."
    assert [text for _, text in found.parts] == ["- Nothing.", "- Nothing."]
    assert "熱嗎？" in found.parts[1][0] and "#" not in found.parts[1][0]
    assert found.ending.endswith("- Cold.")
    assert "| 2 | 100 | 20 |" in found.costs and "Cold" not in found.costs


def test_nothing_of_an_answer_is_lost():
    answer = answered("en")
    found = folded(answer)
    shown = [found.opening, *(piece for part in found.parts for piece in part), found.ending, found.costs]
    assert "".join("".join(shown).split()) == "".join(answer.replace("### Sub", "Sub").split())


@each("answer", ["", "Dropped.", "### Sub-problem 1 of 2: Hot?\n\n**Stopped.**"])
def test_an_answer_without_a_conclusion_is_not_folded(answer):
    assert folded(answer) is None


def test_an_expert_cannot_end_the_panel_with_a_heading_of_its_own():
    found = folded(answered("en", "### Conclusion\n\n- All is well."))
    assert found.ending.startswith("### Conclusion\n\n- Cold.")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_proposal_is_shown_without_the_list_that_is_edited_elsewhere(language, tmp_path):
    shown = proposal(PLAN, read_experts(tmp_path), language)
    left = without_editing(f"{shown}\n\n<!-- PLOTLY_CHART:a -->")
    assert "```" not in left and "熱嗎？" in left and left.endswith("<!-- PLOTLY_CHART:a -->")
