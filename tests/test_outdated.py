"""Earlier words are told with what later ones have made of them, of the same device and thing only."""

import pytest
from cases import rated
from hypothesis import given
from hypothesis import strategies as st
from spoken import spoken

from instrumentgpt.text.said.outdated import later_of, since, since_all
from instrumentgpt.text.said.refuted import contradicted, is_claim


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


def test_what_was_said_before_makes_nothing_of_what_comes_later():
    parts = spoken("the heater limit is 41 A", "Noted.", "the heater limit is 36 A")
    assert since(parts[-1], later_of(parts)) == ""


def test_a_value_that_is_said_again_holds():
    assert note("the limit is 41 A", "ok", "the limit is 36 A", "ok", "back: the limit is 41 A") == ""


def test_a_brief_answer_gives_another_value():
    parts = spoken("set it up", "I suggest a hold of 200 s.", "make it 205 s")
    assert "205" in since(parts[1], later_of(parts))


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("I suggest an integral time of 36 s.", "36 is too bold. Let us settle at 40."),
        ("積分時間建議 36 秒。", "36 太積極。折衷 40。"),
        ("The stage draws 5.3 A.", "4.7 A in the cool room."),
    ],
)
def test_a_brief_sentence_soon_after_gives_another_value(value, answer):
    parts = spoken("set it up", value, "hm", answer)
    assert "may be stale" in since(parts[1], later_of(parts))


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "a band of 260 gets sluggish when the door opens. no, 245 please",
            "260: may be stale, turn 1 says 245",
        ),
        ("帶寬 260 開門以後太慢。改 245 吧", "260: may be stale, turn 1 says 245"),
        ("a band of 260 gets sluggish. the belt runs at 245", ""),
        ("kp of channel 1 is 50. kp of channel 2 is 9.5", ""),
    ],
)
def test_a_brief_sentence_of_a_user_renews_what_stands_before_it(message, told):
    assert told in note(message) and bool(note(message)) == bool(told)


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("I suggest an integral time of 36 s.", "The belt is at 40."),
        ("I suggest an integral time of 36 s.", "Settle at 400."),
        ("I suggest an integral time of 36 s.", "Settle at 40 A."),
        ("kp is 36, ti is 38", "Settle at 40."),
    ],
)
def test_a_brief_sentence_on_something_else_gives_none(value, answer):
    parts = spoken("set it up", value, "hm", answer, "the belt is at 41", "ok")
    assert since(parts[1], later_of(parts)) == ""


def test_the_old_value_of_a_sentence_is_told_as_that():
    assert note("kp is 0.12, not 0.09") == " [0.09: previous value]"


def test_an_event_of_a_log_stays_what_it_was():
    log = "[2026-02-19 23:24:45] heater limit 41 A reached"
    assert note(log, "I see.", "the heater limit is 36 A") == ""


@pytest.mark.parametrize(
    ("guess", "dismissal"),
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


@pytest.mark.parametrize(
    ("guess", "dismissal"),
    [
        ("Perhaps the damper flap sticks.", "We can rule out the relay."),
        ("可能是供氣管被壓扁。", "風扇可以排除。"),
        ("可能是供气管被压扁。", "风扇可以排除。"),
    ],
)
def test_what_is_ruled_out_leaves_other_suspicions_open(guess, dismissal):
    assert note(guess, "I see.", dismissal) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "Root cause: the gains are too high.\nRuled out: a cause in the gains of channel 1.",
        "根因：增益太高。\n已排除：增益之外的原因，例如感測器。",
    ],
)
def test_who_names_the_cause_does_not_rule_it_out_with_the_others(answer):
    parts = spoken("why?", answer)
    assert "ruled out" not in since(parts[1], later_of(parts))


def test_the_words_for_any_suspicion_name_none():
    assert note("Perhaps the fan is the root cause.", "ok", "We ruled out the seal as a root cause.") == ""


def test_a_claim_is_what_supposes_or_an_item_without_numbers():
    parts = spoken("- worn belt\n- kp 0.12\nPerhaps the fan.\nIt hums.")
    assert [is_claim(one) for one in parts] == [True, False, True, False]


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
