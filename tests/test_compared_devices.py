"""A comparison with another device is no turn to it: the conversation stays with the one in hand."""

from pathlib import Path

from cases import rated

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.fleet import asked_about

OWN = Device("zspr 052", "10.1.1.47", "file:///logs", nicknames=("Tallinn", "北極"))
OTHER = Device("zspr 050", "10.1.1.85", "file:///logs", nicknames=("Narva", "大熊"))
INVENTORY = Inventory(Path(), (OTHER, OWN))


@rated("compared_devices")
def test_what_is_compared_with_comes_second(question):
    assert asked_about(question, INVENTORY, OWN.ip).devices == (OWN, OTHER)


@rated("compared_devices")
def test_a_question_about_another_device_turns_to_it(question):
    assert asked_about(question, INVENTORY, OWN.ip).devices == (OTHER,)


def test_without_a_device_in_hand_the_one_that_is_named_is_meant():
    assert asked_about("compare with 050", INVENTORY, None).devices == (OTHER,)


def test_of_two_that_are_named_the_first_is_meant():
    assert asked_about("compare 050 with Tallinn", INVENTORY, OWN.ip).devices == (OTHER, OWN)
