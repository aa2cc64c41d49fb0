"""No room grows past its ceiling, in lines of Python and TOML; raising one needs a decision record.

The ceilings stand where the rooms are now.
"""

from cases import each

from instrumentgpt.settings import CHECKOUT

CEILINGS = {  # room → lines
    "instrumentgpt/agents": 4_691,
    "instrumentgpt/analyst": 7_314,
    "instrumentgpt/commands": 1_584,
    "instrumentgpt/evals": 1_022,
    "instrumentgpt/fleet": 952,
    "instrumentgpt/handover": 789,
    "instrumentgpt/instruments": 24_308,
    "instrumentgpt/memory": 4_911,
    "instrumentgpt/modes/commands": 744,
    "instrumentgpt/modes/interview": 1_308,
    "instrumentgpt/modes/investigate": 1_304,
    "instrumentgpt/modes/panel": 1_860,
    "instrumentgpt/storage": 4_360,
    "instrumentgpt/turn": 2_470,
    "instrumentgpt/ui": 8_287,
}
WHOLE = 68_683


def lines_in(room: str) -> int:
    files = [path for ending in ("py", "toml") for path in (CHECKOUT / room).rglob(f"*.{ending}")]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files)


@each("room", CEILINGS)
def test_no_room_has_more_lines_than_its_ceiling(room):
    assert lines_in(room) <= CEILINGS[room]


def test_the_product_has_no_more_lines_than_its_ceiling():
    beside = ("app.py", "memory.py", "db.py", "cursor_cli.py")
    count = sum((CHECKOUT / name).read_text(encoding="utf-8").count("\n") for name in beside)
    assert lines_in("instrumentgpt") + count <= WHOLE
