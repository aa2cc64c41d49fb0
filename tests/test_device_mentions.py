"""Which devices a text names, and what looks like one and is none."""

from cases import SHARE, each, rated

from instrumentgpt.instruments.devices import load_inventory, resolve
from instrumentgpt.settings import DEMO_INVENTORY

DEMO = load_inventory(DEMO_INVENTORY)


def mentioned(text):
    return [device.name.removeprefix("zspr ") for device in resolve(text, DEMO).devices]


@rated("device_mentions")
def test_a_full_address_names_its_device(text, expected):
    assert mentioned(text) == expected


@each(
    "text, unknown",
    [
        ("110.1.1.47 why?", ("110.1.1.47",)),
        ("10.1.1.147", ("10.1.1.147",)),
        ("10.1.1.4", ("10.1.1.4",)),
        ("10.1.1.99怎麼了", ("10.1.1.99",)),
        ("10.1.1.470", ()),
        ("10.1.1.47.5", ()),
        ("3.10.1.1.47", ()),
        ("10.1.1.300", ()),
        ("10.1.1.0/24", ()),
        ("firmware v3.4.12.1", ()),
        ("version 3.4.12.1", ()),
        ("版本 3.4.12.1", ()),
    ],
    SHARE,
)
def test_an_address_is_taken_whole_or_not_at_all(text, unknown):
    found = resolve(text, DEMO)
    assert (found.devices, found.unknown) == ((), unknown)


@rated("device_mentions")
def test_a_name_in_any_spelling_names_its_device(text):
    assert mentioned(text) == ["052"]


@rated("device_mentions")
def test_a_number_that_can_only_be_a_device_names_it(text):
    assert mentioned(text) == ["052"]


@rated("device_mentions")
def test_other_numbers_and_names_are_no_device(text):
    found = resolve(text, DEMO)
    assert ([device.name for device in found.devices], found.unknown) == ([], ())


@rated("device_mentions")
def test_several_devices_come_in_order_and_once(text, expected):
    assert mentioned(text) == expected


def test_a_name_of_the_family_that_nobody_has_is_unknown_not_ignored():
    found = resolve("zspr 099 和 zspr 052", DEMO)
    assert ([device.name for device in found.devices], found.unknown) == (["zspr 052"], ("zspr 099",))


def test_a_hundred_thousand_digits_are_read_in_a_moment():
    assert mentioned("9" * 100_000 + " zspr 052") == ["052"]
