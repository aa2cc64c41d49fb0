"""`devices`: the inventory, and the newest log of each device."""

import argparse
import json
from typing import Any

from instrumentgpt.commands.stored import saved_inventory
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.fetch import list_logs


def run(arguments: argparse.Namespace) -> int:
    """Print the devices; return 1 if the logs of one could not be listed, else 0."""
    inventory = saved_inventory()
    rows = [_row(device) for device in inventory.devices]
    width = max((len(row["label"]) for row in rows), default=0)
    for row in rows:
        if arguments.json:
            print(json.dumps(row, ensure_ascii=False))
        else:
            print(f"{row['label']:{width}}  {row['newest'] or row['error'] or 'no log'}  {row['logs']}")
    return 1 if any(row["error"] for row in rows) else 0


def _row(device: Any) -> dict[str, Any]:
    row = {"name": device.name, "ip": device.ip, "label": device.label, "logs": device.logs}
    try:
        logs = list_logs(device)
        return {**row, "count": len(logs), "newest": logs[0].name if logs else "", "error": ""}
    except InstrumentGPTError as problem:
        return {**row, "count": 0, "newest": "", "error": str(problem)}
