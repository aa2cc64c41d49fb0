"""How words change a plan that waits: phrasings by people who had read none of the code (plans.toml).

    python -m bench.plans

Per phrasing: are the devices afterwards the right ones, and is it taken for what it is. A changed plan is
shown again before anything is done; what a yes would carry out on devices that were not meant is counted
apart: there may be none.
"""

import tomllib
from collections import Counter
from pathlib import Path

from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.modes.investigate.decisions import Pending
from instrumentgpt.modes.investigate.editing import reply_to
from instrumentgpt.settings import DEMO_INVENTORY

PLANS = Path(__file__).with_suffix(".toml")
SAME = {"yes": "approve", "no": "cancel"}


def scored() -> tuple[Counter[str], list[str]]:
    """Return counts (all, devices, does, carried out wrongly) and a line per phrasing that is not right."""
    inventory, counts, wrong = load_inventory(DEMO_INVENTORY), Counter[str](), []
    for plan in tomllib.loads(PLANS.read_text(encoding="utf-8"))["plan"]:
        pending = Pending("proposal", "", "compare them", devices=tuple(plan["pending"]))
        reply = reply_to(pending, plan["text"], inventory)
        does, devices = SAME.get(reply.kind, reply.kind), list(reply.devices)
        waits = plan["does"] in ("question", "unclear", "cancel") and does in (
            "question",
            "unclear",
            "cancel",
        )
        is_right = waits or sorted(devices) == sorted(plan["devices"])
        counts.update(all=1, devices=is_right, does=does == plan["does"])
        counts["carried out wrongly"] += does == "approve" and not is_right
        if not is_right or does != plan["does"]:
            wrong.append(f"{plan['id']} {plan['does']} -> {does}: {plan['text']} {devices}")
    return counts, wrong


def main() -> None:
    """Print the rates."""
    counts, wrong = scored()
    for name in ("devices", "does"):
        print(f"{name:9} right {counts[name]} of {counts['all']}")
    print(f"carried out on devices not meant: {counts['carried out wrongly']}")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
