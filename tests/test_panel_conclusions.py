"""What experts concluded in other conversations: only if wanted, marked, without names elsewhere."""

from dataclasses import replace
from pathlib import Path

import pytest
from cases import each
from panel_script import proposed, says, sums_up, text_of, turn

import db
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.modes.panel.conclusions import anonymous
from instrumentgpt.storage.conclusions import (
    Conclusion,
    find_conclusions,
    forget_conclusions,
    list_conclusions,
    save_conclusions,
)

PARTS = ((1, "tuning power", ()), (2, "tuning", (1,)))
HELD = "kp 9 holds ±0.15 °C on zspr 053 (10.1.1.112), run.log."


def a_panel(scripted, database, device: str, *answers) -> tuple[str, str]:
    """Return the conversation and the answer of a whole panel on `device`."""
    conversation = db.create_conversation(database)
    db.update_memory(conversation, "", f'{{"device_name": "{device}"}}', database)
    proposed(database, conversation, *PARTS)
    scripted(
        *answers,
        says("tuning", 1, HELD, cause="oscillation_tuning"),
        says("tuning", 2, HELD, cause="oscillation_tuning", builds_on=[1]),
        says("power", 1, "The mean output is 48 %."),
        *sums_up(),
    )
    return conversation, text_of(turn(conversation, "yes"))


def test_nothing_is_kept_or_told_unless_it_is_wanted(scripted, database):
    a_panel(scripted, database, "zspr 053")
    assert list_conclusions(database) == []


@pytest.fixture
def wanted(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_PANEL_REMEMBERS", "on")


@pytest.mark.usefixtures("wanted")
def test_what_was_concluded_on_a_device_is_told_there_again_and_marked_as_earlier(scripted, database):
    a_panel(scripted, database, "zspr 053")
    assert {(one.expert, one.device, one.fault) for one in list_conclusions(database)} == {
        ("tuning", "zspr 053", "oscillation_tuning"),
        ("power", "zspr 053", ""),
    }
    told = says("tuning", 1, "As in the other conversation, kp 9.", {
        "contains": ["<your_previous_analysis>", "From another conversation of 20", "this device (zspr 053)"],
    })  # fmt: skip
    _, answer = a_panel(scripted, database, "zspr 053", told)
    assert "Told of earlier conclusions, marked as such: Control (2), Heater and power (1)." in answer
    assert "As in the other conversation, kp 9." in answer


@pytest.mark.usefixtures("wanted")
def test_on_another_device_it_is_told_by_fault_and_without_names(scripted, database):
    a_panel(scripted, database, "zspr 053")
    told = says("tuning", 1, "Such a fault elsewhere had kp 9.", {
        "contains": ["From another conversation, on another device", "‹device› (‹address›), ‹log›"],
        "lacks": ["10.1.1.112", "run.log"],
    })  # fmt: skip
    _, answer = a_panel(scripted, database, "zspr 050", told)
    assert "Such a fault elsewhere had kp 9." in answer
    assert "Heater and power (" not in answer.splitlines()[0]


@each(
    "text, shown",
    [
        ("ZSPR 052 drifts by 3 °C", "‹device› drifts by 3 °C"),
        ("the oven of 10.1.1.47 since 2026-02-19 23:24:45", "the oven of ‹address› since ‹date›"),
        ("InstrumentDebug_2026-02-19_23-24-45.39.log says kp 9", "‹log› says kp 9"),
        ("zspr 0521 is another", "zspr 0521 is another"),
    ],
)
def test_names_addresses_logs_and_dates_are_taken_out(text, shown):
    inventory = Inventory(Path(), (Device("zspr 052", "10.1.1.47", "file:///x"),))
    assert anonymous(text, inventory) == shown


def kept(database, **changes) -> Conclusion:
    conversation = db.create_conversation(database)
    one = Conclusion("power", "zspr 052", "saturation", "Is there power?", "57 % at 95 °C", conversation)
    made = replace(one, **changes)
    save_conclusions(database, [made])
    return made


def test_the_same_device_comes_before_the_same_fault_and_another_fault_not_at_all(database):
    kept(database, device="zspr 050", text="same fault")
    kept(database, fault="heater_failure", text="same device")
    kept(database, device="zspr 050", fault="sensor_open", text="neither")
    kept(database, expert="sensing", text="another expert")
    found = find_conclusions(database, "power", "zspr 052", ["saturation"], "why?")
    assert [one.text for one in found] == ["same device", "same fault"]


def test_of_equals_what_the_question_is_about_comes_first(database):
    kept(database, text="the fan ran at 40 %")
    kept(database, text="kp 9 and ki 0.07 swing")
    for question, best in (("is the fan all right?", "the fan"), ("比例增益太高嗎？", "kp 9")):
        found = find_conclusions(database, "power", "zspr 052", [], question)
        assert found[0].text.startswith(best)


def test_the_present_conversation_is_left_out(database):
    own = kept(database)
    assert find_conclusions(database, "power", "zspr 052", [], "why?", own.conversation_id) == []


def test_conclusions_can_be_cleared_one_by_one_and_all(database):
    for text in "abc":
        kept(database, text=text)
    assert forget_conclusions(database, [list_conclusions(database)[0].id]) == 1
    assert [one.text for one in list_conclusions(database)] == ["b", "a"]
    assert forget_conclusions(database) == 2
    assert list_conclusions(database) == []


def test_they_go_with_their_conversation(database):
    own = kept(database)
    db.delete_conversation(database, own.conversation_id)
    assert list_conclusions(database) == []
