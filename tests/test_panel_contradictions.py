"""An expert whose words do not go with its earlier ones: caught, and told from a change with a reason."""

import pytest
from cases import each
from panel_case import Driven, contribution, sub_problem

from instrumentgpt.modes.panel.contradictions import contradictions
from instrumentgpt.modes.panel.contributions import Said

BEFORE = "The target is 150 % of the current at 60 °C, kp 9 holds it."


def before(**changes):
    told = {"position": BEFORE, "cause": "heater_degradation", **changes}
    return [Driven(sub_problem(1, "power"), {"power": contribution(**told)}).result]


def found(results, **changes):
    told = {"position": "As before.", "claims": [], "condition": "", **changes}
    said = Said("power", 1, contribution(**told))
    return [(one.kind, one.sub_problem) for one in contradictions(said, results)]


def test_who_repeats_or_builds_on_its_position_is_left_alone():
    assert found(before(), position="With my 150 % of sub-problem 1, the relay is next.") == []
    assert found(before(), position="The relay closes at 150 %.") == []
    assert found(before(), position="The relay is next.", builds_on=(1,)) == []


def test_who_forgets_is_caught():
    assert found(before(), position="We first need to know the current.") == [("forgotten", 1)]


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("", "changed without a reason"), ("the current was 3.1 A", "changed")],
)
def test_a_cause_that_was_ruled_out_and_is_voted_for_is_a_change(reason, kind):
    results = before(cause="", rejects=[{"cause": "heater_degradation", "because": "factor 1.00"}])
    told = {"cause": "heater_degradation", "position": "The heater, earlier not.", "changed_because": reason}
    assert found(results, **told) == [(kind, 1)]


def test_another_value_of_the_same_quantity_is_a_change():
    assert found(before(), position="As before, but kp 12 holds it.") == [("changed without a reason", 1)]
    assert found(before(), position="As before, kp 9 holds it.") == []


@each(
    "first, later",
    [
        ("所有通道沒有我領域的原因，排除 4 項。", "先前如此；通道 2沒有我領域的原因，排除 5 項。"),
        ("沒有屬於我領域的原因，排除了 4 項。", "如先前所說，沒有屬於我領域的原因，排除了 5 項。"),
        ("Nothing of mine, ruled out 4 candidates.", "As before nothing of mine, ruled out 5 candidates."),
        ("There are 747 lines.", "As before, there are 12 lines of it."),
        ("It began at 08:49:11.", "As before; it began at 10:30:00 again."),
    ],
)
def test_another_count_of_what_was_looked_at_is_no_contradiction(first, later):
    assert found(before(cause="", position=first), cause="", position=later) == []


def test_chinese_positions_are_compared_too():
    results = before(position="通道 2 的 kp 為 9，週期 45 秒。")
    assert found(results, position="先前的立場不變，但 kp 為 12。") == [("changed without a reason", 1)]
    assert found(results, position="需要先知道電流。") == [("forgotten", 1)]


def test_who_never_spoke_contradicts_nobody():
    said = Said("sensing", 1, contribution(position="We first need to know the current."))
    assert contradictions(said, before()) == []
