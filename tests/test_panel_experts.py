"""The experts: ours, the user's own, and what each may speak on."""

import pytest
from cases import each
from panel_case import context, contribution, sub_problem

from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.modes.asking import Reply
from instrumentgpt.modes.panel.contracts import Contribution
from instrumentgpt.modes.panel.deliberation import spoken
from instrumentgpt.modes.panel.experts import TOOLS as ALLOWED
from instrumentgpt.modes.panel.experts import BadExpert, known_experts, read_experts

OWN = """
[cooling]
speaks_on = ["saturation", "ambient_disturbance"]
tools = ["diagnose_log"]
[cooling.en]
name = "Cooling"
field = "chillers, water, fans"
role = "You judge whether heat is carried away."
"""


@pytest.fixture
def own(tmp_path):
    def write(text: str):
        (tmp_path / "experts.toml").write_text(text, encoding="utf-8")
        return read_experts(tmp_path)

    return write


@each("expert", read_experts().values())
def test_an_expert_of_ours_has_words_in_both_languages(expert):
    assert expert.name("en").isascii() and not expert.name("zh").isascii()
    assert expert.speaks_on and expert.tools


def test_our_experts_together_speak_on_every_fault():
    spoken = {fault for one in read_experts().values() if one.code != "statistics" for fault in one.speaks_on}
    assert spoken == set(faults()) - {"healthy"}


def test_experts_are_given_only_tools_that_there_are():
    assert set(ALLOWED) <= set(TOOLS)


def test_the_users_own_expert_joins_ours(own):
    found = own(OWN)
    assert list(found)[-1] == "cooling" and "sensing" in found
    assert found["cooling"].name("zh") == "Cooling"  # English stands in


def test_the_users_own_expert_replaces_ours_of_the_same_code(own):
    assert own(OWN.replace("cooling", "power"))["power"].name("en") == "Cooling"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("[cooling", "is no table of experts"),
        (OWN.replace("saturation", "saturated"), "speaks_on: .*has 'saturated', which is none of"),
        (OWN.replace('"diagnose_log"', '"record_finding"'), "tools: .*has 'record_finding'"),
        (OWN.replace("role =", "rolle ="), "en.role: Field required"),
        (OWN.replace("tools", "tool"), "tool: Extra inputs"),
        (OWN.replace("cooling", "Cooling"), "a code is lower case letters"),
    ],
)
def test_a_wrong_table_is_refused_with_the_place_and_the_remedy(own, wrong, message):
    with pytest.raises(BadExpert, match=message) as refused:
        own(wrong)
    assert "experts.toml" in str(refused.value) and "docs/add-an-expert.md" in str(refused.value)


def test_an_expert_that_nobody_is_called_is_named_with_those_there_are():
    with pytest.raises(BadExpert, match=r"no expert 'wizard'.*sensing"):
        known_experts(read_experts(), ["sensing", "wizard"])


def screened(told, candidates, **changes):
    """Return what of `told` counts when the sensing expert says it of a log of 7,200 lines."""
    part = sub_problem(1, "sensing", candidates=candidates)
    return spoken(part, context(**changes), "sensing", Reply(told), 1)


def test_a_vote_or_a_ruling_out_outside_of_the_field_does_not_count():
    rejects = [
        {"cause": "heater_failure", "because": "48 %"},
        {"cause": "sensor_open", "because": "0.019 °C"},
    ]
    told = contribution(cause="heater_degradation", rejects=rejects)
    causes = ("heater_degradation", "heater_failure", "sensor_open")
    clean = screened(told, causes)
    notes = clean.struck
    assert clean.cause == "" and [one.cause for one in clean.rejects] == ["sensor_open"]
    assert len(notes) == 2 and all("not in the field of Measurement" in note for note in notes)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_line_that_the_log_does_not_have_is_struck_with_a_note(language):
    claims = [{"text": "60 °C.", "evidence": [{"line": 7200}, {"line": 7201}]}]
    told = contribution(claims=claims, rejects=[{"cause": "x", "because": "5 %", "line": 9000}])
    clean = screened(told, (), language=language)
    notes = clean.struck
    assert [item.line for item in clean.claims[0].evidence] == [7200] and clean.rejects[0].line is None
    assert "7,201, 9,000" in notes[0] and "7,200" in notes[0]


def test_what_is_within_bounds_stays_as_it_is():
    told = contribution(cause="sensor_bias", position="The offset is +0.4 °C against the other channels.")
    clean = screened(told, ("sensor_bias",))
    assert Contribution.model_validate(clean.model_dump()) == told and not clean.struck
