"""The inventory: which devices there are, where their logs lie, and which of them a text names."""

import ipaddress
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.mentions import mention_spans, name_key

SCHEMES = ("file", "http", "https", "sftp")
_TEXTS = ("name", "ip", "logs", "model", "room", "source")
_SFTP = ("user", "key", "known_hosts")
_HELP = "See docs/add-a-device.md"


class InventoryError(InstrumentGPTError, ValueError):
    """An inventory file that cannot be used as it is."""


class UnknownDevice(InstrumentGPTError, LookupError):
    """A device that is not in the inventory; nothing outside it is ever contacted."""


@dataclass(frozen=True)
class Device:
    """One instrument. `logs` is the URL of the folder that holds its logs; paths are absolute.

    `ip` is its IPv4 address, or "" where the inventory gives none: its name alone tells it from others.
    `source` is the folder of the repository that holds its software, or "".
    """

    name: str
    ip: str
    logs: str
    aliases: tuple[str, ...] = ()
    model: str = ""
    source: str = ""
    user: str = ""  # sftp only: who logs in, with which key, trusting which host keys
    key: str = ""
    known_hosts: str = ""
    room: str = ""  # where it stands: a room, a line, a building
    nicknames: tuple[str, ...] = ()  # what the users of a conversation call it; never in the file

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names that the inventory gives it, the one that it is filed under first."""
        return (self.name, *filter(None, [self.ip]), *self.aliases)

    @property
    def names(self) -> tuple[str, ...]:
        """Its own names, and what a conversation calls it."""
        return (*self.own_names, *self.nicknames)

    @property
    def label(self) -> str:
        """Name and address, as people are told: "zspr 052 (10.1.1.47)"."""
        return f"{self.name} ({self.ip})" if self.ip else self.name


@dataclass(frozen=True)
class Inventory:
    """All devices, in the order of the file at `path`."""

    path: Path
    devices: tuple[Device, ...]

    def find(self, name: str) -> Device:
        """Return the device with this address, name or alias, in any spelling, or raise UnknownDevice."""
        for device in self.devices:
            if name_key(name) in map(name_key, device.names):
                return device
        labels = ", ".join(device.label for device in self.devices) or "none yet"
        raise UnknownDevice(f"{name!r} is not in the inventory {self.path} (known: {labels}). {_HELP}")

    def known_as(self, name: object) -> Device | None:
        """Return the device with exactly this name or address, None where there is none."""
        return next((device for device in self.devices if name and name in (device.name, device.ip)), None)


@dataclass(frozen=True)
class Resolution:
    """The devices a text names, in order and once each, and the names and addresses nobody knows."""

    devices: tuple[Device, ...]
    unknown: tuple[str, ...]


def with_nicknames(inventory: Inventory, nicknames: Mapping[str, Iterable[str]]) -> Inventory:
    """Return the inventory with what its devices are called; what is a device's name already is left out.

    nicknames  device, by its name → what it is called, by nobody else's name
    """
    taken = {"".join(name_key(name)) for device in inventory.devices for name in device.own_names}
    devices = [
        replace(device, nicknames=tuple(name for name in names if "".join(name_key(name)) not in taken))
        for device in inventory.devices
        for names in [nicknames.get(device.name, ())]
    ]
    return replace(inventory, devices=tuple(devices))


def resolve(text: str, inventory: Inventory) -> Resolution:
    """Return the devices that `text`, English or Chinese, names.

    A full address is looked for first, then names and aliases, then bare numbers that can only be a device:
    "052 怎麼了" and "device 52" are one, "52 °C", "kp 0.52", "line 52", a date or a port are none.
    A name shared by a file or a pasted log line counts for nothing.
    """
    named = dict.fromkeys(key for _, _, key in _mentions(text, inventory))
    unknown = tuple(name for name in named if isinstance(name, str))
    return Resolution(tuple(device for device in named if isinstance(device, Device)), unknown)


def places(text: str, inventory: Inventory) -> list[tuple[int, int, Device]]:
    """Return (start, stop, device) of each device that `normalised(text)` names, in order."""
    spans = _mentions(text, inventory)
    return [(start, stop, device) for start, stop, device in spans if isinstance(device, Device)]


def _mentions(text: str, inventory: Inventory) -> list[tuple[int, int, Device | str]]:
    devices = {device.ip or device.name: device for device in inventory.devices}
    names = {key: (device.name, *device.aliases) for key, device in devices.items()}
    nicknames = {key: device.nicknames for key, device in devices.items()}
    spans = mention_spans(text, names, nicknames)
    return [(start, stop, devices.get(key, key)) for start, stop, key in spans]


def spoken_names(inventory: Inventory) -> tuple[tuple[str, ...], ...]:
    """Return the names of each device, with its number where that is its alone: "052" for "zspr 052"."""
    ends = [{name.split()[-1] for name in device.own_names} for device in inventory.devices]
    numbers = [{word for word in words if word.isdecimal()} for words in ends]
    shared = Counter(number for endings in numbers for number in endings)
    return tuple(
        (*device.names, *sorted(number for number in endings if shared[number] == 1))
        for device, endings in zip(inventory.devices, numbers, strict=True)
    )


def load_inventory(path: Path | str) -> Inventory:
    """Return the devices of the TOML file at `path`; relative folders in it start at the file's own folder.

    Raises InventoryError, which says what to change, for a missing file, bad TOML, a missing, unknown or
    wrong key, a name or address used twice, and a URL of a kind that cannot be fetched.
    """
    path = Path(path).absolute()
    try:
        return _inventory(path, path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InventoryError(
            f"{path}: no such inventory. Copy demo/devices.toml there, or set another"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InventoryError(f"{path}: cannot be read: {reason(error)}. Correct it. {_HELP}") from None


@lru_cache(4)  # a page reads it each time that it is drawn: 0.1 s for 1,000 devices
def _inventory(path: Path, text: str) -> Inventory:
    table = tomllib.loads(text)
    entries = table.pop("device", [])
    if table or not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
        wrong = ", ".join(table) or "device"
        raise InventoryError(f"{path}: {wrong}: only tables [[device]] belong here. {_HELP}")
    devices = tuple(_device(path, number, item) for number, item in enumerate(entries, start=1))
    owner: dict[tuple[str, ...], Device] = {}
    for device in devices:
        for what, key in _names(device):
            other = owner.setdefault(key, device)
            if other is not device:
                raise InventoryError(
                    f"{path}: {what} belongs to both {other.label} and {device.label}. Change one of them"
                )
    return Inventory(path, devices)


def _device(path: Path, number: int, item: dict[str, Any]) -> Device:
    where = f"{path}: device {number} ({item.get('name', 'no name')})"
    for key in item.keys() - {*_TEXTS, *_SFTP, "aliases"}:
        raise InventoryError(
            f"{where}: unknown key {key!r}. Known: {', '.join((*_TEXTS, 'aliases', *_SFTP))}"
        )
    for key in ("name", "logs"):
        if not item.get(key):
            raise InventoryError(f'{where}: no {key}. Add a line: {key} = "…". {_HELP}')
    for key, value in item.items():
        if key != "aliases" and not isinstance(value, str):
            raise InventoryError(f'{where}: {key} is {value!r}, not text. Write {key} = "{value}"')
    aliases = item.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise InventoryError(f'{where}: aliases is {aliases!r}. Write aliases = ["…", "…"]')
    if not name_key(item["name"]) or not item["name"].isprintable():
        raise InventoryError(
            f"{where}: the name has no letters or digits, or has control characters. Rename it"
        )
    text = item.get("source", "")
    if "://" in text or not text.isprintable():
        raise InventoryError(
            f"{where}: source {text!r} is no folder on this computer. Clone it, and name that"
        )
    return Device(
        name=item["name"],
        ip=_checked_ip(where, item.get("ip", "")),
        logs=_checked_folder(where, path, item["logs"]),
        aliases=tuple(aliases),
        model=item.get("model", ""),
        source=_beside(path, text),
        user=item.get("user", ""),
        key=_beside(path, item.get("key", "")),
        known_hosts=_beside(path, item.get("known_hosts", "")),
        room=item.get("room", ""),
    )


def _checked_ip(where: str, text: str) -> str:
    try:
        return text and str(ipaddress.IPv4Address(text))
    except ValueError:
        raise InventoryError(f'{where}: ip {text!r} is no IPv4 address. Write it like "10.1.1.47"') from None


def _beside(inventory: Path, text: str) -> str:
    return str((inventory.parent / Path(text).expanduser()).resolve()) if text else ""


def _checked_folder(where: str, inventory: Path, text: str) -> str:
    if "://" not in text:
        return Path(_beside(inventory, text)).as_uri()
    url = urlsplit(text)
    if url.scheme not in SCHEMES:
        schemes = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise InventoryError(
            f"{where}: logs {text!r} starts with {url.scheme}://. Known: {schemes}, or a folder"
        )
    if url.scheme != "file" and not url.hostname:
        raise InventoryError(f"{where}: logs {text!r} names no host. Write {url.scheme}://HOST/FOLDER")
    if url.password:
        raise InventoryError(f"{where}: logs holds a password. Take it out; sftp logs in with key = …")
    if url.query or url.fragment:
        raise InventoryError(f"{where}: logs {text!r} has a ? or #. Give the folder alone")
    return text.rstrip("/")


def _names(device: Device) -> Iterator[tuple[str, tuple[str, ...]]]:
    if device.ip:
        yield device.ip, (device.ip,)
    for name in (device.name, *device.aliases):
        yield repr(name), name_key(name)
