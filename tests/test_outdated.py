"""Earlier words are told with what later ones have made of them, of the same device and thing only."""

from cases import each, rated
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.said.outdated import later_of, since, since_all
from instrumentgpt.text.said.refuted import contradicted
from spoken import spoken


def note(*messages):
    """Return what has become of the first part of the first message."""
    parts = spoken(*messages)
    return since(parts[0], later_of(parts))


@rated("outdated")
def test_a_value_is_told_with_the_one_that_was_said_later(first, then, new):
    told = note(first, "Noted.", then)
    assert "turn 2" in told
    assert told.startswith(" [")
    assert new in told


@rated("outdated")
def test_other_devices_other_things_and_the_same_again_change_nothing(then):
    assert note("the heater limit of oven 7 is 41 A", "Noted.", then) == ""


@each(
    "guess, dismissal",
    [
        ("Perhaps the damper flap sticks.", "We can rule out the damper flap."),
        ("可能是供氣管被壓扁。", "供氣管可以排除。"),
        ("可能是供气管被压扁。", "供气管可以排除。"),
        ("可能是供气管被压扁。", "供氣管可以排除。"),
    ],
)
def test_a_suspicion_is_told_as_ruled_out(guess, dismissal):
    parts = spoken("why?", guess, "and?", dismissal)
    assert "ruled out in turn 2" in since(parts[1], later_of(parts))
    assert contradicted(parts[1], parts[3], frozenset())
    assert not contradicted(parts[3], parts[1], frozenset())


@each(
    "guess, dismissal",
    [
        ("Perhaps the damper flap sticks.", "We can rule out the relay."),
        ("可能是供氣管被壓扁。", "風扇可以排除。"),
        ("可能是供气管被压扁。", "风扇可以排除。"),
    ],
)
def test_what_is_ruled_out_leaves_other_suspicions_open(guess, dismissal):
    assert note(guess, "I see.", dismissal) == ""


@given(
    st.lists(
        st.sampled_from(
            [
                "kp is 1",
                "kp is 2 now",
                "not kp 1",
                "perhaps the fan",
                "fan ruled out",
                "可能是風扇",
                "排除風扇",
            ]
        ),
        max_size=8,
    )
)
def test_notes_name_only_later_turns_and_stand_in_brackets(messages):
    parts = spoken(*messages)
    for one, told in zip(parts, since_all(parts, later_of(parts)), strict=True):
        assert told == "" or (told.startswith(" [") and told.endswith("]"))
        for turn in range(1, one.turn):
            assert f"turn {turn}" not in told
