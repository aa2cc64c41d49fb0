"""The inventory file: what it gives, and what each mistake in it says."""

import tomllib
from pathlib import Path

import pytest

from instrumentgpt.instruments.devices import InventoryError, UnknownDevice, load_inventory, resolve
from instrumentgpt.settings import DEMO_INVENTORY

OVEN = '[[device]]\nname = "oven 7"\nip = "10.0.0.7"\nlogs = "logs"\naliases = ["左邊烤箱", "left"]\n'


@pytest.fixture
def inventory(tmp_path):
    def write(text):
        path = tmp_path / "devices.toml"
        path.write_text(text, encoding="utf-8")
        return load_inventory(path)

    return write


def test_the_demo_has_six_devices_and_052_is_10_1_1_47():
    devices = load_inventory(DEMO_INVENTORY).devices
    assert [device.name for device in devices] == [f"zspr 05{digit}" for digit in range(6)]
    assert devices[2].label == "zspr 052 (10.1.1.47)"
    assert all(Path(device.logs.removeprefix("file://")).is_dir() for device in devices)


def test_a_relative_folder_starts_at_the_inventory(inventory, tmp_path):
    (device,) = inventory(OVEN + 'known_hosts = "keys/known_hosts"').devices
    assert device.logs == (tmp_path / "logs").as_uri()
    assert device.known_hosts == str(tmp_path / "keys" / "known_hosts")


@pytest.mark.parametrize("url", ["http://10.0.0.7:8080/logs", "https://h/l", "sftp://h/var/log", "file:///x"])
def test_a_url_stays_as_it_is_but_for_the_last_slash(inventory, url):
    (device,) = inventory(OVEN.replace('"logs"', f'"{url}/"')).devices
    assert device.logs == url


@pytest.mark.parametrize("name", ["oven 7", "OVEN_07", "10.0.0.7", "左邊烤箱", "Left"])
def test_a_device_is_found_by_any_of_its_names(inventory, name):
    assert inventory(OVEN).find(name).ip == "10.0.0.7"


def test_what_is_not_in_the_inventory_is_refused_with_the_known_names(inventory):
    with pytest.raises(UnknownDevice, match=r"'10.0.0.8' is not in .* oven 7 \(10.0.0.7\).*add-a-device"):
        inventory(OVEN).find("10.0.0.8")


@pytest.mark.parametrize(
    ("text", "named"),
    [("左邊烤箱的溫度", True), ("the left one", True), ("it leftover", False), ("7 °C", False)],
)
def test_aliases_are_names_in_both_languages(inventory, text, named):
    assert bool(resolve(text, inventory(OVEN)).devices) is named


def test_the_longest_name_wins(inventory):
    both = inventory(OVEN + '[[device]]\nname = "left annex"\nip = "10.0.0.8"\nlogs = "b"')
    assert [device.ip for device in resolve("the left annex", both).devices] == ["10.0.0.8"]


def test_a_number_that_two_devices_share_names_neither(inventory):
    both = inventory(OVEN + '[[device]]\nname = "fridge 7"\nip = "10.0.0.8"\nlogs = "b"')
    assert resolve("what's wrong with 7?", both).devices == ()
    assert [device.ip for device in resolve("fridge 7", both).devices] == ["10.0.0.8"]


def test_devices_without_addresses_are_told_apart_by_their_names(inventory):
    both = inventory('[[device]]\nname = "oven 7"\nlogs = "a"\n[[device]]\nname = "冷凍櫃"\nlogs = "b"')
    assert [device.label for device in resolve("oven 7 比冷凍櫃冷嗎？", both).devices] == ["oven 7", "冷凍櫃"]
    assert both.find("冷凍櫃") == both.known_as("冷凍櫃") and both.known_as("") is None


def test_an_empty_inventory_knows_nobody(inventory):
    assert resolve("10.0.0.7", inventory("")).unknown == ("10.0.0.7",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[device]\n", r"devices\.toml: cannot be read: .*line 1"),
        ('[device]\nname = "a 1"', r"device: only tables \[\[device\]\]"),
        ("[[devices]]\n", r"devices: only tables \[\[device\]\]"),
        (OVEN.replace('name = "oven 7"', ""), r'device 1 \(no name\): no name. Add a line: name = "…"'),
        (OVEN.replace('logs = "logs"', ""), r"device 1 \(oven 7\): no logs"),
        (OVEN + 'adress = "x"', "unknown key 'adress'. Known: name, ip"),
        (OVEN.replace('"10.0.0.7"', '"10.0.0"'), "ip '10.0.0' is no IPv4 address"),
        (OVEN.replace('"10.0.0.7"', "7"), "ip is 7, not text"),
        (OVEN.replace('["左邊烤箱", "left"]', '"left"'), "aliases is 'left'. Write aliases"),
        (OVEN.replace('"oven 7"', '"--"'), "the name has no letters"),
        (OVEN.replace('"oven 7"', '"oven\\n7"'), "control characters"),
        (OVEN.replace('"logs"', '"ftp://h/x"'), r"starts with ftp://. Known: file://, http://"),
        (OVEN.replace('"logs"', '"http:///x"'), "names no host"),
        (OVEN.replace('"logs"', '"sftp://u:secret@h/x"'), "holds a password"),
        (OVEN.replace('"logs"', '"http://h/x?y=1"'), "Give the folder alone"),
        (OVEN + OVEN.replace("oven 7", "oven 8").replace("左邊烤箱", "b").replace("left", "c"), "10.0.0.7"),
        (
            OVEN + OVEN.replace("10.0.0.7", "10.0.0.8"),
            r"'oven 7' belongs to both oven 7 \(10.0.0.7\) and",
        ),
        (OVEN + '[[device]]\nname = "LEFT"\nip = "10.0.0.8"\nlogs = "b"', "'LEFT' belongs to both"),
    ],
)
def test_each_mistake_says_what_it_is_and_what_to_write(inventory, text, message):
    with pytest.raises(InventoryError, match=message) as caught:
        inventory(text)
    assert "secret" not in str(caught.value)


def test_a_missing_inventory_says_where_to_get_one(tmp_path):
    with pytest.raises(InventoryError, match=r"none\.toml: no such inventory. Copy demo/devices\.toml"):
        load_inventory(tmp_path / "none.toml")


def test_the_demo_inventory_is_plain_toml_that_a_person_can_copy():
    assert set(tomllib.loads(DEMO_INVENTORY.read_text())) == {"device"}
