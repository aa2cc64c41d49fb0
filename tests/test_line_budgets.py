"""No room grows past its ceiling, in lines of Python and TOML; raising one needs a decision record.

The ceilings stand where the rooms are now.
"""

from cases import each

from instrumentgpt.settings import CHECKOUT

CEILINGS = {  # room → lines
    "instrumentgpt/agents": 4_716,
    "instrumentgpt/analyst": 7_314,
    "instrumentgpt/commands": 1_591,
    "instrumentgpt/evals": 1_022,
    "instrumentgpt/fleet": 952,
    "instrumentgpt/handover": 791,
    "instrumentgpt/instruments": 24_385,
    "instrumentgpt/memory": 4_911,
    "instrumentgpt/modes/commands": 744,
    "instrumentgpt/modes/interview": 1_309,
    "instrumentgpt/modes/investigate": 1_304,
    "instrumentgpt/modes/panel": 1_877,
    "instrumentgpt/storage": 4_366,
    "instrumentgpt/turn": 2_475,
    "instrumentgpt/ui": 8_310,
}
WHOLE = 68_837


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
