"""Changing the inventory file as a person would: one device at a time, its comments and all else kept."""

from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.items import AoT

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.instruments.devices import InventoryError, load_inventory


class UnwritableInventory(InstrumentGPTError, OSError):
    """An inventory that cannot be changed here."""


def put_device(path: Path, fields: Mapping[str, str | list[str]], name: str = "") -> None:
    """Write a device into the inventory at `path`: in place of the one called `name`, else at its end.

    fields  key of the file (name, ip, logs, model, aliases, …) → its value; "" or [] takes the key out

    Raises InventoryError, and changes nothing, if the inventory could not be used afterwards.
    """
    document = tomlkit.parse(_text(path))
    tables = document.setdefault("device", tomlkit.aot())
    table = next((entry for entry in tables if entry.get("name") == name), None) if name else None
    if table is None:
        table = tomlkit.table()
        tables.append(table)
    for key, value in fields.items():
        if value:
            table[key] = value
        elif key in table:
            del table[key]
    _replace(path, tomlkit.dumps(document))


def remove_device(path: Path, name: str) -> None:
    """Take the device called `name` out of the inventory at `path`."""
    document = tomlkit.parse(_text(path))
    tables = document.get("device", tomlkit.aot())
    document["device"] = AoT([entry for entry in tables if entry.get("name") != name])
    _replace(path, tomlkit.dumps(document))


def copy_of(path: Path, target: Path) -> Path:
    """Return `target`, made a copy of the inventory at `path` with its folders absolute if there is none."""
    if not target.exists():
        document = tomlkit.parse(_text(path))
        for table, device in zip(document.get("device", ()), load_inventory(path).devices, strict=True):
            table["logs"] = device.logs
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, tomlkit.dumps(document))
    return target


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except OSError as problem:
        raise UnwritableInventory(f"{path}: {problem.strerror}. Make it readable") from problem


def _replace(path: Path, text: str) -> None:
    """Put `text` in place of the file at once, if it can be used as an inventory."""
    try:
        with whole(path) as part:
            part.write(text.encode())
            part.flush()
            load_inventory(Path(part.name))
    except InventoryError as problem:
        raise InventoryError(str(problem).replace(part.name, str(path))) from None
    except OSError as problem:
        raise UnwritableInventory(
            f"{path}: {problem.strerror}. Make it writable, or choose another on the Settings page"
        ) from problem
